"""Requests side by side, on one small pool of threads for the whole process.

Threads are enough: the work is waiting for S3.
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
"""How many requests are made at a time, unless a transport says that more pay: see `Bucket.requests_at_once`."""

# How many results may wait for their turn where not all are kept, to how many are made at a time.
_AHEAD = 2
_THREAD_NAME = "s3memory"

T = TypeVar("T")
R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")

P = TypeVar("P", bound="Page")


_pool = Threads(MAX_PARALLEL_REQUESTS, _THREAD_NAME)


class _Wide(OfOneProcess):
    """Lets one piece of work at a time make more requests than usual, so that what others wait for stays bounded."""

    def begin_anew(self) -> None:
        self._lock = threading.Lock()

    @contextmanager
    def up_to(self, at_once: int) -> Iterator[int]:
        lock = self._lock  # of this process: a child ends what it inherits without the lock of its own work
        if at_once > MAX_PARALLEL_REQUESTS and not lock.acquire(blocking=False):
            at_once = MAX_PARALLEL_REQUESTS
        try:
            yield at_once
        finally:
            if at_once > MAX_PARALLEL_REQUESTS:
                lock.release()


_wide = _Wide()


MAX_HELD_BYTES = 32 * 1024 * 1024
"""How many bytes of stored objects are worked on side by side, in the whole process, and are held by one `stream`."""


class _Budget(OfOneProcess):
    def begin_anew(self) -> None:
        self._changed = threading.Condition()
        self._held = 0

    @contextmanager
    def hold(self, n_bytes: int) -> Iterator[None]:
        with self._changed:
            # An object that is larger than the whole budget waits until it is alone.
            self._changed.wait_for(lambda: not self._held or self._held + n_bytes <= MAX_HELD_BYTES)
            self._held += n_bytes
        try:
            yield
        except BaseException as error:
            _let_go(error)
            raise
        finally:
            with self._changed:
                self._held -= n_bytes
                self._changed.notify_all()


def _let_go(error: BaseException) -> None:
    """Empty the frames of a traceback: they keep what was worked on for as long as somebody keeps the error."""
    one: BaseException | None = error
    seen: set[int] = set()  # errors that are raised again may be each other's causes
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        traceback.clear_frames(one.__traceback__)
        one = one.__cause__ or one.__context__


_budget = _Budget()


def holding(n_bytes: int) -> AbstractContextManager[None]:
    """Wait until there is room in memory for an object of this size, and hold the room. Calls must not be nested."""
    return _budget.hold(n_bytes)


@contextmanager
def _interruptible(calls: Sequence[Call[Any]]) -> Iterator[None]:
    """Where this thread is interrupted, as by Ctrl-C: call off what has not begun, and wait for what has."""
    try:
        yield
    except BaseException:
        wait([call for call in calls if not call.call_off()])
        raise


def is_one_of_many() -> bool:
    """Whether this thread is of the pool, where nothing more is done side by side: it would wait for its own thread."""
    return threading.current_thread().name.startswith(f"{_THREAD_NAME}_")


@overload
def together(first: Callable[[], A], second: Callable[[], B], /) -> tuple[A, B]: ...


@overload
def together(first: Callable[[], A], /, *others: Callable[[], B]) -> tuple[A, *tuple[B, ...]]: ...
def together(first: Callable[[], Any], /, *others: Callable[[], Any]) -> tuple[Any, ...]:
    """Call all at once, the first one in this thread. Return the results once every one has ended.

    Inside a call that itself runs here, they are called one after the other. Interrupted, this thread leaves out what
    has not begun, and waits for what has: nothing goes on behind it.

    Raises:
        What the first of the calls, in the order given, raised.
    """
    if is_one_of_many():
        return tuple(call() for call in (first, *others))
    beside = [Call(call) for call in others]
    with _interruptible(beside):
        for one in beside:
            _pool.begin(one)
        try:
            result = first()
        except Exception:
            wait(beside)
            raise
        wait(beside)
    return (result, *(one.result() for one in beside))


class Beside(Generic[B]):
    """Calls that are made while this thread is in the context.

    It does not wait for a free thread. If none has begun a call by the end of the context, as while a large directory
    is renamed elsewhere in the process, this thread makes the call when its result is asked for.

    Attributes:
        results: gives or raises what each of the calls did, once the context is left.
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
        begun = [(number, call) for number, call in enumerate(self._calls) if not call.call_off()]
        with _interruptible(self._calls):
            wait([call for _, call in begun])
        for number, call in begun:
            self.results[number] = call.result


class Page(Protocol):
    """A page of a listing."""

    @property
    def next_token(self) -> str | None:
        """Where the next page begins, if there is one."""


def pages(page_at: Callable[[str | None], P]) -> Iterator[P]:
    """Yield all pages of a listing, each requested while the caller works on the one before it.

    A caller that stops early may have requested one in vain. What `page_at` raises comes in the page's turn.
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
    """Yield the items in lists of `size`, for work that is too long to be held in memory.

    A list ends early where its items would have more than `max_bytes` together. A larger item is a list of its own.
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
    """Call for every item, many at a time, and return the results in order.

    `done` is called whenever a call has returned. For a single item, this thread makes the call. Errors and interrupts
    are as for `stream` and `together`.
    """

    def call_and_tell(item: T) -> R:
        result = call(item)
        done()
        return result

    items = list(items)
    if len(items) == 1 or is_one_of_many():
        return [call_and_tell(item) for item in items]
    with _wide.up_to(min(at_once, len(items))) as n_threads:
        threads = _pool if n_threads <= MAX_PARALLEL_REQUESTS else Threads(n_threads, _THREAD_NAME)
        calls = [Call(call_and_tell, item) for item in items]
        try:
            with _interruptible(calls):
                for one in calls:
                    threads.begin(one)
                wait(calls)
        finally:
            if threads is not _pool:
                threads.get().shutdown(cancel_futures=True)
    return [one.result() for one in calls]


def stream(
    call: Callable[[T], R],
    items: Iterable[T],
    *,
    at_once: int = MAX_PARALLEL_REQUESTS,
    size_bytes: Callable[[T], int] = lambda _: 0,
) -> Iterator[R]:
    """Call for every item, many at a time, and yield the results in order, holding few at a time.

    For work without a bound. This thread reads `items`, only as far ahead as is needed. The threads are its own, so a
    call may use `together` and `each`. A caller that stops early waits for what has begun.

    Args:
        call: what to call.
        items: what with.
        at_once: how many at a time. `MAX_PARALLEL_REQUESTS` at the most while other work of this process makes more.
        size_bytes: what an item and its result hold. Those that are begun or wait for their turn hold `MAX_HELD_BYTES`
            at most together, or are a single one.

    Raises:
        What a call raised, in its turn; the calls behind it that had not begun are left out.
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
