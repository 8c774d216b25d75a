"""The HTTP server as an AWS Lambda function, behind a function URL, API Gateway or a load balancer."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from mangum import Mangum

from s3memory.adapters.mcp.auth import Auth
from s3memory.adapters.mcp.deadlines import CALL_SECONDS
from s3memory.adapters.mcp.http import http_app
from s3memory.adapters.mcp.key_sets import KeySet
from s3memory.adapters.mcp.server import ENDPOINT
from s3memory.adapters.mcp.settings import Tenants
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from mangum.types import ASGI

# The time kept for the answer after the commands' deadline.
_MARGIN_SECONDS = 1.0


def lambda_handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an HTTP request that invoked this Lambda function. The endpoint is ``/mcp``; the token names the tenant.

    Behind a named stage of an HTTP API, the endpoint is below that name. Besides the memory's own settings, it needs
    ``S3MEMORY_MCP_ISSUER``, ``_AUDIENCE``, ``_JWKS_URL`` and ``_TENANT_CLAIM``, and ``_RESOURCE_URL`` if clients reach
    it by another name than AWS's.

    Raises:
        ConfigurationError: a setting is missing, malformed, unknown or contradicts another.
    """
    tenants, auth, keys = _kept()
    stage = _stage_of(event)
    left_seconds = context.get_remaining_time_in_millis() / 1_000 - _MARGIN_SECONDS
    # One application per invocation: it can be started only once, and Mangum starts and ends it.
    app = http_app(
        tenants.commands_for,
        auth=auth,
        keys=keys,
        resource_url=tenants.resource_url or _url_of(event, stage),
        checks_hosts=False,  # no web page can reach a function with its owner's rights, and AWS routes by host
        read_only=tenants.read_only,
        overwrites=tenants.overwrites,
        limits=tenants.limits,
        call_seconds=min(CALL_SECONDS, left_seconds),
    )
    with asyncio.Runner() as runner:
        asyncio.set_event_loop(runner.get_loop())  # where Mangum looks for one
        try:
            return Mangum(cast("ASGI", app), lifespan="on", api_gateway_base_path=stage)(event, context)
        finally:
            asyncio.set_event_loop(None)


@cache
def _kept() -> tuple[Tenants, Auth, KeySet]:
    """Return the objects that outlive an invocation."""
    tenants = Tenants(dict(os.environ))
    auth = Auth.of(tenants.auth_options)
    if auth is None:
        raise ConfigurationError("S3MEMORY_MCP_ISSUER is not set: on Lambda, every request needs a token")
    return tenants, auth, KeySet(auth.jwks_url)


def _stage_of(event: Mapping[str, Any]) -> str:
    """Return the prefix that API Gateway adds to the path: ``/prod`` for a stage of that name, none for ``$default``.

    It does so for an HTTP API's own domain. On a custom domain that is mapped to the stage, the prefix may be missing.
    """
    context = event.get("requestContext") or {}
    stage = f"/{context.get('stage', '$default')}"
    path = (context.get("http") or event).get("path")
    return stage if isinstance(path, str) and path.startswith(f"{stage}/") else ""


def _url_of(event: Mapping[str, Any], stage: str) -> str:
    domain = (event.get("requestContext") or {}).get("domainName")
    if not isinstance(domain, str) or not domain:
        raise ConfigurationError("S3MEMORY_MCP_RESOURCE_URL is not set, and the event does not name the domain")
    return f"https://{domain}{stage}{ENDPOINT}"
