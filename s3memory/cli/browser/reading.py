"""What the browser asks of a memory, through a client that refuses writes. Everything has a bound that it tells of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from s3memory.admin.search import search
from s3memory.admin.versions.comparing import Compared, compare
from s3memory.admin.versions.history import History, history
from s3memory.admin.versions.point_in_time import read_text
from s3memory.audit.recording import as_one_event
from s3memory.paths import MemoryPath
from s3memory.store.matching import MatchedLine, fixed_text
from s3memory.store.memory_store import MemoryStore

MAX_MATCHES = 500
"""A search ends with so many lines."""

MAX_VERSIONS = 200
"""A history shows the newest ones: each is fetched and opened."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or directory as a listing tells of it; `size_bytes` is that of a file."""

    path: MemoryPath
    size_bytes: int | None = None

    @property
    def is_file(self) -> bool:
        """Whether it is a file."""
        return self.size_bytes is not None


@dataclass(frozen=True, slots=True)
class FolderListing:
    """A page of a directory, by name; `token` asks for the next one, and `n_stray` objects are not memory files."""

    entries: tuple[Entry, ...]
    token: str | None
    n_stray: int


@dataclass(frozen=True, slots=True)
class Found:
    """Lines that match, whether there are more, and files that do not open."""

    lines: tuple[MatchedLine, ...]
    is_cut: bool
    unreadable: tuple[MemoryPath, ...]


class Reading:
    """Reads a tenant's memory and never writes.

    Args:
        store: the tenant's files.
    """

    def __init__(self, store: MemoryStore) -> None:
        self._store = store.refusing_writes()

    @property
    def tenant(self) -> str:
        """Whose memory it is."""
        return self._store.tenant

    def listing(self, directory: MemoryPath, token: str | None = None) -> FolderListing:
        """Return one level of a directory, at most 1,000 entries of it: one request."""
        with as_one_event(self._store, "ls", directory):
            page = self._store.list_page(directory, delimited=True, token=token)
        entries = [Entry(file.path, file.size_bytes) for file in page.files] + [Entry(one) for one in page.directories]
        return FolderListing(tuple(sorted(entries, key=lambda entry: entry.path)), page.next_token, page.stray)

    def text(self, path: MemoryPath, version_id: str | None = None) -> tuple[str, list[tuple[int, int]]]:
        """Return a text, and where in it something was redacted."""
        text = read_text(self._store, path, version_id=version_id)
        return text, self._store.texts.placeholders(text)

    def history(self, path: MemoryPath) -> History:
        """Return the newest versions of a file."""
        return history(self._store, path, newest=MAX_VERSIONS)

    def compared(self, path: MemoryPath, version_id: str | None) -> Compared:
        """Return a version, or the current one, beside the one before it."""
        return compare(self._store, path, newer=version_id)

    def found(self, query: str, *, is_wanted: Callable[[], bool] = lambda: True) -> Found:
        """Return the lines in which a text stands, in any case.

        Args:
            query: the text.
            is_wanted: asked at every file; the search ends once it says no.
        """
        lines: list[MatchedLine] = []
        unreadable: list[MemoryPath] = []
        for one in search(self._store, MemoryPath(), fixed_text(query, ignore_case=True)):
            lines += one.lines
            if one.is_unreadable or one.code is not None:
                unreadable.append(one.path)
            if len(lines) > MAX_MATCHES or not is_wanted():
                break
        return Found(tuple(lines[:MAX_MATCHES]), len(lines) > MAX_MATCHES, tuple(unreadable))
