"""What models are told of parameters is said once, beside their types, and every adapter shows it."""

from __future__ import annotations

import inspect
from typing import Any

from s3memory import MemoryCommands, search_tool
from s3memory.adapters import pydantic_ai
from s3memory.adapters.mcp.tools import listed_tools
from s3memory.contract.inputs import COMMANDS, PARAMETERS, SEARCH, schema_of


def described(schema: Any) -> dict[str, str]:
    return {name: one["description"] for name, one in schema["properties"].items()}


def test_each_tool_of_mcp_shows_the_descriptions_of_its_command() -> None:
    tools = {tool.name.removeprefix("memory_"): tool for tool in listed_tools(read_only=False, overwrites=False)}
    assert tools.keys() == PARAMETERS.keys()
    for command, tool in tools.items():
        assert described(tool.input_schema) == described(schema_of(command))


def test_the_search_tool_shows_those_of_a_search(commands: MemoryCommands) -> None:
    tool: Any = search_tool(commands).to_dict()
    assert tool["input_schema"] == schema_of(SEARCH)


def test_the_one_tool_of_pydantic_ai_says_which_commands_a_parameter_is_for() -> None:
    properties = pydantic_ai.INPUT_SCHEMA["properties"]
    told = {name: one["description"] for name, one in properties.items() if name != "command"}
    assert told.keys() == {name for command in COMMANDS for name in PARAMETERS[command]}
    assert told["path"] == (
        "For view, create, str_replace, insert, delete: a path that begins with /memories, such as /memories/notes.md"
    )
    assert told["insert_line"] == "For insert: the line to insert after; 0 is the top"


def test_a_parameter_is_described_alike_for_all_commands_that_a_tool_may_have_in_one_schema() -> None:
    for name in {name for command in COMMANDS for name in PARAMETERS[command]}:
        assert len({PARAMETERS[command][name] for command in COMMANDS if name in PARAMETERS[command]}) == 1


def test_parameters_are_those_of_the_methods_by_name_and_by_whether_they_can_be_left_out() -> None:
    for command, parameters in PARAMETERS.items():
        _, *taken = inspect.signature(getattr(MemoryCommands, command)).parameters.values()
        needed = {one.name: one.default is inspect.Parameter.empty for one in taken}
        assert needed == {name: parameter.is_required for name, parameter in parameters.items()}
