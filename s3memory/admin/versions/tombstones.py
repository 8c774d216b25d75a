"""Tombstones: sealed records of versions whose content was destroyed.

They are in a folder of their own, which agents can't reach, and are kept until the tenant is erased. ``docs/format.md``
specifies their format.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from s3memory._parallel import each
from s3memory.admin.long_jobs import job
from s3memory.contract import messages
from s3memory.errors import IntegrityError
from s3memory.format.envelope import REDACTION_PURPOSE
from s3memory.format.object_keys import Folder
from s3memory.format.sealed_document import SealedDocument
from s3memory.paths import MemoryPath
from s3memory.store import documents
from s3memory.store.memory_store import MemoryStore


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A record that a version existed, and that its content was destroyed.

    Attributes:
        path: the path of the file.
        version_id: the version.
        modified: when the version was stored.
        operation: the operation that made it, a value of `history.Operation`.
        actor: who made it, if known.
        redacted_at: when its content was destroyed.
        redacted_by: who destroyed its content, if known.
    """

    path: MemoryPath
    version_id: str
    modified: datetime
    operation: str
    actor: str | None
    redacted_at: datetime
    redacted_by: str | None


@dataclass(frozen=True, slots=True)
class Tombstones:
    """The tombstones of a file.

    Attributes:
        by_version_id: those that open.
        unreadable: object keys of all of the tenant's tombstones that do not open. Their files are unknown.
    """

    by_version_id: dict[str, Tombstone]
    unreadable: tuple[str, ...]


def _parsed(fields: Any) -> Tombstone:
    texts = [fields["version_id"], fields["operation"]]
    texts += [fields[name] for name in ("actor", "redacted_by") if fields[name] is not None]
    modified, redacted_at = map(datetime.fromisoformat, (fields["modified"], fields["redacted_at"]))
    # Times without a zone can't be compared with those that have one.
    if not all(isinstance(text, str) for text in texts) or None in {modified.tzinfo, redacted_at.tzinfo}:
        raise ValueError
    return Tombstone(
        path=MemoryPath.parse(fields["path"]),
        version_id=fields["version_id"],
        modified=modified,
        operation=fields["operation"],
        actor=fields["actor"],
        redacted_at=redacted_at,
        redacted_by=fields["redacted_by"],
    )


KIND = SealedDocument(Folder.REDACTIONS, REDACTION_PURPOSE, _parsed, "A record")


def write_tombstone(store: MemoryStore, tombstone: Tombstone) -> None:
    """Store a tombstone. If the version has one already, that is kept.

    Raises:
        ReadOnlyError: the memory is read-only. BackendError: it was not stored. OutcomeUnknownError: it may be stored.
        UnfinishedError: it is stored, and it is not known whether the tenant was erased meanwhile.
        KeyRingError: the tenant was erased meanwhile.
    """
    store.ensure_writable()
    ring = store.key_ring.existing()
    if ring is None:
        raise messages.not_found(tombstone.path)
    texts = {"modified": tombstone.modified.isoformat(), "redacted_at": tombstone.redacted_at.isoformat()}
    fields = {**asdict(tombstone), "path": str(tombstone.path), **texts}
    object_key = documents.key_of(store, KIND, ring, str(tombstone.path), tombstone.version_id)
    documents.put(store, KIND, ring, object_key, fields)
    with job(f"Recording that version {tombstone.version_id} of {tombstone.path} is redacted"):
        store.key_ring.ensure_not_erased(since=ring)


def tombstones_of(store: MemoryStore, path: MemoryPath) -> Tombstones:
    """Return the tombstones of a file's versions. It reads all tombstones of the tenant, since there are few.

    Raises:
        BackendError: S3 or the key wrapper could not be reached.
    """
    by_version_id: dict[str, Tombstone] = {}
    unreadable: list[str] = []

    def read(object_key: str) -> Tombstone | str | None:
        try:
            found = documents.read(store, KIND, object_key)
        except IntegrityError:
            return object_key
        return None if found is None else found.value

    for found in each(read, documents.object_keys(store, KIND)):
        if isinstance(found, str):
            unreadable.append(found)
        elif found is not None and found.path == path:
            by_version_id[found.version_id] = found
    return Tombstones(by_version_id, tuple(unreadable))
