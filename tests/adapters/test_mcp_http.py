"""``s3memory mcp --http``: one server for all tenants, whom tokens name; and what it refuses."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_servers import (
    AUDIENCE,
    CLAIM,
    JSON,
    Issuer,
    Served,
    call_message,
    environment_of,
    private_key,
    public_jwk,
    served,
)
from support.cli_runs import Run
from support.unique import unique

from s3memory.testing import MotoServer

pytestmark = pytest.mark.long

ROOT = {"path": "/memories"}
RESOURCE = "https://memory.example/agents/mcp"
N_CLIENTS = 100


@pytest.fixture(scope="module")
def environment(moto_server: MotoServer) -> dict[str, str]:
    """The environment of a process with a memory. Its own tenant must never stand in for a token's."""
    name = unique("http")
    moto_server.make_bucket(name)
    return environment_of(moto_server, name, S3MEMORY_TENANT="standin")


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    """An issuer of tokens."""
    with Issuer() as running:
        yield running


@pytest.fixture(scope="module")
def server(environment: dict[str, str], issuer: Issuer) -> Iterator[Served]:
    """A server that asks for tokens."""
    with served(environment, *issuer.options, "--resource-url", RESOURCE) as running:
        yield running


@pytest.fixture(scope="module")
def open_server(environment: dict[str, str]) -> Iterator[Served]:
    """A server that asks for none."""
    with served(environment, "--tenant", "open") as running:
        yield running


def test_each_tenant_sees_its_own_memory_alone(server: Served, issuer: Issuer) -> None:
    for tenant in ("acme", "other"):
        made = server.call(
            "memory_create", {"path": f"/memories/of-{tenant}", "file_text": "x"}, token=issuer.token(tenant)
        )
        assert made.text == f"File created successfully at: /memories/of-{tenant}"
    assert "of-acme" in server.call("memory_view", ROOT, token=issuer.token("acme")).text
    assert "of-other" not in server.call("memory_view", ROOT, token=issuer.token("acme")).text
    arguments = {**ROOT, "tenant": "other"}
    refused = server.call("memory_view", arguments, token=issuer.token("acme"))
    assert refused.text.startswith("Error: Unknown parameter `tenant` for view")


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_official_client_works_with_it(server: Served, issuer: Issuer, mode: str) -> None:
    headers = {"Authorization": f"Bearer {issuer.token('client')}"}
    async with (
        httpx2.AsyncClient(headers=headers) as web,
        Client(streamable_http_client(server.url, http_client=web), mode=mode) as client,
    ):
        tools = await client.list_tools()
        path = f"/memories/{mode}.md"
        made = await client.call_tool("memory_create", {"path": path, "file_text": "Grüße 🙂\n"})
        found = await client.call_tool("memory_search", {"query": "GRÜSSE"})
    assert len(tools.tools) == 7
    assert not made.is_error
    assert f"{path}:1: Grüße 🙂" in str(found.content)


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(header: dict[str, Any], claims: dict[str, Any], sign: Callable[[bytes], bytes]) -> str:
    """Return a token that no library would make."""
    message = f"{b64(json.dumps(header).encode())}.{b64(json.dumps(claims).encode())}"
    return f"{message}.{b64(sign(message.encode()))}"


def keyed(secret: bytes) -> Callable[[bytes], bytes]:
    return lambda message: hmac.new(secret, message, hashlib.sha256).digest()


def pem(name: str) -> bytes:
    return private_key(name).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def altered(token: str) -> str:
    header, _, signature = token.split(".")
    claims = {"iss": "x", "aud": AUDIENCE, "exp": 2**40, CLAIM: "acme"}
    return f"{header}.{b64(json.dumps(claims).encode())}.{signature}"


