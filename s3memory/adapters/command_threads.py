"""`on_thread`: runs the commands of asynchronous tools on threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from anyio.lowlevel import RunVar
from anyio.to_thread import run_sync

from s3memory._threads import Threads
from s3memory.aws.clients import MAX_CONNECTIONS


class _CommandThreads(Threads):
    """The process's threads for commands. Those of the event loop are left to the program for other work."""

    async def run(self, call: Callable[..., str], *arguments: object) -> str:
        self._n_running += 1
        try:
            if self._n_started < min(self._n_running, MAX_CONNECTIONS):
                self._n_started += 1
                # Starting a thread blocks until it begins, so the loop gets a turn between two starts.
                async with _starting():
                    await asyncio.sleep(0)
            return await asyncio.wrap_future(self.submit(call, *arguments))
        finally:
            self._n_running -= 1

    def reset_after_fork(self) -> None:
        super().reset_after_fork()
        self._n_running = self._n_started = 0


_threads = _CommandThreads(MAX_CONNECTIONS, "s3memory-command")
_lock: RunVar[asyncio.Lock] = RunVar("s3memory-starting")


def _starting() -> asyncio.Lock:
    """Return the event loop's lock."""
    lock = _lock.get(None) or asyncio.Lock()
    _lock.set(lock)
    return lock


async def on_thread(call: Callable[..., str], *arguments: object) -> str:
    """Run a call on a thread; at most one for each connection runs at once. A call that has begun is finished."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # a loop of another kind, such as trio's, which the SDK supports too
        return await run_sync(call, *arguments)
    return await _threads.run(call, *arguments)
