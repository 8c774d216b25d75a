"""What of a text looks like something that was found: in a list that is found one by one, the rest goes at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from s3memory.redaction.model import PLACEHOLDER_PATTERN, PLACEHOLDER_START, Span
from s3memory.redaction.text.compiling import compiled_as_written

_MOST_FORMS, _SHORTEST, _LONGEST, _LONGEST_LINE, _LEAST_OF_A_LIST = 16, 4, 256, 1_000, 3
_RUN, _DIGITS, _LETTERS = r"[^\W_]+", r"[0-9]+", r"[^\W\d_]+"


def with_alike(text: str, spans: Iterable[Span]) -> list[Span]:
    """Return `spans`, and what has a digit, the form of one, and a line alike or with several of them.

    The form is letters and digits as many, between the same signs; lines are alike if what else is on them has
    letters, digits and signs in the same order.
    """
    found = [*spans]
    of_form: dict[str, list[Span]] = {}
    for span in found:
        value = text[span.start : span.end]
        if _SHORTEST <= len(value) <= _LONGEST and _has_digit(value):
            of_form.setdefault(_form(value), []).append(span)
    for form in sorted(of_form, key=lambda one: -len(of_form[one]))[:_MOST_FORMS]:
        lines = [_line_of(text, span.start, span.end) for span in of_form[form]]
        layouts, n_on_line = {layout for _, layout, _ in lines}, Counter[int]()
        for line, _, n_gone in lines:
            n_on_line[line] = max(n_on_line[line], n_gone) + 1
        # A form is of one text: nothing keeps it.
        for other in re.finditer(rf"(?<![^\W_])(?<![^\W_][./_-]){form}(?![^\W_]|[./_-][^\W_])", text):
            line, layout, _ = _line_of(text, *other.span())
            if _has_digit(other[0]) and (layout in layouts or n_on_line[line] >= _LEAST_OF_A_LIST):
                found += [Span(of_form[form][0].kind, *other.span())]
    return found


def _form(value: str) -> str:
    """Return what matches values of the form of `value`."""
    parts = compiled_as_written(rf"({_RUN})").split(value)  # signs and runs by turns
    return "".join(rf"[^\W_]{{{len(part)}}}" if number % 2 else re.escape(part) for number, part in enumerate(parts))


def _line_of(text: str, start: int, end: int) -> tuple[int, str, int]:
    """Return where the line of what stands from `start` to `end` begins, what else is on it, and how much is gone."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end, end + _LONGEST_LINE)
    before, behind = (
        text[max(first, start - _LONGEST_LINE) : start],
        text[end : last if last >= 0 else end + _LONGEST_LINE],
    )
    return first, f"{_layout(before)}\0{_layout(behind)}", (before + behind).count(PLACEHOLDER_START)


def _layout(text: str) -> str:
    numbers = compiled_as_written(_DIGITS).sub("0", PLACEHOLDER_PATTERN.sub("0", text))
    return compiled_as_written(_LETTERS).sub("a", numbers)


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))
