"""The tools under the SDK's own runners: sync, async and streamed, with and without message threads."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import anthropic
import pytest
from anthropic.lib.tools import ToolError
from anthropic.types.beta import BetaMemoryTool20250818ViewCommand
from conftest import MakeCommands
from support.faults import FaultLayer, other_writer_first, refused

from s3memory import AsyncS3MemoryTool, KmsKeyWrapper, LocalKeyWrapper, MemoryCommands, S3MemoryTool
from s3memory.adapters.mcp import memory_server
from s3memory.adapters.pydantic_ai import memory_tool
from s3memory.aws.clients import forget_clients
from s3memory.errors import ConfigurationError
from s3memory.redaction import Finding, Redaction
from s3memory.testing import ScriptedMessagesAPI, Turn

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

pytestmark = pytest.mark.anyio

ROOT = "/memories"
NOTE = f"{ROOT}/notes.md"

SESSION: list[dict[str, Any]] = [
    {"command": "view", "path": ROOT},
    {"command": "create", "path": NOTE, "file_text": "likes tea\nlives in Bonn\n"},
    {"command": "str_replace", "path": NOTE, "old_str": "tea", "new_str": "coffee"},
    {"command": "insert", "path": NOTE, "insert_line": 0, "insert_text": "# Anna"},
    {"command": "rename", "old_path": NOTE, "new_path": f"{ROOT}/people/anna.md"},
    {"command": "view", "path": f"{ROOT}/people/anna.md"},
    {"command": "view", "path": f"{ROOT}/nowhere"},
    {"command": "delete", "path": f"{ROOT}/people"},
    {"command": "view", "path": ROOT},
]
EMPTY = (
    "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n"
    "0B\t/memories"
)
EDITED = (
    "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
    "     1\tlikes coffee\n     2\tlives in Bonn\n     3\t"
)
VIEWED = (
    f"Here's the content of {ROOT}/people/anna.md with line numbers:\n"
    "     1\t# Anna\n     2\tlikes coffee\n     3\tlives in Bonn\n     4\t"
)
EXPECTED = [
    (EMPTY, False),
    (f"File created successfully at: {NOTE}", False),
    (EDITED, False),
    (f"The file {NOTE} has been edited.", False),
    (f"Successfully renamed {NOTE} to {ROOT}/people/anna.md", False),
    (VIEWED, False),
    (f"The path {ROOT}/nowhere does not exist. Please provide a valid path.", True),
    (f"Successfully deleted {ROOT}/people", False),
    (EMPTY, False),
]


@pytest.fixture
def api() -> Iterator[ScriptedMessagesAPI]:
    """A scripted API that makes every call of `SESSION`, each in a turn of its own."""
    with ScriptedMessagesAPI([*(Turn("", [call]) for call in SESSION), Turn("Done.")]) as server:
        yield server


def arguments(tool: object, *, stream: bool = False, thread: bool = True) -> dict[str, Any]:
    return {
        "model": "claude-test",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": "Remember Anna."}],
        "tools": [tool],
        **({"stream": True} if stream else {}),
        **({} if thread else {"thread": False}),
    }


def results(server: ScriptedMessagesAPI) -> list[tuple[str, bool]]:
    return [(result.text, result.is_error) for result in server.tool_results]


@pytest.mark.parametrize("thread", [True, False], ids=["thread", "plain"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_the_sync_runner_works_a_session(
    api: ScriptedMessagesAPI, commands: MemoryCommands, *, stream: bool, thread: bool
) -> None:
    with anthropic.Anthropic(api_key="offline", base_url=api.base_url) as client:
        tool = S3MemoryTool.from_commands(commands)
        runner = client.beta.messages.tool_runner(**arguments(tool, stream=stream, thread=thread))
        runner.until_done()
    assert results(api) == EXPECTED


@pytest.mark.parametrize("thread", [True, False], ids=["thread", "plain"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_the_async_runner_works_a_session(
    api: ScriptedMessagesAPI, commands: MemoryCommands, *, stream: bool, thread: bool
) -> None:
    async with anthropic.AsyncAnthropic(api_key="offline", base_url=api.base_url) as client:
        tool = AsyncS3MemoryTool.from_commands(commands)
        runner = client.beta.messages.tool_runner(**arguments(tool, stream=stream, thread=thread))
        await runner.until_done()
    assert results(api) == EXPECTED


def test_what_is_easily_passed_in_place_of_commands_or_of_a_store_is_refused_at_once(commands: MemoryCommands) -> None:
    passed: Any  # as in a program without types
    tool = S3MemoryTool.from_commands(commands)
    for make in (S3MemoryTool.from_commands, AsyncS3MemoryTool.from_commands, memory_server, memory_tool):
        for passed in (commands.store, tool):
            with pytest.raises(ConfigurationError, match="takes commands, such as the `commands` of an S3MemoryTool"):
                make(passed)
    for passed in (commands, tool):
        with pytest.raises(ConfigurationError, match="takes a MemoryStore, such as the `store` of other commands"):
            MemoryCommands(passed)


def test_edits_of_one_file_in_one_turn_are_all_in_it(make_commands: MakeCommands) -> None:
    tool = S3MemoryTool.from_commands(make_commands())
    tool.call({"command": "create", "path": NOTE, "file_text": ""})
    calls = [
        {"command": "insert", "path": NOTE, "insert_line": 0, "insert_text": f"line {number}"} for number in range(4)
    ]
    with (
        ScriptedMessagesAPI([Turn("", calls), Turn("Done.")]) as server,
        anthropic.Anthropic(api_key="offline", base_url=server.base_url) as client,
    ):
        client.beta.messages.tool_runner(**arguments(tool)).until_done()
    assert results(server) == [(f"The file {NOTE} has been edited.", False)] * 4
    assert all(f"line {number}" in tool.call({"command": "view", "path": NOTE}) for number in range(4))


async def test_edits_side_by_side_are_all_in_the_file(commands: MemoryCommands) -> None:
    tool = AsyncS3MemoryTool.from_commands(commands)
    await tool.call({"command": "create", "path": NOTE, "file_text": ""})
    await asyncio.gather(
        *(
            tool.call({"command": "insert", "path": NOTE, "insert_line": 0, "insert_text": f"line {number}"})
            for number in range(4)
        )
    )
    view = await tool.call({"command": "view", "path": NOTE})
    assert all(f"line {number}" in view for number in range(4))


async def test_a_command_whose_task_is_cancelled_is_finished_all_the_same(
    commands: MemoryCommands, s3: S3Client
) -> None:
    tool = AsyncS3MemoryTool.from_commands(commands)
    await tool.call({"command": "create", "path": f"{ROOT}/first", "file_text": "x"})
    loop, stored = asyncio.get_running_loop(), threading.Event()
    with FaultLayer(s3) as faults:
        task = asyncio.create_task(tool.call({"command": "create", "path": NOTE, "file_text": "x"}))
        faults.hit("ListObjectsV2", other_writer_first(lambda: loop.call_soon_threadsafe(task.cancel)))
        s3.meta.events.register("after-call.s3.PutObject", lambda **_: stored.set(), unique_id="stored")
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(stored.wait, 10)
        s3.meta.events.unregister("after-call.s3.PutObject", unique_id="stored")
    assert (await tool.call({"command": "view", "path": NOTE})).endswith("     1\tx")


@pytest.mark.parametrize("make", [S3MemoryTool, AsyncS3MemoryTool])
def test_a_tool_is_what_the_messages_api_knows(
    make: Any, bucket: str, s3: S3Client, key_wrapper: LocalKeyWrapper
) -> None:
    tool = make(bucket=bucket, tenant="acme", key_wrapper=key_wrapper, s3_client=s3)
    assert tool.name == "memory"
    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}
    cached = make(
        bucket=bucket, tenant="acme", key_wrapper=key_wrapper, s3_client=s3, cache_control={"type": "ephemeral"}
    )
    assert cached.to_dict()["cache_control"] == {"type": "ephemeral"}


async def test_a_tool_of_the_wrong_flavour_is_refused_when_the_runner_is_made(commands: MemoryCommands) -> None:
    with anthropic.Anthropic(api_key="offline") as client, pytest.raises(TypeError):
        client.beta.messages.tool_runner(**arguments(AsyncS3MemoryTool.from_commands(commands)))
    async with anthropic.AsyncAnthropic(api_key="offline") as async_client:
        with pytest.raises(TypeError):
            async_client.beta.messages.tool_runner(**arguments(S3MemoryTool.from_commands(commands)))


async def test_all_memory_can_be_cleared(commands: MemoryCommands) -> None:
    sync, asynchronous = S3MemoryTool.from_commands(commands), AsyncS3MemoryTool.from_commands(commands)
    for clear in (sync.clear_all_memory, lambda: asyncio.run(asynchronous.clear_all_memory())):
        sync.call({"command": "create", "path": NOTE, "file_text": "x"})
        assert await asyncio.to_thread(clear) == "All memory cleared"
        assert sync.call({"command": "view", "path": ROOT}) == EMPTY


@pytest.mark.parametrize(
    "run",
    [
        lambda tool: tool.call(None),
        lambda tool: tool.execute(None),
        lambda tool: tool.view(None),
        lambda tool: tool.execute(BetaMemoryTool20250818ViewCommand.construct(command="what", path=5)),
        lambda tool: tool.view(BetaMemoryTool20250818ViewCommand.construct(path=ROOT, view_range="x")),
    ],
)
def test_nothing_but_tool_errors_leaves_a_tool(commands: MemoryCommands, run: Callable[[Any], object]) -> None:
    with pytest.raises(ToolError) as caught:
        run(S3MemoryTool.from_commands(commands))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_what_s3_said_reaches_neither_the_model_nor_the_log(
    commands: MemoryCommands, s3: S3Client, bucket: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="s3memory")
    tool = S3MemoryTool.from_commands(commands)
    with FaultLayer(s3) as faults:
        faults.hit("ListObjectsV2", refused(403, "AccessDenied"), times=9)
        with pytest.raises(ToolError) as caught:
            tool.call({"command": "create", "path": NOTE, "file_text": "x"})
    assert str(caught.value) == (
        "Error: The memory store refused access (AccessDenied). Nothing was changed. This needs an operator."
    )
    assert caught.value.__cause__ is None
    assert "AccessDeniedError" in caplog.text
    assert bucket not in caplog.text


def test_a_bug_of_ours_is_an_internal_error_to_the_model_and_its_words_go_nowhere(
    commands: MemoryCommands, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> str:
        raise RuntimeError("s3://bucket/key")

    monkeypatch.setattr("s3memory.store.listing.list_directory", fail)
    with pytest.raises(ToolError, match="internal error") as caught:
        S3MemoryTool.from_commands(commands).call({"command": "view", "path": ROOT})
    assert "s3://" not in str(caught.value)
    assert "s3://" not in caplog.text
    assert "RuntimeError" in caplog.text


def test_a_misconfiguration_is_told_to_the_log_and_not_to_the_model(
    make_commands: MakeCommands, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "a-telling-profile")
    forget_clients()
    commands = make_commands(key_wrapper=KmsKeyWrapper("alias/a-telling-key"))
    with pytest.raises(ToolError, match="misconfigured") as caught:
        S3MemoryTool.from_commands(commands).call({"command": "create", "path": NOTE, "file_text": "x"})
    assert "telling" not in f"{caught.value}{caplog.text}"


def test_no_command_begins_when_there_is_no_time_left(make_commands: MakeCommands, s3: S3Client) -> None:
    left = 1.0
    tool = S3MemoryTool.from_commands(make_commands(remaining_seconds=lambda: left))
    tool.call({"command": "create", "path": NOTE, "file_text": "x"})
    left = 0.0
    with FaultLayer(s3) as recorded, pytest.raises(ToolError, match="no time left"):
        tool.call({"command": "delete", "path": NOTE})
    assert recorded.requests == []


class Hides:
    """Redacts one word."""

    def redact(self, text: str, /) -> Redaction:
        lines = text.split("\n")
        findings = tuple(Finding("word", number) for number, line in enumerate(lines, 1) if "secret" in line)
        return Redaction(text.replace("secret", "[REDACTED:word]"), findings)


def test_the_agent_is_told_what_was_redacted_after_the_documented_line(make_commands: MakeCommands) -> None:
    tool = S3MemoryTool.from_commands(make_commands(redactor=Hides()))
    assert tool.call({"command": "create", "path": NOTE, "file_text": "a\nsecret\nb\nsecret"}) == (
        f"File created successfully at: {NOTE}\nRedacted before it was stored: 2 word (lines 2, 4)."
    )
    assert tool.call({"command": "insert", "path": NOTE, "insert_line": 0, "insert_text": "secret"}) == (
        f"The file {NOTE} has been edited.\nRedacted before it was stored: 1 word (line 1)."
    )
    edited = tool.call({"command": "str_replace", "path": NOTE, "old_str": "b", "new_str": "secret"})
    assert edited.endswith(
        "     4\t[REDACTED:word]\n     5\t[REDACTED:word]\n     6\t\nRedacted before it was stored: 1 word (line 4)."
    )
    assert "secret" not in tool.call({"command": "view", "path": NOTE})
