"""Connections that are kept for the next request to the same server, and left to the parent when the process forks.

Each is held by a handle of libcurl. Some handles have lost theirs.
"""

from __future__ import annotations

import os
import select
import threading
from typing import Any, NamedTuple

from s3memory._forks import OfOneProcess

KEPT_CONNECTIONS = 64
"""How many connections stay open for the next request, and so how many requests of one piece of work pay side by side.

With answers of 20 ms, these are 3,200 requests a second: below the 5,500 GETs that S3 promises for a prefix. With 96,
Python's threads took a tenth more CPU for each file, and were no faster.
"""


class _Idle(NamedTuple):
    handle: Any
    socket: int  # below 0 if there is none


class Connections(OfOneProcess):
    """Handles that are not in use, by the server that each asked last. Threads share them."""

    def __init__(self, curl: Any) -> None:
        self._curl = curl
        self._idle: dict[str, list[_Idle]] = {}  # no list is empty; what was kept first comes first
        super().__init__()

    def take(self, server: str) -> tuple[Any, bool]:
        """Return a handle for a request to a server, and whether it has a connection there.

        Those that the server has closed meanwhile are not among them.
        """
        while True:
            with self._lock:
                idle = self._pop(server) if server in self._idle else None
            if idle is None:
                return self._curl.Curl(), False
            if not _has_ended(idle.socket):
                return idle.handle, idle.socket >= 0
            idle.handle.close()

    def keep(self, server: str, handle: Any) -> None:
        """Keep a handle for the next request to a server. Nothing of this request stays, not even credentials.

        If there are too many, the oldest is closed.
        """
        idle = _Idle(handle, handle.getinfo(self._curl.ACTIVESOCKET))
        handle.reset()
        dropped = None
        with self._lock:
            self._idle.setdefault(server, []).append(idle)
            if sum(map(len, self._idle.values())) > KEPT_CONNECTIONS:
                dropped = self._pop(next(iter(self._idle)), 0)
        if dropped is not None:
            dropped.handle.close()

    def close(self) -> None:
        """Close the connections that are not in use."""
        for handle, _ in self._emptied():
            handle.close()

    def begin_anew(self) -> None:
        """In a forked child, give up the connections, which are the parent's, without a word to their servers.

        Closing one would end its TLS session, for the parent too. So the child's end of each becomes an end of
        nothing, and the handle is kept: whatever libcurl says when the process ends goes nowhere.
        """
        self._lock = threading.Lock()  # another thread may have held it
        for handle, socket in self._emptied():
            if socket >= 0:
                nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
                os.dup2(nowhere, socket, inheritable=False)
                os.close(nowhere)
            _left_to_parents.append(handle)

    def _pop(self, server: str, index: int = -1) -> _Idle:
        of_server = self._idle[server]
        idle = of_server.pop(index)
        if not of_server:
            del self._idle[server]
        return idle

    def _emptied(self) -> list[_Idle]:
        with self._lock:
            idle, self._idle = self._idle, {}
        return [one for of_server in idle.values() for one in of_server]


def _has_ended(socket: int) -> bool:
    """Whether an idle connection was closed by its server, or has bytes that belong to no request.

    A request on it would be lost, and nobody would know whether it was carried out. libcurl itself only looks after a
    second without a request, by a clock that may stand still while a process is frozen.
    """
    if socket < 0:
        return False
    looking = select.poll()  # `select.select` takes no descriptor from 1,024
    looking.register(socket, select.POLLIN)  # an end and an error are reported anyway
    return bool(looking.poll(0))


_left_to_parents: list[Any] = []
