"""What became of a file: its versions, what made each, who, where it came from; and the past put back or destroyed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from conftest import MakeStore
from support.clock import NOON, SetClock
from support.faults import Fault, FaultLayer, refused
from support.repository import REPOSITORY
from support.stored import key_of

from s3memory import MemoryCommands, MemoryStore
from s3memory.admin.keys.resealing import reseal
from s3memory.admin.listing_files import usage
from s3memory.admin.verify import Defect, Kind, verify
from s3memory.admin.versions.history import FileVersion, Operation, Problem, history
from s3memory.admin.versions.point_in_time import Compared, read_version, tree_at, version_of
from s3memory.admin.versions.redacting import find_redactable, redact_version, same_text_since
from s3memory.admin.versions.restoring import RestoreOutcome, restore, restore_tree
from s3memory.admin.versions.tombstones import tombstones_of
from s3memory.errors import (
    AccessDeniedError,
    AlreadyExistsError,
    BackendError,
    ConflictError,
    IntegrityError,
    InvalidInputError,
    NotFoundError,
    ReadOnlyError,
    RefusedError,
    UnfinishedError,
)
from s3memory.format.object_keys import Folder
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath
from s3memory.s3.versions import ListedVersion, ObjectVersions

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

PAGE = (REPOSITORY / "docs" / "history.md").read_text("utf-8")
# In the shape of a key, and none: what today's rules redact.
SECRET = "AKIA" + "QWERTYUIOPASDFGH"


def path(text: str) -> MemoryPath:
    return MemoryPath.parse(f"/memories/{text}")


@pytest.fixture(params=["plain", "encrypted"])
def store(request: pytest.FixtureRequest, make_store: MakeStore) -> MemoryStore:
    return make_store(name_mode=request.param, key_cache=KeyCache())


@pytest.fixture
def commands(store: MemoryStore) -> MemoryCommands:
    return MemoryCommands(store)


def rotate(store: MemoryStore, s3: S3Client, bucket: str) -> None:
    ring = store.key_ring.reloaded()
    assert ring is not None
    s3.put_object(Bucket=bucket, Key=store.key_ring.object_key, Body=ring.rotated().ring.to_bytes())


def told(versions: Sequence[FileVersion]) -> list[tuple[str, str]]:
    return [(str(one.path), str(one.operation)) for one in versions]


def operations(store: MemoryStore, name: str) -> list[str]:
    return [str(one.operation) for one in history(store.refusing_writes(), path(name)).versions]


def text_of(store: MemoryStore, name: str) -> str:
    file = store.read(path(name))
    assert file is not None
    return file.text


def test_the_page_tells_of_every_operation() -> None:
    table = PAGE.partition("## How a version is shown")[2].partition("\n- ")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE) == [
        str(one)
        for one in (
            Operation.CREATED,
            Operation.EDITED,
            Operation.MOVED_HERE,
            Operation.REWRITTEN,
            Operation.RESEALED,
            Operation.DELETED,
        )
    ]
    assert len(Operation) == 6
    assert all(f"`{problem}`" in PAGE for problem in Problem)


class TestHistory:
    def test_what_made_each_version_is_told_the_newest_first(
        self, store: MemoryStore, commands: MemoryCommands, at: SetClock
    ) -> None:
        at(0)
        commands.create("/memories/a", "first")
        at(1)
        commands.insert("/memories/a", 1, "second")
        at(2)
        commands.delete("/memories/a")
        at(3)
        commands.create("/memories/a", "third")
        versions = history(store, path("a")).versions
        assert [str(one.operation) for one in versions] == ["created", "deleted", "edited", "created"]
        assert [one.is_latest for one in versions] == [True, False, False, False]
        assert [one.size_bytes for one in versions] == [5, None, 13, 5]
        assert [(one.modified - NOON).total_seconds() / 60 for one in versions] == [3, 2, 1, 0]
        assert versions[0].sha256 == hashlib.sha256(b"third").hexdigest()
        assert versions[1].sha256 is None
        assert {one.generation for one in versions} == {1, None}

    def test_versions_of_neighbours_are_not_among_them(self, store: MemoryStore, commands: MemoryCommands) -> None:
        for name in ("a", "a/../ab", "a.b"):
            commands.create(f"/memories/{name}", "text")
        assert operations(store, "a") == ["created"]

    def test_of_what_never_was_there_is_none(self, store: MemoryStore, commands: MemoryCommands) -> None:
        with pytest.raises(NotFoundError):
            history(store, path("a"))
        commands.create("/memories/b", "text")
        with pytest.raises(NotFoundError):
            history(store, path("a"))

    def test_so_many_as_are_asked_for_and_each_as_it_would_be_told_among_all(
        self, store: MemoryStore, commands: MemoryCommands, at: SetClock
    ) -> None:
        at(0)
        commands.create("/memories/a", "0\n")
        for minute in range(1, 6):
            at(minute)
            commands.insert("/memories/a", 0, f"{minute}")
        assert history(store, path("a"), newest=2).versions == history(store, path("a")).versions[:2]
        assert history(store, path("a"), newest=10**30).versions == history(store, path("a")).versions

    def test_the_same_sealed_bytes_again_are_a_rewrite(
        self, store: MemoryStore, s3: S3Client, bucket: str, at: SetClock
    ) -> None:
        at(0)
        store.create(path("a"), "text")
        body = s3.get_object(Bucket=bucket, Key=key_of(store, "a"))["Body"].read()
        at(1)
        s3.put_object(Bucket=bucket, Key=key_of(store, "a"), Body=body)
        assert operations(store, "a") == ["rewritten", "created"]

    def test_the_same_text_under_a_newer_key_is_resealed_and_keeps_its_label(
        self, make_store: MakeStore, s3: S3Client, bucket: str, at: SetClock
    ) -> None:
        at(0)
        store = make_store(actor="agent-1", key_cache=KeyCache())
        MemoryCommands(store).create("/memories/a", "text")
        at(1)
        MemoryCommands(store).rename("/memories/a", "/memories/b")
        at(2)
        rotate(store, s3, bucket)
        ring = store.key_ring.reloaded()
        stored = store.objects.get(key_of(store, "b"))
        assert ring is not None
        assert stored is not None
        body, noted = store.texts.resealed(ring, path("b"), stored)
        store.objects.put(key_of(store, "b"), body, over=stored.info.etag, noted=noted)
        versions = history(store, path("b"), follow=True).versions
        assert [(str(one.path), str(one.operation), one.actor) for one in versions] == [
            ("/memories/b", "resealed", "agent-1"),
            ("/memories/b", "moved-here", "agent-1"),
            ("/memories/a", "created", "agent-1"),
        ]

    def test_a_directory_is_told_as_one(self, store: MemoryStore) -> None:
        store.create(path("d/a"), "first")
        for directory in (path("d"), path(".")):
            with pytest.raises(InvalidInputError, match="is a directory"):
                history(store, directory)
        with pytest.raises(NotFoundError):
            history(store, path("nope"))

    def test_a_version_that_was_altered_is_no_rewritten_one(
        self, store: MemoryStore, s3: S3Client, bucket: str, at: SetClock
    ) -> None:
        at(0)
        store.create(path("a"), "first")
        body = s3.get_object(Bucket=bucket, Key=key_of(store, "a"))["Body"].read()
        for minute, altered in enumerate((body[:-1] + bytes([body[-1] ^ 1]), body), 1):
            at(minute)
            s3.put_object(Bucket=bucket, Key=key_of(store, "a"), Body=altered)
        assert [(one.operation, one.problem) for one in history(store, path("a")).versions] == [
            (Operation.EDITED, None),
            (Operation.EDITED, Problem.DOES_NOT_OPEN),
            (Operation.CREATED, None),
        ]

    def test_what_does_not_open_is_told_and_not_left_out(
        self, store: MemoryStore, s3: S3Client, bucket: str, at: SetClock
    ) -> None:
        at(0)
        store.create(path("a"), "text")
        body = bytearray(s3.get_object(Bucket=bucket, Key=key_of(store, "a"))["Body"].read())
        at(1)
        body[7] = 9
        s3.put_object(Bucket=bucket, Key=key_of(store, "a"), Body=bytes(body))
        at(2)
        s3.put_object(Bucket=bucket, Key=key_of(store, "a"), Body=b"plaintext")
        versions = history(store, path("a")).versions
        assert [one.problem for one in versions] == [Problem.DOES_NOT_OPEN, Problem.NO_KEY, None]
        assert [one.generation for one in versions] == [None, 9, 1]
        assert [one.size_bytes for one in versions] == [None, 4, 4]

    def test_a_bucket_without_versions_has_one_of_each(self, make_store: MakeStore, s3: S3Client, bucket: str) -> None:
        s3.create_bucket(Bucket=f"{bucket}-plain", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        store = make_store(bucket=f"{bucket}-plain")
        store.create(path("a"), "text")
        store.edit(path("a"), lambda _: "other")
        (version,) = history(store, path("a")).versions
        assert (version.version_id, version.operation) == ("null", Operation.CREATED)
        assert read_version(store, path("a"), "null") == "other"

    def test_it_reads_and_writes_nothing(self, store: MemoryStore, s3: S3Client, bucket: str) -> None:
        store.create(path("a"), "text")
        before = s3.list_object_versions(Bucket=bucket)["Versions"]
        history(store, path("a"), follow=True)
        assert s3.list_object_versions(Bucket=bucket)["Versions"] == before


class TestFollowing:
    @pytest.fixture
    def moved(self, commands: MemoryCommands, at: SetClock) -> None:
        """A file that was made, edited, moved twice, the second time with its directory, and edited."""
        at(0)
        commands.create("/memories/old", "first")
        at(1)
        commands.insert("/memories/old", 1, "second")
        at(2)
        commands.rename("/memories/old", "/memories/d/new")
        at(3)
        commands.rename("/memories/d", "/memories/e")
        at(4)
        commands.insert("/memories/e/new", 2, "third")

    @pytest.mark.usefixtures("moved")
    def test_a_file_is_followed_through_renames_of_itself_and_of_its_directory(self, store: MemoryStore) -> None:
        versions = history(store, path("e/new"), follow=True).versions
        assert told(versions) == [
            ("/memories/e/new", "edited"),
            ("/memories/e/new", "moved-here"),
            ("/memories/d/new", "moved-here"),
            ("/memories/old", "edited"),
            ("/memories/old", "created"),
        ]
        sources = [one.moved_from for one in versions if one.moved_from is not None]
        assert [(str(one.path), one.is_same_text) for one in sources] == [
            ("/memories/d/new", True),
            ("/memories/old", True),
        ]
        assert sources[1].version_id == versions[3].version_id

    @pytest.mark.usefixtures("moved")
    def test_without_being_asked_it_stays_at_the_path(self, store: MemoryStore) -> None:
        assert told(history(store, path("e/new")).versions) == [
            ("/memories/e/new", "edited"),
            ("/memories/e/new", "moved-here"),
        ]
        assert operations(store, "old") == ["deleted", "edited", "created"]

    @pytest.mark.parametrize("newest", [None, 3])
    def test_a_file_that_was_moved_there_and_back_is_followed_to_where_it_began(
        self, store: MemoryStore, commands: MemoryCommands, at: SetClock, newest: int | None
    ) -> None:
        at(0)
        commands.create("/memories/draft", "text")
        for number, (old, new) in enumerate((("draft", "a"), ("a", "b"), ("b", "a")), 1):
            at(number)
            commands.rename(f"/memories/{old}", f"/memories/{new}")
        versions = history(store, path("a"), follow=True, newest=newest).versions
        assert told(versions) == [
            ("/memories/a", "moved-here"),
            ("/memories/a", "deleted"),
            ("/memories/a", "moved-here"),
            ("/memories/b", "moved-here"),
            ("/memories/draft", "created"),
        ]
        sources = [one.moved_from for one in versions]
        assert [source and str(source.path) for source in sources] == [
            "/memories/b",
            None,
            "/memories/draft",
            "/memories/a",
            None,
        ]

    @pytest.mark.usefixtures("moved")
    def test_a_source_that_is_not_kept_any_more_ends_it(self, store: MemoryStore) -> None:
        store.objects.versions.destroy(list(store.objects.versions.of(key_of(store, "old"))))
        assert told(history(store, path("e/new"), follow=True).versions)[-1] == ("/memories/d/new", "moved-here")

    @pytest.mark.usefixtures("moved")
    def test_a_source_that_s3_does_not_give_is_told_as_not_looked_at_and_ends_it(
        self, store: MemoryStore, faults: FaultLayer
    ) -> None:
        faults.hit_object("GetObject", key_of(store, "old"), refused(403, "InvalidObjectState"))
        *_, moved, last = history(store, path("e/new"), follow=True).versions
        assert (moved.path, moved.moved_from) == (path("d/new"), None)
        assert (last.path, last.problem, last.code) == (path("old"), Problem.NOT_LOOKED_AT, "InvalidObjectState")

    def test_a_claim_that_somebody_made_up_is_told_as_one(
        self, store: MemoryStore, s3: S3Client, bucket: str, at: SetClock
    ) -> None:
        """Whoever may write to the bucket can say that anything is a copy of anything."""
        at(0)
        store.create(path("a"), "one text")
        store.create(path("b"), "another")
        body = s3.get_object(Bucket=bucket, Key=key_of(store, "b"))["Body"].read()
        etag = s3.head_object(Bucket=bucket, Key=key_of(store, "a"))["ETag"].strip('"')
        at(1)
        s3.delete_object(Bucket=bucket, Key=key_of(store, "b"))
        at(2)
        s3.put_object(Bucket=bucket, Key=key_of(store, "b"), Body=body, Metadata={"s3memory-copied-from": etag})
        newest = history(store, path("b"), follow=True).versions[0]
        assert newest.moved_from is not None
        assert (newest.moved_from.path, newest.moved_from.is_same_text) == (path("a"), False)

    def test_two_files_that_say_they_are_each_others_copy_end_it(
        self, store: MemoryStore, s3: S3Client, bucket: str
    ) -> None:
        for name in ("a", "b"):
            store.create(path(name), name)
        bodies = {name: s3.get_object(Bucket=bucket, Key=key_of(store, name))["Body"].read() for name in ("a", "b")}
        etags = {name: hashlib.md5(body, usedforsecurity=False).hexdigest() for name, body in bodies.items()}
        for name, other in (("a", "b"), ("b", "a")):
            s3.delete_object(Bucket=bucket, Key=key_of(store, name))
            s3.put_object(
                Bucket=bucket,
                Key=key_of(store, name),
                Body=bodies[name],
                Metadata={"s3memory-copied-from": etags[other]},
            )
        assert len(history(store, path("a"), follow=True).versions) <= 6


class TestThePast:
    @pytest.fixture
    def past(self, commands: MemoryCommands, at: SetClock) -> None:
        at(-60)
        for name in ("same", "edited", "deleted", "d/moved", "gone"):
            commands.create(f"/memories/{name}", "first")
        at(-30)
        commands.delete("/memories/gone")
        at(30)
        commands.insert("/memories/edited", 1, "second")
        commands.delete("/memories/deleted")
        commands.rename("/memories/d", "/memories/e")
        commands.create("/memories/new", "later")

    @pytest.mark.usefixtures("past")
    def test_the_tree_is_told_as_it_was(self, store: MemoryStore) -> None:
        then = {str(file): read_version(store, file, one.version_id) for file, one in tree_at(store, path("."), NOON)}
        assert then == {f"/memories/{name}": "first" for name in ("same", "edited", "deleted", "d/moved")}
        assert [str(file) for file, _ in tree_at(store, path("d"), NOON)] == ["/memories/d/moved"]
        assert [str(file) for file, _ in tree_at(store, path("edited"), NOON)] == ["/memories/edited"]
        assert list(tree_at(store, path("edit"), NOON)) == []

    @pytest.mark.usefixtures("past")
    def test_older_versions_of_then_are_neither_what_was_current_nor_what_came_since(self, store: MemoryStore) -> None:
        (then,) = usage(store, path("."), with_versions=True, moment=NOON)
        assert (then.files, then.size_bytes) == (4, 4 * len("first"))
        assert (then.versions, then.versions_bytes) == (1, len("first"))  # of the file that was deleted by then
        (now,) = usage(store, path("."), with_versions=True)
        assert (now.files, now.versions) == (4, 4)

    @pytest.mark.usefixtures("past")
    def test_a_version_is_found_by_time_or_id(self, store: MemoryStore) -> None:
        then = version_of(store, path("edited"), moment=NOON)
        assert version_of(store, path("edited"), version_id=then.version_id) == then
        for name in ("gone", "new", "never"):
            with pytest.raises(NotFoundError):
                version_of(store, path(name), moment=NOON)
        with pytest.raises(NotFoundError):
            version_of(store, path("edited"), version_id="no-such")
        marker = next(iter(store.objects.versions.of(key_of(store, "deleted"))))
        with pytest.raises(NotFoundError):
            version_of(store, path("deleted"), version_id=marker.version_id)

    @pytest.mark.usefixtures("past")
    def test_a_tree_is_restored_as_new_versions_and_nothing_is_deleted(
        self, store: MemoryStore, at: SetClock, s3: S3Client, bucket: str
    ) -> None:
        before = {one["VersionId"] for one in s3.list_object_versions(Bucket=bucket)["Versions"]}
        at(60)
        results = {str(one.path): one.outcome for one in restore_tree(store, path("."), NOON)}
        assert results == {
            "/memories/same": RestoreOutcome.SAME,
            "/memories/edited": RestoreOutcome.RESTORED,
            "/memories/deleted": RestoreOutcome.RESTORED,
            "/memories/d/moved": RestoreOutcome.RESTORED,
        }
        assert [text_of(store, name) for name in ("same", "edited", "deleted", "d/moved")] == ["first"] * 4
        assert [text_of(store, name) for name in ("new", "e/moved")] == ["later", "first"]
        assert before <= {one["VersionId"] for one in s3.list_object_versions(Bucket=bucket)["Versions"]}
        newest, *_ = versions = history(store, path("edited")).versions
        assert (newest.operation, newest.same_text_as) == (Operation.EDITED, versions[-1].version_id)
        assert {one.outcome for one in restore_tree(store, path("."), NOON)} == {RestoreOutcome.SAME}

    @pytest.mark.usefixtures("past")
    def test_a_dry_run_tells_the_same_and_writes_nothing(self, store: MemoryStore, s3: S3Client, bucket: str) -> None:
        before = s3.list_object_versions(Bucket=bucket)["Versions"]
        forecast = sorted(
            restore_tree(store.refusing_writes(), path("."), NOON, dry_run=True), key=lambda one: one.path
        )
        assert s3.list_object_versions(Bucket=bucket)["Versions"] == before
        assert sorted(restore_tree(store, path("."), NOON), key=lambda one: one.path) == forecast

    def test_what_is_restored_passes_the_rules_of_today(self, make_store: MakeStore, at: SetClock) -> None:
        at(-60)
        make_store(redactor=None).create(path("a"), f"key {SECRET}")
        at(30)
        store = make_store()
        store.edit(path("a"), lambda _: "nothing")
        version = version_of(store, path("a"), moment=NOON)
        for one in (store.refusing_writes(), store):
            restored = restore(one, path("a"), version, dry_run=one is not store)
            assert [finding.kind for finding in restored.findings] == ["aws-access-key"]
        assert SECRET not in text_of(store, "a")

    def test_one_file_that_cant_be_put_back_keeps_no_other_from_it(
        self, store: MemoryStore, commands: MemoryCommands, at: SetClock
    ) -> None:
        at(-60)
        for name in ("a", "b"):
            commands.create(f"/memories/{name}", "first")
        at(30)
        commands.delete("/memories/a")
        commands.create("/memories/a/below", "in the way")
        commands.insert("/memories/b", 1, "second")
        for one in (store.refusing_writes(), store):
            restored = restore_tree(one, path("."), NOON, dry_run=one is not store)
            results = {str(result.path): result for result in restored}
            assert results["/memories/a"].outcome is RestoreOutcome.REFUSED
            assert results["/memories/a"].reason
            assert results["/memories/b"].outcome is RestoreOutcome.RESTORED
        with pytest.raises(AlreadyExistsError):
            restore(store, path("a"), version_of(store, path("a"), moment=NOON))

    @pytest.mark.parametrize("fault", [None, refused(403, "AccessDenied")], ids=["a directory", "refused"])
    def test_what_can_not_be_put_back_after_a_deletion_leaves_no_version(
        self, store: MemoryStore, commands: MemoryCommands, at: SetClock, faults: FaultLayer, fault: Fault | None
    ) -> None:
        at(-60)
        commands.create("/memories/a", "first")
        at(30)
        commands.delete("/memories/a")
        if fault is None:
            commands.create("/memories/a/below", "in the way")
        else:
            faults.hit("ListObjectsV2", fault, times=20)
        version = version_of(store, path("a"), moment=NOON)
        before = list(store.objects.versions.of(key_of(store, "a")))
        with pytest.raises(AccessDeniedError if fault else AlreadyExistsError):
            restore(store, path("a"), version)
        assert list(store.objects.versions.of(key_of(store, "a"))) == before

    def test_an_agent_that_writes_meanwhile_loses_nothing(
        self, store: MemoryStore, commands: MemoryCommands, at: SetClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        at(-60)
        commands.create("/memories/a", "first")
        at(30)
        commands.insert("/memories/a", 1, "second")
        at(40)
        version = version_of(store, path("a"), moment=NOON)
        seal, has_written = type(store.texts).seal, False

        def faster(self: object, *arguments: object) -> bytes:
            nonlocal has_written
            if not has_written:
                has_written = True
                commands.insert("/memories/a", 2, "third")
            return seal(self, *arguments)  # type: ignore[arg-type]  # as it was called

        monkeypatch.setattr(type(store.texts), "seal", faster)
        assert restore(store, path("a"), version).outcome is RestoreOutcome.RESTORED
        monkeypatch.undo()
        texts = {
            read_version(store, path("a"), one.version_id) for one in store.objects.versions.of(key_of(store, "a"))
        }
        assert {"first", "first\nsecond\n", "first\nsecond\nthird\n"} <= texts

    def test_a_read_only_memory_is_not_restored(self, make_store: MakeStore, at: SetClock) -> None:
        at(-60)
        make_store().create(path("a"), "first")
        at(30)
        make_store().edit(path("a"), lambda _: "second")
        reading = make_store(read_only=True)
        with pytest.raises(ReadOnlyError):
            restore(reading, path("a"), version_of(reading, path("a"), moment=NOON))
        with pytest.raises(ReadOnlyError):
            list(restore_tree(reading, path("."), NOON))
        assert text_of(reading, "a") == "second"

    def test_a_current_version_that_does_not_open_is_replaced_and_stays_an_older_one(
        self, make_store: MakeStore, s3: S3Client, bucket: str, at: SetClock
    ) -> None:
        at(-60)
        make_store(redactor=None).create(path("a"), f"key {SECRET}")
        at(30)
        store = make_store()
        altered = bytearray(s3.get_object(Bucket=bucket, Key=key_of(store, "a"))["Body"].read())
        altered[-1] ^= 1
        s3.put_object(Bucket=bucket, Key=key_of(store, "a"), Body=bytes(altered))
        at(40)
        version = version_of(store, path("a"), moment=NOON)
        (forecast,) = restore_tree(store.refusing_writes(), path("."), NOON, dry_run=True)
        assert (forecast.outcome, forecast.was_unreadable) == (RestoreOutcome.RESTORED, True)
        assert restore(store, path("a"), version) == forecast
        assert [finding.kind for finding in forecast.findings] == ["aws-access-key"]
        assert text_of(store, "a").startswith("key ")
        assert SECRET not in text_of(store, "a")
        _, before, _ = store.objects.versions.of(key_of(store, "a"))
        kept = store.objects.get(before.object_key, version_id=before.version_id)
        assert kept is not None
        assert kept.body == bytes(altered)

    def test_another_writer_wins_over_the_replacing_of_what_does_not_open(
        self, store: MemoryStore, s3: S3Client, bucket: str, at: SetClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        at(-60)
        store.create(path("a"), "first")
        at(30)
        s3.put_object(Bucket=bucket, Key=key_of(store, "a"), Body=b"altered")
        version = version_of(store, path("a"), moment=NOON)
        seal = type(store.texts).seal

        def slower(self: object, *arguments: object) -> bytes:
            s3.put_object(Bucket=bucket, Key=key_of(store, "a"), Body=b"altered again")
            return seal(self, *arguments)  # type: ignore[arg-type]  # as it was called

        monkeypatch.setattr(type(store.texts), "seal", slower)
        with pytest.raises(ConflictError):
            restore(store, path("a"), version)
        assert s3.get_object(Bucket=bucket, Key=key_of(store, "a"))["Body"].read() == b"altered again"

    def test_an_older_version_that_was_altered_is_refused(
        self, store: MemoryStore, s3: S3Client, bucket: str, at: SetClock
    ) -> None:
        at(-60)
        store.create(path("a"), "first")
        at(-30)
        s3.put_object(Bucket=bucket, Key=key_of(store, "a"), Body=b"altered")
        at(30)
        s3.delete_object(Bucket=bucket, Key=key_of(store, "a"))
        with pytest.raises(IntegrityError):
            restore(store, path("a"), version_of(store, path("a"), moment=NOON))
        (result,) = restore_tree(store, path("."), NOON)
        assert (result.outcome, result.is_unreadable) == (RestoreOutcome.REFUSED, True)

    @pytest.mark.parametrize("alteration", ["one byte", "another place"])
    def test_what_does_not_open_is_not_the_same_though_nobody_changed_it_since(
        self, store: MemoryStore, s3: S3Client, bucket: str, at: SetClock, alteration: str
    ) -> None:
        at(-60)
        for name in ("a", "b"):
            store.create(path(name), f"text of {name}")
        at(-30)
        own, other = (s3.get_object(Bucket=bucket, Key=key_of(store, name))["Body"].read() for name in ("a", "b"))
        altered = other if alteration == "another place" else own[:-1] + bytes([own[-1] ^ 1])
        s3.put_object(Bucket=bucket, Key=key_of(store, "a"), Body=altered)
        at(30)
        for one in (store.refusing_writes(), store):
            found = {
                str(restored.path): restored for restored in restore_tree(one, path("."), NOON, dry_run=one != store)
            }
            assert found["/memories/b"].outcome is RestoreOutcome.SAME
            result = found["/memories/a"]
            assert (result.outcome, result.is_unreadable) == (RestoreOutcome.REFUSED, True)
            assert "/memories/a does not open" in result.reason


@pytest.mark.parametrize("n_blocks", [3, 500])
def test_a_diff_holds_both_texts_however_many_lines_differ(n_blocks: int) -> None:
    # Lines that recur are what difflib takes very long for.
    repeated = [f"{first}{second}" for first in "abcdef" for second in "abcde"]
    blocks = [repeated[number % 25 :][:5] for number in range(n_blocks)]
    older, newer = ([sign, *(line for block in blocks for line in (*block, sign))] for sign in "PQ")
    version = ListedVersion("key", "1", NOON, is_latest=True, is_delete_marker=False, size_bytes=0, etag="")
    texts = ["".join(f"{line}\n" for line in ("same", *lines, "end")) for lines in (older, newer)]
    diff = Compared(version, version, *texts).unified(names=("a", "b"), times=("", ""))[3:]
    for signs, text in zip((" -", " +"), texts, strict=True):
        assert [line[1:] for line in diff if line[0] in signs] == text.splitlines()


class TestRedacting:
    @pytest.fixture
    def ids(self, store: MemoryStore, at: SetClock) -> list[str]:
        """The version ids of a file, the newest first: two of its four versions say the same."""
        for minute, text in enumerate(["one", "two", "one", "three"]):
            at(minute)
            if minute:
                store.edit(path("a"), lambda _, text=text: text)  # type: ignore[misc]  # a default binds it
            else:
                store.create(path("a"), text)
        return [one.version_id for one in history(store, path("a")).versions]

    def test_the_text_is_gone_and_the_version_is_still_told(
        self, store: MemoryStore, ids: list[str], s3: S3Client, bucket: str
    ) -> None:
        before = history(store, path("a")).versions
        record = redact_version(store, find_redactable(store, path("a"), ids[1]))
        with pytest.raises(NotFoundError):
            read_version(store, path("a"), ids[1])
        left = {one["VersionId"] for one in s3.list_object_versions(Bucket=bucket, Prefix="memories/")["Versions"]}
        assert left == set(ids) - {ids[1]}
        after = history(store, path("a")).versions
        assert [one.version_id for one in after] == ids
        assert [one.operation for one in after] == [one.operation for one in before]
        assert after[1].redaction == record
        assert (after[1].modified, after[1].sha256, after[1].size_bytes) == (before[1].modified, None, None)
        assert [one.redaction for one in after if one.version_id != ids[1]] == [None] * 3

    def test_what_else_says_the_same_is_named(self, store: MemoryStore, ids: list[str]) -> None:
        assert find_redactable(store, path("a"), ids[1]).same_text == (ids[3],)
        assert find_redactable(store, path("a"), ids[2]).same_text == ()

    def test_what_does_not_open_may_say_the_same_and_is_named(
        self, store: MemoryStore, ids: list[str], s3: S3Client, bucket: str
    ) -> None:
        assert find_redactable(store, path("a"), ids[1]).unread == ()
        put = [s3.put_object(Bucket=bucket, Key=key_of(store, "a"), Body=b"does not open") for _ in range(2)]
        older, current = (answer["VersionId"] for answer in put)
        assert set(find_redactable(store, path("a"), ids[1]).unread) == {older, current}
        assert set(find_redactable(store, path("a"), older).unread) == {older, current}

    @pytest.mark.parametrize("number", [1, 3])
    def test_where_it_or_another_version_can_not_be_read_nobody_can_tell_what_says_the_same_and_it_stays(
        self, store: MemoryStore, ids: list[str], faults: FaultLayer, number: int
    ) -> None:
        archived = refused(403, "InvalidObjectState")
        faults.hit_object("GetObject", key_of(store, "a"), archived, version_id=ids[number])
        with pytest.raises(BackendError, match=re.escape(f"{ids[number]} of /memories/a can't be read (InvalidObj")):
            find_redactable(store, path("a"), ids[1])

    def test_one_that_was_redacted_before_is_told_of_though_another_can_not_be_read(
        self, store: MemoryStore, ids: list[str], faults: FaultLayer
    ) -> None:
        record = redact_version(store, find_redactable(store, path("a"), ids[1]))
        faults.hit_object("GetObject", key_of(store, "a"), refused(403, "InvalidObjectState"), version_id=ids[3])
        assert find_redactable(store, path("a"), ids[1]).version.redaction == record

    def test_a_version_that_can_not_be_read_afterwards_may_have_the_text_again(
        self, store: MemoryStore, ids: list[str], faults: FaultLayer
    ) -> None:
        redactable = find_redactable(store, path("a"), ids[1])
        redact_version(store, redactable)
        faults.hit_object("GetObject", key_of(store, "a"), refused(403, "InvalidObjectState"), version_id=ids[0])
        with pytest.raises(UnfinishedError, match="is redacted"):
            same_text_since(store, redactable)

    def test_never_the_current_version_nor_a_deletion_nor_what_is_not_there(
        self, store: MemoryStore, ids: list[str], commands: MemoryCommands, at: SetClock
    ) -> None:
        with pytest.raises(RefusedError, match="is the current version"):
            find_redactable(store, path("a"), ids[0])
        at(10)
        commands.delete("/memories/a")
        marker = history(store, path("a")).versions[0].version_id
        with pytest.raises(RefusedError, match="deletion"):
            find_redactable(store, path("a"), marker)
        with pytest.raises(NotFoundError):
            find_redactable(store, path("a"), "no-such")

    def test_one_that_was_redacted_before_stays_as_it_is_and_nobody_can_tell_what_else_has_its_text(
        self, store: MemoryStore, ids: list[str]
    ) -> None:
        record = redact_version(store, find_redactable(store, path("a"), ids[1]))
        again = find_redactable(store, path("a"), ids[1])
        assert again.same_text is None
        assert redact_version(store, again) == record
        with pytest.raises(ValueError, match="no hash"):
            same_text_since(store, again)

    def test_what_the_next_write_replaces_under_its_id_is_refused(
        self, make_store: MakeStore, s3: S3Client, bucket: str, at: SetClock
    ) -> None:
        """Between the look at version ``null`` and its end, it may have become what an agent has just stored."""
        at(0)
        store = make_store()
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})
        store.create(path("a"), "zero")
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
        at(1)
        store.edit(path("a"), lambda _: "one")
        redactable = find_redactable(store, path("a"), "null")
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})
        with pytest.raises(RefusedError, match="versioning is not enabled"):
            find_redactable(store, path("a"), "null")
        with pytest.raises(RefusedError, match="versioning is not enabled"):
            redact_version(store, redactable)
        assert read_version(store, path("a"), "null") == "zero"
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
        redact_version(store, redactable)
        with pytest.raises(NotFoundError):
            read_version(store, path("a"), "null")

    def test_one_that_has_become_the_current_version_stays(self, store: MemoryStore, ids: list[str]) -> None:
        """An operator who destroys the newest version makes the one before it current."""
        redactable = find_redactable(store, path("a"), ids[1])
        store.objects.versions.destroy([version_of(store, path("a"), version_id=ids[0])])
        with pytest.raises(RefusedError):
            redact_version(store, redactable)
        assert text_of(store, "a") == "one"

    def test_after_a_crash_in_between_it_is_done_by_doing_it_again(
        self, store: MemoryStore, ids: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object) -> None:
            raise BackendError("The memory store could not destroy everything.")

        redactable = find_redactable(store, path("a"), ids[1])
        monkeypatch.setattr(ObjectVersions, "destroy", fail)
        with pytest.raises(BackendError):
            redact_version(store, redactable)
        monkeypatch.undo()
        still_there = history(store, path("a")).versions[1]
        assert (still_there.version_id, still_there.redaction, still_there.sha256 is None) == (ids[1], None, False)
        redact_version(store, find_redactable(store, path("a"), ids[1]))
        (record,) = tombstones_of(store, path("a")).by_version_id.values()
        assert history(store, path("a")).versions[1].redaction == record

    def test_after_the_record_is_stored_no_error_says_that_nothing_was_changed(
        self, store: MemoryStore, ids: list[str], faults: FaultLayer
    ) -> None:
        redactable = find_redactable(store, path("a"), ids[1])
        faults.hit("GetObject", refused(403, "AccessDenied"), times=3)  # of the key ring
        with pytest.raises(UnfinishedError, match=r"is redacted was not finished.* What was done stays"):
            redact_version(store, redactable)
        assert tombstones_of(store, path("a")).by_version_id.keys() == {ids[1]}
        assert read_version(store, path("a"), ids[1]) == "one"

    def test_a_record_is_sealed_and_bound_to_its_place(
        self, store: MemoryStore, ids: list[str], s3: S3Client, bucket: str
    ) -> None:
        redact_version(store, find_redactable(store, path("a"), ids[1]))
        prefix = store.objects.layout.folder(Folder.REDACTIONS)
        (listed,) = s3.list_objects_v2(Bucket=bucket, Prefix=prefix)["Contents"]
        body = s3.get_object(Bucket=bucket, Key=listed["Key"])["Body"].read()
        assert ids[1].encode() not in body
        assert ids[1] not in listed["Key"]
        s3.put_object(Bucket=bucket, Key=f"{prefix}{'0' * 32}", Body=body)
        findings: list[Defect] = []
        assert verify(store, findings.append).records == 2
        assert [(one.kind, one.object_key) for one in findings] == [(Kind.DOES_NOT_OPEN, f"{prefix}{'0' * 32}")]
        s3.put_object(Bucket=bucket, Key=f"{prefix}folder/", Body=b"")
        found = history(store, path("a"))
        assert found.unreadable_tombstones == (f"{prefix}{'0' * 32}", f"{prefix}folder/")
        assert [one.version_id for one in found.versions] == ids
        assert found.versions[1].redaction is not None

    def test_records_are_sealed_anew_under_a_newer_key(
        self, store: MemoryStore, ids: list[str], s3: S3Client, bucket: str
    ) -> None:
        record = redact_version(store, find_redactable(store, path("a"), ids[1]))
        rotate(store, s3, bucket)
        assert (reseal(store).records, reseal(store).records) == (1, 0)
        (listed,) = s3.list_objects_v2(Bucket=bucket, Prefix=store.objects.layout.folder(Folder.REDACTIONS))["Contents"]
        assert s3.get_object(Bucket=bucket, Key=listed["Key"])["Body"].read()[4:8] == b"\0\0\0\2"
        assert list(tombstones_of(store, path("a")).by_version_id.values()) == [record]

    def test_a_read_only_memory_keeps_what_it_has(self, store: MemoryStore, ids: list[str]) -> None:
        reading = store.refusing_writes()
        with pytest.raises(ReadOnlyError):
            redact_version(reading, find_redactable(reading, path("a"), ids[1]))
        assert history(store, path("a")).versions[1].sha256 is not None


class TestActors:
    def test_each_change_has_the_label_of_the_store_that_made_it(self, make_store: MakeStore, at: SetClock) -> None:
        at(0)
        make_store(actor="agent-1").create(path("a"), "first")
        at(1)
        make_store().edit(path("a"), lambda _: "second")
        at(2)
        MemoryCommands(make_store(actor="agënt-2")).rename("/memories/a", "/memories/b")
        store = make_store()
        versions = history(store, path("b"), follow=True).versions
        assert [one.actor for one in versions] == ["agënt-2", None, "agent-1"]
        assert not any(one.has_bad_actor for one in versions)

    def test_a_label_of_another_write_does_not_open(
        self, make_store: MakeStore, s3: S3Client, bucket: str, at: SetClock
    ) -> None:
        """Not even of the same text at the same path: the salt of the write is bound."""
        store = make_store(actor="anna")
        at(0)
        store.create(path("a"), "text")
        first = s3.get_object(Bucket=bucket, Key=key_of(store, "a"))
        at(1)
        store.edit(path("a"), lambda text: text)
        second = s3.get_object(Bucket=bucket, Key=key_of(store, "a"))
        at(2)
        s3.put_object(Bucket=bucket, Key=key_of(store, "a"), Body=first["Body"].read(), Metadata=second["Metadata"])
        at(3)
        body = second["Body"].read()
        s3.put_object(Bucket=bucket, Key=key_of(store, "a"), Body=body, Metadata={"s3memory-actor": "anna"})
        versions = history(store, path("a")).versions
        assert [(one.actor, one.has_bad_actor) for one in versions] == [
            (None, True),
            (None, True),
            ("anna", False),
            ("anna", False),
        ]

    def test_sealed_labels_are_of_one_length_and_show_nothing(
        self, make_store: MakeStore, s3: S3Client, bucket: str
    ) -> None:
        lengths = set()
        for number, actor in enumerate(["agent", "a" * 128, "é" * 64]):
            make_store(actor=actor).create(path(str(number)), "text")
            sealed = s3.head_object(Bucket=bucket, Key=f"memories/acme/{number}")["Metadata"]["s3memory-actor"]
            assert actor not in sealed
            lengths.add(len(sealed))
        assert lengths == {280}

    def test_who_redacts_is_noted_beside_who_wrote(self, make_store: MakeStore, at: SetClock) -> None:
        at(0)
        store = make_store(actor="agent-1")
        store.create(path("a"), "first")
        at(1)
        store.edit(path("a"), lambda _: "second")
        operator = make_store(actor="operator")
        newest, oldest = history(operator, path("a")).versions
        redact_version(operator, find_redactable(operator, path("a"), oldest.version_id))
        redacted = history(operator, path("a")).versions[1]
        assert redacted.redaction is not None
        assert (redacted.actor, redacted.redaction.redacted_by) == ("agent-1", "operator")
        assert replace(newest) == history(operator, path("a")).versions[0]

    @pytest.mark.parametrize("actor", ["", " ", "a" * 129, "é" * 65, "a\nb", "a\u202eb", "\ud800", 7], ids=ascii)
    def test_what_is_no_label_is_refused(self, make_store: MakeStore, actor: object) -> None:
        with pytest.raises(ValueError, match="actor must be"):
            make_store(actor=actor)
