"""Caches unwrapped key rings in this process for a bounded time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import NamedTuple

from s3memory._forks import OfOneProcess
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.keys.seen_rings import SeenRings
from s3memory.keys.shared_loads import SharedLoads

DEFAULT_KEY_TTL_SECONDS = 900.0
MAX_KEY_TTL_SECONDS = 86_400.0

_MAX_CACHED_RINGS = 4_096


class _Cached(NamedTuple):
    """A ring, the time by each clock at which it was cached, and the TTL of the store that loaded it."""

    ring: OpenKeyRing
    since: tuple[float, ...]
    ttl_seconds: float


class KeyCache(OfOneProcess):
    """Unwrapped key rings of this process, by bucket, tenant and wrapper. The least recently used are evicted.

    Args:
        clock: a monotonic clock, in seconds.
        wall_clock: the wall clock, in seconds. The monotonic clock may stop while a process is frozen, as on Lambda
            between invocations. A ring expires when its time is up by either clock.
        new_lock: makes the locks of threads that wait for each other.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
        new_lock: Callable[[], threading.Lock] = threading.Lock,
    ) -> None:
        self._clocks = (clock, wall_clock)
        self.seen = SeenRings()
        """Remembers rings after they have left the cache, to notice when an older one is put back. It holds no keys."""
        self.loads = SharedLoads(new_lock=new_lock)
        """The lookups and unwraps in progress."""
        super().__init__()

    def reset_after_fork(self) -> None:
        """Forget all rings and replace the locks: in a forked child, a thread that held one may not exist."""
        self.seen.reset_after_fork()
        self._lock = threading.Lock()
        self._rings: OrderedDict[Hashable, _Cached] = OrderedDict()

    def get(self, identity: Hashable, *, ttl_seconds: float = DEFAULT_KEY_TTL_SECONDS) -> OpenKeyRing | None:
        """Return a ring that was cached less than `ttl_seconds` ago, whichever store cached it and for however long."""
        with self._lock:
            cached = self._rings.get(identity)
            if cached is None:
                return None
            if self._is_expired(cached, ttl_seconds):
                if self._is_expired(cached, cached.ttl_seconds):
                    del self._rings[identity]
                return None
            self._rings.move_to_end(identity)
            return cached.ring

    def put(self, identity: Hashable, ring: OpenKeyRing, *, ttl_seconds: float = DEFAULT_KEY_TTL_SECONDS) -> None:
        """Cache a ring for `ttl_seconds`. Expired rings leave the cache, and the least recently used if it is full."""
        with self._lock:
            for other in [other for other, it in self._rings.items() if self._is_expired(it, it.ttl_seconds)]:
                del self._rings[other]
            self._rings[identity] = _Cached(ring, tuple(clock() for clock in self._clocks), ttl_seconds)
            self._rings.move_to_end(identity)
            if len(self._rings) > _MAX_CACHED_RINGS:
                self._rings.popitem(last=False)

    def drop(self, identity: Hashable) -> None:
        """Forget one ring."""
        with self._lock:
            self._rings.pop(identity, None)

    def clear(self) -> None:
        """Forget all rings."""
        with self._lock:
            self._rings.clear()

    def _is_expired(self, cached: _Cached, ttl_seconds: float) -> bool:
        return any(clock() >= since + ttl_seconds for clock, since in zip(self._clocks, cached.since, strict=True))

    def __repr__(self) -> str:
        return f"KeyCache(<{len(self._rings)} rings>)"


PROCESS_CACHE = KeyCache()
"""The cache that stores share unless they are given their own."""


def forget_keys() -> None:
    """Drop all unwrapped keys that the stores of this process share.

    Call it before the process's memory is saved anywhere, for example in a Lambda SnapStart snapshot.
    """
    PROCESS_CACHE.clear()
