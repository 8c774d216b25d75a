"""Long texts are looked through one after another: side by side they would take as long, and keep all others waiting.

Python runs one thread at a time. With many that compute, a thread with little to do, such as an event loop, waits for
each of them before it is its turn again: 50 texts of 90 kB at once kept one waiting for seconds.
"""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext

from s3memory._forks import OfOneProcess

# A shorter text is looked through in the time that a thread has anyway before another's turn.
_LONG_CHARS = 8_192


class _Turns(OfOneProcess):
    def begin_anew(self) -> None:
        # One's own rule may itself redact.
        self._lock = threading.RLock()

    def for_text(self, text: str) -> AbstractContextManager[object]:
        return self._lock if len(text) > _LONG_CHARS else nullcontext()


_turns = _Turns()


def for_text(text: str) -> AbstractContextManager[object]:
    """Return what to look through a text in."""
    return _turns.for_text(text)
