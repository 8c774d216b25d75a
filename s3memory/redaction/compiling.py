"""Regular expressions that are compiled when a text first needs them, so that importing the rules stays cheap."""

from __future__ import annotations

import re
from functools import cache


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return `pattern` compiled, once a process; flags stand in the pattern."""
    return re.compile(pattern)