FORGED: dict[str, Callable[[Issuer], str]] = {
    "algorithm none": lambda i: signed({"alg": "none", "kid": "first"}, i.claims(), lambda _: b""),
    "algorithm None, signed with nothing": lambda i: signed({"alg": "None", "kid": "first"}, i.claims(), lambda _: b""),
    "no algorithm": lambda i: signed({"kid": "first"}, i.claims(), keyed(b"")),
    "the public key as a secret, PEM": lambda i: signed({"alg": "HS256", "kid": "first"}, i.claims(), keyed(pem("first"))),
    "the public key as a secret, its modulus": lambda i: signed({"alg": "HS256", "kid": "first"}, i.claims(), keyed(public_jwk("first")["n"].encode())),
    "an algorithm that is no text": lambda i: signed({"alg": ["RS256"], "kid": "first"}, i.claims(), keyed(b"")),
    "RS256, signed with a secret": lambda i: signed({"alg": "RS256", "kid": "first"}, i.claims(), keyed(pem("first"))),
    "another algorithm than the key's": lambda i: jwt.encode(i.claims(), private_key("first"), "PS256", {"kid": "first"}),
    "a key of the forger's, under the issuer's name": lambda i: jwt.encode(i.claims(), private_key("forged"), "RS256", {"kid": "first"}),
    "a key of the forger's, in the header": lambda i: jwt.encode(i.claims(), private_key("forged"), "RS256", {"jwk": public_jwk("forged"), "kid": "forged"}),
    "a key of the forger's, at an address": lambda i: jwt.encode(i.claims(), private_key("forged"), "RS256", {"jku": f"{i.url}/jwks", "kid": "forged"}),
    "a key of another kind": lambda i: jwt.encode(i.claims(), ec.generate_private_key(ec.SECP256R1()), "ES256", {"kid": "first"}),
    "a key id that is no text": lambda i: signed({"alg": "RS256", "kid": 1}, i.claims(), keyed(b"")),
    "claims that were altered": lambda i: altered(i.token()),
    "no signature": lambda i: i.token().rpartition(".")[0] + ".",
    "wrong audience": lambda i: i.token(aud="https://other.example/mcp"),
    "wrong audiences": lambda i: i.token(aud=["https://other.example/mcp", f"{AUDIENCE}/"]),
    "no audience": lambda i: i.token(aud=None),
    "other issuer": lambda i: i.token(iss="https://issuer.example"),
    "an issuer with a slash more": lambda i: i.token(iss=f"{i.url}/"),
    "no issuer": lambda i: i.token(iss=None),
    "expired": lambda i: i.token(exp=int(time.time()) - 1),
    "expired long ago": lambda i: i.token(exp=1),
    "no expiry": lambda i: i.token(exp=None),
    "an expiry that is no number": lambda i: i.token(exp="never"),
    "not yet": lambda i: i.token(nbf=int(time.time()) + 600),
    "no tenant": lambda i: jwt.encode({k: v for k, v in i.claims().items() if k != CLAIM}, private_key("first"), "RS256", {"kid": "first"}),
    "a tenant that is no text": lambda i: i.token(tenant=["acme"]),
    "a tenant that is a path": lambda i: i.token("acme/../other"),
    "a tenant that is empty": lambda i: i.token(""),
    "a critical extension": lambda i: jwt.encode(i.claims(), private_key("first"), "RS256", {"kid": "first", "crit": ["x"], "x": 1}),
    "a token that is none": lambda _: "nothing",
    "three dots": lambda _: "...",
    "a token that is too long": lambda i: i.token(more="x" * 30_000),
    "a token of other letters": lambda _: "é.é.é",
}  # fmt: skip


