"""`S3MEMORY_BUCKET_OWNER`: every request of every command states the expected owner of the bucket."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import botocore.client
import pytest
from conftest import MakeStore
from moto.core.models import DEFAULT_ACCOUNT_ID
from support.cli_runs import Run

from s3memory import LocalKeyWrapper, MemoryCommands, S3MemoryTool
from s3memory.bulk import BulkHandler, work
from s3memory.config.settings import Settings
from s3memory.errors import ConfigurationError
from s3memory.redaction import PatternRedactor

OWNER = DEFAULT_ACCOUNT_ID
TEXT = "See the plan.\n"


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, Any]]]:
    """The requests to S3, and the owner that each expects."""
    made: list[tuple[str, Any]] = []
    make: Any = botocore.client.BaseClient._make_api_call  # type: ignore[attr-defined]  # boto3 has no public one

    def noting(client: Any, operation: str, arguments: dict[str, Any]) -> Any:
        if client.meta.service_model.service_name == "s3":
            made.append((operation, arguments.get("ExpectedBucketOwner")))
        return make(client, operation, arguments)

    monkeypatch.setattr(botocore.client.BaseClient, "_make_api_call", noting)
    yield made
    assert made
    assert [operation for operation, owner in made if owner != OWNER] == []


# Every command that sends S3 requests for a configured tenant.
COMMANDS = """
ls --long
cat /memories/a.md
stat /memories/a.md
du
grep plan
tenants
history /memories/a.md
diff /memories/a.md
restore /memories --at {then}
verify
verify --all
scan --fix
redact-version /memories/a.md --version {version} --yes --expect-count 1
keys show
keys rotate
keys rewrap
keys retire
reseal
manifest
export {folder}/acme.tar
doctor
repair
archive
unarchive
expire --older-than 1d --dry-run
import {folder}/acme.tar --existing overwrite --yes --expect-count 2
erase --tenant acme --dry-run
erase --tenant acme --yes --expect-count {count}
"""


def test_every_request_of_every_command_names_the_owner(
    requests: list[tuple[str, Any]], run: Run, settings: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("S3MEMORY_BUCKET_OWNER", OWNER)
    commands = MemoryCommands.from_env()
    commands.call({"command": "create", "path": "/memories/a.md", "file_text": TEXT})
    commands.call({"command": "create", "path": "/memories/d/b.md", "file_text": TEXT})
    commands.call({"command": "create", "path": "/memories/d/c.md", "file_text": TEXT})
    commands.call({"command": "rename", "old_path": "/memories/d", "new_path": "/memories/e"})
    commands.call({"command": "delete", "path": "/memories/e/c.md"})
    then = datetime.now(UTC).isoformat()
    commands.call({"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": "New."})
    version = run("history", "/memories/a.md", "--json").results[-1]["version_id"]
    for line in COMMANDS.strip().splitlines():
        count = run("erase", "--tenant", "acme", "--dry-run", "--json").json["count"] if "{count}" in line else 0
        ran = run(*line.format(folder=tmp_path, then=then, version=version, count=count).split())
        assert ran.exit_code in {0, 1}, (line, ran.out, ran.err)
    names = {operation for operation, _ in requests}
    assert names >= {
        "GetObject", "HeadObject", "PutObject", "DeleteObject", "DeleteObjects", "ListObjectsV2", "ListObjectVersions",
        "GetBucketVersioning",
    }  # fmt: skip


@pytest.mark.usefixtures("requests")
@pytest.mark.parametrize("do", [work.verify, work.scan(PatternRedactor()), work.reseal, work.erase])
def test_every_request_of_bulk_work_names_the_owner(do: work.Work, bucket: str) -> None:
    settings = {"BUCKET": bucket, "BUCKET_OWNER": OWNER, "LOCAL_KEY": LocalKeyWrapper.generate_key_text()}
    environ = {f"S3MEMORY_{name}": value for name, value in settings.items()}
    commands = MemoryCommands.from_env(tenant="acme", environ=environ)
    commands.call({"command": "create", "path": "/memories/a.md", "file_text": TEXT})
    handler = BulkHandler(lambda _: do, operation="test", erases=True, settings=Settings.from_env(environ))
    task = {"taskId": "1", "s3Bucket": bucket, "s3Key": "memories/acme/a.md", "s3VersionId": None}
    job = {"id": "1", "userArguments": {"tenant": "acme"}}
    event = {"invocationSchemaVersion": "2.0", "invocationId": "1", "job": job, "tasks": [task]}
    (result,) = handler(event, None)["results"]
    assert result["resultCode"] == "Succeeded"


@pytest.mark.usefixtures("requests")
def test_the_owner_can_also_be_given_as_an_argument(
    make_store: MakeStore, bucket: str, key_wrapper: LocalKeyWrapper
) -> None:
    commands = MemoryCommands(make_store(bucket_owner=OWNER))
    commands.call({"command": "create", "path": "/memories/a", "file_text": "x"})
    tool = S3MemoryTool(bucket=bucket, tenant="acme", key_wrapper=key_wrapper, bucket_owner=OWNER)
    assert tool.call({"command": "view", "path": "/memories"})


@pytest.mark.parametrize("owner", ["", "12345678901", "1234567890123", "12345678901x", "١٢٣٤٥٦٧٨٩٠١٢", 123456789012])
def test_a_value_that_is_not_an_account_id_is_refused(make_store: MakeStore, owner: Any) -> None:
    with pytest.raises(ConfigurationError, match="12 digits"):
        make_store(bucket_owner=owner)
