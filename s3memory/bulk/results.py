"""The result of work on one object, in the terms of S3 Batch Operations."""

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
    """The invocation is about to end, so the object is left for a retry."""


class Code(StrEnum):
    """Tells the engine whether to send the object again."""

    SUCCEEDED = "Succeeded"
    """The work was done, or there was nothing to do, for example because it was done before."""
    TEMPORARY = "TemporaryFailure"
    """The work was not done, but a retry may succeed."""
    PERMANENT = "PermanentFailure"
    """The work was not done, and a retry will not help; or a check found a fault in the object."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result for one object.

    Attributes:
        code: the result for the engine.
        text: the result for people: a fixed word, kinds and counts. Reports keep it, so it holds no name or content.
    """

    code: Code
    text: str


done = partial(Result, Code.SUCCEEDED)
again = partial(Result, Code.TEMPORARY)
wrong = partial(Result, Code.PERMANENT)


def result_of(work: Callable[[], Result]) -> Result:
    """Return the result of work on one object. An exception becomes a result, so that work on other objects goes on."""
    try:
        return work()
    except S3MemoryError as error:
        return next(result for kind, result in _MEANINGS if isinstance(error, kind))
    except Exception as error:  # noqa: BLE001 - a bug of ours with one object must not hide the results of the others
        _log.error("bulk work met an internal error (%s)", type(error).__name__)
        return wrong("internal-error")


# The first match counts, so subclasses come before their base classes.
_MEANINGS: tuple[tuple[type[S3MemoryError], Result], ...] = (
    (AccessDeniedError, wrong("access-denied")),
    (ConflictError, again("contended")),
    (OutOfTimeError, again("no-time")),
    # All work here can be repeated, even if its outcome is unknown.
    *((kind, again("unavailable")) for kind in (UnavailableError, OutcomeUnknownError, UnfinishedError)),
    (BackendError, wrong("refused-by-store")),  # such as an object in an archive storage class
    (KeyRingError, wrong("no-key")),
    (IntegrityError, wrong("does-not-open")),
    (RedactionError, wrong("could-not-be-checked")),
    (S3MemoryError, wrong("refused")),
)
