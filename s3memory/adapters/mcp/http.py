"""The ASGI application: the memory over streamable HTTP, stateless, in JSON."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from s3memory.adapters.mcp.auth import Auth, check_url
from s3memory.adapters.mcp.bearer import Bearer, metadata_routes
from s3memory.adapters.mcp.deadlines import CALL_SECONDS
from s3memory.adapters.mcp.key_sets import KeySet
from s3memory.adapters.mcp.limits import MAX_REQUESTS, InFlight, OnlyMessages, WholeBody
from s3memory.adapters.mcp.server import ENDPOINT, TENANT, tenants_server
from s3memory.adapters.mcp.tokens import TokenVerifier
from s3memory.adapters.mcp.tools import Commands
from s3memory.errors import ConfigurationError
from s3memory.limits import Limits, max_input_bytes

_LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_WITHOUT_CASE = frozenset({b"host", b"content-type"})
_ACCEPT = b"accept"


def http_app(
    commands_for: Callable[[str], Commands],
    *,
    tenant: str | None = None,
    auth: Auth | None = None,
    keys: KeySet | None = None,
    resource_url: str,
    checks_hosts: bool = True,
    read_only: bool = False,
    overwrites: bool = False,
    limits: Limits | None = None,
    call_seconds: float = CALL_SECONDS,
) -> ASGIApp:
    """Return an ASGI application that serves MCP at ``/mcp``. It can be started once.

    Args:
        commands_for: returns the memory of a tenant; see `tenants_server`.
        tenant: the tenant of all requests, if no token is required.
        auth: which tokens are required otherwise. The tenant then comes from the token alone.
        keys: the issuer's keys, to share them between applications; created from `auth` if left out.
        resource_url: the endpoint's URL, as clients reach it.
        checks_hosts: refuse requests whose host or origin is neither this machine nor that of `resource_url`. A web
            page in a browser on this machine could send such requests.
        read_only: as for `memory_server`.
        overwrites: as for `memory_server`.
        limits: the memory's limits, which determine the maximum size of a request.
        call_seconds: how long a call may take.

    Raises:
        ConfigurationError: neither a tenant nor `auth` is given, or both are; or `resource_url` is malformed.
    """
    check_url(resource_url, "the resource URL")
    if (tenant is None) == (auth is None):
        raise ConfigurationError("the tenant comes either from the program or from tokens")
    server = tenants_server(commands_for, read_only=read_only, overwrites=overwrites, call_seconds=call_seconds)
    max_bytes = max_input_bytes(limits or Limits())
    transport = StreamableHTTPSessionManager(
        app=server,
        json_response=True,
        stateless=True,
        security_settings=_security(resource_url) if checks_hosts else None,
        max_request_body_size=max_bytes,
    )
    messages = OnlyMessages(_with_plain_headers(transport.handle_request), batch_seconds=call_seconds)
    endpoint: ASGIApp = WholeBody(messages, max_bytes=max_bytes)
    routes: list[Route] = []
    if auth is None:
        endpoint = _with_tenant(endpoint, str(tenant))
    else:
        verifier = TokenVerifier(keys or KeySet(auth.jwks_url), auth)
        endpoint = Bearer(endpoint, verifier, resource_url=resource_url)
        routes += metadata_routes(resource_url, issuer=auth.issuer)

    @asynccontextmanager
    async def lifespan(_app: object) -> AsyncIterator[None]:
        async with transport.run():
            yield

    routes.append(Route(ENDPOINT, InFlight(endpoint, max_requests=MAX_REQUESTS)))
    return Router(routes, redirect_slashes=False, lifespan=lifespan)


def _with_tenant(app: ASGIApp, tenant: str) -> ASGIApp:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, TENANT: tenant}, receive, send)

    return answer


def _with_plain_headers(app: ASGIApp) -> ASGIApp:
    """Normalize headers for the transport.

    It compares hosts and content types by case, although both ignore case (RFC 9110), and reads only the first of
    several ``Accept`` lines, although together they form one list.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        given = scope["headers"]
        headers = [
            (name, value.lower() if name in _WITHOUT_CASE else value) for name, value in given if name != _ACCEPT
        ]
        accepted = [value for name, value in given if name == _ACCEPT]
        if accepted:
            headers.append((_ACCEPT, b", ".join(accepted)))
        await app({**scope, "headers": headers}, receive, send)

    return answer


def _security(resource_url: str) -> TransportSecuritySettings:
    parts = urlsplit(resource_url)
    host = parts.hostname or ""
    hosts = {*_LOOPBACK_HOSTS, f"[{host}]" if ":" in host else host}
    origins = {*(f"http://{host}" for host in _LOOPBACK_HOSTS), f"{parts.scheme}://{host}"}
    return TransportSecuritySettings(
        allowed_hosts=[*hosts, *(f"{host}:*" for host in hosts)],
        allowed_origins=[*origins, *(f"{origin}:*" for origin in origins)],
    )
