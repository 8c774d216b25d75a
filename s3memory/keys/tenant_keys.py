"""A tenant's key ring in the bucket: finds it, makes it on first use, and replaces it by compare-and-swap."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterator
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from s3memory.errors import (
    AccessDeniedError,
    ConfigurationError,
    IntegrityError,
    KeyRingError,
    LimitError,
    MissingKeyRingError,
    OlderKeyRingError,
    OutcomeUnknownError,
    ReadOnlyError,
)
from s3memory.format.envelope import DataKey
from s3memory.format.key_ring import MALFORMED, KeyRing
from s3memory.format.names import ENCRYPTED, ENCRYPTED_REQUIRED
from s3memory.format.object_keys import Layout
from s3memory.keys.key_cache import KeyCache
from s3memory.keys.open_key_ring import KeyWrapper, OpenKeyRing
from s3memory.keys.ring_register import RingRecord, RingRegister, TenantRegister
from s3memory.limits import MAX_KEY_RING_BYTES
from s3memory.s3.bucket import Bucket
from s3memory.s3.objects import StoredObject

if TYPE_CHECKING:
    from s3memory.aws.retry import RetryPolicy
    from s3memory.s3.versions import ListedVersion

_log = logging.getLogger("s3memory")


def refuse_archived(ring: OpenKeyRing) -> None:
    """Raise `ReadOnlyError` if the tenant is archived: its files can't be changed."""
    if ring.ring.archived:
        raise ReadOnlyError("This memory is archived: it can be read, not changed. Nothing was changed.")


def _document(ring: OpenKeyRing) -> bytes:
    document = ring.ring.to_bytes()
    if len(document) > MAX_KEY_RING_BYTES:
        raise LimitError(
            "The tenant's key ring has no room for this: it would be larger than any that is read. "
            "Nothing was changed. Retire the generations that nothing uses."
        )
    return document


