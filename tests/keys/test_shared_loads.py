"""Threads that need the same key share a load, wait no longer than their time allows, and all see its failure."""

from __future__ import annotations

import gc
import os
import sys
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, ClassVar

import pytest
from conftest import MakeStore
from support.memory_s3 import InMemoryS3
from support.waiting import Waiting

from s3memory import LocalKeyWrapper, MemoryStore
from s3memory.admin.keys.rotation import rotate
from s3memory.aws.retry import RetryPolicy, has_time_for
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


def together(waiting: Waiting, first: Callable[[], object], other: Callable[[], object]) -> list[Future[object]]:
    """Call one, and the others once that one is loading. Return the results."""
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


def never() -> None:
    raise AssertionError("it is not to be loaded")


def load_in(waiting: Waiting, load: Callable[[], object], *, identity: object = "acme") -> object:
    return waiting.cache.loads.load(identity, load, RetryPolicy(max_tries=1))


@pytest.mark.parametrize(
    "error", [UnavailableError("away"), KeyRingError("torn", made_with="local", configured="aws-kms")]
)
def test_a_failed_load_fails_once_for_all_waiters(error: S3MemoryError) -> None:
    waiting, cause = Waiting(MANY), OSError("reset")
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
def test_an_error_that_is_specific_to_the_loader_is_not_passed_to_waiters(error: Exception) -> None:
    waiting = Waiting(MANY)
    loaded: list[int] = []
    first, *others = together(
        waiting,
        lambda: load_in(waiting, raising(waiting, error)),
        lambda: load_in(waiting, lambda: loaded.append(1)),
    )
    assert first.exception() is error
    assert [future.exception() for future in others] == [None] * MANY
    assert len(loaded) == MANY


@pytest.mark.parametrize("left_at_the_end", [0.0, 1.0])
def test_a_loaders_lack_of_time_is_not_passed_to_waiters(left_at_the_end: float) -> None:
    """No time at all, or less than the pause before a retry."""
    waiting = Waiting(MANY)
    loaded: list[int] = []
    left = [1.0]

    def load_until_time_is_up() -> None:
        waiting.until_others_wait()
        left[0] = left_at_the_end
        assert not has_time_for(2.0)
        raise UnavailableError("no time")

    def load_in_time() -> None:
        policy = RetryPolicy(max_tries=1, remaining_seconds=lambda: left[0])
        waiting.cache.loads.load("acme", load_until_time_is_up, policy)

    first, *others = together(waiting, load_in_time, lambda: load_in(waiting, lambda: loaded.append(1)))
    assert str(first.exception()) == "no time"
    assert [one.exception() for one in others] == [None] * MANY
    assert loaded == [1]


class Loads:
    """A load that finds nothing, the first time once others wait for it, and what happens during the load."""

    def __init__(self, waiting: Waiting, *, first: Callable[[], object], then: Callable[[], object]) -> None:
        self.count = 0
        self._waiting = waiting
        self._first, self._then = first, then

    def __call__(self) -> object:
        self.count += 1
        if self.count > 1:
            return self._then()
        self._waiting.until_others_wait()
        return self._first()


def nothing() -> None:
    return None


def interrupted() -> None:
    raise KeyboardInterrupt


def failing() -> None:
    raise UnavailableError("away")


def test_threads_that_come_during_a_load_share_the_next_one() -> None:
    waiting = Waiting(MANY)
    loads = Loads(waiting, first=nothing, then=nothing)
    load = partial(load_in, waiting, loads)
    assert [one.result() for one in together(waiting, load, load)] == [None] * (MANY + 1)
    assert loads.count == 2


def test_an_empty_result_is_not_passed_to_threads_that_asked_after_the_lookup() -> None:
    waiting = Waiting(MANY)
    loads = Loads(waiting, first=nothing, then=lambda: "a key")  # stored after the lookup, before the others asked
    load = partial(load_in, waiting, loads)
    first, *others = together(waiting, load, load)
    assert first.result() is None
    assert [one.result() for one in others] == ["a key"] * MANY
    assert loads.count == 2


def test_a_found_result_is_passed_to_all_waiters() -> None:
    waiting = Waiting(MANY)
    loads = Loads(waiting, first=lambda: "a key", then=nothing)
    load = partial(load_in, waiting, loads)
    assert [one.result() for one in together(waiting, load, load)] == ["a key"] * (MANY + 1)
    assert loads.count == 1


def test_a_next_load_that_fails_fails_once_for_all_who_share_it() -> None:
    waiting = Waiting(MANY)
    loads = Loads(waiting, first=nothing, then=failing)
    load = partial(load_in, waiting, loads)
    first, *others = together(waiting, load, load)
    assert first.result() is None
    raised = [one.exception() for one in others]
    assert [str(one) for one in raised] == ["away"] * MANY
    assert len({id(one) for one in raised}) == MANY
    assert loads.count == 2


def test_if_the_loader_is_interrupted_another_thread_loads_for_all() -> None:
    waiting = Waiting(MANY)
    loads = Loads(waiting, first=interrupted, then=nothing)
    load = partial(load_in, waiting, loads)
    first, *others = together(waiting, load, load)
    assert isinstance(first.exception(), KeyboardInterrupt)
    assert [one.result() for one in others] == [None] * MANY
    assert loads.count == 2


