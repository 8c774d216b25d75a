"""The MCP tools, through the official client in this process: what is told of them, and what they answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from conftest import MakeCommands
from jsonschema import Draft202012Validator, ValidationError
from mcp import Client
from mcp_types import Tool
from support.memory_s3 import InMemoryS3

from s3memory import LocalKeyWrapper, MemoryCommands
from s3memory.adapters.mcp import memory_server
from s3memory.adapters.mcp.settings import Tenants
from s3memory.contract.error_boundary import run_guarded
from s3memory.errors import ConfigurationError

pytestmark = pytest.mark.anyio

NOTE = "/memories/note.md"
READING = {"memory_view", "memory_search"}
DESTRUCTIVE = {"memory_str_replace", "memory_delete", "memory_rename"}
ADDING = {"memory_create", "memory_insert"}
GOOD: dict[str, dict[str, Any]] = {
    "memory_view": {"path": NOTE, "view_range": [1, -1]},
    "memory_search": {"query": "milk", "path": "/memories"},
    "memory_create": {"path": "/memories/new.md", "file_text": "x"},
    "memory_str_replace": {"path": NOTE, "old_str": "milk", "new_str": "tea"},
    "memory_insert": {"path": NOTE, "insert_line": 0, "insert_text": "first"},
    "memory_delete": {"path": NOTE},
    "memory_rename": {"old_path": NOTE, "new_path": "/memories/other.md"},
}


@pytest.fixture
def memory(make_commands: MakeCommands) -> MemoryCommands:
    """A memory of one note."""
    commands = make_commands(s3_client=InMemoryS3().client())
    commands.create(NOTE, "milk\neggs\n")
    return commands


async def listed(memory: MemoryCommands, **more: bool) -> dict[str, Tool]:
    async with Client(memory_server(memory, **more)) as client:
        return {tool.name: tool for tool in (await client.list_tools()).tools}


async def called(memory: MemoryCommands, name: str, arguments: Mapping[str, Any], **more: bool) -> tuple[str, bool]:
    async with Client(memory_server(memory, **more)) as client:
        result = await client.call_tool(name, dict(arguments))
    assert len(result.content) == 1
    assert result.content[0].type == "text"
    assert result.structured_content is None
    return result.content[0].text, result.is_error


async def test_there_is_a_tool_for_each_command_and_one_that_searches(memory: MemoryCommands) -> None:
    tools = await listed(memory)
    assert tools.keys() == READING | DESTRUCTIVE | ADDING
    assert all(tool.title and tool.description for tool in tools.values())
    assert len({tool.title for tool in tools.values()}) == len(tools)


async def test_hints_say_what_reads_what_adds_and_what_takes_away(memory: MemoryCommands) -> None:
    tools = await listed(memory)
    hints = {name: tool.annotations for name, tool in tools.items()}
    assert {name for name, hint in hints.items() if hint and hint.read_only_hint} == READING
    assert {name for name, hint in hints.items() if hint and hint.destructive_hint} == DESTRUCTIVE
    assert all(hint and hint.destructive_hint is False for name, hint in hints.items() if name in ADDING | READING)
    assert all(hint and hint.open_world_hint is False for hint in hints.values())


async def test_where_create_overwrites_it_is_destructive(memory: MemoryCommands) -> None:
    create = (await listed(memory, overwrites=True))["memory_create"]
    assert create.annotations is not None
    assert create.annotations.destructive_hint is True


@pytest.mark.parametrize("name", sorted(GOOD))
async def test_schemas_take_what_the_command_takes_and_nothing_else(memory: MemoryCommands, name: str) -> None:
    schema = (await listed(memory))[name].input_schema
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    validator.validate(GOOD[name])
    for missing in schema["required"]:
        with pytest.raises(ValidationError):
            validator.validate({key: value for key, value in GOOD[name].items() if key != missing})
    for key in GOOD[name]:
        with pytest.raises(ValidationError):
            validator.validate(GOOD[name] | {key: {"not": "this"}})
    with pytest.raises(ValidationError):
        validator.validate(GOOD[name] | {"command": "delete"})
    # As strict tools send them: all parameters, and a null for what is left out.
    left_out = dict.fromkeys(schema["properties"].keys() - schema["required"])
    validator.validate(GOOD[name] | left_out)
    text, is_error = await called(memory, name, GOOD[name])
    assert not is_error, text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_results_are_the_contracts_own_texts(memory: MemoryCommands, mode: str) -> None:
    async with Client(memory_server(memory), mode=mode) as client:
        done = await client.call_tool("memory_create", {"path": "/memories/a.md", "file_text": "one"})
        shown = await client.call_tool("memory_view", {"path": "/memories/a.md"})
        again = await client.call_tool("memory_create", {"path": "/memories/a.md", "file_text": "two"})
    assert [getattr(result.content[0], "text", None) for result in (done, shown, again)] == [
        "File created successfully at: /memories/a.md",
        "Here's the content of /memories/a.md with line numbers:\n     1\tone",
        "Error: File /memories/a.md already exists",
    ]
    assert [result.is_error for result in (done, shown, again)] == [False, False, True]


async def test_a_search_shows_lines_with_their_places(memory: MemoryCommands) -> None:
    assert await called(memory, "memory_search", {"query": "MILK"}) == (memory.search("milk"), False)
    assert f"{NOTE}:1: milk" in memory.search("milk")


HOSTILE: list[tuple[str, dict[str, Any], str]] = [
    ("memory_view", {}, "Error: Missing required parameter `path` for view"),
    ("memory_view", {"path": None}, "Error: Missing required parameter `path` for view"),
    ("memory_view", {"path": 7}, "Error: Invalid `path` parameter: it must be a string"),
    ("memory_view", {"path": ["/memories"]}, "Error: Invalid `path` parameter: it must be a string"),
    ("memory_view", {"path": "/memories", "x": 1}, "Error: Unknown parameter `x` for view. It takes: `path`, `view_range`"),
    ("memory_view", {"path": NOTE, "view_range": [0, 1]}, "Error: Invalid `view_range` parameter: [0, 1]. It should begin within the range of lines of the file: [1, 3]"),
    ("memory_view", {"path": NOTE, "view_range": [10**5000, 1]}, "Error: Invalid `view_range` parameter: [a number of more than 18 digits, 1]. It should begin within the range of lines of the file: [1, 3]"),
    ("memory_view", {"path": NOTE, "view_range": "12"}, "Error: Invalid `view_range` parameter: it must be a list of two integers"),
    ("memory_view", {"path": "/etc/passwd"}, "Path must start with /memories, got: /etc/passwd"),
    ("memory_view", {"path": "/memories/../etc"}, "Path /memories/../etc would escape /memories directory"),
    ("memory_view", {"path": NOTE, "command": "delete"}, "Error: Unknown parameter `command` for view"),
    ("memory_view", {"path": NOTE, "command": None}, "Error: Unknown parameter `command` for view"),
    ("memory_delete", {"path": "/memories"}, "Cannot delete the /memories directory itself"),
    ("memory_insert", {"path": NOTE, "insert_line": "1", "insert_text": "x"}, "Error: Invalid `insert_line` parameter: it must be an integer"),
    ("memory_insert", {"path": NOTE, "insert_line": True, "insert_text": "x"}, "Error: Invalid `insert_line` parameter: it must be an integer"),
    ("memory_insert", {"path": NOTE, "insert_line": 1.5, "insert_text": "x"}, "Error: Invalid `insert_line` parameter: it must be an integer"),
    ("memory_create", {"path": "/memories/a\x00b", "file_text": "x"}, "Error: Invalid path /memories/a\\x00b: it holds the character U+0000, which is not allowed in a path"),
    ("memory_search", {}, "Error: Missing required parameter `query` for search"),
    ("memory_search", {"query": 1}, "Error: Invalid `query` parameter: it must be a string"),
    ("memory_search", {"query": "a", "x": 1}, "Error: Unknown parameter `x` for search. It takes: `query`, `path`"),
    ("memory_search", {"query": ""}, "Error: Invalid `query` parameter: it must not be empty"),
    ("memory_search", {"query": "a", "path": "/etc"}, "Path must start with /memories, got: /etc"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "text"), HOSTILE, ids=range(len(HOSTILE)))
async def test_arguments_that_no_schema_allows_get_the_contracts_errors(
    memory: MemoryCommands, name: str, arguments: dict[str, Any], text: str
) -> None:
    assert await called(memory, name, arguments) == (text, True)
    assert memory.view(NOTE).endswith("eggs\n     3\t")


async def test_a_text_that_is_too_large_is_refused_as_the_contract_says(memory: MemoryCommands) -> None:
    text, is_error = await called(memory, "memory_create", {"path": "/memories/b", "file_text": "x" * 200_000})
    assert is_error
    assert "102400 bytes" in text


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("name", ["memory_format", "view", "", "MEMORY_VIEW", "memory_view\n", "x" * 10_000])
async def test_a_tool_that_is_not_there_is_named_with_those_that_are(
    memory: MemoryCommands, name: str, *, read_only: bool
) -> None:
    text, is_error = await called(memory, name, {"path": NOTE}, read_only=read_only)
    assert is_error
    assert text.startswith("Error: Unknown tool ")
    assert text.endswith("The tools are: " + ", ".join(await listed(memory, read_only=read_only)))
    assert len(text) < 1_500


async def test_a_server_that_is_read_only_lists_what_reads_and_refuses_the_rest(memory: MemoryCommands) -> None:
    assert (await listed(memory, read_only=True)).keys() == READING
    for name in sorted(ADDING | DESTRUCTIVE):
        expected = ("Error: This memory is read-only. Nothing was changed.", True)
        assert await called(memory, name, GOOD[name], read_only=True) == expected
    text, is_error = await called(memory, "memory_view", {"path": NOTE}, read_only=True)
    assert (text, is_error) == (memory.view(NOTE), False)


class Failing:
    """A memory whose parts know secrets."""

    def call(self, _: object, /) -> str:
        raise RuntimeError("arn:aws:s3:::secret-bucket")

    def call_search(self, tool_input: object, /) -> str:
        raise KeyError(f"secret-bucket {tool_input}")


@pytest.mark.parametrize("name", ["memory_view", "memory_search"])
async def test_what_else_is_raised_reaches_nobody(name: str, caplog: pytest.LogCaptureFixture) -> None:
    async with Client(memory_server(Failing())) as client:
        result = await client.call_tool(name, GOOD[name])
    assert result.is_error
    assert "internal error" in str(result.content)
    assert "secret-bucket" not in str(result) + caplog.text


async def test_calls_of_one_client_are_carried_out_in_their_order(memory: MemoryCommands) -> None:
    texts: dict[int, str] = {}
    async with Client(memory_server(memory), mode="legacy") as client, anyio.create_task_group() as tasks:

        async def call(number: int) -> None:
            name, more = ("memory_create", {"file_text": "0"}) if number == 0 else ("memory_str_replace", {})
            if number:
                more = {"old_str": str(number - 1), "new_str": str(number)}
            result = await client.call_tool(name, {"path": "/memories/counted", **more})
            texts[number] = str(result.content)

        for number in range(20):
            tasks.start_soon(call, number)
    assert memory.view("/memories/counted").endswith("\t19"), texts


async def test_a_tenant_of_a_token_that_is_mounted_already_is_told_at_its_first_request() -> None:
    # Whatever tenants are mounted, a server starts.
    tenants = Tenants(
        {
            "S3MEMORY_BUCKET": "agent-memory",
            "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text(),
            "S3MEMORY_MOUNTS": "/memories/a=any,/memories/b=any0,/memories/team=team",
        }
    )
    assert tenants.commands_for("acme").store.tenant == "acme"
    with pytest.raises(ConfigurationError, match=r"^S3MEMORY_MOUNTS: the same tenant's memory is at /memories and at"):
        tenants.commands_for("team")
    text, is_error = run_guarded(lambda: tenants.commands_for("team").view("/memories"))
    assert is_error
    assert text.startswith("Error: The memory is misconfigured")
