"""Clients that take turns: one strand of one client runs at a time, from one of its requests to the next.

A client is a thread that carries out one command after another, together with the threads of its parallel calls. Each
waits at every request until it is its turn, so the choices of who is next determine everything that happens.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from botocore.retries.quota import RetryQuota

from adversary.http_s3 import Request
from s3memory import _parallel
from s3memory import _threads as package_threads
from s3memory._threads import Call
from s3memory.aws import retry
from s3memory.aws.fast.retries import Retries

_of_thread = threading.local()
_threads = ThreadPoolExecutor(256, thread_name_prefix="turn")


class Strand:
    """A thread that runs when it is its turn.

    Attributes:
        owner: the client that it belongs to.
        request: the request that it waits to send, if any.
        told: what happens to that request.
        future: its result.
    """

    def __init__(self, owner: Any, crew: Crew, call: Callable[[], Any]) -> None:
        self.owner = owner
        self.crew = crew
        self.request: Request | None = None
        self.told: Any = None
        self.future: Future[Any] = Future()
        self._call = call
        self._waits_for: Callable[[], bool] | None = None
        self._turn = _taken_lock()
        self._back = _taken_lock()
        self._ended = _threads.submit(self._run)

    @property
    def is_ready(self) -> bool:
        """Whether what it waits for, other than a request, is available."""
        return self._waits_for is not None and self._waits_for()

    def go_on(self) -> None:
        """Let it run until it waits again or ends."""
        back = self._back
        self._turn.release()
        back.acquire()

    def send(self, request: Request) -> None:
        """Called by the strand itself: wait until its request is carried out."""
        self.request = request
        self._pause()
        self.request = None

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Called by the strand itself: wait until a condition holds."""
        if not condition():
            self._waits_for = condition
            self._pause()
            self._waits_for = None

    def join(self) -> None:
        """Wait until its thread is free."""
        self._ended.result()

    def _pause(self) -> None:
        back, self._back = self._back, _taken_lock()
        back.release()
        self._turn.acquire()

    def _run(self) -> None:
        self._turn.acquire()
        _of_thread.strand = self
        self.future.set_running_or_notify_cancel()  # it can no longer be cancelled
        try:
            self.future.set_result(self._call())
        except BaseException as error:  # noqa: BLE001 - as an executor does; a process that dies is one
            self.future.set_exception(error)
        _of_thread.strand = None
        self._back.release()


class Crew:
    """All strands of one history."""

    def __init__(self) -> None:
        self._strands: list[Strand] = []

    def begin(self, owner: Any, call: Callable[[], Any]) -> Strand:
        """Start a strand and let it run until its first request."""
        strand = Strand(owner, self, call)
        self._strands.append(strand)
        strand.go_on()
        self.settle()
        return strand

    def waiting(self) -> list[Strand]:
        """Return the strands that wait to send a request, in the order in which they started."""
        self._strands = [strand for strand in self._strands if not strand.future.done()]
        return [strand for strand in self._strands if strand.request is not None]

    def take(self, strand: Strand) -> None:
        """Continue a strand whose request was carried out, and the strands that wait for that."""
        strand.go_on()
        self.settle()

    def settle(self) -> None:
        """Continue all strands that do not wait for a request."""
        while _current() is None and (ready := next((one for one in self._strands if one.is_ready), None)):
            ready.go_on()


def _current() -> Strand | None:
    return getattr(_of_thread, "strand", None)


def current() -> Strand:
    """Return the strand that runs here."""
    strand = _current()
    if strand is None:
        raise AssertionError("only strands send requests")
    return strand


class TurnLock:
    """A lock for strands: a real one would stop the thread that hands out turns."""

    def __init__(self) -> None:
        self._is_held = False

    def acquire(self, **_: float) -> bool:
        """Wait until it is free, whatever the timeout."""
        strand = _current()
        if strand is not None:
            strand.wait_until(lambda: not self._is_held)
        self._is_held = True
        return True

    def release(self) -> None:
        """Release it for the next strand."""
        self._is_held = False


class _Strands:
    """Replaces the package's thread pools."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def submit(self, make: Callable[[], None]) -> None:
        strand = _current()
        if strand is None:
            make()
        else:
            strand.crew.begin(strand.owner, make)

    def shutdown(self, **_: object) -> None:
        """Nothing is left to shut down."""


class _OwnPool(_Strands):
    """A pool that returns results one by one: a caller waits for the strand of its result."""

    def submit(self, make: Callable[[], None]) -> None:
        super().submit(make)
        _wait([make.__self__])  # type: ignore[attr-defined]  # the package's call that it makes


def _wait(calls: list[Call[Any]]) -> None:
    strand = _current()
    if strand is not None:
        strand.wait_until(lambda: all(call.is_over for call in calls))


@contextmanager
def taking_turns(sleep: Callable[[float], None]) -> Iterator[None]:
    """Run the package's parallel calls as strands, and let its pauses advance a clock.

    A client's budget of retries is shared by everything it ever does; here each history starts with a full one.
    """
    with (
        patch.object(_parallel._pool, "_executor", _Strands()),
        patch.object(package_threads, "ThreadPoolExecutor", _OwnPool),
        patch.object(_parallel, "wait", _wait),
        patch.object(retry, "_FIRST_PAUSE_SECONDS", 0),
        patch.object(RetryQuota, "acquire", lambda *_: True),
        patch.object(Retries, "_spend", lambda *_: True),
        patch("botocore.endpoint.time.sleep", sleep),
    ):
        yield


def _taken_lock() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock
