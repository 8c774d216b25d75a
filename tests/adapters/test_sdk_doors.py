"""The SDK's other doors: tools that run while a reply streams, MCP tools in its runner, and fields on the wire."""

from __future__ import annotations

from typing import Any

import anthropic
import pytest
from anthropic.lib.tools.mcp import async_mcp_tool
from conftest import MakeCommands
from mcp import Client
from support.memory_s3 import InMemoryS3

from s3memory import AsyncS3MemoryTool, MemoryCommands, S3MemoryTool
from s3memory.adapters.mcp import memory_server
from s3memory.testing import ScriptedMessagesAPI, ToolCall, Turn

pytestmark = pytest.mark.anyio

NOTE = "/memories/note.md"
SCRIPT = [
    Turn(
        "I write it down.",
        [
            {"command": "create", "path": NOTE, "file_text": "one\n"},
            {"command": "str_replace", "path": NOTE, "old_str": "one", "new_str": "two"},
            {"command": "insert", "path": NOTE, "insert_line": 1, "insert_text": "three"},
            {"command": "view", "path": "/memories/missing"},
        ],
    ),
    Turn("Done."),
]
REQUEST: dict[str, Any] = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 1_024,
    "messages": [{"role": "user", "content": "Note this."}],
}


@pytest.fixture
def memory(make_commands: MakeCommands) -> MemoryCommands:
    """An empty memory."""
    return make_commands(s3_client=InMemoryS3().client())


def hold(api: ScriptedMessagesAPI, memory: MemoryCommands) -> None:
    """All calls of a turn were carried out, once and in their order."""
    assert [result.is_error for result in api.tool_results] == [False, False, False, True]
    assert memory.view(NOTE).endswith(":\n     1\ttwo\n     2\tthree\n     3\t")


@pytest.mark.parametrize("eagerly", [True, False])
def test_calls_of_a_streamed_turn_run_once_and_in_their_order(memory: MemoryCommands, *, eagerly: bool) -> None:
    tool = S3MemoryTool.from_commands(memory)
    with (
        ScriptedMessagesAPI(SCRIPT) as api,
        anthropic.Anthropic(api_key="offline", base_url=api.base_url) as client,
    ):
        runner = client.beta.messages.tool_runner(**REQUEST, tools=[tool], stream=True, run_tools_eagerly=eagerly)
        assert [stream.get_final_message().stop_reason for stream in runner] == ["tool_use", "end_turn"]
    hold(api, memory)


@pytest.mark.parametrize("eagerly", [True, False])
async def test_they_do_in_the_async_runner_as_well(memory: MemoryCommands, *, eagerly: bool) -> None:
    tool = AsyncS3MemoryTool.from_commands(memory)
    with ScriptedMessagesAPI(SCRIPT) as api:
        async with anthropic.AsyncAnthropic(api_key="offline", base_url=api.base_url) as client:
            runner = client.beta.messages.tool_runner(**REQUEST, tools=[tool], stream=True, run_tools_eagerly=eagerly)
            reasons = [(await stream.get_final_message()).stop_reason async for stream in runner]
    assert reasons == ["tool_use", "end_turn"]
    hold(api, memory)


async def test_the_mcp_tools_work_in_the_sdks_runner(memory: MemoryCommands) -> None:
    calls = [
        ToolCall({name: value for name, value in call.input.items() if name != "command"}, f"memory_{command}")
        for call in SCRIPT[0].calls
        for command in [call.input["command"]]
    ]
    with ScriptedMessagesAPI([Turn(tool_calls=calls), Turn("Done.")], require_memory_tool=False) as api:
        async with (
            Client(memory_server(memory)) as mcp,
            anthropic.AsyncAnthropic(api_key="offline", base_url=api.base_url) as client,
        ):
            tools = [async_mcp_tool(tool, mcp.session, strict=True) for tool in (await mcp.list_tools()).tools]
            await client.beta.messages.tool_runner(**REQUEST, tools=tools).until_done()
    hold(api, memory)
    assert all(tool["strict"] for tool in api.requests[0].body["tools"])


@pytest.mark.parametrize("kind", [S3MemoryTool, AsyncS3MemoryTool])
def test_a_tool_is_declared_with_the_fields_that_the_sdks_class_does_not_take(
    memory: MemoryCommands, kind: type[S3MemoryTool | AsyncS3MemoryTool]
) -> None:
    plain = kind.from_commands(memory, cache_control={"type": "ephemeral"})
    example: dict[str, object] = {"command": "view", "path": "/memories"}
    tool = plain.with_wire_fields(strict=True, defer_loading=True).with_wire_fields(
        allowed_callers=["direct"], input_examples=[example]
    )
    declared = {"type": "memory_20250818", "name": "memory", "cache_control": {"type": "ephemeral"}}
    assert plain.to_dict() == declared
    assert tool.to_dict() == {
        **declared,
        "strict": True,
        "defer_loading": True,
        "allowed_callers": ["direct"],
        "input_examples": [example],
    }
    with pytest.raises(TypeError, match="no such field of a tool: stict"):
        plain.with_wire_fields(stict=True)  # type: ignore[call-arg]


def test_the_runner_sends_the_fields(memory: MemoryCommands) -> None:
    tool = S3MemoryTool.from_commands(memory).with_wire_fields(strict=True)
    with (
        ScriptedMessagesAPI(SCRIPT) as api,
        anthropic.Anthropic(api_key="offline", base_url=api.base_url) as client,
    ):
        client.beta.messages.tool_runner(**REQUEST, tools=[tool]).until_done()
    hold(api, memory)
    assert api.requests[0].body["tools"] == [{"type": "memory_20250818", "name": "memory", "strict": True}]
