"""Intents: sealed notes of a directory rename or delete under way, from which it can be finished after a crash.

An intent's id is derived from what it is about, so that the same command, sent again, finds the one that a crash left
without looking for it. It lists the ETags of the files that it is about: what was written after the crash is
somebody's later work and not repair's to touch.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from s3memory.errors import ConflictError, IntegrityError, InvalidInputError, NotFoundError, OutcomeUnknownError
from s3memory.format.envelope import INTENT_PURPOSE, Place, derive_id, open_sealed, seal, sealed_generation
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.keys.tenant_keys import refuse_archived
from s3memory.limits import MAX_SEALED_BYTES
from s3memory.paths import MemoryPath
from s3memory.s3.objects import Deletion, StoredObject
from s3memory.store.memory_store import MemoryStore

RENAME = "rename"
DELETE = "delete"


class Intent(NamedTuple):
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


class StoredIntent(NamedTuple):
    """An intent as it is stored.

    Attributes:
        intent: what is to be done.
        etags: the files that it is about.
        object_key: where it is.
        etag: its own ETag.
        is_new: this run has recorded it, and found none.
    """

    intent: Intent
    etags: frozenset[str]
    object_key: str
    etag: str
    is_new: bool = False


def record(store: MemoryStore, intent: Intent, etags_now: Iterable[str]) -> StoredIntent:
    """Store an intent before the first change that it announces is made, or add to the one that is there.

    Raises:
        NotFoundError: the tenant was erased since the files were listed.
        IntegrityError: one is there that does not open.
        BackendError, OutcomeUnknownError: it could not be stored; no file was touched.
    """
    etags = frozenset(etags_now)
    ring = _existing_ring(store, intent)
    stored = StoredIntent(intent, etags, _object_key(store, intent), "")
    for _ in store.retry.tries():
        found = None
        etag = store.bucket.put(stored.object_key, _sealed(store, ring, stored))
        if etag is None:
            found = opened(store, stored.object_key)
        if found is not None:  # of a run that crashed, or goes on elsewhere: what it was about stays announced
            stored = stored._replace(etags=stored.etags | found.etags)
            etag = store.bucket.put(stored.object_key, _sealed(store, ring, stored), over=found.etag)
        if etag is not None:
            return stored._replace(etag=etag, is_new=found is None)
    raise ConflictError("Error: The change could not be announced. Nothing was changed. Send it again.")


def find(store: MemoryStore, intent: Intent) -> StoredIntent | None:
    """Return the intent that a crash, or the same operation elsewhere, has stored.

    Raises:
        IntegrityError: it does not open.
        BackendError: S3 or the key wrapper could not be reached.
    """
    return opened(store, _object_key(store, intent)) if store.keys.existing() is not None else None


def finish(store: MemoryStore, stored: StoredIntent) -> None:
    """Remove an intent that was carried out or undone, unless it was removed, or recorded anew, by somebody else."""
    if _delete(store, stored) is Deletion.CHANGED:
        found = opened(store, stored.object_key)
        # Sealed anew under a newer key, it announces what it announced: somebody else's would announce other files.
        if found is not None and found.etags == stored.etags:
            _delete(store, found)


def _delete(store: MemoryStore, stored: StoredIntent) -> Deletion:
    try:
        return store.bucket.delete(stored.object_key, etag=stored.etag)
    except OutcomeUnknownError:
        # Who removed it does not matter.
        info = store.bucket.head(stored.object_key)
        if info is not None and info.etag == stored.etag:
            raise
        return Deletion.MISSING if info is None else Deletion.CHANGED


def reseal(store: MemoryStore, ring: OpenKeyRing, object_key: str, *, dry_run: bool = False) -> bool:
    """Seal an intent under the newest data key of `ring`. Return whether it had to be.

    Args:
        store: whose intent.
        ring: the tenant's key ring.
        object_key: where the intent is.
        dry_run: write nothing.

    Raises:
        IntegrityError: it does not open. ConflictError: it was changed at every try.
        BackendError, OutcomeUnknownError: S3 or the key wrapper could not be reached.
    """
    for _ in store.retry.tries():
        found = store.bucket.get(object_key, max_bytes=MAX_SEALED_BYTES)
        if found is None:
            return False
        stored = stored_intent(store, ring, object_key, found)
        if sealed_generation(found.body) >= ring.newest.generation:
            return False
        if dry_run:
            return True
        if store.bucket.put(object_key, _sealed(store, ring, stored), over=stored.etag) is not None:
            return True
    raise ConflictError("Error: A change under way was changed at every try. Try again.")


def object_keys(store: MemoryStore) -> list[str]:
    """Return where the tenant's intents are, whoever recorded them."""
    pages = store.bucket.list_pages(store.layout.intents_prefix)
    keys = (listed.object_key for page in pages for listed in page.objects)
    return [object_key for object_key in keys if not object_key.startswith(store.layout.doctor_prefix)]


