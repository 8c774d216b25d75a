"""What an import asks of a tenant that has no key ring yet: not the same once for each file."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from conftest import MakeStore
from support.memory_s3 import InMemoryS3
from support.waiting import Waiting

from s3memory._parallel import MAX_PARALLEL_REQUESTS
from s3memory.admin.transfer.import_sources import Source, SourceFile
from s3memory.admin.transfer.importing import Import, ImportOutcome, plan

RING = "keyrings/acme"


class Files(Source):
    """So many files, and then a Ctrl-C, if there is to be one."""

    def __init__(self, number: int, *, interrupt: threading.Event | None = None) -> None:
        self._number = number
        self._interrupt = interrupt

    def files(self) -> Iterator[SourceFile]:
        for number in range(self._number):
            yield SourceFile(f"notes/{number}.md", b"tea")
        if self._interrupt is not None:
            assert self._interrupt.wait(60)
            raise KeyboardInterrupt


class LookUps:
    """The looks for the key ring. That of the first file goes on once all others that are looked at wait for it."""

    def __init__(self) -> None:
        self.waiting = Waiting(MAX_PARALLEL_REQUESTS - 1)
        self.waiting.is_begun.set()  # whoever waits is counted: the look that is made first is alone
        self.all_wait = threading.Event()
        self.requests: list[tuple[str, str]] = []

    def before(self, operation: str, object_key: str) -> None:
        self.requests.append((operation, object_key))
        if operation == "GetObject" and self.count == 2:  # the first one looks whether the tenant is archived
            self.waiting.until_others_wait()
            self.all_wait.set()

    @property
    def count(self) -> int:
        return self.requests.count(("GetObject", RING))

    def planned(self, make_store: MakeStore, source: Source) -> Import:
        client = InMemoryS3().client(before=self.before)
        return plan(make_store(key_cache=self.waiting.cache, s3_client=client), source)


def test_files_that_are_looked_at_side_by_side_share_two_look_ups_of_a_missing_key_ring(make_store: MakeStore) -> None:
    look_ups = LookUps()
    planned = look_ups.planned(make_store, Files(MAX_PARALLEL_REQUESTS))
    assert planned.count(ImportOutcome.CREATED) == MAX_PARALLEL_REQUESTS
    assert look_ups.count == 3
    assert len(look_ups.requests) == 2 * 3  # a GET and a LIST each, and nothing else


def test_an_interrupt_of_an_import_waits_for_the_look_ups_that_are_under_way_alone(make_store: MakeStore) -> None:
    look_ups, n_waiting = LookUps(), 20
    with pytest.raises(KeyboardInterrupt):
        look_ups.planned(make_store, Files(MAX_PARALLEL_REQUESTS + n_waiting, interrupt=look_ups.all_wait))
    assert look_ups.count <= 3 + n_waiting  # until they are called off, a thread that is through may begin one
