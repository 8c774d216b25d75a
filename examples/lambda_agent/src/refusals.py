"""Maps errors to answers for the caller: an HTTP status, a code, and after how long to try again."""

from __future__ import annotations

import math
from typing import Final

import anthropic
from api_key import ApiKeyError, ApiKeyUnavailableError
from caller import Refusal
from claude import BusyError, UnreadableAnswerError, is_temporary, retry_after_seconds
from in_time import OutOfTimeError

from s3memory import S3MemoryError
from s3memory.errors import (
    AccessDeniedError,
    KeyRingError,
    LimitError,
    OutcomeUnknownError,
    ReadOnlyError,
    UnavailableError,
)

_TRY_AGAIN_SECONDS = 5
_AT_MOST_SECONDS = 3600

ANSWERED: Final = (
    S3MemoryError,
    anthropic.APIError,
    OutOfTimeError,
    BusyError,
    UnreadableAnswerError,
    ApiKeyUnavailableError,
    ApiKeyError,
)


def refusal_for(error: Exception, remaining_seconds: float) -> Refusal | None:
    """Return the answer for the caller, without details of the error; ``None`` if this program is at fault."""
    if remaining_seconds <= 0:
        return Refusal(504, "timeout", retry_after_seconds=_TRY_AGAIN_SECONDS)
    if isinstance(error, anthropic.APIStatusError):
        busy = is_temporary(error.status_code, error.response.headers)
        return Refusal(503, "model_busy", retry_after_seconds=_pause_seconds(error)) if busy else None
    for kinds, status, code in _REFUSALS:
        if isinstance(error, kinds):
            return Refusal(status, code, retry_after_seconds=None if code in _LASTING else _pause_seconds(error))
    return None


_REFUSALS: Final[tuple[tuple[tuple[type[Exception], ...], int, str], ...]] = (
    ((OutOfTimeError,), 504, "timeout"),
    ((BusyError,), 503, "model_busy"),
    ((anthropic.APIConnectionError, UnreadableAnswerError, ApiKeyUnavailableError), 503, "model_unavailable"),
    ((UnavailableError, OutcomeUnknownError), 503, "memory_unavailable"),
    ((AccessDeniedError, KeyRingError), 503, "memory_locked"),  # a policy, or a key that is disabled or gone
    # Claude reads the errors of its own writes as tool results. These two come from storing the conversation.
    ((LimitError,), 507, "memory_full"),
    ((ReadOnlyError,), 403, "memory_read_only"),
)
_LASTING: Final = frozenset({"memory_locked", "memory_full", "memory_read_only"})
"""Only an operator can resolve these; a retry can't."""


def _pause_seconds(error: Exception) -> int:
    asked = 0.0
    if isinstance(error, BusyError):
        asked = error.retry_after_seconds
    elif isinstance(error, anthropic.APIStatusError):
        asked = retry_after_seconds(error.response.headers)
    if not math.isfinite(asked):
        asked = _AT_MOST_SECONDS
    return math.ceil(min(max(asked, _TRY_AGAIN_SECONDS), _AT_MOST_SECONDS))