def test_a_waiter_that_runs_out_of_time_affects_nobody_else() -> None:
    waiting = Waiting(MANY)
    hurried = RetryPolicy(max_tries=1, remaining_seconds=lambda: 0.0)

    def first() -> None:
        for _ in range(3):
            with pytest.raises(UnavailableError, match="another command was still fetching it"):
                waiting.cache.loads.load("acme", never, hurried)

    loads = Loads(waiting, first=first, then=nothing)
    load = partial(load_in, waiting, loads)
    assert [one.result() for one in together(waiting, load, load)] == [None] * (MANY + 1)
    assert loads.count == 2


def test_a_waiter_that_is_interrupted_affects_nobody_else() -> None:
    class Interrupted:
        """A lock whose wait is interrupted once by Ctrl-C."""

        left: ClassVar = [KeyboardInterrupt()]

        def __init__(self) -> None:
            self._lock = threading.Lock()
            self.release = self._lock.release

        def acquire(self, *, timeout: float = -1, **_: object) -> bool:
            if self._lock.locked() and self.left:
                raise self.left.pop()
            return self._lock.acquire(timeout=timeout)

    new_lock: Any = Interrupted
    cache = KeyCache(new_lock=new_lock)
    policy = RetryPolicy(max_tries=1, remaining_seconds=lambda: 0.01)

    def load() -> str:
        with pytest.raises(KeyboardInterrupt):
            cache.loads.load("acme", never, policy)
        with pytest.raises(UnavailableError, match="another command was still fetching it"):
            cache.loads.load("acme", never, policy)
        return "a key"

    patient = RetryPolicy(max_tries=1)
    assert cache.loads.load("acme", load, patient) == "a key"
    assert cache.loads.load("acme", lambda: "another", patient) == "another"


@pytest.mark.usefixtures("few_to_collect")
@pytest.mark.parametrize("first", [nothing, lambda: "a key", interrupted, failing])
def test_nothing_is_kept_of_a_load_without_waiters(first: Callable[[], object]) -> None:
    class Wanted:
        pass

    waiting, wanted = Waiting(MANY), Wanted()
    load = partial(load_in, waiting, Loads(waiting, first=first, then=nothing), identity=wanted)
    together(waiting, load, load)
    reference = weakref.ref(wanted)
    del wanted, load
    gc.collect()
    assert reference() is None


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_forked_child_does_not_wait_for_its_parents_loads() -> None:
    cache = KeyCache()
    policy = RetryPolicy(max_tries=1, remaining_seconds=lambda: 60.0)

    def load() -> int:
        child = os.fork()
        if child == 0:
            try:
                os._exit(cache.loads.load("acme", lambda: 7, policy))
            finally:
                os._exit(1)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    assert cache.loads.load("acme", load, policy) == 7


def test_no_thread_waits_for_another_tenants_key_or_sees_its_failure() -> None:
    class Tenant:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            return self is other

    waiting, ours, theirs = Waiting(MANY), Tenant(), Tenant()

    def load() -> None:
        assert load_in(waiting, lambda: "a key", identity=theirs) == "a key"
        raise UnavailableError("away")

    with pytest.raises(UnavailableError):
        load_in(waiting, load, identity=ours)
    assert load_in(waiting, lambda: "a key", identity=theirs) == "a key"


@pytest.mark.parametrize("remaining_seconds", [0.01, 0.0, -1.0])
def test_no_thread_waits_beyond_its_deadline(remaining_seconds: float) -> None:
    waiting = Waiting(MANY)
    hurried = RetryPolicy(max_tries=1, remaining_seconds=lambda: remaining_seconds)

    def load() -> None:
        with pytest.raises(UnavailableError, match="another command was still fetching it"):
            waiting.cache.loads.load("acme", never, hurried)

    load_in(waiting, load)
    load_in(waiting, load)


@pytest.mark.parametrize("forever", [float("inf"), 10.0**300])
def test_unlimited_time_is_a_valid_time(forever: float) -> None:
    policy = RetryPolicy(max_tries=1, remaining_seconds=lambda: forever)
    assert KeyCache().loads.load("acme", lambda: "a key", policy) == "a key"


def test_nothing_is_loaded_after_the_deadline() -> None:
    over = RetryPolicy(max_tries=1, remaining_seconds=lambda: 0.0)
    with pytest.raises(UnavailableError, match="no time left"):
        KeyCache().loads.load("acme", never, over)


class Wrapper:
    """A local key that waits once until others wait for its result, and is unavailable after that."""

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


