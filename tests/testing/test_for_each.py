"""A test over many cases tries them all and names those that fail."""

from __future__ import annotations

import inspect

import pytest
from support.for_each import for_each


def test_every_case_is_tried_and_every_one_that_fails_is_named_and_shown() -> None:
    tried = []

    @for_each("number", range(6), ids=lambda number: f"number {number}")
    def hold(number: int) -> None:
        tried.append(number)
        assert number % 3, "three times something"

    with pytest.raises(ExceptionGroup, match=r"2 of 6 cases fail: number 0, number 3$") as failed:
        hold()
    assert tried == list(range(6))
    for number, failure in zip((0, 3), failed.value.exceptions, strict=True):
        assert "three times something" in str(failure)
        assert failure.__notes__ == [f"case: number {number}"]


def test_an_error_is_a_failure_too_and_keeps_nothing_from_being_tried() -> None:
    tried = []

    @for_each("number", [0, 1])
    def hold(number: int) -> None:
        tried.append(number)
        assert 1 // number

    with pytest.raises(ExceptionGroup, match=r"1 of 2 cases fail: 0$") as failed:
        hold()
    (failure,) = failed.value.exceptions
    assert isinstance(failure, ZeroDivisionError)
    assert tried == [0, 1]


def test_two_of_them_try_all_pairs_and_other_arguments_are_left_to_pytest() -> None:
    tried = []

    @for_each("letter", "ab")
    @for_each(("number", "word"), [(1, "one"), (2, "two")])
    def hold(letter: str, number: int, word: str, fixture: str) -> None:
        tried.append((letter, number, word, fixture))

    assert list(inspect.signature(hold).parameters) == ["fixture"]
    hold(fixture="x")
    assert tried == [("a", 1, "one", "x"), ("a", 2, "two", "x"), ("b", 1, "one", "x"), ("b", 2, "two", "x")]


def test_of_a_pair_that_fails_both_are_named() -> None:
    @for_each("letter", "ab")
    @for_each("number", [1, 2])
    def hold(letter: str, number: int) -> None:
        assert (letter, number) != ("b", 2)

    with pytest.raises(ExceptionGroup, match=r"1 of 4 cases fail: 'b' 2$"):
        hold()


def test_no_case_at_all_is_an_error() -> None:
    with pytest.raises(AssertionError, match="nothing to try: number"):
        for_each("number", [])
