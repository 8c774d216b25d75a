"""Finds the other values in a block of lines that have one value each, if enough of the values were found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from s3memory.redaction.interface import PLACEHOLDER_PATTERN, PLACEHOLDER_START, Span, kind_of_placeholder
from s3memory.redaction.searching.secrets_nearby import FoundSpans
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.lines import Lines

# A line with one value, which has a digit or is a placeholder: "- abcd-1234".
_ALONE = (
    r"[ \t>]{0,8}(?:(?:[-*+\u2022]|[0-9]{1,2}[.)])[ \t]+)?[`\"']?"
    rf"(?P<value>(?=\S*[0-9]|{re.escape(PLACEHOLDER_START)})[^\s`\"']{{4,64}})[`\"']?[ \t\r]*"
)
_HEADING = r"[ \t>]{0,8}#.*|.*[:\uff1a][*_ \t\r]{0,4}"
_KINDS = frozenset(("password", "recovery-code", "secret"))
_MAX_LINES, _MIN_FOUND, _MIN_SHARE = 40, 2, 1 / 3


def similar_lines(text: str, found: Iterable[Span]) -> Iterator[Span]:
    """Yield the values on the lines right above and below those in `found` that have the same form.

    Below a heading, which names all of them, one found value is enough; elsewhere, two and a third of the block.
    """
    taken = FoundSpans(found)
    # What was found in an earlier round, or in a view, is a placeholder by now.
    redacted = [Span(kind_of_placeholder(one[0]), *one.span()) for one in PLACEHOLDER_PATTERN.finditer(text)]
    spans = [span for span in (*taken.spans, *redacted) if span.kind in _KINDS]
    lines = Lines(text if spans else "")
    seen: set[int] = set()
    for span in spans:
        number = lines.number_of(span.start)
        alone = _alone(lines, number) if number not in seen else None
        if alone is not None and alone.span("value") == (span.start, span.end):
            form = _form_from(lines, number)
            above = [*_similar(lines, range(number - 1, max(-1, number - 1 - _MAX_LINES), -1), form)]
            below = [*_similar(lines, range(number + 1, min(len(lines), number + 1 + _MAX_LINES)), form)]
            block = [*above, alone, *below]
            seen.update(lines.number_of(one.start()) for one in block)
            values = [one.span("value") for one in block if not _is_placeholder(one)]
            left = [value for value in values if taken.is_free(*value)]
            is_headed = _is_headed(lines, number - len(above) - 1)
            if (1 if is_headed else max(_MIN_FOUND, _MIN_SHARE * len(block))) <= len(block) - len(left):
                yield from (Span(span.kind, *value) for value in left)


def _similar(lines: Lines, numbers: Iterable[int], form: str) -> Iterator[re.Match[str]]:
    """Yield the values on the lines with those numbers, up to the first line without a value of that form.

    A placeholder counts as a value of that form.
    """
    for number in numbers:
        other = _alone(lines, number)
        if other is None or not (_is_placeholder(other) or _form(other["value"]) == form):
            return
        yield other


def _form_from(lines: Lines, number: int) -> str:
    """Return the form of the first value from a line on, after any placeholders; empty if a line has something else."""
    for line in range(number, min(len(lines), number + _MAX_LINES)):
        alone = _alone(lines, line)
        if alone is None or not _is_placeholder(alone):
            return _form(alone["value"]) if alone else ""
    return ""


def _alone(lines: Lines, number: int) -> re.Match[str] | None:
    """Return the match for a line that is one value."""
    line = lines[number]
    return compiled(_ALONE).fullmatch(lines.text, line.start, line.end)


def _is_headed(lines: Lines, number: int) -> bool:
    """Whether the line with that number is a heading, or if it is blank, the line above it."""
    if number > 0 and not lines[number].text.strip():
        number -= 1
    return number >= 0 and compiled(_HEADING).fullmatch(lines[number].text) is not None


def _is_placeholder(alone: re.Match[str]) -> bool:
    return PLACEHOLDER_PATTERN.fullmatch(alone["value"]) is not None


def _form(value: str) -> str:
    """Return the form of a value, with "0" for each letter and digit: "0000-0000", of "abcd-1234"."""
    return "".join("0" if letter.isalnum() else letter for letter in value)
