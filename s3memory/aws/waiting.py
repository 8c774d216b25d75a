"""Tells a watcher when a request to a server begins and ends, so that a program can say which server it waits for.

Both transports report a request with all its tries, in the context of the thread that sends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

_watcher: ContextVar[Callable[[str], AbstractContextManager[None]] | None] = ContextVar(
    "s3memory-waiting", default=None
)


@contextmanager
def waits_watched(watcher: Callable[[str], AbstractContextManager[None]]) -> Iterator[None]:
    """Send each request of this context inside the context that `watcher` returns for its address."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def waiting_for(address: str) -> AbstractContextManager[None]:
    """Return the watcher's context for a request to a server, by its URL; an empty one if nobody watches."""
    watcher = _watcher.get()
    return nullcontext() if watcher is None else watcher(address)
