"""A thread pool, and the calls that run on it."""

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
    """A call that runs once, in the first thread to get to it, with the context of the thread that created it.

    It is not a future: an interrupt inside `concurrent.futures.wait` can leave locks held that the threads need.
    """

    def __init__(self, call: Callable[..., R], *arguments: Any) -> None:
        self._left = [partial(copy_context().run, call, *arguments)]
        self._error: BaseException | None = None
        self._running = threading.Lock()
        self._running.acquire()
        self.is_over = False

    def run(self) -> None:
        """Run the call, unless another thread runs it or it was canceled. An interrupt is raised here, too."""
        try:
            call = self._left.pop()
        except IndexError:
            return
        try:
            self._result = call()
        except BaseException as error:
            self._error = error
            if not isinstance(error, Exception):
                raise
        finally:
            self.is_over = True
            self._running.release()
            del self, call  # an error keeps this frame alive, which must not keep the error and the arguments

    def cancel(self) -> bool:
        """Cancel the call, and return true. Return false if it has already begun."""
        try:
            self._left.pop()
        except IndexError:
            return False
        return True

    def wait(self) -> None:
        """Wait until the call has ended."""
        if not self.is_over:
            with self._running:
                pass

    def result(self) -> R:
        """Wait until the call has ended. Return its result, or raise its error."""
        self.wait()
        try:
            if self._error is not None:
                raise self._error
            return self._result
        finally:
            del self  # as above


def wait(calls: Iterable[Call[Any]]) -> None:
    """Wait until all calls have ended."""
    for call in calls:
        call.wait()


class Threads(OfOneProcess):
    """A thread pool that is created when first needed. A forked child drops it, since it inherits no threads.

    If no thread can start, as after the main thread has ended, a call runs in the thread that wants it.

    Args:
        number: the most threads. Each is kept until the process ends.
        name: the prefix of their names.
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
        """Have the pool run a call."""
        try:
            self.get().submit(call.run)
        except RuntimeError:  # from the executor, or from `Thread.start`, which leaves the call in the queue
            call.run()

    def submit(self, call: Callable[..., R], *arguments: Any) -> Future[R]:
        """Have the pool run a call. Return a future, which can be canceled until the call begins, as event loops do."""
        future: Future[R] = Future()
        self.begin(Call(_fulfil, future, call, *arguments))
        return future

    def reset_after_fork(self) -> None:
        """Drop the pool. Existing threads end by themselves."""
        self._executor = None


def _fulfil(future: Future[R], call: Callable[..., R], *arguments: Any) -> None:
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(call(*arguments))
        except BaseException as error:  # noqa: BLE001 - as an executor does
            future.set_exception(error)
            del future  # the error keeps this frame alive
