"""Manifests of batches: each row belongs to one tenant, whatever its source, and is a complete event."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from conftest import MakeCommands
from support.cli_runs import Run

from s3memory import bulk
from s3memory.bulk import BulkHandler, Row, batch_line, batch_lines, inventory_rows, map_line
from s3memory.bulk.events import decoded, parsed
from s3memory.config.settings import Settings
from s3memory.errors import InvalidInputError

BUCKET = "store"


def rows_of(**files: int) -> list[Row]:
    return [Row(f"memories/{tenant}/{number}") for tenant, count in files.items() for number in range(count)]


def batches(rows: list[Row], *, prefix: str = "", max_items: int = 500) -> list[dict[str, Any]]:
    return [json.loads(line) for line in batch_lines(BUCKET, prefix, rows, max_items=max_items)]


def test_a_batch_belongs_to_one_tenant_and_has_a_maximum_size() -> None:
    found = batches(rows_of(acme=1201, globex=1, initech=500))
    assert [(one["tenant"], len(one["Items"])) for one in found] == [
        ("acme", 500),
        ("acme", 500),
        ("acme", 201),
        ("globex", 1),
        ("initech", 500),
    ]
    assert [item["Key"] for one in found for item in one["Items"]] == [
        row.object_key for row in rows_of(acme=1201, globex=1, initech=500)
    ]


def test_a_tenant_whose_name_starts_with_anothers_has_its_own_batches() -> None:
    assert [one["tenant"] for one in batches(rows_of(ab=1, a=1))] == ["ab", "a"]


def test_a_batch_with_long_names_fits_into_an_item_of_a_map() -> None:
    long = [Row(f"memories/acme/{number}-{'é' * 400}") for number in range(500)]
    lines = list(batch_lines(BUCKET, "", long))
    assert len(lines) > 1
    assert all(len(line.encode()) < 256 * 1024 for line in lines)
    assert sum(len(json.loads(line)["Items"]) for line in lines) == 500


def test_a_batch_keeps_versions_and_respects_the_prefix() -> None:
    (one,) = batches([Row("prod/keyrings/acme", "v1"), Row("prod/memories/acme/a")], prefix="prod/")
    assert one == {
        "Bucket": BUCKET,
        "tenant": "acme",
        "Items": [{"Key": "prod/keyrings/acme", "VersionId": "v1"}, {"Key": "prod/memories/acme/a"}],
    }


def test_an_object_without_a_tenant_is_in_a_batch_without_a_tenant() -> None:
    found = batches([Row("batch/manifests/x"), *rows_of(acme=1)])
    assert ["tenant" in one for one in found] == [False, True]


def test_a_row_is_an_event() -> None:
    (row,) = batches(rows_of(acme=2))
    job = parsed(row)
    assert (job.tenant, job.row_tenant) == (None, "acme")
    assert [(item.object_keys, item.bucket) for item in job.items] == [
        (("memories/acme/0",), BUCKET),
        (("memories/acme/1",), BUCKET),
    ]


def test_a_row_with_objects_of_another_tenant_or_bucket_is_not_processed(
    make_commands: MakeCommands, settings: None
) -> None:
    make_commands().create("/memories/a", "text")
    settings_now = Settings.from_env()
    handler = BulkHandler(bulk.verify._make_work, operation="verify", settings=settings_now)
    items = [{"Key": "memories/acme/a"}]
    here = settings_now.bucket
    for row, text in (
        ({"Bucket": here, "tenant": "globex", "Items": items}, "another-tenant"),
        ({"Bucket": "elsewhere", "tenant": "acme", "Items": items}, "another-bucket"),
    ):
        (failed,) = handler(row, None)["failed"]
        assert failed["resultString"] == text


# From an inventory


def line_of(key: str, bucket: str = BUCKET) -> str:
    return f'"{bucket}","{quote(key, safe="/*-._")}","true","4096"\n'


def test_the_keys_in_an_inventory_are_decoded() -> None:
    keys = ["memories/acme/a b", "memories/acme/50%", "memories/acme/é,ü", 'memories/acme/"q"']
    assert [row.object_key for row in inventory_rows(map(line_of, keys), bucket=BUCKET)] == keys


def test_an_inventory_line_with_a_plus_is_one_row_that_keeps_both_readings() -> None:
    lines = [f'"{BUCKET}","memories/acme/a+b%2B,é"\n', f'"{BUCKET}","memories/acme/a%20b"\n']
    doubtful, plain = inventory_rows(lines, bucket=BUCKET)
    assert plain == Row("memories/acme/a b")
    meant = ("memories/acme/a+b+,é", "memories/acme/a b+,é")
    for line in (map_line(BUCKET, doubtful), *batch_lines(BUCKET, "", [doubtful])):
        (item,) = parsed(json.loads(line)).items
        assert item.object_keys == meant
    bucket, encoded = batch_line(BUCKET, doubtful).split(",")
    assert (bucket, decoded(encoded)) == (BUCKET, meant)
    assert encoded.isascii()


def test_a_plus_in_the_prefix_leaves_no_doubt_about_the_tenant() -> None:
    lines = [f'"{BUCKET}","a+b/memories/acme/{name}"\n' for name in ("x", "y")]
    for prefix in ("a+b/", "a b/"):
        (batch,) = map(json.loads, batch_lines(BUCKET, prefix, inventory_rows(lines, bucket=BUCKET)))
        assert (batch["tenant"], len(batch["Items"])) == ("acme", 2)


@pytest.mark.parametrize("stored", [["a+b"], ["a b"], ["a+b", "a b"]], ids=repr)
@pytest.mark.parametrize("is_batched", [False, True])
def test_of_two_possible_keys_the_existing_one_is_erased_and_neither_if_both_exist(
    make_commands: MakeCommands, settings: None, stored: list[str], *, is_batched: bool
) -> None:
    commands = make_commands()
    for name in stored:
        commands.create(f"/memories/{name}", "text")
    settings_now = Settings.from_env()
    here = settings_now.bucket
    found = inventory_rows([f'"{here}","memories/acme/a+b"\n'], bucket=here)
    (line,) = batch_lines(here, "", found) if is_batched else [map_line(here, row) for row in found]
    erasing = BulkHandler(bulk.erase._make_work, operation="erase", erases=True, settings=settings_now)
    (text,) = erasing(json.loads(line), None)["counts"]
    names = [name for name in ("a+b", "a b") if name in commands.view("/memories")]
    assert (text, names) == (("ambiguous-key", stored) if len(stored) > 1 else ("erased: 1", []))


@pytest.mark.parametrize("line", ['"other","memories/acme/a"\n', "memories/acme/a\n", '{"Key": "a"}\n'])
def test_a_line_that_is_not_from_the_buckets_inventory_is_refused(line: str) -> None:
    with pytest.raises(InvalidInputError, match="Line 2"):
        list(inventory_rows([line_of("memories/acme/a"), line], bucket=BUCKET))


# On the command line


@pytest.fixture
def two_tenants(settings: None, monkeypatch: pytest.MonkeyPatch) -> str:
    """Three files of acme and one of globex; returns the bucket."""
    from s3memory import MemoryCommands  # noqa: PLC0415 - its settings are those of the environment

    for tenant, count in (("acme", 3), ("globex", 1)):
        commands = MemoryCommands.from_env(tenant=tenant)
        for number in range(count):
            commands.create(f"/memories/{number}", "text")
    monkeypatch.delenv("S3MEMORY_TENANT")  # a function with a tenant processes no other
    return Settings.from_env().bucket


def test_a_manifest_of_batches_is_verified_row_by_row(run: Run, two_tenants: str) -> None:
    ran = run("manifest", "--all", "--for", "map", "--batch", "2")
    assert ran.exit_code == 0
    assert "4 objects" in ran.err
    found = [json.loads(line) for line in ran.out.splitlines()]
    assert [(one["tenant"], len(one["Items"])) for one in found] == [("acme", 2), ("acme", 1), ("globex", 1)]
    handler = BulkHandler(bulk.verify._make_work, operation="verify", settings=Settings.from_env())
    counts: Counter[str] = Counter()
    for row in found:
        counts.update(handler(row, None)["counts"])
    assert counts == {"opens": 4}


@pytest.mark.usefixtures("two_tenants")
def test_a_tenant_that_is_named_twice_is_listed_once(run: Run) -> None:
    ran = run("manifest", *("--tenant", "acme", "--tenant", "globex", "--tenant", "acme"))
    assert ran.exit_code == 0
    assert ran.out == run("manifest", "--tenant", "acme", "--tenant", "globex").out
    assert len(ran.out.splitlines()) == 4


@pytest.mark.parametrize("source", ["file", "stdin"])
def test_a_manifest_from_an_inventory_equals_that_from_a_listing(
    run: Run, two_tenants: str, tmp_path: Path, source: str
) -> None:
    listed = run("manifest", "--all", "--for", "map", "--batch", "500").out
    keys = [item["Key"] for line in listed.splitlines() for item in json.loads(line)["Items"]]
    text = "".join(line_of(key, two_tenants) for key in keys)
    (tmp_path / "inventory.csv").write_text(text)
    from_inventory = ["--for", "map", "--batch", "500", "--inventory"]
    if source == "file":
        ran = run("manifest", *from_inventory, str(tmp_path / "inventory.csv"))
    else:
        ran = run("manifest", *from_inventory, "-", stdin=text.encode())
    assert (ran.exit_code, ran.out) == (0, listed)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--batch", "500"],
        ["--for", "map", "--batch", "0"],
        ["--inventory", "x.csv", "--all"],
        ["--inventory", "x.csv", "--tenant", "acme"],
        ["--inventory", "x.csv", "--versions"],
        ["--inventory", "nowhere.csv"],
    ],
)
def test_contradictory_options_are_a_usage_error(run: Run, settings: None, arguments: list[str]) -> None:
    ran = run("manifest", *arguments)
    assert (ran.exit_code, ran.out) == (2, "")


@pytest.mark.parametrize(
    "data",
    [gzip.compress(line_of("memories/acme/a").encode()), b'"a-bucket","memories/acme/a'],
    ids=["packed", "cut off"],
)
def test_a_compressed_or_truncated_inventory_is_reported_with_what_to_do(
    run: Run, settings: None, tmp_path: Path, data: bytes
) -> None:
    (tmp_path / "inventory.csv").write_bytes(data)
    ran = run("manifest", "--inventory", str(tmp_path / "inventory.csv"))
    assert ran.exit_code == 1
    assert "use gunzip first" in ran.err


def test_an_unreadable_inventory_is_named_with_the_reason(run: Run, settings: None, tmp_path: Path) -> None:
    for name, reason in (("absent.csv", "No such file or directory"), (".", "Is a directory")):
        ran = run("manifest", "--inventory", str(tmp_path / name))
        assert (ran.exit_code, ran.err) == (2, f"s3memory: {tmp_path / name} can't be read: {reason}\n")


def test_an_inventory_of_another_bucket_gives_no_manifest(run: Run, settings: None, tmp_path: Path) -> None:
    (tmp_path / "inventory.csv").write_text(line_of("memories/acme/a", "another"))
    ran = run("manifest", "--inventory", str(tmp_path / "inventory.csv"))
    assert ran.exit_code != 0
    assert "inventory" in ran.err
