"""How often to retry, how long to pause in between, and when the caller's time is up."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from s3memory.errors import UnavailableError

LEAST_SECONDS = 0.25
"""The least time for a request, however little is left, so that a write without a response can still be looked up."""

_FIRST_PAUSE_SECONDS = 0.02
_LONGEST_PAUSE_SECONDS = 1.0


class TimeLeft:
    """The seconds that a context's caller has left, and whether something was left undone because they ran short."""

    def __init__(self, remaining: Callable[[], float]) -> None:
        self.remaining = remaining
        self.was_short = False


_left: ContextVar[TimeLeft | None] = ContextVar("s3memory-time-left", default=None)


def has_time_for(seconds: float) -> bool:
    """Whether this context's caller has more than this many seconds left. If not, that is recorded."""
    left = _left.get()
    if left is None or left.remaining() > seconds:
        return True
    left.was_short = True
    return False


def was_cut_short() -> bool:
    """Whether something in this context was left undone for lack of time. With more time it may succeed."""
    left = _left.get()
    return left is not None and left.was_short


def request_seconds() -> float:
    """Return how long a request of this context may take: the time left, but at least `LEAST_SECONDS`."""
    left = _left.get()
    return math.inf if left is None else max(LEAST_SECONDS, left.remaining())


class RetryPolicy:
    """A limited number of attempts with full jitter: each pause is random, up to a bound that doubles.

    Args:
        max_tries: the most attempts, the first one included.
        remaining_seconds: returns how much time the caller has left, for example in a Lambda. Once none is left,
            nothing is retried, not even by a transport whose requests are sent `in_time`.
        sleep: waits for the given number of seconds.
    """

    def __init__(
        self,
        *,
        max_tries: int,
        remaining_seconds: Callable[[], float] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.max_tries = max_tries
        self.remaining_seconds = remaining_seconds
        self.sleep = sleep

    @property
    def is_over(self) -> bool:
        """Whether the caller has no time left."""
        return self.remaining_seconds is not None and not self.remaining_seconds() > 0  # nor with NaN

    def ensure_time(self) -> None:
        """Raise `UnavailableError` if the caller has no time left."""
        if self.is_over:
            raise no_time_left()

    @contextmanager
    def in_time(self) -> Iterator[None]:
        """Limit the requests of this context, and the transports' retries of them, to the time left."""
        left, remaining = _left.get(), self.remaining_seconds
        if left is None or left.remaining is not remaining:
            left = None if remaining is None else TimeLeft(remaining)
        token = _left.set(left)
        try:
            yield
        finally:
            _left.reset(token)

    def attempts(self) -> Iterator[int]:
        """Yield the number of each attempt, from 0, pausing before all but the first, until tries or time run out."""
        for number in range(self.max_tries):
            if number and not self.pause(number):
                return
            yield number

    def pause(self, number: int = 1) -> bool:
        """Pause before the attempt of this number, and return true. Return false at once if there is no time for it."""
        bound = min(_LONGEST_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2**number)
        pause = random.uniform(0, bound)  # noqa: S311 - spreads load, protects no secret
        if self.remaining_seconds is not None and not self.remaining_seconds() > pause:
            return False
        self.sleep(pause)
        return True


def no_time_left() -> UnavailableError:
    """Return the error for work that is not begun because the caller has no time left for it."""
    return UnavailableError("There was no time left for this. Nothing was changed. Send it again.")
