"""Every order of two clients' requests: the real code on an in-memory S3, stopped at each request.

Stateless search: a run follows a list of choices and then always takes the first; the choices that it met say which
runs are left. A choice is which client's waiting request is carried out next, or which client is killed there.
The package's thread pool is replaced by calls in place, so a client has one request waiting at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from s3memory.testing.memory_s3 import InMemoryS3


class Killed(BaseException):
    """The client's process ends here."""


class InPlaceExecutor:
    """Calls at once, in the caller's thread."""

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(call(*arguments))
        except Exception as error:  # noqa: BLE001 - as an executor does
            future.set_exception(error)
        return future


@dataclass(slots=True)
class Client:
    """One client: a command in a thread that waits before each of its requests."""

    work: Callable[[Any], Any]
    result: Any = None
    is_done: bool = False
    is_killed: bool = False
    requests: list[str] = field(default_factory=list)
    _may_go_on: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    _waits: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def start(self, server: InMemoryS3) -> threading.Thread:
        thread = threading.Thread(target=self._run, args=(server,), daemon=True)
        thread.start()
        self._waits.acquire()
        return thread

    def step(self) -> None:
        """Let the waiting request happen; return when the next one waits, or all is done."""
        self._may_go_on.release()
        self._waits.acquire()

    def kill(self) -> None:
        """End the client before the waiting request."""
        self.is_killed = True
        self.step()

    def _run(self, server: InMemoryS3) -> None:
        try:
            self.result = self.work(server.client(before=self._gate))
        except Killed:
            pass
        finally:
            self.is_done = True
            self._waits.release()

    def _gate(self, operation: str, object_key: str) -> None:
        if not self.is_killed:
            self.requests.append(f"{operation} {object_key}")
            self._waits.release()
            self._may_go_on.acquire()
        if self.is_killed:
            raise Killed


@dataclass(frozen=True, slots=True)
class Run:
    """One order that was run: the choices, and what came of it."""

    choices: tuple[str, ...]
    results: tuple[Any, ...]
    killed: int | None
    server: InMemoryS3


def all_runs(
    base: InMemoryS3, works: list[Callable[[Any], Any]], *, kills: bool = False, most: int | None = None
) -> Iterator[Run]:
    """Yield every order of the clients' requests; with `kills`, also with one client killed at every point of each."""
    pending: list[tuple[str, ...]] = [()]
    count = 0
    while pending:
        prefix = pending.pop()
        run, untaken = _one_run(base, works, prefix, kills=kills)
        pending += untaken
        yield run
        count += 1
        if most is not None and count >= most:
            return


def _one_run(
    base: InMemoryS3, works: list[Callable[[Any], Any]], prefix: tuple[str, ...], *, kills: bool
) -> tuple[Run, list[tuple[str, ...]]]:
    server = base.copy()
    clients = [Client(work) for work in works]
    threads = [client.start(server) for client in clients]
    taken: list[str] = []
    untaken: list[tuple[str, ...]] = []
    killed: int | None = None
    while True:
        waiting = [str(number) for number, client in enumerate(clients) if not client.is_done]
        options = list(waiting)
        if kills and killed is None:
            options += [f"kill {number}" for number in waiting]
        if not options:
            break
        choice = prefix[len(taken)] if len(taken) < len(prefix) else options[0]
        if len(taken) >= len(prefix):
            untaken += [(*taken, other) for other in options[1:]]
        taken.append(choice)
        client = clients[int(choice.rpartition(" ")[2])]
        if choice.startswith("kill"):
            killed = clients.index(client)
            client.kill()
        else:
            client.step()
    for thread in threads:
        thread.join()
    return Run(tuple(taken), tuple(client.result for client in clients), killed, server), untaken
