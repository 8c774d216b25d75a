"""What is used is touched, so that S3 tells what is not; and what nobody used is deleted, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from conftest import MakeCommands, MakeStore
from support.cli_runs import Run
from support.clock import NOON, SetClock
from support.faults import FaultLayer, other_writer_first, refused
from support.flavours import put_files

from s3memory import MemoryCommands, MemoryStore, _parallel, _threads
from s3memory.admin.expiry import expire, unused_files
from s3memory.admin.keys import rotation
from s3memory.admin.keys.resealing import reseal
from s3memory.cli.progress import progress_bar
from s3memory.config.settings import Settings
from s3memory.errors import ConfigurationError, NotFoundError, ReadOnlyError
from s3memory.paths import MemoryPath

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

A, B = MemoryPath(("a.md",)), MemoryPath(("d", "b"))
AT_ONCE = 1e-9
"""With this, a file is due as soon as it is written."""


def versions(s3: S3Client, bucket: str) -> list[bytes]:
    listed = [item for item in s3.list_object_versions(Bucket=bucket)["Versions"] if "memories/" in item["Key"]]
    return [
        s3.get_object(Bucket=bucket, Key=item["Key"], VersionId=item["VersionId"])["Body"].read() for item in listed
    ]


def test_a_view_of_a_file_that_is_due_stores_the_same_bytes_again(
    make_commands: MakeCommands, s3: S3Client, bucket: str
) -> None:
    commands = make_commands(touch_after_seconds=AT_ONCE)
    commands.create(str(A), "tea")
    with FaultLayer(s3) as recorded:
        assert "tea" in commands.view(str(A))
    assert recorded.requests == ["GetObject", "PutObject"]
    first, second = versions(s3, bucket)
    assert first == second
    commands.str_replace(str(A), "tea", "mate")


def test_a_touch_keeps_what_a_copy_says_of_its_source(make_store: MakeStore) -> None:
    store = make_store(touch_after_seconds=AT_ONCE)
    store.create(A, "tea")
    source = store.read(A)
    assert source is not None
    store.copy(source, B)
    store.files.read(B, touch=True)
    info = store.files.info(B)
    assert info is not None
    assert info.is_copy_of(source.info.etags)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"touch_after_seconds": 3_600}, {"touch_after_seconds": AT_ONCE, "read_only": True}],
    ids=["not asked for", "not due", "read-only"],
)
def test_otherwise_a_view_only_reads(make_commands: MakeCommands, s3: S3Client, arguments: dict[str, object]) -> None:
    make_commands().create(str(A), "tea")
    commands = make_commands(**arguments)
    with FaultLayer(s3) as recorded:
        commands.view(str(A))
    assert recorded.requests == ["GetObject"]


def test_an_edit_reads_without_a_touch(make_commands: MakeCommands, s3: S3Client) -> None:
    commands = make_commands(touch_after_seconds=AT_ONCE)
    commands.create(str(A), "tea")
    with FaultLayer(s3) as recorded:
        commands.str_replace(str(A), "tea", "mate")
    assert recorded.requests == ["GetObject", "PutObject"]


def test_no_touch_brings_back_what_another_writer_changed_meanwhile(
    make_commands: MakeCommands, s3: S3Client, other_s3: S3Client
) -> None:
    other = make_commands(s3_client=other_s3)
    other.create(str(A), "tea")
    with FaultLayer(s3) as faults:
        faults.hit("PutObject", other_writer_first(lambda: other.str_replace(str(A), "tea", "mate")))
        assert "tea" in make_commands(touch_after_seconds=AT_ONCE).view(str(A))
    assert "mate" in other.view(str(A))


def test_no_view_fails_because_of_a_touch(make_commands: MakeCommands, s3: S3Client) -> None:
    make_commands().create(str(A), "tea")
    with FaultLayer(s3) as faults:
        faults.hit("PutObject", refused(403, "AccessDenied"), times=9)
        assert "tea" in make_commands(touch_after_seconds=AT_ONCE).view(str(A))


@pytest.mark.parametrize("wrong", [0, -1.0])
def test_the_time_until_a_touch_is_positive(make_store: MakeStore, wrong: float) -> None:
    with pytest.raises(ConfigurationError):
        make_store(touch_after_seconds=wrong)


def test_the_time_until_a_touch_comes_from_the_environment(bucket: str, s3: S3Client) -> None:
    environ = {
        "S3MEMORY_BUCKET": bucket,
        "S3MEMORY_LOCAL_KEY": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "S3MEMORY_TOUCH_AFTER_DAYS": "30",
    }
    store = MemoryStore.from_settings(Settings.from_env(environ), tenant="acme", s3_client=s3)
    assert store.touch_after_seconds == 30 * 86_400


def test_what_was_used_since_stays_and_the_rest_goes(make_store: MakeStore, s3: S3Client) -> None:
    store = make_store()
    store.create(A, "tea")
    store.create(B, "mate")
    now = datetime.now(UTC)
    assert unused_files(store, before=now - timedelta(hours=1)).files == []
    soon = now + timedelta(hours=1)
    files = unused_files(store, before=soon).files
    assert [(file.path, file.size_bytes) for file in files] == [(A, 3), (B, 4)]
    with FaultLayer(s3) as recorded:
        assert expire(store, files[:1], before=soon)[0] == files[:1]
    assert recorded.requests == ["HeadObject", "DeleteObject"]
    assert [file.path for file in store.files.below(MemoryPath())] == [B]


def test_a_file_that_is_used_after_it_was_found_stays(make_store: MakeStore, s3: S3Client, other_s3: S3Client) -> None:
    store, other = make_store(), make_store(s3_client=other_s3)
    store.create(A, "tea")
    store.create(B, "tea")
    soon = datetime.now(UTC) + timedelta(hours=1)
    files = unused_files(store, before=soon).files
    with FaultLayer(s3) as faults:
        # One is edited between the look and the deletion.
        faults.hit("DeleteObject", other_writer_first(lambda: other.edit(A, str.upper)))
        assert expire(store, files[:1], before=soon)[0] == []
    # The other was touched: the same bytes and ETag, and a newer time.
    assert expire(store, files[1:], before=datetime.now(UTC) - timedelta(hours=1))[0] == []
    assert [file.path for file in store.files.below(MemoryPath())] == [A, B]


def test_what_is_sealed_anew_counts_as_used_and_the_help_says_so(make_store: MakeStore, run: Run, at: SetClock) -> None:
    store = make_store()
    written = at(0)
    store.create(A, "tea")
    rotation.rotate(store)
    soon = written + timedelta(minutes=1)
    assert [file.path for file in unused_files(store, before=soon).files] == [A]
    at(60)
    reseal(store)
    assert unused_files(store, before=soon).files == []
    assert "s3memory reseal" in run("expire", "--help").out
    assert "s3memory expire" in run("reseal", "--help").out


def test_a_file_that_is_gone_already_is_not_counted(make_store: MakeStore) -> None:
    store = make_store()
    written = store.create(A, "tea")
    soon = datetime.now(UTC) + timedelta(hours=1)
    files = unused_files(store, before=soon).files
    store.delete(A, etag=written.etag)
    assert expire(store, files, before=soon)[0] == []


def test_a_read_only_memory_does_not_expire(make_store: MakeStore) -> None:
    make_store().create(A, "tea")
    store = make_store(read_only=True)
    soon = datetime.now(UTC) + timedelta(hours=1)
    with pytest.raises(ReadOnlyError):
        expire(store, unused_files(store, before=soon).files, before=soon)


def test_what_is_no_memory_file_is_counted_and_left_alone(make_store: MakeStore, s3: S3Client, bucket: str) -> None:
    store = make_store()
    store.create(A, "tea")
    s3.put_object(Bucket=bucket, Key="memories/acme/a//b", Body=b"stray")
    soon = datetime.now(UTC) + timedelta(hours=1)
    unused = unused_files(store, before=soon)
    assert ([file.path for file in unused.files], unused.stray) == ([A], 1)
    assert expire(store, unused.files, before=soon)[0] == unused.files
    assert s3.head_object(Bucket=bucket, Key="memories/acme/a//b")["ContentLength"] == 5


def test_what_an_interrupted_expiry_says_to_have_deleted_is_all_that_it_deletes(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store()
    put_files(store, {f"/memories/{number}": "tea" for number in range(100)})
    soon = datetime.now(UTC) + timedelta(hours=1)
    files = unused_files(store, before=soon).files

    def interrupted(_: object) -> None:
        monkeypatch.setattr(_parallel, "wait", _threads.wait)
        raise KeyboardInterrupt

    monkeypatch.setattr(_parallel, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught, progress_bar():
        expire(store, files, before=soon)
    left = store.files.below(MemoryPath())
    assert caught.value.__notes__ == [f"Progress: {100 - len(left)} of 100 (files)."]
    _parallel.each(str, range(100))  # the pool begins in turn: whatever waited for it would be done by now
    assert store.files.below(MemoryPath()) == left


@pytest.fixture
def memory(settings: None, at: SetClock) -> MemoryCommands:
    """A configured tenant with a file from a hundred days ago and one from now."""
    commands = MemoryCommands.from_env()
    now = int((datetime.now(UTC) - NOON).total_seconds() / 60)
    at(now - 100 * 24 * 60)
    commands.create(str(A), "old")
    at(now)
    commands.create(str(B), "new")
    return commands


@pytest.mark.usefixtures("memory")
def test_a_dry_run_lists_what_is_unused_and_writes_nothing(run: Run, s3: S3Client, bucket: str) -> None:
    before = s3.list_object_versions(Bucket=bucket)["Versions"]
    ran = run("expire", "--older-than", "90d", "--dry-run", "--json")
    assert ran.exit_code == 0
    (file,) = ran.results[0]["files"]
    assert (file["path"], file["size_bytes"]) == ("/memories/a.md", 3)
    assert s3.list_object_versions(Bucket=bucket)["Versions"] == before


def test_what_is_unused_goes_once_the_count_is_confirmed(run: Run, memory: MemoryCommands) -> None:
    assert run("expire", "--older-than", "90d").exit_code == 2, "nobody can be asked"
    assert run("expire", "--older-than", "90d", "--yes").exit_code == 2, "a script says how many"
    assert run("expire", "--older-than", "90d", "--yes", "--expect-count", "2").exit_code == 1
    assert "old" in memory.view(str(A))
    ran = run("expire", "--older-than", "90d", "--yes", "--expect-count", "1")
    assert (ran.exit_code, ran.err.splitlines()[1:]) == (0, ["acme: 1 deleted"])
    assert ran.out.endswith("3 /memories/a.md\n")
    with pytest.raises(NotFoundError):
        memory.view(str(A))
    assert "new" in memory.view(str(B))


@pytest.mark.usefixtures("memory")
def test_a_read_only_memory_is_refused_also_where_nothing_is_unused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("expire", "--older-than", "200d").exit_code == 0, "nobody is asked"
    monkeypatch.setenv("S3MEMORY_READ_ONLY", "true")
    for options in ([], ["--expect-count", "0"]):
        ran = run("expire", "--older-than", "200d", *options)
        assert (ran.exit_code, ran.out) == (1, "")
        assert "read-only" in ran.err


STRAY = "s3memory: 1 object is not a memory file: run `s3memory verify` to see it"


@pytest.mark.usefixtures("memory")
def test_the_exit_code_says_that_something_is_no_memory_file(run: Run, s3: S3Client, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="memories/acme/folder/", Body=b"")
    ran = run("expire", "--older-than", "90d", "--dry-run")
    assert ran.exit_code == 3
    assert ran.err.splitlines()[1:] == ["acme: 1 unused", STRAY]
    ran = run("expire", "--older-than", "90d", "--yes", "--expect-count", "1", "--json")
    assert (ran.exit_code, ran.results[0]["stray"], len(ran.results[0]["files"])) == (3, 1, 1)
    assert STRAY in ran.err.splitlines(), "a script hears of it too"


@pytest.mark.parametrize("wrong", ["90", "d", "-1d", "1w", "1.5d", ""])
def test_a_time_is_a_number_with_a_unit(run: Run, wrong: str) -> None:
    ran = run("expire", "--tenant", "acme", "--older-than", wrong)
    assert ran.exit_code == 2
    assert "such as 90d" in ran.err
