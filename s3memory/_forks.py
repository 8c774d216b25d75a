"""What a forked child begins anew: it has its parent's memory, with locks that were held, and none of its threads."""

from __future__ import annotations

import os
import weakref
from itertools import count
from typing import Protocol


class OfOneProcess(Protocol):
    """What holds locks, threads or connections of the process that it was made in."""

    def begin_anew(self) -> None:
        """Forget these: called in the child, before anything else runs there."""


# In the order in which they were made. Weak: what nobody uses any more goes, with what it holds.
_those: dict[int, weakref.ref[OfOneProcess]] = {}
_numbers = count()


def begin_anew_in_child(one: OfOneProcess) -> None:
    """Let an object begin anew in every child that is forked from now on."""
    number = next(_numbers)
    _those[number] = weakref.ref(one, lambda _: _those.pop(number, None))


def _begin_anew() -> None:
    for reference in list(_those.values()):
        one = reference()
        if one is not None:
            one.begin_anew()


os.register_at_fork(after_in_child=_begin_anew)
