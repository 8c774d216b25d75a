"""Limits in front of the transport: the size and time of a request, and the number of concurrent requests.

The transport only gets bodies that it can parse. Bodies that are not messages are answered here, as on stdio.
"""

from __future__ import annotations

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, JSONRPCRequest
from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from s3memory.adapters.mcp.deadlines import end_in
from s3memory.adapters.mcp.messages import TOO_LARGE, as_json, batch_of, invalid, parsed
from s3memory.adapters.mcp.server import ARGUMENTS

MAX_REQUESTS = 256
"""How many requests may be under way at once. Further ones are asked to retry later."""

BODY_SECONDS = 10.0
"""How long a client may take to send a request's body."""

_VERSION_WITH_BATCHES = "2025-03-26"

# The transport's status for a request, whatever its result, and for a notification.
_OF_MESSAGES = (200, 202)


class InFlight:
    """Answers 503 to a request that arrives while too many are under way."""

    def __init__(self, app: ASGIApp, *, max_requests: int) -> None:
        self._app, self._max_requests, self._requests = app, max_requests, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if self._requests >= self._max_requests:
            await PlainTextResponse("Too many requests", 503, {"Retry-After": "1"})(scope, receive, send)
            return
        self._requests += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._requests -= 1


class WholeBody:
    """Passes a POST on once its whole body has arrived; answers 413 if it is too large, and 408 if it is too slow.

    Only POST is passed on: without sessions, there is nothing to listen to (GET) or to end (DELETE).
    """

    def __init__(self, app: ASGIApp, *, max_bytes: int, seconds: float = BODY_SECONDS) -> None:
        self._app, self._max_bytes, self._seconds = app, max_bytes, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["method"] != "POST":
            await PlainTextResponse("Method not allowed", 405, {"Allow": "POST"})(scope, receive, send)
            return
        body: bytes | None = b""
        with anyio.move_on_after(self._seconds) as waiting:
            body = await self._body(receive)
        if waiting.cancelled_caught:
            await PlainTextResponse("Request timeout", 408, {"Connection": "close"})(scope, receive, send)
        elif body is None:
            await PlainTextResponse(TOO_LARGE, 413, {"Connection": "close"})(scope, receive, send)
        else:
            await self._app(scope, _replayed(body, receive), send)

    async def _body(self, receive: Receive) -> bytes | None:
        """Return the body; `None` if it is too large, or the client has disconnected."""
        body = bytearray()
        while True:
            message = await receive()
            body += message.get("body", b"")
            if len(body) > self._max_bytes or message["type"] == "http.disconnect":
                return None
            if not message.get("more_body", False):
                return bytes(body)


class OnlyMessages:
    """Passes on a request whose body, which has fully arrived, is a message; answers 400 to any other.

    The transport does not support batches. Their messages are passed on one after another, and answered together.
    """

    def __init__(self, app: ASGIApp, *, batch_seconds: float) -> None:
        self._app, self._batch_seconds = app, batch_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        body = (await receive())["body"]
        batch = batch_of(body) if _may_send_batches(scope) else None
        if batch is not None:
            await self._answer_batch(batch, scope, receive, send)
            return
        message = _message(body, scope)
        if isinstance(message, bytes):
            await self._app(scope, _replayed(message, receive), send)
        else:
            await Response(as_json(message.message), 400, media_type="application/json")(scope, receive, send)

    async def _answer_batch(self, batch: list[bytes], scope: Scope, receive: Receive, send: Send) -> None:
        end_in(self._batch_seconds)
        answers: list[bytes] = []
        for body in batch:
            its_scope = {**scope}
            message = _message(body, its_scope)
            if not isinstance(message, bytes):
                answers.append(as_json(message.message).encode())
                continue
            start, *parts = await self._sent(message, its_scope, receive)
            if start["status"] not in _OF_MESSAGES:  # the headers are refused, which all messages of the batch share
                for part in (start, *parts):
                    await send(part)
                return
            answers.append(b"".join(part.get("body", b"") for part in parts))
        whole = b",".join(filter(None, answers))  # a notification has no answer
        answer = Response(b"[%b]" % whole, media_type="application/json") if whole else Response(status_code=202)
        await answer(scope, receive, send)

    async def _sent(self, body: bytes, scope: Scope, receive: Receive) -> list[Message]:
        sent: list[Message] = []

        async def keep(message: Message) -> None:
            sent.append(message)

        await self._app(scope, _replayed(body, receive), keep)
        return sent


def _may_send_batches(scope: Scope) -> bool:
    """Whether a request uses the protocol version with batches, which is also assumed if it names no version."""
    return Headers(scope=scope).get("mcp-protocol-version", _VERSION_WITH_BATCHES) == _VERSION_WITH_BATCHES


def _message(body: bytes, scope: Scope) -> bytes | SessionMessage:
    """Return a message in a form that the transport can parse (see `_readable`), or the error to answer with."""
    message = parsed(body)
    if isinstance(message, SessionMessage):
        return message
    readable = _readable(body, message, scope)
    return invalid(getattr(message, "id", None)) if readable is None else readable


def _readable(body: bytes, message: JSONRPCMessage, scope: Scope) -> bytes | None:
    r"""Return a body that the transport can parse; arguments that it can't parse go into the scope instead.

    The transport refuses any body with a lone surrogate ("\ud800") or an integer of very many digits. In an argument,
    the tools report it to the model. Anywhere else, nobody would, so the body is not a valid message: `None`.
    """
    if _is_parsable(body):
        return body
    try:
        if isinstance(message, JSONRPCRequest) and message.params:
            arguments = message.params.get("arguments")
            if isinstance(arguments, dict):
                scope[ARGUMENTS] = arguments
                message = message.model_copy(update={"params": {**message.params, "arguments": {}}})
        text = as_json(message).encode()
    except (ValueError, RecursionError):  # it is elsewhere, or the message is nested too deeply
        return None
    return text if _is_parsable(text) else None


def _is_parsable(body: bytes) -> bool:
    """Whether the transport's own parser takes a body."""
    try:
        from_json(body)
    except ValueError:
        return False
    return True


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return the `receive` of a request whose body has already arrived."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay
