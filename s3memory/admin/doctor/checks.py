"""What a check says, and how an answer of the server becomes one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple

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
from s3memory.errors import AccessDeniedError

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
    """The server did not take the object that a check needs; what is wrong with that is another check's to say."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


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


def is_forbidding(error: AccessDeniedError) -> bool:
    """Whether a key wrapper was refused for want of permission, and not because key or credentials are wrong."""
    return error.code in _FORBIDDEN_CODES


def looked_at(look: Callable[[], Verdict], *, follows: str) -> Verdict:
    """Return what `look` finds, or that it was not allowed to look, and what the user can do to have it checked.

    Raises:
        BackendError: the server did not answer, or the credentials or the bucket are wrong.
    """
    try:
        return look()
    except NoProbeError as error:
        return unchecked(f"the server did not store what it takes to see ({error.code})", follows)
    except AccessDeniedError as error:  # the key wrapper's
        if not is_forbidding(error):
            raise
        return unchecked(f"these credentials may not look ({error.code})", follows)
    except aws_errors() as error:
        code = error_code(error)
        if code in _FORBIDDEN_CODES:
            return unchecked(f"these credentials may not look ({code})", follows)
        outcome = outcome_of(error)
        if is_answer(error) and outcome not in {RequestOutcome.DENIED, RequestOutcome.NOT_DONE}:
            again = "Run it again." if outcome is RequestOutcome.UNKNOWN else follows
            return unchecked(f"the server could not say ({code})", again)
        raise to_backend_error(error) from error
