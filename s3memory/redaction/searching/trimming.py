"""Trims a finding: removes markup, brackets and remarks at its edges, which aren't part of the value."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import itemgetter

from s3memory.redaction.decoding.layout import markup
from s3memory.redaction.decoding.view import Replacement
from s3memory.redaction.interface import PLACEHOLDER_START, Span
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_list

_MIN_LENGTH, _LOOK_AHEAD, _LONGEST_CLOSING = 4, 2, 5
_BEFORE_PICTURES = "\u2000"
_BRACKETS = word_list("() [] {} <> \"\" '' `` ** \u201e\u201c \u201c\u201d \u00ab\u00bb \u2039\u203a \u300c\u300d")
_ESCAPED_QUOTES = ('\\"', "\\'")
_PAIRS = {pair[0]: pair[1] for pair in _BRACKETS} | {quote: quote for quote in _ESCAPED_QUOTES}
# What ends a value, perhaps with a remark after it: "hunter2's", "hunter2[1]", "hunter2<br>old".
_REMARK_ASCII = r"'s(?=[ ])|\[[0-9]{1,2}(?:\]|(?=\]))|\\[nrt](?=[\s\"'\\]|\Z)|<br[ ]?/?>.*"
# The same in other scripts. But "left" and "right" are turns of a dial: "右に27、左に41".
_REMARK = (
    rf"{_REMARK_ASCII}|\u2019s(?=[ ])|[\u3001\u3002\uff0c\uff1b\u2026](?=\s|\Z)"
    r"|[,;:\u3001\u3002\uff0c\uff1b\uff1a](?=[\u3040-\ud7a3])(?!.{0,3}(?:[\u53f3\u5de6]|\uc67c|\uc624\ub978)).*"
)
# The brackets of a list and the quote of its first value, and what may end the last value of an object or a list.
_OPENING, _CLOSING = r"(?P<brackets>[\[({]{1,3}\s?)?(?P<quote>[\"'`])", r"(?<!\\)(?P<quote>[\"'`])\s?[\])}]{0,3}\Z"
_MADE_BY_PEOPLE = frozenset(("password", "secret", "recovery-code"))


class Edges:
    """Trims the findings in one text.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._markup: list[Replacement] | None = None
        # Everything found in an encoded run has the span of that run, so the same span comes many times.
        self._known: dict[Span, Span] = {}
        self._positions: dict[str, list[int]] = {}

    def within(self, span: Span) -> Span:
        """Return `span` without the markup, brackets and remark at its edges."""
        if span not in self._known:
            self._known[span] = self._within(span)
        return self._known[span]

    def _within(self, span: Span) -> Span:
        if span.kind not in _MADE_BY_PEOPLE or self._text.startswith(PLACEHOLDER_START, span.start):
            return span
        start, end = self._without_markup(*self._without_list(span.start, span.end))
        is_ascii = self._text[start : end + _LOOK_AHEAD].isascii()
        pattern = compiled(_REMARK_ASCII if is_ascii else _REMARK)
        remark = pattern.search(self._text, start + _MIN_LENGTH, end + _LOOK_AHEAD)
        end = remark.start() if remark and remark.start() < end <= remark.end() else end
        while (inside := self._without_pair(start, end)) != (start, end):
            start, end = inside
        # A quote after the span keeps its backslash: otherwise, it would end the text of JSON.
        end -= self._text.startswith(_ESCAPED_QUOTES, end - 1)
        return Span(span.kind, start, end)

    def _without_markup(self, start: int, end: int) -> tuple[int, int]:
        if self._markup is None:
            self._markup = sorted(markup(self._text))
        for first, last, _ in self._markup[max(0, bisect_right(self._markup, start, key=itemgetter(0)) - 1) :]:
            if first >= end:
                break
            if first <= start < last < end:
                start = last
            elif start + _MIN_LENGTH <= first and end <= last:
                end = first
        return start, end

    def _without_list(self, start: int, end: int) -> tuple[int, int]:
        """Return the span without the beginning or the end of a list, an object or a text whose rest is outside it."""
        opening = compiled(_OPENING).match(self._text, start, end)
        if opening and not self._count(opening["quote"], opening.end(), end):
            is_first = opening["brackets"] is not None or self._is_quoted(opening["quote"], opening.end(), end)
            start = opening.end() if is_first else start
        closing = compiled(_CLOSING).search(self._text, max(start, end - _LONGEST_CLOSING), end)
        if closing and not self._count(closing["quote"], start, closing.start()):
            is_last = self._is_quoted(closing["quote"], start, closing.start())
            end = closing.start() if is_last else end
        return start, end

    def _is_quoted(self, quote: str, start: int, end: int) -> bool:
        """Whether a span is within a quoted text of its line: one begins before the span, and ends after it."""
        line_breaks = self._positions_of("\n")
        line = bisect_right(line_breaks, start)
        line_start = line_breaks[line - 1] if line else 0
        line_end = line_breaks[line] if line < len(line_breaks) else len(self._text)
        return self._count(quote, line_start, start) % 2 == 1 and self._count(quote, end, line_end) > 0

    def _count(self, sign: str, start: int, end: int) -> int:
        """Return how often a sign stands between two positions, except after a backslash."""
        positions = self._positions_of(sign)
        return bisect_left(positions, end) - bisect_left(positions, start)

    def _positions_of(self, sign: str) -> list[int]:
        if sign not in self._positions:
            self._positions[sign] = [one.start() for one in compiled(rf"(?<!\\){sign}").finditer(self._text)]
        return self._positions[sign]

    def _without_pair(self, start: int, end: int) -> tuple[int, int]:
        """Return the span without a pair of brackets or quotes, of which one may be outside the span."""
        text = self._text
        for length in (2, 1) if end - start > _MIN_LENGTH else ():
            opening, before = text[start : start + length], text[start - length : start]
            is_picture = length == 1 and opening > _BEFORE_PICTURES and not opening.isalnum()
            closing = _PAIRS.get(opening, opening if is_picture else None)
            if closing and text.endswith(closing, start + length, end):
                return start + length, end - length
            if closing and text.startswith(closing, end):
                return start + length, end
            is_escaped = text.startswith("\\", end - length - 1)
            if (closing := _PAIRS.get(before)) and text.endswith(closing, start, end) and not is_escaped:
                return start, end - length
        return start, end
