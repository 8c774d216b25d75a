"""Tokens that were broken at the end of a line: what stands on the next line alone goes on with them."""

from __future__ import annotations

from collections.abc import Iterator

from s3memory.redaction.decoding.view import Replacement
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import runs_of
from s3memory.redaction.text.values import looks_random

_LEAST = 16
# Shorter lines were not broken for their length. A backslash says that a line goes on.
_LEAST_COLUMN = 50
_BREAK = (
    r"[ \t]{0,2}(?P<mark>\\)?\r?\n[ \t>#*|]{0,16}(?P<rest>[A-Za-z0-9+/_-]{6,512}={0,2})"
    r"(?=[\"'`,;.)\]}]{0,3}[ \t]{0,9}(?:\r?\n|\Z))"
)
# The next line has a token of its own, or a word.
_ANOTHER = r"[A-Za-z][A-Za-z0-9]{1,9}[_-]|eyJ|[A-Z]?[a-z]+\Z|[0-9]+\Z|[A-Z]+\Z"


def wraps(text: str) -> Iterator[Replacement]:
    """Yield each line end in `text` that is inside a token, with nothing in its place."""
    for start, end in runs_of(text, _LEAST):
        broken = compiled(_BREAK).match(text, end)
        if broken is None:
            continue
        rest, is_marked = broken["rest"], broken["mark"] is not None
        if not is_marked and len(rest) >= end - start:  # the rest of a token is shorter than a line of it
            continue
        if compiled(_ANOTHER).match(rest) or not any(map(str.isdigit, text[start:end])):
            continue
        line = text.rfind("\n", max(0, start - _LEAST_COLUMN), start) + 1 or max(0, start - _LEAST_COLUMN)
        is_long = is_marked or end - line >= _LEAST_COLUMN
        if is_long or (looks_random(rest, least=_LEAST) and looks_random(text[start:end])):
            yield end, broken.start("rest"), ""
