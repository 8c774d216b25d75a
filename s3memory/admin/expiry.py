"""Finds and deletes files that nobody has used for a while, by the time of their last write or touch in S3.

A lifecycle rule of the bucket does the same for all tenants, at no cost. This module is for a single tenant, for a
different age, and for previewing. See "Quotas, expiry and archiving" in ``docs/operations.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from s3memory import progress
from s3memory._parallel import each
from s3memory.admin.long_jobs import Missed, Patience, job
from s3memory.audit.recording import audited
from s3memory.format.object_keys import ListedFile
from s3memory.paths import MemoryPath
from s3memory.s3.objects import Deletion
from s3memory.store.memory_store import MemoryStore


@dataclass(frozen=True, slots=True)
class Unused:
    """The unused files of a tenant.

    Attributes:
        files: the unused files, sorted by path, with the time of their last write or touch by S3's clock.
        stray: how many objects are not memory files. Whether they are used is unknown.
    """

    files: list[ListedFile]
    stray: int


@audited("expire")
def unused_files(store: MemoryStore, *, before: datetime) -> Unused:
    """Return the files that have been neither written nor touched since a time.

    Args:
        store: the tenant's files.
        before: the time, with a time zone.

    Raises:
        KeyRingError: the tenant's key ring does not open.
        BackendError: S3 or the key wrapper could not be reached.
    """
    files: list[ListedFile] = []
    stray = 0
    for page in store.files.pages_below(MemoryPath()):
        files += [file for file in page.files if file.listed.modified < before]
        stray += page.stray
    return Unused(sorted(files, key=lambda file: file.path), stray)


@audited("expire")
def expire(store: MemoryStore, files: list[ListedFile], *, before: datetime) -> tuple[list[ListedFile], list[Missed]]:
    """Delete the files that are still unused. Each is checked again right before.

    Args:
        store: the tenant's files.
        files: the files that `unused_files` found.
        before: the time that was passed to `unused_files`.

    Returns:
        The deleted files, and those that S3 failed to delete. The others were used or deleted meanwhile.

    Raises:
        ReadOnlyError: the memory is read-only, or the tenant is archived.
        UnfinishedError: S3 did not answer or refused throughout; call it again to continue.
    """
    store.ensure_writable()
    store.key_ring.ensure_not_archived()
    progress.begin("files", len(files))

    patience = Patience(store)

    def delete(file: ListedFile) -> bool:
        return patience.work(file.path, partial(delete_unused, file)) is True

    def delete_unused(file: ListedFile) -> bool:
        info = store.files.info(file.path)
        # A touch stores the same bytes, possibly with the same ETag, so only the time shows it.
        if info is None or info.modified >= before:
            return False
        return store.delete(file.path, etag=info.etag) is Deletion.DONE

    with job(f"The expiry of files of {store.tenant}"):
        deleted = each(delete, files, done=progress.advance)
    return [file for file, is_deleted in zip(files, deleted, strict=True) if is_deleted], patience.missed
