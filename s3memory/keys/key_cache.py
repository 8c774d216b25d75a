"""Unwrapped key rings in this process, for a bounded time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from s3memory._forks import OfOneProcess
from s3memory.errors import IntegrityError, S3MemoryError, UnavailableError
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.keys.seen_rings import SeenRings

if TYPE_CHECKING:
    from s3memory.aws.retry import RetryPolicy

T = TypeVar("T")

DEFAULT_KEY_TTL_SECONDS = 900.0
MAX_KEY_TTL_SECONDS = 86_400.0

_MAX_CACHED_RINGS = 4_096


class _Cached(NamedTuple):
    """A ring, when it was cached by each clock, and how long whoever loaded it uses it."""

    ring: OpenKeyRing
    since: tuple[float, ...]
    ttl_seconds: float


class Loader(Protocol):
    """Loads something, for all who want it at the same time."""

    def __call__(self, load: Callable[[], T], /) -> T:
        """Return what is loaded."""
        ...


class _Load:
    """What several threads want loaded: the one that holds `turn` loads it, and the others wait for theirs."""

    def __init__(self, turn: threading.Lock) -> None:
        self.turn = turn
        self.n_threads = 0
        self.failure: UnavailableError | IntegrityError | None = None

    def __call__(self, load: Callable[[], T], *, retry: RetryPolicy) -> T:
        """Load, and have those who wait hear that the key can't be had, but for want of permissions or of time."""
        try:
            return load()
        except (UnavailableError, IntegrityError) as failure:
            if not retry.is_over:
                self.failure = failure
            raise


class KeyCache(OfOneProcess):
    """Unwrapped key rings of this process, by bucket, tenant and wrapper. The least recently used leave.

    Args:
        clock: seconds that only go forward.
        wall_clock: seconds of the calendar. A process that was frozen, as Lambda does between invocations, may not
            see the first clock move meanwhile; a ring leaves when its time is over by either.
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
        self._new_lock = new_lock
        self.seen = SeenRings()
        """What is remembered of rings that have left, to notice one that is put back. No key."""
        super().__init__()

    def begin_anew(self) -> None:
        """Forget all rings, locks included: in a forked child, a thread that held one may not be there."""
        self.seen.begin_anew()
        self._lock = threading.Lock()
        self._rings: OrderedDict[Hashable, _Cached] = OrderedDict()
        self._loads: dict[Hashable, _Load] = {}

    def get(self, identity: Hashable, *, ttl_seconds: float = DEFAULT_KEY_TTL_SECONDS) -> OpenKeyRing | None:
        """Return a ring that was cached less than so long ago, whoever cached it and for how long."""
        with self._lock:
            cached = self._rings.get(identity)
            if cached is None:
                return None
            if self._is_over(cached, ttl_seconds):
                if self._is_over(cached, cached.ttl_seconds):
                    del self._rings[identity]
                return None
            self._rings.move_to_end(identity)
            return cached.ring

    def put(self, identity: Hashable, ring: OpenKeyRing, *, ttl_seconds: float = DEFAULT_KEY_TTL_SECONDS) -> None:
        """Cache a ring for so long, in place of those whose time is over and of the least recently used."""
        with self._lock:
            for other in [other for other, it in self._rings.items() if self._is_over(it, it.ttl_seconds)]:
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

    def _is_over(self, cached: _Cached, ttl_seconds: float) -> bool:
        return any(clock() >= since + ttl_seconds for clock, since in zip(self._clocks, cached.since, strict=True))

    @contextmanager
    def turn_to_load(self, identity: Hashable, retry: RetryPolicy) -> Iterator[Loader]:
        """Wait for this thread's turn to load something, so that threads at a cold start unwrap a ring once.

        What is loaded is cached: whoever had to wait looks for it there first. A load by which the key can't be had
        fails for all who waited for it. Who comes later begins another.

        Yields:
            What to hand the load to.

        Raises:
            UnavailableError: the caller's time is up.
            UnavailableError, IntegrityError: of the load that this thread waited for.
        """
        with self._lock:
            load = self._loads.setdefault(identity, _Load(self._new_lock()))
            load.n_threads += 1
        is_mine = False
        try:
            is_mine = load.turn.acquire(timeout=_longest_wait_seconds(retry))
            if not is_mine:
                raise UnavailableError(
                    "The tenant's key was not there in time: another command was still fetching it. "
                    "Nothing was changed. Send it again."
                )
            if load.failure is not None:
                raise _again(load.failure) from load.failure.__cause__
            retry.ensure_time()
            yield partial(load, retry=retry)
        finally:
            self._leave(identity, load)
            if is_mine:
                load.turn.release()

    def _leave(self, identity: Hashable, load: _Load) -> None:
        with self._lock:
            load.n_threads -= 1
            is_over = load.failure is not None or not load.n_threads
            if is_over and self._loads.get(identity) is load:
                del self._loads[identity]

    def __repr__(self) -> str:
        return f"KeyCache(<{len(self._rings)} rings>)"


def _longest_wait_seconds(retry: RetryPolicy) -> float:
    """Return how long to wait for a lock, as `threading.Lock.acquire` takes it."""
    if retry.remaining_seconds is None:
        return -1
    return min(max(retry.remaining_seconds(), 0), threading.TIMEOUT_MAX)


def _again(failure: UnavailableError | IntegrityError) -> S3MemoryError:
    """Return an error like one that another thread raises, which has its own traceback and may get notes."""
    again = type(failure).__new__(type(failure), *failure.args)
    again.__dict__.update(vars(failure))
    return again


PROCESS_CACHE = KeyCache()
"""What stores share unless they are given a cache of their own."""


def forget_keys() -> None:
    """Drop all unwrapped keys that stores of this process share.

    Call it before the process's memory is written anywhere, as a Lambda SnapStart snapshot does.
    """
    PROCESS_CACHE.clear()
