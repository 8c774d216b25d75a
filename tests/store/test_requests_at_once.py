"""How many parallel requests one piece of work makes: as many as its transport recommends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from support.fast_transport import IS_FAST
from support.memory_s3 import InMemoryS3

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory._parallel import MAX_PARALLEL_REQUESTS
from s3memory.admin.transfer.exporting import export
from s3memory.admin.verify import verify
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath
from s3memory.store import tree

WORK: dict[str, Callable[[MemoryStore], object]] = {
    "export": lambda store: export(store, lambda _: True),
    "verify": lambda store: verify(store, lambda _: None),
    "search": lambda store: MemoryCommands(store).search("nothing of the kind"),
    "rename": lambda store: tree.rename(store, MemoryPath(("old",)), MemoryPath(("new",))),
}
_OF_THE_TEST = 40


class Gathering:
    """Lets the first reads of files wait for each other, and records how many were in flight at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._barrier = threading.Barrier(1)
        self._left = self._at_once = self.most_at_once = 0

    def begin(self, number: int) -> None:
        self._barrier, self._left, self.most_at_once = threading.Barrier(number), number, 0

    def before(self, operation: str, object_key: str) -> None:
        if operation == "GetObject" and "/old/" in object_key:
            with self._lock:
                self._at_once += 1
                self.most_at_once = max(self.most_at_once, self._at_once)
                waits = self._left > 0
                self._left -= waits
            if waits:
                self._barrier.wait(timeout=60)

    def after(self, operation: str, object_key: str) -> None:
        if operation == "GetObject" and "/old/" in object_key:
            with self._lock:
                self._at_once -= 1


def store_on(client: Any) -> MemoryStore:
    return MemoryStore(
        bucket="bucket",
        tenant="acme",
        key_wrapper=LocalKeyWrapper(bytes(range(32))),
        s3_client=client,
        key_cache=KeyCache(),
        redactor=None,
    )


@pytest.mark.parametrize("work", WORK)
def test_work_on_many_files_makes_as_many_parallel_requests_as_the_transport_recommends(work: str) -> None:
    gathering = Gathering()
    client = InMemoryS3().client(before=gathering.before, after=gathering.after)
    client.meta.requests_at_once = _OF_THE_TEST
    store = store_on(client)
    number = store.objects.requests_at_once
    assert number > MAX_PARALLEL_REQUESTS
    for name in range(number + 10):
        store.create(MemoryPath(("old", f"{name}.md")), "text")
    gathering.begin(number)
    WORK[work](store)
    assert gathering.most_at_once == number


@pytest.mark.skipif(IS_FAST, reason="libcurl says a number")
def test_a_transport_without_a_recommendation_gets_the_usual_number_of_parallel_requests() -> None:
    assert store_on(InMemoryS3().client()).objects.requests_at_once == MAX_PARALLEL_REQUESTS
