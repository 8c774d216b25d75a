"""Connections that are kept for the next request to the same server, and left to the parent when the process forks.

Each belongs to a libcurl handle. A handle may have lost its connection.
"""

from __future__ import annotations

import os
import select
import threading
from typing import Any, NamedTuple

from s3memory._forks import OfOneProcess

KEPT_CONNECTIONS = 64
"""How many connections stay open for later requests, and so how many parallel requests pay off for one operation.

If each response takes 20 ms, these make 3,200 requests a second, below the 5,500 GETs that S3 promises for a prefix.
With 96, Python's threads used a tenth more CPU for each file, and were no faster.
"""


class _Idle(NamedTuple):
    handle: Any
    socket: int  # below 0 if there is none


class Connections(OfOneProcess):
    """The idle handles, by the server that each last talked to. Safe to share between threads."""

    def __init__(self, curl: Any) -> None:
        self._curl = curl
        self._idle: dict[str, list[_Idle]] = {}  # no list is empty; the oldest handle comes first
        super().__init__()

    def take(self, server: str) -> tuple[Any, bool]:
        """Return a handle for a request to a server, and whether it is connected to it.

        Skips connections that the server has closed.
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
        """Keep a handle for the next request to a server, and erase this request's data from it, credentials included.

        If there are too many handles, the oldest is closed.
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
        """Close the idle connections."""
        for handle, _ in self._emptied():
            handle.close()

    def reset_after_fork(self) -> None:
        """In a forked child, give up the connections, which are the parent's, without sending anything on them.

        Closing one would end its TLS session, for the parent too. So each socket in the child is redirected to the null
        device, and the handle is kept: anything that libcurl sends when the process ends goes nowhere.
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
    """Whether the server has closed an idle connection, or has sent bytes that belong to no request.

    A request on it would be lost, with an unknown outcome. libcurl itself only checks after an idle second, by a clock
    that may stop while the process is frozen.
    """
    if socket < 0:
        return False
    poll = select.poll()  # `select.select` takes no descriptor from 1,024 on
    poll.register(socket, select.POLLIN)  # a hang-up or an error is reported anyway
    return bool(poll.poll(0))


_left_to_parents: list[Any] = []
