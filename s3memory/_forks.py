"""What a forked child recreates: it inherits its parent's memory, with held locks, and none of its threads.

The hooks on fork of the whole package are here. What has to begin anew in a child is an `OfOneProcess`.
"""

from __future__ import annotations

import os
import threading
import weakref
from abc import ABC, abstractmethod
from contextlib import ExitStack
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


class _Fork(threading.local):
    """All of them, held by the thread that forks until they have begun anew.

    In the child, the end of the other threads and whatever begins anew drop others, such as clients. One that nobody
    else holds would be freed then with what it has of the parent's, and so close the parent's connections.
    """

    held: tuple[OfOneProcess, ...] = ()


_fork = _Fork()


def _hold() -> None:
    _fork.held = _all()


def _let_go() -> None:
    _fork.held = ()


def _begin_anew() -> None:
    with ExitStack() as beginning:  # one that fails, such as a caller's client, keeps no other from it
        beginning.callback(_let_go)
        for one in reversed(_all()):  # what was put on a stack last begins first
            beginning.callback(one.begin_anew)


def _all() -> tuple[OfOneProcess, ...]:
    return tuple(living(OfOneProcess))  # type: ignore[type-abstract]  # they are of its kinds


os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_begin_anew)
