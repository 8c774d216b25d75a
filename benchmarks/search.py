"""Measures a search of 1,000 files when each response takes 20 ms: requests and seconds.

The server counts the requests. It runs in a separate process.

Run it with ``make bench-search``.
"""

from __future__ import annotations

import os
import statistics
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from wire import WireServer

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore

FILES: Final = 1_000
DELAY_SECONDS: Final = 0.02
RUNS: Final = 5
TEXT: Final = "A line of what an agent remembers.\n" * 30


def main() -> None:
    """Print the cost of a search that finds nothing, and so opens every file, and the time of a plain view."""
    with WireServer(delay_seconds=0) as server:
        os.environ |= server.environment
        store = MemoryStore(bucket="bench", tenant="acme", key_wrapper=LocalKeyWrapper(os.urandom(32)))
        commands = MemoryCommands(store)
        commands.create("/memories/0.md", TEXT)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda n: commands.create(f"/memories/d{n % 10}/{n}.md", TEXT), range(1, FILES)))
        server.delay(DELAY_SECONDS)
        server.take_record()
        taken, cpu = [], []
        for _ in range(RUNS):
            began, began_cpu = time.perf_counter(), time.process_time()
            found = commands.search("no such text")
            taken.append(time.perf_counter() - began)
            cpu.append(time.process_time() - began_cpu)
            assert found == "No matches in /memories."  # noqa: S101 - otherwise this measures something else
        requests = Counter(exchange.operation for exchange in server.take_record())
        each = ", ".join(f"{count // RUNS} {operation}" for operation, count in sorted(requests.items()))
        seconds = f"{statistics.median(taken):.2f} s (least {min(taken):.2f}, most {max(taken):.2f})"
        print(f"search of {FILES} files at {DELAY_SECONDS * 1000:.0f} ms an answer: {each}")
        print(f"  {seconds}, of which at least {min(cpu):.2f} s are CPU time of this process")
        began = time.perf_counter()
        commands.view("/memories/0.md")
        print(f"view of one file: {time.perf_counter() - began:.3f} s")


if __name__ == "__main__":
    main()
