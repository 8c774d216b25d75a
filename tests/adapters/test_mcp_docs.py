"""The page about MCP does what it says: every block of it is run; what needs other programs says which are missing."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_servers import environment_of, served

from s3memory.testing import MotoServer

PROJECT = Path(__file__).parents[2]
PAGE = (PROJECT / "docs/mcp.md").read_text("utf-8")
BLOCKS = {kind: re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL) for kind in ("console", "json", "python")}
COMMANDS = [line.removeprefix("$ ") for block in BLOCKS["console"] for line in block.splitlines()]
CLAUDE = PROJECT / "build/claude-code/claude_agent_sdk/_bundled/claude"
INSPECTOR = PROJECT / "build/inspector/node_modules/.bin/mcp-inspector"
OPENAI_AGENTS = PROJECT / "build/openai-agents"
TOOLS = ["view", "search", "create", "str_replace", "insert", "delete", "rename"]


@pytest.fixture(scope="module")
def environment() -> Iterator[dict[str, str]]:
    """The environment of a user of the page, with ``s3memory`` on the path."""
    with MotoServer() as server:
        server.make_bucket("agent-memory")
        environment = environment_of(server, "agent-memory")
        yield environment | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"}


def command(begins: str) -> list[str]:
    return shlex.split(next(line for line in COMMANDS if line.startswith(begins)))


def needs(program: Path) -> None:
    if not program.exists():
        pytest.skip(f"{program.relative_to(PROJECT)} is not there: make mcp-clients installs it")


def test_the_page_is_short_and_begins_with_what_to_paste() -> None:
    assert len(PAGE.splitlines()) <= 80
    assert PAGE.splitlines()[2] == "```console"
    assert [shlex.split(line)[0] for line in COMMANDS] == ["pip", "claude", "npx", "s3memory"]


@pytest.mark.long
@pytest.mark.anyio
async def test_a_client_reads_the_file_and_finds_the_tools(environment: dict[str, str]) -> None:
    server = json.loads(BLOCKS["json"][0])["mcpServers"]["memory"]
    parameters = StdioServerParameters(command=server["command"], args=server["args"], env=environment)
    async with Client(stdio_client(parameters)) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == [f"memory_{name}" for name in TOOLS]
    assert server["env"].keys() >= {"S3MEMORY_BUCKET", "S3MEMORY_KMS_KEY_ID"}


@pytest.mark.long
def test_the_server_for_all_tenants_starts_as_it_is_written(environment: dict[str, str]) -> None:
    _, mcp, http, address, *options = command("s3memory mcp --http")
    assert (mcp, http, address) == ("mcp", "--http", "0.0.0.0:8080")
    with served(environment, *options) as server:
        refused = server.call("memory_view", {"path": "/memories"})
        metadata = server.request("GET", path="/.well-known/oauth-protected-resource/mcp").json
    assert refused.status == 401
    assert (metadata["resource"], metadata["authorization_servers"]) == (
        "https://memory.example.com/mcp",
        ["https://login.example.com"],
    )


def test_claude_code_keeps_the_settings_of_the_server(environment: dict[str, str], tmp_path: Path) -> None:
    """It is started from another shell than the one in which the server was added."""
    needs(CLAUDE)
    (tmp_path / "config").write_text("[profile memory]\naws_access_key_id = x\naws_secret_access_key = x\n")
    elsewhere = {name: value for name, value in environment.items() if not name.startswith("S3MEMORY_")}
    elsewhere |= {"AWS_CONFIG_FILE": str(tmp_path / "config"), "CLAUDE_CONFIG_DIR": str(tmp_path)}
    elsewhere["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] = "1"
    _, *added = command("claude mcp add")

    def claude(*arguments: str) -> str:
        done = subprocess.run(  # noqa: S603 - the program that was installed for this
            [CLAUDE, *arguments], env=elsewhere, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return done.stdout

    claude(*added)
    assert re.search("memory: s3memory mcp --tenant acme .*Connected", claude("mcp", "list"))


def test_all_blocks_that_name_settings_name_the_same() -> None:
    added = command("claude mcp add")
    given = dict(value.split("=") for option, value in pairwise(added) if option == "--env")
    assert given == json.loads(BLOCKS["json"][0])["mcpServers"]["memory"]["env"]


def test_the_inspector_lists_the_tools(environment: dict[str, str], tmp_path: Path) -> None:
    needs(INSPECTOR)
    file = json.loads(BLOCKS["json"][0])
    file["mcpServers"]["memory"]["env"] = environment
    (tmp_path / ".mcp.json").write_text(json.dumps(file))
    _, _, *arguments = command("npx @modelcontextprotocol/inspector")
    done = subprocess.run(  # noqa: S603 - the program that was installed for this
        [INSPECTOR, *arguments], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert [tool["name"] for tool in json.loads(done.stdout)["tools"]] == [f"memory_{name}" for name in TOOLS]


def test_openai_agents_take_the_server(environment: dict[str, str], tmp_path: Path) -> None:
    needs(OPENAI_AGENTS)
    program = tmp_path / "program.py"
    program.write_text(f"{BLOCKS['python'][0]}\nimport asyncio\nasyncio.run(main())\n", "utf-8")
    done = subprocess.run(  # noqa: S603 - the page's own lines
        [sys.executable, program],
        env=environment | {"PYTHONPATH": str(OPENAI_AGENTS)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == repr([f"memory_{name}" for name in TOOLS])
