"""The wire format of the Messages API: which requests it refuses and how, and replies as JSON and as event streams.

Only the rules that matter to the memory tool and the tool runner are here. Error texts begin like the API's own, which
an agent's author knows from logs; the error types and codes are the API's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby, takewhile
from operator import itemgetter
from typing import Any

from s3memory.testing.messages_script import MEMORY_TOOL_NAME, JsonObject, Turn, blocks

MEMORY_TOOL_TYPE = "memory_20250818"
THREADS_BETA = "message-threads-2026-08-12"

_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_REQUIRED_FIELDS: dict[str, tuple[type, str]] = {
    "model": (str, "string"),
    "max_tokens": (int, "integer"),
    "messages": (list, "list"),
}
_BETA_FIELDS = {"thread": THREADS_BETA, "context_management": "context-management-2025-06-27"}
_CREATE_ONLY_FIELDS = ("system", "tools")
_DELTAS_PER_BLOCK = 4
_CHARACTERS_PER_TOKEN = 4  # a rough estimate, so that an agent that counts tokens has something to count


class RefusedRequest(Exception):  # noqa: N818 - a response, not a fault of this program
    """The API responds with an error instead of a reply."""

    def __init__(
        self, message: str, *, status: int = 400, error_code: str | None = None, retry_after_ms: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.error_code = error_code
        self.retry_after_ms = retry_after_ms


def error_body(refusal: RefusedRequest, *, request_id: str) -> JsonObject:
    """Return the body of an error response."""
    fallback = "api_error" if refusal.status >= 500 else "invalid_request_error"  # noqa: PLR2004 - server errors
    error: JsonObject = {"type": _ERROR_TYPES.get(refusal.status, fallback), "message": refusal.message}
    if refusal.error_code is not None:
        error["details"] = {"error_code": refusal.error_code}
    return {"type": "error", "error": error, "request_id": request_id}


def parse(payload: bytes) -> JsonObject:
    """Parse a request's body as a JSON object."""
    try:
        body = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise RefusedRequest(f"The request body is not valid JSON: {error}") from error
    if not isinstance(body, dict):
        raise RefusedRequest("The request body is not a JSON object")
    return body


def check_headers(headers: Mapping[str, str]) -> None:
    """Refuse a request without an API version or without any credential. Every credential is accepted."""
    if "x-api-key" not in headers and "authorization" not in headers:
        raise RefusedRequest("x-api-key header is required", status=401)
    if "anthropic-version" not in headers:
        raise RefusedRequest("anthropic-version: header is required")


def check_fields(body: Mapping[str, Any], betas: Sequence[str]) -> None:
    """Refuse a body that lacks a required field, or has a field that is not allowed."""
    for name, (kind, kind_name) in _REQUIRED_FIELDS.items():
        if name not in body:
            raise RefusedRequest(f"{name}: Field required")
        if not isinstance(body[name], kind) or isinstance(body[name], bool):
            raise RefusedRequest(f"{name}: Input should be a valid {kind_name}")
    _check_messages(body["messages"])
    if not isinstance(body.get("tools", []), list):
        raise RefusedRequest("tools: Input should be a valid list")
    for name in [name for name, beta in _BETA_FIELDS.items() if body.get(name) is not None and beta not in betas]:
        raise RefusedRequest(f"{name}: Extra inputs are not permitted without the beta header {_BETA_FIELDS[name]}")
    if body.get("thread") is not None:
        _check_thread(body)


def _check_messages(messages: Sequence[Any]) -> None:
    if not messages:
        raise RefusedRequest("messages: at least one message is required")
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in ("user", "assistant", "system"):
            raise RefusedRequest(f"messages.{index}: Input should have the role user, assistant or system")
        if not isinstance(message.get("content"), str | list):
            raise RefusedRequest(f"messages.{index}.content: Input should be a valid string or list of blocks")


def _check_thread(body: Mapping[str, Any]) -> None:
    thread = body["thread"]
    if not isinstance(thread, dict) or thread.get("type") not in ("create", "continue"):
        raise RefusedRequest("thread.type: Input should be 'create' or 'continue'")
    if thread["type"] == "continue":
        if not isinstance(thread.get("previous_message_id"), str):
            raise RefusedRequest("thread.previous_message_id: Field required")
        for name in _CREATE_ONLY_FIELDS:
            if name in body:
                raise RefusedRequest(f"{name}: not permitted on a continue, the thread keeps what it was created with")


def check_memory_tool(tools: Sequence[Any]) -> None:
    """Refuse tools without the memory tool."""
    if {"type": MEMORY_TOOL_TYPE, "name": MEMORY_TOOL_NAME} not in [
        {"type": tool.get("type"), "name": tool.get("name")} for tool in tools if isinstance(tool, dict)
    ]:
        raise RefusedRequest(f"tools: no tool of type {MEMORY_TOOL_TYPE} and name {MEMORY_TOOL_NAME} among them")


