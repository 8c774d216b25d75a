"""Regular expressions that are compiled when a text first needs them, so that importing the rules stays cheap."""

from __future__ import annotations

import re
from functools import cache
from typing import AnyStr


@cache
def compiled(pattern: AnyStr) -> re.Pattern[AnyStr]:
    """Return `pattern` compiled, once a process; flags stand in the pattern."""
    return re.compile(pattern)
