"""Reading what a service sent: nothing is taken for what it should be before it is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import TypeGuard

from s3memory.redaction.adapters.calls import refuse


def as_mapping(value: object, service: str) -> Mapping[str, object]:
    """Return `value`, a mapping, or raise a `RedactionError`."""
    if not isinstance(value, Mapping):
        raise refuse(service, "answered with something else than documented")
    return value


def as_list(value: object, service: str) -> list[object]:
    """Return `value`, a list, or raise a `RedactionError`."""
    if not isinstance(value, list):
        raise refuse(service, "answered with something else than documented")
    return value


def is_offset(value: object) -> TypeGuard[int]:
    """Whether `value` is a whole number, and no truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_score(value: object) -> TypeGuard[float]:
    """Whether `value` is a number from 0 to 1, and no truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1
