"""A tenant cannot grow beyond its quota; it gets an error, and can always shrink."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import MakeCommands, MakeStore
from support.faults import FaultLayer, refused

from s3memory.admin.transfer.import_sources import FolderSource
from s3memory.admin.transfer.importing import Existing, ImportOutcome, import_files, plan
from s3memory.admin.versions.point_in_time import versions_of
from s3memory.admin.versions.restoring import RestoreOutcome, restore
from s3memory.config.settings import Settings
from s3memory.errors import AlreadyExistsError, ConfigurationError, LimitError, UnavailableError
from s3memory.limits import Limits
from s3memory.paths import MemoryPath
from s3memory.store import tree
from s3memory.store.quotas import TenantUsage

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

A, B = "/memories/a", "/memories/b"


@pytest.fixture
def recorded(s3: S3Client) -> Iterator[FaultLayer]:
    with FaultLayer(s3) as layer:
        yield layer


def test_files_are_counted_and_one_above_the_limit_is_refused(make_commands: MakeCommands) -> None:
    commands = make_commands(limits=Limits(max_tenant_files=2))
    commands.create(A, "x")
    commands.create(B, "x")
    with pytest.raises(LimitError) as refusal:
        commands.create("/memories/c", "x")
    assert str(refusal.value) == (
        "The memory is full: it holds 2 files, and 2 is the limit. Nothing was changed. "
        "Delete files that are no longer needed, or add to one that is there."
    )
    commands.insert(A, 1, "more")
    commands.rename(A, "/memories/d/e/f")
    commands.delete(B)
    commands.create("/memories/c", "x")


def test_bytes_of_texts_are_counted_and_a_text_that_does_not_fit_is_refused(
    make_commands: MakeCommands, make_store: MakeStore
) -> None:
    limits = Limits(max_tenant_bytes=10)
    commands = make_commands(limits=limits)
    commands.create(A, "é" * 3)
    commands.create(B, "1234")
    assert make_store(limits=limits).quotas.usage() == TenantUsage(files=2, size_bytes=10)
    for call in (
        {"command": "create", "path": "/memories/c", "file_text": "x"},
        {"command": "insert", "path": A, "insert_line": 0, "insert_text": "x"},
    ):
        with pytest.raises(LimitError) as refusal:
            commands.call(call)
        assert "it holds 10 bytes" in str(refusal.value)
        assert "10 is the limit. Nothing was changed." in str(refusal.value)
    assert make_store(limits=limits).quotas.usage() == TenantUsage(files=2, size_bytes=10)
    commands.create("/memories/empty", "")


def test_a_tenant_above_its_quota_can_shrink_and_change_its_text(make_commands: MakeCommands) -> None:
    make_commands().create(A, "one two three")
    commands = make_commands(limits=Limits(max_tenant_bytes=5, max_tenant_files=1))
    commands.str_replace(A, "three", "four")
    commands.str_replace(A, "four", "tiny")
    with pytest.raises(LimitError):
        commands.str_replace(A, "tiny", "large")


def test_the_old_text_of_a_file_does_not_count_when_it_is_replaced_unread(
    make_commands: MakeCommands, make_store: MakeStore
) -> None:
    """As a mirrored folder does."""
    make_commands().create(A, "one two three")
    store, path = make_store(limits=Limits(max_tenant_bytes=5)), MemoryPath.parse(A)
    for text, is_refused in (("one two four", False), ("one two seven", True)):
        file = store.read(path)
        assert file is not None
        with pytest.raises(LimitError) if is_refused else nullcontext():
            store.replace(path, text, etag=file.info.etag, read_with=file.ring)
    assert "one two four" in make_commands().view(A)


def test_an_existing_file_does_not_count_as_a_new_one(make_commands: MakeCommands) -> None:
    limits = Limits(max_tenant_files=1, max_tenant_bytes=3)
    make_commands(limits=limits).create(A, "old")
    with pytest.raises(AlreadyExistsError):
        make_commands(limits=limits).create(A, "new")
    make_commands(limits=limits, overwrite=True).create(A, "new")
    with pytest.raises(LimitError):
        make_commands(limits=limits, overwrite=True).create(A, "newer")


def test_counting_takes_one_list_during_the_checks_of_a_create_and_none_for_commands_that_do_not_grow(
    make_commands: MakeCommands, recorded: FaultLayer
) -> None:
    commands = make_commands(limits=Limits(max_tenant_files=9, max_tenant_bytes=90))
    commands.create(A, "one")
    recorded.clear()
    commands.create(B, "two")
    assert sorted(recorded.requests) == ["ListObjectsV2", "ListObjectsV2", "PutObject"]
    recorded.clear()
    commands.str_replace(A, "one", "two")
    assert recorded.requests == ["GetObject", "PutObject"]
    recorded.clear()
    commands.insert(A, 1, "more")
    assert recorded.requests == ["GetObject", "ListObjectsV2", "PutObject"]


def test_other_tenants_are_not_counted(make_commands: MakeCommands) -> None:
    for tenant in ("ac", "acme2", "acm"):
        make_commands(tenant=tenant).create(A, "x" * 50)
    make_commands(limits=Limits(max_tenant_files=1, max_tenant_bytes=1)).create(A, "x")


def test_nothing_is_written_if_counting_fails(make_commands: MakeCommands, recorded: FaultLayer) -> None:
    commands = make_commands(limits=Limits(max_tenant_files=9))
    commands.create(A, "x")
    recorded.hit("ListObjectsV2", refused(503, "SlowDown"), times=9)
    with pytest.raises(UnavailableError):
        commands.create(B, "x")


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "9"])
def test_a_quota_must_be_a_positive_number_or_none(wrong: object) -> None:
    assert Limits(max_tenant_files=None).max_tenant_files is None
    with pytest.raises(ConfigurationError, match=r"Limits\.max_tenant_files"):
        Limits(max_tenant_files=wrong)  # type: ignore[arg-type]  # that is what is tried


def test_quotas_come_from_the_environment() -> None:
    environ = {"S3MEMORY_MAX_TENANT_FILES": "12", "S3MEMORY_MAX_TENANT_BYTES": "3456"}
    limits = Settings.from_env(environ).limits()
    assert (limits.max_tenant_files, limits.max_tenant_bytes) == (12, 3456)


@pytest.mark.parametrize("limits", [Limits(max_tenant_files=2), Limits(max_tenant_bytes=8)])
def test_an_import_that_exceeds_the_quota_changes_nothing(
    make_store: MakeStore, tmp_path: Path, limits: Limits
) -> None:
    store = make_store(limits=limits)
    store.create(MemoryPath.parse(A), "four")
    for name in ("b", "c"):
        (tmp_path / name).write_text("four")
    source = FolderSource(tmp_path, 100)
    refused_all = import_files(store, source)
    assert [(one.path, one.outcome) for one in refused_all.files] == [
        (B, ImportOutcome.CREATED),
        ("/memories/c", ImportOutcome.REFUSED),
    ]
    assert not refused_all.is_done
    assert store.quotas.usage().files == 1
    assert import_files(store, source, partial_=True).is_done
    assert store.quotas.usage().files == 2


def test_an_import_counts_the_growth_of_a_replaced_file(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store(limits=Limits(max_tenant_files=2, max_tenant_bytes=10))
    for path in (A, B):
        store.create(MemoryPath.parse(path), "four")
    for name, text in (("a", "as long"), ("b", "one")):
        (tmp_path / name).write_text(text)
    planned = plan(store, FolderSource(tmp_path, 100), existing=Existing.OVERWRITE)
    assert [one.outcome for one in planned.files] == [ImportOutcome.REFUSED, ImportOutcome.REPLACED]
    (tmp_path / "a").write_text("sixsix")
    assert not plan(store, FolderSource(tmp_path, 100), existing=Existing.OVERWRITE).is_refused


@pytest.mark.parametrize("is_there", [True, False])
def test_a_dry_run_of_a_restore_reports_that_the_quota_is_exceeded(make_store: MakeStore, *, is_there: bool) -> None:
    path = MemoryPath.parse(A)
    make_store().create(path, "one two three")
    (old,) = versions_of(make_store(), path)
    make_store().edit(path, lambda _: "one")
    if not is_there:
        tree.delete(make_store(), path)
    store = make_store(limits=Limits(max_tenant_bytes=5))
    for dry_run in (True, False):
        with pytest.raises(LimitError):
            restore(store, path, old, dry_run=dry_run)
    assert restore(make_store(), path, old, dry_run=True).outcome is RestoreOutcome.RESTORED
