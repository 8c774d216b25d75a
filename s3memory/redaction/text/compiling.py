"""Compiles regular expressions when a text first needs them, so that importing the rules stays cheap."""

from __future__ import annotations

import re
from functools import cache
from typing import AnyStr

from s3memory.redaction.text.combining_marks import marks_as_letters

_MAX_BEHIND = 8


@cache
def compiled(pattern: AnyStr) -> re.Pattern[AnyStr]:
    """Return `pattern` compiled, once per process, for texts that went through `marks_as_letters`."""
    if isinstance(pattern, str):
        return re.compile(marks_as_letters(pattern))
    return re.compile(pattern)


def occurs(pattern: str, text: str, start: int = 0, end: int | None = None) -> bool:
    """Whether `pattern` matches somewhere in `text`, or in a part of it. Where it does is not told.

    Nearly all parts are in ASCII, and then the part is searched in lower case. Where case matters, `re` sees by its
    first letter whether a word of a long list may match, and such a search takes a tenth of the time.

    Args:
        pattern: A pattern that ignores case: it begins with ``(?i)`` and has no capitals. What it looks behind at
            has at most `_MAX_BEHIND` characters.
        text: The text.
        start: Where the part starts.
        end: Where it ends.
    """
    first = max(0, start - _MAX_BEHIND)
    part = text[first:end]
    if part.isascii():
        return _for_lower_case(pattern).search(part.lower(), start - first) is not None
    return compiled(pattern).search(text, start, len(text) if end is None else end) is not None


@cache
def _for_lower_case(pattern: str) -> re.Pattern[str]:
    """Return `pattern` compiled for texts in ASCII and in lower case. A dotless "i" matches "i" if case is ignored."""
    return compiled(pattern.removeprefix("(?i)").replace("\u0131", "i").replace(r"\u0131", "i"))


@cache
def compiled_as_written(pattern: str) -> re.Pattern[str]:
    """Return `pattern` compiled, once per process, for texts as they were written."""
    return re.compile(pattern)
