"""`AsyncS3MemoryTool` beside other work: threads of its own, and long texts looked through one after another."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio.to_thread
import pytest
from support.memory_s3 import InMemoryS3

from s3memory import AsyncS3MemoryTool, LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory.aws.clients import MAX_CONNECTIONS
from s3memory.redaction import PatternRedactor, rule_detector

VIEW = {"command": "view", "path": "/memories"}


def tool_over(commands: MemoryCommands | None = None) -> AsyncS3MemoryTool:
    if commands is None:
        wrapper = LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text())
        client: Any = InMemoryS3().client()
        store = MemoryStore(bucket="bucket", tenant="acme", key_wrapper=wrapper, s3_client=client)
        commands = MemoryCommands(store)
    return AsyncS3MemoryTool.from_commands(commands)


def test_commands_do_not_wait_for_the_programs_own_threads() -> None:
    ended = threading.Event()

    async def both() -> str:
        others = [asyncio.create_task(anyio.to_thread.run_sync(ended.wait)) for _ in range(40)]
        await asyncio.sleep(0)
        try:
            return await asyncio.wait_for(tool_over().call(VIEW), timeout=30)
        finally:
            ended.set()
            await asyncio.gather(*others)

    assert asyncio.run(both())


def test_as_many_commands_run_at_once_as_there_are_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them have to be under way at the same time for any of them to end."""
    gathering = threading.Barrier(MAX_CONNECTIONS)
    tool = tool_over()

    def call(_sent: object) -> str:
        gathering.wait(timeout=30)
        return "done"

    monkeypatch.setattr(tool.commands, "call", call)

    async def all_of_them() -> list[str]:
        return await asyncio.gather(*(tool.call(VIEW) for _ in range(MAX_CONNECTIONS)))

    assert asyncio.run(all_of_them()) == ["done"] * MAX_CONNECTIONS


def test_a_command_that_has_begun_is_finished_though_its_task_is_cancelled() -> None:
    tool = tool_over()

    async def cancelled() -> None:
        begun, go_on = threading.Event(), threading.Event()
        call = tool.commands.call

        def held(tool_input: object) -> str:
            begun.set()
            go_on.wait(30)
            return call(tool_input)

        tool.commands.call = held  # type: ignore[method-assign]
        task = asyncio.create_task(tool.call({"command": "create", "path": "/memories/a", "file_text": "x"}))
        await asyncio.to_thread(begun.wait, 30)
        task.cancel()
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        tool.commands.call = call  # type: ignore[method-assign]

    asyncio.run(cancelled())
    assert "a" in asyncio.run(tool.call(VIEW))


def test_long_texts_are_looked_through_one_after_another_and_short_ones_are_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looking = threading.Lock()
    overlaps, met = [], threading.Event()
    find: Any = vars(rule_detector)["find_in_views"]

    def noting(text: str, search: object) -> object:
        if len(text) < 1_000:
            met.set()
        elif not looking.acquire(blocking=False):
            overlaps.append(text)
        else:
            met.wait(30)  # a short text gets past a long one
            looking.release()
        return find(text, search)

    monkeypatch.setattr(rule_detector, "find_in_views", noting)
    redactor = PatternRedactor()
    with ThreadPoolExecutor(6) as pool:
        futures = [pool.submit(redactor.redact, text) for text in ["long " * 4_000] * 5 + ["short"]]
        for future in futures:
            future.result()
    assert overlaps == []
    assert met.is_set()