def opened(store: MemoryStore, object_key: str) -> StoredIntent | None:
    """Return an intent, or ``None`` if it is gone by now.

    Raises:
        IntegrityError: it does not open, or is of a kind that is not known here.
        BackendError: S3 or the key wrapper could not be reached.
    """
    found = store.bucket.get(object_key, max_bytes=MAX_SEALED_BYTES)
    ring = store.keys.existing()
    return None if found is None or ring is None else stored_intent(store, ring, object_key, found)


def stored_intent(store: MemoryStore, ring: OpenKeyRing, object_key: str, found: StoredObject) -> StoredIntent:
    """Return the intent that an object, or a version of one, is.

    Raises:
        IntegrityError: it does not open, or is of a kind that is not known here.
        BackendError: S3 or the key wrapper could not be reached.
    """
    data_key = store.keys.data_key(ring, sealed_generation(found.body))
    plaintext = open_sealed(found.body, data_key=data_key, place=_place(store, object_key))
    try:
        fields = json.loads(plaintext)
        paths = [fields["path"], fields["new_path"]]
        path, new_path = map(MemoryPath.parse, paths)
        etags = frozenset(fields["etags"])
        if (
            fields["operation"] not in {RENAME, DELETE}
            or [str(path), str(new_path)] != paths
            or not all(isinstance(etag, str) for etag in etags)
        ):
            raise ValueError  # noqa: TRY301 - one of the many ways in which it is not as `_sealed` writes it
    except (InvalidInputError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # Sealed by a later version of this package, which knows what it means, or by somebody who has the key.
        raise IntegrityError(
            "Error: A change under way is of a kind that is not known here. This needs an operator."
        ) from None
    return StoredIntent(Intent(fields["operation"], path, new_path), etags, object_key, found.info.etag)


def _sealed(store: MemoryStore, ring: OpenKeyRing, stored: StoredIntent) -> bytes:
    intent = stored.intent
    fields = {
        "operation": intent.operation,
        "path": str(intent.path),
        "new_path": str(intent.new_path),
        "etags": sorted(stored.etags),
    }
    return seal(json.dumps(fields).encode("utf-8"), data_key=ring.newest, place=_place(store, stored.object_key))


def _object_key(store: MemoryStore, intent: Intent) -> str:
    ring = _existing_ring(store, intent)
    # The oldest, so that a rotation in between does not hide what a crash left from the command that can finish it.
    data_key = store.keys.data_key(ring, ring.ring.oldest.generation)
    intent_id = derive_id(
        data_key, INTENT_PURPOSE, store.tenant, intent.operation, str(intent.path), str(intent.new_path)
    )
    return store.layout.intents_prefix + intent_id


def _existing_ring(store: MemoryStore, intent: Intent) -> OpenKeyRing:
    ring = store.keys.existing()
    if ring is None:
        raise NotFoundError(f"Error: The path {intent.path} does not exist")
    refuse_archived(ring)
    return ring


def _place(store: MemoryStore, object_key: str) -> Place:
    return Place(INTENT_PURPOSE, store.tenant, object_key.removeprefix(store.layout.intents_prefix))
