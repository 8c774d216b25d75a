"""Redacts one older version of a file: destroys its content, and keeps a tombstone of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from s3memory.admin.long_jobs import job
from s3memory.admin.versions.history import FileVersion, Operation, Problem, history
from s3memory.admin.versions.point_in_time import no_version_error, versions_of
from s3memory.admin.versions.tombstones import Tombstone, write_tombstone
from s3memory.audit.recording import audited
from s3memory.errors import BackendError, NotFoundError, RefusedError, UnfinishedError
from s3memory.paths import MemoryPath
from s3memory.s3.versions import NULL_VERSION
from s3memory.store.memory_store import MemoryStore


@dataclass(frozen=True, slots=True)
class Redactable:
    """A version that can be redacted.

    Attributes:
        version: the version.
        same_text: the other versions of this path with the same text. They are kept, so redact each of them as well.
            Versions at other paths, from before a move, are not included. `None` if unknown: the version was redacted
            before (`FileVersion.redaction`), and its tombstone has no hash.
        unread: versions of this path that do not open, perhaps including this one: they may have the same text.
    """

    version: FileVersion
    same_text: tuple[str, ...] | None
    unread: tuple[str, ...] = ()


@audited("redact-version")
def find_redactable(store: MemoryStore, path: MemoryPath, version_id: str) -> Redactable:
    """Return the version to be redacted, and the other versions with the same text. It may be redacted already.

    Raises:
        NotFoundError: there is no such version.
        RefusedError: it is the current one (edit or delete the file first), a deletion, which has no text, or a version
            that the next write replaces.
        ReadOnlyError: the tenant is archived, so its tombstone could not be stored.
        BackendError: as `history`; or S3 or the key wrapper failed to return a version of the path, so it is unknown
            which versions have the same text.
        InvalidInputError, IntegrityError: as `history`.
    """
    versions = history(store, path).versions
    version = next((one for one in versions if one.version_id == version_id), None)
    if version is None:
        raise no_version_error(path, version_id)
    if version.redaction is not None:
        return Redactable(version, None)
    if version.operation == Operation.DELETED:
        raise RefusedError(f"Version {version_id} of {path} is a deletion: there is no text in it")
    if version.is_latest:
        raise RefusedError(
            f"Version {version_id} is the current version of {path}. Edit or delete the file first: that makes it an "
            "older one."
        )
    _refuse_replaceable(store, version_id)
    store.key_ring.ensure_not_archived()
    _ensure_all_read(versions)
    same = [
        one.version_id
        for one in versions
        if one.version_id != version_id and one.sha256 is not None and one.sha256 == version.sha256
    ]
    unread = [one.version_id for one in versions if one.problem in {Problem.DOES_NOT_OPEN, Problem.NO_KEY}]
    return Redactable(version, tuple(same), tuple(unread))


@audited("redact-version")
def same_text_since(store: MemoryStore, redactable: Redactable) -> tuple[str, ...]:
    """Return the versions with the text of a redacted version that are not among `Redactable.same_text`.

    They were stored meanwhile, for example by a `restore` that had read the text before: redact each of them as well.

    Raises:
        UnfinishedError: S3 or the key wrapper could not be reached, or failed to return a version.
        ValueError: `Redactable.same_text` is `None`.
    """
    version = redactable.version
    if redactable.same_text is None:
        raise ValueError("a record of a redacted version has no hash")
    try:
        versions = history(store, version.path).versions
        _ensure_all_read(versions)
    except NotFoundError:
        return ()
    except BackendError as error:
        raise UnfinishedError(
            f"Version {version.version_id} of {version.path} is redacted, but the memory store did not say "
            "whether its text was stored again meanwhile: look for it in the file's history."
        ) from error
    return tuple(
        one.version_id
        for one in versions
        if one.sha256 is not None and one.sha256 == version.sha256 and one.version_id not in redactable.same_text
    )


@audited("redact-version")
def redact_version(store: MemoryStore, redactable: Redactable) -> Tombstone:
    """Store a tombstone for a version, then destroy the version, for good. After a crash in between, call it again.

    If the version was redacted before, nothing is changed.

    IAM actions: ``s3:PutObject`` in the folder ``redactions/``, ``s3:DeleteObjectVersion`` on the file.

    Args:
        store: the tenant's files.
        redactable: the result of `find_redactable`.

    Returns:
        The tombstone: a new one, or that of the earlier redaction.

    Raises:
        ReadOnlyError: the memory is read-only.
        RefusedError: the version has become the current one, or the next write replaces it.
        BackendError, OutcomeUnknownError: the tombstone was not stored, or may not be; call it again.
        UnfinishedError: the tombstone was stored, but the version was not destroyed; call it again.
        KeyRingError: the tenant was erased meanwhile.
    """
    store.ensure_writable()
    version = redactable.version
    if version.redaction is not None:
        return version.redaction
    _refuse_replaceable(store, version.version_id)
    listed = next((one for one in versions_of(store, version.path) if one.version_id == version.version_id), None)
    if listed is not None and listed.is_latest:
        raise RefusedError(f"Version {version.version_id} has become the current version of {version.path}")
    tombstone = Tombstone(
        path=version.path,
        version_id=version.version_id,
        modified=version.modified,
        operation=str(version.operation),
        actor=version.actor,
        redacted_at=datetime.now(UTC),
        redacted_by=store.actor,
    )
    write_tombstone(store, tombstone)
    if listed is not None:
        with job(f"Redacting version {version.version_id} of {version.path}"):
            store.objects.versions.destroy([listed])
    return tombstone


def _ensure_all_read(versions: Iterable[FileVersion]) -> None:
    """Raise if S3 or the key wrapper failed to return a version: it is unknown whether its text is the same."""
    for one in versions:
        if one.problem is Problem.NOT_LOOKED_AT:
            raise BackendError(
                f"Version {one.version_id} of {one.path} can't be read ({one.code}), so it is not known which versions "
                "have the same text"
            )


def _refuse_replaceable(store: MemoryStore, version_id: str) -> None:
    """Refuse a version whose id the next write reuses: what an agent stores meanwhile would be destroyed."""
    if version_id == NULL_VERSION and not store.objects.versions.are_kept():
        raise RefusedError(
            f'The bucket\'s versioning is not enabled, so the next write replaces version "{NULL_VERSION}". Nothing '
            "was changed. Enable versioning first."
        )
