"""One HTTP request, signed and sent by libcurl, and its response, or an error that says whether anything was sent.

Two habits of libcurl shape this module. If a kept connection ends before the first byte of a response, it resends the
request by itself. The first one may have been carried out, so a callback before each sending prevents that. And it
removes ``.`` and ``..`` from paths, also when it signs: `s3memory.aws.fast.s3` refuses such keys.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, NamedTuple

from s3memory._extras import extra
from s3memory.aws.errors import RequestError, RequestOutcome
from s3memory.aws.fast.connections import Connections
from s3memory.errors import ConfigurationError

CONNECT_TIMEOUT_SECONDS = 3.0
"""One second each for name resolution, the connection, and the TLS handshake."""

_SLOWEST_BYTES_A_SECOND = 256 * 1024  # for sending a body
USER_AGENT = "s3memory"

_BEGINS_HEAD = "HTTP/"
_ACCESS_KEY = re.compile(r"[\w.~-]+", re.ASCII)
_EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
_MIN_CURL = (8, 19, 0)  # in the wheels of pycurl 7.46; 8.16 signs queries wrongly


@dataclass(frozen=True, slots=True)
class SigningKeys:
    """AWS credentials. Their repr shows nothing."""

    access_key: str = field(repr=False)
    secret_key: str = field(repr=False)
    token: str | None = field(default=None, repr=False)

    @property
    def are_fit(self) -> bool:
        """Whether libcurl sends them unchanged: it percent-encodes access keys, and a copied key may have a newline."""
        others = self.secret_key + (self.token or "")
        return bool(_ACCESS_KEY.fullmatch(self.access_key)) and others.isascii() and others.isprintable()


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request to send.

    Attributes:
        operation: AWS's name for it.
        url: the URL, percent-encoded.
        headers: headers to add to those of the signature. Their names are lower-case.
        service, region, keys: what the request is signed for, and with.
        timeout_seconds: how long it may take once connected.
        max_bytes: a longer response body is not read; 0 for no limit.
        all_seconds: how long it may take in all, including connecting.
    """

    operation: str
    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    service: str
    region: str
    keys: SigningKeys
    timeout_seconds: float
    max_bytes: int = 0
    all_seconds: float = math.inf


class HttpAnswer(NamedTuple):
    """A server's response. Header names are in lower case. The body is `None` if it exceeds the request's limit."""

    status: int
    headers: Mapping[str, str]
    body: bytes | None


Exchange = Callable[[HttpRequest], HttpAnswer]
"""Sends a request and returns the response, or raises `NoAnswerError`. Must be thread-safe."""


class NoAnswerError(RequestError):
    """No response came, or only part of one.

    Args:
        code: botocore's name for the error.
        is_sent: whether any part of the request may have reached the server.
        is_begun: whether the head of a response came.

    Attributes:
        endpoint_url: the server's address, once it is known.
    """

    endpoint_url: str | None = None

    def __init__(self, code: str, *, is_sent: bool, is_begun: bool = False) -> None:
        super().__init__(code=code, outcome=RequestOutcome.UNKNOWN if is_sent else RequestOutcome.NOT_DONE)
        self.is_begun = is_begun


class Route(NamedTuple):
    """How to reach servers: the file of trusted certificates, and the proxy for a URL, or an empty string for none."""

    ca_file: str
    proxy_of: Callable[[str], str]


# By libcurl's numbers, https://curl.se/libcurl/c/libcurl-errors.html
_OF_PROXY = frozenset({5, 97})
_OF_TLS = frozenset({35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98})
_DONE, _PARTIAL_BODY, _TIMED_OUT, _TOO_LARGE = 0, 18, 28, 63


