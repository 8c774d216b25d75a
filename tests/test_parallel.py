"""Calls side by side end, whatever they call themselves."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import partial

import pytest

from s3memory import _parallel
from s3memory._parallel import MAX_PARALLEL_REQUESTS, Beside, each, pages, stream, together

MANY = 3 * MAX_PARALLEL_REQUESTS


def double(number: int) -> int:
    return 2 * number


def test_results_come_in_the_order_of_what_was_asked() -> None:
    assert each(double, range(MANY)) == [2 * number for number in range(MANY)]
    assert together(partial(double, 1), partial(double, 2), partial(double, 3)) == (2, 4, 6)


def test_calls_that_call_others_side_by_side_do_not_wait_for_each_others_threads() -> None:
    def nested(number: int) -> tuple[int, int, list[int]]:
        with Beside(partial(double, number)) as beside:
            pair = together(partial(double, number), partial(double, number))
        return pair[1], beside.results[0](), each(double, [number] * 3)

    assert each(nested, range(MANY)) == [(2 * number, 2 * number, [2 * number] * 3) for number in range(MANY)]


def test_one_piece_of_work_at_a_time_makes_more_requests_than_usual() -> None:
    wide = stream(double, range(10 * MANY), at_once=MANY)
    assert next(wide) == 0
    gathering, threads = threading.Barrier(MAX_PARALLEL_REQUESTS, timeout=60), set()

    def gather(_: int) -> None:
        threads.add(threading.get_ident())
        gathering.wait()

    each(gather, range(MANY), at_once=MANY)
    list(stream(gather, range(MANY), at_once=MANY))
    # The process's own, and those of the stream.
    assert len(threads) <= 2 * MAX_PARALLEL_REQUESTS
    wide.close()  # type: ignore[attr-defined]  # it is a generator
    all_of_them = threading.Barrier(MANY, timeout=60)
    each(lambda _: all_of_them.wait(), range(MANY), at_once=MANY)
    list(stream(lambda _: all_of_them.wait(), range(MANY), at_once=MANY))


def test_what_a_stream_has_begun_and_not_handed_out_is_within_the_budget_or_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_parallel, "MAX_HELD_BYTES", 10)
    sizes = [3, 4, 10, 1, 7, 0, 25, 2] * 40
    lock, held = threading.Lock(), [0]
    most: dict[bool, int] = {True: 0, False: 0}

    def begin(n_bytes: int) -> int:
        with lock:
            held[0] += n_bytes
            is_alone = held[0] == n_bytes
            most[is_alone] = max(most[is_alone], held[0])
        return n_bytes

    handed_out = []
    for n_bytes in stream(begin, sizes, size_bytes=lambda n_bytes: n_bytes):
        handed_out.append(n_bytes)
        with lock:
            held[0] -= n_bytes
    assert handed_out == sizes
    assert most[True] == 25
    assert 0 < most[False] <= 10


@dataclass(frozen=True)
class NumberedPage:
    number: int
    next_token: str | None


def test_the_next_page_of_a_listing_is_asked_for_while_the_caller_works_on_the_last() -> None:
    asked: list[str | None] = []
    is_asked = {"1": threading.Event(), "2": threading.Event()}

    def page_at(token: str | None) -> NumberedPage:
        asked.append(token)
        if token is None:
            return NumberedPage(0, "1")
        is_asked[token].set()
        return NumberedPage(int(token), "2" if token == "1" else None)

    for page in pages(page_at):
        assert page.next_token is None or is_asked[page.next_token].wait(60)
    assert asked == [None, "1", "2"]


def test_a_page_that_can_not_be_had_is_told_in_its_turn() -> None:
    def page_at(token: str | None) -> NumberedPage:
        if token is not None:
            raise ConnectionError
        return NumberedPage(0, "1")

    found = pages(page_at)
    assert next(found).number == 0
    with pytest.raises(ConnectionError):
        next(found)
