"""Exporting a tenant: every file that opens, one after another, and the paths of those that do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter

from s3memory import progress
from s3memory._parallel import stream
from s3memory.admin.long_jobs import FilePasses, Missed, Patience
from s3memory.audit.recording import audited
from s3memory.errors import IntegrityError
from s3memory.format.object_keys import ListedFile
from s3memory.paths import MemoryPath
from s3memory.store.files import MemoryFile
from s3memory.store.memory_store import MemoryStore


@dataclass(slots=True)
class Export:
    """What was exported.

    Attributes:
        files: how many files.
        text_bytes: their size.
        unreadable: files that do not open.
        refused: files that the format can't hold.
        missed: files that S3 or the key wrapper failed to deliver, and why.
        stray: how many objects are not memory files.
        is_settled: every file was read, even if agents moved it. False if they kept moving files in every pass.
    """

    files: int = 0
    text_bytes: int = 0
    unreadable: list[MemoryPath] = field(default_factory=list)
    refused: list[MemoryPath] = field(default_factory=list)
    missed: list[Missed] = field(default_factory=list)
    stray: int = 0
    is_settled: bool = True

    @property
    def is_complete(self) -> bool:
        """Whether the export holds everything of the tenant, as far as is known."""
        return self.is_settled and not (self.unreadable or self.refused or self.missed or self.stray)


@audited("export")
def export(store: MemoryStore, write: Callable[[MemoryFile], bool]) -> Export:
    """Read every file of a tenant, one GET each, and pass it to `write`. What agents write meanwhile may be included.

    A file that is renamed meanwhile is exported under its new path, its old one, or both; it is never missing.

    Args:
        store: the tenant's memory.
        write: called with each file, in the order of the listing. Returns false if the format can't hold the file.

    Raises:
        KeyRingError, BackendError: as for the store.
    """
    result = Export()
    seen: set[MemoryPath] = set()  # each path is exported once, even if its text has changed by the next pass
    passes, patience = FilePasses(store, reports_pages=True), Patience(store)
    for files in passes:
        new = (listed for listed in files if listed.path not in seen)
        at_once, size_bytes = store.objects.requests_at_once, attrgetter("listed.size_bytes")
        for path, file in stream(partial(_read, store, patience), new, at_once=at_once, size_bytes=size_bytes):
            progress.advance()
            if file is None:
                passes.note_gone()
                continue
            if isinstance(file, Missed):
                continue
            seen.add(path)
            if isinstance(file, IntegrityError):
                result.unreadable.append(path)
            elif write(file):
                result.files += 1
                result.text_bytes += len(file.text.encode("utf-8"))
            else:
                result.refused.append(path)
    result.stray, result.missed, result.is_settled = passes.stray, patience.missed, passes.is_settled
    return result


def _read(
    store: MemoryStore, patience: Patience, listed: ListedFile
) -> tuple[MemoryPath, MemoryFile | IntegrityError | Missed | None]:
    """Return the path with its file, the error if that does not open, or `None` if it was deleted since the listing."""
    try:
        return listed.path, patience.work(listed.path, partial(store.read, listed.path))
    except IntegrityError as error:
        return listed.path, error
