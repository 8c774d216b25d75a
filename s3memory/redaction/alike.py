"""What of a text looks like something that was found: in a list that is found one by one, the rest goes at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from s3memory.redaction.model import Span

_MOST_FORMS, _LONGEST = 16, 256
_RUN = re.compile(r"[^\W_]+")


def with_alike(text: str, spans: Iterable[Span]) -> list[Span]:
    """Return `spans`, and what has a digit and the form of one: letters and digits as many, between the same signs."""
    found = [*spans]
    kinds: dict[str, str] = {}
    forms: Counter[str] = Counter()
    for span in found:
        value = text[span.start : span.end]
        if len(value) <= _LONGEST and _has_digit(value):
            form = _form(value)
            kinds.setdefault(form, span.kind)
            forms[form] += 1
    for form, _ in forms.most_common(_MOST_FORMS):
        ends = rf"(?<![^\W_]){form}(?![^\W_])"
        found += [Span(kinds[form], *other.span()) for other in re.finditer(ends, text) if _has_digit(other[0])]
    return found


def _form(value: str) -> str:
    """Return what matches values of the form of `value`."""
    parts = re.split(r"([^\W_]+)", value)
    return "".join(rf"[^\W_]{{{len(part)}}}" if _RUN.fullmatch(part) else re.escape(part) for part in parts if part)


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))
