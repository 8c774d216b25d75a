"""Files that nobody has used for a time: found by when S3 says they were last written or touched, and deleted.

A bucket's lifecycle rule does the same for all tenants at once and for nothing; this is for one tenant, for another
time, and for looking first. See "Expiry" in ``docs/operations.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from s3memory.auditing import audited
from s3memory.objects import Deletion
from s3memory.parallel import each
from s3memory.paths import MemoryPath
from s3memory.progress import NOBODY, Watcher
from s3memory.store import MemoryStore


@dataclass(frozen=True, slots=True)
class UnusedFile:
    """A file, and when it was last written or touched, by S3's clock."""

    path: MemoryPath
    modified: datetime
    size_bytes: int


def unused_files(store: MemoryStore, *, before: datetime) -> list[UnusedFile]:
    """Return the files that were neither written nor touched since a time, by their paths.

    Args:
        store: the tenant's files.
        before: the time, with a time zone.

    Raises:
        IntegrityError: something that is no memory file is stored among them.
        BackendError: S3 or the key wrapper could not be reached.
    """
    files = [UnusedFile(file.path, file.listed.modified, file.size_bytes) for file in store.files_below(MemoryPath())]
    return sorted((file for file in files if file.modified < before), key=lambda file: file.path)


@audited("expire")
def expire(
    store: MemoryStore, files: list[UnusedFile], *, before: datetime, watcher: Watcher = NOBODY
) -> list[UnusedFile]:
    """Delete files that still are unused; each is looked at again right before.

    Args:
        store: the tenant's files.
        files: what `unused_files` found.
        before: as there.
        watcher: is told of each.

    Returns:
        Those that were deleted. Somebody used or deleted the others meanwhile.

    Raises:
        ReadOnlyError: the memory is read-only.
        BackendError: S3 could not be reached; calling it again goes on.
    """
    store.ensure_writable()
    watcher.begins("files", len(files))

    def delete(file: UnusedFile) -> bool:
        info = store.info(file.path)
        # A touch stores the same bytes, and they can have the same ETag: the time tells.
        if info is None or info.modified >= before:
            return False
        return store.delete(file.path, etag=info.etag) is Deletion.DONE

    deleted = each(delete, files, done=watcher.advances)
    return [file for file, is_deleted in zip(files, deleted, strict=True) if is_deleted]