@pytest.mark.parametrize("forged", FORGED)
def test_no_forged_token_opens_a_memory(server: Served, issuer: Issuer, forged: str) -> None:
    answer = server.call("memory_view", ROOT, token=FORGED[forged](issuer))
    assert (answer.status, answer.json) == (401, {"error": "invalid_token"})
    assert answer.headers["www-authenticate"].startswith('Bearer error="invalid_token", resource_metadata="')


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Basic YWNtZTphY21l", "bearer  ", "Bearer a, Bearer b"]
)
def test_without_a_token_a_client_learns_where_to_get_one(server: Served, issuer: Issuer, header: str | None) -> None:
    answer = server.call("memory_view", ROOT, headers={} if header is None else {"Authorization": header})
    assert answer.status == 401
    # What leads /agents/mcp to this server's /mcp leads this to it as well.
    metadata_url = "https://memory.example/agents/.well-known/oauth-protected-resource/mcp"
    assert f'resource_metadata="{metadata_url}"' in answer.headers["www-authenticate"]
    assert ("error=" in answer.headers["www-authenticate"]) == (header is not None)
    for path in ("/mcp", "/agents/mcp", ""):
        metadata = server.request("GET", path=f"/.well-known/oauth-protected-resource{path}")
        assert metadata.status == 200
        assert metadata.json["resource"] == RESOURCE
        assert metadata.json["authorization_servers"] == [issuer.url]
        assert metadata.json["bearer_methods_supported"] == ["header"]


def test_every_door_of_the_endpoint_is_shut_without_a_token(server: Served) -> None:
    for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS"):
        assert server.request(method).status == 401
    assert server.request("GET", path="/").status == 404
    assert server.request("POST", path="/mcp/").status == 404


def test_two_tokens_are_as_good_as_none(server: Served, issuer: Issuer) -> None:
    connection = http.client.HTTPConnection(server.address, timeout=30)
    connection.putrequest("POST", "/mcp")
    connection.putheader("Authorization", f"Bearer {issuer.token('acme')}")
    connection.putheader("Authorization", f"Bearer {issuer.token('other')}")
    connection.putheader("Content-Length", "0")
    connection.endheaders()
    assert connection.getresponse().status == 401
    connection.close()


def test_with_a_token_there_is_no_stream_and_no_session(server: Served, issuer: Issuer) -> None:
    headers = {"Authorization": f"Bearer {issuer.token()}", "Accept": "text/event-stream"}
    for method in ("GET", "DELETE", "PUT"):
        answer = server.request(method, headers=headers)
        assert (answer.status, answer.headers["allow"]) == (405, "POST")
    answer = server.call("memory_view", ROOT, token=issuer.token())
    assert answer.headers["content-type"] == JSON
    assert "mcp-session-id" not in answer.headers


def test_the_host_of_the_resource_is_let_in_and_others_are_not(server: Served, issuer: Issuer) -> None:
    def status(**headers: str) -> int:
        return server.call("memory_view", ROOT, token=issuer.token(), headers=headers).status

    assert status(Host="memory.example") == status(Host="memory.example:443") == status(Host="localhost:1") == 200
    assert status(Host="MEMORY.Example") == status(Host="Memory.example:443") == 200, "hosts have no case"
    assert status(Host="evil.example") == status(Host="memory.example.evil.example") == 421
    assert status(Origin="https://memory.example") == 200
    assert status(Origin="https://evil.example") == status(Origin="null") == 403


def test_without_tokens_a_page_in_a_browser_reaches_nothing(open_server: Served) -> None:
    def status(**headers: str) -> int:
        return open_server.call("memory_view", ROOT, headers=headers).status

    assert status() == status(Origin="http://localhost:6274") == status(Host="localhost") == 200
    assert status(Host="evil.example") == status(Host="evil.example:80") == status(Host="127.0.0.1.evil.example") == 421
    assert status(Origin="http://evil.example") == status(Origin="http://localhost.evil.example") == 403


