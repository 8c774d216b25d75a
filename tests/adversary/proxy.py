"""A proxy on loopback, plain or TLS, that applies a `Fault` to real sockets.

It reads one request at a time, lets the server behind it act if the fault says so, and then answers, cuts, stalls or
damages the response. Requests that are to arrive late are passed to a keeper.
"""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any, Self

from adversary.faults import Acts, Ending, Fault, answered
from adversary.http_s3 import Answer, Request

Server = Callable[[Request], Answer]
_POLL_SECONDS = 0.01
_RECORD_BYTES = 65_536


class FaultProxy(ThreadingTCPServer):
    """Stands between botocore and a server.

    Args:
        server: carries out requests: `HttpS3.answer`, or a function that forwards them.
        tls: a file with certificate and key; plain HTTP if left out.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, server: Server, *, tls: str | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.server_behind = server
        self.keep: Callable[[Request], None] = lambda _: None
        self.choose: Callable[[Request], Fault | None] = lambda _: None
        self.released = threading.Event()
        self.context: ssl.SSLContext | None = None
        if tls is not None:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(tls)
        self._accepting = threading.Thread(target=self.serve_forever, args=(_POLL_SECONDS,), daemon=True)

    @property
    def url(self) -> str:
        """The proxy's address."""
        return f"http{'s' if self.context else ''}://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> Self:
        self._accepting.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self.shutdown()
        self._accepting.join()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnected."""


class _Connection(StreamRequestHandler):
    server: FaultProxy

    def setup(self) -> None:
        self.connection = self.request
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._tls: _Tls | None = None
        self._received = b""

    def finish(self) -> None:
        """Nothing to do: nothing is buffered."""

    def handle(self) -> None:
        with suppress(OSError, ssl.SSLError, EOFError):
            if self.server.context is not None:
                self._tls = _Tls(self.connection, self.server.context)
            while self._serve():
                pass

    def _serve(self) -> bool:
        request = self._read_request()
        fault = self.server.choose(request)
        answer = answered(fault, request, self.server.server_behind)
        if fault is not None and fault.acts is Acts.LATE:
            self.server.keep(request)
        answer = answer or Answer(200)
        encoded = _encoded(answer, request)
        if fault is None or fault.ending in {Ending.ERROR, Ending.BY_KEY}:
            self._send(encoded)
            return True
        if fault.ending in {Ending.HALF, Ending.STALLED} and answer.body:
            self._send(encoded[: -(len(answer.body) - len(answer.body) // 2)])
        if fault.ending is Ending.DAMAGED and self._tls is not None:
            self._tls.send_damaged(encoded)
        if fault.ending in {Ending.TIMEOUT, Ending.STALLED}:
            self.server.released.wait(5)
        else:
            self._cut(is_reset=fault.ending is not Ending.HALF)
        return False

    def _read_request(self) -> Request:
        while b"\r\n\r\n" not in self._received:
            self._receive()
        head, _, self._received = self._received.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ", 2)
        # In any client's spelling.
        headers = {name.title(): value for name, _, value in (line.partition(": ") for line in lines)}
        if headers.get("Expect") == "100-continue":
            self._send(b"HTTP/1.1 100 Continue\r\n\r\n")
        if headers.get("Transfer-Encoding") == "chunked":
            body = b"".join(iter(self._read_chunk, b""))
        else:
            body = self._read_exactly(int(headers.get("Content-Length", "0")))
        return Request(method, f"{self.server.url}{target}", headers, body)

    def _read_chunk(self) -> bytes:
        while b"\r\n" not in self._received:
            self._receive()
        line, _, self._received = self._received.partition(b"\r\n")
        return self._read_exactly(int(line, 16) + 2)[:-2]

    def _read_exactly(self, size: int) -> bytes:
        while len(self._received) < size:
            self._receive()
        data, self._received = self._received[:size], self._received[size:]
        return data

    def _receive(self) -> None:
        data = self._tls.receive() if self._tls else self.connection.recv(_RECORD_BYTES)
        if not data:
            raise EOFError
        self._received += data

    def _send(self, data: bytes) -> None:
        if self._tls is not None:
            self._tls.send(data)
        else:
            self.connection.sendall(data)

    def _cut(self, *, is_reset: bool) -> None:
        if is_reset:  # no goodbye: the client's next read fails
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()


class _Tls:
    """TLS over a socket whose records can be damaged in transit."""

    def __init__(self, connection: socket.socket, context: ssl.SSLContext) -> None:
        self._connection = connection
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._repeat(self._tls.do_handshake)

    def receive(self) -> bytes:
        data: bytes = self._repeat(lambda: self._tls.read(_RECORD_BYTES))
        return data

    def send(self, data: bytes) -> None:
        self._tls.write(data)
        self._flush()

    def send_damaged(self, data: bytes) -> None:
        self._tls.write(data)
        record = bytearray(self._outgoing.read())
        record[-1] ^= 1
        self._connection.sendall(record)

    def _repeat(self, call: Callable[[], Any]) -> Any:
        while True:
            try:
                result = call()
            except ssl.SSLWantReadError:
                self._flush()
                data = self._connection.recv(_RECORD_BYTES)
                if not data:
                    raise EOFError from None
                self._incoming.write(data)
            else:
                self._flush()
                return result

    def _flush(self) -> None:
        if self._outgoing.pending:
            self._connection.sendall(self._outgoing.read())


def _encoded(answer: Answer, request: Request) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
    headers = {name: value for name, value in answer.headers.items() if name.lower() != "content-length"}
    if answer.status != HTTPStatus.NO_CONTENT:
        announced = answer.headers.get("Content-Length") if request.method == "HEAD" else None
        headers["Content-Length"] = announced or str(len(answer.body))
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + answer.body
