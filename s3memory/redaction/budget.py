"""The processor time that your own rules may take."""

from __future__ import annotations

import time
from collections.abc import Callable

from s3memory.redaction.refusals import UncheckedTextError


class Budget:
    """The processor time that your own rules may take for one text.

    Args:
        seconds: how much there is.
        clock: tells the processor time of this thread, in seconds.
    """

    def __init__(self, seconds: float, *, clock: Callable[[], float] = time.thread_time) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def check(self) -> None:
        """Refuse the text if the time is over.

        Raises:
            UncheckedTextError: it is.
        """
        if self._clock() > self._end:
            raise UncheckedTextError("slow")
