"""``s3memory mcp``: serve the memory to MCP clients, on standard input and output or over HTTP."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from typing import Annotated

import typer

from s3memory._extras import ensure_installed
from s3memory.cli.ending import OK
from s3memory.cli.logs import package_log
from s3memory.cli.options import TenantOption, flag, optional
from s3memory.cli.output import explain_input, warn
from s3memory.cli.waiting import report_if_slow
from s3memory.errors import ConfigurationError


def mcp(
    tenant: TenantOption = None,
    read_only: Annotated[
        bool, flag("--read-only", "Offer only the tools that view and search, and refuse every change.")
    ] = False,
    http: Annotated[
        str | None, optional("--http", "Serve HTTP at this address, instead of standard input.", "HOST:PORT")
    ] = None,
    issuer: Annotated[str | None, optional("--issuer", "The issuer of the tokens (iss).", "URL")] = None,
    audience: Annotated[str | None, optional("--audience", "The audience of the tokens (aud).", "TEXT")] = None,
    jwks_url: Annotated[str | None, optional("--jwks-url", "Where the issuer publishes its keys.", "URL")] = None,
    tenant_claim: Annotated[
        str | None, optional("--tenant-claim", "The claim of a token that names the tenant.", "NAME")
    ] = None,
    resource_url: Annotated[
        str | None, optional("--resource-url", "The server's URL as clients know it, such as a proxy's.", "URL")
    ] = None,
) -> None:
    r"""Serve the memory to MCP clients, such as Claude Code.

    Without --http, it serves one client on standard input and output, until the input ends. With --http and the
    four token options, one server serves all tenants at /mcp: each request needs a bearer token (a JWT) with a claim
    that names the tenant. With --http alone, only this machine can reach the server.
    You can also set the token options as S3MEMORY_MCP_* variables. Pass a client's settings with --env, as below:
    otherwise its server inherits the environment of the shell that starts the client.

    Examples:
      claude mcp add memory --env S3MEMORY_BUCKET=agent-memory \
        --env S3MEMORY_KMS_KEY_ID=alias/agent-memory -- s3memory mcp --tenant acme
      s3memory mcp --http 127.0.0.1:8080 --tenant acme
      s3memory mcp --http 0.0.0.0:8080 --issuer https://login.example.com \
        --audience https://memory.example.com/mcp \
        --jwks-url https://login.example.com/jwks --tenant-claim tenant \
        --resource-url https://memory.example.com/mcp

    Exit codes:
      0  the input ended, or the server was asked to stop
      2  wrong usage, a setting is wrong or missing, the address is taken, or the
         extra is not installed
    """
    ensure_installed("s3memory mcp", {"mcp": "s3memory[mcp]"})
    tokens = {"issuer": issuer, "audience": audience, "jwks_url": jwks_url, "tenant_claim": tenant_claim}
    _silence_libraries()
    with package_log(), report_if_slow(in_log=True):
        if http is None:
            if resource_url is not None or any(option is not None for option in tokens.values()):
                raise ConfigurationError("token options need --http: on standard input there is only one tenant")
            _serve_stdio(tenant, read_only=read_only)
        else:
            _serve_http(http, tenant, tokens, resource_url, read_only=read_only)
    raise typer.Exit(OK)


def _serve_stdio(tenant: str | None, *, read_only: bool) -> None:
    import anyio  # of the extra

    from s3memory.adapters.mcp.server import memory_server
    from s3memory.adapters.mcp.settings import Tenants
    from s3memory.adapters.mcp.stdio import serve_stdio, standard_streams

    tenants = Tenants(os.environ, read_only=read_only)
    commands = tenants.commands_for(tenants.require_tenant(tenant))
    server = memory_server(commands, read_only=tenants.read_only, overwrites=tenants.overwrites)
    explain_input("An MCP client, such as Claude Code, starts this command and sends it JSON-RPC messages.")
    with standard_streams() as (lines_in, lines_out), suppress(KeyboardInterrupt):
        anyio.run(serve_stdio, server, lines_in, lines_out, tenants.limits)


def _serve_http(
    address: str, tenant: str | None, tokens: dict[str, str | None], resource_url: str | None, *, read_only: bool
) -> None:
    from s3memory.adapters.mcp.auth import Auth  # of the extra
    from s3memory.adapters.mcp.http import http_app
    from s3memory.adapters.mcp.server import ENDPOINT
    from s3memory.adapters.mcp.serving import listen, serve, url_of
    from s3memory.adapters.mcp.settings import Tenants

    tenants = Tenants(os.environ, read_only=read_only)
    auth = Auth.of({name: tenants.auth_options[name] if given is None else given for name, given in tokens.items()})
    resource_url = tenants.resource_url if resource_url is None else resource_url
    if auth is None and resource_url is not None:
        raise ConfigurationError("--resource-url is for a server that asks for tokens: see --issuer")
    if auth is not None and tenant is not None:
        raise ConfigurationError("--tenant can't be given with the token options: the tenant is in the token")
    with listen(address, beyond_loopback=auth is not None) as listening:
        own_url = url_of(listening, ENDPOINT)
        app = http_app(
            tenants.commands_for,
            tenant=None if auth is not None else tenants.require_tenant(tenant),
            auth=auth,
            resource_url=resource_url or own_url,
            read_only=tenants.read_only,
            overwrites=tenants.overwrites,
            limits=tenants.limits,
        )
        warn(f"serving MCP at {own_url}")
        serve(app, listening)


def _silence_libraries() -> None:
    for library in ("mcp", "uvicorn", "asyncio", "mangum", "anyio"):
        logger = logging.getLogger(library)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
