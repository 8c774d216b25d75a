"""A server that answers every HTTP/1.1 request with one object, as fast as Python can. ``-m transports.answering``.

It checks no signatures, because only the client is measured. Its argument is the delay of each response in
milliseconds. It writes its port to standard output, and ends when standard input does.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import cast

_BODY = bytes(1_100)
_ANSWER = (
    b"HTTP/1.1 200 OK\r\nx-amz-request-id: bench\r\nLast-Modified: Sat, 01 Jan 2000 00:00:00 GMT\r\n"
    b'ETag: "00000000000000000000000000000000"\r\nAccept-Ranges: bytes\r\nContent-Type: binary/octet-stream\r\n'
    b"Content-Length: 1100\r\nServer: AmazonS3\r\n\r\n" + _BODY
)


class _Connection(asyncio.Protocol):
    def __init__(self, delay_seconds: float) -> None:
        self._delay_seconds = delay_seconds
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        while b"\r\n\r\n" in self._received:
            _, _, self._received = self._received.partition(b"\r\n\r\n")
            if self._delay_seconds:
                asyncio.get_running_loop().call_later(self._delay_seconds, self._transport.write, _ANSWER)
            else:
                self._transport.write(_ANSWER)


async def main(delay_ms: str) -> None:
    """Serve until standard input ends."""
    served = await asyncio.get_running_loop().create_server(
        lambda: _Connection(float(delay_ms) / 1_000), "127.0.0.1", 0, backlog=512
    )
    print(served.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.buffer.read)
    os._exit(0)  # without waiting for connections that are still open


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
