"""Parsing of JSON-RPC messages, the same on stdio and over HTTP.

The SDK's own transports answer an invalid message with pydantic's error, or not at all.
"""

from __future__ import annotations

import json
import re

from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from s3memory._lines import LongLine
from s3memory.contract.inputs import number_of
from s3memory.paths import is_unicode_text

MAX_BATCH = 100
"""How many messages a batch may contain: each can be a call that takes long."""

TOO_LARGE = "Request body too large"
"""The error text for a message that is larger than `max_input_bytes`."""

# An id before or after a request's parameters, as clients write it, with nothing nested between it and that end.
_ID = rb'"id"\s*:\s*(-?(?:0|[1-9][0-9]{0,17})|"[ !#-\[\]-~]{0,200}")\s*'
_WORD = rb'"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,200}"\s*'
_IN_FRONT = re.compile(rb"\s*\{\s*(?:%b,\s*)*%b," % (_WORD, _ID))
_BEHIND = re.compile(rb",\s*%b(?:,\s*%b)*\}\s*\Z" % (_ID, _WORD))


def too_large(line: LongLine) -> SessionMessage:
    """Return the error for a message that is too large to be read, with its id if it can be found."""
    found = _IN_FRONT.match(line.beginning) or _BEHIND.search(line.end)
    return _error(None if found is None else json.loads(found[1]), INVALID_REQUEST, TOO_LARGE)


def batch_of(sent: bytes) -> list[bytes] | None:
    """Return the messages of a batch, each encoded separately; `None` if this is not a batch.

    Only version 2025-03-26 of the protocol has batches. A batch that is empty or too large is not split, so it is
    refused as an invalid message.
    """
    if not sent.lstrip().startswith(b"["):
        return None
    try:
        batch = json.loads(sent.decode(), parse_int=number_of)
        return [json.dumps(one).encode() for one in batch] if 0 < len(batch) <= MAX_BATCH else None
    except (ValueError, RecursionError):
        return None


def parsed(sent: bytes) -> JSONRPCMessage | SessionMessage:
    """Return the message that was sent, or the error to answer it with."""
    try:
        # Not pydantic's own parser: it refuses lone surrogates, which the tools themselves report to the model.
        value = json.loads(sent.decode(), parse_int=number_of)  # from bytes, it would accept UTF-16 and UTF-32 as well
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "Parse error")
    try:
        message = jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        message = None
    # The adapter takes a request with an invalid id for a notification, and nobody would answer it.
    if message is not None and not (isinstance(message, JSONRPCNotification) and "id" in value):
        return message
    return invalid(value.get("id") if isinstance(value, dict) else None)


def invalid(identity: object) -> SessionMessage:
    """Return the error for an invalid message, with its id if that is usable."""
    is_usable = type(identity) is int or (isinstance(identity, str) and is_unicode_text(identity))
    return _error(identity if is_usable else None, INVALID_REQUEST, "Invalid request")  # type: ignore[arg-type]


def as_json(message: JSONRPCMessage) -> str:
    """Return a message as JSON. Lone surrogates are kept: a text of the client may contain some."""
    return json.dumps(message.model_dump(mode="json", by_alias=True, exclude_unset=True), ensure_ascii=False)


def _error(identity: int | str | None, code: int, message: str) -> SessionMessage:
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=identity, error=ErrorData(code=code, message=message)))
