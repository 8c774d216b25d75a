"""Changing a tenant's key ring: rotate, rewrap, archive. Each is one compare and swap of the ring.

Agents go on reading and writing meanwhile, also those that read the ring before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from s3memory._parallel import each
from s3memory.admin.tenants import no_key_ring
from s3memory.audit.recording import as_one_event, audited
from s3memory.errors import (
    ConfigurationError,
    ConflictError,
    IntegrityError,
    KeyRingError,
    OlderKeyRingError,
    RefusedError,
)
from s3memory.format.key_ring import KeyRing
from s3memory.keys.open_key_ring import OpenKeyRing, Rewrapper
from s3memory.s3.versions import ListedVersion
from s3memory.store.memory_store import MemoryStore


@dataclass(frozen=True, slots=True)
class StoredKeyRing:
    """A key ring as it is stored now, and its ETag."""

    opened: OpenKeyRing
    etag: str


def stored_key_ring(store: MemoryStore) -> StoredKeyRing:
    """Return a tenant's key ring as it is stored now, past any cache.

    Raises:
        NotFoundError: the tenant has none. ConfigurationError: encrypted names are required, and it has others.
        KeyRingError: it does not open, or is missing beside files. OlderKeyRingError: an older one was put back.
        BackendError: S3, the key wrapper or the register could not be reached.
    """
    ring, etag = _fetched(store)
    opened = store.key_ring.as_required(store.key_ring.unwrap(ring))
    if not store.key_ring.register.admits(opened):
        if _fetched(store)[1] != etag:  # another process has stored a newer one since
            return stored_key_ring(store)
        store.key_ring.ensure_newest(opened)
    return StoredKeyRing(opened, etag)


def _fetched(store: MemoryStore) -> tuple[KeyRing, str]:
    """Return the ring as it is stored now, not opened, and its ETag."""
    stored = store.key_ring.stored()
    if stored is None:
        store.key_ring.reloaded()  # raises where there are files: then it is missing, and the tenant is not a new one
        raise no_key_ring(store)
    return store.key_ring.parsed(stored), stored.info.etag


@audited("rotate")
def rotate(store: MemoryStore, *, only_from: int | None = None) -> OpenKeyRing:
    """Add a generation, which writes use from then on.

    A process that read the ring before goes on with the older generation until it reads it again (`MemoryStore`'s
    ``key_ttl_seconds``), and opens what others write under the new one.

    IAM actions: ``s3:GetObject`` and ``s3:PutObject`` on the key ring, ``s3:ListBucketVersions`` and
    ``s3:GetObjectVersion`` for its older versions, and those of the key wrapper to make a ring.

    Args:
        store: whose ring.
        only_from: do nothing if another generation than this is the newest: so that a run over many tenants that was
            interrupted can be started again.

    Raises:
        RefusedError: an older key ring was put back, as for `refuse_older_key_ring`.
        LimitError: the ring has no room for another generation.
        ConfigurationError: there is no generation `only_from` yet, or the tenant's names are plain where encrypted ones
            are required.
        NotFoundError: the tenant has no key ring. ReadOnlyError: the memory is read-only.
        ConflictError: other changes of the ring were faster at every try.
        KeyRingError, BackendError, OutcomeUnknownError: as for the store.
    """

    def change(stored: StoredKeyRing) -> OpenKeyRing | None:
        if not is_to_rotate(store, stored, only_from):
            return None
        refuse_older_key_ring(store, stored)
        return stored.opened.rotated()

    return _changed(store, change)[0]


def is_to_rotate(store: MemoryStore, stored: StoredKeyRing, only_from: int | None) -> bool:
    """Whether the newest generation is the one to rotate from; any is if it is `None`.

    Raises:
        ConfigurationError: there is no generation `only_from` yet.
        RefusedError: there was one, and an older key ring was put back, as for `refuse_older_key_ring`.
    """
    newest = stored.opened.newest.generation
    if only_from is not None and only_from > newest:
        refuse_older_key_ring(store, stored)
        raise ConfigurationError(f"there is no generation {only_from}: the newest is {newest}. Nothing was changed.")
    return only_from in {None, newest}


def refuse_older_key_ring(store: MemoryStore, stored: StoredKeyRing) -> None:
    """Refuse to go on from an older key ring that was put back: the number of its next generation was used before.

    It is recognized by an older version that names a higher generation: a LIST, and a GET for each version. In a bucket
    that keeps no versions, it can't be. A version that does not open counts as well. It may be made up, or be under an
    earlier wrapping key, and nothing here can tell which; so the text does not advise to put that one back.

    Args:
        store: whose ring.
        stored: the ring as it is stored now.

    Raises:
        RefusedError: there is such a version. The text says what to do.
        BackendError: S3 did not answer or refused.
    """
    versions = list(store.key_ring.versions())
    if not any(one.is_latest and one.etag == stored.etag for one in versions):
        return  # changed meanwhile: a write on the condition of `stored` fails, and its caller sees that
    older = [one for one in versions if one.is_older]
    newest = stored.opened.newest.generation

    rings = zip(older, each(partial(ring_of, store), older), strict=True)
    higher = [(version, ring) for version, ring in rings if ring is not None and ring.newest.generation > newest]
    if not higher:
        return
    opening = next((one for one in higher if _opens(store, one[1])), None)
    version, ring = opening or higher[0]
    names = (
        f"Version {version.version_id} of the key ring names generation {ring.newest.generation}, and the key "
        f"ring none above {newest}"
    )
    if opening is None:
        raise RefusedError(
            f"{names}. That version does not open with the configured key: it was made up, or an older key ring was "
            "put back and that version is under an earlier wrapping key. Nothing was changed. Put it back if it opens "
            "with such a key; otherwise destroy it."
        )
    raise RefusedError(
        f"{names}: an older one was put back. Nothing was changed. Put that version back; or destroy it, if it is of "
        "an earlier tenant of this name."
    )


def ring_of(store: MemoryStore, version: ListedVersion) -> KeyRing | None:
    """Return a version of the key ring as it is stored, or `None` if it is not a key ring, or gone by now."""
    try:
        found = store.key_ring.stored(version.version_id)
        return None if found is None else store.key_ring.parsed(found)
    except IntegrityError:
        return None


def _opens(store: MemoryStore, ring: KeyRing) -> bool:
    try:
        store.key_ring.unwrap(ring)
    except KeyRingError:
        return False
    return True


@audited("rewrap")
def rewrap(store: MemoryStore, target: Rewrapper, *, dry_run: bool = False) -> bool:
    """Wrap all data keys under another key. What is sealed under them is not touched. Return whether there was need.

    Processes have to be able to unwrap under both keys when this runs: give them `target`'s key as an older one before,
    and take the former away afterwards, once all tenants are moved. A ring that `target` opens needs nothing, also
    where `store`'s wrapper does not open it any more: so a run over many tenants can be started again.

    IAM actions: as for `rotate`; and on the new key ``kms:Encrypt`` and ``kms:Decrypt``.

    Args:
        store: whose ring; its key wrapper unwraps it as it is.
        target: the key to move to.
        dry_run: only say whether there is need.

    Raises:
        ConfigurationError: `target` can't wrap a data key that is there already.
        As `rotate` otherwise.
    """
    if not isinstance(target, Rewrapper):
        raise ConfigurationError("the key wrapper has no method wrap, and can't be moved to")

    def change(stored: StoredKeyRing) -> OpenKeyRing | None:
        return None if _is_wrapped_by(stored.opened.ring, target) else stored.opened.rewrapped(target)

    try:
        if dry_run:
            return not _is_wrapped_by(stored_key_ring(store).opened.ring, target)
        return _changed(store, change)[1]
    except OlderKeyRingError:
        raise
    except KeyRingError:  # an earlier run may have moved it
        if not _is_wrapped_by(_fetched(store)[0], target):
            raise
        return False


def archive(store: MemoryStore, *, archived: bool = True) -> bool:
    """Turn a tenant read-only, or with ``archived=False`` writable again. Return whether it was not so before.

    Agents learn of it when they try to change a file. A process that read the key ring before goes on writing until it
    reads it again (`MemoryStore`'s ``key_ttl_seconds``). Anyone who may write to the bucket can put an older key ring
    back, but can't forge either state. IAM has to keep agents from that.

    IAM actions: ``s3:GetObject`` and ``s3:PutObject`` on the key ring.

    Args:
        store: whose memory.
        archived: false to undo it.

    Raises:
        As `rotate`.
    """

    def change(stored: StoredKeyRing) -> OpenKeyRing | None:
        is_as_asked = stored.opened.ring.archived is archived
        return None if is_as_asked else stored.opened.as_archived(archived=archived)

    # The requests of both are alike, so the event has to name the operation.
    with as_one_event(store, "archive" if archived else "unarchive"):
        return _changed(store, change)[1]


def newest_version(store: MemoryStore) -> ListedVersion:
    """Return the version of the key ring that is current, which says when it was changed (``s3:ListBucketVersions``).

    Raises:
        NotFoundError: there is none. BackendError: S3 did not answer or refused.
    """
    newest = next(store.key_ring.versions(), None)
    if newest is None or newest.is_delete_marker:
        raise no_key_ring(store)
    return newest


def _changed(store: MemoryStore, change: Callable[[StoredKeyRing], OpenKeyRing | None]) -> tuple[OpenKeyRing, bool]:
    """Change the key ring by compare and swap, unless `change` returns ``None``. Return it, and whether it changed."""
    store.ensure_writable()
    for _ in store.retry.tries():
        stored = stored_key_ring(store)
        changed = change(stored)
        if changed is None:
            return stored.opened, False
        if store.key_ring.replace(changed, etag=stored.etag) is not None:
            return changed, True
    raise ConflictError("Other writers changed the key ring first at every try. Nothing was changed.")


def _is_wrapped_by(ring: KeyRing, target: Rewrapper) -> bool:
    if ring.wrapper != target.name:
        return False
    try:
        opened = OpenKeyRing.open(ring, target)
        for key in ring.keys:
            opened.data_key(key.generation)
    except KeyRingError:
        return False
    return True