def load() -> Any:
    """Return pycurl.

    Raises:
        MissingExtraError: it is not installed.
        ConfigurationError: it, or its libcurl, is too old or lacks TLS.
    """
    with extra("fast", "transport 'fast'"):
        import pycurl  # from an extra
    number = pycurl.version_info()[2]
    version = (number >> 16, number >> 8 & 0xFF, number & 0xFF)
    if not hasattr(pycurl, "PREREQFUNCTION") or not hasattr(pycurl, "AWS_SIGV4") or version < _MIN_CURL:
        raise ConfigurationError(
            "transport 'fast' needs pycurl 7.46 with libcurl 8.19 or later: another build of it is installed"
        )
    if "https" not in pycurl.version_info()[8]:
        raise ConfigurationError("transport 'fast' needs a libcurl that has TLS: this one has not")
    return pycurl


class _Sending:
    """Lets libcurl send once, and counts its attempts to send. Drops any head that a proxy sent before the response."""

    def __init__(self, head: BytesIO, ok: int, abort: int, *, answer_seconds: float) -> None:
        self._head, self._ok, self._abort = head, ok, abort
        self._answer_seconds = answer_seconds
        self._until = math.inf  # on the clock `time.monotonic`
        self.count = 0
        self.is_late = False

    def __call__(self, *_addresses: object) -> int:
        self._head.seek(0)
        self._head.truncate()
        self.count += 1
        self._until = time.monotonic() + self._answer_seconds
        return self._ok if self.count == 1 else self._abort

    def ends_if_late(self, *_progress: object) -> bool:
        """Return true to end a request whose response takes too long. libcurl asks on progress and every second."""
        self.is_late = time.monotonic() > self._until
        return self.is_late


class Curl:
    """An `Exchange` over kept connections, one for each request in flight."""

    def __init__(self, route: Route) -> None:
        self._pycurl = load()
        self._proxy_of = route.proxy_of
        self._ca_file = os.fsencode(route.ca_file)  # as bytes, since pycurl takes only ASCII as text
        self._connections = Connections(self._pycurl)

    def __call__(self, request: HttpRequest) -> HttpAnswer:
        """Send a request once, and return the response, or raise `NoAnswerError`."""
        server = "/".join(request.url.split("/", 3)[:3])
        handle, is_connected = self._connections.take(server)
        try:
            return self._answer(handle, request, is_connected=is_connected)
        except NoAnswerError as error:
            error.endpoint_url = server
            raise
        finally:
            self._connections.keep(server, handle)

    def _answer(self, handle: Any, request: HttpRequest, *, is_connected: bool) -> HttpAnswer:
        curl = self._pycurl
        head, body = BytesIO(), BytesIO()
        seconds = request.timeout_seconds + len(request.body) / _SLOWEST_BYTES_A_SECOND
        sending = _Sending(head, curl.PREREQFUNC_OK, curl.PREREQFUNC_ABORT, answer_seconds=seconds)
        proxy = self._proxy_of(request.url)
        self._set_connection_options(handle, proxy)
        put = handle.setopt
        if not is_connected:
            seconds += CONNECT_TIMEOUT_SECONDS
            put(curl.NOPROGRESS, 0)
            put(curl.XFERINFOFUNCTION, sending.ends_if_late)  # time not used for connecting is not the response's
        put(curl.TIMEOUT_MS, int(1_000 * min(seconds, request.all_seconds)))
        put(curl.PREREQFUNCTION, sending)
        put(curl.AWS_SIGV4, f"aws:amz:{request.region}:{request.service}")
        header_lines = _header_lines(request)
        put(curl.USERNAME, request.keys.access_key)
        put(curl.PASSWORD, request.keys.secret_key)
        put(curl.USERAGENT, USER_AGENT)
        put(curl.URL, request.url)
        if request.method == "HEAD":
            put(curl.NOBODY, 1)
        else:
            if request.method in {"PUT", "POST"}:
                put(curl.POSTFIELDS, request.body)
            put(curl.CUSTOMREQUEST, request.method)
        put(curl.HTTPHEADER, header_lines)
        put(curl.HEADERFUNCTION, head.write)
        put(curl.WRITEFUNCTION, body.write)
        if request.max_bytes:
            put(curl.MAXFILESIZE_LARGE, request.max_bytes)
        number = _DONE
        try:
            handle.perform()
        except curl.error as error:
            number = _TIMED_OUT if sending.is_late else error.args[0]
        last = _last_head(head.getvalue())
        if number not in {_DONE, _TOO_LARGE}:
            is_sent = sending.count > 0
            raise _no_answer(number, is_sent=is_sent, is_begun=is_sent and last is not None, is_proxied=bool(proxy))
        if last is None:  # libcurl accepts a response that breaks off in the head as complete
            raise NoAnswerError("ConnectionClosedError", is_sent=True)
        status = handle.getinfo(curl.RESPONSE_CODE)
        return HttpAnswer(status, _headers(last), None if number == _TOO_LARGE else body.getvalue())

    def _set_connection_options(self, handle: Any, proxy: str) -> None:
        curl, put = self._pycurl, handle.setopt
        put(curl.NOSIGNAL, 1)
        put(curl.HTTP_VERSION, curl.CURL_HTTP_VERSION_1_1)
        put(curl.SSLVERSION, curl.SSLVERSION_TLSv1_2)
        put(curl.MAXCONNECTS, 1)
        put(curl.CAINFO, self._ca_file)
        handle.unsetopt(curl.CAPATH)  # a build may set a folder with more certificates
        put(curl.PROXY, proxy)
        put(curl.NOPROXY, "")
        if proxy:
            put(curl.PROXY_CAINFO, self._ca_file)
        put(curl.CONNECTTIMEOUT_MS, int(CONNECT_TIMEOUT_SECONDS * 1_000))

    def close(self) -> None:
        """Close the idle connections."""
        self._connections.close()