@pytest.mark.parametrize("version", [None, "2025-06-18", "2025-11-25"])
def test_a_lone_surrogate_gets_the_contracts_error(open_server: Served, version: str | None) -> None:
    headers = {} if version is None else {"MCP-Protocol-Version": version}
    for arguments, name in (
        ({"path": "/memories/s", "file_text": "\ud800"}, "file_text"),
        ({"path": "\udc00"}, "path"),
    ):
        answer = open_server.call("memory_create", arguments, headers=headers)
        expected = f"Error: Invalid `{name}` parameter: it holds a lone surrogate, which is not a character"
        assert (answer.text, answer.json["result"]["isError"]) == (expected, True) or "Missing" in answer.text
    pair = open_server.call("memory_create", {"path": f"/memories/{version}", "file_text": "🙂"}, headers=headers)
    assert not pair.json["result"]["isError"]


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"7", b"\xff", b"[" * 100_000, b'{"jsonrpc": "2.0"}',
        b'{"jsonrpc": "2.0", "id": 1.5, "method": "x"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "\\ud800"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "\\ud800"}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"\\ud800": ' + b"[" * 400 + b"]" * 400 + b"}}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_bodies_that_are_no_messages_are_refused(open_server: Served, body: bytes, version: str) -> None:
    answer = open_server.call("", {}, body=body, headers={"MCP-Protocol-Version": version})
    assert (answer.status, answer.json["error"]["message"]) in {(400, "Parse error"), (400, "Invalid request")}


NOTIFICATION = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@pytest.mark.parametrize("headers", [{}, {"MCP-Protocol-Version": "2025-03-26"}])
def test_the_messages_of_a_batch_are_answered_together_and_carried_out_in_their_order(
    open_server: Served, headers: dict[str, str]
) -> None:
    path = f"/memories/batch{len(headers)}"
    batch = [
        call_message("memory_create", {"path": path, "file_text": "tea\n"}, identity=1),
        NOTIFICATION,
        call_message("memory_insert", {"path": path, "insert_line": 1, "insert_text": "mate"}, identity="two"),
        call_message("memory_create", {"path": path, "file_text": "\ud800"}, identity=3),
        {"jsonrpc": "2.0", "id": 4, "method": "none"},
        7,
    ]
    answer = open_server.call("", {}, body=json.dumps(batch).encode(), headers=headers)
    assert (answer.status, [one["id"] for one in answer.json]) == (200, [1, "two", 3, 4, None])
    assert ["error" in one for one in answer.json] == [False, False, False, True, True]
    assert open_server.call("memory_view", {"path": path}).text.endswith("     1\ttea\n     2\tmate\n     3\t")
    assert open_server.call("", {}, body=json.dumps([NOTIFICATION]).encode(), headers=headers).status == 202


def test_a_batch_is_refused_as_a_whole_for_its_headers_its_version_and_its_size(open_server: Served) -> None:
    made = call_message("memory_create", {"path": "/memories/refused", "file_text": "x"})
    for batch, headers, status in (
        ([made], {"MCP-Protocol-Version": "2025-06-18"}, 400),
        ([made], {"MCP-Protocol-Version": "2026-07-28"}, 400),
        ([made] * 101, {}, 400),
        ([made], {"Host": "foreign.example"}, 421),
        ([made], {"Content-Type": "text/plain"}, 400),
    ):
        assert open_server.call("", {}, body=json.dumps(batch).encode(), headers=headers).status == status
    assert "refused" not in open_server.call("memory_view", ROOT).text


LIST = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'


@pytest.mark.parametrize(
    "given", ["APPLICATION/JSON", "Application/Json; charset=UTF-8", "application/json;Charset=utf-8"]
)
def test_a_content_type_has_no_case(open_server: Served, given: str) -> None:
    assert open_server.call("memory_view", ROOT, headers={"Content-Type": given}).status == 200
    assert open_server.call("memory_view", ROOT, headers={"Content-Type": f"x-{given}"}).status == 400


