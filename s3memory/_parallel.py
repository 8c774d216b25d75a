"""Parallel requests, on one small thread pool for the whole process.

Threads are enough: the work consists of waiting for S3.
"""

from __future__ import annotations

import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, Generic, Protocol, Self, TypeVar, overload

from s3memory._forks import OfOneProcess
from s3memory._threads import Call, Threads, wait

MAX_PARALLEL_REQUESTS = 32
"""How many requests run at a time, unless more pay off with a transport: see `Bucket.requests_at_once`."""

# How many calls `stream` begins ahead of its caller, as a multiple of the calls at a time.
_AHEAD = 2
_THREAD_NAME = "s3memory"

T = TypeVar("T")
R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")

P = TypeVar("P", bound="Page")


_pool = Threads(MAX_PARALLEL_REQUESTS, _THREAD_NAME)


class _Wide(OfOneProcess):
    """Lets a single operation at a time exceed the usual number of requests, so that the total stays bounded."""

    def reset_after_fork(self) -> None:
        self._lock = threading.Lock()

    @contextmanager
    def up_to(self, at_once: int) -> Iterator[int]:
        lock = self._lock  # kept, since a forked child replaces it: only the lock that was acquired is released
        if at_once > MAX_PARALLEL_REQUESTS and not lock.acquire(blocking=False):
            at_once = MAX_PARALLEL_REQUESTS
        try:
            yield at_once
        finally:
            if at_once > MAX_PARALLEL_REQUESTS:
                lock.release()


_wide = _Wide()


MAX_HELD_BYTES = 32 * 1024 * 1024
"""The most bytes of stored objects that `holding` admits at a time in the process, and that a `stream` holds."""


class _Budget(OfOneProcess):
    def reset_after_fork(self) -> None:
        self._changed = threading.Condition()
        self._held = 0

    @contextmanager
    def hold(self, n_bytes: int) -> Iterator[None]:
        with self._changed:
            # An object larger than the whole budget waits until nothing else is held.
            self._changed.wait_for(lambda: not self._held or self._held + n_bytes <= MAX_HELD_BYTES)
            self._held += n_bytes
        try:
            yield
        except BaseException as error:
            _clear_frames(error)
            raise
        finally:
            with self._changed:
                self._held -= n_bytes
                self._changed.notify_all()


def _clear_frames(error: BaseException) -> None:
    """Clear the frames of an error's traceback, which would keep the objects alive as long as the error is kept."""
    one: BaseException | None = error
    seen: set[int] = set()  # errors that are raised again may form a cycle of causes
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        traceback.clear_frames(one.__traceback__)
        one = one.__cause__ or one.__context__


_budget = _Budget()


def holding(n_bytes: int) -> AbstractContextManager[None]:
    """Wait until the memory budget has room for an object of this size, and reserve it. Must not be nested."""
    return _budget.hold(n_bytes)


@contextmanager
def _interruptible(calls: Sequence[Call[Any]]) -> Iterator[None]:
    """If this thread is interrupted, as by Ctrl-C, cancel the calls that have not begun, and wait for the others."""
    try:
        yield
    except BaseException:
        wait([call for call in calls if not call.cancel()])
        raise


def is_one_of_many() -> bool:
    """Whether this is a thread of the pool. Such a thread makes its calls in sequence: the pool could deadlock."""
    return threading.current_thread().name.startswith(f"{_THREAD_NAME}_")


@overload
def together(first: Callable[[], A], second: Callable[[], B], /) -> tuple[A, B]: ...


@overload
def together(first: Callable[[], A], /, *others: Callable[[], B]) -> tuple[A, *tuple[B, ...]]: ...
def together(first: Callable[[], Any], /, *others: Callable[[], Any]) -> tuple[Any, ...]:
    """Make all calls in parallel, the first one in this thread. Return the results once all have ended.

    This thread also makes the calls that no thread of the pool has begun by then, so it never waits for a free one. In
    a thread of the pool, the calls run in sequence. If this thread is interrupted, it skips the calls that have not
    begun, and waits for the others: nothing continues in the background.

    Raises:
        The error of the first failed call, in the given order.
    """
    if is_one_of_many():
        return tuple(call() for call in (first, *others))
    background = [Call(call) for call in others]
    with _interruptible(background):
        for one in background:
            _pool.begin(one)
        try:
            result = first()
        except Exception:
            _finish(background)
            raise
        _finish(background)
    return (result, *(one.result() for one in background))


def _finish(calls: Sequence[Call[Any]]) -> None:
    """Make the calls that no thread has begun, and wait for the others."""
    for call in calls:
        call.run()
    wait(calls)


class Beside(Generic[B]):
    """A context in which calls run in parallel with the body.

    It never waits for a free thread of the pool. A call that no thread has begun by the end of the context, as while
    a large directory is renamed elsewhere in the process, runs in this thread when its result is requested.

    Attributes:
        results: functions that return or raise each call's result, once the context has ended.
    """

    def __init__(self, *calls: Callable[[], B]) -> None:
        self.results: list[Callable[[], B]] = list(calls)

    def __enter__(self) -> Self:
        self._calls = [Call(call) for call in self.results]
        with _interruptible(self._calls):
            for call in self._calls:
                _pool.begin(call)
        return self

    def __exit__(self, *_: object) -> None:
        begun = [(number, call) for number, call in enumerate(self._calls) if not call.cancel()]
        with _interruptible(self._calls):
            wait([call for _, call in begun])
        for number, call in begun:
            self.results[number] = call.result


