"""Calls to services and engines with a time limit: once it is reached, the text is refused.

The timeouts of an injected client can't be changed for a single call, and an engine may have none. So each call runs in
a thread, which is abandoned when time is up. It is a daemon, so it does not delay the exit. The number of concurrent
calls is limited: if that many hang, further texts are refused instead of starting more threads.
"""

from __future__ import annotations

import contextvars
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import TypeGuard, TypeVar

from s3memory._forks import OfOneProcess
from s3memory.aws.errors import RequestOutcome, error_code, outcome_of
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import ConfigurationError, RedactionError
from s3memory.redaction.refusals import ServiceRefusalError

_log = logging.getLogger("s3memory")

DEFAULT_TIMEOUT_SECONDS = 10.0
DEFAULT_MAX_TRIES = 8
MAX_CALLS_AT_ONCE = 16

_RETRYABLE = frozenset({RequestOutcome.NOT_DONE, RequestOutcome.UNKNOWN})

R = TypeVar("R")


def refusal(service: str, reason: str) -> ServiceRefusalError:
    """Log and return the error for a text that could not be checked.

    The reason is worded by this package: it contains nothing of the text, and of an answer at most its error code.
    """
    _log.warning("a text was refused: %s %s", service, reason)
    return ServiceRefusalError(service, reason)


def as_mapping(value: object, service: str) -> Mapping[str, object]:
    """Return `value` if it is a mapping, or else raise a `RedactionError`."""
    if not isinstance(value, Mapping):
        raise refusal(service, "answered with something else than documented")
    return value


def as_list(value: object, service: str) -> list[object]:
    """Return `value` if it is a list, or else raise a `RedactionError`."""
    if not isinstance(value, list):
        raise refusal(service, "answered with something else than documented")
    return value


def is_offset(value: object) -> TypeGuard[int]:
    """Whether `value` is an integer and not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_score(value: object) -> TypeGuard[float]:
    """Whether `value` is a number from 0 to 1 and not a bool."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


class CallSlots(OfOneProcess):
    """Limits the number of concurrent calls in this process."""

    def __init__(self, number: int) -> None:
        self._number = number
        super().__init__()

    def take(self, seconds: float) -> threading.Semaphore | None:
        """Wait for a free slot. Return the semaphore to release afterwards, or `None` if time is up."""
        free = self._free
        return free if free.acquire(timeout=max(0.0, seconds)) else None

    def reset_after_fork(self) -> None:
        """Make all slots free: in a forked child, the threads that would release them do not run."""
        self._free = threading.Semaphore(self._number)


_slots = CallSlots(MAX_CALLS_AT_ONCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedCalls:
    """Calls to one service, with a time limit for all requests and retries for one text.

    Attributes:
        service: The name of the service in error messages.
        timeout_seconds: The time limit.
        remaining_seconds: Returns how much time the caller has left; if that is less, it is the limit.
        max_tries: How often one request is tried.
        sleep: Waits between tries.
        slots: Limits the number of concurrent calls.

    Raises:
        ConfigurationError: A number is not above zero.
    """

    service: str
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    remaining_seconds: Callable[[], float] | None = None
    max_tries: int = DEFAULT_MAX_TRIES
    sleep: Callable[[float], None] = time.sleep
    slots: CallSlots = field(default=_slots)

    def __post_init__(self) -> None:
        if not self.timeout_seconds > 0 or self.timeout_seconds > threading.TIMEOUT_MAX:
            raise ConfigurationError("timeout_seconds must be above 0")
        if self.max_tries < 1:
            raise ConfigurationError("max_tries must be 1 or more")

    def within_time(self, call: Callable[[RetryPolicy], R]) -> R:
        """Return what `call` returns. It is passed the retry policy for its requests, which knows the time left.

        Raises:
            RedactionError: Time was up, or `call` raised something. When time is up, `call` may go on in its thread,
                and its result is dropped.
        """
        seconds = self.timeout_seconds
        if self.remaining_seconds is not None:
            seconds = min(seconds, self.remaining_seconds())
        deadline = time.monotonic() + seconds

        def seconds_left() -> float:
            return deadline - time.monotonic()

        slot = self.slots.take(seconds) if seconds > 0 else None
        if slot is None:
            raise refusal(self.service, "could not be asked in the time there was")
        retry = RetryPolicy(max_tries=self.max_tries, remaining_seconds=seconds_left, sleep=self.sleep)
        results: list[R] = []
        failures: list[BaseException] = []
        ended = threading.Event()

        def run() -> None:
            try:
                results.append(call(retry))
            except BaseException as error:  # noqa: BLE001 - handed to the waiting thread
                failures.append(error)
            finally:
                slot.release()
                ended.set()

        # The thread gets the caller's context variables, which hold the current trace, for example.
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(run,), name="s3memory-detector", daemon=True)
        try:
            thread.start()
        except BaseException:
            slot.release()
            raise
        if not ended.wait(max(0.0, seconds_left())):
            raise refusal(self.service, "did not answer in time")
        if results:
            return results[0]
        failure = failures[0]
        if isinstance(failure, RedactionError):
            raise failure.with_traceback(None)
        # With no time left, the failure only says that a request or a retry was no longer possible.
        reason = f"failed ({type(failure).__name__})" if seconds_left() > 0 else "did not answer in time"
        raise refusal(self.service, reason)

    def request(self, retry: RetryPolicy, send: Callable[[], R]) -> R:
        """Return the answer to a read-only request, which is retried while it is throttled or gets no answer.

        Raises:
            RedactionError: There was no answer in the end, or the service rejected the request. The error contains the
                service's error code but no cause, because messages of a service or client may quote the request.
        """
        retry.ensure_time()
        code, outcome = "", RequestOutcome.FAILED
        for _ in retry.attempts():
            try:
                return send()
            except Exception as error:  # noqa: BLE001 - an injected client may raise anything
                code, outcome = error_code(error), outcome_of(error)
            if outcome not in _RETRYABLE:
                break
        raise refusal(self.service, f"did not answer ({code})")
