"""Whether Linux lets other processes of the same user read this process's memory and environment ("dumpable")."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LIBC: Any = ctypes.CDLL(None)
_PR_GET_DUMPABLE, _PR_SET_DUMPABLE = 3, 4  # of <linux/prctl.h>


def is_dumpable() -> bool:
    """Whether they may. On other systems, `True`: nothing prevents it."""
    return sys.platform != "linux" or _prctl(_PR_GET_DUMPABLE) == 1


@contextmanager
def dumpable_again() -> Iterator[None]:
    """Undo afterwards what a command does to its process for good: this process has more tests to run."""
    before = is_dumpable()
    try:
        yield
    finally:
        if before and not is_dumpable():
            _prctl(_PR_SET_DUMPABLE, 1)


def _prctl(option: int, value: int = 0) -> int:
    done: int = _LIBC.prctl(option, *map(ctypes.c_ulong, (value, 0, 0, 0)))
    return done
