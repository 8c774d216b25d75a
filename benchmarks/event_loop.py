"""How long `AsyncS3MemoryTool` keeps an event loop waiting: many creates of large files at once, beside a ticker.

Run it as ``python benchmarks/event_loop.py [creates] [bytes]``. S3 is a dict in memory with 20 ms of latency: what is
measured is this package, and the lock of the interpreter that all threads share.
"""

from __future__ import annotations

import asyncio
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


class Latency:
    """Lets every request to a client wait, as a network does."""

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
    """Return the longest time between two ticks beyond what was asked for, and how long all took, in seconds."""
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
    """Print the longest stall of five runs, the first with a cold cache of rules."""
    rng = random.Random(7)  # noqa: S311 - texts to measure with
    texts = [" ".join(rng.choices(WORDS, k=size_bytes // 6))[:size_bytes] for _ in range(creates)]
    client: Any = Latency(InMemoryS3().client())
    tool = AsyncS3MemoryTool(
        bucket="bucket", tenant="acme", key_wrapper=LocalKeyWrapper(os.urandom(32)), s3_client=client
    )
    for run in range(5):
        longest, took = asyncio.run(longest_stall(tool, texts))
        sys.stdout.write(f"run {run}: longest stall {longest * 1000:.0f} ms, {creates} creates in {took:.2f} s\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
