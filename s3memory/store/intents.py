"""Intents: sealed notes of a directory rename or delete under way, from which it can be finished after a crash.

An intent's id is derived from what it is about. So the same command, sent again, finds the intent that a crash left
without a listing. It lists the ETags of its files: a repair does not touch what somebody wrote after the crash.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

from s3memory.contract import messages
from s3memory.errors import LimitError, UnavailableError
from s3memory.format.envelope import INTENT_PURPOSE
from s3memory.format.object_keys import Folder
from s3memory.format.sealed_document import SealedDocument
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.keys.tenant_keys import refuse_archived
from s3memory.paths import MemoryPath
from s3memory.s3.objects import Deletion
from s3memory.store import documents
from s3memory.store.memory_store import MemoryStore
from s3memory.store.obstacles import delete_or_gone

RENAME = "rename"
DELETE = "delete"


class Intent(NamedTuple):
    """What is to be done with a directory.

    Attributes:
        operation: ``rename`` or ``delete``.
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
        etags: the files that it is about.
        etag: its own.
        is_new: this run has recorded it, and found none.
    """

    intent: Intent
    etags: frozenset[str]
    object_key: str
    etag: str
    is_new: bool = False


def _parsed(fields: Any) -> tuple[Intent, frozenset[str]]:
    paths = [fields["path"], fields["new_path"]]
    path, new_path = map(MemoryPath.parse, paths)
    etags = fields["etags"]
    are_texts = isinstance(etags, list) and all(isinstance(etag, str) for etag in etags)
    if fields["operation"] not in {RENAME, DELETE} or [str(path), str(new_path)] != paths or not are_texts:
        raise ValueError
    return Intent(fields["operation"], path, new_path), frozenset(etags)


KIND = SealedDocument(Folder.INTENTS, INTENT_PURPOSE, _parsed, "A change under way")


def record(store: MemoryStore, intent: Intent, etags_now: Iterable[str]) -> StoredIntent:
    """Store an intent before the first change that it announces, or add to the one that is there.

    Raises:
        NotFoundError: the tenant was erased since the files were listed.
        IntegrityError: one is there that does not open.
        LimitError: it is about more files than can be announced; no file was touched.
        BackendError, OutcomeUnknownError: it could not be stored; no file was touched.
    """
    etags = frozenset(etags_now)
    ring = _existing_ring(store, intent)
    stored = StoredIntent(intent, etags, _object_key(store, intent), "")
    for _ in store.retry.tries():
        found = None
        etag = _put(store, ring, stored)
        if etag is None:
            found = opened(store, stored.object_key)
        if found is not None:  # a run that crashed, or goes on elsewhere, left it: its files stay announced
            stored = stored._replace(etags=stored.etags | found.etags)
            etag = _put(store, ring, stored, over=found.etag)
        if etag is not None:
            return stored._replace(etag=etag, is_new=found is None)
    raise UnavailableError("The change could not be announced. Nothing was changed. Send it again.")


def find(store: MemoryStore, intent: Intent) -> StoredIntent | None:
    """Return the intent that a crash, or the same operation elsewhere, has stored. Raises as `opened`."""
    return opened(store, _object_key(store, intent)) if store.key_ring.existing() is not None else None


def finish(store: MemoryStore, stored: StoredIntent) -> None:
    """Remove an intent that was carried out or undone, unless somebody else removed it or recorded it again."""
    if _delete(store, stored) is Deletion.CHANGED:
        found = opened(store, stored.object_key)
        # A resealed intent announces the same files; one that somebody else recorded would announce others.
        if found is not None and found.etags == stored.etags:
            _delete(store, found)


def _delete(store: MemoryStore, stored: StoredIntent) -> Deletion:
    delete = partial(store.objects.deletes.one, stored.object_key, etag=stored.etag)
    return delete_or_gone(delete, partial(store.objects.head, stored.object_key), etag=stored.etag)


def opened(store: MemoryStore, object_key: str) -> StoredIntent | None:
    """Return an intent, or ``None`` if it is gone by now. Raises as `documents.read`."""
    found = documents.read(store, KIND, object_key)
    return None if found is None else StoredIntent(*found.value, object_key, found.etag)


def _put(store: MemoryStore, ring: OpenKeyRing, stored: StoredIntent, *, over: str | None = None) -> str | None:
    intent = stored.intent
    fields = {
        "operation": intent.operation,
        "path": str(intent.path),
        "new_path": str(intent.new_path),
        "etags": sorted(stored.etags),
    }
    try:
        return documents.put(store, KIND, ring, stored.object_key, fields, over=over)
    except LimitError:
        raise LimitError(
            f"There are too many files in {intent.path} to {intent.operation} them at once. "
            "Nothing was changed. Move or delete its subdirectories first."
        ) from None


def _object_key(store: MemoryStore, intent: Intent) -> str:
    ring = _existing_ring(store, intent)
    return documents.key_of(store, KIND, ring, intent.operation, str(intent.path), str(intent.new_path))


def _existing_ring(store: MemoryStore, intent: Intent) -> OpenKeyRing:
    ring = store.key_ring.existing()
    if ring is None:
        raise messages.not_found(intent.path)
    refuse_archived(ring)
    return ring
