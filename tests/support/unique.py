"""Names that no other test of this run has: a fixture of a module can be made more than once in a process."""

from __future__ import annotations

import itertools
import os

_numbers = itertools.count(1)


def unique(name: str) -> str:
    """Return a name for a bucket, or whatever else is there once for all tests."""
    return f"{name}-{os.getpid()}-{next(_numbers)}"
