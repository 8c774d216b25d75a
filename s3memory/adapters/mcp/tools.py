"""The tools, one a command: what clients see of each, and the command that it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from mcp_types import Tool, ToolAnnotations

from s3memory.contract import inputs, messages
from s3memory.errors import InvalidInputError
from s3memory.paths import shown

_PREFIX = "memory_"


class Commands(Protocol):
    """What the tools call: `MemoryCommands`, or what stands in its place."""

    def call(self, tool_input: object, /) -> str:
        """Carry out one of the six commands."""

    def call_search(self, tool_input: object, /) -> str:
        """Carry out a search."""


class _Row(NamedTuple):
    command: str
    title: str
    description: str
    parameters: Mapping[str, str | Mapping[str, Any]]
    """What is told of each; the contract knows their types."""
    is_destructive: bool | None
    """Whether a call can take away what is stored; `None` for one that changes nothing."""


_PATH = "A path that begins with /memories, such as /memories/notes.md"

_ROWS = (
    _Row(
        inputs.VIEW,
        "View memory",
        "Show a directory's contents, two levels deep, or a file with line numbers. Begin with /memories.",
        {
            "path": _PATH,
            "view_range": {
                "minItems": 2,
                "maxItems": 2,
                "description": "Of a file: the first and the last line to show, from 1. -1 as the last means the end.",
            },
        },
        is_destructive=None,
    ),
    _Row(
        inputs.SEARCH,
        "Search memory",
        "Find the lines that contain a text, in any file below a path. Upper and lower case are the same.",
        {
            "query": {"description": "The text to look for, as it is: no pattern", "minLength": 1},
            "path": "A file or directory to search. Default: /memories",
        },
        is_destructive=None,
    ),
    _Row(
        inputs.CREATE,
        "Create memory file",
        "Store a new file.",
        {"path": _PATH, "file_text": "The whole text of the file"},
        is_destructive=False,
    ),
    _Row(
        inputs.STR_REPLACE,
        "Edit memory file",
        "Replace a text that occurs once in a file.",
        {
            "path": _PATH,
            "old_str": "The text to replace, exactly as it stands in the file",
            "new_str": "What to put in its place. Left out: nothing, so that the text is removed",
        },
        is_destructive=True,
    ),
    _Row(
        inputs.INSERT,
        "Insert into memory file",
        "Insert text into a file after a line.",
        {
            "path": _PATH,
            "insert_line": {"minimum": 0, "description": "The line to insert after; 0 is the top"},
            "insert_text": "The text to insert",
        },
        is_destructive=False,
    ),
    _Row(
        inputs.DELETE,
        "Delete memory",
        "Delete a file, or a directory with everything below it.",
        {"path": _PATH},
        is_destructive=True,
    ),
    _Row(
        inputs.RENAME,
        "Rename memory",
        "Move or rename a file or directory. The new path must not exist yet.",
        {"old_path": _PATH, "new_path": _PATH},
        is_destructive=True,
    ),
)

_BY_NAME = {_PREFIX + row.command: row for row in _ROWS}


def listed_tools(*, read_only: bool, overwrites: bool) -> list[Tool]:
    """Return the tools as clients see them: without those that change something, or with a `create` that overwrites."""
    return [
        Tool(
            name=name,
            title=row.title,
            description=row.description,
            input_schema=inputs.schema_of(row.command, row.parameters),
            annotations=ToolAnnotations(
                read_only_hint=row.is_destructive is None,
                destructive_hint=bool(row.is_destructive) or (row.command == inputs.CREATE and overwrites),
                open_world_hint=False,
            ),
        )
        for name, row in _offered(read_only=read_only).items()
    ]


def run_tool(commands: Commands, name: str, arguments: Mapping[str, Any], *, read_only: bool) -> str:
    """Carry out a call of a tool, with arguments that nobody has checked yet.

    Raises:
        InvalidInputError: there is no such tool, or an argument is missing, unknown or of the wrong type.
        ReadOnlyError: it is not among those that are listed where `read_only`.
        S3MemoryError: what the command raises.
    """
    offered = _offered(read_only=read_only)
    if name not in _BY_NAME:
        raise InvalidInputError(f"Unknown tool {shown(name)}. The tools are: {', '.join(offered)}")
    if name not in offered:
        raise messages.read_only()
    command = offered[name].command
    if "command" in arguments:  # the tool names it
        raise InvalidInputError(f"Unknown parameter `command` for {command}")
    if command == inputs.SEARCH:
        return commands.call_search(arguments)
    return commands.call({**arguments, "command": command})


def _offered(*, read_only: bool) -> dict[str, _Row]:
    return {name: row for name, row in _BY_NAME.items() if not read_only or row.is_destructive is None}
