"""Intents: sealed records of directory renames and deletes in progress, so that they can be finished after a crash.

An intent's id is derived from its operation and paths. So the same command, sent again, finds the intent that a crash
left behind, without a listing. An intent holds the ETags of its files: a repair does not touch what was written later.
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
    """An operation on a directory.

    Attributes:
        operation: ``rename`` or ``delete``.
        new_path: the new path of the directory; for a delete, the same as `path`.
    """

    operation: str
    path: MemoryPath
    new_path: MemoryPath

    def __str__(self) -> str:
        return f"rename {self.path} to {self.new_path}" if self.operation == RENAME else f"delete {self.path}"


class StoredIntent(NamedTuple):
    """An intent as it is stored.

    Attributes:
        etags: the ETags of the files that it announces.
        etag: its own ETag.
        is_new: this run recorded it, and there was none before.
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
    """Store an intent before the first change that it announces, or add to the one that already exists.

    Raises:
        NotFoundError: the tenant was erased after the files were listed.
        IntegrityError: the existing intent does not open.
        LimitError: there are more files than one intent can announce; no file was touched.
        BackendError, OutcomeUnknownError: it could not be stored; no file was touched.
    """
    etags = frozenset(etags_now)
    ring = _existing_ring(store, intent)
    stored = StoredIntent(intent, etags, _object_key(store, intent), "")
    for _ in store.retry.attempts():
        found = None
        etag = _put(store, ring, stored)
        if etag is None:
            found = opened(store, stored.object_key)
        if found is not None:  # from a run that crashed or is still going on elsewhere: its files stay announced
            stored = stored._replace(etags=stored.etags | found.etags)
            etag = _put(store, ring, stored, over=found.etag)
        if etag is not None:
            return stored._replace(etag=etag, is_new=found is None)
    raise UnavailableError("The change could not be announced. Nothing was changed. Send it again.")


def find(store: MemoryStore, intent: Intent) -> StoredIntent | None:
    """Return the stored intent for this operation, left by a crash or by a run elsewhere. Raises as `opened`."""
    return opened(store, _object_key(store, intent)) if store.key_ring.existing() is not None else None


def finish(store: MemoryStore, stored: StoredIntent) -> None:
    """Remove an intent that was carried out or undone, unless another run removed it or recorded it again."""
    if _delete(store, stored) is Deletion.CHANGED:
        found = opened(store, stored.object_key)
        # A resealed intent announces the same files; one that another run recorded would announce others.
        if found is not None and found.etags == stored.etags:
            _delete(store, found)


def _delete(store: MemoryStore, stored: StoredIntent) -> Deletion:
    delete = partial(store.objects.deletes.one, stored.object_key, etag=stored.etag)
    return delete_or_gone(delete, partial(store.objects.head, stored.object_key), etag=stored.etag)


def opened(store: MemoryStore, object_key: str) -> StoredIntent | None:
    """Return an intent, or ``None`` if it is gone. Raises as `documents.read`."""
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
