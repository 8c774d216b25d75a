"""What several threads want at the same time is loaded once, for all that asked before the load began."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from s3memory._forks import OfOneProcess
from s3memory.aws.retry import RetryPolicy, was_cut_short
from s3memory.errors import IntegrityError, S3MemoryError, UnavailableError

T = TypeVar("T")


class _Load:
    """One load, and what came of it.

    Attributes:
        by: who makes it, once it has begun.
        is_over: it has ended.
        is_loaded: it gave `loaded`.
        failure: why it failed, for all threads.
        cause: the cause of that.
        is_refused: it failed for a reason that may concern the thread that made it alone, such as its permissions.
        waiting: locks that are held until it is over, one for each thread that waits.
        following: the next load, for threads that came too late for this one, or got nothing from it.
    """

    def __init__(self) -> None:
        self.by: object | None = None
        self.is_over = self.is_loaded = self.is_refused = False
        self.loaded: Any = None
        self.failure: UnavailableError | IntegrityError | None = None
        self.cause: BaseException | None = None
        self.waiting: list[threading.Lock] = []
        self.following: _Load | None = None

    def make(self, load: Callable[[], T], retry: RetryPolicy) -> T:
        retry.ensure_time()
        with retry.in_time():  # of KMS and the register, which are asked by no `Bucket`
            try:
                self.loaded = loaded = load()
                self.is_loaded = True
            except (UnavailableError, IntegrityError) as failure:
                if not (retry.is_over or was_cut_short()):  # threads that wait may have more time
                    self.failure = failure
                    self.cause = failure.__cause__  # whoever catches the failure may drop it
                raise
            except Exception:
                self.is_refused = True
                raise
            return loaded

    def next(self) -> _Load:
        if self.following is None:
            self.following = _Load()
        return self.following


class SharedLoads(OfOneProcess):
    """Has threads that want the same share a load, in place of taking turns."""

    def __init__(self, *, new_lock: Callable[[], threading.Lock] = threading.Lock) -> None:
        self._new_lock = new_lock
        super().__init__()

    def begin_anew(self) -> None:
        """Know of no load: in a forked child, the thread that makes one may not be there."""
        self._lock = threading.Lock()
        # Those that are under way, or are made next. Weak: what nobody waits for any more is not made.
        self._loads: WeakValueDictionary[Hashable, _Load] = WeakValueDictionary()

    def load(self, identity: Hashable, load: Callable[[], T], retry: RetryPolicy) -> T:
        """Return what is loaded by this thread, or by another one that wants the same.

        All threads that waited for a load get what it loaded, or its failure. But that there is nothing (``None``)
        counts only for threads that asked before the load began: there may be something since. The others wait for the
        next load, which begins when this one is over, once for all of them. So nobody waits for more than two loads,
        unless the thread that makes one is interrupted, or runs out of time.

        Args:
            identity: what is wanted.
            load: loads it. Other errors, such as missing permissions, are raised for this thread alone; threads that
                waited for it call their own `load`, side by side.
            retry: how much time this thread has.

        Raises:
            UnavailableError: the caller's time is up.
            UnavailableError, IntegrityError: of the load that this thread waited for. Whatever else `load` raises.
        """
        me = object()
        with self._lock:
            one = self._loads.get(identity)
            if one is None:
                one = self._loads[identity] = _Load()
            is_late = one.by is not None
        try:
            while not self._is_begun_by(me, one):
                self._wait_for(one, retry)
                if one.failure is not None:
                    raise _again(one.failure) from one.cause
                if one.is_loaded and not (is_late and one.loaded is None):
                    loaded: T = one.loaded
                    return loaded
                if one.is_refused:
                    retry.ensure_time()
                    with retry.in_time():
                        return load()
                with self._lock:
                    one, is_late = one.next(), False
            return one.make(load, retry)
        finally:
            if one.by is me:
                self._end(identity, one)

    def _is_begun_by(self, me: object, one: _Load) -> bool:
        with self._lock:
            if one.by is None:
                one.by = me
            return one.by is me

    def _wait_for(self, one: _Load, retry: RetryPolicy) -> None:
        over = self._new_lock()  # this thread's own: nobody waits for it where it is interrupted
        over.acquire()
        with self._lock:
            if one.is_over:
                return
            one.waiting.append(over)
            one.next()  # where those who come meanwhile wait too
        if not over.acquire(timeout=_longest_wait_seconds(retry)):
            raise UnavailableError(
                "The tenant's key was not there in time: another command was still fetching it. "
                "Nothing was changed. Send it again."
            )

    def _end(self, identity: Hashable, one: _Load) -> None:
        with self._lock:
            one.is_over = True
            if self._loads.get(identity) is one:
                if one.following is None:
                    del self._loads[identity]
                else:
                    self._loads[identity] = one.following
            for over in one.waiting:
                over.release()


def _longest_wait_seconds(retry: RetryPolicy) -> float:
    """Return how long to wait for a lock, as `threading.Lock.acquire` takes it."""
    if retry.remaining_seconds is None:
        return -1
    return min(max(0, retry.remaining_seconds()), threading.TIMEOUT_MAX)


def _again(failure: UnavailableError | IntegrityError) -> S3MemoryError:
    """Return an error like one that another thread raises, which has its own traceback and may get notes."""
    again = type(failure).__new__(type(failure), *failure.args)
    again.__dict__.update(vars(failure))
    return again
