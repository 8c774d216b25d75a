"""The memory tool in an agent of pydantic-ai, with the real framework and models that follow a script."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from conftest import MakeCommands
from pydantic_ai import Agent
from pydantic_ai.capabilities import NativeTool
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.native_tools import MemoryTool
from pydantic_ai.providers.anthropic import AnthropicProvider
from support.recorder import Recorder

from s3memory import MemoryCommands
from s3memory.adapters.pydantic_ai import memory_tool
from s3memory.audit import Outcome
from s3memory.testing import ScriptedMessagesAPI, Turn

Calls = list[list[dict[str, Any] | str]]


def results(messages: list[ModelMessage]) -> list[str]:
    return [str(part.content) for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


def scripted(turns: Calls) -> FunctionModel:
    """Return a model that calls the memory tool, some calls in each turn, and then ends."""
    left = iter(turns)

    def answer(_messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert [tool.name for tool in info.function_tools] == ["memory"]
        calls = next(left, None)
        return ModelResponse([TextPart("Done.")] if calls is None else [ToolCallPart("memory", call) for call in calls])

    return FunctionModel(answer)


def run(commands: MemoryCommands, turns: Calls) -> list[str]:
    ended = asyncio.run(Agent(scripted(turns), tools=[memory_tool(commands)]).run("Go on."))
    assert ended.output == "Done."
    return results(ended.all_messages())


def test_each_command_answers_with_the_contracts_text(commands: MemoryCommands) -> None:
    note = "/memories/a.md"
    told = run(
        commands,
        [
            [{"command": "create", "path": note, "file_text": "tea\n"}],
            [{"command": "view", "path": note}],
            [{"command": "rename", "old_path": note, "new_path": "/memories/b.md"}],
        ],
    )
    assert told[0] == f"File created successfully at: {note}"
    assert told[1].endswith("     1\ttea\n     2\t")
    assert told[2] == f"Successfully renamed {note} to /memories/b.md"


def test_routine_errors_reach_the_model_and_end_no_run_however_many(commands: MemoryCommands) -> None:
    bad: list[dict[str, Any]] = [
        {"command": "view", "path": "/memories/none.md"},
        {"command": "view"},
        {"command": "format"},
        {"path": "/etc"},
        {},
        {"command": "view", "path": ["x"], "self": 1},
    ]
    told = run(commands, [[call] for call in bad * 2])
    assert len(told) == 12
    assert told[0] == "The path /memories/none.md does not exist. Please provide a valid path."
    assert told[1] == "Error: Missing required parameter `path` for view"


@pytest.mark.parametrize(
    "sent",
    ["[]", '"view"', "null", "5", '{"command": "create", "file_text": "a long te', "[" * 100_000],
    ids=["a list", "a text", "null", "a number", "cut off", "very deep"],
)
def test_arguments_that_are_no_object_are_told_as_such_and_end_no_run(make_commands: MakeCommands, sent: str) -> None:
    recorder = Recorder()
    told = run(make_commands(auditor=recorder), [[sent]] * 3)
    advice = "If they were cut off, write less at once. Nothing was changed."
    assert told == [f"Error: The arguments are not a complete JSON object. {advice}"] * 3
    assert [(one.operation, one.outcome) for one in recorder.events] == [("call", Outcome.REFUSED)] * 3


@pytest.mark.parametrize("sent", ["", '{"insert_line": ' + "9" * 5_000 + "}"], ids=["nothing", "many digits"])
def test_arguments_without_a_command_end_no_run(commands: MemoryCommands, sent: str) -> None:
    unknown = "Error: Unknown command. The commands are: view, create, str_replace, insert, delete, rename"
    assert run(commands, [[sent]] * 3) == [unknown] * 3


def test_a_lone_surrogate_gets_the_contracts_error(commands: MemoryCommands) -> None:
    sent = r'{"command": "create", "path": "/memories/a.md", "file_text": "\ud800"}'
    told = run(commands, [[sent]] * 3)
    assert told == ["Error: Invalid `file_text` parameter: it holds a lone surrogate, which is not a character"] * 3


def test_calls_of_one_turn_are_carried_out_in_their_order(commands: MemoryCommands) -> None:
    first: dict[str, Any] = {"command": "create", "path": "/memories/a.md", "file_text": "1\n"}
    more = [
        {"command": "insert", "path": "/memories/a.md", "insert_line": n, "insert_text": f"{n + 1}"} for n in (1, 2, 3)
    ]
    told = run(commands, [[first, *more]])
    assert all("Error" not in text for text in told)
    assert commands.view("/memories/a.md").endswith("     1\t1\n     2\t2\n     3\t3\n     4\t4\n     5\t")


def test_claude_gets_its_own_memory_tool(commands: MemoryCommands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    note = {"command": "create", "path": "/memories/a.md", "file_text": "tea"}

    async def converse(url: str) -> str:
        from anthropic import AsyncAnthropic  # noqa: PLC0415 - of this test alone

        async with AsyncAnthropic(api_key="offline", base_url=url) as client:
            model = AnthropicModel("claude-sonnet-5-5", provider=AnthropicProvider(anthropic_client=client))
            agent = Agent(model, tools=[memory_tool(commands)], capabilities=[NativeTool(MemoryTool())])
            return (await agent.run("I drink tea.")).output

    with ScriptedMessagesAPI([Turn("", [note]), Turn("Noted.")]) as claude:
        assert asyncio.run(converse(claude.base_url)) == "Noted."
        assert [(one.text, one.is_error) for one in claude.tool_results] == [
            ("File created successfully at: /memories/a.md", False)
        ]
