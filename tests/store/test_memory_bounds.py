"""Foreign objects of any size do not exhaust the memory: they are refused unread, or few are held at once."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from s3memory import _parallel

# Stores large objects among a tenant's, and prints what a command reports and by how many MiB the memory grew.
PROGRAM = """
import os, resource, sys
from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory.errors import S3MemoryError
from support.memory_s3 import InMemoryS3
from support import memory_s3

where, mebibytes, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
client = InMemoryS3().client()
get, listed = client.get_object, client.list_objects_v2
size = mebibytes * 2**20 - 400


class Body:
    def read(self):
        return b"S3M1" + b"\\0\\0\\0\\1" + bytes(size - 8)

    def close(self):
        pass


def large(name):
    return where in name


def get_object(**arguments):
    answer = get(**arguments)
    return {**answer, "ContentLength": size, "Body": Body()} if large(arguments["Key"]) else answer


def list_objects_v2(**arguments):
    answer = listed(**arguments)
    for one in answer.get("Contents", []):
        if large(one["Key"]):
            one["Size"] = size
    return answer


wrapper = LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text())
store = MemoryStore(bucket="bucket", tenant="acme", key_wrapper=wrapper, s3_client=client)
commands = MemoryCommands(store)
for number in range(count):
    commands.call({"command": "create", "path": f"/memories/large/{number}", "file_text": "x"})
client.get_object, client.list_objects_v2 = get_object, list_objects_v2
store.key_ring.forget() if where == "keyrings/" else None
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    commands.call({"command": "rename", "old_path": "/memories/large", "new_path": "/memories/new"})
except S3MemoryError as error:
    print(type(error).__name__, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize(
    ("where", "mebibytes", "count", "error"),
    [
        ("keyrings/", 62, 1, "KeyRingError"),
        ("memories/", 58, 16, "IntegrityError"),
        ("memories/", 30, 16, "IntegrityError"),
        ("memories/", 4, 32, "IntegrityError"),
    ],
    ids=["a key ring", "files larger than any", "files larger than the limit", "many of the largest that are read"],
)
def test_a_function_of_256_mb_survives_large_foreign_objects(
    where: str, mebibytes: int, count: int, error: str
) -> None:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", PROGRAM, where, str(mebibytes), str(count)],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    kind, grown = done.stdout.split()
    assert kind == error
    assert int(grown) < 130


def test_parallel_work_stays_within_the_memory_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_parallel, "MAX_HELD_BYTES", 10)
    lock, held, most = threading.Lock(), [0], [0]

    def work(n_bytes: int) -> None:
        with _parallel.holding(n_bytes):
            with lock:
                held[0] += n_bytes
                most[0] = max(most[0], held[0])
            with lock:
                held[0] -= n_bytes

    with ThreadPoolExecutor(8) as pool:
        for future in [pool.submit(work, n_bytes) for n_bytes in [3, 4, 10, 1, 7] * 40]:
            future.result()
    assert most[0] <= 10
    work(100)  # alone, it may have any size
