"""A loopback server that records the bytes of each request, and answers, or misbehaves, as a test wants."""

from __future__ import annotations

import itertools
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Self

ANSWER_SECONDS = 30.0
GO_ON = b"HTTP/1.1 100 Continue\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it arrived.

    Attributes:
        connection: the number of its connection, from 0.
        method: HTTP's.
        target: the target of the request line.
        headers: names as they were sent, and values.
        body: its bytes.
    """

    connection: int
    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """Return a header's value."""
        return {key.lower(): value for key, value in self.headers}.get(name)


class Reset:
    """Instead of a response, the connection is reset."""


class Close:
    """Instead of a response, or after a part of one, the connection is closed.

    Args:
        first: what is sent before that.
    """

    def __init__(self, first: bytes = b"") -> None:
        self.first = first


class Stall:
    """Instead of a response, or after a part of one, nothing more comes until the server is closed.

    Args:
        first: what is sent before that.
    """

    def __init__(self, first: bytes = b"") -> None:
        self.first = first


class Drip:
    """Instead of a response, one byte after another with a pause before each, until the server is closed.

    Args:
        data: the bytes; from `again` on they repeat.
        again: an offset in `data`.
        every_seconds: the pause.
    """

    def __init__(self, data: bytes, *, again: int, every_seconds: float) -> None:
        self.data, self.again, self.every_seconds = data, again, every_seconds

    def __iter__(self) -> Iterator[int]:
        return itertools.chain(self.data[: self.again], itertools.cycle(self.data[self.again :]))


Reply = bytes | Reset | Close | Stall | Drip
Replies = Callable[[Received], Reply]


def answer(status: int = 200, body: bytes = b"", **headers: str) -> bytes:
    """Return the bytes of a response. Header names have underscores for hyphens."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def error_answer(status: int, code: str, **headers: str) -> bytes:
    """Return an S3 error response."""
    return answer(status, f"<Error><Code>{code}</Code><Message>by the test</Message></Error>".encode(), **headers)


def in_turn(replies: Iterable[Reply]) -> Replies:
    """Reply with one after another."""
    waiting = iter(list(replies))
    return lambda _: next(waiting)


class WireServer:
    """The server, while its context is open.

    Args:
        reply: returns the reply to a request.
        tls: the context for TLS, if it is to use TLS.
        go_on: its reply to a request that sends ``Expect: 100-continue``.

    Attributes:
        received: the requests so far.
        connections: the number of connections so far.
        closed: set once a connection has ended.
    """

    def __init__(self, reply: Replies, *, tls: ssl.SSLContext | None = None, go_on: bytes = GO_ON) -> None:
        self.reply = reply
        self.go_on = go_on
        self.received: list[Received] = []
        self.connections = 0
        self.closed = threading.Event()
        self._tls = tls
        self._over = threading.Event()
        self._open: list[socket.socket] = []

    def __enter__(self) -> Self:
        self._listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for connection in self._open:
            connection.close()

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self._listening.getsockname()[1]
        return port

    @property
    def url(self) -> str:
        """Its address."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            number, self.connections = self.connections, self.connections + 1
            threading.Thread(target=self._serve, args=(connection, number), daemon=True).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        try:
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            self._open.append(connection)
            stream = connection.makefile("rb")
            while (received := _read(stream, number, connection, self.go_on)) is not None:
                self.received.append(received)
                reply = self.reply(received)
                if isinstance(reply, bytes):
                    connection.sendall(reply)
                    continue
                if isinstance(reply, Drip):
                    for byte in reply:
                        if self._over.wait(reply.every_seconds):
                            break
                        connection.sendall(bytes([byte]))
                elif isinstance(reply, Reset):
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                else:
                    connection.sendall(reply.first)
                if isinstance(reply, Stall):
                    self._over.wait(ANSWER_SECONDS)
                break
            stream.close()
        except OSError:
            pass
        finally:
            connection.close()
            self.closed.set()


def _read(stream: BinaryIO, number: int, connection: socket.socket, go_on: bytes) -> Received | None:
    line = stream.readline()
    if not line:
        return None
    if line.count(b" ") != 2:  # not HTTP, TLS for example
        return None
    method, target, _ = line.decode("latin-1").split(" ")
    headers = []
    while text := stream.readline().decode("latin-1").rstrip("\r\n"):
        name, _, value = text.partition(":")
        headers.append((name, value.strip()))
    if ("expect", "100-continue") in [(name.lower(), value.lower()) for name, value in headers]:
        connection.sendall(go_on)  # as S3 does: botocore waits a second for it
    length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
    return Received(number, method, target, tuple(headers), stream.read(length))
