"""A small HTTP server on 127.0.0.1 that stops without leaving a thread or a socket behind."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any

_POLL_SECONDS = 0.02  # the longest time that the accept loop takes to notice `stop`
_JOIN_SECONDS = 5.0  # a response that takes longer is left to its daemon thread


@dataclass(frozen=True, slots=True)
class Response:
    """The response to one request."""

    status: int
    content_type: str
    payload: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


class Handler(BaseHTTPRequestHandler):
    """Answers POST requests; others are refused."""

    server: LoopbackServer
    protocol_version = "HTTP/1.1"
    # Head and body are sent in one segment: a second one would wait for the peer's delayed acknowledgement (40 ms).
    wbufsize = 65536
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Answer with the server's function."""
        payload = self._payload()
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.send(self.server.answer(self.path, headers, payload))

    def _payload(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", "0")))
        payload = b""
        while n_bytes := int(self.rfile.readline().partition(b";")[0], 16):
            payload += self.rfile.read(n_bytes)
            self.rfile.readline()
        while self.rfile.readline().strip():  # trailers
            pass
        return payload

    def send(self, response: Response) -> None:
        """Send a response."""
        self.send_response(response.status)
        self.send_header("Content-Type", response.content_type)
        self.send_header("Content-Length", str(len(response.payload)))
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(response.payload)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Log nothing: the requests are recorded."""


class LoopbackServer(ThreadingTCPServer):
    """Answers POST requests with a function; each connection on a daemon thread.

    Not `http.server.ThreadingHTTPServer`: that looks its own host name up when it binds, which is a DNS query.
    """

    request_queue_size = 128
    allow_reuse_address = True
    handler: type[Handler] = Handler

    def __init__(self, answer: Callable[[str, Mapping[str, str], bytes], Response]) -> None:
        """Bind a free port.

        Args:
            answer: Called with the path, the headers by lower-case name and the body of each POST, on any thread.
        """
        super().__init__(("127.0.0.1", 0), self.handler)
        self.answer = answer
        self._connections: dict[threading.Thread, socket.socket] = {}
        self._connections_lock = threading.Lock()
        self._accepting = threading.Thread(
            target=self.serve_forever, args=(_POLL_SECONDS,), name="s3memory-loopback", daemon=True
        )

    @property
    def url(self) -> str:
        """The address of the server."""
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}"

    def start(self) -> None:
        """Start to accept connections."""
        self._accepting.start()

    def stop(self) -> None:
        """Close every socket and wait for every thread."""
        self.shutdown()
        self._accepting.join()
        with self._connections_lock:
            connections = dict(self._connections)
        for connection in connections.values():
            # A client that keeps its connection alive leaves the handler in a read, which this ends.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in connections:
            thread.join(_JOIN_SECONDS)
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection on a thread that `stop` can wait for."""
        thread = threading.Thread(
            target=self._serve_connection, args=(request, client_address), name="s3memory-loopback", daemon=True
        )
        with self._connections_lock:
            self._connections[thread] = request
        thread.start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report no error if the client has disconnected: it may leave a stream early."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def _serve_connection(self, request: Any, client_address: Any) -> None:
        try:
            self.process_request_thread(request, client_address)
        finally:
            with self._connections_lock:
                del self._connections[threading.current_thread()]
