"""Search as a second tool for the SDK's tool runners: `search_tool`, and `async_search_tool` for the async runner."""

from __future__ import annotations

from typing import Final

from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool, BetaBuiltinFunctionTool, ToolError
from anthropic.types.beta import BetaCacheControlEphemeralParam, BetaToolParam

from s3memory._arguments import checking
from s3memory.adapters.anthropic import BREAKPOINT
from s3memory.adapters.command_threads import on_thread
from s3memory.commands import MemoryCommands, check_commands
from s3memory.contract.error_boundary import guarded
from s3memory.contract.inputs import SEARCH, schema_of

NAME = "memory_search"
DESCRIPTION = (
    "Search the memory directory for a text, and get the lines that hold it, each as `path:line: text`. The text is "
    "taken as it is; upper and lower case make no difference. Hidden items and node_modules are left out. Use it to "
    "find what you noted earlier when you do not know in which file, then view that file."
)
INPUT_SCHEMA: Final = schema_of(SEARCH)


class _Searching:
    """What both tools share."""

    def __init__(self, commands: MemoryCommands, cache_control: BetaCacheControlEphemeralParam | None) -> None:
        check_commands(commands, taken_by="a search tool")
        self._commands = commands
        self._cache_control = cache_control

    def to_dict(self) -> BetaToolParam:
        """Return the tool's declaration for the Messages API."""
        tool: BetaToolParam = {"name": NAME, "description": DESCRIPTION, "input_schema": INPUT_SCHEMA}
        if self._cache_control is not None:
            tool["cache_control"] = self._cache_control
        return tool

    def _run(self, sent: object) -> str:
        return guarded(self._commands.call_search, sent, error=ToolError)


class _SearchTool(_Searching, BetaBuiltinFunctionTool):
    def call(self, input: object) -> str:  # noqa: A002 - the SDK's name
        """Search. Raises `ToolError` with the text for the model, and nothing else."""
        return self._run(input)


class _AsyncSearchTool(_Searching, BetaAsyncBuiltinFunctionTool):
    async def call(self, input: object) -> str:  # noqa: A002 - the SDK's name
        """Search on another thread. Raises `ToolError` with the text for the model, and nothing else."""
        return await on_thread(self._run, input)


@checking(cache_control=BREAKPOINT)
def search_tool(
    commands: MemoryCommands, *, cache_control: BetaCacheControlEphemeralParam | None = None
) -> BetaBuiltinFunctionTool:
    """Return a tool for `anthropic.Anthropic`'s tool runner that searches a memory, in addition to the memory tool.

    Args:
        commands: the memory to search.
        cache_control: a cache breakpoint at the tool, as in the Messages API.

    Raises:
        ConfigurationError: `commands` is not a `MemoryCommands`.
    """
    return _SearchTool(commands, cache_control)


@checking(cache_control=BREAKPOINT)
def async_search_tool(
    commands: MemoryCommands, *, cache_control: BetaCacheControlEphemeralParam | None = None
) -> BetaAsyncBuiltinFunctionTool:
    """Return the same for `anthropic.AsyncAnthropic`'s tool runner. A search that has begun is finished by its thread.

    Args:
        commands: the memory to search.
        cache_control: as for `search_tool`.
    """
    return _AsyncSearchTool(commands, cache_control)
