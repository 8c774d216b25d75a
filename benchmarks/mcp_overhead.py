"""Measures what MCP adds to a view: on standard input and output, and over loopback HTTP with a verified token.

Plain calls and servers in separate processes view the same file in turns, and medians are compared. The bucket answers
at once, from memory, so only computing remains. Run it on an idle machine: each call through a server switches to
another process and back.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any, Final, cast

import anyio
import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from support.memory_s3 import InMemoryS3

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory.adapters.mcp import http_app, memory_server
from s3memory.adapters.mcp.auth import Auth
from s3memory.adapters.mcp.key_sets import KeySet
from s3memory.adapters.mcp.serving import listen, serve, url_of
from s3memory.adapters.mcp.stdio import serve_stdio, standard_streams

AIM_MS: Final = 5.0
ROUNDS: Final = 300
_WARM_ROUNDS: Final = 30
_PATH: Final = "/memories/notes.md"
_TENANT: Final = "acme"
_ISSUER: Final = "https://issuer.example"
_VIEW: Final = {"name": "memory_view", "arguments": {"path": _PATH}}
_KEY_ID: Final = "benchmark"
_VERSION: Final = "2025-11-25"


def commands() -> MemoryCommands:
    """Return a memory that holds one file, in a bucket in this process."""
    store = MemoryStore(
        bucket="bucket",
        tenant=_TENANT,
        key_wrapper=LocalKeyWrapper(os.urandom(32)),
        s3_client=cast("Any", InMemoryS3().client()),
    )
    memory = MemoryCommands(store)
    memory.call({"command": "create", "path": _PATH, "file_text": "A line of a note that is worth keeping.\n" * 50})
    return memory


def serve_http(pem: bytes) -> None:
    """Serve the memory over HTTP to callers whose tokens were signed with this key."""
    key = load_pem_private_key(pem, None)
    assert isinstance(key, rsa.RSAPrivateKey)  # noqa: S101 - `over_http` has made it
    jwk = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key())) | {"kid": _KEY_ID, "alg": "RS256"}
    auth = Auth(issuer=_ISSUER, audience=_TENANT, jwks_url=f"{_ISSUER}/jwks", tenant_claim="tenant")
    memory = commands()
    with listen("127.0.0.1:0", beyond_loopback=False) as listening:
        url = url_of(listening, "/mcp")
        keys = KeySet(auth.jwks_url, fetch=lambda _: json.dumps({"keys": [jwk]}).encode())
        print(url, flush=True)
        serve(http_app(lambda _: memory, auth=auth, keys=keys, resource_url=url), listening)


def serve_lines() -> None:
    """Serve the memory on standard input and output."""
    with standard_streams() as (lines_in, lines_out):
        anyio.run(serve_stdio, memory_server(commands()), lines_in, lines_out)


def message(number: int, method: str, params: Mapping[str, Any]) -> bytes:
    """Return a JSON-RPC request as bytes."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


@contextmanager
def over_http() -> Iterator[Callable[[], str]]:
    """Run a server, and yield a function that views the file over one connection that stays open."""
    key = rsa.generate_private_key(65_537, 2_048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    claims = {"iss": _ISSUER, "aud": _TENANT, "tenant": _TENANT, "exp": time.time() + 3_600}
    token = jwt.encode(claims, key, "RS256", {"kid": _KEY_ID})
    with subprocess.Popen(  # noqa: S603 - this program
        [sys.executable, __file__, "http", base64.b64encode(pem).decode()], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None  # noqa: S101 - it is a pipe
            address = process.stdout.readline().strip().removeprefix("http://").partition("/")[0]
            connection = http.client.HTTPConnection(address)
            headers = {
                "Authorization": f"Bearer {token}",
                "Content-Type": "application/json",
                "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": _VERSION,
            }
            numbers = count(1)

            def view() -> str:
                connection.request("POST", "/mcp", message(next(numbers), "tools/call", _VIEW), headers)
                return shown(connection.getresponse().read())

            yield view
        finally:
            process.terminate()


@contextmanager
def on_stdio() -> Iterator[Callable[[], str]]:
    """Run a server, and yield a function that views the file through pipes."""
    with subprocess.Popen(  # noqa: S603 - this program
        [sys.executable, __file__, "stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        lines_in, lines_out = process.stdin, process.stdout
        assert lines_in is not None  # noqa: S101 - they are pipes
        assert lines_out is not None  # noqa: S101 - same
        numbers = count(1)

        def ask(method: str, params: Mapping[str, Any]) -> bytes:
            lines_in.write(message(next(numbers), method, params) + b"\n")
            lines_in.flush()
            return lines_out.readline()

        client = {"name": "benchmark", "version": "1"}
        ask("initialize", {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": client})
        lines_in.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        yield lambda: shown(ask("tools/call", _VIEW))
        lines_in.close()


def shown(answer: bytes) -> str:
    """Return the text in a response."""
    text: str = json.loads(answer)["result"]["content"][0]["text"]
    return text


def main() -> None:
    """Print what each way to call the memory adds."""
    memory = commands()
    with over_http() as http_view, on_stdio() as stdio_view:
        views: dict[str, Callable[[], str]] = {
            "call": lambda: memory.call({"command": "view", "path": _PATH}),
            "stdio": stdio_view,
            "HTTP": http_view,
        }
        assert len({view() for view in views.values()}) == 1  # noqa: S101 - all return the same text
        taken: dict[str, list[float]] = {name: [] for name in views}
        for number in range(_WARM_ROUNDS + ROUNDS):
            for name, view in views.items():
                started = time.perf_counter()
                view()
                if number >= _WARM_ROUNDS:
                    taken[name].append((time.perf_counter() - started) * 1_000)
    medians = {name: statistics.median(times) for name, times in taken.items()}
    print(f"{'door':<8}{'median ms':>12}{'adds ms':>10}   aim: under {AIM_MS:g} ms")
    for name, median in medians.items():
        print(f"{name:<8}{median:>12.2f}{median - medians['call']:>10.2f}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["http", pem_text]:
            serve_http(base64.b64decode(pem_text))
        case ["stdio"]:
            serve_lines()
        case _:
            main()
