"""The MCP tools, one for each command: what clients see of them, and how calls run the commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from mcp_types import Tool, ToolAnnotations

from s3memory.contract import inputs, messages
from s3memory.errors import InvalidInputError
from s3memory.paths import shown

_PREFIX = "memory_"


class Commands(Protocol):
    """The commands that the tools call: `MemoryCommands`, or an object with the same methods."""

    def call(self, tool_input: object, /) -> str:
        """Run one of the six commands."""

    def call_search(self, tool_input: object, /) -> str:
        """Run a search."""


class _Row(NamedTuple):
    command: str
    title: str
    description: str
    is_destructive: bool | None
    """Whether a call can remove stored text; `None` for a tool that changes nothing."""
    bounds: Mapping[str, Mapping[str, Any]] = {}
    """Bounds of values that its schema has in addition to the contract's."""


_ROWS = (
    _Row(
        inputs.VIEW,
        "View memory",
        "Show a directory's contents, two levels deep, or a file with line numbers. Begin with /memories.",
        is_destructive=None,
        bounds={"view_range": {"minItems": 2, "maxItems": 2}},
    ),
    _Row(
        inputs.SEARCH,
        "Search memory",
        "Find the lines that contain a text, in any file below a path. Upper and lower case are the same.",
        is_destructive=None,
        bounds={"query": {"minLength": 1}},
    ),
    _Row(
        inputs.CREATE,
        "Create memory file",
        "Store a new file.",
        is_destructive=False,
    ),
    _Row(
        inputs.STR_REPLACE,
        "Edit memory file",
        "Replace a text that occurs once in a file.",
        is_destructive=True,
    ),
    _Row(
        inputs.INSERT,
        "Insert into memory file",
        "Insert text into a file after a line.",
        is_destructive=False,
        bounds={"insert_line": {"minimum": 0}},
    ),
    _Row(
        inputs.DELETE,
        "Delete memory",
        "Delete a file, or a directory with everything below it.",
        is_destructive=True,
    ),
    _Row(
        inputs.RENAME,
        "Rename memory",
        "Move or rename a file or directory. The new path must not exist yet.",
        is_destructive=True,
    ),
)

_BY_NAME = {_PREFIX + row.command: row for row in _ROWS}


def listed_tools(*, read_only: bool, overwrites: bool) -> list[Tool]:
    """Return the tools as clients see them. `read_only` lists only those that change nothing; `overwrites` is shown."""
    return [
        Tool(
            name=name,
            title=row.title,
            description=row.description,
            input_schema=inputs.schema_of(row.command, row.bounds),
            annotations=ToolAnnotations(
                read_only_hint=row.is_destructive is None,
                destructive_hint=bool(row.is_destructive) or (row.command == inputs.CREATE and overwrites),
                open_world_hint=False,
            ),
        )
        for name, row in _offered(read_only=read_only).items()
    ]


def run_tool(commands: Commands, name: str, arguments: Mapping[str, Any], *, read_only: bool) -> str:
    """Run a call of a tool, whose arguments have not been checked yet.

    Raises:
        InvalidInputError: there is no such tool, or an argument is missing, unknown or of the wrong type.
        ReadOnlyError: with `read_only`, the tool is not listed.
        S3MemoryError: as raised by the command.
    """
    offered = _offered(read_only=read_only)
    if name not in _BY_NAME:
        raise InvalidInputError(f"Unknown tool {shown(name)}. The tools are: {', '.join(offered)}")
    if name not in offered:
        raise messages.read_only()
    command = offered[name].command
    if "command" in arguments:  # the tool determines it
        raise InvalidInputError(f"Unknown parameter `command` for {command}")
    if command == inputs.SEARCH:
        return commands.call_search(arguments)
    return commands.call({**arguments, "command": command})


def _offered(*, read_only: bool) -> dict[str, _Row]:
    return {name: row for name, row in _BY_NAME.items() if not read_only or row.is_destructive is None}
