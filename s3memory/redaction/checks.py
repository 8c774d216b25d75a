"""What configuration is checked for: nothing but a type checker has seen to it that it is what it is declared as."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import TypeGuard

from s3memory.redaction.model import KIND_PATTERN

LONGEST_MATCH_CHARACTERS = 256
"""What a pattern of your own may match at most, and look ahead at behind that."""


def is_kind(value: object) -> TypeGuard[str]:
    """Whether `value` is a kind: lower-case ASCII words and digits joined by single hyphens."""
    return isinstance(value, str) and KIND_PATTERN.fullmatch(value) is not None


def is_positive(value: object) -> bool:
    """Whether `value` is a finite number above 0."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def are_words(value: object) -> TypeGuard[Collection[str]]:
    """Whether `value` is a collection of strings, none of them empty, and no mapping from such strings."""
    if not isinstance(value, Collection) or isinstance(value, str | bytes | Mapping):
        return False
    return all(isinstance(one, str) and one for one in value)
