"""Discards junk: objects among a tenant's files, intents and tombstones that no key opens, and that block other work.

An object that opens with an older version of the key ring is not junk. Nor is a file whose generation is in no kept
version of the ring: its key may be in a backup. A bucket with versioning keeps discarded objects as older versions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from s3memory import progress
from s3memory._parallel import each, stream
from s3memory.admin.long_jobs import Missed, Patience, job
from s3memory.admin.tenants import no_key_ring_error
from s3memory.admin.versions import tombstones
from s3memory.audit.recording import audited
from s3memory.errors import IntegrityError, KeyRingError
from s3memory.format.envelope import sealed_generation
from s3memory.format.object_keys import Folder
from s3memory.format.sealed_document import SealedDocument
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.s3.objects import Deletion, ListedObject, StoredObject
from s3memory.store import documents, intents
from s3memory.store.memory_store import MemoryStore


@dataclass(slots=True)
class Unreadable:
    """The objects that do not open.

    Attributes:
        junk: objects that no present or earlier key opens.
        without_key: objects of a generation that no kept version of the key ring has, or that can't be unwrapped. They
            are kept: a ring from a backup may open them.
        rings_unopened: how many older versions of the key ring do not open with this key wrapper. Objects that only
            these rings would open are in the lists above.
        missed: objects that S3 or the key wrapper failed to return, by object key, and why. They are kept.
    """

    junk: list[ListedObject] = field(default_factory=list)
    without_key: list[ListedObject] = field(default_factory=list)
    rings_unopened: int = 0
    missed: list[Missed] = field(default_factory=list)


DOCUMENTS: dict[Folder, SealedDocument[Any]] = {kind.folder: kind for kind in (intents.KIND, tombstones.KIND)}
"""The kinds of sealed documents that a tenant has in addition to its files and its key ring, by folder."""


def open_object(store: MemoryStore, ring: OpenKeyRing, object_key: str, stored: StoredObject) -> None:
    """Open a file, an intent or a tombstone under its own object key.

    Raises:
        IntegrityError: it does not open, or is none of the three. KeyRingError: the ring has no key for it.
        BackendError: an older key had to be unwrapped, and the wrapper could not be reached.
    """
    kind = DOCUMENTS.get(store.objects.folder_of(object_key))
    if kind is not None:
        documents.opened(store, kind, ring, object_key, stored)
    else:
        path = store.objects.path_of(ring, object_key)
        if path is None:
            raise IntegrityError("An object is not one that s3memory stores.")
        store.texts.open(ring, path, stored.body)


@audited("repair")
def find_unreadable(store: MemoryStore) -> Unreadable:
    """Find the objects of a tenant that do not open: one GET per object. Nothing is changed.

    IAM actions: those for reading, and ``s3:ListBucketVersions`` and ``s3:GetObjectVersion`` for the key ring.

    Args:
        store: the tenant's memory.

    Raises:
        NotFoundError: the tenant has no key ring. `erase` removes whatever else it may have.
        KeyRingError: it does not open. BackendError: S3 or the key wrapper could not be reached.
    """
    ring = store.key_ring.reloaded()
    if ring is None:
        raise no_key_ring_error(store)
    found = Unreadable()
    rings = [ring, *_older_rings(store, ring, found)]
    progress.begin(f"{store.tenant}: objects", None)
    patience = Patience(store)

    def sort_out(listed: ListedObject) -> tuple[ListedObject, list[ListedObject] | Missed | None]:
        return listed, patience.work(listed.object_key, partial(_list_for, store, rings, found, listed))

    for listed, objects in stream(sort_out, store.objects.listed(*DOCUMENTS, Folder.MEMORIES)):
        progress.advance()
        if isinstance(objects, list):
            objects.append(listed)
    found.missed = patience.missed
    return found


@audited("repair")
def discard(store: MemoryStore, junk: list[ListedObject]) -> tuple[list[ListedObject], list[Missed]]:
    """Delete the junk that `find_unreadable` found, each object only if it has not changed.

    Returns:
        The objects that were kept because they have changed, and those that S3 failed to delete.

    Raises:
        ReadOnlyError: the memory is read-only, or the tenant is archived.
        UnfinishedError: S3 did not answer or refused throughout; run it again.
    """
    store.ensure_writable()
    store.key_ring.ensure_not_archived()
    patience = Patience(store)

    def delete(listed: ListedObject) -> bool:
        delete_it = partial(store.objects.deletes.one, listed.object_key, etag=listed.etag)
        return patience.work(listed.object_key, delete_it) is Deletion.CHANGED

    with job(f"Discarding what does not open of {store.tenant}"):
        changed = [listed for listed, is_changed in zip(junk, each(delete, junk), strict=True) if is_changed]
    return changed, patience.missed


def _older_rings(store: MemoryStore, ring: OpenKeyRing, found: Unreadable) -> Iterator[OpenKeyRing]:
    known = {ring.ring.to_bytes()}
    for version in store.key_ring.versions():
        if version.is_delete_marker:
            continue
        try:
            stored = store.key_ring.stored(version.version_id)
            if stored is None or stored.body in known:
                continue
            known.add(stored.body)
            yield store.key_ring.unwrap(store.key_ring.parsed(stored))
        except KeyRingError:
            found.rings_unopened += 1


def _list_for(
    store: MemoryStore, rings: list[OpenKeyRing], found: Unreadable, listed: ListedObject
) -> list[ListedObject] | None:
    """Return the list of `found` that an object belongs to; ``None`` if it opens."""
    try:
        stored = store.objects.get(listed.object_key)
        # If it changed after the listing, the operator is not asked about it.
        if stored is None or stored.info.etag != listed.etag:
            return None
        generation = sealed_generation(stored.body)
    except IntegrityError:  # not a sealed object, or larger than any
        return found.junk
    # An intent under an unknown key can't be carried out, whoever made it.
    is_intent = store.objects.folder_of(listed.object_key) is Folder.INTENTS
    objects = found.junk if is_intent else found.without_key
    for ring in rings:
        try:
            open_object(store, ring, listed.object_key, stored)
        except KeyRingError:
            if any(key.generation == generation for key in ring.ring.keys):  # the key exists but can't be unwrapped
                return found.without_key
        except IntegrityError:
            objects = found.junk
        else:
            return None
    return objects
