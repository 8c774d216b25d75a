"""`S3MemoryTool` and `AsyncS3MemoryTool`: the memory tool for Anthropic's SDK.

A tool raises `ToolError` and nothing else: any other exception would reach the model as its ``repr``, with bucket
names, object keys and ARNs. It is raised without its cause, so that a logged traceback does not show them either.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import partial
from typing import Literal, Self, TypedDict, Unpack

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaCacheControlEphemeralParam,
    BetaMemoryTool20250818Command,
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818Param,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from s3memory._arguments import FLAG, Takes, checking
from s3memory.adapters.command_threads import on_thread
from s3memory.commands import MemoryCommands, check_commands
from s3memory.config.hidden_values import hidden
from s3memory.contract.error_boundary import guarded
from s3memory.store.memory_store import MemoryStore
from s3memory.store.options import SettingsOverrides, StoreOptions, passing_options_to

BREAKPOINT = Takes(
    lambda value: isinstance(value, Mapping) and "type" in value, 'be a cache breakpoint such as {"type": "ephemeral"}'
).or_none()
"""The valid values of `cache_control`."""

_guarded = partial(guarded, error=ToolError)

Caller = Literal["direct", "code_execution_20250825", "code_execution_20260120", "code_execution_20260521"]


class WireFields(TypedDict, total=False):
    """The fields of a memory tool in the Messages API, besides a cache breakpoint.

    Attributes:
        strict: have the API make Claude's calls conform to the tool's schema.
        defer_loading: keep the tool out of the prompt until a tool search finds it.
        allowed_callers: who may call it: Claude directly, or code that Claude runs.
        input_examples: example calls.
    """

    strict: bool
    defer_loading: bool
    allowed_callers: list[Caller]
    input_examples: list[dict[str, object]]


class _MemoryTool:
    """What both tools share: their constructors, and calls with the SDK's types."""

    _wire_fields: WireFields = {}  # noqa: RUF012 - never changed, only replaced

    @passing_options_to(MemoryStore)
    @checking(overwrite=FLAG, cache_control=BREAKPOINT)
    def __init__(
        self,
        *,
        overwrite: bool = False,
        cache_control: BetaCacheControlEphemeralParam | None = None,
        **options: Unpack[StoreOptions],
    ) -> None:
        super().__init__(cache_control=cache_control)  # type: ignore[call-arg]  # the SDK's class comes next in line
        self.commands = MemoryCommands(MemoryStore(**options), overwrite=overwrite)

    @classmethod
    @checking(cache_control=BREAKPOINT)
    def from_commands(
        cls, commands: MemoryCommands, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> Self:
        """Make a tool over existing commands.

        Raises:
            ConfigurationError: `commands` are not commands, or `cache_control` is not a cache breakpoint.
        """
        check_commands(commands, taken_by=cls.__name__)
        tool = cls.__new__(cls)
        super(_MemoryTool, tool).__init__(cache_control=cache_control)  # type: ignore[call-arg]  # as above
        tool.commands = commands
        return tool

    @classmethod
    @passing_options_to(MemoryStore.from_settings)
    def from_env(
        cls,
        *,
        environ: Mapping[str, str] | None = None,
        cache_control: BetaCacheControlEphemeralParam | None = None,
        **overrides: Unpack[SettingsOverrides],
    ) -> Self:
        """Make a tool from ``S3MEMORY_*`` variables, as `MemoryCommands.from_env` does.

        Raises:
            ConfigurationError: a variable is missing, malformed, unknown or contradicts another; the text names it.
        """
        environ = hidden(environ)
        commands = MemoryCommands.from_env(environ=environ, **overrides)
        return cls.from_commands(commands, cache_control=cache_control)

    def with_wire_fields(self, **fields: Unpack[WireFields]) -> Self:
        """Return the same tool, declared to the API with further fields: ``tool.with_wire_fields(strict=True)``.

        The SDK's own class takes only a cache breakpoint. The fields are the Messages API's, as for other tools.

        Raises:
            TypeError: a field is not one of `WireFields`.
        """
        unknown = fields.keys() - WireFields.__annotations__.keys()
        if unknown:
            raise TypeError(f"no such field of a tool: {', '.join(sorted(unknown))}")
        tool = copy(self)
        tool._wire_fields = {**self._wire_fields, **fields}  # noqa: SLF001 - its own
        return tool

    def to_dict(self) -> BetaMemoryTool20250818Param:
        """Return the tool's declaration for the Messages API."""
        declared: BetaMemoryTool20250818Param = super().to_dict()  # type: ignore[misc]  # the SDK's class comes next
        return {**declared, **self._wire_fields}

    def _call_typed(self, command: BetaMemoryTool20250818Command, name: str | None = None) -> str:
        """Run a command in the SDK's types. Its fields have not been checked yet."""
        try:
            fields = dict(command)
        except (TypeError, ValueError):
            return self.commands.call(command)  # which refuses anything that is not an object
        return self.commands.call({**fields, **({"command": name} if name else {})})


class S3MemoryTool(_MemoryTool, BetaAbstractMemoryTool):
    """Claude's memory tool on an encrypted S3 bucket, for `anthropic.Anthropic`'s tool runner.

    IAM actions: those of `MemoryStore`.

    The constructor sends no request. Tools may be kept and shared between threads, or recreated for every request:
    clients and unwrapped keys are shared by the process.

    Args:
        options: as for `MemoryStore`.
        overwrite: let `create` replace an existing file instead of refusing.
        cache_control: a cache breakpoint at the tool, as in the Messages API.

    Raises:
        ConfigurationError: an argument is malformed.
    """

    def call(self, input: object) -> str:  # noqa: A002 - the SDK's name
        """Run a tool input. Raises `ToolError` with the text for the model, and nothing else."""
        return _guarded(self.commands.call, input)

    def execute(self, command: BetaMemoryTool20250818Command) -> str:
        """Run a command in the SDK's types."""
        return _guarded(self._call_typed, command)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """View a file or directory."""
        return _guarded(self._call_typed, command, "view")

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        return _guarded(self._call_typed, command, "create")

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace text in a file."""
        return _guarded(self._call_typed, command, "str_replace")

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert text into a file."""
        return _guarded(self._call_typed, command, "insert")

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or directory."""
        return _guarded(self._call_typed, command, "delete")

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a file or directory."""
        return _guarded(self._call_typed, command, "rename")

    def clear_all_memory(self) -> str:
        """Delete every memory of the tenant."""
        return _guarded(self.commands.clear)


class AsyncS3MemoryTool(_MemoryTool, BetaAsyncAbstractMemoryTool):
    """Claude's memory tool on an encrypted S3 bucket, for `anthropic.AsyncAnthropic`'s tool runner.

    The same as `S3MemoryTool`, but commands run on separate threads: up to 50 at once in the process, one for each
    connection. A command that has begun is finished by its thread, even if its task is cancelled; one that still waits
    for a thread is then not begun.

    Writes of large files let the event loop run within some 50 ms. Python's full garbage collection stops it, too, for
    some 0.1 s with the SDK's modules: a server should call ``gc.freeze()`` after its imports, so that it collects only
    later objects.
    """

    async def call(self, input: object) -> str:  # noqa: A002 - the SDK's name
        """Run a tool input. Raises `ToolError` with the text for the model, and nothing else."""
        return await on_thread(_guarded, self.commands.call, input)

    async def execute(self, command: BetaMemoryTool20250818Command) -> str:
        """Run a command in the SDK's types."""
        return await on_thread(_guarded, self._call_typed, command)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """View a file or directory."""
        return await on_thread(_guarded, self._call_typed, command, "view")

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        return await on_thread(_guarded, self._call_typed, command, "create")

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace text in a file."""
        return await on_thread(_guarded, self._call_typed, command, "str_replace")

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert text into a file."""
        return await on_thread(_guarded, self._call_typed, command, "insert")

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or directory."""
        return await on_thread(_guarded, self._call_typed, command, "delete")

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a file or directory."""
        return await on_thread(_guarded, self._call_typed, command, "rename")

    async def clear_all_memory(self) -> str:
        """Delete every memory of the tenant."""
        return await on_thread(_guarded, self.commands.clear)
