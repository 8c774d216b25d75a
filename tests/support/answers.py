"""What each kind of response proves about a write: the table of `docs/semantics.md`, to which tests hold the program.

`Write.note` in `s3memory.s3.attempts` decides this, from the way `s3memory.aws.errors` classifies the response.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from s3memory.aws.errors import RequestOutcome


class Proof(Enum):
    """What is known about a write."""

    DONE = auto()
    NOT_DONE = auto()
    UNKNOWN = auto()


class AnswerRow(NamedTuple):
    """A kind of response, the same for every kind of write: PUT of a new object, PUT over one, DELETE, DeleteObjects.

    Attributes:
        answer: the response, or its absence.
        outcome: how it is classified; `None` for success.
        first: what it proves on the first attempt.
        later: what it proves after an attempt that got no response.
    """

    answer: str
    outcome: RequestOutcome | None
    first: Proof
    later: Proof


_REFUSED = (Proof.NOT_DONE, Proof.UNKNOWN)
_NO_PROOF = (Proof.UNKNOWN, Proof.UNKNOWN)

TABLE = (
    AnswerRow("success", None, Proof.DONE, Proof.DONE),
    AnswerRow("name not resolved", RequestOutcome.NOT_DONE, *_REFUSED),
    AnswerRow("connection refused", RequestOutcome.NOT_DONE, *_REFUSED),
    AnswerRow("connect timeout", RequestOutcome.NOT_DONE, *_REFUSED),
    AnswerRow("TLS handshake failed", RequestOutcome.NOT_DONE, *_REFUSED),
    AnswerRow("TLS damaged after sending", RequestOutcome.UNKNOWN, *_NO_PROOF),
    AnswerRow("read timeout", RequestOutcome.UNKNOWN, *_NO_PROOF),
    AnswerRow("connection reset", RequestOutcome.UNKNOWN, *_NO_PROOF),
    AnswerRow("400 RequestTimeout", RequestOutcome.UNKNOWN, *_NO_PROOF),
    AnswerRow("403 AccessDenied", RequestOutcome.DENIED, *_REFUSED),
    AnswerRow("404 NoSuchKey", RequestOutcome.MISSING, *_REFUSED),
    AnswerRow("409 ConditionalRequestConflict", RequestOutcome.CONFLICT, *_REFUSED),
    AnswerRow("412 PreconditionFailed", RequestOutcome.PRECONDITION_FAILED, *_REFUSED),
    AnswerRow("429 SlowDown", RequestOutcome.NOT_DONE, *_REFUSED),
    AnswerRow("a refusal without an error code of S3", RequestOutcome.UNKNOWN, *_NO_PROOF),
    AnswerRow("a success that is not S3's, such as a web page", RequestOutcome.UNKNOWN, *_NO_PROOF),
    AnswerRow("an informational answer, such as 103", RequestOutcome.UNKNOWN, *_NO_PROOF),
    AnswerRow("500 InternalError", RequestOutcome.UNKNOWN, *_NO_PROOF),
    AnswerRow("503 SlowDown", RequestOutcome.UNKNOWN, *_NO_PROOF),
    AnswerRow("503 ServiceUnavailable", RequestOutcome.UNKNOWN, *_NO_PROOF),
    # Errors by key, inside a 200 response to DeleteObjects.
    AnswerRow("200 with PreconditionFailed for a key", RequestOutcome.PRECONDITION_FAILED, *_REFUSED),
    AnswerRow("200 with InternalError, SlowDown or ServiceUnavailable for a key", RequestOutcome.UNKNOWN, *_NO_PROOF),
    AnswerRow("200 with AccessDenied for a key", RequestOutcome.DENIED, *_REFUSED),
)
"""Every kind of response that the package tells apart."""
