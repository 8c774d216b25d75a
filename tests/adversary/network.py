"""Requests over real sockets, through the proxy, instead of what `faults` raises: the same plans run over both."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ConnectTimeoutError
from botocore.httpsession import URLLib3Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from support.fast_transport import IS_FAST, sent_as

from adversary.faults import Ending, Fault, response
from adversary.http_s3 import Answer, Request
from adversary.proxy import FaultProxy
from s3memory.aws.fast.http import Curl, Route

READ_TIMEOUT_SECONDS = 0.15


@dataclass(frozen=True, slots=True)
class Connected:
    """What is behind the proxy for one request.

    Attributes:
        act: carries out a request.
        keep: keeps a request that is to arrive late.
    """

    act: Callable[[Request], Answer]
    keep: Callable[[Request], None]


class Network:
    """botocore's own HTTP session, or libcurl, connected to the proxy.

    Args:
        proxy: receives all requests.
        ca_file: the certificate that botocore trusts; ``None`` for plain HTTP.
    """

    def __init__(self, proxy: FaultProxy, ca_file: str | None) -> None:
        self._proxy = proxy
        self._is_tls = ca_file is not None
        # It accepts more than its annotations say.
        timeout: Any = (1.0, READ_TIMEOUT_SECONDS)
        verify: Any = ca_file or False
        self._session = URLLib3Session(verify=verify, timeout=timeout, max_pool_connections=50, proxies={})
        self._curl = Curl(Route(ca_file or "/dev/null", lambda _: "")) if IS_FAST else None

    def exchange(self, fault: Fault | None, sent: AWSPreparedRequest, connected: Connected) -> AWSResponse:
        """Send a request, and apply a fault to it.

        Raises:
            NoAnswerError: as libcurl has it; botocore's errors otherwise.
        """
        self._proxy.choose = lambda _: fault
        self._proxy.server_behind, self._proxy.keep = connected.act, connected.keep
        url = self._proxy.url
        if fault is not None and fault.ending is Ending.REFUSED:
            url = f"{urlsplit(url).scheme}://127.0.0.1:{_closed_port()}"
        if fault is not None and fault.ending is Ending.CONNECT_TIMEOUT:  # loopback always answers
            raise ConnectTimeoutError(endpoint_url=url)
        if fault is not None and fault.ending is Ending.HANDSHAKE:
            url = url.replace("http:", "https:") if not self._is_tls else f"https://localhost:{urlsplit(url).port}"
        path = urlsplit(sent.url)._replace(scheme="", netloc="").geturl()
        if self._curl is not None:
            answer = self._curl(sent_as(sent, f"{url}{path}", timeout_seconds=READ_TIMEOUT_SECONDS))
            return response(sent.url, answer.status, answer.headers, answer.body or b"")
        body: Any = sent.body
        if hasattr(body, "seek"):
            body.seek(0)
        request = AWSPreparedRequest(sent.method, f"{url}{path}", sent.headers, body, sent.stream_output)
        return self._session.send(request)

    def close(self) -> None:
        """Close its connections."""
        self._session.close()
        if self._curl is not None:
            self._curl.close()


@contextmanager
def network(directory: Path, *, tls: bool) -> Iterator[Network]:
    """Run a proxy, and yield a network that sends requests to it."""
    both, certificate = _certificate(directory) if tls else (None, None)
    with FaultProxy(_unconnected, tls=both) as proxy:
        made = Network(proxy, certificate)
        try:
            yield made
        finally:
            made.close()


def _unconnected(_: Request) -> Answer:
    raise AssertionError("nothing is behind the proxy")


def _closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def _certificate(directory: Path) -> tuple[str, str]:
    """Create a certificate for 127.0.0.1. Return two files: one with certificate and key, one with the certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate = made.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    both, alone = directory / "both.pem", directory / "certificate.pem"
    both.write_bytes(certificate + private)
    alone.write_bytes(certificate)
    return str(both), str(alone)
