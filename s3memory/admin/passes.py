"""Listing what agents go on moving: a second pass over what was stored since, and more while anything is gone.

A file that is renamed between a listing and its GET is at neither of its places for who does not look again: at the old
one it is gone, and the new one may lie before what was listed by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Generic, TypeVar

from s3memory.format.object_keys import ListedFile
from s3memory.paths import MemoryPath
from s3memory.progress import NOBODY, Watcher
from s3memory.s3.objects import ListedObject
from s3memory.store.memory_store import MemoryStore

# What clocks may differ by: AWS refuses requests beyond.
_CLOCKS_DIFFER = timedelta(minutes=15)
_MAX_PASSES = 4

T = TypeVar("T")


class Passes(Generic[T]):
    """Passes over all files of a tenant: all of them first, then those alone that are new, or another text.

    Each pass has to be worked on to its end before the next is asked for.

    Args:
        listing: lists everything, again at each call.
        listed_of: what S3 told of one item.

    Attributes:
        is_settled: the last pass met nothing that was gone: each file was looked at, wherever it was moved.
    """

    def __init__(self, listing: Callable[[], Iterator[T]], listed_of: Callable[[T], ListedObject]) -> None:
        self.is_settled = True
        self._listing = listing
        self._listed_of = listed_of
        self._since = datetime.now(UTC) - _CLOCKS_DIFFER
        self._seen: set[tuple[str, str]] = set()

    def __iter__(self) -> Iterator[Iterator[T]]:
        for number in range(_MAX_PASSES):
            self.is_settled = True
            yield self._new(self._listing(), with_older=not number)
            if number and self.is_settled:
                return

    def gone(self) -> None:
        """Tell that a file that was listed is not there any more: deleted, or moved."""
        self.is_settled = False

    def _new(self, items: Iterator[T], *, with_older: bool) -> Iterator[T]:
        for item in items:
            listed = self._listed_of(item)
            if listed.modified < self._since:
                if with_older:
                    yield item
                continue
            # Few enough to be remembered: what was stored since this began, and shortly before.
            identity = (listed.object_key, listed.etag)
            if identity not in self._seen:
                self._seen.add(identity)
                yield item


class FilePasses(Passes[ListedFile]):
    """Passes over a tenant's files alone.

    Args:
        store: whose files.
        watcher: is notified of each page of them.

    Attributes:
        stray: how many objects are not memory files, as the last pass has counted them.
    """

    def __init__(self, store: MemoryStore, watcher: Watcher = NOBODY) -> None:
        super().__init__(self._files, attrgetter("listed"))
        self.stray = 0
        self._store = store
        self._watcher = watcher

    def _files(self) -> Iterator[ListedFile]:
        self.stray = 0
        for page in self._store.pages_below(MemoryPath()):
            self.stray += page.stray
            self._watcher.begins("files", len(page.files))
            yield from page.files
