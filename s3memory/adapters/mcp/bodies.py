"""The body of a request as the transport can parse it; what is no message is answered here, as on stdio."""

from __future__ import annotations

import json
import re

from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, JSONRPCRequest
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from s3memory.adapters.mcp.limits import replayed
from s3memory.adapters.mcp.messages import as_json, invalid, parsed
from s3memory.adapters.mcp.server import ARGUMENTS
from s3memory.paths import is_unicode_text

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class OnlyMessages:
    """Hands on a request whose body, all of it there, is a message; answers 400 to any other.

    Args:
        app: answers what is handed on.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        body = (await receive())["body"]
        message = parsed(body)
        if not isinstance(message, SessionMessage):
            readable = _readable(body, message, scope)
            if readable is not None:
                await self._app(scope, replayed(readable, receive), send)
                return
            message = invalid(getattr(message, "id", None))
        await Response(as_json(message.message), 400, media_type="application/json")(scope, receive, send)


def _readable(body: bytes, message: JSONRPCMessage, scope: Scope) -> bytes | None:
    r"""Return a body as the transport can parse it, and put what it can't carry into the scope.

    It refuses a body with a lone surrogate ("\ud800") as a whole. The tools say which argument holds it. Where it
    stands anywhere else, nobody can, and the message is none: `None`.
    """
    if not _SURROGATE.search(body):
        return body
    try:
        if isinstance(message, JSONRPCRequest) and message.params:
            arguments = message.params.get("arguments")
            if isinstance(arguments, dict) and not is_unicode_text(json.dumps(arguments, ensure_ascii=False)):
                scope[ARGUMENTS] = arguments
                message = message.model_copy(update={"params": {**message.params, "arguments": {}}})
        text = as_json(message)
    except (ValueError, RecursionError):  # nested too deeply
        return None
    return text.encode() if is_unicode_text(text) else None
