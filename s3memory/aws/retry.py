"""How often something is tried again, how long it waits in between, and when the caller's time is up."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

from s3memory.errors import UnavailableError

_FIRST_PAUSE_SECONDS = 0.02
_LONGEST_PAUSE_SECONDS = 1.0


class RetryPolicy:
    """Bounded tries with full jitter: each pause is drawn from nought to a bound that doubles.

    Args:
        max_tries: tries in all, the first one included.
        remaining_seconds: how much time the caller has left, such as a Lambda's; no try begins without any.
        sleep: waits for so many seconds.
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
        return self.remaining_seconds is not None and self.remaining_seconds() <= 0

    def ensure_time(self) -> None:
        """Raise `UnavailableError` if the caller has no time left for what is about to begin."""
        if self.is_over:
            raise UnavailableError("There was no time left for this. Nothing was changed. Send it again.")

    def tries(self) -> Iterator[int]:
        """Yield the number of each try, from 0, pausing before all but the first, until tries or time run out."""
        for number in range(self.max_tries):
            if number and not self.pause(number):
                return
            yield number

    def pause(self, number: int = 1) -> bool:
        """Pause before a try of this number. Return whether there is time for that; if not, it does not pause."""
        bound = min(_LONGEST_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2**number)
        pause = random.uniform(0, bound)  # noqa: S311 - spreads load, guards no secret
        if self.remaining_seconds is not None and self.remaining_seconds() <= pause:
            return False
        self.sleep(pause)
        return True
