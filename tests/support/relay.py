"""A relay of S3 requests on loopback that knows when everything that was sent through it is finished.

A killed process leaves requests in flight: the server will carry out some and never see others. Behind the relay, they
are finished once its connections are. A request whose body breaks off is not passed on: S3 refuses it, and moto would
store the part that arrived.
"""

from __future__ import annotations

import http.client
import socket
import threading
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any, Self

_POLL_SECONDS = 0.02
_OF_A_CONNECTION = {"connection", "content-length", "expect", "transfer-encoding"}


class Relay(ThreadingTCPServer):
    """Passes requests on to a server.

    Attributes:
        passed_on: the number of requests sent to the server.
    """

    request_queue_size = 128
    daemon_threads = True

    def __init__(self, endpoint_url: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.address = endpoint_url.removeprefix("http://")
        self.passed_on = 0
        self._connections: dict[Any, threading.Thread] = {}
        self._changed = threading.Condition()
        self._accepting = threading.Thread(target=self.serve_forever, args=(_POLL_SECONDS,), daemon=True)

    @property
    def endpoint_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> Self:
        self._accepting.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._accepting.join()
        self.server_close()

    def drain(self) -> int:
        """Wait until nothing that a dead process sent is in flight. Return the number of requests passed on so far."""
        # Connections are accepted in the order in which they were opened: all others before this one.
        with socket.create_connection(("127.0.0.1", self.server_address[1])) as last, self._changed:
            self._changed.wait_for(lambda: last.getsockname() in self._connections)
        while self._connections:
            _, thread = self._connections.popitem()
            thread.join()
        return self.passed_on

    def note(self) -> None:
        with self._changed:
            self.passed_on += 1

    def process_request(self, request: Any, client_address: Any) -> None:
        thread = threading.Thread(target=self.process_request_thread, args=(request, client_address), daemon=True)
        with self._changed:
            self._connections[client_address] = thread
            thread.start()
            self._changed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore the broken connections of a dead process."""


class _Handler(BaseHTTPRequestHandler):
    server: Relay
    protocol_version = "HTTP/1.1"
    wbufsize = 65536
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self._upstream = http.client.HTTPConnection(self.server.address)

    def finish(self) -> None:
        self._upstream.close()
        with suppress(OSError):
            super().finish()

    def handle_expect_100(self) -> bool:
        is_expected = super().handle_expect_100()
        self.wfile.flush()  # botocore waits for it before it sends a body
        return is_expected

    def _pass_on(self) -> None:
        length = int(self.headers.get("content-length", "0"))
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True
            return
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _OF_A_CONNECTION}
        self.server.note()
        self._upstream.request(self.command, self.path, body, headers)
        answer = self._upstream.getresponse()
        payload = answer.read()
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _OF_A_CONNECTION:
                self.send_header(name, value)
        if answer.status != HTTPStatus.NO_CONTENT:
            is_head = self.command == "HEAD"
            self.send_header(
                "content-length", answer.getheader("content-length", "0") if is_head else str(len(payload))
            )
        self.end_headers()
        self.wfile.write(payload)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _pass_on  # noqa: N815 - the base class's names

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Log nothing."""
