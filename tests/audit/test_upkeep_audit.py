"""Erasing, moving and changing keys cause one audit event each, with their requests and without what they read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import MakeStore
from support.recorder import Recorder

from s3memory import LocalKeyWrapper, MemoryStore
from s3memory.admin import expiry, listing_files
from s3memory.admin.erasure import erasing
from s3memory.admin.keys import generations, resealing, retiring, rotation
from s3memory.admin.scanning import scan
from s3memory.admin.transfer import exporting, importing
from s3memory.admin.transfer.import_sources import FolderSource
from s3memory.admin.versions.point_in_time import versions_of
from s3memory.admin.versions.restoring import restore
from s3memory.audit import Outcome
from s3memory.audit.recording import as_one_event
from s3memory.bulk import erasure_rows, rows
from s3memory.errors import RefusedError
from s3memory.paths import MemoryPath
from s3memory.redaction import PatternRedactor

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

SECRET = "AKIA" + "Z7QX3LMP5TBV2KNW"
PATH = MemoryPath(("a",))


def import_a_file(store: MemoryStore, folder: Path) -> None:
    (folder / "b").write_text("two")
    importing.import_files(store, FolderSource(folder, 1_000))


COMMANDS: list[tuple[str, str, Callable[[MemoryStore, Path], object]]] = [
    ("rotate", "PutObject", lambda store, _: rotation.rotate(store)),
    ("rewrap", "PutObject", lambda store, _: rotation.rewrap(store, new_wrapper())),
    ("archive", "PutObject", lambda store, _: rotation.archive(store)),
    ("unarchive", "GetObject", lambda store, _: rotation.archive(store, archived=False)),
    ("expire", "DeleteObject", lambda store, _: expire_all(store)),
    ("reseal", "GetObject", lambda store, _: resealing.reseal(store)),
    ("export", "GetObject", lambda store, _: exporting.export(store, lambda _: True)),
    ("import", "PutObject", import_a_file),
    ("erase", "DeleteObjects", lambda store, _: erasing.erase(store)),
    ("erase", "ListObjectVersions", lambda store, _: erasing.survey(store)),
    ("expire", "ListObjectsV2", lambda store, _: expiry.unused_files(store, before=datetime.now(UTC))),
    ("show", "ListObjectVersions", lambda store, _: generations.key_ring_state(store, with_usage=True)),
    ("stat", "ListObjectsV2", lambda store, _: listing_files.status(store, MemoryPath())),
    ("manifest", "ListObjectsV2", lambda store, _: list(rows(store))),
    ("manifest", "ListObjectVersions", lambda store, _: list(erasure_rows(store))),
]


def expire_all(store: MemoryStore) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    with as_one_event(store, "expire"):
        expiry.expire(store, expiry.unused_files(store, before=soon).files, before=soon)


def new_wrapper() -> LocalKeyWrapper:
    return LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text())


@pytest.mark.parametrize(
    ("operation", "request_name", "command"), COMMANDS, ids=[f"{one[0]} {one[1]}" for one in COMMANDS]
)
def test_each_command_causes_one_event(
    make_store: MakeStore, tmp_path: Path, operation: str, request_name: str, command: Callable[..., object]
) -> None:
    make_store().create(MemoryPath(("marzipan",)), "marzipan")
    recorder = Recorder()
    command(make_store(auditor=recorder, actor="operator"), tmp_path)
    (event,) = recorder.events
    assert (event.operation, event.outcome, event.actor) == (operation, Outcome.DONE, "operator")
    assert event.requests[request_name] >= 1
    assert "marzipan" not in repr(event)


def test_a_command_of_several_functions_keeps_its_own_name(make_store: MakeStore) -> None:
    path = MemoryPath(("a",))
    make_store().create(path, "x")
    recorder = Recorder()
    store = make_store(auditor=recorder)
    with as_one_event(store, "recent"):
        listing_files.status(store, path)
    assert [event.operation for event in recorder.events] == ["recent"]


def test_a_refusal_is_an_event_too(make_store: MakeStore) -> None:
    recorder = Recorder()
    store = make_store(auditor=recorder)
    store.create(MemoryPath(("a",)), "x")
    rotation.rotate(store)
    recorder.events.clear()
    with pytest.raises(RefusedError):
        retiring.retire(store)
    assert [(event.operation, event.outcome) for event in recorder.events] == [("retire", Outcome.REFUSED)]


def import_the_secret(make_store: MakeStore, recorder: Recorder, folder: Path) -> None:
    (folder / "a").write_text(f"key {SECRET}\n")
    importing.import_files(make_store(auditor=recorder), FolderSource(folder, 1_000))


def scan_and_fix_the_secret(make_store: MakeStore, recorder: Recorder, _: Path) -> None:
    make_store(redactor=None).create(PATH, f"key {SECRET}\n")
    scan(make_store(auditor=recorder), PatternRedactor(), fix=True)


def restore_the_secret(make_store: MakeStore, recorder: Recorder, _: Path) -> None:
    store = make_store(redactor=None)
    store.create(PATH, f"key {SECRET}\n")
    store.edit(PATH, lambda _: "tea")
    restore(make_store(auditor=recorder), PATH, list(versions_of(store, PATH))[-1])


@pytest.mark.parametrize("command", [import_the_secret, scan_and_fix_the_secret, restore_the_secret])
def test_redactions_during_a_write_are_counted_for_every_command(
    make_store: MakeStore, s3: S3Client, bucket: str, tmp_path: Path, command: Callable[..., None]
) -> None:
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    recorder = Recorder()
    command(make_store, recorder, tmp_path)
    (event,) = recorder.events
    assert event.redactions == {"aws-access-key": 1}
