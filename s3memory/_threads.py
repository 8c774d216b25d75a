"""A pool of threads, and the calls that are made on it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any, Generic, TypeVar

from s3memory._forks import OfOneProcess

R = TypeVar("R")


class Call(Generic[R]):
    """A call that is made once, by the thread that comes first, in the context of the one that wanted it.

    It is no future: an interrupt within `concurrent.futures.wait` can leave locks taken that the threads need.
    """

    def __init__(self, call: Callable[..., R], *arguments: Any) -> None:
        self._left = [partial(copy_context().run, call, *arguments)]
        self._error: BaseException | None = None
        self._running = threading.Lock()
        self._running.acquire()
        self.is_over = False

    def make(self) -> None:
        """Make it, unless another thread does or it was called off. An interrupt is raised here as well."""
        try:
            run = self._left.pop()
        except IndexError:
            return
        try:
            self._result = run()
        except BaseException as error:
            self._error = error
            if not isinstance(error, Exception):
                raise
        finally:
            self.is_over = True
            self._running.release()
            del self, run  # an error keeps this frame, which is to keep neither the error nor the arguments

    def call_off(self) -> bool:
        """Have nobody make it. Return whether that is so: not if it has begun."""
        try:
            self._left.pop()
        except IndexError:
            return False
        return True

    def wait(self) -> None:
        """Wait until it is over."""
        if not self.is_over:
            with self._running:
                pass

    def result(self) -> R:
        """Wait until it is over, and return or raise what it did."""
        self.wait()
        try:
            if self._error is not None:
                raise self._error
            return self._result
        finally:
            del self  # as above


def wait(calls: Iterable[Call[Any]]) -> None:
    """Wait until all are over."""
    for call in calls:
        call.wait()


class Threads(OfOneProcess):
    """A pool that is made when it is first needed. A forked child forgets it, since it inherits no threads.

    Where no thread can begin, as once the main thread has ended, calls are made in the one that wants them.

    Args:
        number: how many threads it has at most. Each is kept until the process ends.
        name: what their names begin with.
    """

    def __init__(self, number: int, name: str) -> None:
        self._number, self._name = number, name
        self._executor: ThreadPoolExecutor | None = None
        super().__init__()

    def get(self) -> ThreadPoolExecutor:
        """Return the pool."""
        if self._executor is None:
            self._executor = ThreadPoolExecutor(self._number, thread_name_prefix=self._name)
        return self._executor

    def begin(self, call: Call[Any]) -> None:
        """Have a call made."""
        try:
            self.get().submit(call.make)
        except RuntimeError:  # of the executor, or of `Thread.start`: then it stays in the queue
            call.make()

    def submit(self, call: Callable[..., R], *arguments: Any) -> Future[R]:
        """Have a call made that whoever waits for it can cancel until it begins, as an event loop does."""
        future: Future[R] = Future()
        self.begin(Call(_fulfil, future, call, *arguments))
        return future

    def begin_anew(self) -> None:
        """Have no threads. Those from before are left to end by themselves."""
        self._executor = None


def _fulfil(future: Future[R], call: Callable[..., R], *arguments: Any) -> None:
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(call(*arguments))
        except BaseException as error:  # noqa: BLE001 - as an executor does
            future.set_exception(error)
            del future  # the error keeps this frame
