"""Find, store, read and reseal a tenant's sealed documents in the bucket, whatever their kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, NamedTuple, TypeVar

from s3memory.errors import ConflictError, LimitError
from s3memory.format.envelope import sealed_generation
from s3memory.format.sealed_document import SealedDocument
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.limits import MAX_SEALED_BYTES
from s3memory.s3.objects import StoredObject
from s3memory.store.memory_store import MemoryStore

T = TypeVar("T")


class StoredDocument(NamedTuple, Generic[T]):
    """A document as it is stored: its parsed content, its object key and its ETag."""

    value: T
    object_key: str
    etag: str


def key_of(store: MemoryStore, kind: SealedDocument[T], ring: OpenKeyRing, *about: str) -> str:
    """Return the object key of the document that is about these texts."""
    oldest = store.key_ring.data_key(ring, ring.ring.oldest.generation)
    return store.objects.layout.folder(kind.folder) + kind.id_of(oldest, store.tenant, *about)


def object_keys(store: MemoryStore, kind: SealedDocument[T]) -> list[str]:
    """Return the object keys of the tenant's documents of a kind."""
    folder = store.objects.layout.folder(kind.folder)
    listed = store.objects.listed(kind.folder)
    # S3's console makes an empty object with the name of a folder.
    return [one.object_key for one in listed if one.size_bytes or one.object_key != folder]


def put(
    store: MemoryStore,
    kind: SealedDocument[T],
    ring: OpenKeyRing,
    object_key: str,
    fields: Mapping[str, object],
    *,
    over: str | None = None,
) -> str | None:
    """Store a document where there is none, or over an ETag; see `Bucket.put`.

    Raises:
        LimitError: it is too large to be read back.
    """
    body = kind.sealed(fields, data_key=ring.newest, tenant=store.tenant, document_id=_id_of(store, kind, object_key))
    if len(body) > MAX_SEALED_BYTES:
        raise LimitError(f"{kind.name} would be larger than {MAX_SEALED_BYTES} bytes, which is the limit.")
    return store.objects.put(object_key, body, over=over)


def read(store: MemoryStore, kind: SealedDocument[T], object_key: str) -> StoredDocument[T] | None:
    """Return a document, or ``None`` if it is gone.

    Raises:
        IntegrityError: it does not open, or is of an unknown kind.
        BackendError: S3 or the key wrapper could not be reached.
    """
    found = store.objects.get(object_key, max_bytes=MAX_SEALED_BYTES)
    ring = store.key_ring.existing()
    if found is None or ring is None:
        return None
    return StoredDocument(opened(store, kind, ring, object_key, found), object_key, found.info.etag)


def opened(store: MemoryStore, kind: SealedDocument[T], ring: OpenKeyRing, object_key: str, found: StoredObject) -> T:
    """Return the parsed content of a document from its stored object, or a version of it. Raises as `read`."""
    data_key = store.key_ring.data_key(ring, sealed_generation(found.body))
    document_id = _id_of(store, kind, object_key)
    return kind.opened(found.body, data_key=data_key, tenant=store.tenant, document_id=document_id)


def reseal(
    store: MemoryStore, kind: SealedDocument[T], ring: OpenKeyRing, object_key: str, *, dry_run: bool = False
) -> bool:
    """Reseal a document under the newest data key of `ring`. Return whether it needed that; a dry run writes nothing.

    Raises:
        IntegrityError: it does not open, and was left as it is. ConflictError: it was changed at every attempt.
        BackendError, OutcomeUnknownError: S3 or the key wrapper could not be reached; call this again.
    """
    for _ in store.retry.attempts():
        found = store.objects.get(object_key, max_bytes=MAX_SEALED_BYTES)
        if found is None:
            return False
        opened(store, kind, ring, object_key, found)
        data_key = store.key_ring.data_key(ring, sealed_generation(found.body))
        if data_key.generation >= ring.newest.generation:
            return False
        if dry_run:
            return True
        document_id = _id_of(store, kind, object_key)
        body = kind.resealed(
            found.body, data_key=data_key, newest=ring.newest, tenant=store.tenant, document_id=document_id
        )
        if store.objects.put(object_key, body, over=found.info.etag) is not None:
            return True
    raise ConflictError(f"{kind.name} was changed at every try. Try again.")


def _id_of(store: MemoryStore, kind: SealedDocument[T], object_key: str) -> str:
    return object_key.removeprefix(store.objects.layout.folder(kind.folder))
