"""Exporting a tenant: every file that opens, one after the other, and the names of those that do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from s3memory.auditing import audited
from s3memory.errors import IntegrityError
from s3memory.layout import ListedFile
from s3memory.parallel import stream
from s3memory.paths import MemoryPath
from s3memory.progress import NOBODY, Watcher
from s3memory.reading import MemoryFile
from s3memory.store import MemoryStore


@dataclass(slots=True)
class Export:
    """What was exported.

    Attributes:
        files: how many files.
        text_bytes: their size.
        unreadable: files that do not open.
        refused: files that the format can't hold.
        stray: how many objects are no memory files.
    """

    files: int = 0
    text_bytes: int = 0
    unreadable: list[MemoryPath] = field(default_factory=list)
    refused: list[MemoryPath] = field(default_factory=list)
    stray: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether everything of the tenant is in it."""
        return not (self.unreadable or self.refused or self.stray)


@audited("export")
def export(store: MemoryStore, write: Callable[[MemoryFile], bool], *, watcher: Watcher = NOBODY) -> Export:
    """Read every file of a tenant and hand it on: a GET each. What agents write meanwhile may be in it.

    Args:
        store: whose files.
        write: takes a file, in the order of the listing; returns whether it could.
        watcher: is told of each page of files.

    Raises:
        KeyRingError, BackendError: as for the store.
    """
    result = Export()
    for path, file in stream(lambda listed: _read(store, listed), _listed(store, result, watcher)):
        watcher.advances()
        if file is None:
            result.unreadable.append(path)
        elif not isinstance(file, MemoryFile):
            continue
        elif write(file):
            result.files += 1
            result.text_bytes += len(file.text.encode("utf-8"))
        else:
            result.refused.append(path)
    return result


def _listed(store: MemoryStore, result: Export, watcher: Watcher) -> Iterator[ListedFile]:
    for page in store.pages_below(MemoryPath()):
        result.stray += page.stray
        watcher.begins("files", len(page.files))
        yield from page.files


def _read(store: MemoryStore, listed: ListedFile) -> tuple[MemoryPath, MemoryFile | str | None]:
    """Return a file, ``None`` if it does not open, or a word if it was deleted since it was listed."""
    try:
        return listed.path, store.read(listed.path) or "deleted"
    except IntegrityError:
        return listed.path, None
