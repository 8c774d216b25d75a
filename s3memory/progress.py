"""How far long work has come. A watcher of a context is told of all work in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Watcher(Protocol):
    """Is told of each step of long work. It must be safe to call from several threads at once."""

    def begins(self, what: str, steps: int | None, /) -> None:
        """Hear what is done next, and in how many steps; `None` where nobody has counted them."""

    def advances(self, steps: int = 1, /) -> None:
        """Hear that so many more steps are done."""


_watcher: ContextVar[Watcher | None] = ContextVar("s3memory-progress", default=None)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Have a watcher told of all long work in this context, in place of the watcher around it.

    Args:
        watcher: is told of it. Work that yields piece by piece, such as a search, has to be iterated in here.
    """
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def begins(what: str, steps: int | None) -> None:
    """Tell whoever watches what is done next, and in how many steps."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher.begins(what, steps)


def advances(steps: int = 1) -> None:
    """Tell whoever watches that so many more steps are done. The pool's threads tell the watcher of their caller."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher.advances(steps)
