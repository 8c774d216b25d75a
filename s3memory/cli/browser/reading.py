"""The browser's own reads of a memory. Each is bounded, and its result says if it was cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from s3memory.admin.search import search
from s3memory.admin.versions.point_in_time import read_text
from s3memory.audit.recording import as_one_event
from s3memory.format.object_keys import ListedPage
from s3memory.paths import MemoryPath
from s3memory.store.matching import MatchedLine, fixed_text
from s3memory.store.memory_store import MemoryStore

MAX_MATCHES = 500
"""A search ends after this many lines."""

MAX_VERSIONS = 200
"""A history shows this many of the newest versions: each is fetched and opened."""


@dataclass(frozen=True, slots=True)
class Found:
    """The lines that match, whether there are more, and the files that do not open."""

    lines: tuple[MatchedLine, ...]
    is_cut: bool
    unreadable: tuple[MemoryPath, ...]


def listing(store: MemoryStore, directory: MemoryPath, token: str | None = None) -> ListedPage:
    """Return one page of a directory, one level deep: at most 1,000 entries, in one request."""
    with as_one_event(store, "ls", directory):
        return store.files.list_page(directory, delimited=True, token=token)


def marked_text(
    store: MemoryStore, path: MemoryPath, version_id: str | None = None
) -> tuple[str, list[tuple[int, int]]]:
    """Return a text, and the spans of its redactions."""
    text = read_text(store, path, version_id=version_id)
    return text, store.texts.placeholders(text)


def found(store: MemoryStore, query: str, *, is_wanted: Callable[[], bool] = lambda: True) -> Found:
    """Return the lines that contain a text, ignoring case. The search ends early once `is_wanted` returns false."""
    lines: list[MatchedLine] = []
    unreadable: list[MemoryPath] = []
    for one in search(store, MemoryPath(), fixed_text(query, ignore_case=True)):
        lines += one.lines
        if one.is_unreadable or one.code is not None:
            unreadable.append(one.path)
        if len(lines) > MAX_MATCHES or not is_wanted():
            break
    return Found(tuple(lines[:MAX_MATCHES]), len(lines) > MAX_MATCHES, tuple(unreadable))
