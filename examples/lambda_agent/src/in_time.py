"""A bound on how long something takes, whatever it waits for.

Timeouts of a network client hold for one connection or one read at a time: an answer that arrives byte by byte, a name
that is not resolved, or a pause between two tries is not covered by them.
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
    """Return what `work` returns, or raise what it raises, if that takes no longer than this.

    Otherwise it is left behind in its thread, and has to end by itself: let it look at the time before each thing that
    it begins. A daemon: the process does not wait for it either.

    Args:
        seconds: how long.
        work: what to do.

    Raises:
        OutOfTimeError: it takes longer.
    """
    outcome: futures.Future[T] = futures.Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            outcome.set_exception(error)

    in_same_context: Callable[[Callable[[], Any]], Any] = contextvars.copy_context().run  # what traces go by
    threading.Thread(target=in_same_context, args=(run,), name="agent", daemon=True).start()
    futures.wait([outcome], timeout=max(seconds, 0))
    if not outcome.done():
        raise OutOfTimeError
    return outcome.result()
