"""How long a call may take: the server says it, and the store asks before each try."""

from __future__ import annotations

import math
import time
from contextvars import ContextVar

CALL_SECONDS = 30.0
"""What a call over HTTP may take, with the time that it waits for a thread. What has no time left changes nothing."""

_ends: ContextVar[float] = ContextVar("s3memory-mcp-deadline", default=math.inf)


def end_in(seconds: float) -> None:
    """Let what goes on in this context end in so many seconds, or before if that was said already."""
    _ends.set(min(_ends.get(), time.monotonic() + seconds))


def remaining_seconds() -> float:
    """Return how many seconds are left in this context."""
    return _ends.get() - time.monotonic()