def test_a_request_with_two_lengths_ends_its_connection_and_what_is_hidden_behind_it_is_not_carried_out(
    open_server: Served,
) -> None:
    created = json.dumps(call_message("memory_create", {"path": "/memories/smuggled", "file_text": "x"})).encode()
    head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON}\r\nAccept: {JSON}\r\n".encode()
    hidden = head + b"Content-Length: %d\r\n\r\n%b" % (len(created), created)
    body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(LIST), LIST.encode()) + hidden
    host, port = open_server.address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(head + b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        answers = b"".join(iter(partial(connection.recv, 65_536), b""))
    assert answers.startswith(b"HTTP/1.1 400")
    assert answers.count(b"HTTP/1.1") == 1
    assert "smuggled" not in open_server.call("memory_view", ROOT).text


@pytest.mark.parametrize("lines", [[JSON, "text/event-stream"], ["text/event-stream", JSON], ["text/html", "*/*"]])
def test_what_a_client_accepts_is_one_list_over_all_its_lines(open_server: Served, lines: list[str]) -> None:
    connection = http.client.HTTPConnection(open_server.address, timeout=30)
    connection.putrequest("POST", "/mcp")
    for line in lines:
        connection.putheader("Accept", line)
    connection.putheader("Content-Type", JSON)
    connection.putheader("Content-Length", str(len(LIST)))
    connection.endheaders(LIST.encode())
    assert connection.getresponse().status == 200
    connection.close()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-32-be", "utf-8-sig"])
def test_a_message_in_another_encoding_is_none(open_server: Served, encoding: str) -> None:
    answer = open_server.call("", {}, body=LIST.encode(encoding))
    assert (answer.status, answer.json["error"]["message"]) == (400, "Parse error")


@pytest.mark.parametrize("depth", [150, 190, 200, 210, 300, 900])
@pytest.mark.parametrize("surrogate", ["", "\\ud800"])
def test_arguments_that_are_nested_too_deeply_are_answered_by_the_requests_id(
    open_server: Served, depth: int, surrogate: str
) -> None:
    nested = f'{"[" * depth}"{surrogate}"{"]" * depth}'
    params = f'{{"name": "memory_view", "arguments": {{"path": {nested}}}}}'
    body = f'{{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {params}}}'
    answer = open_server.call("", {}, body=body.encode())
    assert answer.json["id"] == 7
    if answer.status == 400:
        assert answer.json["error"]["message"] == "Invalid request"
    else:
        assert answer.json["result"]["isError"]


def test_an_integer_of_any_length_is_answered_by_the_requests_id(open_server: Served) -> None:
    arguments = f'{{"path": "/memories/a", "insert_text": "x", "insert_line": {"9" * 5_000}}}'
    params = f'{{"name": "memory_insert", "arguments": {arguments}}}'
    body = f'{{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {params}}}'
    answer = open_server.call("", {}, body=body.encode())
    assert (answer.json["id"], answer.text) == (7, "Error: Invalid `insert_line` parameter: it must be an integer")


def test_a_body_that_is_too_large_is_refused_and_what_the_limits_allow_is_not(open_server: Served) -> None:
    text = "\x01" * 102_400  # six times as long in JSON
    made = open_server.call("memory_create", {"path": "/memories/large", "file_text": text})
    assert made.text == "File created successfully at: /memories/large"
    assert open_server.call("memory_create", {"path": "/memories/larger", "file_text": text * 3}).status == 413
    too_large = open_server.call("memory_create", {"path": "/memories/larger", "file_text": "x" * 102_401})
    assert "102400 bytes" in too_large.text


def test_a_hundred_clients_at_once_lose_nothing(server: Served, issuer: Issuer) -> None:
    token = issuer.token("crowd")

    def client(number: int) -> list[str]:
        path = f"/memories/{number}.md"
        return [
            server.call("memory_create", {"path": path, "file_text": f"{number}\n"}, token=token).text,
            server.call("memory_insert", {"path": path, "insert_line": 1, "insert_text": "more"}, token=token).text,
        ]

    with ThreadPoolExecutor(N_CLIENTS) as clients:
        texts = list(clients.map(client, range(N_CLIENTS)))
    assert texts == [
        [f"File created successfully at: /memories/{n}.md", f"The file /memories/{n}.md has been edited."]
        for n in range(N_CLIENTS)
    ]
    shown = server.call("memory_view", ROOT, token=token).text
    assert all(f"/memories/{number}.md" in shown for number in range(N_CLIENTS))
    for number in (0, 42, 99):
        assert server.call("memory_view", {"path": f"/memories/{number}.md"}, token=token).text.endswith(
            f"\t{number}\n     2\tmore\n     3\t"
        )


def test_the_event_loop_is_free_while_commands_wait(server: Served, issuer: Issuer) -> None:
    token = issuer.token("busy")
    with ThreadPoolExecutor(50) as clients:
        busy = [clients.submit(server.call, "memory_view", ROOT, token=token) for _ in range(100)]
        started = time.monotonic()
        assert server.request("GET", path="/.well-known/oauth-protected-resource").status == 200
        took_seconds = time.monotonic() - started
        assert {answer.result().status for answer in busy} == {200}
    assert took_seconds < 5


def test_each_tenant_has_a_session_of_its_own_where_a_role_is_set(
    moto_server: MotoServer, environment: dict[str, str], issuer: Issuer
) -> None:
    role = {"S3MEMORY_TENANT_ROLE_ARN": "arn:aws:iam::123456789012:role/tenant"}
    with served(environment | role, *issuer.options) as server:
        before = len(moto_server.requests)
        for tenant in ("one", "two", "one"):
            assert server.call("memory_view", ROOT, token=issuer.token(tenant)).status == 200
    assert [r.operation for r in moto_server.requests[before:] if r.service == "sts"] == ["AssumeRole", "AssumeRole"]


def test_a_memory_that_is_read_only_refuses_every_tenants_changes(environment: dict[str, str], issuer: Issuer) -> None:
    with served(environment, *issuer.options, "--read-only") as server:
        made = server.call("memory_create", {"path": "/memories/a", "file_text": "x"}, token=issuer.token())
        listing = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
        tools = server.call("", {}, body=listing, token=issuer.token()).json["result"]["tools"]
    assert made.text == "Error: This memory is read-only. Nothing was changed."
    assert {tool["name"] for tool in tools} == {"memory_view", "memory_search"}


def test_sigterm_finishes_what_is_under_way_and_says_nothing_of_it(environment: dict[str, str], issuer: Issuer) -> None:
    with served(environment, *issuer.options) as server:
        token = issuer.token("leaving")
        assert server.call("memory_view", ROOT, token=token).status == 200
        with ThreadPoolExecutor(8) as clients:
            made = [
                clients.submit(server.call, "memory_create", {"path": f"/memories/{n}", "file_text": "x"}, token=token)
                for n in range(8)
            ]
            next(iter(made)).result()
            code, err = server.end()
    assert (code, err) == (0, "")
    texts = [future.result().text for future in made if future.exception() is None]
    assert all(text.startswith("File created") for text in texts)
    with served(environment, *issuer.options) as server:
        shown = server.call("memory_view", ROOT, token=issuer.token("leaving")).text
    for text in texts:
        assert text.removeprefix("File created successfully at: ") in shown


def test_nothing_of_a_request_is_written_to_standard_error(environment: dict[str, str], issuer: Issuer) -> None:
    with served(environment | {"S3MEMORY_BUCKET": "no-such-bucket"}, *issuer.options) as server:
        token = issuer.token("secretive")
        texts = [server.call("memory_view", ROOT, token=token).text]
        for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"MCP-Protocol-Version": "evil"}):
            server.call("memory_view", {"path": "/memories/evil"}, token=token, headers=headers)
        server.call("memory_view", ["evil"], token=token)
        server.call("evil", {}, body=json.dumps(call_message("evil", {})).encode(), token="evil")
        _, err = server.end()
    assert texts[0].startswith("Error: ")
    for told in (*texts, err):
        for secret in ("no-such-bucket", "evil", "secretive", token, "Traceback", "arn:", "127.0.0.1"):
            assert secret not in told


