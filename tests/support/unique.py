"""Names that no other test of this run uses: a module's fixture can be created more than once in a process."""

from __future__ import annotations

import itertools
import os

_numbers = itertools.count(1)


def unique(name: str) -> str:
    """Return a unique name for a bucket, or for anything else that all tests share."""
    return f"{name}-{os.getpid()}-{next(_numbers)}"
