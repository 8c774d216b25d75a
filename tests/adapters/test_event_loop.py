"""The tools of event loops beside other work: threads of their own, and long texts looked through one after another."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import anyio.to_thread
import pytest
from support.memory_s3 import InMemoryS3
from support.waiting import Waiting

from s3memory import AsyncS3MemoryTool, LocalKeyWrapper, MemoryCommands, MemoryStore, async_search_tool
from s3memory.aws.clients import MAX_CONNECTIONS
from s3memory.redaction import PatternRedactor
from s3memory.redaction.searching import text_search

VIEW = {"command": "view", "path": "/memories"}


def tool_over(commands: MemoryCommands | None = None) -> AsyncS3MemoryTool:
    if commands is None:
        wrapper = LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text())
        client: Any = InMemoryS3().client()
        store = MemoryStore(bucket="bucket", tenant="acme", key_wrapper=wrapper, s3_client=client)
        commands = MemoryCommands(store)
    return AsyncS3MemoryTool.from_commands(commands)


@pytest.mark.parametrize("searches", [False, True])
def test_commands_do_not_wait_for_the_programs_own_threads(*, searches: bool) -> None:
    ended = threading.Event()
    tool = tool_over()
    search = async_search_tool(tool.commands)

    async def both() -> object:
        others = [asyncio.create_task(anyio.to_thread.run_sync(ended.wait)) for _ in range(40)]
        await asyncio.sleep(0)
        try:
            return await asyncio.wait_for(search.call({"query": "tea"}) if searches else tool.call(VIEW), timeout=30)
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


def test_views_of_a_tenant_without_a_key_ring_do_not_take_turns() -> None:
    """Together they ask for it twice, however many they are: it takes no longer, and keeps no thread from others."""
    waiting, looked = Waiting(MAX_CONNECTIONS - 1), list[str]()
    waiting.is_begun.set()

    def before(operation: str, _object_key: str) -> None:
        looked.append(operation)
        if len(looked) == 1:
            waiting.until_others_wait()

    client: Any = InMemoryS3().client(before=before)
    wrapper = LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text())
    store = MemoryStore(bucket="bucket", tenant="acme", key_wrapper=wrapper, s3_client=client, key_cache=waiting.cache)
    tool = tool_over(MemoryCommands(store))

    async def views() -> list[object]:
        view = {"command": "view", "path": "/memories/notes"}
        return await asyncio.gather(*(tool.call(view) for _ in range(MAX_CONNECTIONS)), return_exceptions=True)

    assert {str(one) for one in asyncio.run(views())} == {
        "The path /memories/notes does not exist. Please provide a valid path."
    }
    assert looked == ["GetObject", "ListObjectsV2"] * 2


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


def test_a_command_that_waits_for_a_thread_is_not_begun_if_its_task_is_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tool, go_on, called = tool_over(), threading.Event(), []

    def call(sent: object) -> str:
        called.append(sent)
        go_on.wait(30)
        return "done"

    monkeypatch.setattr(tool.commands, "call", call)

    async def one_too_many() -> None:
        tasks = [asyncio.create_task(tool.call(number)) for number in range(MAX_CONNECTIONS + 1)]
        while len(called) < MAX_CONNECTIONS:
            await asyncio.to_thread(threading.Event().wait, 0.01)
        left = next(number for number in range(MAX_CONNECTIONS + 1) if number not in called)
        tasks[left].cancel()
        with pytest.raises(asyncio.CancelledError):
            await tasks[left]
        go_on.set()
        tasks.pop(left)
        assert await asyncio.gather(*tasks) == ["done"] * MAX_CONNECTIONS

    asyncio.run(one_too_many())
    assert len(called) == MAX_CONNECTIONS


def test_one_event_loop_after_another_uses_the_same_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    tool, all_run = tool_over(), threading.Barrier(5)

    async def views() -> None:
        await asyncio.gather(*(tool.call(VIEW) for _ in range(5)))

    with monkeypatch.context() as patch:
        patch.setattr(tool.commands, "call", lambda _: str(all_run.wait(60)))  # each on a thread of its own
        asyncio.run(views())
    before = command_threads()
    for _ in range(20):
        asyncio.run(tool.call(VIEW))
    assert before
    assert command_threads() <= before


def command_threads() -> set[threading.Thread]:
    """Return the threads for commands, without those for their requests."""
    return {one for one in threading.enumerate() if one.name.startswith("s3memory-command")}


def test_a_command_sees_the_context_of_its_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    tool, who = tool_over(), ContextVar("who", default="nobody")
    monkeypatch.setattr(tool.commands, "call", lambda _: who.get())

    async def asked() -> str:
        who.set("Anna")
        return await tool.call(VIEW)

    assert asyncio.run(asked()) == "Anna"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system can't fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_starts_threads_of_its_own() -> None:
    tool = tool_over()
    asyncio.run(tool.call(VIEW))
    child = os.fork()
    if not child:
        os._exit(0 if asyncio.run(asyncio.wait_for(tool.call(VIEW), 30)) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_tool_works_on_trios_loop() -> None:
    tool = tool_over()
    assert anyio.run(tool.call, VIEW, backend="trio") == tool.commands.call(VIEW)


def test_long_texts_are_looked_through_one_after_another_and_short_ones_are_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looking = threading.Lock()
    overlaps, met = [], threading.Event()
    find: Any = vars(text_search)["find_in_views"]

    def noting(text: str, search: object) -> object:
        if len(text) < 1_000:
            met.set()
        elif not looking.acquire(blocking=False):
            overlaps.append(text)
        else:
            met.wait(30)  # a short text gets past a long one
            looking.release()
        return find(text, search)

    monkeypatch.setattr(text_search, "find_in_views", noting)
    redactor = PatternRedactor()
    with ThreadPoolExecutor(6) as pool:
        futures = [pool.submit(redactor.redact, text) for text in ["long " * 4_000] * 5 + ["short"]]
        for future in futures:
            future.result()
    assert overlaps == []
    assert met.is_set()
