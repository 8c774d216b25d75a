"""Walks over many objects: one that S3 does not give, or take, is named, and the others are worked on all the same.

What has no answer is tried again, with pauses. An outage ends the walk soon: not every object is waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

from s3memory.errors import BackendError, OutcomeUnknownError, S3MemoryError, UnavailableError, UnfinishedError
from s3memory.store.memory_store import MemoryStore

_MAX_UNANSWERED = 8
"""So many objects without an answer, and none with one in between, are an outage."""

_MAX_REFUSED = 100
"""So many objects that are refused before any is given are a matter of permissions, not of single objects."""

_MAY_BE_DONE = (OutcomeUnknownError, UnfinishedError)

R = TypeVar("R")


@dataclass(frozen=True, slots=True, order=True)
class Missed:
    """One object that was left out.

    Attributes:
        name: its memory path; its object key where it has none.
        code: why: AWS's error code, or a name for what went wrong on the way.
        is_unknown: a write of it had no answer, or was not followed through: it may or may not have been changed.
    """

    name: str
    code: str
    is_unknown: bool = False

    @property
    def why(self) -> str:
        """The same as a clause, for people."""
        what = "it is not known whether it was changed" if self.is_unknown else "S3 or KMS refused, or did not answer"
        return f"{what} ({self.code})"


class Patience:
    """Works on the objects of one walk, each by its name, from any thread.

    Args:
        store: whose pauses and deadline it keeps to.
    """

    def __init__(self, store: MemoryStore) -> None:
        self._tries = store.tries
        self._lock = Lock()
        self._missed: dict[str, Missed] = {}
        self._n_unanswered = 0
        self._n_refused = 0
        self._is_any_given = False
        self._outage: BackendError | None = None

    @property
    def missed(self) -> list[Missed]:
        """What was left out, by its name."""
        return sorted(self._missed.values())

    def work(self, name: object, call: Callable[[], R]) -> R | Missed:
        """Return what the call for one object returns, or that it was left out.

        Args:
            name: the object, for people.
            call: makes its requests. Called again while S3 or KMS is not available, so it must be safe to do twice.

        Raises:
            BackendError: too many have failed by now: it is not this object. Whatever else the call raises.
        """
        if self._outage is not None:
            raise self._outage
        try:
            with self._noting_answers(str(name)):
                return self._patiently(call)
        except BackendError as error:
            return self._miss(str(name), error)

    def _patiently(self, call: Callable[[], R]) -> R:
        failure: UnavailableError | None = None
        for _ in self._tries():
            if self._outage is not None:
                break
            try:
                return call()
            except UnavailableError as error:
                failure = error
        raise failure or self._outage or AssertionError("there is always a first try")

    @contextmanager
    def _noting_answers(self, name: str) -> Iterator[None]:
        try:
            yield
        except BackendError:
            raise
        except S3MemoryError:  # it is gone, say, or does not open: S3 has answered
            self._answered(name)
            raise
        self._answered(name)

    def _answered(self, name: str) -> None:
        with self._lock:
            self._n_unanswered = 0
            self._is_any_given = True
            self._missed.pop(name, None)  # in a later pass

    def _miss(self, name: str, error: BackendError) -> Missed:
        missed = Missed(name, code_of(error), is_unknown=isinstance(error, _MAY_BE_DONE))
        with self._lock:
            if isinstance(error, UnavailableError | OutcomeUnknownError):
                self._n_unanswered += 1
            else:
                self._n_refused += 1
            if self._n_unanswered >= _MAX_UNANSWERED or (self._n_refused >= _MAX_REFUSED and not self._is_any_given):
                self._outage = error
                raise error
            self._missed[name] = missed
        return missed


def code_of(error: BaseException | None) -> str:
    """Return what is known of why a request failed: AWS's error code, most often."""
    while error is not None:
        if isinstance(error, BackendError) and error.code is not None:
            return error.code
        error = error.__cause__
    return "unknown"