TOKENS = [
    *("--issuer", "https://i.example"),
    *("--jwks-url", "https://i.example/jwks"),
    *("--audience", "me"),
    *("--tenant-claim", "tenant"),
]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--http", "0.0.0.0:0", "--tenant", "acme"], "only this machine"),
        (["--http", "[::]:0", "--tenant", "acme"], "only this machine"),
        (["--http", ":0", "--tenant", "acme"], "an address such as"),
        (["--http", "192.0.2.1:0", "--tenant", "acme"], "only this machine"),
        (["--http", "8080", "--tenant", "acme"], "an address such as"),
        (["--http", "127.0.0.1:x", "--tenant", "acme"], "an address such as"),
        (["--http", "127.0.0.1:99999", "--tenant", "acme"], "--http"),
        (["--http", "127.0.0.1:0", "--tenant", "acme", "--resource-url", RESOURCE], "tokens"),
        (["--http", "127.0.0.1:0", *TOKENS, "--resource-url", "https://exämple.com/mcp"], "the resource URL"),
        (["--http", "127.0.0.1:0", "--issuer", "https://i.example"], "--audience"),
        (["--http", "127.0.0.1:0", "--tenant", "acme", "--jwks-url", "https://i.example/jwks"], "--issuer"),
        # As a script passes them whose variables are not set.
        (["--http", "127.0.0.1:0", "--tenant", "acme", "--resource-url", ""], "tokens"),
        (
            ["--http", "127.0.0.1:0", "--tenant", "acme"]
            + [part for name in ("issuer", "audience", "jwks-url", "tenant-claim") for part in (f"--{name}", "")],
            "without --issuer",
        ),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_served(
    run: Run, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], options: list[str], said: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    ran = run("mcp", *options)
    assert (ran.exit_code, ran.out) == (2, "")
    assert said in ran.err


