"""The MCP servers: one serves a single memory, the other the memory of each request's tenant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version
from typing import Any

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, TextContent

from s3memory.adapters.mcp.deadlines import end_in
from s3memory.adapters.mcp.tools import Commands, listed_tools, run_tool
from s3memory.commands import check_commands
from s3memory.contract.error_boundary import run_guarded

ENDPOINT = "/mcp"
"""The path of the server over HTTP."""

TENANT = "s3memory.tenant"
ARGUMENTS = "s3memory.arguments"
"""The keys in a request's scope for the tenant, and for arguments that the transport can't parse."""

MAX_THREADS = 32
"""How many commands run at once: no more than an AWS client has connections."""

_INSTRUCTIONS = (
    "A memory of text files below /memories that outlasts this conversation. Look at it with memory_view before you "
    "begin, and keep in it what later conversations will need."
)

Context = ServerRequestContext[Any]


def memory_server(commands: Commands, *, read_only: bool = False, overwrites: bool = False) -> Server[Any]:
    """Return a server for one memory. Calls run one after another, in the order in which they arrive.

    Args:
        commands: the memory.
        read_only: list only the tools that view and search, and refuse the others.
        overwrites: whether `create` replaces an existing file. Clients see this in the tool's annotations.

    Raises:
        ConfigurationError: `commands` are not commands.
    """
    check_commands(commands, taken_by="memory_server")
    return _server(lambda _: commands, read_only=read_only, overwrites=overwrites, threads=1)


def tenants_server(
    commands_for: Callable[[str], Commands], *, read_only: bool = False, overwrites: bool = False, call_seconds: float
) -> Server[Any]:
    """Return a server for the memory of each request's tenant, which `http_app` puts into the scope.

    Args:
        commands_for: returns the memory of a tenant. It is called for each call of a tool, and must send no request.
        read_only: as for `memory_server`.
        overwrites: as for `memory_server`.
        call_seconds: how long a call may take.
    """

    def commands_of(context: Context) -> Commands:
        request: Any = context.request
        return commands_for(request.scope[TENANT])

    return _server(
        commands_of, read_only=read_only, overwrites=overwrites, threads=MAX_THREADS, call_seconds=call_seconds
    )


def _server(
    commands_of: Callable[[Context], Commands],
    *,
    read_only: bool,
    overwrites: bool,
    threads: int,
    call_seconds: float | None = None,
) -> Server[Any]:
    listed = ListToolsResult(tools=listed_tools(read_only=read_only, overwrites=overwrites))
    limiter = CapacityLimiter(threads)

    def run(context: Context, name: str, arguments: Mapping[str, Any]) -> str:
        return run_tool(commands_of(context), name, arguments, read_only=read_only)

    async def list_tools(_context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return listed

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        if call_seconds is not None:
            end_in(call_seconds)
        arguments = params.arguments or {}
        if context.request is not None:
            arguments = context.request.scope.get(ARGUMENTS, arguments)
        call = partial(run_guarded, run, context, params.name, arguments)
        # Not abandoned if the request is cancelled: a command that has begun is finished by its thread.
        text, is_error = await run_sync(call, limiter=limiter)
        return CallToolResult(content=[TextContent(text=text)], is_error=is_error)

    return Server(
        "s3memory",
        version=version("s3memory"),
        title="Memory",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
