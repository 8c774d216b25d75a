"""What a forked child recreates: it inherits its parent's memory, with held locks, but none of its threads.

All fork hooks of the package are here. An object that a child must reset is an `OfOneProcess`.
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
    """An object that holds locks, threads or connections, which belong to one process."""

    def __init__(self) -> None:
        self.reset_after_fork()
        number = next(_numbers)
        _instances[number] = weakref.ref(self, lambda _: _instances.pop(number, None))

    @abstractmethod
    def reset_after_fork(self) -> None:
        """Start without any: called on creation, and in every forked child before anything else runs there."""


# In the order of creation. Weak, so that unused objects are freed with what they hold.
_instances: dict[int, weakref.ref[OfOneProcess]] = {}
_numbers = count()


def living(kind: type[K]) -> list[K]:
    """Return the objects of a kind that are still in use, in the order of creation."""
    return [one for reference in list(_instances.values()) if isinstance(one := reference(), kind)]


class _Fork(threading.local):
    """References to all instances, held by the forking thread until they have been reset.

    In the child, the other threads vanish, and a reset drops other objects, such as clients. An object that nothing
    else holds would then be freed before its own reset, and close the parent's connections.
    """

    held: tuple[OfOneProcess, ...] = ()


_fork = _Fork()


def _hold() -> None:
    _fork.held = _all()


def _release() -> None:
    _fork.held = ()


def _reset_all() -> None:
    with ExitStack() as resets:  # one that fails, such as a caller's client, does not stop the others
        resets.callback(_release)
        for one in reversed(_all()):  # a stack runs in reverse, so the oldest is reset first
            resets.callback(one.reset_after_fork)


def _all() -> tuple[OfOneProcess, ...]:
    return tuple(living(OfOneProcess))  # type: ignore[type-abstract]  # returns instances of its subclasses


os.register_at_fork(before=_hold, after_in_parent=_release, after_in_child=_reset_all)
