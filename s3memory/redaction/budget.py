"""Limits the processor time that your own rules may take for one text."""

from __future__ import annotations

import time
from collections.abc import Callable

from s3memory.redaction.refusals import UncheckedTextError


class Budget:
    """A budget of `seconds` of this thread's processor time, which `clock` measures."""

    def __init__(self, seconds: float, *, clock: Callable[[], float] = time.thread_time) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def check(self) -> None:
        """Raise an `UncheckedTextError` if the budget is spent."""
        if self._clock() > self._end:
            raise UncheckedTextError("slow")
