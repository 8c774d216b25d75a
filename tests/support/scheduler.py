"""Clients that stop at each of their S3 requests: the real code, on an in-memory S3, one step at a time.

A client is one command with all its parallel work: each call that it gives to the package's thread pool becomes its own
strand, so any of its requests that are in flight together can be the next. One strand runs at a time, and only until
its next request. A run is therefore determined by its choices alone: which waiting request is carried out next, or
which client is killed, with all its strands, before any of them continues. Requests that a killed client has sent may
still be carried out at any time: the network holds them, not the process.

Keys must be cached before a run: a lock that one strand holds while it waits here would stop the others forever.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any
from unittest.mock import patch

from s3memory import _parallel
from s3memory._threads import Call
from s3memory.aws import retry
from support.fast_transport import client_by_transport
from support.faults import Killed
from support.memory_s3 import InMemoryS3

Work = Callable[[Any], Any]
KILL = "kill"

_of_thread = threading.local()
# More than the strands of one run; each keeps its thread until it ends.
_threads = ThreadPoolExecutor(256, thread_name_prefix="strand")


@dataclass(frozen=True, slots=True, order=True)
class Choice:
    """What happens next.

    Attributes:
        client: its number.
        strand: the number of its strand; -1 if all of them are killed.
        operation: AWS's name of the waiting request, or `KILL`.
        object_key: what the request is about: an object key, or the prefix of a listing.
        late: for a kill, the strands whose requests have been sent and are carried out afterwards.
    """

    client: int
    strand: int
    operation: str
    object_key: str = ""
    late: tuple[int, ...] = ()

    def __str__(self) -> str:
        late = f", strands {self.late} having sent" if self.late else ""
        return f"{self.client} {self.operation} {self.object_key}".strip() + late


@dataclass(frozen=True, slots=True)
class Run:
    """One order that was run: its choices and results."""

    choices: tuple[Choice, ...]
    results: tuple[Any, ...]
    killed: int | None
    server: InMemoryS3

    def __str__(self) -> str:
        return "\n".join(map(str, (*self.choices, *self.results)))


class _Strand:
    """A thread that runs when it is its turn: a client's own, or a call that it gave to the pool.

    Attributes:
        past: the steps that led to where it waits, as the bits of their numbers.
        is_late: its client was killed, and its request is in flight.
    """

    def __init__(self, client: _Client, number: int, call: Callable[[], Any]) -> None:
        self.client = client
        self.number = number
        self.call = call
        self.future: Future[Any] = Future()
        self.past = 0
        self.is_late = False
        self.request: tuple[str, str] | None = None
        self.waits_for: list[_Strand] = []
        self._turn = _taken_lock()
        self._back = _taken_lock()
        self._ended = _threads.submit(self._run)

    def go_on(self) -> None:
        """Let it run until it waits again or ends. The caller waits in the meantime."""
        self._back = back = _taken_lock()
        self._turn.release()
        back.acquire()

    def pause(self) -> None:
        """Called by the strand itself: wait for its turn."""
        self._back.release()
        self._turn.acquire()

    def join(self) -> None:
        self._ended.result()

    @property
    def made(self) -> Any:
        """The package's call that it runs; ``None`` for a client's own strand."""
        return getattr(self.call, "__self__", None)

    def makes_one_of(self, calls: list[Call[Any]]) -> bool:
        """Whether it makes one of these calls, or takes turns in making them."""
        made = self.made
        return made in calls or (isinstance(made, _parallel._Turns) and any(call in made.calls for call in calls))

    @property
    def is_ready(self) -> bool:
        """Whether what it waits for is available."""
        return bool(self.waits_for) and all(strand.future.done() for strand in self.waits_for)

    def _run(self) -> None:
        self._turn.acquire()
        _of_thread.strand = self
        self.future.set_running_or_notify_cancel()  # as an executor does: it can no longer be cancelled
        try:
            self.future.set_result(self.call())
        except BaseException as error:  # noqa: BLE001 - as an executor does; being killed is one
            self.future.set_exception(error)
        _of_thread.strand = None
        self._back.release()


@dataclass(slots=True)
class _Client:
    """A command on a server, with its strands."""

    number: int
    strands: list[_Strand] = field(default_factory=list)
    is_killed: bool = False

    def start(self, work: Work, server: InMemoryS3) -> None:
        client = client_by_transport(server.client(before=self._gate, after=self._answered))
        self.begin(lambda: work(client), past=0)

    def begin(self, call: Callable[[], Any], *, past: int) -> None:
        strand = _Strand(self, len(self.strands), call)
        strand.past = past
        self.strands.append(strand)
        strand.go_on()

    @property
    def is_done(self) -> bool:
        return self.strands[0].future.done()

    @property
    def result(self) -> Any:
        """The command's result; ``None`` if it was killed first."""
        try:
            return self.strands[0].future.result()
        except Killed:
            return None

    def waiting(self) -> list[_Strand]:
        return [strand for strand in self.strands if strand.request is not None]

    def step(self, strand: _Strand, number: int) -> None:
        """Carry out a waiting request, as the step with this number."""
        strand.request = None
        strand.past |= 1 << number
        strand.go_on()
        while ready := next((strand for strand in self.strands if strand.is_ready), None):
            ready.waits_for = []
            ready.go_on()

    def kill(self, number: int, late: tuple[int, ...] = ()) -> None:
        """Kill it as the step with this number, except for what some strands have sent."""
        self.is_killed = True
        for strand in self.waiting():
            strand.past |= 1 << number
        while waiting := [strand for strand in self.waiting() if strand.number not in late]:
            self.step(waiting[0], number)
        for strand in self.waiting():
            strand.is_late = True

    def _gate(self, operation: str, object_key: str) -> None:
        strand: _Strand = _of_thread.strand
        if not self.is_killed:
            strand.request = (operation, object_key)
            strand.pause()
        if self.is_killed and not strand.is_late:
            raise Killed

    def _answered(self, _operation: str, _object_key: str) -> None:
        if self.is_killed:
            raise Killed


