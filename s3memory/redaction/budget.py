"""The processor time that your own rules may take for one text."""

from __future__ import annotations

import time
from collections.abc import Callable

from s3memory.redaction.refusals import UncheckedTextError


class Budget:
    """So many seconds of this thread's processor time, as `clock` tells it."""

    def __init__(self, seconds: float, *, clock: Callable[[], float] = time.thread_time) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def check(self) -> None:
        """Refuse the text if the time is over: with an `UncheckedTextError`."""
        if self._clock() > self._end:
            raise UncheckedTextError("slow")