class TenantKeys:
    """The key ring of one tenant.

    Methods that send requests to S3 or the wrapper raise `BackendError` if it could not be reached.

    Args:
        bucket: the bucket that holds the ring.
        layout: the tenant's object keys. While there is a memory object, no new ring is made.
        wrapper: wraps and unwraps the ring's data keys.
        name_mode: the mode of a new ring; an existing ring keeps its own. ``encrypted-required`` makes encrypted rings
            and refuses others.
        cache: keeps the unwrapped ring.
        ttl_seconds: how long the ring is used before it is fetched and unwrapped again.
        register: records the newest ring outside the bucket; it is read each time that a ring is fetched.
        retry: how much time the caller has.
    """

    def __init__(
        self,
        *,
        bucket: Bucket,
        layout: Layout,
        wrapper: KeyWrapper,
        name_mode: str,
        cache: KeyCache,
        ttl_seconds: float,
        register: RingRegister | None = None,
        retry: RetryPolicy,
    ) -> None:
        self.bucket = bucket
        self.object_key, self.tenant = layout.key_ring, layout.tenant
        self.memories_prefix = layout.memories_prefix
        self.wrapper = wrapper
        self.name_mode = name_mode
        self.cache = cache
        self.ttl_seconds = ttl_seconds
        self.register = TenantRegister(register, layout.tenant)
        self._retry = retry

    def existing(self) -> OpenKeyRing | None:
        """Return the ring, or ``None`` if the tenant has none yet: then it has no memory either.

        Raises:
            KeyRingError: it does not open, or it is missing although there are memory objects.
        """
        cached = self.cached()
        if cached is not None:
            return cached
        # One or two requests for all threads that ask at the same time, even if there is no ring to cache.
        ring = self.cache.loads.load(self._identity, self._existing, self._retry)
        return None if ring is None else self.as_required(ring)

    def existing_or_new(self) -> OpenKeyRing:
        """Return the ring for a new text. If the tenant has none, make one; in a race, the losers read the winner's.

        Raises:
            ReadOnlyError: the tenant is archived. As `existing` otherwise.
        """
        ring = self.existing()
        if ring is None:
            ring = self.as_required(self.cache.loads.load((self._identity, "new"), self._made, self._retry))
        refuse_archived(ring)
        return ring

    def for_write(self, read_with: OpenKeyRing) -> OpenKeyRing | None:
        """Return the ring for a write that is based on something read with `read_with`. This never makes a ring.

        It is `None` if the tenant was erased since, even if it has a new ring by now.

        Raises:
            ReadOnlyError: the tenant is archived. As `existing` otherwise.
        """
        ring = self.existing()
        newer = None if ring is None else self._newer(ring, read_with)
        if newer is not None:
            refuse_archived(newer)
        return newer

    def ensure_not_erased(self, *, since: OpenKeyRing) -> None:
        """Raise if the tenant was erased since its ring was read as `since` (one GET), for a job after its writes.

        Raises:
            KeyRingError: it was.
        """
        try:
            ring = self.refreshed()
        except MissingKeyRingError:
            ring = None
        if ring is None or self._newer(ring, since) is None:
            raise KeyRingError(
                f"The key ring of tenant {self.tenant} was erased meanwhile, and what was stored since does not open. "
                "If the tenant was erased, erase it again after the `caches_end` of the receipt."
            )

    def _newer(self, one: OpenKeyRing, other: OpenKeyRing) -> OpenKeyRing | None:
        """Return the newer of two rings of the tenant, or `None` if the tenant was erased in between."""
        # Two loads of a ring may finish in a different order than they began, so either ring can be the newer one.
        older, newer = sorted((one, other), key=lambda ring: ring.newest.generation)
        with self._retry.in_time():  # this may call the key wrapper
            return newer if newer.data_key(older.newest.generation) == older.newest else None

    def for_deletion(self, read_with: OpenKeyRing | None) -> OpenKeyRing | None:
        """Return the ring that names the object to delete, if there is one.

        Args:
            read_with: the ring that the object was read or written with. It names the object even if the tenant was
                erased since. If the object stayed, it would not open under a new ring, and would prevent making one.

        Raises:
            ReadOnlyError: the tenant is archived. KeyRingError: as `existing`, if there is no `read_with`.
        """
        try:
            ring = self.existing() or read_with
        except KeyRingError:
            if read_with is None:
                raise
            ring = read_with
        if ring is not None:
            refuse_archived(ring)
        return read_with or ring

    def ensure_not_archived(self) -> None:
        """Raise `ReadOnlyError` if the tenant is archived, for a caller that must know beforehand, as in a dry run."""
        ring = self.existing()
        if ring is not None:
            refuse_archived(ring)

    def reloaded(self) -> OpenKeyRing | None:
        """Return the ring as it is stored now, bypassing the cache."""
        self.forget()
        return self.existing()

    def refreshed(self) -> OpenKeyRing | None:
        """Return the ring as it is stored now (one GET). If it has not changed, it is not unwrapped again."""
        cached = self.cached()
        stored = None if cached is None else self._stored_unless_denied()
        if cached is not None and stored is not None and stored.body == cached.ring.to_bytes():
            return cached
        self.forget()
        if stored is None:
            return self.existing()
        open_stored: Callable[[], OpenKeyRing | None] = partial(self._opened, stored)
        ring = self.cache.loads.load(self._identity, open_stored, self._retry)
        # The load may be another thread's that fetched the ring earlier, when it was older or missing.
        if ring is not None and ring.ring.to_bytes() == stored.body:
            return self.as_required(ring)
        with self._retry.in_time():
            return self._opened(stored)

    def stored(self, version_id: str | None = None) -> StoredObject | None:
        """Return the ring as it is stored now, or a version of it, bypassing the cache; ``None`` if there is none.

        Raises:
            KeyRingError: it is larger than a key ring can be.
        """
        try:
            return self.bucket.get(self.object_key, version_id=version_id, max_bytes=MAX_KEY_RING_BYTES)
        except IntegrityError:
            raise KeyRingError(MALFORMED) from None

    def parsed(self, stored: StoredObject) -> KeyRing:
        """Parse a stored ring without opening it. Raise `KeyRingError` if it isn't a ring of this tenant."""
        return KeyRing.from_bytes(stored.body, tenant=self.tenant)

    def unwrap(self, ring: KeyRing) -> OpenKeyRing:
        """Open a ring of this tenant with the key wrapper; see `OpenKeyRing.open`."""
        return OpenKeyRing.open(ring, self.wrapper)

    def as_required(self, ring: OpenKeyRing) -> OpenKeyRing:
        """Return the tenant's ring if its name mode may be used.

        Raises:
            ConfigurationError: encrypted names are required, and the ring has plain ones.
        """
        if self.name_mode == ENCRYPTED_REQUIRED and ring.ring.name_mode != ENCRYPTED:
            raise ConfigurationError(
                f"encrypted names are required, and the key ring of tenant {self.tenant} was made with plain ones"
            )
        return ring

    def versions(self) -> Iterator[ListedVersion]:
        """Yield the versions and delete markers of the ring, newest first."""
        return self.bucket.versions.of(self.object_key)

    def replace(self, ring: OpenKeyRing, *, etag: str) -> str | None:
        """Replace the ring that has this ETag. Return the new ETag, or ``None`` if that ring has changed or is gone.

        Raises:
            LimitError: the new ring is too large to be read back.
            OutcomeUnknownError: it may or may not have been stored. BackendError: it was not stored.
        """
        try:
            stored = self.bucket.put(self.object_key, _document(ring), over=etag)
        except OutcomeUnknownError as error:
            raise OutcomeUnknownError(
                "The memory store did not answer, and it is not known whether the key ring was changed. "
                "Look at it with `s3memory keys show` before trying again.",
                code=error.code,
            ) from error
        if stored is not None:
            self.forget()
        return stored

    def ensure_newest(self, ring: OpenKeyRing) -> None:
        """Refuse a ring that the register does not admit. Without a register, no ring is refused.

        Raises:
            OlderKeyRingError: an older ring was put back. BackendError: the register could not be reached.
        """
        if not self.register.admits(ring):
            self._raise_older()

    def record_erasure(self, known: RingRecord | None) -> bool:
        """Record that the ring was permanently destroyed, and forget it; see `TenantRegister.record_erasure`."""
        self.forget()
        return self.register.record_erasure(known)

    def refusing_writes(self, bucket: Bucket) -> TenantKeys:
        """Return the same key ring through a bucket that refuses writes. Newer rings are then not recorded."""
        reading = copy(self)
        reading.bucket = bucket
        reading.register = self.register._replace(may_record=False)
        return reading

    def forget(self) -> None:
        """Drop the ring from the cache, so that the next caller fetches it again."""
        self.cache.drop(self._identity)

    def data_key(self, ring: OpenKeyRing, generation: int) -> DataKey:
        """Return the data key of a generation, even if the generation was added after `ring` was read.

        Raises:
            KeyRingError: the tenant's ring has no such generation, or it does not open.
        """
        key = ring.unwrapped(generation)
        if key is not None:
            return key
        # Loads are shared per ring object: one ring may be from before an erasure of the tenant, another from after it.
        wanted = (self._identity, generation, id(ring))
        return self.cache.loads.load(wanted, partial(self._found_data_key, ring, generation), self._retry)

    def _found_data_key(self, ring: OpenKeyRing, generation: int) -> DataKey:
        # Another thread, or another read with the same ring, may already have found a newer ring.
        for newer in (lambda: ring, self.cached, self.refreshed):
            found = newer()
            key = None if found is None else found.data_key(generation)
            if key is not None:
                return key
        raise KeyRingError("What is stored here was sealed under a key that the tenant's key ring does not have.")

    @property
    def _place(self) -> Hashable:
        return (self.bucket.identity, self.object_key)

    @property
    def _identity(self) -> Hashable:
        return (self.bucket.identity, self.object_key, self.wrapper, self.register.rings)

    def cached(self) -> OpenKeyRing | None:
        """Return the ring if this process has it unwrapped. This sends no request.

        Raises:
            ConfigurationError: encrypted names are required, and the ring has plain ones.
        """
        ring = self.cache.get(self._identity, ttl_seconds=self.ttl_seconds)
        return None if ring is None else self.as_required(ring)

    def _made(self) -> OpenKeyRing:
        cached = self.cached()  # another thread may have made it since this one looked
        if cached is not None:
            return cached
        name_mode = ENCRYPTED if self.name_mode == ENCRYPTED_REQUIRED else self.name_mode
        made = OpenKeyRing.new(tenant=self.tenant, name_mode=name_mode, wrapper=self.wrapper)
        if self.bucket.put(self.object_key, _document(made)) is None:
            return self._opened(self._stored_or_missing())
        self.ensure_newest(made)
        self.cache.seen.note(self._place, made.ring)
        self.cache.put(self._identity, made, ttl_seconds=self.ttl_seconds)
        return made

    def _existing(self) -> OpenKeyRing | None:
        cached = self.cached()
        if cached is not None:
            return cached
        stored = self._stored_unless_denied()
        if stored is None:
            if self.bucket.first_listed(self.memories_prefix) is None:
                self.cache.seen.forget(self._place)  # erased: a new tenant with this name starts at generation 1
                if not self.register.has_ring():
                    return None
            # Another process may have made the ring and a first file between the two requests.
            stored = self._stored_or_missing()
        return self._opened(stored)

    def _stored_unless_denied(self) -> StoredObject | None:
        try:
            return self.stored()
        except AccessDeniedError:
            # For a missing object, S3 returns 403 instead of 404 if the caller may not list it, and no policy can allow
            # listing the ring of `a` but not that of `ab`. If there is a ring after all, the next request fails too.
            return None

    def _opened(self, stored: StoredObject, *, is_certain: bool = False) -> OpenKeyRing:
        ring = self.unwrap(self.parsed(stored))
        if self.cache.seen.is_older(self._place, ring.ring) or not self.register.admits(ring):
            if not is_certain:  # another process may have stored a newer ring after this one was fetched
                return self._opened(self._stored_or_missing(), is_certain=True)
            self._raise_older()
        self.cache.seen.note(self._place, ring.ring)
        self.cache.put(self._identity, ring, ttl_seconds=self.ttl_seconds)
        return self.as_required(ring)

    def _raise_older(self) -> NoReturn:
        # An alarm in terraform/ matches this line.
        _log.warning("an older key ring was put back in place of one that was used before; it is refused")
        raise OlderKeyRingError(
            "The tenant's key ring is older than one that was used before. It was left as it is. "
            "This needs an operator."
        )

    def _stored_or_missing(self) -> StoredObject:
        stored = self.stored()
        if stored is None:
            raise MissingKeyRingError(
                "The tenant's key ring is missing, and without it nothing that is stored can be opened."
            )
        return stored
