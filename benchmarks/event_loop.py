"""Measures how long `AsyncS3MemoryTool` stalls an event loop: many parallel creates of large files, and a ticker.

Run it as ``python benchmarks/event_loop.py [creates] [bytes]``. S3 is a dict in memory with 20 ms of latency, so only
this package and the interpreter's lock are measured. A full garbage collection scans everything that was imported, by
any library. So the longest collection is printed too, and half of the runs are after a ``gc.freeze()``.
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import sys
import time
from typing import Any

from support.memory_s3 import InMemoryS3

from s3memory import AsyncS3MemoryTool, LocalKeyWrapper

LATENCY_SECONDS = 0.02
TICK_SECONDS = 0.001
WORDS = ("token", "password", "the", "plan", "of", "Anna", "2026-03-02", "https://example.org/a?b=c", "4.5", "key_id=7")


class Collections:
    """Measures the longest garbage collection since `longest_seconds` was reset."""

    def __init__(self) -> None:
        self.longest_seconds = 0.0
        self._began = 0.0
        gc.callbacks.append(self._note)

    def _note(self, phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            self._began = time.perf_counter()
        else:
            self.longest_seconds = max(self.longest_seconds, time.perf_counter() - self._began)


class Latency:
    """Wraps a client and delays every request, as a network does."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        if name in {"meta", "exceptions"}:
            return found

        def waiting(**arguments: Any) -> Any:
            time.sleep(LATENCY_SECONDS)
            return found(**arguments)

        return waiting


async def longest_stall(tool: AsyncS3MemoryTool, texts: list[str]) -> tuple[float, float]:
    """Return the longest delay of a tick, and the time of all creates, in seconds."""
    longest, is_over = 0.0, False

    async def tick() -> None:
        nonlocal longest
        while not is_over:
            began = time.perf_counter()
            await asyncio.sleep(TICK_SECONDS)
            longest = max(longest, time.perf_counter() - began - TICK_SECONDS)

    ticker = asyncio.create_task(tick())
    await asyncio.sleep(0.05)
    longest = 0.0
    began = time.perf_counter()
    creates = [
        tool.call({"command": "create", "path": f"/memories/{time.monotonic_ns()}-{number}", "file_text": text})
        for number, text in enumerate(texts)
    ]
    await asyncio.gather(*creates)
    took = time.perf_counter() - began
    is_over = True
    await ticker
    return longest, took


def main(creates: int = 50, size_bytes: int = 90_000) -> None:
    """Print the longest stall of six runs, the first with a cold cache of rules, the last three with a frozen heap."""
    rng = random.Random(7)  # noqa: S311 - texts to measure with
    texts = [" ".join(rng.choices(WORDS, k=size_bytes // 6))[:size_bytes] for _ in range(creates)]
    client: Any = Latency(InMemoryS3().client())
    tool = AsyncS3MemoryTool(
        bucket="bucket", tenant="acme", key_wrapper=LocalKeyWrapper(os.urandom(32)), s3_client=client
    )
    collections = Collections()
    for run in range(6):
        if run == 3:  # noqa: PLR2004 - the second half
            gc.collect()
            gc.freeze()
        collections.longest_seconds = 0.0
        longest, took = asyncio.run(longest_stall(tool, texts))
        heap = "frozen" if gc.get_freeze_count() else "as imported"
        sys.stdout.write(
            f"run {run}: longest stall {longest * 1000:.0f} ms, {creates} creates in {took:.2f} s; "
            f"heap {heap}, longest collection {collections.longest_seconds * 1000:.0f} ms\n"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
