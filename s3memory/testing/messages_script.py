"""The steps of a scripted Messages API, and its recorded requests: plain values without any I/O."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

MEMORY_TOOL_NAME = "memory"

JsonObject: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool use of a turn.

    Attributes:
        input: The input of the call: for the memory tool, the command and its parameters.
        name: The name of the tool. The request has to declare it.
    """

    input: Mapping[str, Any]
    name: str = MEMORY_TOOL_NAME


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the assistant: text, then any number of tool calls.

    With tool calls, it stops with `tool_use`, and the next step replies to their results. Without, it is `end_turn`.

    Attributes:
        text: The text of the assistant. If it is empty, there is no text block.
        tool_calls: The parallel calls of this turn. A plain mapping is the input of a memory tool call.
    """

    text: str = ""
    tool_calls: Sequence[ToolCall | Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        # An error raised here has the line of the script in its traceback.
        if isinstance(self.tool_calls, Mapping) or not all(isinstance(one.input, Mapping) for one in self.calls):
            raise TypeError('tool_calls must be a list of inputs, such as [{"command": "view", "path": "/memories"}]')
        if any(call.name == MEMORY_TOOL_NAME and call.input.keys() == {"name", "input"} for call in self.calls):
            raise TypeError("a call of another tool than the memory is a ToolCall(input, name)")
        json.dumps([dict(call.input) for call in self.calls])

    @property
    def calls(self) -> list[ToolCall]:
        """The tool calls, with plain mappings converted to calls of the memory tool."""
        return [call if isinstance(call, ToolCall) else ToolCall(call) for call in self.tool_calls]


@dataclass(frozen=True, slots=True)
class Failure:
    """An HTTP error instead of a turn. The client's next attempt gets the next step of the script.

    Attributes:
        status: The HTTP status: 429 is a rate limit, 529 an overloaded API, 500 an internal error.
        error_code: The value of `error.details.error_code`. With status 404, `thread_not_found` means that the API has
            lost the message thread.
        retry_after_ms: How long the client should wait before it retries. `None` lets the client decide.
    """

    status: int
    error_code: str | None = None
    retry_after_ms: int | None = 5

    def __post_init__(self) -> None:
        if not 400 <= self.status <= 599:  # noqa: PLR2004 - the range of HTTP errors
            raise ValueError(f"a failure has an HTTP status from 400 to 599, not {self.status}")


class ToolResult(NamedTuple):
    """A tool's result for one call of the script."""

    tool_use_id: str
    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request as it arrived.

    Attributes:
        body: The parsed JSON body.
        headers: The headers by lower-case name, without those with credentials.
        conversation: All messages so far: those of the thread that the request continues, then those of the body.
    """

    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(repr=False)
    conversation: Sequence[Mapping[str, Any]] = field(repr=False)

    @property
    def tool_results(self) -> list[ToolResult]:
        """The results of the calls of the assistant's last turn, in the order in which they were sent."""
        results: list[ToolResult] = []
        for message in reversed(self.conversation):
            if message.get("role") == "assistant":
                break
            results[:0] = [
                ToolResult(block.get("tool_use_id", ""), text_of(block.get("content")), bool(block.get("is_error")))
                for block in blocks(message, "tool_result")
            ]
        return results

    @property
    def betas(self) -> list[str]:
        """The beta features that the request enables."""
        return [beta.strip() for beta in self.headers.get("anthropic-beta", "").split(",") if beta.strip()]


Step: TypeAlias = Turn | Failure | Callable[[RecordedRequest], Turn | Failure]
"""One step of a script. A function gets the request that it replies to, so that a script can branch on a result."""


class ScriptError(AssertionError):
    """The agent under test did not follow the script, or a step of the script itself failed."""


def blocks(message: Mapping[str, Any], kind: str) -> list[JsonObject]:
    """Return the content blocks of `message` of the type `kind`."""
    content = message.get("content")
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict) and block.get("type") == kind]


def text_of(content: Any) -> str:
    """Return the text of a tool result. Its content may be a text, blocks or nothing."""
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in blocks({"content": content}, "text"))
