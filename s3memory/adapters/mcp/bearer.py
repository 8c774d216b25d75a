"""`Bearer`: requires bearer tokens, and tells clients without a valid one where to get it (RFC 6750, RFC 9728)."""

from __future__ import annotations

import math
from urllib.parse import urlsplit, urlunsplit

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from s3memory.adapters.mcp.key_sets import PAUSE_SECONDS
from s3memory.adapters.mcp.server import ENDPOINT, TENANT
from s3memory.adapters.mcp.tokens import TokenVerifier, UndecidedError

_UNDECIDED = {
    "error": "temporarily_unavailable",
    "error_description": "The issuer's keys are unavailable, so the token can't be verified now. Send it again later.",
}
_WELL_KNOWN = "/.well-known/oauth-protected-resource"


class Bearer:
    """Passes on requests with a valid token, with the tenant in their scope; answers 401 to all others.

    While a token can't be verified, it answers 503: after a 401, clients discard their token.
    """

    def __init__(self, app: ASGIApp, verifier: TokenVerifier, *, resource_url: str) -> None:
        self._app, self._verifier = app, verifier
        self._metadata = f'resource_metadata="{_metadata_url(resource_url)}"'

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if not given:
            await self._refused({"error": "unauthorized"}, self._metadata)(scope, receive, send)
            return
        scheme, _, token = given[0].decode("latin-1").partition(" ")
        tenant = None
        if len(given) == 1 and scheme.lower() == "bearer":
            try:
                tenant = await self._verifier.tenant_of(token.strip())
            except UndecidedError:
                answer = JSONResponse(_UNDECIDED, 503, {"Retry-After": str(math.ceil(PAUSE_SECONDS))})
                await answer(scope, receive, send)
                return
        if tenant is None:
            challenge = f'error="invalid_token", {self._metadata}'
            await self._refused({"error": "invalid_token"}, challenge)(scope, receive, send)
            return
        await self._app({**scope, TENANT: tenant}, receive, send)

    def _refused(self, body: dict[str, str], challenge: str) -> JSONResponse:
        return JSONResponse(body, 401, {"WWW-Authenticate": f"Bearer {challenge}"})


def metadata_routes(resource_url: str, *, issuer: str) -> list[Route]:
    """Return the routes of the metadata that names the issuer, at every path where clients look for it."""
    metadata = {
        "resource": resource_url,
        "authorization_servers": [issuer],
        "bearer_methods_supported": ["header"],
        "resource_name": "s3memory",
    }

    async def answer(_request: Request) -> JSONResponse:
        # Clients in a browser read it as well, and nothing in it is secret.
        return JSONResponse(metadata, headers={"Access-Control-Allow-Origin": "*"})

    paths = {_WELL_KNOWN + path for path in (urlsplit(resource_url).path.rstrip("/"), ENDPOINT, "")}
    return [Route(path, answer, methods=["GET"]) for path in sorted(paths)]


def _metadata_url(resource_url: str) -> str:
    """Return the URL of the metadata, as clients reach it.

    A path before the endpoint, such as a stage of API Gateway, leads to this server, so the URL keeps it. At the root
    of the host, where clients look by default, another server may answer.
    """
    parts = urlsplit(resource_url)
    path = parts.path.rstrip("/")
    before = path.removesuffix(ENDPOINT) if path.endswith(ENDPOINT) else ""
    return urlunsplit((parts.scheme, parts.netloc, before + _WELL_KNOWN + path.removeprefix(before), "", ""))