class Asked:
    """Records the requests of a client, the first of which waits until others wait for the same load."""

    def __init__(self, waiting: Waiting) -> None:
        self.requests: list[tuple[str, str]] = []
        self._waiting = waiting

    def __call__(self, operation: str, object_key: str) -> None:
        self.requests.append((operation, object_key))
        if len(self.requests) == 1:
            self._waiting.until_others_wait()

    def of(self, object_key: str) -> list[str]:
        return [operation for operation, of in self.requests if of == object_key]

    def once_listed(self, store: MemoryStore) -> Callable[[str, str], None]:
        """Return a hook that stores a file and lets others ask once the first listing has found nothing."""

        def after(operation: str, object_key: str) -> None:
            self.requests.append((operation, object_key))
            if [of for of, _ in self.requests].count("ListObjectsV2") == 1 and operation == "ListObjectsV2":
                store.create(A, "tea")
                self._waiting.until_others_wait()

        return after


class TestReaders:
    @pytest.fixture
    def waiting(self) -> Waiting:
        return Waiting(MANY)

    def test_of_a_ring_see_an_outage_once(
        self, make_store: MakeStore, key_wrapper: LocalKeyWrapper, waiting: Waiting
    ) -> None:
        make_store().create(A, "tea")
        wrapper = Wrapper(key_wrapper, waiting, waits_in="unwrap")
        read = partial(make_store(key_cache=waiting.cache, key_wrapper=wrapper).read, A)
        assert [type(one.exception()) for one in together(waiting, read, read)] == [UnavailableError] * (MANY + 1)
        assert wrapper.calls == 1
        assert read() is not None

    def test_of_an_older_generation_see_an_outage_once(
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
        wrapper = Wrapper(key_wrapper, waiting, waits_in="unwrap", at=3, fails=False)
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
        assert (asked.count("keyrings/acme"), wrapper.calls) == (
            1,
            3,
        )  # to open it, to test its rotation, to open the new ring

    def test_of_a_tenant_without_a_ring_need_two_lookups_in_total(
        self, make_store: MakeStore, waiting: Waiting
    ) -> None:
        asked = Asked(waiting)
        store = make_store(key_cache=waiting.cache, s3_client=InMemoryS3().client(before=asked))
        read = partial(store.read, A)
        assert [one.result() for one in together(waiting, read, read)] == [None] * (MANY + 1)
        assert asked.of("keyrings/acme") == ["GetObject"] * 2
        assert len(asked.requests) == 4

    def test_see_a_file_that_was_stored_before_they_asked(self, make_store: MakeStore, waiting: Waiting) -> None:
        memory = InMemoryS3()
        asked = Asked(waiting)
        theirs = make_store(key_cache=KeyCache(), s3_client=memory.client())
        # The first lookup has found nothing before the file is stored and the others ask for it.
        store = make_store(key_cache=waiting.cache, s3_client=memory.client(after=asked.once_listed(theirs)))
        read = partial(store.read, A)
        first, *others = together(waiting, read, read)
        assert first.result() is None
        assert [getattr(one.result(), "text", None) for one in others] == ["tea"] * MANY

    def test_do_not_wait_for_a_writer_that_creates_the_ring_and_do_not_see_its_failure(
        self, make_store: MakeStore, key_wrapper: LocalKeyWrapper
    ) -> None:
        cache, is_making, are_done = KeyCache(), threading.Event(), threading.Event()

        class Failing:
            name = "local"
            unwrap = key_wrapper.unwrap

            def generate(self, _context: dict[str, str], /) -> tuple[bytes, bytes]:
                is_making.set()
                assert are_done.wait(60)
                raise UnavailableError("away")

        store = make_store(key_cache=cache, key_wrapper=Failing())
        with ThreadPoolExecutor(MANY + 1) as pool:
            writer = pool.submit(store.create, A, "tea")
            assert is_making.wait(60)
            readers = [pool.submit(store.read, A) for _ in range(MANY)]
            assert [one.result() for one in readers] == [None] * MANY
            are_done.set()
        assert isinstance(writer.exception(), UnavailableError)


def test_first_writers_need_two_lookups_in_total_and_create_one_ring(
    make_store: MakeStore, key_wrapper: LocalKeyWrapper
) -> None:
    waiting = Waiting(MANY)
    asked, memory = Asked(waiting), InMemoryS3()
    wrapper = Wrapper(key_wrapper, waiting, waits_in="generate", at=0)
    store = make_store(key_cache=waiting.cache, key_wrapper=wrapper, s3_client=memory.client(before=asked))
    names = iter(range(MANY + 1))

    def write() -> None:
        store.create(MemoryPath((f"{next(names)}.md",)), "tea")

    for one in together(waiting, write, write):
        one.result()
    ring = asked.of("keyrings/acme")
    assert ring.count("GetObject") <= 2
    assert (ring.count("PutObject"), wrapper.calls) == (1, 1)
    assert len(store.files.below(MemoryPath())) == MANY + 1


def test_a_ring_that_was_just_fetched_is_opened_after_another_thread_found_none(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An erasure and a new tenant come between that thread's lookup and this one."""
    store = make_store(key_cache=KeyCache())
    store.create(A, "tea")
    rotate(make_store(key_cache=KeyCache()))
    loads = store.key_ring.cache.loads
    with monkeypatch.context() as patch:
        patch.setattr(loads, "load", lambda *_: None)
        ring = store.key_ring.refreshed()
    assert ring is not None
    assert ring.newest.generation == 2
