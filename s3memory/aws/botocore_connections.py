"""botocore's connections: the head of an answer is whole, and comes in time, or there is no answer.

`http.client` takes a head that breaks off for a whole one, without the headers that are missing: a DELETE would count
as done. botocore reads what follows ``100 Continue`` for ever, if the connection ends there. And a timeout is that of
one read: an answer that comes byte by byte would be waited for as long as it goes on.

The transport on libcurl looks for itself.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import RemoteDisconnected
from typing import TYPE_CHECKING, Any

from s3memory.aws.retry import request_seconds
from s3memory.aws.timed_reads import ReadsInTime

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_FIRST_OF_SUCCESSES = 200


class _Receiving:
    """Stands in for a socket while the head of an answer is read. What is read of it later keeps to the same time."""

    def __init__(self, sock: Any) -> None:
        self.sock = sock
        self.until = time.monotonic() + request_seconds()
        self.is_in_head = True

    def makefile(self, mode: str, buffering: int | None = None) -> io.RawIOBase | io.BufferedReader:
        raw = _Reads(self, self.sock.makefile(mode, buffering=0))
        return raw if buffering == 0 else io.BufferedReader(raw)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sock, name)


class _Reads(ReadsInTime):
    def __init__(self, of: _Receiving, raw: io.RawIOBase) -> None:
        super().__init__(of.sock, raw, until=of.until)
        self._of = of

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        number = super().readinto(buffer)
        if number == 0 and self._of.is_in_head:
            raise RemoteDisconnected("the head of the answer broke off")
        return number


class _Connection:
    """A connection that ends with an informational answer, such as 103, so that nobody takes what follows for theirs.

    `http.client` passes by 100 alone, and takes any other for the answer.
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
            if self.sock is receiving:  # or it was closed
                self.sock = receiving.sock


def read_heads_whole_and_in_time(client: Any) -> None:
    """Let a client of botocore's have answers whose heads are whole, and in time, from now on.

    A connection on which an informational answer came is not used again.
    """
    session = client._endpoint.http_session  # noqa: SLF001 - it takes no other connections by any public way
    pools = getattr(session, "_pool_classes_by_scheme", {})
    for scheme, pool in pools.items():
        if not issubclass(pool.ConnectionCls, _Connection):
            made = type("Connection", (_Connection, pool.ConnectionCls), {})
            pools[scheme] = type("Pool", (pool,), {"ConnectionCls": made})
