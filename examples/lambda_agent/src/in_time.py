"""Limits how long a function may take, whatever it waits for.

Timeouts of a network client bound one connection or one read. They don't cover a response that arrives byte by byte, a
slow DNS lookup, or a pause between two attempts.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from concurrent import futures
from typing import Any, TypeVar

T = TypeVar("T")


class OutOfTimeError(Exception):
    """There is no time left."""


def within(seconds: float, work: Callable[[], T]) -> T:
    """Call `work` in a thread. Return what it returns, or raise what it raises.

    If it takes too long, its thread goes on without a caller. So `work` should check the time before each step. The
    thread is a daemon: the process does not wait for it when it ends.

    Args:
        seconds: how long to wait.
        work: the function to call.

    Raises:
        OutOfTimeError: it takes longer.
    """
    outcome: futures.Future[T] = futures.Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # noqa: BLE001 - `outcome.result` raises it in the caller's thread
            outcome.set_exception(error)

    in_same_context: Callable[[Callable[[], Any]], Any] = contextvars.copy_context().run  # traces rely on it
    threading.Thread(target=in_same_context, args=(run,), name="agent", daemon=True).start()
    futures.wait([outcome], timeout=max(seconds, 0))
    if not outcome.done():
        raise OutOfTimeError
    return outcome.result()
