"""A walk goes on past one object that S3 does not give, and ends soon where S3 gives none."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import MakeStore

from s3memory import MemoryStore, _parallel
from s3memory.admin.long_jobs import Missed, Patience
from s3memory.errors import (
    AccessDeniedError,
    BackendError,
    IntegrityError,
    OutcomeUnknownError,
    S3MemoryError,
    UnavailableError,
    UnfinishedError,
)

MAX_TRIES = 3


def failing(kind: type[BackendError] = UnavailableError, code: str = "SlowDown") -> BackendError:
    error = kind("no")
    error.code = code
    return error


class Calls:
    """A call for each object of a walk, which fails so many times."""

    def __init__(self) -> None:
        self.n_calls = 0

    def failing(self, error: S3MemoryError, times: int = 10**6) -> Callable[[], str]:
        left = [times]

        def call() -> str:
            self.n_calls += 1
            left[0] -= 1
            if left[0] >= 0:
                raise error
            return "given"

        return call


@pytest.fixture
def calls() -> Calls:
    return Calls()


@pytest.fixture
def patience(make_store: MakeStore) -> Patience:
    return Patience(impatient(make_store()))


def impatient(store: MemoryStore) -> MemoryStore:
    """Have a store pause for no time, and seldom."""
    store.retry.sleep = lambda _seconds: None
    store.retry.max_tries = MAX_TRIES
    return store


def walk(patience: Patience, call: Callable[[], str]) -> None:
    for number in range(1_000):
        patience.work(number, call)


def test_what_is_unavailable_at_first_is_asked_for_again(patience: Patience, calls: Calls) -> None:
    assert patience.work("a", calls.failing(failing(), times=MAX_TRIES - 1)) == "given"
    assert patience.missed == []


@pytest.mark.parametrize(
    ("error", "n_calls", "is_unknown"),
    [
        (failing(), MAX_TRIES, False),
        (failing(AccessDeniedError, "AccessDenied"), 1, False),
        (failing(BackendError, "InvalidObjectState"), 1, False),
        (failing(OutcomeUnknownError, "SlowDown"), 1, True),
        (failing(UnfinishedError, "SlowDown"), 1, True),
    ],
)
def test_what_is_not_given_is_missed(
    patience: Patience, calls: Calls, *, error: BackendError, n_calls: int, is_unknown: bool
) -> None:
    missed = Missed("a", str(error.code), is_unknown=is_unknown)
    assert patience.work("a", calls.failing(error)) == missed
    assert calls.n_calls == n_calls
    assert patience.missed == [missed]


def test_what_a_later_pass_is_given_is_not_missed(patience: Patience, calls: Calls) -> None:
    patience.work("a", calls.failing(failing()))
    patience.work("a", calls.failing(failing(), times=0))
    assert patience.missed == []


def test_an_outage_ends_it_after_few_objects_and_asks_for_no_other(patience: Patience, calls: Calls) -> None:
    with pytest.raises(UnavailableError):
        walk(patience, calls.failing(failing()))
    assert calls.n_calls <= 8 * MAX_TRIES
    before = calls.n_calls
    with pytest.raises(UnavailableError):
        patience.work("another", calls.failing(failing(), times=0))
    assert calls.n_calls == before


def test_an_outage_ends_a_walk_side_by_side_as_soon(patience: Patience, calls: Calls) -> None:
    with pytest.raises(UnavailableError):
        _parallel.each(lambda number: patience.work(number, calls.failing(failing())), range(10_000))
    assert calls.n_calls <= (8 + _parallel.MAX_PARALLEL_REQUESTS) * MAX_TRIES


def test_failures_with_answers_between_them_are_no_outage(patience: Patience, calls: Calls) -> None:
    for number in range(500):
        patience.work(number, calls.failing(failing()))
        with pytest.raises(IntegrityError):
            patience.work("damaged", calls.failing(IntegrityError("it does not open")))
    assert len(patience.missed) == 500


def test_refusals_of_all_there_is_end_it(patience: Patience, calls: Calls) -> None:
    with pytest.raises(AccessDeniedError):
        walk(patience, calls.failing(failing(AccessDeniedError, "AccessDenied")))
    assert calls.n_calls == 100


def test_refusals_of_a_whole_directory_beside_what_is_given_do_not(patience: Patience, calls: Calls) -> None:
    patience.work("a", calls.failing(failing(), times=0))
    walk(patience, calls.failing(failing(AccessDeniedError, "AccessDenied")))
    assert len(patience.missed) == 1_000
