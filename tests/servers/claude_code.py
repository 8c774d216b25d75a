"""The real Claude Code, from ``claude-agent-sdk``, with the memory as its MCP server and a scripted Claude: offline.

Run by ``make claude-code``, which installs the SDK: its bundle is 381 MB. The server is `s3memory mcp`, a process that
Claude Code starts, on a moto bucket.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ResultMessage,
    SystemMessage,
    TextBlock,
    __version__,
    query,
)
from steps import CheckError, Report

from s3memory import LocalKeyWrapper
from s3memory.testing import MotoServer, RecordedRequest, ScriptedMessagesAPI, ToolCall, Turn

PREFIX = "mcp__memory__memory_"
ROOT = "/memories"
EMPTY = f"in {ROOT}, excluding hidden items and node_modules:\n0B\t{ROOT}"
EDITED = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
VIEWED = "Here's the content of /memories/build.md with line numbers:"
NOTE = "/memories/note.md"
END = "I have noted it."
CALLS: list[tuple[str, Mapping[str, Any]]] = [
    ("view", {"path": "/memories"}),
    ("create", {"path": NOTE, "file_text": "The build runs nightly.\n"}),
    ("str_replace", {"path": NOTE, "old_str": "nightly", "new_str": "hourly"}),
    ("search", {"query": "HOURLY"}),
    ("view", {"path": "/memories/missing.md"}),
    ("insert", {"path": NOTE, "insert_line": 1, "insert_text": "It takes twelve minutes."}),
    ("rename", {"old_path": NOTE, "new_path": "/memories/build.md"}),
    ("view", {"path": "/memories/build.md"}),
    ("delete", {"path": "/memories/build.md"}),
]
EXPECTED = [
    f"Here're the files and directories up to 2 levels deep {EMPTY}",
    f"File created successfully at: {NOTE}",
    f"{EDITED}\n     1\tThe build runs hourly.\n     2\t",
    f"{NOTE}:1: The build runs hourly.",
    "The path /memories/missing.md does not exist. Please provide a valid path.",
    f"The file {NOTE} has been edited.",
    f"Successfully renamed {NOTE} to /memories/build.md",
    f"{VIEWED}\n     1\tThe build runs hourly.\n     2\tIt takes twelve minutes.\n     3\t",
    "Successfully deleted /memories/build.md",
]
MAX_REQUESTS = 60
PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")
OPTIONS: ClaudeAgentOptions = eval(re.findall(r"`(ClaudeAgentOptions\(.*\))`", PAGE)[0])  # noqa: S307 - our own page


class Script:
    """Calls the tools one after another; Claude Code's other requests, for a title for example, get some text."""

    def __init__(self) -> None:
        self._made = 0

    def __call__(self, request: RecordedRequest) -> Turn:
        """Answer a request."""
        offered = {tool.get("name") for tool in request.body.get("tools", [])}
        if f"{PREFIX}view" not in offered:
            return Turn("A memory")
        if self._made == len(CALLS):
            return Turn(END)
        command, given = CALLS[self._made]
        self._made += 1
        return Turn(tool_calls=[ToolCall(given, name=PREFIX + command)])


async def _conversation(environment: Mapping[str, str], folder: str) -> list[Any]:
    options = replace(
        OPTIONS,
        strict_mcp_config=True,
        tools=[],
        setting_sources=[],
        cwd=folder,
        env={
            **environment,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}",
            "CLAUDE_CONFIG_DIR": folder,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "ENABLE_TOOL_SEARCH": "false",
        },
    )
    return [message async for message in query(prompt="Remember when the build runs.", options=options)]


def main() -> int:  # noqa: C901 - five small steps
    """Run the conversation, and report what was seen."""
    report = Report()
    api = ScriptedMessagesAPI([Script()] * MAX_REQUESTS, strict=False, require_memory_tool=False)
    seen: list[Any] = []

    def converse() -> str:
        with MotoServer() as moto, api, tempfile.TemporaryDirectory() as folder:
            moto.make_bucket("claude-code")
            settings = {"S3MEMORY_BUCKET": "claude-code", "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text()}
            seen.extend(asyncio.run(_conversation(os.environ | moto.environment | settings | api.environment, folder)))
        return f"claude-agent-sdk {__version__}, {len(api.requests)} requests"

    def is_connected() -> str:
        opening = next(m for m in seen if isinstance(m, SystemMessage) and m.subtype == "init")
        if {server["name"]: server["status"] for server in opening.data["mcp_servers"]} != {"memory": "connected"}:
            raise CheckError(f"the server: {opening.data['mcp_servers']}")
        return f"Claude Code {opening.data.get('claude_code_version', '')}"

    def lists_tools() -> str:
        request = next(r for r in api.requests if any(t["name"] == f"{PREFIX}view" for t in r.body.get("tools", [])))
        names = sorted(tool["name"] for tool in request.body["tools"])
        missing = {PREFIX + command for command, _ in CALLS} - set(names)
        if missing:
            raise CheckError(f"missing among {names}: {missing}")
        return f"{len(names)}"

    def gets_texts() -> str:
        texts = [result.text for result in api.tool_results]
        if texts != EXPECTED:
            raise CheckError(f"{texts} in place of {EXPECTED}")
        if [result.is_error for result in api.tool_results] != ["missing" in str(given) for _, given in CALLS]:
            raise CheckError(f"errors: {[result.is_error for result in api.tool_results]}")
        return f"{len(texts)} results"

    def ends() -> None:
        said = [b.text for m in seen if isinstance(m, AssistantMessage) for b in m.content if isinstance(b, TextBlock)]
        ended = [message for message in seen if isinstance(message, ResultMessage)]
        if END not in said or not ended or ended[-1].is_error:
            raise CheckError(f"{said}, {ended}")

    report.steps(
        ("Claude Code holds a conversation", converse),
        ("it is connected with the memory", is_connected),
        ("it offers the tools to Claude", lists_tools),
        ("Claude gets the contract's own texts, errors as errors", gets_texts),
        ("the conversation ends as it should", ends),
    )
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
