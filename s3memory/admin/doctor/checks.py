"""What a check says, and how an answer of the server becomes one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple

from s3memory.admin.walks import code_of
from s3memory.aws.errors import (
    NOT_ALLOWED_CODES,
    RequestOutcome,
    aws_errors,
    error_code,
    has_code,
    is_answer,
    outcome_of,
    to_backend_error,
)
from s3memory.errors import BackendError, UnavailableError

# S3 says 405 of the settings of a bucket that belongs to another account.
_FORBIDDEN_CODES = NOT_ALLOWED_CODES | {"MethodNotAllowed", "UnauthorizedAccess"}
# The server did not answer, or can't answer now: that says nothing of what it does with the request.
_OUTAGE = frozenset({RequestOutcome.UNKNOWN, RequestOutcome.NOT_DONE})


class Status(StrEnum):
    """How a check ended."""

    GOOD = "good"
    """As this package expects it, and seen to be so."""
    WEAKER = "weaker"
    """A promise is weaker here than on S3 with the deployment that ``terraform/`` makes."""
    WRONG = "wrong"
    """Something does not hold on which memory rests. Do not use it like this."""
    UNCHECKED = "not checked"
    """It could not be looked at. That is neither a good sign nor a bad one."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        name: what it is called, as in ``docs/operations.md``.
        status: how it ended.
        found: what was seen.
        follows: what follows for who uses it, or what to do; empty where all is good.
    """

    name: str
    status: Status
    found: str
    follows: str = ""


class Verdict(NamedTuple):
    """What a check comes to: all of `Check` but its name."""

    status: Status
    found: str
    follows: str = ""


good = partial(Verdict, Status.GOOD)
weaker = partial(Verdict, Status.WEAKER)
wrong = partial(Verdict, Status.WRONG)
unchecked = partial(Verdict, Status.UNCHECKED)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said to one request: what its refusal means, if it was one, and its code; and what it answered."""

    outcome: RequestOutcome | None
    code: str
    fields: Any

    @property
    def said(self) -> str:
        """The answer in a word."""
        return self.code or "done"


class NoProbeError(Exception):
    """The server did not take the object that a check needs, and said this code: that is another check's to report."""


def answer_to(request: Callable[..., Any], /, **fields: Any) -> Answer:
    """Send a request, and return what the server said to it, be it a refusal.

    Raises:
        Exception: one of `aws_errors`: these credentials may not ask, or are none, or the server could not say.
    """
    try:
        return Answer(None, "", request(**fields))
    except aws_errors() as error:
        if not is_answer(error) or outcome_of(error) in {RequestOutcome.DENIED, *_OUTAGE}:
            raise
        return Answer(outcome_of(error), error_code(error), {})


def result_of(request: Callable[..., Any], /, **fields: Any) -> Answer:
    """Send a request, and return what came of it: an outage is an answer as well.

    Raises:
        Exception: one of `aws_errors`: these credentials may not ask, or are none.
    """
    try:
        return answer_to(request, **fields)
    except aws_errors() as error:
        if outcome_of(error) is RequestOutcome.DENIED:
            raise
        return Answer(outcome_of(error), error_code(error), {})


def is_forbidden(request: Callable[..., Any], /, **fields: Any) -> bool:
    """Send a request that is to be refused. Return whether it was, for want of permission.

    Raises:
        Exception: one of `aws_errors`, which does not show whether a policy lets the request through.
    """
    try:
        request(**fields)
    except aws_errors() as error:
        if error_code(error) in _FORBIDDEN_CODES:
            return True
        outcome = outcome_of(error)
        # A server that looks for the object, or into a ciphertext, has let the request through.
        is_let_through = outcome is RequestOutcome.MISSING or (outcome is RequestOutcome.FAILED and has_code(error))
        if not (is_answer(error) and is_let_through):
            raise
    return False


def is_forbidding(error: BackendError) -> bool:
    """Whether a key wrapper was refused for want of permission, and not because key or credentials are wrong."""
    return error.code in _FORBIDDEN_CODES


def looked_at(look: Callable[[], Verdict], *, follows: str, is_beside_s3: bool = False) -> Verdict:
    """Return what `look` finds, or why it could not be looked at, and what the user can do to have it checked.

    Args:
        look: makes the check.
        follows: what to do where these credentials may not look.
        is_beside_s3: it asks KMS or DynamoDB as well, which no other check depends on: whatever is wrong is reported.

    Raises:
        BackendError: S3 did not answer, or the credentials or the bucket are wrong: what any check would meet.
    """
    try:
        return look()
    except NoProbeError as error:
        return unchecked(f"the server did not store the object that this needs ({error})", follows)
    except BackendError as error:  # the key wrapper's
        return _unseen(error, follows, ends=not is_beside_s3)
    except aws_errors() as error:
        is_said = is_answer(error) and outcome_of(error) not in {RequestOutcome.DENIED, RequestOutcome.NOT_DONE}
        failure = to_backend_error(error)
        failure.__cause__ = error
        return _unseen(failure, follows, ends=not is_said and not is_beside_s3)


def _unseen(error: BackendError, follows: str, *, ends: bool) -> Verdict:
    """Return that something could not be looked at, and why; raise that if it `ends` the examination."""
    if is_forbidding(error):
        return unchecked(f"these credentials may not look ({error.code})", follows)
    if ends:
        raise error
    again = "Run it again." if isinstance(error, UnavailableError) else follows
    return unchecked(f"the server could not say ({code_of(error)})", again)
