"""Threads that want the same key wait for one of them, no longer than they have time, and hear of its failure."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from conftest import MakeStore
from support.memory_s3 import InMemoryS3

from s3memory import LocalKeyWrapper
from s3memory.admin.keys.rotation import rotate
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import (
    AccessDeniedError,
    ConfigurationError,
    KeyRingError,
    S3MemoryError,
    UnavailableError,
)
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath

A = MemoryPath(("a.md",))
MANY = 20


class Waiting:
    """A cache, and a load in it that goes on until as many threads wait for it as are expected."""

    def __init__(self) -> None:
        self.cache = KeyCache(new_lock=self._new_lock)
        self.is_begun = threading.Event()
        self._is_tried = threading.Semaphore(0)

    def until_others_wait(self) -> None:
        self.is_begun.set()
        for _ in range(MANY):
            assert self._is_tried.acquire(timeout=60)

    def _new_lock(self) -> Any:
        lock, is_begun, is_tried = threading.Lock(), self.is_begun, self._is_tried

        class Noting:
            release = lock.release

            def acquire(self, *, timeout: float) -> bool:
                if is_begun.is_set():
                    is_tried.release()
                return lock.acquire(timeout=timeout)

        return Noting()


def together(waiting: Waiting, first: Callable[[], object], other: Callable[[], object]) -> list[Future[object]]:
    """Call one, and others once that one loads. Return what became of each."""
    with ThreadPoolExecutor(MANY + 1) as pool:
        futures = [pool.submit(first)]
        assert waiting.is_begun.wait(60)
        futures += [pool.submit(other) for _ in range(MANY)]
    return futures


def raising(waiting: Waiting, error: Exception) -> Callable[[], None]:
    def load() -> None:
        waiting.until_others_wait()
        raise error

    return load


def load_in(waiting: Waiting, load: Callable[[], object], *, identity: object = "acme") -> object:
    with waiting.cache.turn_to_load(identity, RetryPolicy(max_tries=1)) as turn:
        return turn(load)


@pytest.mark.parametrize(
    "error", [UnavailableError("away"), KeyRingError("torn", made_with="local", configured="aws-kms")]
)
def test_a_load_that_fails_fails_once_for_all_who_waited_for_it(error: S3MemoryError) -> None:
    waiting, cause = Waiting(), OSError("reset")
    error.__cause__ = cause
    loaded: list[int] = []
    futures = together(
        waiting,
        lambda: load_in(waiting, raising(waiting, error)),
        lambda: load_in(waiting, lambda: loaded.append(1)),
    )
    raised = [future.exception() for future in futures]
    assert not loaded
    assert len({id(one) for one in raised}) == len(raised)
    for one in raised:
        assert (type(one), str(one), vars(one or error)) == (type(error), str(error), vars(error))
        assert one is not None
        assert one.__cause__ is cause
    load_in(waiting, lambda: loaded.append(1))
    assert loaded == [1]


@pytest.mark.parametrize(
    "error", [AccessDeniedError("no"), ConfigurationError("plain names"), RuntimeError("a wrapper's own")]
)
def test_what_is_wrong_with_who_loads_is_not_told_to_who_waits(error: Exception) -> None:
    waiting = Waiting()
    loaded: list[int] = []
    first, *others = together(
        waiting,
        lambda: load_in(waiting, raising(waiting, error)),
        lambda: load_in(waiting, lambda: loaded.append(1)),
    )
    assert first.exception() is error
    assert [future.exception() for future in others] == [None] * MANY
    assert len(loaded) == MANY


def test_that_who_loads_has_no_time_left_is_not_told_to_who_waits() -> None:
    waiting = Waiting()
    loaded: list[int] = []
    left = [1.0]

    def load_until_time_is_up() -> None:
        waiting.until_others_wait()
        left[0] = 0.0
        raise UnavailableError("no time")

    def load_in_time() -> None:
        policy = RetryPolicy(max_tries=1, remaining_seconds=lambda: left[0])
        with waiting.cache.turn_to_load("acme", policy) as turn:
            turn(load_until_time_is_up)

    first, *others = together(waiting, load_in_time, lambda: load_in(waiting, lambda: loaded.append(1)))
    assert str(first.exception()) == "no time"
    assert [one.exception() for one in others] == [None] * MANY
    assert loaded == [1] * MANY


def test_nobody_waits_for_another_tenants_key_or_hears_of_its_failure() -> None:
    class Tenant:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            return self is other

    waiting, ours, theirs = Waiting(), Tenant(), Tenant()

    def load() -> None:
        assert load_in(waiting, lambda: "a key", identity=theirs) == "a key"
        raise UnavailableError("away")

    with pytest.raises(UnavailableError):
        load_in(waiting, load, identity=ours)
    assert load_in(waiting, lambda: "a key", identity=theirs) == "a key"


@pytest.mark.parametrize("remaining_seconds", [0.01, 0.0, -1.0])
def test_nobody_waits_longer_than_there_is_time(remaining_seconds: float) -> None:
    waiting = Waiting()
    hurried = RetryPolicy(max_tries=1, remaining_seconds=lambda: remaining_seconds)

    def load() -> None:
        turn = waiting.cache.turn_to_load("acme", hurried)
        with pytest.raises(UnavailableError, match="another command was still fetching it"), turn:
            raise AssertionError("it is not this one's turn")

    load_in(waiting, load)
    load_in(waiting, load)


@pytest.mark.parametrize("forever", [float("inf"), 10.0**300])
def test_a_time_without_an_end_is_a_time(forever: float) -> None:
    with KeyCache().turn_to_load("acme", RetryPolicy(max_tries=1, remaining_seconds=lambda: forever)) as load:
        assert load(lambda: "a key") == "a key"


def test_nothing_is_loaded_once_the_time_is_up() -> None:
    over = RetryPolicy(max_tries=1, remaining_seconds=lambda: 0.0)
    with pytest.raises(UnavailableError, match="no time left"), KeyCache().turn_to_load("acme", over):
        raise AssertionError("there is no time")


class Wrapper:
    """A local key that waits once until others wait for what it does, and is out of reach then."""

    name = "local"

    def __init__(
        self, key_wrapper: LocalKeyWrapper, waiting: Waiting, *, waits_in: str, at: int = 1, fails: bool = True
    ) -> None:
        self._wrapper, self._waiting, self._waits_in, self._at = key_wrapper, waiting, waits_in, at
        self._fails = fails
        self.calls = 0

    def generate(self, context: dict[str, str], /) -> tuple[bytes, bytes]:
        self._wait("generate")
        return self._wrapper.generate(context)

    def unwrap(self, wrapped: bytes, context: dict[str, str], /) -> bytes:
        self._wait("unwrap")
        return self._wrapper.unwrap(wrapped, context)

    def _wait(self, where: str) -> None:
        if where == self._waits_in:
            self.calls += 1
            if self.calls == self._at:
                self._waiting.until_others_wait()
                if self._fails:
                    raise UnavailableError("away")


class TestReaders:
    @pytest.fixture
    def waiting(self) -> Waiting:
        return Waiting()

    def test_of_a_ring_hear_of_one_outage_once(
        self, make_store: MakeStore, key_wrapper: LocalKeyWrapper, waiting: Waiting
    ) -> None:
        make_store().create(A, "tea")
        wrapper = Wrapper(key_wrapper, waiting, waits_in="unwrap")
        read = partial(make_store(key_cache=waiting.cache, key_wrapper=wrapper).read, A)
        assert [type(one.exception()) for one in together(waiting, read, read)] == [UnavailableError] * (MANY + 1)
        assert wrapper.calls == 1
        assert read() is not None

    def test_of_an_older_generation_do_so_too(
        self, make_store: MakeStore, key_wrapper: LocalKeyWrapper, waiting: Waiting
    ) -> None:
        make_store().create(A, "tea")
        rotate(make_store())
        wrapper = Wrapper(key_wrapper, waiting, waits_in="unwrap", at=2)
        store = make_store(key_cache=waiting.cache, key_wrapper=wrapper)
        store.key_ring.existing()
        read = partial(store.read, A)
        assert [type(one.exception()) for one in together(waiting, read, read)] == [UnavailableError] * (MANY + 1)
        assert wrapper.calls == 2
        assert read() is not None

    def test_of_a_generation_that_was_added_meanwhile_fetch_the_ring_once(
        self, make_store: MakeStore, key_wrapper: LocalKeyWrapper, waiting: Waiting
    ) -> None:
        memory, asked = InMemoryS3(), list[str]()
        wrapper = Wrapper(key_wrapper, waiting, waits_in="unwrap", at=2, fails=False)
        client = memory.client(before=lambda _, object_key: asked.append(object_key))
        store = make_store(key_cache=waiting.cache, key_wrapper=wrapper, s3_client=client)
        theirs = make_store(key_cache=KeyCache(), s3_client=memory.client())
        theirs.create(MemoryPath(("b.md",)), "tea")
        stale = store.key_ring.existing()
        assert stale is not None
        stored = theirs.key_ring.stored()
        assert stored is not None
        theirs.key_ring.replace(stale.rotated(), etag=stored.info.etag)
        theirs.create(A, "tea")
        asked.clear()
        read = partial(store.read, A)
        assert all(one.result() is not None for one in together(waiting, read, read))
        assert store.key_ring.data_key(stale, 2).generation == 2
        assert (asked.count("keyrings/acme"), wrapper.calls) == (1, 2)

    def test_hear_nothing_of_a_writer_that_could_make_no_ring(
        self, make_store: MakeStore, key_wrapper: LocalKeyWrapper, waiting: Waiting
    ) -> None:
        wrapper = Wrapper(key_wrapper, waiting, waits_in="generate")
        store = make_store(key_cache=waiting.cache, key_wrapper=wrapper)
        writer, *readers = together(waiting, partial(store.create, A, "tea"), partial(store.read, A))
        assert isinstance(writer.exception(), UnavailableError)
        assert [one.result() for one in readers] == [None] * MANY