@pytest.mark.parametrize("left_out", ["issuer", "audience", "jwks-url", "tenant-claim"])
def test_a_part_of_the_options_about_tokens_is_no_use(
    run: Run, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], left_out: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    whole = {
        "--issuer": "https://i.example",
        "--audience": "me",
        "--jwks-url": "https://i.example/jwks",
        "--tenant-claim": "tenant",
    }
    given = [part for option, value in whole.items() if option != f"--{left_out}" for part in (option, value)]
    ran = run("mcp", "--http", "127.0.0.1:0", *given)
    assert ran.exit_code == 2
    assert f"without --{left_out}" in ran.err
    all_given = [part for option in whole.items() for part in option]
    ran = run("mcp", "--http", "127.0.0.1:0", "--tenant", "acme", *all_given)
    assert (ran.exit_code, "--tenant can't be given" in ran.err) == (2, True)
    monkeypatch.setenv(f"S3MEMORY_MCP_{left_out.replace('-', '_').upper()}", whole[f"--{left_out}"])
    ran = run("mcp", "--http", "127.0.0.1:0", "--tenant", "acme", *given)
    assert (ran.exit_code, "--tenant can't be given" in ran.err) == (2, True)


def test_keys_are_not_fetched_where_others_could_alter_them(
    run: Run, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    options = ["--issuer", "https://i.example", "--audience", "me", "--tenant-claim", "tenant"]
    for url in ("http://i.example/jwks", "file:///etc/passwd", "jwks", "https:///jwks"):
        ran = run("mcp", "--http", "127.0.0.1:0", *options, "--jwks-url", url)
        assert (ran.exit_code, "issuer's keys" in ran.err or "JWKS" in ran.err) == (2, True)


def test_an_address_that_is_taken_is_said(environment: dict[str, str], open_server: Served) -> None:
    with served(environment, "--tenant", "acme", address=open_server.address) as server:
        assert server.process.wait(timeout=30) == 2
        assert "in use" in server.first_line
