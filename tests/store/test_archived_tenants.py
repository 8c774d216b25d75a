"""An archived tenant can be read but not changed, by any command, until it is unarchived."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import MakeCommands, MakeStore
from support.cli_runs import Run
from support.faults import Fault, FaultLayer
from support.flavours import put_files
from support.repository import REPOSITORY

from s3memory import MemoryCommands
from s3memory.admin.keys import rotation
from s3memory.admin.keys.resealing import reseal
from s3memory.admin.scanning import scan
from s3memory.errors import KeyRingError, NotFoundError, ReadOnlyError
from s3memory.format.key_ring import KeyRing
from s3memory.keys.key_cache import KeyCache, forget_keys
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.redaction import PatternRedactor
from s3memory.store import tree

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client


class Killed(BaseException):
    """The process ends here."""


def kill() -> None:
    raise Killed


A, IN_D = "/memories/a", "/memories/d/b"
CHANGES = [
    {"command": "create", "path": "/memories/new", "file_text": "x"},
    {"command": "str_replace", "path": A, "old_str": "tea", "new_str": "mate"},
    {"command": "insert", "path": A, "insert_line": 0, "insert_text": "x"},
    {"command": "delete", "path": A},
    {"command": "delete", "path": "/memories/d"},
    {"command": "rename", "old_path": A, "new_path": "/memories/c"},
    {"command": "rename", "old_path": "/memories/d", "new_path": "/memories/e"},
]
PAGE = (REPOSITORY / "docs" / "operations.md").read_text("utf-8")
SECTION = PAGE.partition("\n## Quotas, expiry and archiving of a tenant's memory\n")[2].partition("\n## ")[0]
DOCUMENTED = re.findall(r"^\$ s3memory (.*)$", SECTION, re.MULTILINE)


@pytest.fixture(params=["plain", "encrypted"])
def archived(request: pytest.FixtureRequest, make_store: MakeStore) -> MakeStore:
    """A maker of stores, as other processes have them, of an archived tenant with two files."""
    store = make_store(name_mode=request.param)
    put_files(store, dict.fromkeys((A, IN_D), "tea"))
    assert rotation.archive(store)
    return lambda **more: make_store(key_cache=KeyCache(), **more)


def versions(s3: S3Client, bucket: str) -> list[str]:
    return [item["VersionId"] for item in s3.list_object_versions(Bucket=bucket)["Versions"]]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: f"{change['command']} {list(change.values())[1]}")
def test_every_change_is_refused_and_nothing_is_written(
    archived: MakeStore, s3: S3Client, bucket: str, change: dict[str, object]
) -> None:
    before = versions(s3, bucket)
    with pytest.raises(ReadOnlyError) as refusal:
        MemoryCommands(archived(), overwrite=True).call(change)
    assert str(refusal.value) == "This memory is archived: it can be read, not changed. Nothing was changed."
    assert versions(s3, bucket) == before
    assert "DeleteMarkers" not in s3.list_object_versions(Bucket=bucket)


def test_it_can_be_read_and_views_do_not_change_it(archived: MakeStore, s3: S3Client) -> None:
    commands = MemoryCommands(archived(touch_after_seconds=1e-9))
    with FaultLayer(s3) as recorded:
        assert "tea" in commands.view(A)
        assert "/memories/d/b" in commands.view("/memories")
    assert not {"PutObject", "DeleteObject"} & set(recorded.requests)


def test_a_refused_change_costs_only_the_request_for_the_key_ring(archived: MakeStore, s3: S3Client) -> None:
    commands = MemoryCommands(archived())
    commands.view("/memories")
    with FaultLayer(s3) as recorded, pytest.raises(ReadOnlyError):
        commands.create("/memories/new", "x")
    assert recorded.requests == []


def test_a_scan_that_should_redact_it_is_refused(archived: MakeStore) -> None:
    with pytest.raises(ReadOnlyError, match="is archived"):
        scan(archived(), PatternRedactor(), fix=True)


def test_it_is_writable_again_once_it_is_unarchived(archived: MakeStore) -> None:
    assert not rotation.archive(archived()), "it was before"
    assert rotation.archive(archived(), archived=False)
    assert not rotation.archive(archived(), archived=False)
    MemoryCommands(archived()).insert(A, 0, "more")


def test_operators_can_still_rotate_reseal_and_repair_it(archived: MakeStore) -> None:
    assert rotation.rotate(archived()).ring.archived
    assert reseal(archived()).resealed == 2
    assert tree.repair(archived()) == []
    with pytest.raises(ReadOnlyError):
        MemoryCommands(archived()).insert(A, 0, "more")


def test_a_process_with_a_cached_ring_keeps_writing_until_it_reads_the_ring_again(
    make_store: MakeStore, make_commands: MakeCommands
) -> None:
    cached = KeyCache()
    commands = make_commands(key_cache=cached)
    commands.create(A, "tea")
    rotation.archive(make_store(key_cache=KeyCache()))
    commands.insert(A, 0, "more")
    cached.clear()
    with pytest.raises(ReadOnlyError):
        commands.insert(A, 0, "more")


def test_nobody_without_the_keys_can_unarchive_it(archived: MakeStore, s3: S3Client, bucket: str) -> None:
    store = archived()
    document = s3.get_object(Bucket=bucket, Key=store.key_ring.object_key)["Body"].read()
    assert KeyRing.from_bytes(document, tenant=store.tenant).archived
    fields = json.loads(document)
    del fields["archived"]
    forged = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
    s3.put_object(Bucket=bucket, Key=store.key_ring.object_key, Body=forged)
    ring = KeyRing.from_bytes(forged, tenant=store.tenant)
    with pytest.raises(KeyRingError, match="key ring"):
        OpenKeyRing.open(ring, store.key_ring.wrapper)


def test_a_tenant_without_memory_cannot_be_archived(make_store: MakeStore) -> None:
    with pytest.raises(NotFoundError):
        rotation.archive(make_store())


@pytest.fixture
def configured(settings: None) -> MemoryCommands:
    commands = MemoryCommands.from_env(tenant="acme")
    commands.create(A, "tea")
    return commands


@pytest.fixture
def left(configured: MemoryCommands, run: Run, s3: S3Client) -> str:
    """An archived tenant that has an older version, whose id is returned, and a directory rename that crashed."""
    configured.str_replace(A, "tea", "mate")
    configured.create(IN_D, "tea")
    with FaultLayer(configured.store.objects._client) as faults:
        faults.hit("DeleteObject", Fault(action=kill), times=9)
        with pytest.raises(Killed):
            configured.rename("/memories/d", "/memories/e")
    assert run("archive", "--tenant", "acme").exit_code == 0
    forget_keys()
    return str(run("history", A, "--tenant", "acme", "--json").results[-1]["version_id"])


@pytest.mark.parametrize(
    "line",
    [
        "expire --older-than 0m",
        "restore /memories/a --version {version}",
        "redact-version /memories/a --version {version}",
        "repair",
        "import {folder}",
        "import {folder} --partial",
    ],
)
def test_a_dry_run_says_that_a_change_would_be_refused(  # noqa: PLR0917 - fixtures
    run: Run, left: str, s3: S3Client, bucket: str, tmp_path: Path, line: str
) -> None:
    (tmp_path / "new").write_text("tea")
    before = versions(s3, bucket)
    arguments = [*shlex.split(line.format(version=left, folder=tmp_path)), "--tenant", "acme"]
    dry, real = run(*arguments, "--dry-run"), run(*arguments)
    assert (dry.exit_code, real.exit_code) == (1, 1)
    for ran in (dry, real):
        assert "This memory is archived: it can be read, not changed." in ran.err
    assert versions(s3, bucket) == before


@pytest.mark.usefixtures("configured")
def test_keys_show_says_whether_a_tenant_is_archived(run: Run) -> None:
    for command, text in (("archive", "yes"), ("unarchive", "no")):
        run(command, "--tenant", "acme")
        assert f"archived: {text}\n" in run("keys", "show", "--tenant", "acme").out
        assert run("keys", "show", "--tenant", "acme", "--json").results[0]["archived"] is (text == "yes")


@pytest.mark.parametrize("line", DOCUMENTED)
@pytest.mark.usefixtures("configured")
def test_each_documented_command_runs(run: Run, line: str) -> None:
    ran = run(*shlex.split(line))
    assert ran.exit_code == 0, ran.err


def test_the_command_line_archives_and_reports_it(run: Run, configured: MemoryCommands) -> None:
    assert run("archive", "--tenant", "acme").err == "acme: now archived\n"
    assert run("archive", "--tenant", "acme").err == "acme: already archived\n"
    with pytest.raises(ReadOnlyError):
        configured.delete(A)
    assert run("unarchive", "--tenant", "acme", "--json").results == [
        {"tenant": "acme", "archived": False, "changed": True}
    ]
    configured.delete(A)
