"""What an answer proves about a write: done, not done, or unknown. The one table; ``docs/semantics.md`` shows it.

Only an error before the first byte was sent, or a refusal of the first try, proves that nothing was done. A 5xx proves
nothing, throttling included, and neither does a ``RequestTimeout``. Whatever comes after a try without an answer proves
nothing about that try: a 404 or 412 may be its own result, or somebody else's work. What is unknown is settled by what
is stored, where that tells (the salt of a sealed text is its write's alone), or reported as unknown.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from s3memory.aws.errors import Outcome


class Proof(Enum):
    """What is known of a write."""

    DONE = auto()
    NOT_DONE = auto()
    UNKNOWN = auto()


class Row(NamedTuple):
    """A kind of answer, the same for every kind of write: PUT where nothing is, PUT over, DELETE, DeleteObjects.

    Attributes:
        answer: what comes back, or does not.
        outcome: how it is sorted; `None` for success.
        first: what it proves on the first try.
        later: what it proves after a try without an answer.
    """

    answer: str
    outcome: Outcome | None
    first: Proof
    later: Proof


_REFUSED = (Proof.NOT_DONE, Proof.UNKNOWN)
_NO_PROOF = (Proof.UNKNOWN, Proof.UNKNOWN)

TABLE = (
    Row("success", None, Proof.DONE, Proof.DONE),
    Row("name not resolved", Outcome.NOT_DONE, *_REFUSED),
    Row("connection refused", Outcome.NOT_DONE, *_REFUSED),
    Row("connect timeout", Outcome.NOT_DONE, *_REFUSED),
    Row("TLS handshake failed", Outcome.NOT_DONE, *_REFUSED),
    Row("TLS damaged after sending", Outcome.UNKNOWN, *_NO_PROOF),
    Row("read timeout", Outcome.UNKNOWN, *_NO_PROOF),
    Row("connection reset", Outcome.UNKNOWN, *_NO_PROOF),
    Row("400 RequestTimeout", Outcome.UNKNOWN, *_NO_PROOF),
    Row("403 AccessDenied", Outcome.DENIED, *_REFUSED),
    Row("404 NoSuchKey", Outcome.MISSING, *_REFUSED),
    Row("409 ConditionalRequestConflict", Outcome.CONFLICT, *_REFUSED),
    Row("412 PreconditionFailed", Outcome.PRECONDITION_FAILED, *_REFUSED),
    Row("500 InternalError", Outcome.UNKNOWN, *_NO_PROOF),
    Row("503 SlowDown", Outcome.UNKNOWN, *_NO_PROOF),
    Row("503 ServiceUnavailable", Outcome.UNKNOWN, *_NO_PROOF),
    # Errors by key, inside a 200 of DeleteObjects.
    Row("200 with PreconditionFailed for a key", Outcome.PRECONDITION_FAILED, *_REFUSED),
    Row("200 with InternalError, SlowDown or ServiceUnavailable for a key", Outcome.UNKNOWN, *_NO_PROOF),
    Row("200 with AccessDenied for a key", Outcome.DENIED, *_REFUSED),
)
"""Every kind of answer that the package tells apart."""


def proof(outcome: Outcome | None, *, after_unanswered: bool) -> Proof:
    """Return what an answer proves about a write.

    Args:
        outcome: how the answer is sorted; `None` for success.
        after_unanswered: an earlier try of the same write had an answer that proves nothing, or none.
    """
    if outcome is None:
        return Proof.DONE
    return Proof.UNKNOWN if after_unanswered or outcome is Outcome.UNKNOWN else Proof.NOT_DONE
