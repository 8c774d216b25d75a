"""What opens under no key is named, discarded where somebody says so, and in nobody's way. Nothing else is."""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from conftest import TENANT, MakeStore
from support.cli_runs import Run

from s3memory import LocalKeyWrapper
from s3memory.admin.discarding import discard, find_unreadable
from s3memory.admin.erasure.erasing import erase
from s3memory.admin.keys import retiring, rotation
from s3memory.admin.keys.resealing import reseal
from s3memory.admin.verify import Defect, verify
from s3memory.errors import ReadOnlyError, RefusedError
from s3memory.format.names import NAME_MODES
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath
from s3memory.store import documents, intents
from s3memory.store.intents import DELETE, Intent

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

A, D = MemoryPath(("a",)), MemoryPath(("d",))


def made_up(generation: int) -> bytes:
    """A header, and noise of a possible size."""
    return b"S3M1" + struct.pack(">I", generation) + bytes(200)


JUNK = {
    f"memories/{TENANT}/made-up": made_up(1),
    f"memories/{TENANT}/folder/": b"",
    f"memories/{TENANT}/noise": b"noise",
    f"intents/{TENANT}/made-up": made_up(1),
    f"intents/{TENANT}/unheard-of": made_up(7),
    f"redactions/{TENANT}/made-up": made_up(1),
}
WITHOUT_KEY = {f"memories/{TENANT}/other-ring": made_up(7), f"redactions/{TENANT}/other-ring": made_up(7)}


def put(s3: S3Client, bucket: str, objects: dict[str, bytes]) -> None:
    for object_key, body in objects.items():
        s3.put_object(Bucket=bucket, Key=object_key, Body=body)


def keys_now(s3: S3Client, bucket: str) -> set[str]:
    return {item["Key"] for item in s3.list_objects_v2(Bucket=bucket).get("Contents", [])}


@pytest.mark.parametrize("name_mode", NAME_MODES)
def test_junk_is_found_and_discarded_and_nothing_else_is(
    make_store: MakeStore, s3: S3Client, bucket: str, name_mode: str
) -> None:
    store = make_store(name_mode=name_mode)
    store.create(A, "text")
    intents.record(store, Intent(DELETE, D, D), ['"etag"'])
    others = make_store(tenant=f"{TENANT}2")
    others.create(A, "theirs")
    put(s3, bucket, {f"intents/{TENANT}/doctor/run/1": b"s3memory doctor"})
    before = keys_now(s3, bucket)
    put(s3, bucket, JUNK)
    if name_mode == "plain":  # else their names open under no key either
        put(s3, bucket, WITHOUT_KEY)
    found = find_unreadable(store)
    assert {one.object_key for one in found.junk} == set(JUNK)
    assert discard(store, found.junk)[0] == []
    assert keys_now(s3, bucket) == before | (set(WITHOUT_KEY) if name_mode == "plain" else set())
    assert find_unreadable(store).junk == []


def test_what_opens_under_an_older_version_of_the_key_ring_is_no_junk(make_store: MakeStore, s3: S3Client) -> None:
    store = make_store()
    store.create(A, "text")
    old = store.objects.get(store.key_ring.object_key)
    assert old is not None
    rotation.rotate(store)
    store.edit(A, lambda _: "under the second generation")
    # Somebody puts the older ring back, and rotates: the second generation is another data key from now on.
    bucket = store.objects.identity[1]
    s3.put_object(Bucket=bucket, Key=store.key_ring.object_key, Body=old.body)
    fresh = make_store(key_cache=KeyCache())
    assert find_unreadable(fresh).junk == []
    assert find_unreadable(fresh).without_key == []


def test_a_key_ring_of_which_a_generation_cant_be_unwrapped_makes_no_junk(
    make_store: MakeStore, s3: S3Client, bucket: str
) -> None:
    first, second = (LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text()) for _ in range(2))
    store = make_store(key_wrapper=first)
    store.create(A, "text")
    rotation.rewrap(store, second)
    moved = make_store(key_wrapper=second, key_cache=KeyCache())
    found = find_unreadable(moved)
    assert (found.junk, found.without_key, found.rings_unopened) == ([], [], 1)


def test_what_was_stored_anew_meanwhile_is_left_alone(make_store: MakeStore, s3: S3Client, bucket: str) -> None:
    store = make_store()
    store.create(A, "text")
    put(s3, bucket, {f"memories/{TENANT}/b": b"junk"})
    found = find_unreadable(store)
    put(s3, bucket, {f"memories/{TENANT}/b": b"something else"})
    assert discard(store, found.junk)[0] == found.junk
    assert f"memories/{TENANT}/b" in keys_now(s3, bucket)
    with pytest.raises(ReadOnlyError):
        discard(make_store(read_only=True), found.junk)
    rotation.archive(store)
    with pytest.raises(ReadOnlyError, match="archived"):
        discard(make_store(), find_unreadable(store).junk)


