"""The bounds of a request: its size, its time, and how many are under way."""

from __future__ import annotations

import asyncio
import json
import math
import resource
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

import anyio
import pytest
import uvicorn
from starlette.types import Message, Receive, Scope, Send
from uvicorn.server import ServerState

from s3memory import MemoryCommands
from s3memory.adapters.mcp import http_app, serving
from s3memory.adapters.mcp.deadlines import end_in, remaining_seconds
from s3memory.adapters.mcp.limits import InFlight, OnlyMessages, WholeBody
from s3memory.adapters.mcp.serving import TimeLimitedProtocol
from s3memory.errors import ConfigurationError
from s3memory.limits import Limits, max_input_bytes

pytestmark = pytest.mark.anyio

POST: Scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": []}


class Sent:
    """What an application sends.

    Attributes:
        status: of its answer.
        body: of its answer.
    """

    def __init__(self) -> None:
        self.status = 0
        self.body = b""

    async def __call__(self, message: Message) -> None:
        self.status = message.get("status", self.status)
        self.body += message.get("body", b"")


async def echo(_scope: Scope, receive: Receive, send: Send) -> None:
    message = await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": message["body"]})


def body_of(*parts: bytes, ends: bool = True) -> Receive:
    messages = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    if ends:
        messages[-1]["more_body"] = False

    async def receive() -> Message:
        if not messages:
            await anyio.sleep(math.inf)
        return messages.pop(0)

    return receive


@pytest.mark.parametrize(
    ("parts", "status"), [((b"1234", b"56"), 200), ((b"1234", b"5678"), 413), ((b"123456789",), 413)]
)
async def test_a_body_is_as_large_as_it_may_be(parts: tuple[bytes, ...], status: int) -> None:
    sent = Sent()
    await WholeBody(echo, max_bytes=6)(POST, body_of(*parts), sent)
    assert sent.status == status
    assert status != 200 or sent.body == b"".join(parts)


async def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    sent = Sent()
    await WholeBody(echo, max_bytes=6, seconds=0.01)(POST, body_of(b"{", ends=False), sent)
    assert sent.status == 408


HALF = b"POST /mcp HTTP/1.1\r\nHost: x\r\nX: "
WHOLE = b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx"


class Connected(NamedTuple):
    """A connection to a server that answers with what it is sent, and the server's end of it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    protocols: list[TimeLimitedProtocol]


@asynccontextmanager
async def connected() -> AsyncIterator[Connected]:
    protocols: list[TimeLimitedProtocol] = []
    config = uvicorn.Config(echo, lifespan="off", ws="none", log_config=None, timeout_keep_alive=60)
    config.load()

    def protocol() -> TimeLimitedProtocol:
        protocols.append(TimeLimitedProtocol(config, ServerState(), app_state={}))
        return protocols[-1]

    server = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    with anyio.fail_after(30):
        yield Connected(reader, writer, protocols)
    writer.close()
    server.close()


@pytest.mark.parametrize("sent", [b"", HALF], ids=["nothing", "half of them"])
async def test_headers_that_do_not_come_are_not_waited_for(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "HEAD_SECONDS", 0.01)
    async with connected() as (reader, writer, _):
        writer.write(sent)
        assert await reader.read() == b""


async def test_nor_are_those_of_a_second_request(monkeypatch: pytest.MonkeyPatch) -> None:
    async with connected() as (reader, writer, protocols):
        writer.write(WHOLE)
        assert (await reader.readuntil(b"\r\n0\r\n\r\n")).startswith(b"HTTP/1.1 200")
        assert protocols[0]._timer is None
        monkeypatch.setattr(serving, "HEAD_SECONDS", 0.01)
        writer.write(HALF)
        assert await reader.read() == b""


async def test_nor_is_the_rest_of_a_body_that_was_answered_before_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    async with connected() as (reader, writer, _):
        writer.write(WHOLE.replace(b"Content-Length: 1", b"Content-Length: 9"))
        assert (await reader.readuntil(b"\r\n0\r\n\r\n")).startswith(b"HTTP/1.1 200")
        monkeypatch.setattr(serving, "HEAD_SECONDS", 0.01)
        writer.write(b"x")
        assert await reader.read() == b""


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="an option of Linux")
async def test_an_answer_that_nobody_reads_is_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "UNREAD_SECONDS", 0.01)
    loop = asyncio.get_running_loop()
    end: asyncio.Future[Exception | None] = loop.create_future()

    class Answering(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            transport.write(bytes(16_000_000))
            transport.close()

        def connection_lost(self, exc: Exception | None) -> None:
            end.set_result(exc)

    with serving.listen("127.0.0.1:0", beyond_loopback=False) as listening:
        server = await loop.create_server(Answering, sock=listening)
        with socket.create_connection(listening.getsockname()), anyio.fail_after(30):
            assert isinstance(await end, OSError)
        server.close()


async def test_what_comes_while_too_much_is_under_way_is_told_to_come_back() -> None:
    is_in, may_go = anyio.Event(), anyio.Event()

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        is_in.set()
        await may_go.wait()
        await echo(scope, receive, send)

    app, first, second, third = InFlight(slow, max_requests=1), Sent(), Sent(), Sent()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(app, POST, body_of(b"x"), first)
        await is_in.wait()
        await app(POST, body_of(b"x"), second)
        may_go.set()
    await app(POST, body_of(b"x"), third)
    assert (first.status, second.status, third.status) == (200, 503, 200)


def test_every_file_that_the_limits_allow_can_be_sent() -> None:
    limits = Limits(max_file_bytes=1_000_000)
    assert max_input_bytes(limits) > 2 * 6 * limits.max_file_bytes


async def test_a_call_has_the_time_of_the_server_or_less() -> None:
    assert remaining_seconds() == math.inf
    end_in(30)
    end_in(60)
    assert 29 < remaining_seconds() <= 30
    end_in(-1)
    assert remaining_seconds() < 0


async def test_the_messages_of_a_batch_share_the_time_of_one_request() -> None:
    ends: list[float] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        end_in(60)  # as each call does
        ends.append(time.monotonic() + remaining_seconds())
        await echo(scope, receive, send)

    sent, began = Sent(), time.monotonic()
    batch = [{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in (1, 2)]
    await OnlyMessages(app, batch_seconds=1)(POST, body_of(json.dumps(batch).encode()), sent)
    assert json.loads(sent.body) == batch
    assert ends == pytest.approx([began + 1] * 2, abs=0.5)
    assert ends[0] == pytest.approx(ends[1], abs=0.001)


def test_an_application_has_one_tenant_or_asks_for_tokens(commands: MemoryCommands) -> None:
    with pytest.raises(ConfigurationError, match="either from the program or from tokens"):
        http_app(lambda _: commands, resource_url="http://127.0.0.1/mcp")


@pytest.mark.parametrize("url", ["https://exämple.com/mcp", "https://例え.example/mcp", 'https://x/"/mcp', "x/mcp"])
def test_an_application_has_a_url_that_its_answers_can_name(url: str, commands: MemoryCommands) -> None:
    with pytest.raises(ConfigurationError, match="the resource URL must be a URL such as"):
        http_app(lambda _: commands, tenant="acme", resource_url=url)


@pytest.mark.parametrize(
    ("files", "most", "connections"), [(256, 4_096, 1_024), (256, 256, 128), (8_192, 8_192, 1_024)]
)
def test_connections_leave_files_for_requests_to_aws(
    files: int, most: int, connections: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = [(files, most)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: allowed[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, given: allowed.append(given))
    assert serving.allowed_connections() == connections
    assert allowed[-1][0] >= 2 * connections
    assert allowed[-1][1] == most


async def test_of_connections_beyond_those_that_are_told_so_none_is_kept() -> None:
    config = uvicorn.Config(echo, lifespan="off", ws="none", log_config=None, limit_concurrency=2)
    config.load()
    state = ServerState()
    server = await asyncio.get_running_loop().create_server(
        lambda: TimeLimitedProtocol(config, state, app_state={}), "127.0.0.1", 0
    )
    with anyio.fail_after(30):
        opened = [await asyncio.open_connection(*server.sockets[0].getsockname()) for _ in range(4)]
        with suppress(ConnectionResetError):
            assert await opened[3][0].read() == b""
        assert len(state.connections) == 3
        opened[2][1].write(WHOLE)
        assert (await opened[2][0].readuntil(b"\r\n")).startswith(b"HTTP/1.1 503")
        for _, writer in opened:
            writer.close()
            with suppress(ConnectionResetError):
                await writer.wait_closed()
    server.close()
