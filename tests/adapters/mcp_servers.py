"""Servers as MCP clients meet them: processes, an issuer of tokens, and requests that no client would send."""

from __future__ import annotations

import base64
import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Self
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from support.getting import GettingServer

from s3memory.testing import MotoServer
from s3memory.testing.loopback import Response

MCP = [sys.executable, "-m", "s3memory", "mcp"]
AUDIENCE = "https://memory.example/mcp"
CLAIM = "https://example.com/tenant"
JSON = "application/json"


@cache
def private_key(name: str) -> rsa.RSAPrivateKey:
    """Return the key of that name, made once in a run: that takes a while."""
    return rsa.generate_private_key(65_537, 2_048)


def public_jwk(name: str) -> dict[str, Any]:
    jwk: dict[str, Any] = jwt.algorithms.RSAAlgorithm.to_jwk(private_key(name).public_key(), as_dict=True)
    return jwk | {"kid": name, "use": "sig", "alg": "RS256"}


class Issuer:
    """Issues tokens, and publishes its keys on loopback.

    Attributes:
        published: what is at its JWKS URL.
        is_down: whether it answers 500.
        asked: how often the keys were asked for.
    """

    def __init__(self) -> None:
        self.published: Any = {"keys": [public_jwk("first")]}
        self.is_down = False
        self.asked = 0
        self._server = GettingServer(lambda *_: Response(405, JSON, b""), self._answer)

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()

    def _answer(self, _path: str) -> Response:
        self.asked += 1
        return Response(500 if self.is_down else 200, JSON, json.dumps(self.published).encode())

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def options(self) -> list[str]:
        """What the command line is told of it."""
        return [
            *("--issuer", self.url),
            *("--audience", AUDIENCE),
            *("--jwks-url", f"{self.url}/jwks"),
            *("--tenant-claim", CLAIM),
        ]

    def claims(self, tenant: Any = "acme", **more: Any) -> dict[str, Any]:
        claims = {"iss": self.url, "aud": AUDIENCE, "exp": int(time.time()) + 600, CLAIM: tenant, **more}
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, tenant: Any = "acme", *, key: str = "first", **more: Any) -> str:
        return jwt.encode(self.claims(tenant, **more), private_key(key), "RS256", {"kid": key})


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        """The text of a tool's result."""
        text: str = self.json["result"]["content"][0]["text"]
        return text


def call_message(name: str, arguments: object, *, identity: object = 1) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": identity,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }


class Served:
    """A server over HTTP in a process of its own.

    Attributes:
        url: of its endpoint.
        process: it.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stderr is not None
        self.first_line = process.stderr.readline()
        self.url = self.first_line.split()[-1] if "serving" in self.first_line else ""

    @property
    def address(self) -> str:
        return urlsplit(self.url).netloc

    def request(
        self, method: str = "POST", *, path: str = "/mcp", body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection(self.address, timeout=30)
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def call(
        self,
        name: str,
        arguments: object,
        *,
        token: str | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        sent = {"Content-Type": JSON, "Accept": f"{JSON}, text/event-stream"}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        body = json.dumps(call_message(name, arguments)).encode() if body is None else body
        return self.request(body=body, headers=sent | dict(headers or {}))

    def end(self) -> tuple[int, str]:
        """Tell it to end. Return its exit code, and what it wrote to standard error meanwhile."""
        self.process.terminate()
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err


@contextmanager
def served(environment: Mapping[str, str], *options: str, address: str = "127.0.0.1:0") -> Iterator[Served]:
    with subprocess.Popen(  # noqa: S603 - this interpreter and our program
        [*MCP, "--http", address, *options], env=dict(environment), stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Served(process)
        finally:
            process.kill()


def lines_of(
    environment: Mapping[str, str], messages: list[Any], *options: str, raw: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run a server on stdio with all its input at once: messages, then bytes that need be none."""
    lines = b"".join(json.dumps(message).encode() + b"\n" for message in messages)
    return subprocess.run(  # noqa: S603 - this interpreter and our program
        [*MCP, *options], env=dict(environment), input=lines + raw, capture_output=True, check=False, timeout=60
    )


def opening(version: str = "2025-11-25") -> list[dict[str, Any]]:
    """Return what a client of the handshake protocol sends first."""
    client = {"name": "test", "version": "1"}
    return [
        {
            "jsonrpc": "2.0",
            "id": "opening",
            "method": "initialize",
            "params": {"protocolVersion": version, "capabilities": {}, "clientInfo": client},
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]


def environment_of(server: MotoServer, bucket: str, **settings: str) -> dict[str, str]:
    """Return the environment of a process whose memory is in a bucket of a `MotoServer`."""
    return (
        {name: value for name, value in os.environ.items() if not name.startswith("S3MEMORY_")}
        | server.environment
        | {"S3MEMORY_BUCKET": bucket, "S3MEMORY_LOCAL_KEY": base64.b64encode(bytes(range(32))).decode()}
        | settings
    )