class _Strands:
    """Replaces the package's thread pool."""

    def submit(self, make: Callable[[], None]) -> None:
        strand: _Strand | None = getattr(_of_thread, "strand", None)
        if strand is None:
            make()  # not a client's call: the test inspects what is stored
        else:
            strand.client.begin(make, past=strand.past)


def _wait(calls: list[Call[Any]]) -> None:
    strand: _Strand | None = getattr(_of_thread, "strand", None)
    if strand is None:
        return
    while not all(call.is_over for call in calls):
        others = [other for other in strand.client.strands if other.makes_one_of(calls)]
        strand.waits_for = [other for other in others if not other.future.done()]
        strand.pause()
    for other in strand.client.strands:
        if other.makes_one_of(calls):
            strand.past |= other.past


@contextmanager
def _on_one_processor() -> Iterator[None]:
    """Pin the strands to one processor: only one runs at a time, and waking another processor takes long."""
    if not hasattr(os, "sched_setaffinity"):  # as on macOS
        yield
        return
    allowed = os.sched_getaffinity(0)
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    os.sched_setaffinity(0, {sorted(allowed)[worker % len(allowed)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


@contextmanager
def in_strands() -> Iterator[None]:
    """Run the package's parallel calls as strands, and skip its pauses."""
    with (
        _on_one_processor(),
        patch.object(_parallel._pool, "_executor", _Strands()),
        patch.object(_parallel, "wait", _wait),
        patch.object(retry, "_FIRST_PAUSE_SECONDS", 0),
    ):
        yield


class Execution:
    """Some clients on their own server, until all have ended.

    Args:
        base: what is stored beforehand.
        works: what the clients do.
        kills: whether one of them may be killed.
        late: whether the requests that a killed client has sent may be carried out later.

    Attributes:
        server: the server in its current state.
        taken: the steps so far.
        pasts: for each step, the steps that had to be taken before its request could wait, as bits.
    """

    def __init__(self, base: InMemoryS3, works: list[Work], *, kills: bool = False, late: bool = False) -> None:
        self.server = base.copy()
        self.taken: list[Choice] = []
        self.pasts: list[int] = []
        self._clients = [_Client(number) for number in range(len(works))]
        self._may_kill = kills
        self._may_be_late = late
        self._killed: int | None = None
        for client, work in zip(self._clients, works, strict=True):
            client.start(work, self.server)

    def options(self) -> list[Choice]:
        """Return the possible next choices; empty once all have ended."""
        steps = [
            Choice(client.number, strand.number, *strand.request)
            for client in self._clients
            for strand in client.waiting()
            if strand.request is not None
        ]
        if not self._may_kill or self._killed is not None:
            return steps
        return steps + [
            Choice(client.number, -1, KILL, late=late)
            for client in self._clients
            if not client.is_done
            for late in self._may_be_left_behind(client)
        ]

    def _may_be_left_behind(self, client: _Client) -> list[tuple[int, ...]]:
        strands = [strand.number for strand in client.waiting()] if self._may_be_late else []
        return [late for count in range(len(strands) + 1) for late in combinations(strands, count)]

    def take(self, choice: Choice) -> None:
        """Take a choice."""
        number = len(self.taken)
        client = self._clients[choice.client]
        self.taken.append(choice)
        if choice.operation == KILL:
            self.pasts.append(0)
            self._killed = choice.client
            client.kill(number, choice.late)
        else:
            strand = client.strands[choice.strand]
            self.pasts.append(strand.past)
            client.step(strand, number)

    def ended(self) -> Run:
        """Return the finished run."""
        self._join()
        results = tuple(client.result for client in self._clients)
        return Run(tuple(self.taken), results, self._killed, self.server)

    def abandon(self) -> None:
        """Stop all clients where they are."""
        for client in self._clients:
            client.kill(len(self.taken))
        self._join()

    def _join(self) -> None:
        for client in self._clients:
            for strand in client.strands:
                strand.join()


def _taken_lock() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock
