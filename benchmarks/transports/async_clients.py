"""Sends the same GET with libraries that need no thread for each request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from transports.clients import CONNECTIONS, address, signing

AsyncGet = Callable[[str], Awaitable[bytes]]


async def aiohttp() -> AsyncGet:
    """aiohttp, signed by awscrt."""
    import aiohttp
    from awscrt.http import HttpHeaders, HttpRequest
    from yarl import URL

    url, sign = urlsplit(address()), signing()
    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=CONNECTIONS), auto_decompress=False)

    async def get(path: str) -> bytes:
        request = sign(HttpRequest("GET", path, HttpHeaders([("host", url.netloc)])))
        target = URL(address() + path, encoded=True)
        async with session.get(target, headers=dict(request.headers)) as answer:
            body: bytes = await answer.read()
        return body

    return get


async def awscrt_http() -> AsyncGet:
    """Awscrt alone: each response reaches the event loop from one of awscrt's threads."""
    from awscrt.aio.http import AIOHttpClientConnection
    from awscrt.http import HttpHeaders, HttpRequest

    url, sign = urlsplit(address()), signing()
    host = str(url.hostname)
    idle: list[Any] = []

    async def get(path: str) -> bytes:
        request = sign(HttpRequest("GET", path, HttpHeaders([("host", url.netloc)])))
        connection: Any
        if idle:
            connection = idle.pop()
        else:
            connection = await AIOHttpClientConnection.new(host, int(url.port or 80))
        stream = connection.request(request)
        parts: list[bytes] = []
        await stream.get_response_status_code()
        while chunk := await stream.get_next_response_chunk():
            parts.append(chunk)
        idle.append(connection)
        return b"".join(parts)

    return get


ASYNC_CLIENTS: dict[str, Callable[[], Awaitable[AsyncGet]]] = {
    "aiohttp, awscrt signs": aiohttp,
    "awscrt.aio.http": awscrt_http,
}
"""The libraries by their names in the tables."""
