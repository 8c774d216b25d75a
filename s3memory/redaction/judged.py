"""What a value is taken for, remembered while texts are looked through: texts say the same words over and over.

The values are those of the texts, secrets among them: whoever has looked through a text forgets them all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, TypeVar, cast

_MOST_REMEMBERED = 8_000

_P = ParamSpec("_P")
_T = TypeVar("_T")

_forget: list[Callable[[], None]] = []


def judged(judge: Callable[_P, _T]) -> Callable[_P, _T]:
    """Return `judge`, which has to be a function of its arguments alone, with a memory for what it returned."""
    remembered = lru_cache(maxsize=_MOST_REMEMBERED)(judge)
    _forget.append(remembered.cache_clear)
    return cast("Callable[_P, _T]", remembered)


def forget() -> None:
    """Forget all values, those of texts that other threads look through as well: they are judged anew."""
    for clear in _forget:
        clear()
