"""Parallel calls finish, whatever they call themselves."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import pytest

from s3memory import _parallel, _threads
from s3memory._parallel import MAX_PARALLEL_REQUESTS, Beside, each, pages, stream, together
from s3memory._threads import Call, Threads

MANY = 3 * MAX_PARALLEL_REQUESTS


def double(number: int) -> int:
    return 2 * number


def test_results_come_in_the_order_of_the_arguments() -> None:
    assert each(double, range(MANY)) == [2 * number for number in range(MANY)]
    assert together(partial(double, 1), partial(double, 2), partial(double, 3)) == (2, 4, 6)


def test_nested_parallel_calls_do_not_wait_for_each_others_threads() -> None:
    def nested(number: int) -> tuple[int, int, list[int]]:
        with Beside(partial(double, number)) as beside:
            pair = together(partial(double, number), partial(double, number))
        return pair[1], beside.results[0](), each(double, [number] * 3)

    assert each(nested, range(MANY)) == [(2 * number, 2 * number, [2 * number] * 3) for number in range(MANY)]


def test_a_single_piece_of_work_makes_more_requests_than_usual() -> None:
    wide = stream(double, range(10 * MANY), at_once=MANY)
    assert next(wide) == 0
    gathering, threads = threading.Barrier(MAX_PARALLEL_REQUESTS, timeout=60), set()

    def gather(_: int) -> None:
        threads.add(threading.get_ident())
        gathering.wait()

    each(gather, range(MANY), at_once=MANY)
    list(stream(gather, range(MANY), at_once=MANY))
    # The process's own threads, and those of the stream.
    assert len(threads) <= 2 * MAX_PARALLEL_REQUESTS
    wide.close()  # type: ignore[attr-defined]  # it is a generator
    all_of_them = threading.Barrier(MANY, timeout=60)
    each(lambda _: all_of_them.wait(), range(MANY), at_once=MANY)
    list(stream(lambda _: all_of_them.wait(), range(MANY), at_once=MANY))


def test_the_pending_results_of_a_stream_are_one_or_stay_within_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_parallel, "MAX_HELD_BYTES", 10)
    sizes = [3, 4, 10, 1, 7, 0, 25, 2] * 40
    lock, held = threading.Lock(), [0]
    most: dict[bool, int] = {True: 0, False: 0}

    def begin(n_bytes: int) -> int:
        with lock:
            held[0] += n_bytes
            is_alone = held[0] == n_bytes
            most[is_alone] = max(most[is_alone], held[0])
        return n_bytes

    handed_out = []
    for n_bytes in stream(begin, sizes, size_bytes=lambda n_bytes: n_bytes):
        handed_out.append(n_bytes)
        with lock:
            held[0] -= n_bytes
    assert handed_out == sizes
    assert most[True] == 25
    assert 0 < most[False] <= 10


@dataclass(frozen=True)
class NumberedPage:
    number: int
    next_token: str | None


def test_the_next_page_of_a_listing_is_requested_while_the_caller_works_on_the_last() -> None:
    asked: list[str | None] = []
    is_asked = {"1": threading.Event(), "2": threading.Event()}

    def page_at(token: str | None) -> NumberedPage:
        asked.append(token)
        if token is None:
            return NumberedPage(0, "1")
        is_asked[token].set()
        return NumberedPage(int(token), "2" if token == "1" else None)

    for page in pages(page_at):
        assert page.next_token is None or is_asked[page.next_token].wait(60)
    assert asked == [None, "1", "2"]


def test_a_page_that_fails_is_reported_in_its_turn() -> None:
    def page_at(token: str | None) -> NumberedPage:
        if token is not None:
            raise ConnectionError
        return NumberedPage(0, "1")

    found = pages(page_at)
    assert next(found).number == 0
    with pytest.raises(ConnectionError):
        next(found)


class Interrupted:
    """Calls whose caller is interrupted while it waits, and that end once it has cancelled what it can."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun: list[int] = []
        self.ended: list[int] = []
        self.is_begun, self._called_off = threading.Event(), threading.Event()

        def interrupted(_: object) -> None:
            monkeypatch.setattr(_parallel, "wait", called_off)
            raise KeyboardInterrupt

        def called_off(calls: list[Call[object]]) -> None:
            monkeypatch.setattr(_parallel, "wait", _threads.wait)
            self._called_off.set()
            _threads.wait(calls)

        monkeypatch.setattr(_parallel, "wait", interrupted)

    def call(self, number: int) -> None:
        self.begun.append(number)
        self.is_begun.set()
        assert self._called_off.wait(60)
        self.ended.append(number)

    def assert_over(self, *, most: int) -> None:
        """Assert that all started calls have ended, and that the pool's threads, which run queued calls, start none."""
        assert sorted(self.ended) == sorted(self.begun)
        assert len(self.begun) <= most
        each(double, range(MANY))
        assert len(self.ended) == len(self.begun) <= most


