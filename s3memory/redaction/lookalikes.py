"""Finds text that looks like what was found, so that a list does not have to be redacted one item at a time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from s3memory.redaction.interface import PLACEHOLDER_PATTERN, PLACEHOLDER_START, Span
from s3memory.redaction.text.compiling import compiled_as_written

_MAX_FORMS, _MIN_CHARACTERS, _MAX_CHARACTERS, _MAX_LINE_CHARACTERS, _MIN_LIST_ITEMS = 16, 4, 256, 1_000, 3
_RUN, _DIGITS, _LETTERS = r"[^\W_]+", r"[0-9]+", r"[^\W\d_]+"


def with_lookalikes(text: str, spans: Iterable[Span]) -> list[Span]:
    """Return `spans`, and a span for each value with a digit that has the form of one of them in a similar line.

    Values have the same form if they have runs of letters and digits of the same lengths with the same characters
    between: "a1b2-33" and "c3d4-55". A line is similar if the rest of it has the layout of a line with a span of that
    form (see `_layout`), or if it contains three or more of these spans and placeholders.
    """
    found = [*spans]
    by_form: dict[str, list[Span]] = {}
    for span in found:
        value = text[span.start : span.end]
        if _MIN_CHARACTERS <= len(value) <= _MAX_CHARACTERS and _has_digit(value):
            by_form.setdefault(_form(value), []).append(span)
    for form in sorted(by_form, key=lambda one: -len(by_form[one]))[:_MAX_FORMS]:
        lines = [_line_of(text, span.start, span.end) for span in by_form[form]]
        layouts, n_on_line = {layout for _, layout, _ in lines}, Counter[int]()
        for line, _, n_placeholders in lines:
            n_on_line[line] = max(n_on_line[line], n_placeholders) + 1
        # Not compiled through the cache, since a form comes from this text alone.
        for other in re.finditer(rf"(?<![^\W_])(?<![^\W_][./_-]){form}(?![^\W_]|[./_-][^\W_])", text):
            line, layout, _ = _line_of(text, *other.span())
            if _has_digit(other[0]) and (layout in layouts or n_on_line[line] >= _MIN_LIST_ITEMS):
                found.append(Span(by_form[form][0].kind, *other.span()))
    return found


def _form(value: str) -> str:
    """Return a regular expression that matches all values with the form of `value`."""
    parts = compiled_as_written(rf"({_RUN})").split(value)  # every second part is a run
    return "".join(rf"[^\W_]{{{len(part)}}}" if number % 2 else re.escape(part) for number, part in enumerate(parts))


def _line_of(text: str, start: int, end: int) -> tuple[int, str, int]:
    """Return the start of the line around a span, the layout of its rest, and the number of placeholders in that."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end, end + _MAX_LINE_CHARACTERS)
    before = text[max(first, start - _MAX_LINE_CHARACTERS) : start]
    after = text[end : last if last >= 0 else end + _MAX_LINE_CHARACTERS]
    return first, f"{_layout(before)}\0{_layout(after)}", (before + after).count(PLACEHOLDER_START)


def _layout(text: str) -> str:
    """Return `text` with each number and placeholder replaced by ``0`` and each run of letters by ``a``."""
    numbers = compiled_as_written(_DIGITS).sub("0", PLACEHOLDER_PATTERN.sub("0", text))
    return compiled_as_written(_LETTERS).sub("a", numbers)


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))
