"""Restores older versions, each as a new version of its file. No version is changed or deleted.

Restored texts pass today's redactor and limits, like every write.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial

from s3memory import progress
from s3memory._parallel import stream
from s3memory.admin.long_jobs import Missed, Patience, job
from s3memory.admin.versions.point_in_time import fetch_version, read_version, tree_at, versions_of
from s3memory.audit.recording import audited
from s3memory.contract.views import shown_time
from s3memory.errors import ConflictError, IntegrityError, NotFoundError, RefusedError
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.paths import MemoryPath
from s3memory.redaction import Finding
from s3memory.s3.versions import ListedVersion
from s3memory.store import obstacles
from s3memory.store.files import WrittenFile
from s3memory.store.memory_store import MemoryStore


class RestoreOutcome(StrEnum):
    """The outcome for one file."""

    RESTORED = "restored"
    SAME = "same"
    """The file opens and holds that text already; nothing was written."""
    REFUSED = "refused"
    """The redactor, a limit or an obstacle refused it, or the version does not open; nothing was written."""
    MISSED = "missed"
    """Requests to S3 or the key wrapper failed. It was not written, or may not have been: `reason` says why."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The result for one file.

    Attributes:
        path: the file.
        version_id: the version to restore.
        outcome: the outcome.
        findings: what today's redactor redacted in the text.
        reason: why it was refused or missed.
        was_unreadable: the current version, which is replaced, does not open.
        is_unreadable: the version to restore does not open.
    """

    path: MemoryPath
    version_id: str
    outcome: RestoreOutcome
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    was_unreadable: bool = False
    is_unreadable: bool = False


class _SameTextError(Exception):
    """The file holds the text already."""


@audited("restore")
def restore(store: MemoryStore, path: MemoryPath, version: ListedVersion, *, dry_run: bool = False) -> Restored:
    """Store the text of an older version as the newest one, by compare-and-swap. Create the file if it is gone.

    A current version that does not open is replaced as well, and kept as an older version like any other.

    Args:
        store: the tenant's files; for a dry run, preferably one that refuses writes.
        path: the file.
        version: a version from `version_of` or `tree_at`.
        dry_run: only return what would be done.

    Raises:
        ReadOnlyError: the tenant is archived; or the memory is read-only, and this is not a dry run.
        NotFoundError: the version is not kept any more, or was destroyed meanwhile; the restored copy is destroyed too.
        IntegrityError: it does not open.
        RedactionError, LimitError, AlreadyExistsError: it can't be stored; nothing was written.
        ConflictError, OutcomeUnknownError, BackendError: as for `MemoryStore.edit`.
    """
    if not dry_run:
        store.ensure_writable()
    read_with, stored = fetch_version(store, path, version.version_id)
    text = store.texts.open(read_with, path, stored.body)

    def replaced(current: str) -> str:
        if current == text:
            raise _SameTextError
        return text

    try:
        if dry_run:
            return _forecast(store, path, version, text, read_with)
        was_unreadable = False
        try:
            written = store.edit(path, replaced, read_with=read_with)
        except NotFoundError:
            written = store.create(path, text, read_with=read_with, checks_first=True)
        except IntegrityError:  # it is about the current version: the older one and the key ring have opened
            was_unreadable = True
            written = _put_over_unreadable(store, path, text, read_with)
        with job(f"Restoring {path}"):
            _destroy_if_redacted(store, path, version, written.etag)
    except _SameTextError:
        return Restored(path, version.version_id, RestoreOutcome.SAME)
    return Restored(path, version.version_id, RestoreOutcome.RESTORED, written.findings, was_unreadable=was_unreadable)


@audited("restore")
def restore_tree(
    store: MemoryStore, path: MemoryPath, moment: datetime, *, dry_run: bool = False
) -> Iterator[Restored]:
    """Restore every file at and below a path as of a moment, in parallel, and yield the result for each.

    Files that were created since are kept. If one file can't be restored, the others still are. It costs a LIST per
    1,000 versions, a GET for each file, and another GET and a PUT for each that was changed since.

    Args:
        store: the tenant's files; for a dry run, preferably one that refuses writes.
        path: a directory or a file.
        moment: a time with a time zone.
        dry_run: only yield what would be done.

    Raises:
        ReadOnlyError: the memory is read-only, and this is not a dry run.
        UnfinishedError: S3 or the key wrapper could not be reached, or refused. What was restored before stays, and it
            is safe to call it again. In a dry run, a BackendError instead.
    """
    if not dry_run:
        store.ensure_writable()
    progress.begin(f"{path} as of {shown_time(moment)}", None)
    with nullcontext() if dry_run else job(f"Restoring {path}"):
        restore_one = partial(_restored, store, Patience(store), dry_run=dry_run)
        for restored in stream(restore_one, tree_at(store, path, moment)):
            progress.advance()
            yield restored


def _restored(
    store: MemoryStore, patience: Patience, file: tuple[MemoryPath, ListedVersion], *, dry_run: bool
) -> Restored:
    path, version = file

    def restored() -> Restored:
        if version.is_latest:
            read_version(store, path, version.version_id)  # a version that does not open must not count as the same
            return Restored(path, version.version_id, RestoreOutcome.SAME)
        return restore(store, path, version, dry_run=dry_run)

    try:
        one = patience.work(path, restored)
    except (RefusedError, ConflictError, IntegrityError) as error:
        reason, is_unreadable = str(error), isinstance(error, IntegrityError)
        return Restored(path, version.version_id, RestoreOutcome.REFUSED, reason=reason, is_unreadable=is_unreadable)
    return Restored(path, version.version_id, RestoreOutcome.MISSED, reason=one.why) if isinstance(one, Missed) else one


def _put_over_unreadable(store: MemoryStore, path: MemoryPath, text: str, read_with: OpenKeyRing) -> WrittenFile:
    info = store.files.info(path)
    written = None
    if info is not None:
        try:  # someone may have replaced the file by one that opens
            store.read(path)
        except IntegrityError:
            written = store.replace(path, text, etag=info.etag, read_with=read_with)
    if written is None:
        raise ConflictError(f"Another writer changed {path} meanwhile. Nothing was changed. Run it again.")
    return written


def _destroy_if_redacted(store: MemoryStore, path: MemoryPath, version: ListedVersion, etag: str) -> None:
    """Destroy the copy that was just restored, if its source version was redacted after it was read.

    If the source is destroyed only later, `same_text_since` reports the copy to the operator who redacts.
    """
    ring = store.key_ring.existing()
    object_key = None if ring is None else store.objects.key_of(ring, path)
    if object_key is not None and store.objects.get(object_key, version_id=version.version_id, first_bytes=1) is None:
        store.objects.versions.destroy([one for one in versions_of(store, path) if one.etag == etag])
        raise NotFoundError(
            f"Version {version.version_id} of {path} was destroyed while it was being restored. "
            "The file is as it was before."
        )


def _forecast(
    store: MemoryStore, path: MemoryPath, version: ListedVersion, text: str, read_with: OpenKeyRing
) -> Restored:
    current, is_unreadable = None, False
    try:
        current = store.read(path)
    except IntegrityError:
        is_unreadable = True
    if current is not None and current.text == text:
        raise _SameTextError
    store.key_ring.ensure_not_archived()
    store.texts.refuse_sensitive_path(path)
    redaction = store.texts.redact(text, path)
    if current is None and not is_unreadable:
        obstacle = obstacles.find_and_check_quotas(store, path, size_bytes=len(redaction.text.encode("utf-8")))
        if obstacle is not None:
            raise RefusedError(f"{obstacle} is in the way")
    else:
        present = None if current is None else current.text
        store.quotas.ensure_room_for_growth(store.objects.key_of(read_with, path), present, redaction.text)
    return Restored(path, version.version_id, RestoreOutcome.RESTORED, redaction.findings, was_unreadable=is_unreadable)
