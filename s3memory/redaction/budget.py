"""The processor time that rules of one's own may take."""

from __future__ import annotations

import time
from collections.abc import Callable

from s3memory.redaction.refusals import UncheckedTextError


class Budget:
    """The processor time that rules of one's own may take for one text, from the first time that it is checked.

    Args:
        seconds: how much there is.
        clock: tells the processor time of this thread, in seconds.
    """

    def __init__(self, seconds: float, *, clock: Callable[[], float] = time.thread_time) -> None:
        self._seconds = seconds
        self._clock = clock
        self._end: float | None = None

    def check(self) -> None:
        """Refuse the text if the time is over.

        Raises:
            UncheckedTextError: it is.
        """
        now = self._clock()
        if self._end is None:
            self._end = now + self._seconds
        if now > self._end:
            raise UncheckedTextError("slow")
