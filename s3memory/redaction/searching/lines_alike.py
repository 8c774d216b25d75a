"""Values that stand alone on their lines, one below the other: where some of them were found, the others go as well."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from s3memory.redaction.model import PLACEHOLDER_PATTERN, PLACEHOLDER_START, Span, kind_of_placeholder
from s3memory.redaction.searching.proximity import Taken
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.lines import Lines

_ALONE = (
    r"[ \t>]{0,8}(?:(?:[-*+\u2022]|[0-9]{1,2}[.)])[ \t]+)?[`\"']?"
    rf"(?P<value>(?=\S*[0-9]|{re.escape(PLACEHOLDER_START)})[^\s`\"']{{4,64}})[`\"']?[ \t\r]*"
)
_HEADING = r"[ \t>]{0,8}#.*|.*[:\uff1a][*_ \t\r]{0,4}"
_KINDS = frozenset(("password", "recovery-code", "secret"))
_MOST_LINES, _LEAST_FOUND, _LEAST_SHARE = 40, 2, 1 / 3


def lines_alike(text: str, found: Iterable[Span]) -> Iterator[Span]:
    """Yield the values, of as many letters and digits, that stand right above and below those of `found`.

    One of them is enough below a heading, which then is the name of all; else two, and a third of all.
    """
    taken = Taken(found)
    # What was found in an earlier round, or in a view, is gone by now.
    gone = [Span(kind_of_placeholder(one[0]), *one.span()) for one in PLACEHOLDER_PATTERN.finditer(text)]
    places = [span for span in (*taken.spans, *gone) if span.kind in _KINDS]
    lines = Lines(text if places else "")
    seen: set[int] = set()
    for span in places:
        number = lines.number_of(span.start)
        alone = _alone(lines, number) if number not in seen else None
        if alone is not None and alone.span("value") == (span.start, span.end):
            form = _form_from(lines, number)
            above = [*_alike(lines, range(number - 1, max(-1, number - 1 - _MOST_LINES), -1), form)]
            below = [*_alike(lines, range(number + 1, min(len(lines), number + 1 + _MOST_LINES)), form)]
            block = [*above, alone, *below]
            seen.update(lines.number_of(one.start()) for one in block)
            left = [one.span("value") for one in block if not _is_gone(one) and taken.is_free(*one.span("value"))]
            is_headed = _is_headed(lines, number - len(above) - 1)
            if (1 if is_headed else max(_LEAST_FOUND, _LEAST_SHARE * len(block))) <= len(block) - len(left):
                yield from (Span(span.kind, *place) for place in left)


def _alike(lines: Lines, numbers: Iterable[int], form: str) -> Iterator[re.Match[str]]:
    """Yield what stands alone on lines of those numbers, up to the first on which nothing of that form does.

    What was found in an earlier round is one of them.
    """
    for number in numbers:
        other = _alone(lines, number)
        if other is None or not (_is_gone(other) or _form(other["value"]) == form):
            return
        yield other


def _form_from(lines: Lines, number: int) -> str:
    """Return the form of the first value from a line on that is not gone, or nothing if another thing is before it."""
    for line in range(number, min(len(lines), number + _MOST_LINES)):
        alone = _alone(lines, line)
        if alone is None or not _is_gone(alone):
            return _form(alone["value"]) if alone else ""
    return ""


def _alone(lines: Lines, number: int) -> re.Match[str] | None:
    line = lines[number]
    return compiled(_ALONE).fullmatch(lines.text, line.start, line.end)


def _is_headed(lines: Lines, number: int) -> bool:
    """Whether the line of that number is a heading, or the one above it where it is blank."""
    if number > 0 and not lines[number].text.strip():
        number -= 1
    return number >= 0 and compiled(_HEADING).fullmatch(lines[number].text) is not None


def _is_gone(alone: re.Match[str]) -> bool:
    return PLACEHOLDER_PATTERN.fullmatch(alone["value"]) is not None


def _form(value: str) -> str:
    return "".join("0" if letter.isalnum() else letter for letter in value)
