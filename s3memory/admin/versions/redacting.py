"""Destroying what one older version says, and keeping that it was there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from s3memory.admin.versions.history import FileVersion, Operation, Problem, history
from s3memory.admin.versions.point_in_time import no_version, versions_of
from s3memory.admin.versions.tombstones import Tombstone, write_tombstone
from s3memory.admin.walks import job
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
        same_text: the other versions of this path with the same text, which stay: redact each of them as well. Versions
            at other paths, from before a move, are not looked for. `None` if it is not known: the version was redacted
            before (`FileVersion.redaction`), and its record has no hash.
        unread: the versions of this path, perhaps this one too, that do not open: they may have the same text.
    """

    version: FileVersion
    same_text: tuple[str, ...] | None
    unread: tuple[str, ...] = ()


@audited("redact-version")
def find_redactable(store: MemoryStore, path: MemoryPath, version_id: str) -> Redactable:
    """Return the version that is to be redacted, and what else says the same; also one that was redacted before.

    Raises:
        NotFoundError: there is no such version.
        RefusedError: it is the current one (edit or delete the file first), or no text: a deletion; or the next write
            replaces it.
        ReadOnlyError: the tenant is archived: its tombstone could not be stored.
        BackendError: as `history`; or S3 or the key wrapper did not give this version or another one of the path, so
            that nobody can tell what else says the same.
        InvalidInputError, IntegrityError: as `history`.
    """
    versions = history(store, path).versions
    version = next((one for one in versions if one.version_id == version_id), None)
    if version is None:
        raise no_version(path, version_id)
    if version.redaction is not None:
        return Redactable(version, None)  # that run may have ended before it looked for the same text
    if version.operation == Operation.DELETED:
        raise RefusedError(f"Version {version_id} of {path} is a deletion: there is no text in it")
    if version.is_latest:
        raise RefusedError(
            f"Version {version_id} is what {path} says now. Edit or delete the file first, which makes it an older one."
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
    """Return the versions with the text of one that was redacted that are not among `Redactable.same_text`.

    They were stored meanwhile, as by a `restore` that had read the text before: redact each of them as well.

    Raises:
        UnfinishedError: S3 or the key wrapper could not be reached, or did not give a version.
        ValueError: nobody can tell; see `Redactable`.
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
            f"Version {version.version_id} of {version.path} is redacted, but the memory store did not tell "
            "whether its text was stored again meanwhile: look for it in the file's history."
        ) from error
    return tuple(
        one.version_id
        for one in versions
        if one.sha256 is not None and one.sha256 == version.sha256 and one.version_id not in redactable.same_text
    )


@audited("redact-version")
def redact_version(store: MemoryStore, redactable: Redactable) -> Tombstone:
    """Record that a version was there, then destroy it, for good. A crash in between leaves both; do it again.

    One that was redacted before stays as it is.

    IAM actions: ``s3:PutObject`` in the folder ``redactions/``, ``s3:DeleteObjectVersion`` on the file.

    Args:
        store: the tenant's files.
        redactable: of `find_redactable`.

    Returns:
        The tombstone, sealed by now, or before.

    Raises:
        ReadOnlyError: the memory is read-only.
        RefusedError: the version has become the current one, or the next write replaces it.
        BackendError, OutcomeUnknownError: the tombstone was not stored, or the version not destroyed; do it again.
    """
    store.ensure_writable()
    version = redactable.version
    if version.redaction is not None:
        return version.redaction
    _refuse_replaceable(store, version.version_id)
    listed = next((one for one in versions_of(store, version.path) if one.version_id == version.version_id), None)
    if listed is not None and listed.is_latest:
        raise RefusedError(f"Version {version.version_id} has become what {version.path} says now")
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
    """Raise where S3 or the key wrapper did not give a version: no hash says whether its text is the same."""
    for one in versions:
        if one.problem is Problem.NOT_LOOKED_AT:
            raise BackendError(
                f"Version {one.version_id} of {one.path} can't be read ({one.code}), so it is not known which versions "
                "have the same text"
            )


def _refuse_replaceable(store: MemoryStore, version_id: str) -> None:
    """Refuse a version that a write may replace under its id: what an agent stores meanwhile would be destroyed."""
    if version_id == NULL_VERSION and not store.objects.versions.are_kept():
        raise RefusedError(
            f'The bucket\'s versioning is not enabled, so the next write replaces version "{NULL_VERSION}". Nothing '
            "was changed. Enable versioning first."
        )
