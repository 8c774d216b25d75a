"""The deadline of a call. The server sets it, and the store checks it before each attempt."""

from __future__ import annotations

import math
import time
from contextvars import ContextVar

CALL_SECONDS = 30.0
"""How long a call over HTTP may take, including the wait for a thread. A call with no time left changes nothing."""

_ends: ContextVar[float] = ContextVar("s3memory-mcp-deadline", default=math.inf)


def end_in(seconds: float) -> None:
    """Set the deadline of this context to `seconds` from now, unless it is already earlier."""
    _ends.set(min(_ends.get(), time.monotonic() + seconds))


def remaining_seconds() -> float:
    """Return how many seconds are left in this context."""
    return _ends.get() - time.monotonic()
