"""A long-running process keeps nothing of finished commands: no thread, socket or object."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.fast_transport import TRANSPORT
from support.memory_s3 import InMemoryS3

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore, _parallel
from s3memory.aws import clients
from s3memory.errors import S3MemoryError
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import ROOT
from s3memory.testing import MotoServer

DESCRIPTORS = Path("/proc/self/fd")
BUCKET = "bucket"
N_COMMANDS = 10_000
N_SERVED_COMMANDS = 200
# What may be left of all of them: one leaked object per hundred commands would be found.
MOST_OBJECTS = 50
MOST_BLOCKS = 500

# Commands that restore the initial state, including refused ones.
ROUND: list[dict[str, Any]] = [
    {"command": "view", "path": ROOT},
    {"command": "create", "path": f"{ROOT}/a", "file_text": "one\n"},
    {"command": "create", "path": f"{ROOT}/a", "file_text": "again\n"},
    {"command": "create", "path": f"{ROOT}/d/b", "file_text": "two\n"},
    {"command": "create", "path": f"{ROOT}/d/s/c", "file_text": "three\n"},
    {"command": "view", "path": f"{ROOT}/a"},
    {"command": "view", "path": f"{ROOT}/nowhere"},
    {"command": "view", "path": f"{ROOT}/../etc"},
    {"command": "str_replace", "path": f"{ROOT}/a", "old_str": "one", "new_str": "uno"},
    {"command": "str_replace", "path": f"{ROOT}/a", "old_str": "one", "new_str": "uno"},
    {"command": "insert", "path": f"{ROOT}/a", "insert_line": 1, "insert_text": "more"},
    {"command": "rename", "old_path": f"{ROOT}/a", "new_path": f"{ROOT}/e/a"},
    {"command": "rename", "old_path": f"{ROOT}/d", "new_path": f"{ROOT}/f"},
    {"command": "rename", "old_path": f"{ROOT}/d", "new_path": f"{ROOT}/f"},
    {"command": "view", "path": f"{ROOT}/f"},
    {"command": "delete", "path": f"{ROOT}/f"},
    {"command": "delete", "path": f"{ROOT}/f"},
    {"command": "delete", "path": f"{ROOT}/e/a"},
]

_wrapper = LocalKeyWrapper(bytes(range(32)))


def run_rounds(client: Any, least_commands: int, cache: KeyCache) -> None:
    """Run whole rounds of at least this many commands, each with its own store, as request handlers do."""
    for _ in range(-(-least_commands // len(ROUND))):
        store = MemoryStore(bucket=BUCKET, tenant="acme", key_wrapper=_wrapper, s3_client=client, key_cache=cache)
        commands = MemoryCommands(store)
        refused = 0
        for call in ROUND:
            try:
                commands.call(call)
            except S3MemoryError:
                refused += 1
        assert refused == 6


def end_pool() -> None:
    """End the pool's threads, which may still hold calls that were cancelled before their turn."""
    _parallel._pool.get().shutdown()
    _parallel._pool.reset_after_fork()


def threads() -> set[threading.Thread]:
    end_pool()
    return set(threading.enumerate())


def objects_by_type() -> Counter[str]:
    end_pool()
    gc.collect()
    return Counter(f"{type(one).__module__}.{type(one).__qualname__}" for one in gc.get_objects())


def open_descriptors() -> int:
    end_pool()
    gc.collect()
    return sum(1 for _ in DESCRIPTORS.iterdir())


def test_ten_thousand_commands_leave_no_thread_and_no_object() -> None:
    client, cache = InMemoryS3().client(), KeyCache()
    objects_by_type()  # what counting itself leaves, it leaves once
    run_rounds(client, N_COMMANDS // 10, cache)
    threads_before, objects, blocks = threads(), objects_by_type(), sys.getallocatedblocks()
    run_rounds(client, N_COMMANDS - N_COMMANDS // 10, cache)
    left = objects_by_type() - objects
    left_blocks = sys.getallocatedblocks() - blocks
    assert threads() <= threads_before
    assert left.total() < MOST_OBJECTS, left
    assert left_blocks < MOST_BLOCKS


@pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="descriptors are counted in /proc")
def test_commands_to_a_server_leave_no_thread_and_no_socket_except_those_that_the_client_keeps() -> None:
    with MotoServer() as server:
        server.make_bucket(BUCKET, versioned=False)
        threads_before, descriptors = threads(), open_descriptors()
        client = clients.clients_of_process(TRANSPORT).s3_client(endpoint_url=server.endpoint_url)
        run_rounds(client, N_SERVED_COMMANDS, KeyCache())
        assert len(server.requests) > N_SERVED_COMMANDS
        assert threads() <= threads_before
        assert open_descriptors() <= descriptors + _parallel.MAX_PARALLEL_REQUESTS + 1
        del client
        clients.forget_clients()
        assert open_descriptors() <= descriptors


def test_a_cache_that_nobody_uses_any_more_is_freed_with_its_keys() -> None:
    cache = KeyCache()
    gone = weakref.ref(cache)
    del cache
    gc.collect()
    assert gone() is None
