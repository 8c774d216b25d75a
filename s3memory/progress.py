"""Progress of long operations. A watcher is notified of all operations in its context."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Watcher(Protocol):
    """Is notified of each step of a long operation. Several threads may call it at once."""

    def begin(self, what: str, steps: int | None, /) -> None:
        """Called with what is done next and its number of steps; `None` if that is not known."""

    def advance(self, steps: int = 1, /) -> None:
        """Called when this many more steps are done."""


_watcher: ContextVar[Watcher | None] = ContextVar("s3memory-progress", default=None)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Notify a watcher of all long operations in this context, instead of an outer watcher.

    Args:
        watcher: the watcher. An operation that yields its results, such as a search, must be iterated in the context.
    """
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def begin(what: str, steps: int | None) -> None:
    """Tell the watcher, if there is one, what is done next and in how many steps."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher.begin(what, steps)


def advance(steps: int = 1) -> None:
    """Tell the watcher, if there is one, that more steps are done. The pool's threads notify their caller's."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher.advance(steps)
