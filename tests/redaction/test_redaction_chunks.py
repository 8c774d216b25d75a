"""Long texts are cut for services that take so many bytes: nothing is lost, nothing is cut in two, offsets hold."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from s3memory.errors import ConfigurationError
from s3memory.redaction.adapters.chunks import chunk_bounds
from s3memory.redaction.adapters.guardrail import every_occurrence, whole_words

# Of each width in UTF-8, and what belongs to the character before it.
PIECES = [
    "a",
    "B9",
    " ",
    "\n",
    "\r\n",
    "\r",
    "é",
    "e\u0301",
    "日本",
    "👍🏽",
    "👩\u200d👩\u200d👧",
    "\u00a0",
    "\U0001d4b3",
    "\u0301",
    "\u200d",
]
texts = st.lists(st.sampled_from(PIECES), max_size=300).map("".join)
overlaps = st.integers(0, 12)


@st.composite
def cuts(draw: st.DrawFn) -> tuple[str, int, int]:
    overlap = draw(overlaps)
    return draw(texts), draw(st.integers(8 * (overlap + 1), 8 * (overlap + 1) + 120)), overlap


@given(cuts())
def test_chunks_cover_the_text_in_order_and_each_fits(cut: tuple[str, int, int]) -> None:
    text, max_bytes, overlap = cut
    bounds = list(chunk_bounds(text, max_bytes=max_bytes, overlap=overlap))
    assert all(0 < len(text[start:end].encode()) <= max_bytes for start, end in bounds)
    assert bounds == [] or (bounds[0][0] == 0 and bounds[-1][1] == len(text))
    assert bool(bounds) == bool(text)
    assert all(first[0] < second[0] <= first[1] < second[1] for first, second in pairwise(bounds))


@given(cuts(), st.data())
def test_whatever_is_no_longer_than_the_overlap_is_in_a_chunk_as_a_whole(
    cut: tuple[str, int, int], data: st.DataObject
) -> None:
    text, max_bytes, overlap = cut
    bounds = list(chunk_bounds(text, max_bytes=max_bytes, overlap=overlap))
    start = data.draw(st.integers(0, max(0, len(text) - overlap)))
    end = min(len(text), start + overlap)
    assert text == "" or any(first <= start and end <= last for first, last in bounds)


@given(
    st.lists(st.sampled_from(["word", "é", "日本語", "👍🏽", "e\u0301"]), min_size=1),
    st.sampled_from(["\n", "\r\n", " "]),
)
def test_where_words_are_short_none_is_cut_at_either_end(words: list[str], between: str) -> None:
    text = between.join(words * 9)
    for start, end in chunk_bounds(text, max_bytes=400, overlap=20):
        assert start == 0 or text[start - 1].isspace()
        assert end == len(text) or text[end - 1].isspace()
        assert "\r\n" not in (text[start - 1 : start + 1], text[end - 1 : end + 1])


def test_a_chunk_ends_with_a_line_rather_than_with_a_word() -> None:
    text = "one two\nthree four five\n" * 40
    assert all(text[end - 1] == "\n" for _, end in chunk_bounds(text, max_bytes=500, overlap=20))


@pytest.mark.parametrize("unit", ["e\u0301", "👍🏽", "👩\u200d👩\u200d👧", "\r\n"])
def test_a_character_of_several_code_points_is_not_cut(unit: str) -> None:
    text = unit * 400
    for start, end in chunk_bounds(text, max_bytes=333, overlap=9):
        assert text[start:end] == unit * ((end - start) // len(unit))


def test_what_is_one_long_character_is_cut_all_the_same() -> None:
    text = "e" + "\u0301" * 5_000
    assert max(end - start for start, end in chunk_bounds(text, max_bytes=500, overlap=50)) <= 250


def test_a_text_that_fits_is_one_chunk() -> None:
    assert list(chunk_bounds("é" * 50, max_bytes=100, overlap=5)) == [(0, 50)]
    assert len(list(chunk_bounds("é" * 50 + "a", max_bytes=100, overlap=5))) == 2


@pytest.mark.parametrize(("max_bytes", "overlap"), [(7, 0), (0, 0), (4_007, 500), (100, -1)])
def test_chunks_too_small_to_get_on_are_refused(max_bytes: int, overlap: int) -> None:
    with pytest.raises(ConfigurationError, match="bytes or more"):
        list(chunk_bounds("text", max_bytes=max_bytes, overlap=overlap))


@given(st.text("aab \r\n", max_size=60), st.text("ab \n", min_size=1, max_size=6))
@example("aaaaa", "aa")
@example("abababa", "aba")
def test_every_character_of_every_occurrence_is_covered_and_no_other(text: str, match: str) -> None:
    wanted = {
        place
        for start in range(len(text))
        if text.startswith(match, start)
        for place in range(start, start + len(match))
    }
    assert {place for start, end in every_occurrence(text, match) for place in range(start, end)} == wanted


def test_a_text_of_one_repeated_letter_takes_few_steps() -> None:
    assert sum(1 for _ in every_occurrence("a" * 100_000, "a" * 1_000)) <= 200


def test_a_whole_word_is_not_continued_by_a_letter_or_digit() -> None:
    text = "Al, also al-Al Al9 zAl (Al)"
    assert [start for start, _ in whole_words(text, "Al")] == [0, 12, 24]
    assert [start for start, _ in whole_words("+49 x+49 +490", "+49")] == [0, 5]
