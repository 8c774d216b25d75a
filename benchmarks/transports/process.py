"""Sends GETs with one library, AT_ONCE of them in parallel. ``-m transports.process NAME AT_ONCE GETS``.

It writes a JSON document with GETs a second and the CPU seconds of each GET, measured once all connections are open.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from typing import Any

from transports.async_clients import ASYNC_CLIENTS
from transports.clients import CLIENTS, PATH


def _in_threads(get: Any, at_once: int, gets: int) -> None:
    def work() -> None:
        for _ in range(gets // at_once):
            get(PATH)

    threads = [threading.Thread(target=work) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


async def _in_tasks(get: Any, at_once: int, gets: int) -> None:
    async def work() -> None:
        for _ in range(gets // at_once):
            await get(PATH)

    await asyncio.gather(*(work() for _ in range(at_once)))


def _measured(name: str, at_once: int, gets: int) -> tuple[float, float]:
    get = CLIENTS[name]()
    _in_threads(get, at_once, at_once)  # connects
    wall, cpu = time.perf_counter(), time.process_time()
    _in_threads(get, at_once, gets)
    return time.perf_counter() - wall, time.process_time() - cpu


async def _measured_async(name: str, at_once: int, gets: int) -> tuple[float, float]:
    get = await ASYNC_CLIENTS[name]()
    await _in_tasks(get, at_once, at_once)
    wall, cpu = time.perf_counter(), time.process_time()
    await _in_tasks(get, at_once, gets)
    return time.perf_counter() - wall, time.process_time() - cpu


def main(name: str, at_once: int, gets: int) -> None:
    """Measure one library, and print the result."""
    if name in CLIENTS:
        wall, cpu = _measured(name, at_once, gets)
    else:
        wall, cpu = asyncio.run(_measured_async(name, at_once, gets))
    gets = gets // at_once * at_once
    print(json.dumps({"a_second": gets / wall, "cpu_seconds_each": cpu / gets}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    os._exit(0)  # some of the libraries wait for their threads
