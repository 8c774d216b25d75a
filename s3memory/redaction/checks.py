"""Checks of configured values at run time, for callers who don't use a type checker."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import TypeGuard

from s3memory.redaction.interface import KIND_PATTERN

MAX_MATCH_CHARACTERS = 256
"""How much the pattern of a custom rule may match, look-aheads included."""


def is_kind(value: object) -> TypeGuard[str]:
    """Whether `value` is a kind: lower-case ASCII words and digits joined by single hyphens."""
    return isinstance(value, str) and KIND_PATTERN.fullmatch(value) is not None


def is_positive(value: object) -> bool:
    """Whether `value` is a finite number above 0."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def is_collection_of_strings(value: object) -> TypeGuard[Collection[str]]:
    """Whether `value` is a collection of non-empty strings, and not itself a string or a mapping."""
    if not isinstance(value, Collection) or isinstance(value, str | bytes | Mapping):
        return False
    return all(isinstance(one, str) and one for one in value)
