"""Calls to somebody else that end in time: answered, tried again, or given up, and then the text is refused.

An injected client has timeouts of its own, which no one call can shorten, and an engine may have none. So each call
runs in a thread that is left behind when time is up. It is a daemon, so it delays no exit, and only so many are under
way at once: when that many hang, further texts are refused rather than further threads started.
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

_PASSING = frozenset({RequestOutcome.NOT_DONE, RequestOutcome.UNKNOWN})

R = TypeVar("R")


def refuse(service: str, reason: str) -> ServiceRefusalError:
    """Return the error for a text that could not be checked, and log it.

    The reason is in words of this package: nothing of the text, and of an answer at most its code.
    """
    _log.warning("a text was refused: %s %s", service, reason)
    return ServiceRefusalError(service, reason)


def as_mapping(value: object, service: str) -> Mapping[str, object]:
    """Return `value`, a mapping, or raise a `RedactionError`."""
    if not isinstance(value, Mapping):
        raise refuse(service, "answered with something else than documented")
    return value


def as_list(value: object, service: str) -> list[object]:
    """Return `value`, a list, or raise a `RedactionError`."""
    if not isinstance(value, list):
        raise refuse(service, "answered with something else than documented")
    return value


def is_offset(value: object) -> TypeGuard[int]:
    """Whether `value` is a whole number, and no truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_score(value: object) -> TypeGuard[float]:
    """Whether `value` is a number from 0 to 1, and no truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


class Places(OfOneProcess):
    """How many calls may be under way at once in this process."""

    def __init__(self, number: int) -> None:
        self._number = number
        super().__init__()

    def take(self, seconds: float) -> threading.Semaphore | None:
        """Wait for a place, and return what is to be released when it is free again, or `None` if time is up."""
        free = self._free
        return free if free.acquire(timeout=max(0.0, seconds)) else None

    def begin_anew(self) -> None:
        """Take all places for free: in a forked child, the threads that would release them do not run."""
        self._free = threading.Semaphore(self._number)


_places = Places(MAX_CALLS_AT_ONCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedCalls:
    """Calls to one service: all requests and retries for a text end within its time, or the caller's if that is less.

    Raises:
        ConfigurationError: a number is not above nought.
    """

    service: str
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    remaining_seconds: Callable[[], float] | None = None
    max_tries: int = DEFAULT_MAX_TRIES
    sleep: Callable[[float], None] = time.sleep
    places: Places = field(default=_places)

    def __post_init__(self) -> None:
        if not self.timeout_seconds > 0 or self.timeout_seconds > threading.TIMEOUT_MAX:
            raise ConfigurationError("timeout_seconds must be above 0")
        if self.max_tries < 1:
            raise ConfigurationError("max_tries must be 1 or more")

    def within_time(self, call: Callable[[RetryPolicy], R]) -> R:
        """Return what `call` returns, given the policy that holds the time left for its requests.

        Raises:
            RedactionError: time was up, or `call` raised something. After that it may go on in its thread; what it
                returns is dropped.
        """
        seconds = self.timeout_seconds
        if self.remaining_seconds is not None:
            seconds = min(seconds, self.remaining_seconds())
        deadline = time.monotonic() + seconds

        def left() -> float:
            return deadline - time.monotonic()

        place = self.places.take(seconds) if seconds > 0 else None
        if place is None:
            raise refuse(self.service, "could not be asked in the time there was")
        retry = RetryPolicy(max_tries=self.max_tries, remaining_seconds=left, sleep=self.sleep)
        results: list[R] = []
        failures: list[BaseException] = []
        ended = threading.Event()

        def run() -> None:
            try:
                results.append(call(retry))
            except BaseException as error:  # noqa: BLE001 - told to the thread that waits
                failures.append(error)
            finally:
                place.release()
                ended.set()

        # The caller's context goes with it: traces and the like are kept in there.
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(run,), name="s3memory-detector", daemon=True)
        try:
            thread.start()
        except BaseException:
            place.release()
            raise
        if not ended.wait(max(0.0, left())):
            raise refuse(self.service, "did not answer in time")
        if results:
            return results[0]
        failure = failures[0]
        if isinstance(failure, RedactionError):
            raise failure.with_traceback(None)
        # Without time left, nothing was asked or tried again, whatever that raised.
        reason = f"failed ({type(failure).__name__})" if left() > 0 else "did not answer in time"
        raise refuse(self.service, reason)

    def request(self, retry: RetryPolicy, send: Callable[[], R]) -> R:
        """Return the answer to a request that changes nothing, sent again while it is throttled or gets no answer.

        Raises:
            RedactionError: it got none in the end, or was refused. It has the service's error code, and no cause:
                what a service or a client says of a request may quote it.
        """
        retry.ensure_time()
        code, outcome = "", RequestOutcome.FAILED
        for _ in retry.tries():
            try:
                return send()
            except Exception as error:  # noqa: BLE001 - a client that was passed in: whatever it raises
                code, outcome = error_code(error), outcome_of(error)
            if outcome not in _PASSING:
                break
        raise refuse(self.service, f"did not answer ({code})")
