"""Tells a watcher when a request begins and ends, so that a program can show which server it is waiting for.

Both transports report a request with all its attempts as one, in the context of the thread that sends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

_watcher: ContextVar[Callable[[str], AbstractContextManager[None]] | None] = ContextVar(
    "s3memory-waiting", default=None
)


@contextmanager
def watching_waits(watcher: Callable[[str], AbstractContextManager[None]]) -> Iterator[None]:
    """Have each request of this context sent inside the context that `watcher` returns for the server's address."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def waiting_for(address: str) -> AbstractContextManager[None]:
    """Return the watcher's context for a request to the server at this URL; an empty one without a watcher."""
    watcher = _watcher.get()
    return nullcontext() if watcher is None else watcher(address)
