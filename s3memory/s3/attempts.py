"""The tries of one write, botocore's own among them, and what their answers prove together.

Only an error before the first byte was sent, or S3's refusal of the first try, proves that nothing was done. A 5xx
proves nothing, throttling included, and neither does a ``RequestTimeout``, nor what a proxy says in S3's place.
Whatever comes after a try without an answer proves nothing about that try: a 404 or 412 may be its own result, or
somebody else's work. What is unknown is settled by what is stored, where that tells (the salt of a sealed text is its
write's alone), or reported as unknown. ``docs/semantics.md`` has the table.

botocore tries again by itself and shows only the last answer. A try whose answer proves nothing may have been carried
out all the same; this remembers whether there was one, call by call.
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

# After so many tries without an answer the outcome is left open rather than waited for.
_MAX_UNANSWERED = 2
_READING = frozenset({"GET", "HEAD"})
_calls = threading.local()


def note_tries(client: Any) -> None:
    """Note the tries of a client's requests from now on. A client that reports none tries once."""
    aws_errors()  # loads what sorts them: once an error is there, there may be no file left to load it from
    events = getattr(client.meta, "events", None)
    if events is not None:
        events.register("needs-retry", _note, unique_id="s3memory-attempts")
    watch_tries = getattr(client.meta, "watch_tries", None)
    if watch_tries is not None:
        watch_tries(_noted)


class Write:
    """One write, with all its tries. Each try is a context, in which those of this thread's requests are noted.

    A try that fails ends its context without an error: what is known then is in the attributes.

    Args:
        only_once: it is not sent again once it may have been carried out, not even by botocore.

    Attributes:
        may_be_done: whether a try had an answer that proves nothing, or none.
        failure: how the last try failed; `None` before one did.
        outcome: how that is sorted.
    """

    def __init__(self, *, only_once: bool = False) -> None:
        self.only_once = only_once
        self.may_be_done = False
        self.failure: Exception | None = None
        self.outcome = RequestOutcome.FAILED

    def tries(self, retry: RetryPolicy) -> Iterator[Self]:
        """Yield this for each try: again after a conflict, and where no answer came but the condition makes it safe."""
        unanswered = 0
        for _ in retry.tries():
            yield self
            if self.outcome is RequestOutcome.UNKNOWN and not self.only_once:
                unanswered += 1
                if unanswered < _MAX_UNANSWERED:
                    continue
            if self.outcome is not RequestOutcome.CONFLICT:
                return

    def __enter__(self) -> None:
        # There may be one around it: a hook on a client may write as well.
        self._around: Write | None = getattr(_calls, "current", None)
        _calls.current = self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        _calls.current = self._around  # what this thread reads next is not a try of this write
        if not isinstance(error, aws_errors()):
            return False
        self.failure, self.outcome = error, self.note(error)
        return True

    def note(self, error: Exception) -> RequestOutcome:
        """Note how a try failed, and return how that is sorted.

        A refusal without an error code is not S3's: a proxy can say 403 of a request that it has passed on.
        """
        outcome = outcome_of(error)
        if is_answer(error) and not has_code(error):
            outcome = RequestOutcome.UNKNOWN
        if outcome is RequestOutcome.UNKNOWN:
            self.may_be_done = True
        return outcome

    def error(self) -> BackendError:
        """Return the error of a write that failed, and why, by what is known of it."""
        if self.may_be_done:
            return outcome_unknown(self.failure)
        if self.failure is None:
            raise AssertionError("there is always a first try")
        return to_backend_error(self.failure)


def outcome_unknown(failure: Exception | None, *, code: str | None = None) -> OutcomeUnknownError:
    """Return the error of a write that may or may not have been carried out.

    Its text is the contract's, also where there was an answer that proves nothing: its code tells which.

    Args:
        failure: how its last try failed, if that is known.
        code: what is known of the reason otherwise.
    """
    return OutcomeUnknownError(
        "The memory store did not answer, and it is not known whether the change was made. "
        "View the file before trying again.",
        code=code if failure is None else error_code(failure),
    )


def _note(
    *, response: Any = None, caught_exception: Exception | None = None, operation: Any = None, **_: object
) -> None:
    if operation is not None and operation.http["method"] in _READING:
        return  # botocore's own look for the bucket's region, say: an answer to a HEAD has no code
    error = caught_exception
    if error is None and response is not None and response[0].status_code >= 300:  # noqa: PLR2004 - no success
        code = response[1].get("Error", {}).get("Code", "unknown")
        error = AnswerError(status=response[0].status_code, code=code)
    if error is not None:
        _noted(error)


def _noted(error: Exception) -> None:
    call: Write | None = getattr(_calls, "current", None)
    if call is not None:
        call.note(error)
        if call.only_once and call.may_be_done:
            raise error  # in place of the pause before the next try
