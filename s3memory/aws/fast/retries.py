"""Retries in the manner of botocore's standard mode: for which errors, how often, and after which pauses.

https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from s3memory.aws.errors import THROTTLING_CODES, TIMEOUT_CODES, TOO_MANY_REQUESTS, AnswerError, RequestError
from s3memory.aws.fast.http import NoAnswerError
from s3memory.aws.retry import has_time_for

T = TypeVar("T")

_TRANSIENT_STATUSES = frozenset({429, 500, 502, 503, 504})
_THROTTLED_PAUSE_SECONDS, _PAUSE_SECONDS, _MAX_PAUSE_SECONDS = 1.0, 0.05, 20.0
_MAX_ADDED_SECONDS = 5.0
_THROTTLED_COST, _COST, _CAPACITY = 5, 14, 500


class Retries:
    """Attempts of one client's requests, which share a retry quota.

    Attributes:
        watchers: called with the error of each failed attempt of a write. If one raises, there are no more attempts.
    """

    def __init__(self, max_attempts: int, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._max_attempts = max_attempts
        self._sleep = sleep
        self._capacity = _CAPACITY
        self.watchers: set[Callable[[RequestError], None]] = set()

    def run(self, attempt: Callable[[], T], *, reads: bool = False, streams: bool = False) -> T:
        """Return the result of the first attempt that succeeds.

        Args:
            attempt: sends the request.
            reads: whether the request only reads.
            streams: whether the caller itself retries if the body breaks off, as with botocore's streams.

        Raises:
            RequestError: the last attempt failed.
        """
        number, paid = 1, 1
        while True:
            try:
                result = attempt()
            except (AnswerError, NoAnswerError) as error:
                failure = error
            else:
                if self._capacity < _CAPACITY:
                    self._spend(-paid)
                return result
            for watcher in () if reads else tuple(self.watchers):
                watcher(failure)
            is_throttled = isinstance(failure, AnswerError) and (
                failure.code in THROTTLING_CODES or failure.status == TOO_MANY_REQUESTS
            )
            paid = _THROTTLED_COST if is_throttled else _COST
            if number >= self._max_attempts or not _may_pass(failure, streams=streams) or not self._spend(paid):
                raise failure
            scale = _THROTTLED_PAUSE_SECONDS if is_throttled else _PAUSE_SECONDS
            pause = random.random() * min(scale * 2 ** (number - 1), _MAX_PAUSE_SECONDS)  # noqa: S311 - spreads load
            if isinstance(failure, AnswerError) and failure.retry_after_seconds is not None:
                pause = max(pause, min(failure.retry_after_seconds, pause + _MAX_ADDED_SECONDS))
            if not has_time_for(pause):
                raise failure
            self._sleep(pause)
            number += 1

    def _spend(self, amount: int) -> bool:
        # Without a lock, which a fork could leave held: threads that race here spend a little more or less.
        if amount > self._capacity:
            return False
        self._capacity = min(self._capacity - amount, _CAPACITY)
        return True


def _may_pass(error: AnswerError | NoAnswerError, *, streams: bool) -> bool:
    if isinstance(error, NoAnswerError):
        return not (streams and error.is_begun)
    return error.status in _TRANSIENT_STATUSES or error.code in TIMEOUT_CODES | THROTTLING_CODES
