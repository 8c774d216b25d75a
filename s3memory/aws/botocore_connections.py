"""botocore's connections, made to accept a response only if its head is complete and comes in time.

`http.client` accepts a head that breaks off as complete, without the missing headers: a DELETE would count as done.
botocore loops forever if the connection ends after ``100 Continue``. And a timeout limits a single read: a response
that trickles in byte by byte could take any time.

The transport on libcurl has its own checks.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import RemoteDisconnected
from typing import TYPE_CHECKING, Any

from s3memory.aws.retry import request_seconds
from s3memory.aws.timed_reads import DeadlineReader

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_FIRST_OF_SUCCESSES = 200


class _Receiving:
    """Wraps a socket while the head of a response is read. Later reads of the response keep to the same deadline."""

    def __init__(self, sock: Any) -> None:
        self.sock = sock
        self.until = time.monotonic() + request_seconds()
        self.is_in_head = True

    def makefile(self, mode: str, buffering: int | None = None) -> io.RawIOBase | io.BufferedReader:
        raw = _Reads(self, self.sock.makefile(mode, buffering=0))
        return raw if buffering == 0 else io.BufferedReader(raw)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sock, name)


class _Reads(DeadlineReader):
    def __init__(self, of: _Receiving, raw: io.RawIOBase) -> None:
        super().__init__(of.sock, raw, until=of.until)
        self._of = of

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        number = super().readinto(buffer)
        if number == 0 and self._of.is_in_head:
            raise RemoteDisconnected("the head of the answer broke off")
        return number


class _Connection:
    """A connection that closes after an informational response, such as 103: what follows belongs to no other request.

    `http.client` skips 100 only, and returns any other informational response as the final one.
    """

    sock: Any

    def getresponse(self) -> Any:
        with self._receiving():
            response: Any = super().getresponse()  # type: ignore[misc]
        if response.status < _FIRST_OF_SUCCESSES:
            self.close()  # type: ignore[attr-defined]
        return response

    def _handle_expect_response(self, message_body: Any) -> None:  # botocore's own
        with self._receiving():
            super()._handle_expect_response(message_body)  # type: ignore[misc]

    @contextmanager
    def _receiving(self) -> Iterator[None]:
        self.sock = receiving = _Receiving(self.sock)
        try:
            yield
        finally:
            receiving.is_in_head = False
            if self.sock is receiving:  # not if the connection was closed
                self.sock = receiving.sock


def require_complete_heads_in_time(client: Any) -> None:
    """Make a botocore client accept only responses whose heads are complete and come in time.

    A connection that received an informational response is not reused.
    """
    session = client._endpoint.http_session  # noqa: SLF001 - there is no public way to replace its connections
    pools = getattr(session, "_pool_classes_by_scheme", {})
    for scheme, pool in pools.items():
        if not issubclass(pool.ConnectionCls, _Connection):
            made = type("Connection", (_Connection, pool.ConnectionCls), {})
            pools[scheme] = type("Pool", (pool,), {"ConnectionCls": made})