class Page(Protocol):
    """A page of a listing."""

    @property
    def next_token(self) -> str | None:
        """The token of the next page, if there is one."""


def pages(page_at: Callable[[str | None], P]) -> Iterator[P]:
    """Yield all pages of a listing, fetching each while the caller works on the previous one.

    If the caller stops early, a page may have been fetched in vain. Errors of `page_at` come in their page's turn.
    """
    page = page_at(None)
    while page.next_token is not None:
        with Beside(partial(page_at, page.next_token)) as following:
            yield page
        page = following.results[0]()
    yield page


def batches(
    items: Iterable[T], size: int, *, n_bytes: Callable[[T], int] = lambda _: 0, max_bytes: int = 0
) -> Iterator[list[T]]:
    """Yield the items in lists of `size`, for work that is too large to hold in memory.

    A list ends early if its items would exceed `max_bytes` together. An item larger than that gets its own list.
    """
    batch: list[T] = []
    held_bytes = 0
    for item in items:
        item_bytes = n_bytes(item)
        if batch and held_bytes + item_bytes > max_bytes:
            yield batch
            batch, held_bytes = [], 0
        batch.append(item)
        held_bytes += item_bytes
        if len(batch) == size:
            yield batch
            batch, held_bytes = [], 0
    if batch:
        yield batch


def each(
    call: Callable[[T], R],
    items: Iterable[T],
    *,
    done: Callable[[], object] = lambda: None,
    at_once: int = MAX_PARALLEL_REQUESTS,
) -> list[R]:
    """Call `call` for every item, many at a time, and return the results in order.

    `done` is called after each call that returns. A single item is handled in this thread. Errors are raised as by
    `together`, and interrupts are handled likewise. Operations that run at the same time take turns in the pool, call
    by call, so a long one does not hold up the others.
    """

    def call_and_report(item: T) -> R:
        result = call(item)
        done()
        return result

    items = list(items)
    if len(items) == 1 or is_one_of_many():
        return [call_and_report(item) for item in items]
    with _wide.up_to(min(at_once, len(items))) as n_threads:
        threads = _pool if n_threads <= MAX_PARALLEL_REQUESTS else Threads(n_threads, _THREAD_NAME)
        calls = [Call(call_and_report, item) for item in items]
        try:
            with _interruptible(calls):
                _Turns(calls, threads).begin(n_threads)
                wait(calls)
        finally:
            if threads is not _pool:
                threads.get().shutdown(cancel_futures=True)
    return [one.result() for one in calls]


class _Turns:
    """Makes calls on a pool, a few at a time: the next one queues behind what others want of the pool meanwhile."""

    def __init__(self, calls: Sequence[Call[Any]], threads: Threads) -> None:
        self.calls = calls
        self._left = deque(calls)
        self._threads = threads

    def begin(self, at_once: int) -> None:
        """Have the pool make `at_once` calls at a time. If it has no thread, this thread makes them."""
        for _ in range(at_once):
            if not self._queue():
                self._run_next()

    def _queue(self) -> bool:
        try:
            self._threads.get().submit(self._run_next)
        except RuntimeError:  # as in `Threads.begin`
            return False
        return True

    def _run_next(self) -> None:
        is_queued = False
        while self._left and not is_queued:
            try:
                call = self._left.popleft()
            except IndexError:  # another thread took the last one
                return
            try:
                call.run()
            finally:
                is_queued = bool(self._left) and self._queue()


def stream(
    call: Callable[[T], R],
    items: Iterable[T],
    *,
    at_once: int = MAX_PARALLEL_REQUESTS,
    size_bytes: Callable[[T], int] = lambda _: 0,
) -> Iterator[R]:
    """Call `call` for every item, many at a time, and yield the results in order, holding only a few.

    It suits work of any length. This thread reads `items` only as far ahead as needed. The stream has its own threads,
    so a call may use `together` and `each`. If the caller stops early, it waits for the calls that have begun.

    Args:
        call: the function to call.
        items: its arguments.
        at_once: how many calls run at a time; at most `MAX_PARALLEL_REQUESTS` while another operation exceeds that.
        size_bytes: returns the memory for an item and its result. Those that are running or waiting for their turn
            take at most `MAX_HELD_BYTES` together, unless it is a single one.

    Raises:
        The error of a call, in its turn. Later calls that have not begun are skipped.
    """
    with _wide.up_to(at_once) as n_threads:
        threads = Threads(n_threads, "s3memory-stream")
        ahead: deque[tuple[Call[R], int]] = deque()
        held_bytes = 0
        try:
            for item in items:
                n_bytes = size_bytes(item)
                while ahead and (len(ahead) >= _AHEAD * n_threads or held_bytes + n_bytes > MAX_HELD_BYTES):
                    yield ahead[0][0].result()
                    held_bytes -= ahead.popleft()[1]
                ahead.append((Call(call, item), n_bytes))
                threads.begin(ahead[-1][0])
                held_bytes += n_bytes
            while ahead:
                yield ahead.popleft()[0].result()
        finally:
            threads.get().shutdown(cancel_futures=True)
