"""Open key rings: their data keys are unwrapped by a key wrapper, and their seals are verified.

`s3memory.format.key_ring` defines the stored document. The wrapper is injected, so nothing here knows KMS.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Mapping
from typing import Final, Protocol, runtime_checkable

from s3memory.errors import ConfigurationError, IntegrityError, KeyRingError
from s3memory.format.envelope import DATA_KEY_BYTES, MAX_GENERATION, DataKey, HoldsKeys, open_sealed, seal
from s3memory.format.key_ring import MALFORMED, KeyRing, WrappedKey
from s3memory.format.names import ENCRYPTED, NAME_KEY_BYTES, NAME_MODES, EncryptedNames, NameCodec, PlainNames


@runtime_checkable
class KeyWrapper(Protocol):
    """Makes data keys and unwraps them again, under a key that never leaves the wrapper.

    Implementations are hashable, and equal if they hold the same key, because unwrapped keys are cached by wrapper.
    Both methods raise `BackendError` if the wrapper can't be reached.
    """

    @property
    def name(self) -> str:
        """The kind of wrapper, as recorded in the ring: ``aws-kms``, ``local``."""

    def generate(self, context: dict[str, str], /) -> tuple[bytes, bytes]:
        """Return a new random data key of 32 bytes, in clear and wrapped with `context` bound to it."""

    def unwrap(self, wrapped: bytes, context: dict[str, str], /) -> bytes:
        """Return the data key that was wrapped with exactly this `context`.

        Raises:
            KeyRingError: it was wrapped under another key or context, or altered.
        """


@runtime_checkable
class Rewrapper(KeyWrapper, Protocol):
    """A `KeyWrapper` that can also wrap an existing data key, so that key rings can be moved to it."""

    def wrap(self, data_key: bytes, context: dict[str, str], /) -> bytes:
        """Return a data key of 32 bytes, wrapped and bound to `context`."""


class NameKey(HoldsKeys):
    """The key that encrypts file names; empty if they are plain. Its repr shows no key bytes."""

    __slots__ = ("key_bytes",)

    def __init__(self, key_bytes: bytes) -> None:
        self.key_bytes: Final = key_bytes

    def __repr__(self) -> str:
        return "NameKey()"


class OpenKeyRing(HoldsKeys):
    """A ring whose newest data key is unwrapped and whose seal was verified. Safe to share between threads.

    Its repr shows no key bytes. Older generations are unwrapped when something sealed under them is read. Methods that
    call the wrapper raise `BackendError` if it could not be reached.

    Raises:
        KeyRingError: the name key does not fit the ring's name mode.
    """

    def __init__(
        self,
        ring: KeyRing,
        wrapper: KeyWrapper,
        newest: DataKey,
        *,
        name_key: NameKey,
        unwrapped: Mapping[int, DataKey],
    ) -> None:
        self.ring = ring
        if len(name_key.key_bytes) != (NAME_KEY_BYTES if ring.name_mode == ENCRYPTED else 0):
            raise KeyRingError(MALFORMED)
        self.wrapper = wrapper
        self.newest = newest
        self.names: NameCodec = PlainNames()
        if name_key.key_bytes:
            self.names = EncryptedNames(name_key.key_bytes, tenant=ring.tenant)
        self._name_key = name_key
        self._unwrapped = {**unwrapped, newest.generation: newest}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"OpenKeyRing({self.ring!r})"

    @classmethod
    def open(cls, ring: KeyRing, wrapper: KeyWrapper) -> OpenKeyRing:
        """Unwrap the newest data key (one call to the wrapper) and verify the ring's seal.

        Raises:
            KeyRingError: the ring was made with another kind of wrapper, or altered.
        """
        if ring.wrapper != wrapper.name:
            raise KeyRingError(
                "The tenant's key ring was made with another kind of key than the one configured.",
                made_with=ring.wrapper,
                configured=wrapper.name,
            )
        data_key = _unwrap(ring, ring.newest, wrapper)
        try:
            name_key = NameKey(open_sealed(ring.seal, data_key=data_key, place=ring.place()))
        except IntegrityError:
            raise KeyRingError(MALFORMED) from None
        return cls(ring, wrapper, data_key, name_key=name_key, unwrapped={})

    @classmethod
    def new(cls, *, tenant: str, name_mode: str, wrapper: KeyWrapper) -> OpenKeyRing:
        """Make a ring with one generation (two calls to the wrapper). Storing it is up to the caller.

        Raises:
            ConfigurationError: `name_mode` is neither ``plain`` nor ``encrypted``.
            KeyRingError: the wrapper made a data key of the wrong length, or can't open what it wrapped.
        """
        if name_mode not in NAME_MODES:
            raise ConfigurationError(f"name_mode must be one of {', '.join(NAME_MODES)}")
        empty = KeyRing(tenant=tenant, name_mode=name_mode, wrapper=wrapper.name, keys=())
        name_key = NameKey(os.urandom(NAME_KEY_BYTES) if name_mode == ENCRYPTED else b"")
        return cls._with_generation(empty, wrapper, name_key, 1, {})

    def rotated(self) -> OpenKeyRing:
        """Return the ring with a new generation (two calls to the wrapper), which writes use from then on.

        Raises:
            KeyRingError: no generation is left, or the wrapper made a data key of the wrong length, or it can't open
                what it wrapped.
        """
        generation = self.newest.generation + 1
        if generation > MAX_GENERATION:
            raise KeyRingError("The tenant's key ring has no generation left.")
        return self._with_generation(self.ring, self.wrapper, self._name_key, generation, self._unwrapped)

    def as_archived(self, *, archived: bool) -> OpenKeyRing:
        """Return the same ring, marked as archived or not."""
        ring = self.ring._replace(archived=archived)
        return self._sealed(ring, self.wrapper, self._name_key, self.newest, self._unwrapped)

    def rewrapped(self, target: Rewrapper) -> OpenKeyRing:
        """Return the ring with the same data keys under another wrapping key (about two calls per generation).

        Raises:
            KeyRingError: a generation does not open, or `target` can't unwrap what it wrapped.
        """
        keys: list[WrappedKey] = []
        unwrapped: dict[int, DataKey] = {}
        for key in self.ring.keys:
            data_key = self._required_data_key(key.generation)
            context = self.ring.wrap_context(key.generation)
            wrapped = target.wrap(data_key.key_bytes, context)
            _ensure_opens(target, wrapped, context, data_key)
            keys.append(WrappedKey(key.generation, wrapped))
            unwrapped[key.generation] = data_key
        ring = self.ring._replace(wrapper=target.name, keys=tuple(keys))
        return self._sealed(ring, target, self._name_key, self.newest, unwrapped)

    def without(self, generations: Collection[int]) -> OpenKeyRing:
        """Return the ring without some generations; raise `ConfigurationError` if the newest is among them.

        Objects sealed under them can never be opened again.
        """
        if self.newest.generation in generations:
            raise ConfigurationError("the newest generation stays: it is what writes use")
        kept = tuple(key for key in self.ring.keys if key.generation not in generations)
        unwrapped = {number: key for number, key in self._unwrapped.items() if number not in generations}
        return self._sealed(self.ring._replace(keys=kept), self.wrapper, self._name_key, self.newest, unwrapped)

    def _required_data_key(self, generation: int) -> DataKey:
        data_key = self.data_key(generation)
        if data_key is None:
            raise AssertionError("a ring has the generations that it names")
        return data_key

    def unwrapped(self, generation: int) -> DataKey | None:
        """Return the data key of a generation if it is already unwrapped."""
        return self._unwrapped.get(generation)

    def data_key(self, generation: int) -> DataKey | None:
        """Return the data key of a generation, unwrapping it if necessary; ``None`` if the ring has no such generation.

        Raises:
            KeyRingError: its wrapped key does not open.
        """
        with self._lock:  # one call to the wrapper per generation, however many threads ask
            if generation not in self._unwrapped:
                wrapped = next((key for key in self.ring.keys if key.generation == generation), None)
                if wrapped is None:
                    return None
                self._unwrapped[generation] = _unwrap(self.ring, wrapped, self.wrapper)
            return self._unwrapped[generation]

    @classmethod
    def _with_generation(
        cls, ring: KeyRing, wrapper: KeyWrapper, name_key: NameKey, generation: int, unwrapped: dict[int, DataKey]
    ) -> OpenKeyRing:
        context = ring.wrap_context(generation)
        key_bytes, wrapped = wrapper.generate(context)
        if len(key_bytes) != DATA_KEY_BYTES:
            raise KeyRingError("The key wrapper made a data key of another length.")
        newest = DataKey(generation, key_bytes)
        del key_bytes  # this frame is in the traceback if one of the following calls fails
        _ensure_opens(wrapper, wrapped, context, newest)
        longer = ring._replace(keys=(*ring.keys, WrappedKey(generation, wrapped)))
        return cls._sealed(longer, wrapper, name_key, newest, unwrapped)

    @classmethod
    def _sealed(
        cls, ring: KeyRing, wrapper: KeyWrapper, name_key: NameKey, newest: DataKey, unwrapped: dict[int, DataKey]
    ) -> OpenKeyRing:
        sealed = ring._replace(seal=seal(name_key.key_bytes, data_key=newest, place=ring.place()))
        return cls(sealed, wrapper, newest, name_key=name_key, unwrapped=unwrapped)


def _ensure_opens(wrapper: KeyWrapper, wrapped: bytes, context: dict[str, str], data_key: DataKey) -> None:
    """Refuse a wrapped key that does not unwrap to its data key: in a ring, it would make the memory unreadable."""
    try:
        does_open = wrapper.unwrap(wrapped, context) == data_key.key_bytes
    except KeyRingError:
        does_open = False
    if not does_open:
        raise KeyRingError("The wrapping key does not open what it wrapped. Nothing was changed.")


def _unwrap(ring: KeyRing, key: WrappedKey, wrapper: KeyWrapper) -> DataKey:
    data_key = DataKey(key.generation, wrapper.unwrap(key.wrapped, ring.wrap_context(key.generation)))
    if len(data_key.key_bytes) != DATA_KEY_BYTES:
        raise KeyRingError(MALFORMED)
    return data_key
