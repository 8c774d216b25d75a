"""Reads of an answer that end by some moment. A socket's own timeout is that of one read, however many there are."""

from __future__ import annotations

import io
import math
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class ReadsInTime(io.RawIOBase):
    """Reads from a socket until a moment on the clock `time.monotonic`, and raises `TimeoutError` from then on."""

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
        """Read what is there, or wait for something for as long as there is time."""
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
            self._sock.settimeout(usual)  # the next request on this connection is sent with it

    def close(self) -> None:
        """Read no more."""
        self._raw.close()
        super().close()
