"""Requests side by side, on one small pool of threads for the whole process.

Threads are enough: the work is waiting for S3. The pool is made when it is first needed, so that importing starts no
thread, and made anew in a forked child, which inherits no threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar, overload

MAX_PARALLEL_REQUESTS = 32

T = TypeVar("T")
R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


class _Pool:
    def __init__(self) -> None:
        self._executor: ThreadPoolExecutor | None = None

    def get(self) -> ThreadPoolExecutor:
        if self._executor is None:
            self._executor = ThreadPoolExecutor(MAX_PARALLEL_REQUESTS, thread_name_prefix="s3memory")
        return self._executor

    def forget(self) -> None:
        self._executor = None


_pool = _Pool()
os.register_at_fork(after_in_child=_pool.forget)


@overload
def together(first: Callable[[], A], second: Callable[[], B], /) -> tuple[A, B]: ...
@overload
def together(first: Callable[[], A], second: Callable[[], B], third: Callable[[], C], /) -> tuple[A, B, C]: ...
@overload
def together(first: Callable[[], A], /, *others: Callable[[], B]) -> tuple[A, *tuple[B, ...]]: ...
def together(first: Callable[[], Any], /, *others: Callable[[], Any]) -> tuple[Any, ...]:
    """Call all at once, the first one in this thread. Return the results once every one has ended.

    Not to be called from inside a call that itself runs here: it would wait for its own thread.

    Raises:
        What the first of the calls, in the order given, raised.
    """
    futures = [_pool.get().submit(call) for call in others]
    try:
        result = first()
    finally:
        wait(futures)
    return (result, *(future.result() for future in futures))


def each(call: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """Call for every item, `MAX_PARALLEL_REQUESTS` at a time, and return the results in order.

    A single item is called in this thread. As `together` otherwise.
    """
    items = list(items)
    if len(items) == 1:
        return [call(items[0])]
    futures = [_pool.get().submit(call, item) for item in items]
    wait(futures)
    return [future.result() for future in futures]
