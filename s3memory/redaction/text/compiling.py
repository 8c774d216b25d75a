"""Compiles regular expressions when a text first needs them, so that importing the rules stays cheap."""

from __future__ import annotations

import re
from functools import cache
from typing import AnyStr

from s3memory.redaction.text.combining_marks import marks_as_letters


@cache
def compiled(pattern: AnyStr) -> re.Pattern[AnyStr]:
    """Return `pattern` compiled, once per process, for texts that went through `marks_as_letters`."""
    if isinstance(pattern, str):
        return re.compile(marks_as_letters(pattern))
    return re.compile(pattern)


@cache
def compiled_as_written(pattern: str) -> re.Pattern[str]:
    """Return `pattern` compiled, once per process, for texts as they were written."""
    return re.compile(pattern)
