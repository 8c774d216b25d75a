"""A restored older key ring: a process that has used a newer one refuses it, and logs that."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from conftest import TENANT, MakeStore
from support.stored import put_back, ring_now

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory.admin.erasure.erasing import erase
from s3memory.admin.keys.rotation import rewrap, rotate
from s3memory.errors import ConfigurationError, KeyRingError
from s3memory.format.names import ENCRYPTED, ENCRYPTED_REQUIRED, PLAIN
from s3memory.keys.key_cache import KeyCache
from s3memory.keys.seen_rings import SeenRings
from s3memory.keys.tenant_keys import TenantKeys
from s3memory.paths import MemoryPath

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

A = MemoryPath.parse("/memories/a")


@pytest.fixture
def used(make_store: MakeStore) -> MemoryStore:
    """A store whose process has used generations 1 and 2."""
    store = make_store(key_cache=KeyCache())
    MemoryCommands(store).call({"command": "create", "path": "/memories/a", "file_text": "one"})
    return store


def use(store: MemoryStore) -> None:
    assert store.key_ring.existing() is not None


def after_forgetting(keys: TenantKeys) -> None:
    keys.forget()
    keys.existing()


def after_emptying_the_cache(keys: TenantKeys) -> None:
    keys.cache.clear()
    keys.existing()


def for_a_write(keys: TenantKeys) -> None:
    keys.forget()
    keys.existing_or_new()


WAYS: dict[str, Callable[[TenantKeys], object]] = {
    "it was forgotten": after_forgetting,
    "the cache was emptied": after_emptying_the_cache,
    "it was refreshed": TenantKeys.refreshed,
    "it was reloaded": TenantKeys.reloaded,
    "a write needs it": for_a_write,
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_an_older_ring_is_refused_and_logged_however_the_newer_one_was_dropped(
    used: MemoryStore,
    s3: S3Client,
    bucket: str,
    way: Callable[[TenantKeys], object],
    caplog: pytest.LogCaptureFixture,
) -> None:
    older = ring_now(s3, used, bucket)
    rotate(used)
    use(used)
    put_back(s3, used, bucket, older)
    with caplog.at_level(logging.WARNING, "s3memory"), pytest.raises(KeyRingError, match="older") as caught:
        way(used.key_ring)
    said = "an older key ring was put back in place of one that was used before; it is refused"
    assert caplog.messages == [said]
    assert not any(name in str(caught.value) for name in (bucket, TENANT, "keyrings"))


def test_an_older_ring_is_refused_even_after_a_rewrap_that_the_process_has_seen(
    used: MemoryStore, s3: S3Client, bucket: str
) -> None:
    older = ring_now(s3, used, bucket)
    rotate(used)
    use(used)
    other = LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text())
    assert isinstance(used.key_ring.wrapper, LocalKeyWrapper)
    used.key_ring.wrapper = LocalKeyWrapper(*other._keys, *used.key_ring.wrapper._keys)
    assert rewrap(used, other)
    use(used)
    put_back(s3, used, bucket, older)
    used.key_ring.forget()
    with pytest.raises(KeyRingError, match="older"):
        use(used)


def test_another_process_has_not_seen_the_newer_ring(
    used: MemoryStore, make_store: MakeStore, s3: S3Client, bucket: str
) -> None:
    """The page about threats describes this gap."""
    older = ring_now(s3, used, bucket)
    rotate(used)
    use(used)
    put_back(s3, used, bucket, older)
    use(make_store(key_cache=KeyCache()))


def test_the_ring_that_was_used_may_be_restored(used: MemoryStore, s3: S3Client, bucket: str) -> None:
    older = ring_now(s3, used, bucket)
    rotate(used)
    use(used)
    newer = ring_now(s3, used, bucket)
    put_back(s3, used, bucket, older)
    used.key_ring.forget()
    with pytest.raises(KeyRingError):
        use(used)
    put_back(s3, used, bucket, newer)
    assert used.read(A) is not None


@pytest.mark.parametrize("notices", [True, False])
def test_a_new_tenant_of_the_same_name_starts_at_generation_one(
    used: MemoryStore, make_store: MakeStore, *, notices: bool
) -> None:
    """Whether this process saw that nothing was there, or another process erased and created it in the meantime."""
    rotate(used)
    use(used)
    elsewhere = make_store(key_cache=KeyCache())
    erase(elsewhere)
    used.key_ring.forget()
    if notices:
        assert used.key_ring.existing() is None
    MemoryCommands(elsewhere).call({"command": "create", "path": "/memories/a", "file_text": "new"})
    ring = used.key_ring.existing()
    assert ring is not None
    assert ring.newest.generation == 1


def test_the_memory_of_seen_rings_is_bounded(used: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = used.key_ring.existing()
    assert ring is not None
    monkeypatch.setattr("s3memory.keys.seen_rings._MAX_RINGS", 10)
    monkeypatch.setattr("s3memory.keys.seen_rings._MAX_WRAPS", 5)
    seen = SeenRings()
    for number in range(30):
        keys = tuple(ring.ring.newest._replace(wrapped=b"%d" % wrap) for wrap in range(number, number + 9))
        seen.note(0, ring.ring._replace(keys=keys))
        seen.note(number, ring.ring)
    assert len(seen._seen) == 10
    assert max(len(wraps) for _, wraps in seen._seen.values()) <= 5


def test_a_newer_ring_that_another_thread_noted_meanwhile_stays_the_newest(used: MemoryStore) -> None:
    older = used.key_ring.existing()
    assert older is not None
    newest = older.ring.newest._replace(generation=older.ring.newest.generation + 1, wrapped=b"newer")
    newer = older.ring._replace(keys=(*older.ring.keys, newest))
    seen = SeenRings()
    seen.note(0, newer)
    seen.note(0, older.ring)
    assert seen.is_older(0, older.ring)
    assert not seen.is_older(0, newer)


# --- Required encrypted names -------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_cached", [True, False])
def test_if_encrypted_names_are_required_a_ring_with_plain_names_is_an_error_and_nothing_is_written(
    make_store: MakeStore, s3: S3Client, bucket: str, *, is_cached: bool
) -> None:
    cache = KeyCache()
    MemoryCommands(make_store(name_mode=PLAIN, key_cache=cache)).call(
        {"command": "create", "path": "/memories/a", "file_text": "one"}
    )
    before = s3.list_object_versions(Bucket=bucket)["Versions"]
    store = make_store(name_mode=ENCRYPTED_REQUIRED, key_cache=cache if is_cached else KeyCache())
    for command in (
        {"command": "create", "path": "/memories/b", "file_text": "two"},
        {"command": "insert", "path": "/memories/a", "insert_line": 0, "insert_text": "x"},
        {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/c"},
        {"command": "delete", "path": "/memories/a"},
        {"command": "view", "path": "/memories/a"},
        {"command": "view", "path": "/memories"},
    ):
        with pytest.raises(ConfigurationError, match="encrypted names are required"):
            MemoryCommands(store).call(command)
    assert s3.list_object_versions(Bucket=bucket)["Versions"] == before


def test_if_encrypted_names_are_required_a_new_tenant_gets_them(make_store: MakeStore) -> None:
    store = make_store(name_mode=ENCRYPTED_REQUIRED, key_cache=KeyCache())
    MemoryCommands(store).call({"command": "create", "path": "/memories/a", "file_text": "one"})
    ring = store.key_ring.existing()
    assert ring is not None
    assert ring.ring.name_mode == ENCRYPTED
    store.key_ring.forget()
    assert MemoryCommands(store).call({"command": "view", "path": "/memories/a"})


def test_a_ring_that_was_fetched_before_another_thread_read_a_newer_one_is_fetched_again(
    used: MemoryStore, caplog: pytest.LogCaptureFixture
) -> None:
    fetched = used.key_ring.stored()
    assert fetched is not None
    rotate(used)
    use(used)
    assert used.key_ring._opened(fetched).newest.generation == 2
    assert not caplog.records
