"""Key rings are rotated, rewrapped and thinned out while agents go on, and no acknowledged write becomes unreadable."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError
from conftest import TENANT, MakeStore
from hypothesis import given, settings
from hypothesis import strategies as st
from support.faults import ANSWER_LOST, KILL, FaultLayer, Killed, other_writer_first, refused
from support.stored import text_of

from s3memory import KmsKeyWrapper, LocalKeyWrapper, MemoryStore
from s3memory.admin.keys import retiring, rotation
from s3memory.admin.keys.generations import GenerationUsage, usage
from s3memory.admin.keys.resealing import reseal
from s3memory.errors import (
    ConfigurationError,
    ConflictError,
    KeyRingError,
    LimitError,
    NotFoundError,
    ReadOnlyError,
    RefusedError,
    UnfinishedError,
)
from s3memory.format.names import ENCRYPTED, NAME_MODES
from s3memory.format.object_keys import Folder
from s3memory.keys.key_cache import MAX_KEY_TTL_SECONDS, KeyCache
from s3memory.paths import MemoryPath

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

A, B = MemoryPath(("a",)), MemoryPath(("d", "b"))
DAY = 86_400.0
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Time:
    """The time of the server, of caches and of operators, in seconds since the beginning."""

    seconds: float = 0.0

    def __call__(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return BEGIN + timedelta(seconds=self.seconds)


def canonical(ring: dict[str, Any]) -> bytes:
    return json.dumps(ring, sort_keys=True, separators=(",", ":")).encode("ascii")


class LongWraps:
    """A key wrapper of which two wraps are more than a key ring may have."""

    name = "local"

    def __init__(self) -> None:
        self._wrapper = LocalKeyWrapper(os.urandom(32))

    def generate(self, context: dict[str, str], /) -> tuple[bytes, bytes]:
        data_key, wrapped = self._wrapper.generate(context)
        return data_key, wrapped.ljust(100_000)

    def unwrap(self, wrapped: bytes, context: dict[str, str], /) -> bytes:
        return self._wrapper.unwrap(wrapped[:104], context)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    monkeypatch.setattr("moto.s3.models.utcnow", lambda: time.now().replace(tzinfo=None))
    return time


@pytest.fixture
def process(make_store: MakeStore, time: Time) -> MakeStore:
    """Make the store of a process of its own."""

    def make(**more: Any) -> MemoryStore:
        return make_store(**{"key_cache": KeyCache(clock=time, wall_clock=time), **more})

    return make


def generations(store: MemoryStore) -> list[int]:
    return [key.generation for key in rotation.stored_key_ring(store).opened.ring.keys]


class TestRotate:
    @pytest.mark.parametrize("name_mode", NAME_MODES)
    def test_writes_use_the_new_generation_and_what_is_stored_stays_readable(
        self, process: MakeStore, name_mode: str
    ) -> None:
        store = process(name_mode=name_mode)
        store.create(A, "old")
        assert rotation.rotate(store).newest.generation == 2
        store.create(B, "new")
        assert usage(store).current == {1: 1, 2: 1}
        reader = process()
        assert (text_of(reader, A), text_of(reader, B)) == ("old", "new")

    def test_a_process_with_the_older_ring_goes_on_reading_and_writing(self, process: MakeStore) -> None:
        stale, operator, fresh = process(), process(), process()
        stale.create(A, "1")
        rotation.rotate(operator)
        fresh.edit(A, lambda text: f"{text}2")
        stale.edit(A, lambda text: f"{text}3")
        stale.create(B, "4")
        assert (text_of(fresh, A), text_of(fresh, B)) == ("123", "4")

    def test_one_that_is_meant_for_another_generation_does_nothing(self, process: MakeStore) -> None:
        store = process()
        store.create(A, "x")
        for _ in range(2):
            rotation.rotate(store, only_from=1)
        assert generations(store) == [1, 2]

    def test_two_at_once_are_both_in_the_ring(self, process: MakeStore, faults: FaultLayer, other_s3: S3Client) -> None:
        store, other = process(), process(s3_client=other_s3)
        store.create(A, "x")
        faults.hit("PutObject", other_writer_first(lambda: rotation.rotate(other)))
        assert rotation.rotate(store).newest.generation == 3
        assert generations(store) == [1, 2, 3]
        assert text_of(process(), A) == "x"

    def test_a_key_ring_that_was_put_back_is_not_rotated(
        self, make_store: MakeStore, s3: S3Client, bucket: str
    ) -> None:
        store = make_store()
        store.create(A, "x")
        older = s3.get_object(Bucket=bucket, Key=store.key_ring.object_key)["Body"].read()
        rotation.rotate(store)
        newer = s3.get_object(Bucket=bucket, Key=store.key_ring.object_key)
        s3.put_object(Bucket=bucket, Key=store.key_ring.object_key, Body=older)
        refusal = rf"Version {re.escape(newer['VersionId'])} of the key ring names generation 2.*Put that version back"
        for only_from in (None, 1, 2):
            with pytest.raises(RefusedError, match=refusal):
                rotation.rotate(make_store(), only_from=only_from)
        assert generations(make_store()) == [1]
        s3.put_object(Bucket=bucket, Key=store.key_ring.object_key, Body=newer["Body"].read())
        assert rotation.rotate(make_store()).newest.generation == 3

    def test_of_a_version_that_does_not_open_nobody_is_told_to_put_it_back(
        self, make_store: MakeStore, s3: S3Client, bucket: str
    ) -> None:
        store = make_store()
        store.create(A, "x")
        stored = s3.get_object(Bucket=bucket, Key=store.key_ring.object_key)["Body"].read()
        made_up = json.loads(stored)
        made_up["keys"][0]["generation"] = 9
        forged = s3.put_object(Bucket=bucket, Key=store.key_ring.object_key, Body=canonical(made_up))
        s3.put_object(Bucket=bucket, Key=store.key_ring.object_key, Body=stored)
        refusal = (
            rf"Version {re.escape(forged['VersionId'])} .* names generation 9.*does not open.*otherwise destroy it"
        )
        with pytest.raises(RefusedError, match=refusal):
            rotation.rotate(make_store())
        s3.delete_object(Bucket=bucket, Key=store.key_ring.object_key, VersionId=forged["VersionId"])
        assert rotation.rotate(make_store()).newest.generation == 2

    def test_a_version_that_does_not_open_hides_none_that_does(
        self, make_store: MakeStore, s3: S3Client, bucket: str
    ) -> None:
        store = make_store()
        store.create(A, "x")
        older = s3.get_object(Bucket=bucket, Key=store.key_ring.object_key)["Body"].read()
        rotation.rotate(store)
        newer = s3.get_object(Bucket=bucket, Key=store.key_ring.object_key)
        made_up = json.loads(older)
        made_up["keys"][0]["generation"] = 9
        for body in (canonical(made_up), older):
            s3.put_object(Bucket=bucket, Key=store.key_ring.object_key, Body=body)
        refusal = rf"Version {re.escape(newer['VersionId'])} .* names generation 2.*Put that version back"
        with pytest.raises(RefusedError, match=refusal):
            rotation.rotate(make_store())

    def test_a_ring_under_a_wrapping_key_of_before_keeps_the_one_that_was_put_back_from_being_rotated(
        self, make_store: MakeStore, s3: S3Client, bucket: str
    ) -> None:
        """It can't be told from one that was made up: so neither lets the number of a generation be used again."""
        first, second = (LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text()) for _ in range(2))
        store = make_store(key_wrapper=first)
        store.create(A, "x")
        older = s3.get_object(Bucket=bucket, Key=store.key_ring.object_key)["Body"].read()
        rotation.rewrap(store, second)
        rotation.rotate(make_store(key_wrapper=second))
        s3.put_object(Bucket=bucket, Key=store.key_ring.object_key, Body=older)
        with pytest.raises(RefusedError, match=r"names generation 2.*Put it back if it opens with such a key"):
            rotation.rotate(make_store(key_wrapper=first))

    def test_versions_of_the_ring_that_are_none_do_not_keep_it_from_being_rotated(
        self, make_store: MakeStore, s3: S3Client, bucket: str
    ) -> None:
        store = make_store()
        store.create(A, "x")
        stored = s3.get_object(Bucket=bucket, Key=store.key_ring.object_key)["Body"].read()
        s3.put_object(Bucket=bucket, Key=store.key_ring.object_key, Body=b"{}")
        s3.delete_object(Bucket=bucket, Key=store.key_ring.object_key)
        s3.put_object(Bucket=bucket, Key=store.key_ring.object_key, Body=stored)
        s3.put_object(Bucket=bucket, Key=f"{store.key_ring.object_key}2", Body=stored)
        assert rotation.rotate(make_store()).newest.generation == 2

    def test_one_that_others_overtake_twice_is_tried_again(
        self, process: MakeStore, faults: FaultLayer, other_s3: S3Client, time: Time
    ) -> None:
        store, other = process(), process(s3_client=other_s3)
        store.create(A, "x")

        def rotate_twice() -> None:
            for _ in range(2):
                time.seconds += 1  # moto knows the latest by its time
                rotation.rotate(other)

        faults.hit("ListObjectVersions", other_writer_first(rotate_twice))
        assert rotation.rotate(store).newest.generation == 4

    def test_one_whose_answer_was_lost_is_done_once(self, process: MakeStore, faults: FaultLayer) -> None:
        store = process()
        store.create(A, "x")
        faults.hit("PutObject", ANSWER_LOST, times=8)
        rotation.rotate(store)
        faults.clear()
        assert generations(store) == [1, 2]

    def test_a_tenant_without_a_ring_has_nothing_to_rotate(self, process: MakeStore, s3: S3Client, bucket: str) -> None:
        for change in (rotation.rotate, rotation.stored_key_ring, rotation.newest_version, reseal, retiring.retire):
            with pytest.raises(NotFoundError):
                change(process())
        assert "Contents" not in s3.list_objects_v2(Bucket=bucket)

    def test_a_ring_that_is_missing_beside_files_is_no_new_tenants(
        self, process: MakeStore, s3: S3Client, bucket: str
    ) -> None:
        process().create(A, "x")
        s3.delete_object(Bucket=bucket, Key=process().key_ring.object_key)
        for change in (rotation.rotate, rotation.stored_key_ring, reseal, retiring.retire):
            with pytest.raises(KeyRingError, match="missing"):
                change(process())

    def test_a_ring_without_room_for_another_generation_is_left_as_it_is(self, process: MakeStore) -> None:
        """A larger one could be stored, and nobody would read it again."""
        wrapper = LongWraps()
        process(key_wrapper=wrapper).create(A, "one")
        with pytest.raises(LimitError, match="no room"):
            rotation.rotate(process(key_wrapper=wrapper))
        assert text_of(process(key_wrapper=wrapper), A) == "one"

    def test_a_read_only_memory_is_left_alone(self, process: MakeStore) -> None:
        process().create(A, "x")
        store = process(read_only=True)
        for change in (rotation.rotate, reseal, retiring.retire):
            with pytest.raises(ReadOnlyError):
                change(store)
        assert generations(store) == [1]


