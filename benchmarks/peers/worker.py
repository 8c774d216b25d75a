"""The process of one peer. ``python -m peers.worker PEER`` reads one job per line and writes its outcome, as JSON.

A job is ``{"how": "sequence" | "threads" | "async", "batches": [[tool input, ...], ...]}``. The calls of a batch run
one after another. ``how`` says whether batches run one after another, in a thread each, or awaited together. Only the
calls are timed.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from peak import peak_kilobytes

Result = tuple[str, bool, float]
Batch = list[dict[str, Any]]


def load_peer(peer: str) -> tuple[Callable[[dict[str, Any]], Any], Callable[[], Any]]:
    """Return a function that calls a peer, and one that returns its async tool, or ``None`` if it has none."""
    if peer in {"s3memory", "s3memory_unredacted"}:
        # Without the SDK, like the peers: importing it takes longer than a session of any of them.
        from s3memory import MemoryCommands  # noqa: PLC0415 - not installed in every peer's environment

        return MemoryCommands.from_env(tenant="acme").call, _our_async_tool
    if peer == "sdk_local":
        from anthropic.lib.tools import _beta_builtin_memory_tool as sdk  # noqa: PLC0415 - same

        base = os.environ["BENCH_DIRECTORY"]
        return sdk.BetaLocalFilesystemMemoryTool(base).call, lambda: sdk.BetaAsyncLocalFilesystemMemoryTool(base)
    module = __import__(f"peers.{peer}", fromlist=["make"])
    return module.make().call, lambda: None


def _our_async_tool() -> Any:
    from s3memory import AsyncS3MemoryTool  # noqa: PLC0415 - same, and imported only when it is used

    return AsyncS3MemoryTool.from_env(tenant="acme")


def timed(call: Callable[[dict[str, Any]], Any], batch: Batch) -> list[Result]:
    """Carry out the calls of a batch. Return each one's text, whether it failed, and its seconds."""
    results = []
    for tool_input in batch:
        begin = time.perf_counter()
        try:
            text, is_error = call(tool_input), False
        except Exception as error:  # noqa: BLE001 - an exception is a result too; the driver checks it
            text, is_error = f"{type(error).__name__}: {error}", True
        results.append((text, is_error, time.perf_counter() - begin))
    return results


async def timed_async(tool: Any, batch: Batch) -> list[Result]:
    """Carry out the calls of a batch with an async tool."""
    results = []
    for tool_input in batch:
        begin = time.perf_counter()
        text = await tool.call(tool_input)
        results.append((text, False, time.perf_counter() - begin))
    return results


class Worker:
    """Carries out jobs."""

    def __init__(self, peer: str) -> None:
        self._call, self._make_async = load_peer(peer)

    def run(self, how: str, batches: list[Batch]) -> dict[str, Any]:
        """Carry out a job."""
        begin = time.perf_counter()
        if how == "sequence":
            results = [timed(self._call, batch) for batch in batches]
        elif how == "threads":
            with ThreadPoolExecutor(len(batches)) as pool:
                results = list(pool.map(lambda batch: timed(self._call, batch), batches))
        else:
            results = asyncio.run(self._side_by_side(batches))
        seconds = time.perf_counter() - begin
        return {"seconds": seconds, "results": results, "peak_kilobytes": peak_kilobytes()}

    async def _side_by_side(self, batches: list[Batch]) -> list[list[Result]]:
        tool = self._make_async()
        if tool is not None:
            return await asyncio.gather(*(timed_async(tool, batch) for batch in batches))
        # A peer without an async tool gets a thread for each batch, not asyncio's small default pool.
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(len(batches)) as pool:
            return await asyncio.gather(*(loop.run_in_executor(pool, timed, self._call, batch) for batch in batches))


def main(peer: str) -> None:
    """Carry out jobs until standard input ends."""
    worker = Worker(peer)
    for line in sys.stdin:
        print(json.dumps(worker.run(**json.loads(line))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
