"""Reads of a response that end by a deadline. A socket's own timeout limits each read, but not how many there are."""

from __future__ import annotations

import io
import math
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class DeadlineReader(io.RawIOBase):
    """Reads from a socket until a deadline on the clock `time.monotonic`, then raises `TimeoutError`."""

    def __init__(self, sock: Any, raw: io.RawIOBase, *, until: float) -> None:
        super().__init__()
        self._sock, self._raw, self._until = sock, raw, until

    def readable(self) -> bool:
        """Return true."""
        return True

    def fileno(self) -> int:
        """Return the socket's descriptor."""
        return self._raw.fileno()

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        """Read what has arrived, or wait for data until the deadline."""
        if math.isinf(self._until):
            return self._raw.readinto(buffer)
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        usual = self._sock.gettimeout()
        self._sock.settimeout(left if usual is None else min(left, usual))
        try:
            return self._raw.readinto(buffer)
        finally:
            self._sock.settimeout(usual)  # the next request on this connection needs it

    def close(self) -> None:
        """Close the socket's reader."""
        self._raw.close()
        super().close()
