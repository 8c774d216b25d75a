"""Who is told that a request to a server begins, and ends: what waits for servers may want to say for which.

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
    """Send the requests of this context inside of what a function returns for the address that they go to."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def waiting_for(address: str) -> AbstractContextManager[None]:
    """Return the context for a request to a server, by its URL, of whoever watches."""
    watcher = _watcher.get()
    return nullcontext() if watcher is None else watcher(address)
