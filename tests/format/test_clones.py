"""Clones of a process, as of a snapshot that is resumed twice: none seals with the salt of another."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from typing import Any

import pytest

# Clones itself in a way that OpenSSL cannot detect: each clone is process 1 of its own PID namespace, as is its
# original, and the system call bypasses libc's fork and Python's. The original and two clones print one line of JSON
# each: the salts that each way of sealing draws next.
PROGRAM = """
import ctypes, json, os, signal, sys

from cryptography.cobblestone import Cobblestone256Encryptor

from s3memory import LocalKeyWrapper
from s3memory.format.actor_labels import seal_actor
from s3memory.format.envelope import FILE_PURPOSE, INTENT_PURPOSE, DataKey, Place, salt_of, seal
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.paths import MemoryPath

NEW_PID, NEW_USER = 0x20000000, 0x10000000
libc = ctypes.PyDLL(None, use_errno=True)  # which keeps the lock of the interpreter: there is one thread
KEY = bytes(range(32))
DATA_KEY, WRAPPER = DataKey(1, KEY), LocalKeyWrapper(KEY)
RING = OpenKeyRing.new(tenant="acme", name_mode="encrypted", wrapper=WRAPPER)


def clone():
    for flags in (NEW_PID, NEW_PID | NEW_USER):
        child = libc.syscall(int(sys.argv[1]), ctypes.c_ulong(flags | signal.SIGCHLD), None, None, None, None)
        if child >= 0:
            return child
    print(json.dumps({"refused": os.strerror(ctypes.get_errno())}), flush=True)
    os._exit(0)


def drawn():
    place = Place(FILE_PURPOSE, "acme", "/memories/x")
    body = seal(b"text", data_key=DATA_KEY, place=place)
    made = OpenKeyRing.new(tenant="acme", name_mode="encrypted", wrapper=WRAPPER)
    return {
        "pid": os.getpid(),
        "OpenSSL": Cobblestone256Encryptor(KEY, b"").update(b"").hex()[:48],
        "file": salt_of(body).hex(),
        "intent": salt_of(seal(b"{}", data_key=DATA_KEY, place=place._replace(purpose=INTENT_PURPOSE))).hex(),
        "actor": seal_actor("me", data_key=DATA_KEY, tenant="acme", path=MemoryPath(("x",)), body=body),
        "local wrap": WRAPPER.wrap(KEY, {})[:24].hex(),
        "data key": made.newest.key_bytes.hex(),
        "key ring": salt_of(made.ring.seal).hex(),
        "rotated ring": salt_of(RING.rotated().ring.seal).hex(),
    }


def tell():
    os.write(1, json.dumps(drawn()).encode() + b"\\n")


original = clone()
if original:
    os.waitpid(original, 0)
    os._exit(0)
drawn()
for _ in range(2):
    child = clone()
    if not child:
        tell()
        os._exit(0)
    os.waitpid(child, 0)
tell()
os._exit(0)
"""

SYSTEM_CALLS = {"x86_64": 56, "aarch64": 220}


def draws_of_clones() -> list[dict[str, Any]]:
    number = SYSTEM_CALLS.get(platform.machine()) if sys.platform == "linux" else None
    if number is None:
        pytest.skip("NOT TESTED HERE: processes are cloned on Linux alone")
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", PROGRAM, str(number)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    draws = [json.loads(line) for line in done.stdout.splitlines()]
    refused = next((draw["refused"] for draw in draws if "refused" in draw), None)
    if refused is not None:
        pytest.skip(f"NOT TESTED HERE: this machine allows no namespaces of processes: {refused}")
    assert [draw["pid"] for draw in draws] == [1, 1, 1], done.stderr
    return draws


def test_clones_of_a_process_never_draw_the_same_salt() -> None:
    draws = draws_of_clones()
    # These are real clones: OpenSSL's generator does not tell them apart.
    assert len({draw["OpenSSL"] for draw in draws}) == 1
    for kind in draws[0].keys() - {"pid", "OpenSSL"}:
        assert len({draw[kind] for draw in draws}) == 3, kind
