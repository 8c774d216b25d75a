"""What values were taken for is remembered within a text, and forgotten with it."""

from __future__ import annotations

import pytest

from s3memory.redaction import BlockedTextError, PatternRedactor
from s3memory.redaction.text.caching import WordCache, cached_until_forgotten


def test_a_value_is_judged_once_in_a_text() -> None:
    asked: list[str] = []
    judge = cached_until_forgotten(asked.append)
    judge("Harbor!4711x")
    judge("Harbor!4711x")
    assert asked == ["Harbor!4711x"]


@pytest.mark.parametrize("policy", [{}, {"password": "block"}])
def test_no_value_is_remembered_when_its_text_was_looked_through(policy: dict[str, str]) -> None:
    asked: list[str] = []
    judge = cached_until_forgotten(asked.append)
    judge("Harbor!4711x")
    try:
        PatternRedactor(policy=policy).redact("password: Harbor!4711x")
    except BlockedTextError:
        assert policy
    judge("Harbor!4711x")
    assert asked == ["Harbor!4711x"] * 2


def test_a_word_is_told_of_once() -> None:
    asked: list[str] = []
    known = WordCache[str, None](asked.append)
    for word in ("harbor", "shed", "harbor"):
        assert known[word] is None
    assert asked == ["harbor", "shed"]


def test_words_that_are_known_begin_anew_before_they_fill_the_memory() -> None:
    asked: list[str] = []
    known = WordCache[str, None](asked.append, most=2)
    for word in ("harbor", "shed", "lamp", "harbor"):
        assert known[word] is None
    assert asked == ["harbor", "shed", "lamp", "harbor"]


def test_many_words_are_told_of_as_each_of_them_is() -> None:
    asked: list[str] = []

    def tell(word: str) -> int:
        asked.append(word)
        return len(word)

    known = WordCache(tell, most=3)
    assert known.of_all(["shed", "harbor", "shed"]) == [4, 6, 4]
    assert known.of_all(["harbor", "lamp", "cellar", "shed"]) == [6, 4, 6, 4]
    assert known.of_all([]) == []
    assert asked[:2] == ["shed", "harbor"]
