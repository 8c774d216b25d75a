"""Calls side by side end, whatever they call themselves."""

from __future__ import annotations

from functools import partial

from s3memory._parallel import MAX_PARALLEL_REQUESTS, Beside, each, together

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