class TestCacheTime:
    def test_a_ring_leaves_the_cache_of_a_process_that_was_frozen(self, make_store: MakeStore) -> None:
        wall = Time()
        store = make_store(key_cache=KeyCache(clock=lambda: 0.0, wall_clock=wall), key_ttl_seconds=900)
        store.create(A, "x")
        rotation.rotate(make_store(key_cache=KeyCache()))
        wall.seconds = 899
        assert store.key_ring.existing_or_new().newest.generation == 1
        wall.seconds = 900
        assert store.key_ring.existing_or_new().newest.generation == 2


def local_key() -> bytes:
    return os.urandom(32)


class TestRewrap:
    @pytest.mark.parametrize("name_mode", NAME_MODES)
    def test_all_generations_open_under_the_new_key_and_none_under_the_old(
        self, process: MakeStore, name_mode: str
    ) -> None:
        old_key, new_key = local_key(), local_key()
        old, new = LocalKeyWrapper(old_key), LocalKeyWrapper(new_key)
        store = process(key_wrapper=old, name_mode=name_mode)
        store.create(A, "one")
        rotation.rotate(store)
        store.create(B, "two")
        both = LocalKeyWrapper(new_key, old_key)
        assert rotation.rewrap(process(key_wrapper=both), new, dry_run=True)
        assert rotation.rewrap(process(key_wrapper=both), new)
        assert not rotation.rewrap(process(key_wrapper=both), new)
        moved = process(key_wrapper=new)
        assert (text_of(moved, A), text_of(moved, B)) == ("one", "two")
        with pytest.raises(KeyRingError):
            process(key_wrapper=old).read(A)
        # Who has the older ring in the cache, and who has both keys, goes on.
        store.edit(A, lambda text: f"{text}!")
        assert text_of(process(key_wrapper=both), A) == "one!"

    def test_a_dry_run_sends_no_write(self, process: MakeStore) -> None:
        old_key, target = local_key(), LocalKeyWrapper(local_key())
        store = process(key_wrapper=LocalKeyWrapper(old_key))
        store.create(A, "x")
        before = rotation.stored_key_ring(store).etag
        assert rotation.rewrap(store.refusing_writes(), target, dry_run=True)
        assert rotation.stored_key_ring(store).etag == before

    def test_a_ring_moves_between_kms_keys_and_processes_that_know_both_go_on(
        self, process: MakeStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kms = boto3.client("kms")
        monkeypatch.setattr("moto.kms.models.AccessDeniedException", _incorrect_key)  # what AWS says of another key
        old, new = (kms.create_key()["KeyMetadata"]["KeyId"] for _ in range(2))
        agent = process(key_wrapper=KmsKeyWrapper(new, old, kms_client=kms))
        process(key_wrapper=KmsKeyWrapper(old, kms_client=kms)).create(A, "x")
        assert text_of(agent, A) == "x"
        target = KmsKeyWrapper(new, old, kms_client=kms).first_alone()
        assert rotation.rewrap(agent, target)
        agent.edit(A, lambda text: f"{text}y")
        assert text_of(process(key_wrapper=target), A) == "xy"
        with pytest.raises(KeyRingError):
            process(key_wrapper=KmsKeyWrapper(old, kms_client=kms)).read(A)

    def test_a_ring_moves_from_a_local_key_to_kms_and_back(self, process: MakeStore) -> None:
        kms = boto3.client("kms")
        local = LocalKeyWrapper(local_key())
        remote = KmsKeyWrapper(kms.create_key()["KeyMetadata"]["KeyId"], kms_client=kms)
        store = process(key_wrapper=local)
        store.create(A, "x")
        assert rotation.rewrap(store, remote)
        assert not rotation.rewrap(process(key_wrapper=local), remote)
        assert not rotation.rewrap(process(key_wrapper=local), remote, dry_run=True)
        with pytest.raises(KeyRingError):
            rotation.rewrap(process(key_wrapper=local), LocalKeyWrapper(local_key()))
        assert text_of(process(key_wrapper=remote), A) == "x"
        assert rotation.rewrap(process(key_wrapper=remote), local)
        assert text_of(process(key_wrapper=local), A) == "x"

    def test_a_wrapper_that_only_makes_keys_is_refused(self, process: MakeStore) -> None:
        class Maker:
            name = "maker"

            def generate(self, context: dict[str, str], /) -> tuple[bytes, bytes]:
                raise NotImplementedError

            def unwrap(self, wrapped: bytes, context: dict[str, str], /) -> bytes:
                raise NotImplementedError

        process().create(A, "x")
        with pytest.raises(ConfigurationError, match="wrap"):
            rotation.rewrap(process(), Maker())  # type: ignore[arg-type]  # that is the point

    def test_a_key_that_does_not_open_what_it_wraps_is_not_moved_to(self, process: MakeStore) -> None:
        class Forgetful(LocalKeyWrapper):
            def unwrap(self, _wrapped: bytes, _context: dict[str, str], /) -> bytes:
                return bytes(32)

        target = Forgetful(local_key())
        target.name = "forgetful"
        process().create(A, "x")
        with pytest.raises(KeyRingError):
            rotation.rewrap(process(), target)
        assert text_of(process(), A) == "x"


def _incorrect_key(message: str) -> ClientError:
    return ClientError({"Error": {"Code": "IncorrectKeyException", "Message": message}}, "Decrypt")


# A bucket that keeps no older versions needs none of their generations; what it loses by that is accepted.
retire = partial(retiring.retire, without_versions=True)


class TestRetire:
    @pytest.fixture
    def resealed(self, process: MakeStore, time: Time, s3: S3Client, bucket: str) -> MemoryStore:
        """A store whose files were resealed after a rotation, in a bucket that keeps no older versions."""
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})
        store = process(name_mode=ENCRYPTED)
        store.create(A, "a")
        store.create(B, "b")
        rotation.rotate(store)
        reseal(store)
        time.seconds += DAY + retiring.SETTLING_SECONDS
        return store

    def test_what_nothing_needs_is_taken_out(self, resealed: MemoryStore, process: MakeStore, time: Time) -> None:
        retired = retire(resealed, now=time.now)
        assert (retired.generations, retired.changes_tags) == ((1,), True)
        assert generations(resealed) == [2]
        assert text_of(process(), A) == "a"
        resealed.edit(B, lambda text: f"{text}!")
        assert text_of(process(), B) == "b!"
        assert retire(resealed, now=time.now).generations == ()

    def test_a_look_at_it_changes_nothing(self, resealed: MemoryStore, time: Time) -> None:
        assert retire(resealed.refusing_writes(), dry_run=True, now=time.now).generations == (1,)
        assert generations(resealed) == [1, 2]

    def test_a_generation_that_is_named_twice_counts_once(self, resealed: MemoryStore, time: Time) -> None:
        assert retire(resealed.refusing_writes(), [1, 1], dry_run=True, now=time.now).generations == (1,)

    def test_it_is_refused_until_every_cache_has_ended(self, resealed: MemoryStore, time: Time) -> None:
        rotation.rotate(resealed)
        reseal(resealed)
        time.seconds += 900 + retiring.SETTLING_SECONDS - 1
        for seconds in (900.0, MAX_KEY_TTL_SECONDS):
            with pytest.raises(RefusedError, match="Run it again then"):
                retire(resealed, max_cache_seconds=seconds, now=time.now)
        time.seconds += 1
        with pytest.raises(RefusedError, match="Run it again then"):
            retire(resealed, now=time.now)
        assert retire(resealed, max_cache_seconds=900, now=time.now).generations == (1, 2)

    @pytest.mark.parametrize("seconds", [0.0, MAX_KEY_TTL_SECONDS + 1, float("nan")])
    def test_a_cache_time_that_no_process_can_have_is_refused_whether_anything_is_to_retire_or_not(
        self, resealed: MemoryStore, time: Time, seconds: float
    ) -> None:
        for generations in (None, list[int]()):
            with pytest.raises(ConfigurationError, match="above 0 and at most 86400"):
                retire(resealed, generations, max_cache_seconds=seconds, now=time.now)

    @pytest.mark.parametrize("chosen", [[2], [1, 2], [3], [0]])
    def test_the_newest_and_what_the_ring_does_not_have_are_refused(
        self, resealed: MemoryStore, time: Time, chosen: list[int]
    ) -> None:
        with pytest.raises(RefusedError):
            retire(resealed, chosen, now=time.now)
        assert generations(resealed) == [1, 2]

    def test_it_is_refused_while_a_file_needs_it(self, process: MakeStore, time: Time) -> None:
        store = process()
        store.create(A, "a")
        rotation.rotate(store)
        time.seconds = 2 * DAY
        with pytest.raises(RefusedError, match="1 file still needs a generation"):
            retiring.retire(store, now=time.now)
        assert generations(store) == [1, 2]

    def test_it_is_refused_while_an_older_version_needs_it(self, process: MakeStore, time: Time) -> None:
        store = process()
        store.create(A, "a")
        time.seconds = 1
        rotation.rotate(store)
        reseal(store)
        time.seconds = 2 * DAY
        with pytest.raises(RefusedError, match="1 older version still needs a generation"):
            retiring.retire(store, now=time.now)

    def test_it_is_refused_while_a_file_cannot_be_read(
        self, resealed: MemoryStore, time: Time, faults: FaultLayer
    ) -> None:
        (listed, *_) = resealed.objects.listed(Folder.MEMORIES)
        faults.hit_object("GetObject", listed.object_key, refused(403, "InvalidObjectState"))
        with pytest.raises(RefusedError, match=r"can't be read \(InvalidObjectState\) and may need a generation"):
            retire(resealed, now=time.now)
        assert generations(resealed) == [1, 2]

    def test_all_that_is_in_the_way_is_told_at_once(self, process: MakeStore, time: Time) -> None:
        store = process()
        store.create(A, "a")
        time.seconds = 1
        rotation.rotate(store)
        with pytest.raises(RefusedError, match="1 file still needs a generation") as refusal:
            retiring.retire(store.refusing_writes(), dry_run=True, now=time.now)
        assert (
            "it may keep keys for 86400 seconds. If your processes keep them for less, pass --max-cache-seconds."
            in str(refusal.value)
        )
        assert "Run it again then" not in str(refusal.value), "the wait is not all"
        assert str(refusal.value).count("Nothing was changed") == 1

    def test_objects_that_are_no_memory_files_need_no_generation(
        self, resealed: MemoryStore, time: Time, s3: S3Client, bucket: str
    ) -> None:
        for name, body in (("folder/", b""), ("stray", b"x" * 100)):
            s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/{name}", Body=body)
        assert retire(resealed, now=time.now).usage.unreadable == 2

    def test_a_generation_between_others_is_retired_and_tags_stay(
        self, resealed: MemoryStore, process: MakeStore, time: Time
    ) -> None:
        rotation.rotate(resealed)
        reseal(resealed)
        time.seconds += 2 * DAY
        assert not retire(resealed, [2], now=time.now).changes_tags
        assert generations(resealed) == [1, 3]
        assert text_of(process(), A) == "a"

    def test_a_write_that_comes_to_light_puts_it_back(
        self, resealed: MemoryStore, process: MakeStore, time: Time, faults: FaultLayer, other_s3: S3Client
    ) -> None:
        late = process(s3_client=other_s3)
        ring = late.key_ring.existing_or_new()
        older = ring.without([]).data_key(1)
        assert older is not None

        def write_late() -> None:
            stale = process(s3_client=other_s3)
            opened = stale.key_ring.existing_or_new()
            opened.newest = older  # what a process does that read the ring before the rotation
            stale.create(MemoryPath(("late",)), "kept")

        faults.hit("PutObject", other_writer_first(write_late))
        with pytest.raises(ConflictError, match="put back"):
            retire(resealed, now=time.now)
        assert generations(resealed) == [1, 2]
        assert text_of(process(), MemoryPath(("late",))) == "kept"

    def test_that_nobody_knows_whether_it_is_back_is_told(
        self, resealed: MemoryStore, time: Time, faults: FaultLayer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        late = GenerationUsage()
        late.current[1] = 1
        monkeypatch.setattr(retiring, "usage", lambda *_, since=None, **__: late if since else GenerationUsage())
        faults.hit("PutObject", refused(503, "ServiceUnavailable"), nth=2, times=20)
        with pytest.raises(UnfinishedError, match="Run it again: if it was not"):
            retire(resealed, now=time.now)
        faults.clear()
        assert generations(resealed) == [2]

    def test_it_is_refused_where_the_bucket_keeps_no_versions(
        self, resealed: MemoryStore, time: Time, s3: S3Client, bucket: str
    ) -> None:
        """If it were killed before it had put a generation back, no copy of that would be left."""
        for dry_run in (True, False):
            with pytest.raises(RefusedError, match="keeps no versions"):
                retiring.retire(resealed, dry_run=dry_run, now=time.now)
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
        assert retiring.retire(resealed, now=time.now).generations == (1,)

    def test_each_generation_that_was_ever_retired_is_looked_for(  # noqa: PLR0917 - fixtures
        self,
        resealed: MemoryStore,
        process: MakeStore,
        time: Time,
        s3: S3Client,
        other_s3: S3Client,
        bucket: str,
    ) -> None:
        stale = process(s3_client=other_s3)
        oldest = stale.key_ring.existing_or_new().data_key(1)
        assert oldest is not None
        rotation.rotate(resealed)
        reseal(resealed)
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
        time.seconds += DAY + retiring.SETTLING_SECONDS
        retire(resealed, [1], now=time.now)
        stale.key_ring.existing_or_new().newest = oldest
        stale.create(MemoryPath(("late",)), "kept")
        time.seconds += DAY + retiring.SETTLING_SECONDS
        retire(resealed, [2], now=time.now)
        assert generations(resealed) == [3]
        with pytest.raises(UnfinishedError, match="1 file still needs a generation") as told:
            retire(resealed, now=time.now)
        assert "Put back version null " in str(told.value)  # of before the bucket kept versions, with all three

    @pytest.mark.parametrize("is_kept", [True, False])
    @pytest.mark.parametrize("chosen", [None, [1]])
    def test_a_run_that_was_killed_is_run_again_and_tells_of_a_late_write(  # noqa: PLR0917 - fixtures
        self,
        resealed: MemoryStore,
        process: MakeStore,
        time: Time,
        faults: FaultLayer,
        s3: S3Client,
        other_s3: S3Client,
        bucket: str,
        chosen: list[int] | None,
        *,
        is_kept: bool,
    ) -> None:
        if is_kept:
            s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
        stale = process(s3_client=other_s3)
        older = stale.key_ring.existing_or_new().data_key(1)
        assert older is not None

        def write_late_and_be_killed() -> None:
            stale.key_ring.existing_or_new().newest = older
            stale.create(MemoryPath(("late",)), "kept")
            faults.hit("ListObjectVersions", KILL)

        s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/junk", Body=b"x" * 100)
        faults.hit("PutObject", other_writer_first(write_late_and_be_killed))
        with pytest.raises(Killed):
            retire(resealed, now=time.now)
        assert generations(resealed) == [2]
        with pytest.raises(UnfinishedError, match="1 file still needs a generation"):
            retire(resealed, chosen, dry_run=True, now=time.now)
        with pytest.raises(UnfinishedError, match="1 file still needs a generation") as told:
            retire(resealed, chosen, now=time.now)
        version = next(one.version_id for one in resealed.key_ring.versions() if one.is_older) if is_kept else None
        assert (f"Put back version {version} " if is_kept else "No version of the key ring that can be") in str(
            told.value
        )
        if version is not None:
            put_back = s3.get_object(Bucket=bucket, Key=f"keyrings/{TENANT}", VersionId=version)["Body"].read()
            s3.put_object(Bucket=bucket, Key=f"keyrings/{TENANT}", Body=put_back)
            assert text_of(process(), MemoryPath(("late",))) == "kept"

    def test_a_ring_that_is_changed_meanwhile_is_left_alone(
        self, resealed: MemoryStore, process: MakeStore, time: Time, faults: FaultLayer, other_s3: S3Client
    ) -> None:
        faults.hit("PutObject", other_writer_first(lambda: rotation.rotate(process(s3_client=other_s3))))
        with pytest.raises(ConflictError, match="Nothing was retired"):
            retire(resealed, now=time.now)
        assert generations(resealed) == [1, 2, 3]


writes = st.tuples(st.just("write"), st.integers(0, 2), st.sampled_from([A, B]))
upkeep = st.tuples(
    st.sampled_from(["renew", "renew, retire", "rotate", "retire", "wait 1000", "wait 3000"]), st.just(0), st.just(A)
)


class TestAnyOrder:
    @pytest.mark.long
    @given(st.lists(writes | upkeep, min_size=4, max_size=12))
    @settings(max_examples=30)
    def test_no_acknowledged_write_becomes_unreadable(
        self, s3: S3Client, key_wrapper: LocalKeyWrapper, plan: list[tuple[str, int, MemoryPath]]
    ) -> None:
        with pytest.MonkeyPatch.context() as patch:
            time = Time()
            patch.setattr("moto.s3.models.utcnow", lambda: time.now().replace(tzinfo=None))
            name = f"any-order-{os.urandom(8).hex()}"
            s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})

            def process() -> MemoryStore:
                cache = KeyCache(clock=time, wall_clock=time)
                return MemoryStore(
                    bucket=name, tenant=TENANT, key_wrapper=key_wrapper, s3_client=s3, key_cache=cache, redactor=None
                )

            operator, agents = process(), [process() for _ in range(3)]
            operator.create(A, "0")
            written = {A: "0"}
            for agent in agents:  # each has the key ring in its cache now
                assert text_of(agent, A) == "0"
            for number, (step, agent_number, path) in enumerate(plan, start=1):
                if step == "write":
                    write(agents[agent_number], path, f"{number}")
                    written[path] = f"{number}"
                else:
                    keep_up(step, operator, time)
                assert {path: text_of(process(), path) for path in written} == written


def write(agent: MemoryStore, path: MemoryPath, text: str) -> None:
    if agent.files.info(path) is None:
        agent.create(path, text)
    else:
        agent.edit(path, lambda _: text)


def keep_up(step: str, operator: MemoryStore, time: Time) -> None:
    if step.startswith("wait"):
        time.seconds += float(step.removeprefix("wait "))
    if step.startswith(("renew", "rotate")):
        rotation.rotate(operator)
    if step.startswith("renew"):
        reseal(operator)
    if step.endswith("retire"):
        with suppress(RefusedError):
            retire(operator, max_cache_seconds=900, now=time.now)
