"""The results of checks, and how the server's responses become results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple

from s3memory.admin.long_jobs import code_of
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

# S3 answers 405 to requests for the settings of a bucket of another account.
_FORBIDDEN_CODES = NOT_ALLOWED_CODES | {"MethodNotAllowed", "UnauthorizedAccess"}
OUTAGE = frozenset({RequestOutcome.UNKNOWN, RequestOutcome.NOT_DONE})
"""The server did not answer, or can't answer now: that does not show how it handles the request."""


class Status(StrEnum):
    """The result of a check."""

    GOOD = "good"
    """It was observed to be as this package expects."""
    WEAKER = "weaker"
    """A guarantee is weaker here than on S3 with the deployment that ``terraform/`` makes."""
    WRONG = "wrong"
    """A requirement of this package is not met. Do not use the deployment like this."""
    UNCHECKED = "not checked"
    """It could not be checked. That is neither a good sign nor a bad one."""


@dataclass(frozen=True, slots=True)
class Check:
    """A check that was run.

    Attributes:
        name: its name, as in ``docs/operations.md``.
        status: the result.
        found: what was observed.
        follows: the consequences for users, or what to do; empty if all is good.
    """

    name: str
    status: Status
    found: str
    follows: str = ""


class Verdict(NamedTuple):
    """The result of a check function: a `Check` without its name."""

    status: Status
    found: str
    follows: str = ""


good = partial(Verdict, Status.GOOD)
weaker = partial(Verdict, Status.WEAKER)
wrong = partial(Verdict, Status.WRONG)
unchecked = partial(Verdict, Status.UNCHECKED)


@dataclass(frozen=True, slots=True)
class Answer:
    """A server's answer to one request.

    Attributes:
        outcome: the meaning of a refusal; `None` if the request was carried out.
        code: the error code of a refusal; otherwise empty.
        fields: the fields of the response; empty for a refusal.
    """

    outcome: RequestOutcome | None
    code: str
    fields: Any

    @property
    def said(self) -> str:
        """The answer in one word."""
        return self.code or "done"


class NoProbeError(Exception):
    """The server refused to store the object that a check needs, with this code. Another check reports that."""


def answer_to(request: Callable[..., Any], /, **fields: Any) -> Answer:
    """Send a request, and return the server's answer, even if it is a refusal.

    Raises:
        Exception: one of `aws_errors`: the credentials are invalid or lack permission, or the server did not answer.
    """
    try:
        return Answer(None, "", request(**fields))
    except aws_errors() as error:
        if not is_answer(error) or outcome_of(error) in {RequestOutcome.DENIED, *OUTAGE}:
            raise
        return Answer(outcome_of(error), error_code(error), {})


def result_of(request: Callable[..., Any], /, **fields: Any) -> Answer:
    """Send a request, and return the outcome. An outage counts as an answer as well.

    Raises:
        Exception: one of `aws_errors`: the credentials are invalid or lack permission.
    """
    try:
        return answer_to(request, **fields)
    except aws_errors() as error:
        if outcome_of(error) is RequestOutcome.DENIED:
            raise
        return Answer(outcome_of(error), error_code(error), {})


def is_forbidden(request: Callable[..., Any], /, **fields: Any) -> bool:
    """Send a request that should be refused. Return whether it was refused for lack of permission.

    Raises:
        Exception: one of `aws_errors` that does not show whether a policy allows the request.
    """
    try:
        request(**fields)
    except aws_errors() as error:
        if error_code(error) in _FORBIDDEN_CODES:
            return True
        outcome = outcome_of(error)
        # If the server has looked for the object, or tried the ciphertext, no policy forbids the request.
        is_allowed = outcome is RequestOutcome.MISSING or (outcome is RequestOutcome.FAILED and has_code(error))
        if not (is_answer(error) and is_allowed):
            raise
    return False


def is_forbidding(error: BackendError) -> bool:
    """Return whether a key wrapper lacks permission, as opposed to a wrong key or wrong credentials."""
    return error.code in _FORBIDDEN_CODES


def run_check(check: Callable[[], Verdict], *, follows: str, asks_other_services: bool = False) -> Verdict:
    """Run a check. If it fails, return why it could not be made, and what the user can do about that.

    Args:
        check: the check.
        follows: what to do if these credentials lack permission for the check.
        asks_other_services: it also sends requests to KMS or DynamoDB. No other check depends on these, so any failure
            is reported and none is raised.

    Raises:
        BackendError: S3 did not answer, or the credentials or the bucket are wrong. Every check would fail like this.
    """
    try:
        return check()
    except NoProbeError as error:
        return unchecked(f"the server did not store the object that this needs ({error})", follows)
    except BackendError as error:  # from the key wrapper
        return _failed(error, follows, ends=not asks_other_services)
    except aws_errors() as error:
        is_said = is_answer(error) and outcome_of(error) not in {RequestOutcome.DENIED, RequestOutcome.NOT_DONE}
        failure = to_backend_error(error)
        failure.__cause__ = error
        return _failed(failure, follows, ends=not is_said and not asks_other_services)


def _failed(error: BackendError, follows: str, *, ends: bool) -> Verdict:
    """Return the verdict of a check that failed with `error`. Raise the error if it `ends` the examination."""
    if is_forbidding(error):
        return unchecked(f"these credentials may not look ({error.code})", follows)
    if ends:
        raise error
    again = "Run it again." if isinstance(error, UnavailableError) else follows
    return unchecked(f"the server could not say ({code_of(error)})", again)
