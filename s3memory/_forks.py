"""What a forked child recreates: it inherits its parent's memory, with held locks, and none of its threads."""

from __future__ import annotations

import os
import weakref
from abc import ABC, abstractmethod
from itertools import count


class OfOneProcess(ABC):
    """What holds locks, threads or connections of the process that it was made in."""

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


def _begin_anew() -> None:
    for reference in list(_those.values()):
        one = reference()
        if one is not None:
            one.begin_anew()


os.register_at_fork(after_in_child=_begin_anew)
