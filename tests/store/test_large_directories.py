"""Directories with thousands of files are renamed and deleted completely: page by page, in bounded memory."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from support.faults import Killed
from support.flavours import files_of, make_ring, put_file
from support.memory_s3 import InMemoryS3

from s3memory import LocalKeyWrapper, MemoryStore
from s3memory.keys.key_cache import KeyCache
from s3memory.limits import LIST_PAGE_KEYS
from s3memory.paths import ROOT, MemoryPath
from s3memory.store import tree
from s3memory.store.intents import Intent

pytestmark = pytest.mark.long

N_FILES = 2_500
PAGES = -(-N_FILES // LIST_PAGE_KEYS)
TEXT_BYTES = 8_192
# What a command may hold for each file of a directory, whatever the file's size.
MOST_BYTES_A_FILE = 6_144

BUCKET = "bucket"
OLD, NEW = MemoryPath(("old",)), MemoryPath(("new",))
BYSTANDER = f"{ROOT}/older"

_wrapper = LocalKeyWrapper(bytes(range(32)))


class Watch:
    """Counts a client's requests as they start and finish, and ends its process at one of them.

    Args:
        dies_at: an operation, and the number of its first request that is not sent; no request follows it.
        gathers: how many of the first reads of files wait for each other.
    """

    def __init__(self, *, dies_at: tuple[str, int] | None = None, gathers: int = 0) -> None:
        self.counts: Counter[str] = Counter()
        self.most_at_once = 0
        self._dies_at = dies_at
        self._is_dead = False
        self._at_once = 0
        self._lock = threading.Lock()
        self._to_gather = gathers
        self._gathering = threading.Barrier(max(gathers, 1))

    def before(self, operation: str, object_key: str) -> None:
        with self._lock:
            self.counts[operation] += 1
            self._is_dead |= self._dies_at == (operation, self.counts[operation])
            if self._is_dead:
                raise Killed
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            waits = self._to_gather > 0 and operation == "GetObject" and "/old/" in object_key
            self._to_gather -= waits
        if waits:
            self._gathering.wait(timeout=60)

    def after(self, _operation: str, _object_key: str) -> None:
        with self._lock:
            self._at_once -= 1


def path_of(number: int, directory: MemoryPath) -> str:
    return f"{directory}/{number % 50}/{number}"


def text_of(number: int, padding: str = "") -> str:
    return f"text {number}\n{padding}"


def files_in(directory: MemoryPath) -> dict[str, str]:
    return {path_of(number, directory): text_of(number) for number in range(N_FILES)}


def store_on(server: InMemoryS3, watch: Watch | None = None) -> MemoryStore:
    """Return the store of a process that has the tenant's key ring cached and knows what the server supports."""
    cache = KeyCache()

    def made(client: Any) -> MemoryStore:
        return MemoryStore(
            bucket=BUCKET, tenant="acme", key_wrapper=_wrapper, s3_client=client, key_cache=cache, redactor=None
        )

    known = made(server.client())
    known.key_ring.existing()
    assert known.objects.deletes.reports_missing_by_key(beside="")
    return made(server.client(before=watch.before, after=watch.after) if watch is not None else server.client())


def filled(padding: str = "") -> InMemoryS3:
    server = InMemoryS3()
    store = store_on(server)
    make_ring(store, "plain")
    for number in range(N_FILES):
        put_file(store, path_of(number, OLD), text_of(number, padding))
    put_file(store, BYSTANDER, "untouched")
    return server


@pytest.fixture(scope="module")
def _filled() -> InMemoryS3:
    return filled()


@pytest.fixture
def server(_filled: InMemoryS3) -> InMemoryS3:
    """A server with a directory of thousands of files, which the test may change."""
    return _filled.copy()


def pending(server: InMemoryS3) -> list[Intent]:
    return [stored.intent for stored in tree.pending(store_on(server))]


def rename(store: MemoryStore) -> None:
    tree.rename(store, OLD, NEW)


def delete(store: MemoryStore) -> None:
    tree.delete(store, OLD)


@pytest.fixture(scope="module")
def renamed(_filled: InMemoryS3) -> tuple[InMemoryS3, Watch]:
    """A server on which the large directory was renamed, and the watch that counted."""
    server = _filled.copy()
    watch = Watch(gathers=store_on(server).objects.requests_at_once)
    rename(store_on(server, watch))
    return server, watch


