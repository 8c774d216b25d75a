"""The HTTP server: its socket, its timeouts, its limits on connections, and its shutdown."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import signal
import socket
import sys
from types import FrameType

import h11
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from s3memory.errors import ConfigurationError

# More than requests that may be under way: clients keep their connections open between requests.
_MAX_CONNECTIONS = 1_024
# Half of the files that the process may open are for connections. The others are for requests to AWS, and for surplus
# connections, which are answered 503. Connections beyond those are closed without an answer.
_FILES_PER_CONNECTION = 2
_SURPLUS_FACTOR = 1.5
_MAX_PORT = 65_535
_MAX_HEADER_BYTES = 65_536
_GOODBYE_SECONDS = 35
_LENGTHS = frozenset({b"content-length", b"transfer-encoding"})

HEAD_SECONDS = 10.0
"""How long a client may take to send a request's headers, or the rest of a body after the answer was sent.

A connection that sends nothing is closed as well.
"""

UNREAD_SECONDS = 30.0
"""How long a client may leave an answer unread, on Linux. Closing a connection would wait for that, too."""


def listen(address: str, *, beyond_loopback: bool) -> socket.socket:
    """Return a socket that listens at an address such as ``127.0.0.1:8080`` or ``[::1]:8080``. Port 0 is any free port.

    Raises:
        ConfigurationError: it is not an address, is taken, or other machines could reach it without `beyond_loopback`.
    """
    host, _, port = address.rpartition(":")
    # The system would map a port that is too large to another one.
    if not re.fullmatch("[0-9]{1,5}", port, re.ASCII) or int(port) > _MAX_PORT or not host.strip("[]"):
        raise ConfigurationError("--http must be an address such as 127.0.0.1:8080")
    try:
        family, kind, protocol, _, bound = socket.getaddrinfo(
            host.removeprefix("[").removesuffix("]"), int(port), type=socket.SOCK_STREAM
        )[0]
    except (OSError, UnicodeError):
        raise ConfigurationError("--http is not an address of this machine") from None
    if not beyond_loopback and not ipaddress.ip_address(str(bound[0]).partition("%")[0]).is_loopback:
        raise ConfigurationError(
            "without tokens, --http must be an address that only this machine can reach, such as 127.0.0.1:8080. To "
            "serve other machines, pass --issuer, --audience, --jwks-url and --tenant-claim"
        )
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # connections inherit it
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1_000 * UNREAD_SECONDS))
        listening.bind(bound)
        listening.listen()
    except OSError as error:
        listening.close()
        raise ConfigurationError(f"--http {address}: {error.strerror}") from None
    return listening


def url_of(listening: socket.socket, path: str) -> str:
    """Return the URL by which this machine reaches a path at a socket."""
    host, port = listening.getsockname()[:2]
    address = ipaddress.ip_address(host.partition("%")[0])
    if address.is_unspecified:
        host = "127.0.0.1" if address.version == 4 else "::1"  # noqa: PLR2004 - of IP
    return f"http://[{host}]:{port}{path}" if ":" in host else f"http://{host}:{port}{path}"


def serve(app: ASGIApp, listening: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT: then no more connections are accepted, and requests under way are finished."""
    config = uvicorn.Config(
        refusing_two_lengths(app),
        log_config=None,
        access_log=False,
        lifespan="on",
        ws="none",
        proxy_headers=False,
        server_header=False,
        http=TimeLimitedProtocol,
        limit_concurrency=allowed_connections(),
        h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
        timeout_graceful_shutdown=_GOODBYE_SECONDS,
    )
    # uvicorn raises the signal that ended it again, for the previous handler.
    before = {number: signal.signal(number, _do_nothing) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def refusing_two_lengths(app: ASGIApp) -> ASGIApp:
    """Refuse a request that states the length of its body in two ways, and close its connection (RFC 9112, 6.3).

    A proxy that trusts the other header would pass on the rest of the body as the beginning of the next request, which
    may be somebody else's.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _LENGTHS.issubset(name for name, _ in scope["headers"]):
            await PlainTextResponse("Bad request", 400, {"Connection": "close"})(scope, receive, send)
        else:
            await app(scope, receive, send)

    return answer


def allowed_connections() -> int:
    """Raise the number of files that the process may open, and return how many connections that allows.

    By default it is 1,024 on Linux and 256 on macOS. With none left, the server could neither accept clients nor reach
    AWS.
    """
    if sys.platform == "win32":  # where sockets are not files
        return _MAX_CONNECTIONS
    import resource  # Windows lacks it

    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES_PER_CONNECTION * _MAX_CONNECTIONS
    if files != resource.RLIM_INFINITY and files < wanted:
        files = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
        except (OSError, ValueError):  # macOS has a further limit
            files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return _MAX_CONNECTIONS
    return min(_MAX_CONNECTIONS, files // _FILES_PER_CONNECTION)


class TimeLimitedProtocol(H11Protocol):
    """uvicorn's protocol with time limits: it waits for headers forever, so clients could use up all connections."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Start the timer for the first request, or close the connection if there are far too many."""
        super().connection_made(transport)
        if self.limit_concurrency is not None and len(self.connections) > self.limit_concurrency * _SURPLUS_FACTOR:
            transport.abort()
        else:
            self._set_timer()

    def data_received(self, data: bytes) -> None:
        """Start or stop the timer, depending on what the server now waits for."""
        super().data_received(data)
        self._set_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        super().connection_lost(exc)
        self._stop_timer()

    def _set_timer(self) -> None:
        # A request without a token, say, is answered before its body has arrived: uvicorn would read that forever.
        if self.conn.their_state is not h11.IDLE and self.conn.our_state is not h11.DONE:
            self._stop_timer()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """Ignore a signal."""