def check_tool_calls(turn: Turn, tools: Sequence[Any]) -> None:
    """Refuse a turn that calls a tool which the request does not declare: no model would do so."""
    declared = [tool.get("name") for tool in tools if isinstance(tool, dict)]
    for call in turn.calls:
        if call.name not in declared:
            raise RefusedRequest(f"the script calls the tool {call.name!r}, which the request does not declare")


def check_conversation(conversation: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a conversation with a blank text, or in which tool uses and tool results do not match turn by turn.

    As in the API, the results come first in their turn, and texts follow them.

    Args:
        conversation: The whole history, so that the indexes in errors are right for a thread as well.
    """
    expected: list[str] = []
    for index, turn in _turns(conversation):
        _check_texts(turn)
        results = blocks(turn, "tool_result")
        for block in results:
            if block.get("tool_use_id") not in expected:
                raise RefusedRequest(
                    f"messages.{index}: unexpected `tool_use_id` found in `tool_result` blocks: "
                    f"{block.get('tool_use_id')}. The previous message has no such `tool_use` block."
                )
            if block.get("is_error") and not block.get("content"):
                raise RefusedRequest(f"messages.{index}: tool_result: content cannot be empty if `is_error` is true")
        answered = [block["tool_use_id"] for block in results]
        leading = answered[: len(list(takewhile(_is_result, turn["content"])))]
        if missing := [tool_use_id for tool_use_id in expected if tool_use_id not in leading]:
            raise RefusedRequest(
                f"messages.{index - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing)}."
            )
        if len(answered) != len(set(answered)):
            raise RefusedRequest(f"messages.{index}: each `tool_use` must have a single `tool_result`")
        expected = [block.get("id", "") for block in blocks(turn, "tool_use")]
    if conversation[-1]["role"] == "assistant":
        raise RefusedRequest("messages: the conversation must end with a user message")


def _turns(conversation: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, JsonObject]]:
    """Merge successive messages of one role into a turn, as the API does. Yield it with the index of the first."""
    index = 0
    for role, in_a_row in groupby(conversation, itemgetter("role")):
        contents = [message["content"] for message in in_a_row]
        as_blocks = [[{"type": "text", "text": one}] if isinstance(one, str) else one for one in contents]
        yield index, {"role": role, "content": list(chain.from_iterable(as_blocks))}
        index += len(contents)


def _is_result(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _check_texts(turn: Mapping[str, Any]) -> None:
    for text in [block.get("text") for block in blocks(turn, "text")]:
        if not text:
            raise RefusedRequest("messages: text content blocks must be non-empty")
        if isinstance(text, str) and not text.strip():
            raise RefusedRequest("messages: text content blocks must contain non-whitespace text")


def reply(turn: Turn, *, message_id: str, tool_use_ids: Iterator[str], request: Mapping[str, Any]) -> JsonObject:
    """Return `turn` as a message that replies to `request`."""
    content: list[JsonObject] = [{"type": "text", "text": turn.text}] if turn.text else []
    content += [
        {"type": "tool_use", "id": next(tool_use_ids), "name": call.name, "input": dict(call.input)}
        for call in turn.calls
    ]
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": content,
        "stop_reason": "tool_use" if turn.tool_calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": _tokens(request["messages"]), "output_tokens": _tokens(content)},
    }


def event_stream(message: Mapping[str, Any]) -> bytes:
    """Return `message` as the server-sent events of a streamed reply."""
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in _events(message))


def _events(message: Mapping[str, Any]) -> Iterator[JsonObject]:
    usage = message["usage"]
    opening = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield {"type": "message_start", "message": opening}
    yield {"type": "ping"}
    for index, block in enumerate(message["content"]):
        empty, deltas = _deltas(block)
        yield {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": message["stop_sequence"]},
        "usage": {"output_tokens": usage["output_tokens"]},
    }
    yield {"type": "message_stop"}


def _deltas(block: Mapping[str, Any]) -> tuple[JsonObject, list[JsonObject]]:
    """Return the fields of a content block that are empty at its start, and the deltas that fill them."""
    if block["type"] == "text":
        return {"text": ""}, [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]
    # Not ASCII-escaped: a piece may end anywhere, and no model produces half an escape.
    pieces = ["", *_pieces(json.dumps(block["input"], ensure_ascii=False))]
    return {"input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


def _pieces(text: str) -> Iterator[str]:
    """Cut `text` into a few pieces: clients parse all of their input after each one, which takes quadratic time."""
    size = max(1, -(-len(text) // _DELTAS_PER_BLOCK))
    return (text[start : start + size] for start in range(0, len(text), size))


def _tokens(value: Any) -> int:
    return max(1, len(json.dumps(value)) // _CHARACTERS_PER_TOKEN)
