"""Changes a tenant's key ring: rotate, rewrap, archive. Each is one compare-and-swap of the ring.

Agents can continue to read and write meanwhile, even if they have cached the earlier ring.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from s3memory._parallel import each
from s3memory.admin.tenants import no_key_ring_error
from s3memory.audit.recording import as_one_event, audited
from s3memory.errors import (
    BackendError,
    ConfigurationError,
    ConflictError,
    IntegrityError,
    KeyRingError,
    OlderKeyRingError,
    RefusedError,
    UnfinishedError,
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
        NotFoundError: the tenant has none. ConfigurationError: encrypted names are required, and it has plain names.
        KeyRingError: it does not open, or is missing although there are files.
        OlderKeyRingError: an older ring was put back.
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
    """Return the ring as it is stored now, unopened, and its ETag."""
    stored = store.key_ring.stored()
    if stored is None:
        store.key_ring.reloaded()  # if there are files, this raises: the ring is missing, and the tenant is not new
        raise no_key_ring_error(store)
    return store.key_ring.parsed(stored), stored.info.etag


@audited("rotate")
def rotate(store: MemoryStore, *, only_from: int | None = None) -> OpenKeyRing:
    """Add a generation to the key ring. Writes use it from then on.

    A process with a cached ring keeps writing under the older generation until it reads the ring again (`MemoryStore`'s
    ``key_ttl_seconds``). It can already open what others write under the new one.

    IAM actions: ``s3:GetObject`` and ``s3:PutObject`` on the key ring, ``s3:ListBucketVersions`` and
    ``s3:GetObjectVersion`` for its older versions, and those of the key wrapper to make a ring.

    Args:
        store: the tenant's memory.
        only_from: rotate only if this is the newest generation. So you can repeat an interrupted run over many tenants.

    Raises:
        RefusedError: an older key ring was put back, as for `refuse_older_key_ring`.
        LimitError: the ring has no room for another generation.
        ConfigurationError: there is no generation `only_from` yet, or encrypted names are required and the tenant has
            plain names.
        NotFoundError: the tenant has no key ring. ReadOnlyError: the memory is read-only.
        ConflictError: other writers changed the ring first at every attempt.
        UnfinishedError: the generation was added, but the register of key rings could not record it.
        KeyRingError, BackendError, OutcomeUnknownError: as for the store.
    """

    def change(stored: StoredKeyRing) -> OpenKeyRing | None:
        if not needs_rotation(store, stored, only_from):
            return None
        refuse_older_key_ring(store, stored)
        return stored.opened.rotated()

    ring, is_changed = _changed(store, change)
    if is_changed:
        _record(store, ring)
    return ring


def _record(store: MemoryStore, ring: OpenKeyRing) -> None:
    newest = ring.newest.generation
    try:
        store.key_ring.register.admits(ring)  # or another process has rotated again by now, and recorded that
    except BackendError as error:
        raise UnfinishedError(
            f"The key was added: the newest generation is {newest}. The register of key rings could not record it: an "
            "older key ring is not noticed until a reader that may write has recorded it. "
            f"`s3memory keys rotate --only-from {newest - 1}` records it, and adds no other key."
        ) from error


def needs_rotation(store: MemoryStore, stored: StoredKeyRing, only_from: int | None) -> bool:
    """Return whether the newest generation is `only_from`; always true if that is `None`.

    Raises:
        ConfigurationError: there is no generation `only_from` yet.
        RefusedError: there was one, but an older key ring was put back, as for `refuse_older_key_ring`.
    """
    newest = stored.opened.newest.generation
    if only_from is not None and only_from > newest:
        refuse_older_key_ring(store, stored)
        raise ConfigurationError(f"there is no generation {only_from}: the newest is {newest}. Nothing was changed.")
    return only_from in {None, newest}


def refuse_older_key_ring(store: MemoryStore, stored: StoredKeyRing) -> None:
    """Refuse to rotate an older key ring that was put back: the number of its next generation was used before.

    Such a ring has an older version that names a higher generation: a LIST, and a GET for each version. In a bucket
    that keeps no versions, it can't be detected. A version that does not open counts as well. It may be made up, or be
    under an earlier wrapping key, and nothing here can tell which. So the error does not simply advise putting it back.

    Raises:
        RefusedError: there is such a version. The text says what to do.
        BackendError: S3 did not answer or refused.
    """
    versions = list(store.key_ring.versions())
    if not any(one.is_latest and one.etag == stored.etag for one in versions):
        return  # the ring was changed meanwhile, so the caller's conditional write will fail
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
    """Return a version of the key ring, unopened, or `None` if it is not a key ring or no longer exists."""
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
    """Wrap all data keys under another key. Sealed objects are not touched. Return whether the ring had to be changed.

    All processes must be able to unwrap with both keys while this runs: add `target`'s key to their decryption keys
    before, and remove the old key once all tenants are moved. A ring that `target` already opens is left alone, even if
    `store`'s wrapper no longer opens it. So you can repeat an interrupted run over many tenants.

    IAM actions: as for `rotate`; and on the new key ``kms:Encrypt`` and ``kms:Decrypt``.

    Args:
        store: the tenant's memory; its key wrapper unwraps the present ring.
        target: wraps the data keys under the new key.
        dry_run: only return whether the ring has to be changed.

    Raises:
        ConfigurationError: `target` can't wrap an existing data key.
        As `rotate` otherwise.
    """
    if not isinstance(target, Rewrapper):
        raise ConfigurationError("the key wrapper has no method wrap, so key rings can't be moved to it")

    def change(stored: StoredKeyRing) -> OpenKeyRing | None:
        return None if _is_wrapped_by(stored.opened.ring, target) else stored.opened.rewrapped(target)

    try:
        if dry_run:
            return not _is_wrapped_by(stored_key_ring(store).opened.ring, target)
        return _changed(store, change)[1]
    except OlderKeyRingError:
        raise
    except KeyRingError:  # an earlier run may have rewrapped it
        if not _is_wrapped_by(_fetched(store)[0], target):
            raise
        return False


def archive(store: MemoryStore, *, archived: bool = True) -> bool:
    """Make a tenant read-only, or with ``archived=False`` writable again. Return whether that changed anything.

    Agents get an error when they try to change a file. A process with a cached key ring can still write until it reads
    the ring again (`MemoryStore`'s ``key_ttl_seconds``). Anyone who can write to the bucket can put an older key ring
    back, but can't forge either state. IAM has to keep agents from doing so.

    IAM actions: ``s3:GetObject`` and ``s3:PutObject`` on the key ring.

    Args:
        store: the tenant's memory.
        archived: false to make it writable again.

    Raises:
        As `rotate`.
    """

    def change(stored: StoredKeyRing) -> OpenKeyRing | None:
        is_as_asked = stored.opened.ring.archived is archived
        return None if is_as_asked else stored.opened.as_archived(archived=archived)

    # Both send the same requests, so the audit event has to name the operation.
    with as_one_event(store, "archive" if archived else "unarchive"):
        return _changed(store, change)[1]


def newest_version(store: MemoryStore) -> ListedVersion:
    """Return the current version of the key ring, with the time of its last change (``s3:ListBucketVersions``).

    Raises:
        NotFoundError: there is none. BackendError: S3 did not answer or refused.
    """
    newest = next(store.key_ring.versions(), None)
    if newest is None or newest.is_delete_marker:
        raise no_key_ring_error(store)
    return newest


def _changed(store: MemoryStore, change: Callable[[StoredKeyRing], OpenKeyRing | None]) -> tuple[OpenKeyRing, bool]:
    """Change the key ring by compare-and-swap, unless `change` returns ``None``. Return it, and whether it changed."""
    store.ensure_writable()
    for _ in store.retry.attempts():
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
