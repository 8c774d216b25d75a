"""Intents: sealed notes of a directory rename or delete under way, from which it can be finished after a crash."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

from s3memory.bucket import Deletion, ListedObject
from s3memory.envelope import INTENT_PURPOSE, Place, open_sealed, seal, sealed_generation
from s3memory.errors import ConflictError, IntegrityError
from s3memory.paths import MemoryPath
from s3memory.store import MemoryStore

RENAME = "rename"
DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Intent:
    """What is to be done with a directory.

    Attributes:
        operation: ``rename`` or ``delete``.
        path: the directory.
        new_path: where it goes; for a delete, the directory itself.
    """

    operation: str
    path: MemoryPath
    new_path: MemoryPath

    def __str__(self) -> str:
        return f"rename {self.path} to {self.new_path}" if self.operation == RENAME else f"delete {self.path}"


@dataclass(frozen=True, slots=True)
class StoredIntent:
    """An intent as it is stored."""

    intent: Intent
    object_key: str
    etag: str


def record(store: MemoryStore, intent: Intent) -> StoredIntent:
    """Store an intent before the first change that it announces is made.

    Raises:
        BackendError, OutcomeUnknownError: it could not be stored; nothing is under way.
    """
    intent_id = uuid.uuid4().hex
    ring = store.keys.existing_or_new()
    fields = {
        "operation": intent.operation,
        "path": str(intent.path),
        "new_path": str(intent.new_path),
    }
    body = seal(json.dumps(fields).encode("utf-8"), data_key=ring.newest, place=_place(store, intent_id))
    object_key = store.intents_prefix + intent_id
    etag = store.bucket.put_new(object_key, body)
    if etag is None:
        raise ConflictError("Error: The change could not be announced. Nothing was changed. Try again.")
    return StoredIntent(intent, object_key, etag)


def finish(store: MemoryStore, stored: StoredIntent) -> None:
    """Remove an intent that was carried out or undone, unless somebody else has removed it already."""
    if store.bucket.delete(stored.object_key, etag=stored.etag) is Deletion.CHANGED:
        raise IntegrityError("Error: A note of a change under way was altered.")


def pending(store: MemoryStore) -> Iterator[StoredIntent]:
    """Yield the tenant's intents, whoever recorded them: those under way now, and those that a crash left.

    Raises:
        IntegrityError: one does not open.
        BackendError: S3 or the key wrapper could not be reached.
    """
    for page in store.bucket.list_pages(store.intents_prefix):
        for listed in page.objects:
            stored = _opened(store, listed)
            if stored is not None:
                yield stored


def _opened(store: MemoryStore, listed: ListedObject) -> StoredIntent | None:
    found = store.bucket.get(listed.object_key)
    ring = store.keys.existing()
    if found is None or ring is None:
        return None
    data_key = store.keys.data_key(ring, sealed_generation(found.body))
    place = _place(store, listed.object_key.removeprefix(store.intents_prefix))
    fields = json.loads(open_sealed(found.body, data_key=data_key, place=place))
    intent = Intent(fields["operation"], MemoryPath.parse(fields["path"]), MemoryPath.parse(fields["new_path"]))
    return StoredIntent(intent, listed.object_key, found.info.etag)


def _place(store: MemoryStore, intent_id: str) -> Place:
    return Place(INTENT_PURPOSE, store.tenant, intent_id)
