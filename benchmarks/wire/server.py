"""The server's process: HTTP/1.1 on one thread. ``python -m wire.server``.

It writes its port to standard output once it accepts connections, and ends when standard input does.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import time
from typing import TYPE_CHECKING

from wire.aws import Answer, Kms, Request, Sts
from wire.s3 import S3

if TYPE_CHECKING:
    from wire.aws import Service


class Server:
    """The services, their delays, and the record of their exchanges."""

    def __init__(self) -> None:
        self._delay_seconds: dict[str, float] = {}
        self._s3 = S3()
        self._services: dict[str, Service] = {"s3": self._s3, "kms": Kms(), "sts": Sts()}
        self._record: list[tuple[object, ...]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until the client closes it."""
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                begin = time.monotonic()
                request = Request.from_head(head)
                if request.headers.get("expect") == "100-continue":
                    writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                request.body = await reader.readexactly(int(request.headers.get("content-length", "0")))
                if request.path.startswith("/_"):
                    writer.write(self._control(request).encoded(has_body=True))
                    continue
                service = self._services[request.service]
                await asyncio.sleep(self._delay_seconds.get(service.operation(request), 0))
                answer = service.answer(request)
                sent = answer.encoded(has_body=request.method != "HEAD")
                received = len(head) + len(request.body)
                self._record.append(
                    (request.service, answer.operation, answer.status, begin, time.monotonic(), received, len(sent))
                )
                writer.write(sent)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _control(self, request: Request) -> Answer:
        arguments = json.loads(request.body)
        result: object = None
        match request.path:
            case "/_fill":
                self._s3.fill(arguments["bucket"], arguments["keys"], arguments["size"])
            case "/_delay":
                self._delay_seconds = arguments["seconds"]
            case "/_record":
                result, self._record = self._record, []
        return Answer("", 200, json.dumps(result).encode())


async def main() -> None:
    """Serve until standard input ends."""
    served = await asyncio.start_server(Server().serve, "127.0.0.1", 0, limit=1 << 20, backlog=256)
    print(served.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.buffer.read)
    os._exit(0)  # without waiting for connections that are still open


if __name__ == "__main__":
    asyncio.run(main())