def _header_lines(request: HttpRequest) -> list[str]:
    lines = [f"{name}: {value}" for name, value in request.headers.items()]
    # libcurl leaves out a header without a value: a write would lose its condition.
    if not all(map(str.strip, request.headers.values())) or not all(
        line.isascii() and line.isprintable() for line in lines
    ):
        raise RequestError(code="UnsupportedHeader", outcome=RequestOutcome.FAILED)
    keys = request.keys
    if not keys.are_fit:
        raise RequestError(code="MalformedCredentials", outcome=RequestOutcome.DENIED)
    if "content-type" not in request.headers:
        lines.append("Content-Type:")  # or libcurl would send a form's type, to be stored with the object
    if keys.token is not None:
        lines.append(f"x-amz-security-token: {keys.token}")
    if request.service == "s3":
        lines.append(f"x-amz-content-sha256: {_sha256(request.body) if request.body else _EMPTY_SHA256}")
    return [*lines, "Expect:", "Accept:"]


def _sha256(body: bytes) -> str:
    import hashlib  # not loaded for reads: it loads its own libcrypto

    return hashlib.sha256(body).hexdigest()


def _last_head(received: bytes) -> str | None:
    """Return the head of the final response, or ``None`` if it broke off.

    Heads of informational responses may precede it, and trailers may follow. Lines end in CR LF, or in LF alone.
    """
    *blocks, rest = received.decode("latin-1").replace("\r\n", "\n").split("\n\n")
    if rest.startswith(_BEGINS_HEAD):
        return None
    return next((block for block in reversed(blocks) if block.startswith(_BEGINS_HEAD)), None)


def _headers(head: str) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in head.split("\n")[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.lower()] = value.strip()
    return headers


def _no_answer(number: int, *, is_sent: bool, is_begun: bool, is_proxied: bool) -> NoAnswerError:
    if number in _OF_TLS:
        code = "SSLError"
    elif number == _TIMED_OUT:
        code = "ReadTimeoutError" if is_sent else "ConnectTimeoutError"
    elif number == _PARTIAL_BODY:
        code = "IncompleteReadError"
    elif is_sent:
        code = "ConnectionClosedError"
    else:
        code = "ProxyConnectionError" if is_proxied or number in _OF_PROXY else "EndpointConnectionError"
    return NoAnswerError(code, is_sent=is_sent, is_begun=is_begun)
