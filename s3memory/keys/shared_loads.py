"""Threads that want the same thing at the same time share one load."""

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
    """One load and its outcome.

    Attributes:
        by: identifies the call that makes the load, once it has begun.
        is_over: it has ended, with any outcome.
        is_loaded: it succeeded, and returned `loaded`.
        failure: the error that is raised in all threads, if it failed.
        cause: the cause of that error.
        is_refused: it failed for a reason that may apply only to the thread that made it, such as its permissions.
        waiting: locks that are held until it is over, one for each waiting thread.
        following: the next load, for threads that came too late for this one, or got no result from it.
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
        with retry.in_time():  # for KMS and the register; a `Bucket` sees to its own requests
            try:
                self.loaded = loaded = load()
                self.is_loaded = True
            except (UnavailableError, IntegrityError) as failure:
                if not (retry.is_over or was_cut_short()):  # waiting threads may have more time
                    self.failure = failure
                    self.cause = failure.__cause__  # a handler of the failure may drop it
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
    """Lets threads that want the same thing share a load instead of taking turns."""

    def __init__(self, *, new_lock: Callable[[], threading.Lock]) -> None:
        self._new_lock = new_lock
        super().__init__()

    def reset_after_fork(self) -> None:
        """Forget all loads: in a forked child, the thread that makes one may not exist."""
        self._lock = threading.Lock()
        # The loads in progress, or the next ones. Weak: a load that no thread waits for any more is not made.
        self._loads: WeakValueDictionary[Hashable, _Load] = WeakValueDictionary()

    def load(self, identity: Hashable, load: Callable[[], T], retry: RetryPolicy) -> T:
        """Return the result of a load made by this thread, or by another thread that wants the same thing.

        All threads that waited for a load get its result or its failure. But a result of ``None`` counts only for
        threads that asked before the load began, since there may be something by now. The others share the next load,
        which begins when this one is over. So no thread waits for more than two loads, unless the thread that makes
        one is interrupted or runs out of time.

        Args:
            identity: identifies what is loaded.
            load: loads it. Errors other than those below, such as missing permissions, are raised in this thread
                alone; the threads that waited for it then call their own `load` in parallel.
            retry: how much time this thread has.

        Raises:
            UnavailableError: the caller's time is up.
            UnavailableError, IntegrityError: the load that this thread waited for failed. Whatever else `load` raises.
        """
        me = object()
        with self._lock:
            one = self._loads.get(identity)
            if one is None:
                one = self._loads[identity] = _Load()
            is_late = one.by is not None
        try:
            while not self._claim(me, one):
                self._wait_for(one, retry)
                if one.failure is not None:
                    raise _copy_of(one.failure) from one.cause
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

    def _claim(self, me: object, one: _Load) -> bool:
        """Whether this call is to make the load: it is, if no other has begun it."""
        with self._lock:
            if one.by is None:
                one.by = me
            return one.by is me

    def _wait_for(self, one: _Load, retry: RetryPolicy) -> None:
        over = self._new_lock()  # this thread's own, so that no other thread waits if this one is interrupted
        over.acquire()
        with self._lock:
            if one.is_over:
                return
            one.waiting.append(over)
            one.next()  # exists from now on, so that threads that arrive after this load share it
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


def _copy_of(failure: UnavailableError | IntegrityError) -> S3MemoryError:
    """Return a copy of another thread's error: each thread's error has its own traceback and may get its own notes."""
    again = type(failure).__new__(type(failure), *failure.args)
    again.__dict__.update(vars(failure))
    return again
