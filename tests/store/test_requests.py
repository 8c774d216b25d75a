"""The S3 requests of each command with a cached key ring, as docs/semantics.md promises them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import boto3
import pytest
from conftest import MakeStore
from request_counts import CALLS, DEEP, ROOT, Recorder, plant
from support.faults import FaultLayer, other_writer_first, refused

from s3memory import KmsKeyWrapper, MemoryCommands, MemoryStore
from s3memory._parallel import MAX_PARALLEL_REQUESTS, each
from s3memory.errors import AccessDeniedError, NotFoundError
from s3memory.keys.key_cache import KeyCache
from s3memory.limits import MAX_OBJECT_KEY_BYTES

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

EXPECTED: dict[str, dict[str, int]] = {
    "view a file": {"GetObject": 1},
    "view the root": {"ListObjectsV2": 1},
    "view a directory": {"GetObject": 1, "ListObjectsV2": 1},
    "create at depth 1": {"ListObjectsV2": 1, "PutObject": 1},
    "create at depth 4": {"HeadObject": 3, "ListObjectsV2": 1, "PutObject": 1},
    "str_replace": {"GetObject": 1, "PutObject": 1},
    "insert": {"GetObject": 1, "PutObject": 1},
    "delete a file": {"DeleteObject": 1},
    "delete a directory of 2 files": {
        "ListObjectsV2": 1,
        "PutObject": 1,
        "DeleteObjects": 1,
        "DeleteObject": 2,
    },
    "rename a file to depth 1": {
        "GetObject": 1,
        "ListObjectsV2": 1,
        "PutObject": 1,
        "DeleteObject": 1,
    },
    "rename a file to depth 3": {
        "GetObject": 1,
        "HeadObject": 2,
        "ListObjectsV2": 1,
        "PutObject": 1,
        "DeleteObject": 1,
    },
    "rename a directory of 2 files": {
        "GetObject": 3,
        "HeadObject": 1,
        "ListObjectsV2": 3,
        "PutObject": 3,
        "DeleteObject": 3,
    },
}


@pytest.fixture
def tree(store: MemoryStore) -> MemoryCommands:
    """Two files, one of them deeply nested, and a cached key ring."""
    commands = MemoryCommands(store)
    plant(commands)
    return commands


@pytest.mark.parametrize("kind", CALLS)
def test_a_command_makes_the_promised_requests(tree: MemoryCommands, s3: S3Client, kind: str) -> None:
    with Recorder(s3) as recorded:
        tree.call(CALLS[kind])
    assert recorded.operations() == EXPECTED[kind]


@pytest.mark.usefixtures("tree")
def test_the_first_command_of_a_process_adds_one_get_and_one_kms_call(make_store: MakeStore, s3: S3Client) -> None:
    kms = boto3.client("kms")
    wrapper = KmsKeyWrapper(kms.create_key()["KeyMetadata"]["KeyId"], kms_client=kms)
    MemoryCommands(make_store(tenant="kms", key_wrapper=wrapper)).create(DEEP, "x")
    cold = MemoryCommands(make_store(tenant="kms", key_wrapper=wrapper, key_cache=KeyCache()))
    with FaultLayer(s3) as s3_requests, FaultLayer(kms) as kms_requests:
        cold.view(DEEP)
        cold.view(ROOT)
    assert s3_requests.requests == ["GetObject", "GetObject", "ListObjectsV2"]
    assert kms_requests.requests == ["Decrypt"]


def test_the_first_look_at_a_new_tenant_is_one_get_in_parallel_with_one_list_and_then_another_list(
    commands: MemoryCommands, s3: S3Client
) -> None:
    with FaultLayer(s3) as recorded:
        commands.view(ROOT)
    assert sorted(recorded.requests) == ["GetObject", "ListObjectsV2", "ListObjectsV2"]


def test_the_first_command_of_a_new_tenant_creates_its_key_ring(commands: MemoryCommands, s3: S3Client) -> None:
    with FaultLayer(s3) as recorded:
        commands.create(f"{ROOT}/first", "x")
    assert recorded.requests[:3] == ["GetObject", "ListObjectsV2", "PutObject"]
    assert sorted(recorded.requests[3:]) == ["ListObjectsV2", "PutObject"]


@pytest.mark.parametrize("path", [f"{ROOT}/a", f"{ROOT}/a/b/", f"{ROOT}/v1.2/"])
def test_a_path_that_is_probably_a_directory_is_listed_while_looking_for_a_file(
    tree: MemoryCommands, s3: S3Client, path: str
) -> None:
    tree.create(f"{ROOT}/v1.2/f.md", "x")
    both_are_under_way = other_writer_first(threading.Barrier(2, timeout=10).wait)
    with FaultLayer(s3) as layer:
        layer.hit("GetObject", both_are_under_way)
        layer.hit("ListObjectsV2", both_are_under_way)
        assert "up to 2 levels deep" in tree.view(path)


@pytest.mark.parametrize(("path", "view_range"), [(f"{ROOT}/notes.md", None), (f"{ROOT}/notes", [1, 1])])
def test_a_path_that_is_probably_a_file_is_only_looked_for_as_a_file(
    tree: MemoryCommands, s3: S3Client, path: str, view_range: list[int] | None
) -> None:
    tree.create(path, "text")
    with FaultLayer(s3) as layer:
        assert "text" in tree.view(path, view_range)
    assert layer.requests == ["GetObject"]


def test_a_file_is_shown_whatever_happens_to_the_parallel_listing(tree: MemoryCommands, s3: S3Client) -> None:
    tree.create(f"{ROOT}/notes", "text")
    both_are_under_way = threading.Barrier(2, timeout=10).wait
    with FaultLayer(s3) as layer:
        layer.hit("GetObject", other_writer_first(both_are_under_way))
        layer.hit("ListObjectsV2", replace(refused(403, "AccessDenied"), action=both_are_under_way))
        assert "text" in tree.view(f"{ROOT}/notes")
    assert sorted(layer.requests) == ["GetObject", "ListObjectsV2"]


@contextmanager
def busy_threads() -> Iterator[None]:
    """All threads for parallel requests are blocked, and more work waits for them."""
    all_wait, end = threading.Barrier(MAX_PARALLEL_REQUESTS + 1, timeout=10), threading.Event()

    def wait(number: int) -> None:
        if number < MAX_PARALLEL_REQUESTS:
            all_wait.wait()
        end.wait(timeout=60)

    with ThreadPoolExecutor(1) as elsewhere:
        busy = elsewhere.submit(each, wait, range(2 * MAX_PARALLEL_REQUESTS))
        all_wait.wait()
        try:
            yield
        finally:
            end.set()
        busy.result()


@pytest.mark.parametrize(("name", "requests"), [("a", ["GetObject", "ListObjectsV2"]), ("notes", ["GetObject"])])
def test_a_view_does_not_wait_for_a_thread_that_is_busy_elsewhere(
    tree: MemoryCommands, s3: S3Client, name: str, requests: list[str]
) -> None:
    tree.create(f"{ROOT}/notes", "text")
    with ThreadPoolExecutor(1) as viewing, busy_threads(), FaultLayer(s3) as layer:
        assert viewing.submit(tree.view, f"{ROOT}/{name}").result(timeout=10)
    assert layer.requests == requests


@pytest.mark.parametrize("operation", ["GetObject", "ListObjectsV2"])
def test_a_directory_is_not_shown_if_either_request_is_denied(
    tree: MemoryCommands, s3: S3Client, operation: str
) -> None:
    with FaultLayer(s3) as layer:
        layer.hit(operation, refused(403, "AccessDenied"))
        with pytest.raises(AccessDeniedError):
            tree.view(f"{ROOT}/a")


def test_a_look_at_a_directory_of_a_new_tenant_reads_its_key_ring_once(commands: MemoryCommands, s3: S3Client) -> None:
    with FaultLayer(s3) as layer, pytest.raises(NotFoundError):
        commands.view(f"{ROOT}/notes")
    assert layer.requests == ["GetObject", "ListObjectsV2"]


def test_nothing_is_listed_below_a_file_whose_object_key_is_as_long_as_s3_allows(
    tree: MemoryCommands, s3: S3Client
) -> None:
    before = len(tree.store.objects.layout.memories_prefix)
    path = "/memories/" + ("d" * 200 + "/") * 4 + "f" * (MAX_OBJECT_KEY_BYTES - before - 4 * 201)
    with FaultLayer(s3) as recorded:
        tree.create(path, "x")
        tree.delete(path)
    assert recorded.counts["PutObject"] == recorded.counts["DeleteObject"] == 1
    assert not recorded.counts["ListObjectsV2"]
