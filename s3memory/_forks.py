"""What a forked child recreates: it inherits its parent's memory, with held locks, and none of its threads."""

from __future__ import annotations

import os
import weakref
from abc import ABC, abstractmethod
from itertools import count
from typing import TypeVar

K = TypeVar("K", bound="OfOneProcess")


class OfOneProcess(ABC):
    """Something that holds locks, threads or connections of the process that made it."""

    def __init__(self) -> None:
        self.begin_anew()
        number = next(_numbers)
        _those[number] = weakref.ref(self, lambda _: _those.pop(number, None))

    @abstractmethod
    def begin_anew(self) -> None:
        """Start without any: called when it is made, and in every forked child before anything else runs there."""


# In the order in which they were made. Weak: what nobody uses any more goes, with what it holds.
_those: dict[int, weakref.ref[OfOneProcess]] = {}
_numbers = count()


def living(kind: type[K]) -> list[K]:
    """Return those of a kind that somebody uses, in the order in which they were made."""
    return [one for reference in list(_those.values()) if isinstance(one := reference(), kind)]


def _begin_anew() -> None:
    for one in living(OfOneProcess):  # type: ignore[type-abstract]  # they are of its kinds
        one.begin_anew()


os.register_at_fork(after_in_child=_begin_anew)
