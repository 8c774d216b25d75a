"""How far long work has come, for whoever wants to show it: who watches a context hears of all work in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Watcher(Protocol):
    """Is told of steps of long work as they are done. It must be safe to call from several threads at once."""

    def begins(self, what: str, steps: int | None, /) -> None:
        """Hear what is done next, and in how many steps; `None` where nobody has counted them."""

    def advances(self, steps: int = 1, /) -> None:
        """Hear that so many more steps are done."""


_watcher: ContextVar[Watcher | None] = ContextVar("s3memory-progress", default=None)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Have a watcher hear of all long work in this context, in place of who watches around it.

    Args:
        watcher: hears of it. What is yielded piece by piece, as by a search, has to be iterated in here.
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
    """Tell whoever watches that so many more steps are done; the pool's threads do so for who wanted their work."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher.advances(steps)