@pytest.mark.parametrize("at_once", [MAX_PARALLEL_REQUESTS, 2 * MAX_PARALLEL_REQUESTS])
def test_an_interrupt_cancels_calls_that_have_not_started_and_waits_for_the_others(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    calls = Interrupted(monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        each(calls.call, range(MANY), at_once=at_once)
    calls.assert_over(most=at_once)


def test_an_interrupt_of_different_parallel_calls_does_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, all_begun = Interrupted(monkeypatch), threading.Barrier(MAX_PARALLEL_REQUESTS + 1, timeout=60)

    def call(number: int) -> None:
        all_begun.wait()
        calls.call(number)

    with pytest.raises(KeyboardInterrupt):
        together(all_begun.wait, *(partial(call, number) for number in range(MAX_PARALLEL_REQUESTS)))
    calls.assert_over(most=MAX_PARALLEL_REQUESTS)


@contextmanager
def a_long_operation() -> Iterator[list[int]]:
    """Another thread's `each`, which takes all threads of the pool and has many calls left: yield those it has made."""
    made: list[int] = []
    is_full, may_go_on = threading.Barrier(MAX_PARALLEL_REQUESTS + 1, timeout=60), threading.Event()

    def call(number: int) -> None:
        if number < MAX_PARALLEL_REQUESTS:
            is_full.wait()
            assert may_go_on.wait(60)
        made.append(number)

    operation = threading.Thread(target=each, args=(call, range(100 * MANY)))
    operation.start()
    is_full.wait()
    try:
        yield made
    finally:
        may_go_on.set()
        operation.join(60)
    assert sorted(made) == list(range(100 * MANY))


def test_different_parallel_calls_need_no_thread_of_a_long_operation() -> None:
    with a_long_operation() as made:
        assert together(partial(double, 1), partial(double, 2), partial(double, 3)) == (2, 4, 6)
        assert made == []


def test_a_short_operation_takes_turns_with_a_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    n_made: list[int] = []  # by the long one, at each call of the short one
    is_queued, begin = threading.Event(), _parallel._Turns.begin

    def begin_and_tell(turns: _parallel._Turns, at_once: int) -> None:
        begin(turns, at_once)
        is_queued.set()

    with a_long_operation() as made:
        monkeypatch.setattr(_parallel._Turns, "begin", begin_and_tell)
        short = threading.Thread(target=each, args=(lambda _: n_made.append(len(made)), range(MANY)))
        short.start()
        assert is_queued.wait(60)
    short.join(60)
    assert len(n_made) == MANY
    assert max(n_made) < 50 * MANY


def test_an_interrupt_of_the_first_of_different_parallel_calls_does_the_same() -> None:
    begun: list[int] = []
    is_interrupted = threading.Event()

    def call(number: int) -> None:
        begun.append(number)
        assert is_interrupted.wait(60)

    def interrupt() -> None:
        is_interrupted.set()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        together(interrupt, *(partial(call, number) for number in range(MANY)))
    n_begun = len(begun)
    each(double, range(MANY))
    assert len(begun) == n_begun


def test_a_call_that_runs_during_other_work_of_this_thread_ends_before_an_interrupt_is_raised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = Interrupted(monkeypatch)
    with pytest.raises(KeyboardInterrupt), Beside(partial(calls.call, 0)):
        assert calls.is_begun.wait(60)
    calls.assert_over(most=1)


# In a thread that outlives the main one: from then on, Python starts no further threads.
LATE_PROGRAM = """
import threading
from functools import partial
from s3memory import LocalKeyWrapper, MemoryStore, MemoryCommands
from s3memory._parallel import Beside, each, stream, together
from support.memory_s3 import InMemoryS3

wrapper = LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text())
store = MemoryStore(bucket="bucket", tenant="acme", key_wrapper=wrapper, s3_client=InMemoryS3().client())
commands = MemoryCommands(store)

def late():
    threading.main_thread().join()
    print(each(abs, range(3)), each(abs, range(99), at_once=64)[98], together(int, str, list), *stream(abs, range(3)))
    with Beside(dict) as beside:
        pass
    print(beside.results[0]())
    print(commands.create("/memories/d/a.md", "tea"))
    print(commands.view("/memories/d").splitlines()[-1].split()[-1])
    print(commands.rename("/memories/d", "/memories/e"))
    print(commands.delete("/memories/e"))

threading.Thread(target=late).start()
"""


def test_a_thread_that_outlives_the_main_one_makes_its_calls_itself() -> None:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", LATE_PROGRAM],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=False,
    )
    assert done.stdout.splitlines() == [
        "[0, 1, 2] 98 (0, '', []) 0 1 2",
        "{}",
        "File created successfully at: /memories/d/a.md",
        "/memories/d/a.md",
        "Successfully renamed /memories/d to /memories/e",
        "Successfully deleted /memories/e",
    ], done.stderr


def test_a_call_whose_thread_cannot_start_is_made_once_although_it_stays_in_the_queue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[int] = []

    def call(number: int) -> Callable[[], object]:
        return lambda: made.append(number)

    def no_thread(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    threads = Threads(2, "late")
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", no_thread)
        threads.submit(call(1)).result(0)
    assert made == [1]
    threads.submit(call(2)).result(60)
    threads.get().shutdown()
    assert made == [1, 2]
