"""The result of work on one object, in the words of S3 Batch Operations."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from s3memory.errors import (
    AccessDeniedError,
    BackendError,
    ConflictError,
    IntegrityError,
    KeyRingError,
    OutcomeUnknownError,
    RedactionError,
    S3MemoryError,
    UnavailableError,
    UnfinishedError,
)

_log = logging.getLogger("s3memory")


class OutOfTimeError(UnavailableError):
    """The invocation is about to end: the object is left for the next try."""


class Code(StrEnum):
    """Whether an engine is to send the object again."""

    SUCCEEDED = "Succeeded"
    """It was looked at or changed; or there was nothing to do, as when it was done before."""
    TEMPORARY = "TemporaryFailure"
    """It was not, and may be if it is sent again."""
    PERMANENT = "PermanentFailure"
    """It was not, and sending it again is no use; or what was looked at is not as it should be."""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one object.

    Attributes:
        code: for the engine.
        text: for people: a fixed word, kinds and counts. Reports keep it, so it holds no name and no content.
    """

    code: Code
    text: str


done = partial(Result, Code.SUCCEEDED)
again = partial(Result, Code.TEMPORARY)
wrong = partial(Result, Code.PERMANENT)


def result_of(work: Callable[[], Result]) -> Result:
    """Return the result of work on one object. Whatever it raises becomes one: the objects beside it go on."""
    try:
        return work()
    except S3MemoryError as error:
        return next(result for kind, result in _MEANINGS if isinstance(error, kind))
    except Exception as error:  # noqa: BLE001 - a fault of ours in one object must not hide what became of the others
        _log.error("bulk work met an internal error (%s)", type(error).__name__)
        return wrong("internal-error")


# The first that fits, so what is more special comes first.
_MEANINGS: tuple[tuple[type[S3MemoryError], Result], ...] = (
    (AccessDeniedError, wrong("access-denied")),
    (ConflictError, again("contended")),
    (OutOfTimeError, again("no-time")),
    # All work here can be sent again, where its outcome is unknown as well.
    *((kind, again("unavailable")) for kind in (UnavailableError, OutcomeUnknownError, UnfinishedError)),
    (BackendError, wrong("refused-by-store")),  # as what is in an archive's storage class
    (KeyRingError, wrong("no-key")),
    (IntegrityError, wrong("does-not-open")),
    (RedactionError, wrong("could-not-be-checked")),
    (S3MemoryError, wrong("refused")),
)
