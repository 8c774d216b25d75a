"""All attempts of one write, including botocore's own retries, and what their responses prove together.

Two things prove that nothing was changed: an error before the first byte was sent, and S3's refusal of the first
attempt. A 5xx (throttling included), a ``RequestTimeout`` and a proxy's response in S3's place prove nothing. After an
attempt without a response, later responses prove nothing about it: a 404 or 412 may be its own effect, or another
writer's. If the outcome is unknown, the stored object can settle it (the salt of a sealed text is unique to its
write); otherwise it is reported as unknown. ``docs/semantics.md`` has the table.

botocore retries by itself and shows only the last response, but an earlier attempt whose response proves nothing may
have been carried out. This module records, for each write, whether there was such an attempt.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, Self

from s3memory.aws.errors import (
    AnswerError,
    RequestOutcome,
    aws_errors,
    error_code,
    has_code,
    is_answer,
    outcome_of,
    to_backend_error,
)
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import BackendError, OutcomeUnknownError

# After this many attempts without a response, the outcome is left unknown.
_MAX_UNANSWERED = 2
_READING = frozenset({"GET", "HEAD"})
_calls = threading.local()


def record_attempts(client: Any) -> None:
    """Record the attempts of this client's requests from now on. A client that reports none is taken to try once."""
    aws_errors()  # loads the code that sorts errors: once one occurs, the process may have no file descriptors left
    events = getattr(client.meta, "events", None)
    if events is not None:
        events.register("needs-retry", _on_needs_retry, unique_id="s3memory-attempts")
    watch_attempts = getattr(client.meta, "watch_attempts", None)
    if watch_attempts is not None:
        watch_attempts(_record)


class Write:
    """One write with all its attempts. Each attempt is a context that records the requests of this thread.

    A failed attempt leaves its context without raising: the attributes then hold what is known.

    Args:
        only_once: never resend the write once it may have been carried out, not even by botocore.

    Attributes:
        may_be_done: whether an attempt got no response, or one that proves nothing.
        failure: the error of the last failed attempt; `None` if none failed.
        outcome: the outcome that this error stands for.
    """

    def __init__(self, *, only_once: bool = False) -> None:
        self.only_once = only_once
        self.may_be_done = False
        self.failure: Exception | None = None
        self.outcome = RequestOutcome.FAILED

    def attempts(self, retry: RetryPolicy) -> Iterator[Self]:
        """Yield this write for each attempt: again after a conflict, or after no response, where that is safe."""
        unanswered = 0
        for _ in retry.attempts():
            yield self
            if self.outcome is RequestOutcome.UNKNOWN and not self.only_once:
                unanswered += 1
                if unanswered < _MAX_UNANSWERED:
                    continue
            if self.outcome is not RequestOutcome.CONFLICT:
                return

    def __enter__(self) -> None:
        # There may be an outer write: a hook on a client may write as well.
        self._around: Write | None = getattr(_calls, "current", None)
        _calls.current = self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        _calls.current = self._around  # this thread's next request is not an attempt of this write
        if not isinstance(error, aws_errors()):
            return False
        self.failure, self.outcome = error, self.note(error)
        return True

    def note(self, error: Exception) -> RequestOutcome:
        """Record how an attempt failed, and return its outcome.

        A refusal without an error code is not from S3: a proxy can return 403 for a request that it has forwarded.
        """
        outcome = outcome_of(error)
        if is_answer(error) and not has_code(error):
            outcome = RequestOutcome.UNKNOWN
        if outcome is RequestOutcome.UNKNOWN:
            self.may_be_done = True
        return outcome

    def error(self) -> BackendError:
        """Return the error to raise for this failed write, according to what is known about it."""
        if self.may_be_done:
            return outcome_unknown(self.failure)
        if self.failure is None:
            raise AssertionError("there is always a first try")
        return to_backend_error(self.failure)


def outcome_unknown(failure: Exception | None, *, code: str | None = None) -> OutcomeUnknownError:
    """Return the error for a write that may or may not have been carried out.

    The text is fixed by the contract. It is the same if a response came that proves nothing; the code says which.

    Args:
        failure: the error of the last attempt, if there is one.
        code: the error code to use otherwise.
    """
    return OutcomeUnknownError(
        "The memory store did not answer, and it is not known whether the change was made. "
        "View the file before trying again.",
        code=code if failure is None else error_code(failure),
    )


def _on_needs_retry(
    *, response: Any = None, caught_exception: Exception | None = None, operation: Any = None, **_: object
) -> None:
    if operation is not None and operation.http["method"] in _READING:
        return  # such as botocore's own lookup of the bucket's region: a response to a HEAD has no code
    error = caught_exception
    if error is None and response is not None and response[0].status_code >= 300:  # noqa: PLR2004 - no success
        code = response[1].get("Error", {}).get("Code", "unknown")
        error = AnswerError(status=response[0].status_code, code=code)
    if error is not None:
        _record(error)


def _record(error: Exception) -> None:
    call: Write | None = getattr(_calls, "current", None)
    if call is not None:
        call.note(error)
        if call.only_once and call.may_be_done:
            raise error  # instead of pausing for the next attempt