def test_a_rename_of_a_large_directory_moves_all_files(renamed: tuple[InMemoryS3, Watch]) -> None:
    server, _ = renamed
    assert files_of(store_on(server)) == {**files_in(NEW), BYSTANDER: "untouched"}
    assert pending(server) == []


def test_a_rename_lists_and_deletes_a_thousand_files_per_request_and_reads_and_writes_each(
    renamed: tuple[InMemoryS3, Watch],
) -> None:
    _, watch = renamed
    # In addition, it checks source and destination, stores and removes its intent, and lists the copies.
    assert watch.counts == {
        "ListObjectsV2": 1 + 2 * PAGES,
        "HeadObject": 1,
        "GetObject": 1 + N_FILES,
        "PutObject": 1 + N_FILES,
        "DeleteObjects": PAGES,
        "DeleteObject": 1,
    }


def test_a_rename_makes_the_allowed_number_of_parallel_requests_and_never_more(
    renamed: tuple[InMemoryS3, Watch],
) -> None:
    server, watch = renamed
    assert watch.most_at_once == store_on(server).objects.requests_at_once


def test_a_delete_of_a_large_directory_removes_all_files_a_thousand_per_request(server: InMemoryS3) -> None:
    watch = Watch()
    delete(store_on(server, watch))
    assert files_of(store_on(server)) == {BYSTANDER: "untouched"}
    assert pending(server) == []
    assert watch.counts == {
        "ListObjectsV2": PAGES,
        "PutObject": 1,
        "DeleteObjects": PAGES,
        "DeleteObject": 2,
    }


def test_a_rename_holds_a_bounded_amount_of_memory_per_file_and_no_texts() -> None:
    server = filled("x" * TEXT_BYTES)
    store = store_on(server)
    stored_bytes = sum(map(len, server.objects[BUCKET].values()))
    assert peak_bytes(lambda: rename(store)) - stored_bytes < N_FILES * MOST_BYTES_A_FILE


def test_a_delete_holds_a_bounded_amount_of_memory_per_file(server: InMemoryS3) -> None:
    store = store_on(server)
    assert peak_bytes(lambda: delete(store)) < N_FILES * MOST_BYTES_A_FILE


def peak_bytes(act: Callable[[], None]) -> int:
    """Return the peak of additional memory in use, including what the in-memory server stores."""
    gc.freeze()  # do not collect what other tests left
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        act()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak - before


@pytest.mark.parametrize(
    ("dies_at", "finish"),
    [
        pytest.param(("PutObject", N_FILES // 2), rename, id="while copying, again"),
        pytest.param(("DeleteObjects", 2), tree.repair, id="while deleting, repair"),
    ],
)
def test_a_crash_in_the_middle_of_a_large_rename_loses_nothing_and_can_be_finished(
    server: InMemoryS3, dies_at: tuple[str, int], finish: Callable[[MemoryStore], object]
) -> None:
    with pytest.raises(Killed):
        rename(store_on(server, Watch(dies_at=dies_at)))
    left = files_of(store_on(server))
    whole = OLD if dies_at[0] == "PutObject" else NEW
    assert files_in(whole).items() < left.items() < {**files_in(OLD), **files_in(NEW), BYSTANDER: "untouched"}.items()
    assert pending(server) == [Intent("rename", OLD, NEW)]

    finish(store_on(server))
    assert files_of(store_on(server)) == {**files_in(NEW), BYSTANDER: "untouched"}
    assert pending(server) == []


@pytest.mark.parametrize("finish", [delete, tree.repair], ids=["again", "repair"])
def test_a_crash_in_the_middle_of_a_large_delete_can_be_finished(
    server: InMemoryS3, finish: Callable[[MemoryStore], object]
) -> None:
    with pytest.raises(Killed):
        delete(store_on(server, Watch(dies_at=("DeleteObjects", 2))))
    left = files_of(store_on(server))
    assert len(left) == N_FILES - LIST_PAGE_KEYS + 1
    assert left.items() < {**files_in(OLD), BYSTANDER: "untouched"}.items()
    assert pending(server) == [Intent("delete", OLD, OLD)]

    finish(store_on(server))
    assert files_of(store_on(server)) == {BYSTANDER: "untouched"}
    assert pending(server) == []
