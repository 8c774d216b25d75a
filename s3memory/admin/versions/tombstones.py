"""Records of versions whose content was destroyed: sealed notes of what the version was, without what it said.

They lie in a folder of their own, which agents can't reach, and are there as long as the tenant is. The format is
that of ``docs/format.md``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from s3memory._parallel import stream
from s3memory.errors import IntegrityError, InvalidInputError, NotFoundError
from s3memory.format.envelope import REDACTION_PURPOSE, Place, derive_id, open_sealed, seal, sealed_generation
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.paths import MemoryPath
from s3memory.s3.objects import StoredObject
from s3memory.store.memory_store import MemoryStore


@dataclass(frozen=True, slots=True)
class Record:
    """That a version was there, and that its content was destroyed.

    Attributes:
        path: the memory path of the file.
        version_id: the version.
        modified: when the version was stored.
        operation: what had made it, as `History` calls it.
        actor: who had made it, if that was noted.
        redacted_at: when its content was destroyed.
        redacted_by: who destroyed it, if that was noted.
    """

    path: MemoryPath
    version_id: str
    modified: datetime
    operation: str
    actor: str | None
    redacted_at: datetime
    redacted_by: str | None


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a file.

    Attributes:
        by_version_id: those that open.
        unreadable: object keys of the tenant's records that do not open. Whose versions they are about is not known.
    """

    by_version_id: dict[str, Record]
    unreadable: tuple[str, ...]


def write_record(store: MemoryStore, record: Record) -> None:
    """Store a record; one of the same version stays as it is.

    Raises:
        ReadOnlyError: the memory is read-only. BackendError, OutcomeUnknownError: it was not stored, or may not be.
    """
    store.ensure_writable()
    ring = store.keys.existing()
    if ring is None:
        raise NotFoundError(f"Error: The path {record.path} does not exist")
    oldest = store.keys.data_key(ring, ring.ring.oldest.generation)
    path = str(record.path)
    record_id = derive_id(oldest, REDACTION_PURPOSE, store.tenant, path, record.version_id)
    fields = {
        "path": path,
        "version_id": record.version_id,
        "modified": record.modified.isoformat(),
        "operation": record.operation,
        "actor": record.actor,
        "redacted_at": record.redacted_at.isoformat(),
        "redacted_by": record.redacted_by,
    }
    object_key = store.layout.redactions_prefix + record_id
    body = seal(json.dumps(fields).encode("utf-8"), data_key=ring.newest, place=_place(store, object_key))
    store.bucket.put(object_key, body)


def record_keys(store: MemoryStore) -> Iterator[str]:
    """Yield where the tenant's records are."""
    for page in store.bucket.list_pages(store.layout.redactions_prefix):
        for listed in page.objects:
            yield listed.object_key


def records(store: MemoryStore, path: MemoryPath) -> Records:
    """Return the records of a file's versions. Looks at all of the tenant's: there are few.

    Raises:
        BackendError: S3 or the key wrapper could not be reached.
    """
    by_version_id: dict[str, Record] = {}
    unreadable: list[str] = []

    def read(object_key: str) -> Record | str | None:
        try:
            return read_record(store, object_key)
        except IntegrityError:
            return object_key

    for found in stream(read, record_keys(store)):
        if isinstance(found, str):
            unreadable.append(found)
        elif found is not None and found.path == path:
            by_version_id[found.version_id] = found
    return Records(by_version_id, tuple(unreadable))


def reseal_record(store: MemoryStore, ring: OpenKeyRing, object_key: str, *, dry_run: bool = False) -> bool:
    """Seal a record under the newest data key of `ring`. Return whether it had to be.

    Args:
        store: whose record.
        ring: the tenant's key ring.
        object_key: where the record is.
        dry_run: write nothing.

    Raises:
        IntegrityError: it does not open, and was left as it is.
        BackendError, OutcomeUnknownError: S3 or the key wrapper could not be reached; do it again.
    """
    found = store.bucket.get(object_key)
    if found is None:
        return False
    data_key = store.keys.data_key(ring, sealed_generation(found.body))
    plaintext = open_sealed(found.body, data_key=data_key, place=_place(store, object_key))
    if data_key.generation >= ring.newest.generation or dry_run:
        return data_key.generation < ring.newest.generation
    body = seal(plaintext, data_key=ring.newest, place=_place(store, object_key))
    # Nobody edits a record: one that is another by now was sealed anew by another run.
    return store.bucket.put(object_key, body, over=found.info.etag) is not None


def read_record(store: MemoryStore, object_key: str) -> Record | None:
    """Return a record, or `None` if it is gone by now.

    Raises:
        IntegrityError: it does not open. BackendError: S3 or the key wrapper could not be reached.
    """
    found = store.bucket.get(object_key)
    ring = store.keys.existing()
    if found is None or ring is None:
        return None
    return record_of(store, ring, object_key, found)


def record_of(store: MemoryStore, ring: OpenKeyRing, object_key: str, found: StoredObject) -> Record:
    """Return the record that an object, or a version of one, is.

    Raises:
        IntegrityError: it does not open, or is of a kind that is not known here.
        BackendError: S3 or the key wrapper could not be reached.
    """
    data_key = store.keys.data_key(ring, sealed_generation(found.body))
    plaintext = open_sealed(found.body, data_key=data_key, place=_place(store, object_key))
    try:
        fields = json.loads(plaintext)
        texts = [fields["version_id"], fields["operation"]]
        texts += [fields[name] for name in ("actor", "redacted_by") if fields[name] is not None]
        modified, redacted_at = map(datetime.fromisoformat, (fields["modified"], fields["redacted_at"]))
        # Times without a zone can't be compared with those that have one.
        if not all(isinstance(text, str) for text in texts) or None in {modified.tzinfo, redacted_at.tzinfo}:
            raise ValueError  # noqa: TRY301 - one of the many ways in which it is not as `write_record` writes it
        return Record(
            path=MemoryPath.parse(fields["path"]),
            version_id=fields["version_id"],
            modified=modified,
            operation=fields["operation"],
            actor=fields["actor"],
            redacted_at=redacted_at,
            redacted_by=fields["redacted_by"],
        )
    except (InvalidInputError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise IntegrityError("Error: A record is of a kind that is not known here. This needs an operator.") from None


def _place(store: MemoryStore, object_key: str) -> Place:
    return Place(REDACTION_PURPOSE, store.tenant, object_key.removeprefix(store.layout.redactions_prefix))
