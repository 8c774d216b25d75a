"""Regular expressions that are compiled when a text first needs them, so that importing the rules stays cheap."""

from __future__ import annotations

import re
from functools import cache
from typing import AnyStr

from s3memory.redaction.text.marks import as_letters


@cache
def compiled(pattern: AnyStr) -> re.Pattern[AnyStr]:
    """Return `pattern` compiled, once a process, for texts whose marks are letters; flags stand in the pattern."""
    if isinstance(pattern, str):
        return re.compile(as_letters(pattern))
    return re.compile(pattern)


@cache
def compiled_as_written(pattern: str) -> re.Pattern[str]:
    """Return `pattern` compiled, once a process, for texts as they are written."""
    return re.compile(pattern)
