"""Each command line in docs/operations.md under "Doctor" and "Bulk work" runs, and does what the page says."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import boto3
import pytest
from botocore.stub import Stubber
from conftest import MakeStore
from support.repository import REPOSITORY

from s3memory import LocalKeyWrapper, forget_keys
from s3memory.admin.doctor import CHECKS
from s3memory.bulk import handlers
from s3memory.bulk.events import found_so_far
from s3memory.bulk.results import again, done, wrong
from s3memory.cli import main
from s3memory.paths import MemoryPath
from s3memory.testing import MotoServer

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

PAGE = (REPOSITORY / "docs" / "operations.md").read_text("utf-8")


def section(name: str) -> str:
    return PAGE.partition(f"\n## {name}\n")[2].partition("\n## ")[0]


def command_lines(name: str) -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", section(name), re.DOTALL)
    return "".join(blocks).replace("\\\n", " ").splitlines()


DOCTOR = command_lines("Doctor")
MANIFEST = [line for line in command_lines("Bulk work") if line.startswith("s3memory ")]
AWS = [line for line in command_lines("Bulk work") if line.startswith("aws ")]


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, bucket: str, make_store: MakeStore
) -> Callable[[str], tuple[int, str]]:
    key = LocalKeyWrapper.generate_key_text()
    monkeypatch.setenv("S3MEMORY_BUCKET", bucket)
    monkeypatch.setenv("S3MEMORY_LOCAL_KEY", key)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    for tenant in ("acme", "globex"):
        store = make_store(tenant=tenant, key_wrapper=LocalKeyWrapper.from_text(key))
        for name in ("a b,c", "d+e"):
            store.create(MemoryPath((name,)), "one")
        written = store.edit(MemoryPath(("d+e",)), lambda _: "two")
        store.delete(MemoryPath(("d+e",)), etag=written.etag)
    forget_keys()

    def running(line: str) -> tuple[int, str]:
        program, *arguments = shlex.split(line.partition(" > ")[0])
        assert program == "s3memory"
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert isinstance(ended.value.code, int)
        return ended.value.code, capsys.readouterr().out

    return running


@pytest.mark.parametrize("line", DOCTOR)
def test_the_doctor_examines(line: str, run: Callable[[str], tuple[int, str]]) -> None:
    code, out = run(line)
    assert code == 1  # a bare bucket on moto is weaker
    assert out.count("(accepted)") == 1 * ("--accept" in line)  # moto honours one and not the other
    if "--json" in line:
        assert [check["name"] for check in json.loads(out)["checks"]] == [
            name for name in CHECKS if not name.startswith("register-")
        ]


def test_the_page_has_a_row_for_each_check() -> None:
    rows = [
        line.partition("|")[2].partition("|")[0] for line in section("Doctor").splitlines() if line.startswith("| `")
    ]
    assert re.findall(r"`([a-z-]+)`", "".join(rows)) == list(CHECKS)


EXPECTED = {
    "acme.csv": ["memories/acme/a b,c"],
    "versions.csv": [f"memories/{tenant}/{name}" for tenant in ("acme", "globex") for name in ("a b,c", "d+e", "d+e")],
    "all.csv": ["memories/acme/a b,c", "memories/globex/a b,c"],
    "acme.jsonl": ["memories/acme/a b,c"],
    "all.jsonl": ["memories/acme/a b,c", "memories/globex/a b,c"],
    "erasing.csv": ["keyrings/acme", "memories/acme/a b,c", "memories/acme/d+e"],
}


@pytest.mark.parametrize("line", MANIFEST)
def test_a_manifest_has_the_content_that_the_page_shows(
    line: str, run: Callable[[str], tuple[int, str]], bucket: str
) -> None:
    code, out = run(line)
    assert code == 0
    name = line.rpartition("> ")[2]
    if name.endswith(".jsonl"):
        rows = [json.loads(row) for row in out.splitlines()]
        found = [(row["Bucket"], item["Key"]) for row in rows for item in row.get("Items", [row])]
    else:
        found = [(row[0], unquote(row[1])) for row in csv.reader(out.splitlines())]
        assert {len(row) for row in csv.reader(out.splitlines())} == {3 if name == "versions.csv" else 2}
    assert found == [(bucket, object_key) for object_key in EXPECTED[name]]


def test_a_key_ring_can_be_created_before_the_first_write_and_again(settings: None, bucket: str, s3: S3Client) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", section("Adding and removing a tenant"), re.DOTALL)
    for _ in range(2):
        forget_keys()
        exec(program, {})  # noqa: S102 - the page's
        (made,) = s3.list_object_versions(Bucket=bucket)["Versions"]
        assert made["Key"] == "keyrings/acme"


def shell_of(server: MotoServer, folder: Path) -> Callable[[str], str]:
    """Return a function that runs a shell script with `s3memory` in its path and a bucket, and returns its output."""
    command = folder / "bin" / "s3memory"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m s3memory "$@"\n', "utf-8")
    command.chmod(0o700)
    server.make_bucket("many")
    settings = {"S3MEMORY_BUCKET": "many", "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text()}
    path = {"PATH": f"{command.parent}:{os.environ['PATH']}", "PYTHONPATH": os.pathsep.join(sys.path)}
    environment = os.environ | server.environment | settings | path

    def shell(script: str) -> str:
        done = subprocess.run(  # noqa: S603 - the page's program
            ["/bin/sh", "-ec", script], cwd=folder, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    return shell


@pytest.mark.long
@pytest.mark.skipif(shutil.which("jq") is None, reason="the page's program needs jq")
def test_the_program_that_rotates_all_tenants_rotates_none_twice(tmp_path: Path) -> None:
    (program,) = (one for one in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) if "keys rotate" in one)
    with MotoServer() as server:
        shell = shell_of(server, tmp_path)
        create = json.dumps({"command": "create", "path": "/memories/a", "file_text": "one"})
        delete = json.dumps({"command": "delete", "path": "/memories/a"})
        for tenant in ("acme", "globex", "empty"):
            shell(f"s3memory call --tenant {tenant} {shlex.quote(create)}")
        shell(f"s3memory call --tenant empty {shlex.quote(delete)}; s3memory keys rotate --tenant acme")
        assert "empty\t(no memories)" in shell("s3memory tenants")
        (again,) = re.findall(r"^xargs .*keys rotate.*$", program, re.MULTILINE)
        shell(f"{program}\n{again}")
        shown = [json.loads(shell(f"s3memory keys show --tenant {one} --count --json")) for one in ("acme", "globex")]
        empty = json.loads(shell("s3memory keys show --tenant empty --json"))
    assert [one["generation"] for one in empty["generations"]] == [1, 2]
    assert [[one["current"] for one in ring["generations"]] for ring in shown] == [[0, 0, 1], [0, 1]]


@pytest.mark.long
@pytest.mark.skipif(shutil.which("jq") is None, reason="the page's program needs jq")
def test_the_program_that_erases_one_file_leaves_none_of_its_texts(tmp_path: Path) -> None:
    (program,) = (one for one in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) if "redact-version" in one)
    with MotoServer() as server:
        shell = shell_of(server, tmp_path)
        for text in ("one", "two"):
            create = json.dumps({"command": "create", "path": "/memories/customers/anna.md", "file_text": text})
            shell(f"S3MEMORY_OVERWRITE=true s3memory call --tenant acme {shlex.quote(create)}")
        shell(program)
        told = shell("s3memory history /memories/customers/anna.md --tenant acme --json")
        left = server.s3_client.list_object_versions(Bucket="many", Prefix="memories/").get("Versions")
    versions = [json.loads(line) for line in told.splitlines()]
    assert sum(one["redaction"] is not None for one in versions) == 2
    assert [one["operation"] for one in versions if one["redaction"] is None] == ["deleted"]
    assert left is None


def test_the_auditor_of_the_page_receives_an_event(s3: S3Client) -> None:
    (program,) = (one for one in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "class Queue" in one)
    s3.create_bucket(Bucket="agent-memory", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    names: dict[str, Any] = {}
    exec(program, names)  # noqa: S102 - the page's
    names["memory"].call({"command": "view", "path": "/memories"})
    assert names["events"].get_nowait().operation == "view"
    s3.delete_bucket(Bucket="agent-memory")


def test_a_folders_object_is_in_a_manifest_and_verify_reports_it_as_stray(
    run: Callable[[str], tuple[int, str]], s3: S3Client, bucket: str
) -> None:
    s3.put_object(Bucket=bucket, Key="memories/acme/folder/", Body=b"")
    assert f"{bucket},memories/acme/folder/" in run("s3memory manifest --tenant acme > acme.csv")[1].splitlines()
    assert "stray" in run("s3memory verify --tenant acme")[1]


def test_every_manifest_command_of_the_page_is_tested() -> None:
    assert {line.rpartition("> ")[2] for line in MANIFEST} == EXPECTED.keys()


def test_the_service_accepts_the_map_that_the_page_starts() -> None:
    put, start = (line for line in AWS if "all.jsonl" in line)
    assert "--key batch/manifests/all.jsonl" in put
    words = shlex.split(start)
    assert words[1:3] == ["stepfunctions", "start-execution"]
    given = json.loads(words[words.index("--input") + 1])
    module = (REPOSITORY / "terraform" / "bulk.tf").read_text("utf-8")
    assert given.keys() == set(re.findall(r'"Key\.\$" = "\$\.(\w+)"', module))
    assert given["manifest"] == "batch/manifests/all.jsonl"


def test_an_unfinished_batch_reports_what_the_page_shows() -> None:
    (shown,) = re.findall(r"```json\n(.*?)\n```", section("Bulk work"))
    results = [done("opens")] * 500
    results[3] = results[40] = again("unavailable")
    results[17] = wrong("does-not-open")
    assert found_so_far(results) == shown


def test_an_inventory_is_converted_into_a_manifest_as_the_page_says(
    run: Callable[[str], tuple[int, str]], bucket: str, tmp_path: Path
) -> None:
    (line,) = (one for one in PAGE.splitlines() if "--inventory - >" in one)
    data = tmp_path / "data"
    data.mkdir()
    for name, keys in (("1", ["memories/globex/a", "memories/acme/b"]), ("2", ["memories/acme/a"])):
        text = "".join(f'"{bucket}","{key}","true","1"\n' for key in keys)
        (data / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
    unpack, sort, command = (part.strip() for part in line.partition(" > ")[0].split("|"))
    lines = sorted(gzip.decompress(path.read_bytes()).decode() for path in data.iterdir())
    assert unpack == "gunzip -c data/*.csv.gz"
    assert sort == "LC_ALL=C sort"
    sorted_lines = "".join(sorted("".join(lines).splitlines(keepends=True)))
    (tmp_path / "inventory").write_text(sorted_lines)
    code, out = run(command.replace("--inventory -", f"--inventory {tmp_path / 'inventory'}"))
    assert code == 0
    assert [(row["tenant"], len(row["Items"])) for row in map(json.loads, out.splitlines())] == [
        ("acme", 2),
        ("globex", 1),
    ]


@pytest.mark.parametrize("arguments", ["--versions --erasing", "--all --erasing", "--tenant acme --all"])
def test_contradictory_manifest_options_are_refused(arguments: str, run: Callable[[str], tuple[int, str]]) -> None:
    assert run(f"s3memory manifest {arguments}") == (2, "")


def test_the_service_accepts_the_job_that_the_page_creates(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {
        "$S3MEMORY_BUCKET": "agent-memory",
        "$BATCH_ROLE_ARN": "arn:aws:iam::111122223333:role/agent-memory-batch",
        "$VERIFY_ARN": "arn:aws:lambda:eu-central-1:111122223333:function:agent-memory-bulk-verify",
        "$ETAG": "60e460c9d1046e73f7dde5043ac3ae85",
    }
    put, create = (line for line in AWS if "all.jsonl" not in line)
    assert "--key batch/manifests/acme.csv" in put
    for name, value in variables.items():
        create = create.replace(name, value)
    words = shlex.split(create)
    options = {word[2:]: words[at + 1] for at, word in enumerate(words[:-1]) if word.startswith("--")}
    job: dict[str, Any] = {
        "AccountId": options["account-id"],
        "ConfirmationRequired": "no-confirmation-required" not in options,
        "Priority": int(options["priority"]),
        "RoleArn": options["role-arn"],
        "ClientRequestToken": "token",
        **{name.title(): json.loads(options[name]) for name in ("operation", "manifest", "report")},
    }
    control = boto3.client("s3control")
    with Stubber(control) as stubber:  # it checks names and types against the service's own model
        stubber.add_response("create_job", {"JobId": "job-1"}, job)
        assert control.create_job(**job)["JobId"] == "job-1"
    invoked = job["Operation"]["LambdaInvoke"]
    assert (invoked["InvocationSchemaVersion"], invoked["UserArguments"]) == ("2.0", {"tenant": "acme"})


def test_the_page_has_a_row_for_each_handler() -> None:
    rows = re.findall(r"^\| `s3memory\.bulk\.(\w+)`", section("Bulk work"), re.MULTILINE)
    made = [name for name, value in vars(handlers).items() if isinstance(value, handlers.BulkHandler)]
    assert rows == made


def test_the_page_has_every_result_code() -> None:
    """The codes are literals of `s3memory.bulk`, or kinds of findings of a file."""
    folder = Path(handlers.__file__).parent
    source = "".join(path.read_text("utf-8") for path in folder.glob("*.py"))
    codes = set(re.findall(r'(?:done|wrong|again)\(f?"([a-z-]+)', source)) | {"gone"}
    assert len(codes) > 20
    assert codes - set(re.findall(r"`([a-z-]+):?`", section("Bulk work"))) == set()