@pytest.mark.parametrize("object_key", [key for key, body in JUNK.items() if body[:4] == b"S3M1"])
@pytest.mark.parametrize("is_discarded", [True, False])
def test_junk_does_not_keep_a_generation_from_being_retired(
    make_store: MakeStore, s3: S3Client, bucket: str, object_key: str, *, is_discarded: bool
) -> None:
    store = make_store()
    store.create(A, "text")
    rotation.rotate(store)
    reseal(store)
    put(s3, bucket, {object_key: made_up(1)})
    for version in list(store.objects.versions.below(store.objects.layout.memories_prefix)):
        if not version.is_latest:
            store.objects.versions.destroy([version])
    if is_discarded:
        discard(store, find_unreadable(store).junk)
    later = datetime.now(UTC) + timedelta(days=2)
    retired = retiring.retire(store, now=lambda: later)
    assert retired.generations == (1,)
    assert retired.usage.unreadable == 1


def test_an_intent_that_opens_keeps_the_oldest_generation_from_being_retired(make_store: MakeStore) -> None:
    store = make_store()
    store.create(A, "text")
    intents.record(store, Intent(DELETE, D, D), ['"etag"'])
    rotation.rotate(store)
    later = datetime.now(UTC) + timedelta(days=2)
    with pytest.raises(RefusedError, match="unfinished"):
        retiring.retire(store, dry_run=True, now=lambda: later)


def test_an_intent_from_before_the_present_ring_can_be_discarded(make_store: MakeStore) -> None:
    agent = make_store(key_cache=KeyCache())
    agent.create(A, "text")
    rotation.rotate(agent)
    agent.read(A)
    erase(make_store(key_cache=KeyCache()))
    intents.record(agent, Intent(DELETE, D, D), ['"etag"'])  # from its cache
    next_tenant = make_store(key_cache=KeyCache())
    next_tenant.create(A, "new")
    (junk,) = find_unreadable(next_tenant).junk
    assert discard(next_tenant, [junk])[0] == []
    assert documents.object_keys(next_tenant, intents.KIND) == []


def test_what_the_doctor_could_not_remove_is_no_altered_intent(
    make_store: MakeStore, s3: S3Client, bucket: str
) -> None:
    leftover = {f"intents/{TENANT}/doctor/run/1": b"s3memory doctor: may be deleted"}
    put(s3, bucket, leftover)
    found: list[Defect] = []
    verify(make_store(), found.append)  # there is no key ring yet
    make_store().create(A, "text")
    verify(make_store(), found.append)
    assert found == []


@pytest.fixture
def junk_of_acme(make_store: MakeStore, s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The key of a junk object of a tenant that the CLI finds."""
    key = LocalKeyWrapper.generate_key_text()
    monkeypatch.setenv("S3MEMORY_BUCKET", bucket)
    monkeypatch.setenv("S3MEMORY_LOCAL_KEY", key)
    monkeypatch.setenv("S3MEMORY_TENANT", TENANT)
    make_store(key_wrapper=LocalKeyWrapper.from_text(key)).create(A, "text")
    object_key = f"intents/{TENANT}/\x9b31mred"
    put(s3, bucket, {object_key: made_up(1), f"memories/{TENANT}/other-ring": made_up(7)})
    return object_key


def test_the_command_lists_asks_and_deletes(run: Run, s3: S3Client, bucket: str, junk_of_acme: str) -> None:
    dry = run("repair", "--discard-unreadable", "--dry-run")
    assert (dry.exit_code, "\\x9b31mred" in dry.out, "\x9b" in dry.out + dry.err) == (0, True, False)
    assert "other-ring" not in dry.out
    assert "other-ring has no key here, and stays" in dry.err
    unasked = run("repair", "--discard-unreadable")
    assert unasked.exit_code == 2
    no = run("repair", "--discard-unreadable", stdin=b"other\n", terminal=True)
    assert no.exit_code == 1
    for said in (bucket, "prefix (none)", "https://"):
        assert said in no.err
    assert run("repair", "--discard-unreadable", "--yes", "--expect-count", "2").exit_code == 1
    assert junk_of_acme in keys_now(s3, bucket)
    yes = run("repair", "--discard-unreadable", "--yes", "--expect-count", "1", "--json")
    assert (yes.exit_code, yes.json["unreadable_objects"]) == (0, [junk_of_acme])
    assert junk_of_acme not in keys_now(s3, bucket)
    assert run("repair").exit_code == 0


def test_yes_is_for_discarding_alone(run: Run, junk_of_acme: str) -> None:
    assert run("repair", "--yes").exit_code == 2


def test_a_memory_that_opens_as_a_whole_is_asked_about_nothing(
    run: Run, s3: S3Client, bucket: str, junk_of_acme: str
) -> None:
    s3.delete_object(Bucket=bucket, Key=junk_of_acme)
    ran = run("repair", "--discard-unreadable")
    assert (ran.exit_code, ran.out, "0 discarded" in ran.err) == (0, "", True)


def test_a_version_of_the_key_ring_that_is_larger_than_any_is_counted_and_not_read(
    make_store: MakeStore, s3: S3Client, bucket: str
) -> None:
    store = make_store()
    store.create(MemoryPath(("x",)), "text")
    ring = s3.get_object(Bucket=bucket, Key=store.key_ring.object_key)["Body"].read()
    for body in (bytes(5 * 1024 * 1024), ring):
        s3.put_object(Bucket=bucket, Key=store.key_ring.object_key, Body=body)
    found = find_unreadable(store)
    assert (found.junk, found.without_key, found.rings_unopened) == ([], [], 1)
