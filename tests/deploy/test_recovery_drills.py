"""The drills of docs/aws.md: each recoverable loss, and its recovery, on moto."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import boto3
import pytest
from moto.core.exceptions import JsonRESTError
from moto.kms.exceptions import ValidationException
from moto.kms.responses import KmsResponse
from support.repository import REPOSITORY

from s3memory import MemoryCommands, forget_clients, forget_keys
from s3memory.admin.keys import rotation
from s3memory.cli import main
from s3memory.errors import AccessDeniedError, KeyRingError, NotFoundError

PAGE = (REPOSITORY / "docs" / "aws.md").read_text("utf-8")
PLAN, ANNA, BO = "/memories/plan.md", "/memories/customers/anna.md", "/memories/customers/bo.md"


@pytest.fixture
def key_id(bucket: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A deployment with versions and a KMS key, in the environment; returns the key's id."""
    boto3.client("s3").put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    key_id = boto3.client("kms").create_key()["KeyMetadata"]["Arn"]
    for name, value in {"BUCKET": bucket, "KMS_KEY_ID": key_id, "TENANT": "acme"}.items():
        monkeypatch.setenv(f"S3MEMORY_{name}", value)
    commands = MemoryCommands.from_env()
    for path in (PLAN, ANNA, BO):
        commands.create(path, f"of {path}\n")
    yield key_id
    forget_keys()
    forget_clients()


def run(*arguments: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 0


def versions(bucket: str, prefix: str = "memories/acme/") -> list[dict[str, object]]:
    listed = boto3.client("s3").list_object_versions(Bucket=bucket, Prefix=prefix)
    return [*listed.get("Versions", []), *listed.get("DeleteMarkers", [])]  # type: ignore[list-item]


def is_whole(*paths: str) -> None:
    forget_keys()  # as in a new process
    commands = MemoryCommands.from_env()
    for path in paths:
        assert f"of {path}" in commands.view(path)


@pytest.mark.usefixtures("key_id")
def test_a_deleted_file_can_be_restored(bucket: str) -> None:
    (stored,) = versions(bucket, "memories/acme/plan.md")
    MemoryCommands.from_env().delete(PLAN)
    run("restore", PLAN, "--version", str(stored["VersionId"]))
    is_whole(PLAN)


@pytest.mark.usefixtures("key_id")
@pytest.mark.parametrize("directory", ["/memories/customers", "/memories"])
def test_a_deleted_directory_and_a_deleted_tenant_can_be_restored(
    directory: str, wait_a_second: Callable[[], str]
) -> None:
    moment = wait_a_second()
    commands = MemoryCommands.from_env()
    for path in (ANNA, BO, *([PLAN] if directory == "/memories" else [])):
        commands.delete(path)
    run("restore", directory, "--at", moment)
    is_whole(ANNA, BO, PLAN)


@pytest.fixture
def wait_a_second(monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """Return a function that separates two actions: moto's clock for versions counts in seconds."""

    def wait() -> str:
        begun = datetime.now(UTC)
        later = begun + timedelta(seconds=4)
        monkeypatch.setattr("moto.s3.models.utcnow", lambda: later.replace(tzinfo=None))
        return (begun + timedelta(seconds=2)).strftime("%Y-%m-%dT%H:%M:%SZ")

    return wait


@pytest.mark.usefixtures("key_id")
def test_a_deleted_key_ring_can_be_restored_by_removing_its_marker(bucket: str) -> None:
    s3 = boto3.client("s3")
    s3.delete_object(Bucket=bucket, Key="keyrings/acme")
    forget_keys()
    with pytest.raises((NotFoundError, KeyRingError)):
        MemoryCommands.from_env().view(PLAN)
    (marker,) = s3.list_object_versions(Bucket=bucket, Prefix="keyrings/acme")["DeleteMarkers"]
    s3.delete_object(Bucket=bucket, Key="keyrings/acme", VersionId=marker["VersionId"])
    is_whole(PLAN, ANNA, BO)


@pytest.mark.usefixtures("key_id")
def test_a_key_ring_that_was_rolled_back_is_replaced_by_the_newer_one(bucket: str) -> None:
    s3 = boto3.client("s3")
    older = s3.get_object(Bucket=bucket, Key="keyrings/acme")["Body"].read()
    commands = MemoryCommands.from_env()
    rotation.rotate(commands.store)
    forget_keys()
    commands = MemoryCommands.from_env()
    commands.create("/memories/newer.md", "of /memories/newer.md\n")
    newer = s3.get_object(Bucket=bucket, Key="keyrings/acme")["Body"].read()
    etag = s3.put_object(Bucket=bucket, Key="keyrings/acme", Body=older)["ETag"]
    forget_keys()
    with pytest.raises(KeyRingError):
        MemoryCommands.from_env().view("/memories/newer.md")
    s3.put_object(Bucket=bucket, Key="keyrings/acme", Body=newer, IfMatch=etag)
    is_whole(PLAN, "/memories/newer.md")


def test_a_kms_key_scheduled_for_deletion_can_be_used_again(key_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kms, short_id = boto3.client("kms"), key_id.rpartition("/")[2]  # moto needs the id here
    kms.schedule_key_deletion(KeyId=short_id, PendingWindowInDays=7)

    # moto decrypts with a key that is pending deletion, which KMS refuses: the refusal is simulated here.
    def refuse(_: object) -> str:
        raise ValidationException("pending deletion")

    with monkeypatch.context() as patch:
        patch.setattr(KmsResponse, "decrypt", refuse)
        forget_keys()
        with pytest.raises((AccessDeniedError, KeyRingError)):
            MemoryCommands.from_env().view(PLAN)
    kms.cancel_key_deletion(KeyId=short_id)
    kms.enable_key(KeyId=short_id)
    assert kms.describe_key(KeyId=key_id)["KeyMetadata"]["KeyState"] == "Enabled"
    is_whole(PLAN)


def test_a_tenants_own_key_that_is_disabled_stops_this_tenant_until_it_is_enabled_again(
    bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kms = boto3.client("kms")
    keys = {}
    for tenant in ("acme", "globex"):
        keys[tenant] = kms.create_key()["KeyMetadata"]["KeyId"]
        kms.create_alias(AliasName=f"alias/memory-{tenant}", TargetKeyId=keys[tenant])
    environ = {"S3MEMORY_BUCKET": bucket, "S3MEMORY_KMS_KEY_ID": "alias/memory-{tenant}"}

    def of(tenant: str) -> MemoryCommands:
        return MemoryCommands.from_env(tenant=tenant, environ=environ)

    try:
        for tenant in keys:
            of(tenant).create(PLAN, f"of {PLAN}\n")
        # moto decrypts with a disabled key, which KMS refuses: the refusal is simulated here.
        decrypt = KmsResponse.decrypt

        def refuse_disabled(response: KmsResponse) -> str:
            if not response.kms_backend.describe_key(response._get_param("KeyId")).enabled:
                raise DisabledError
            return decrypt(response)

        monkeypatch.setattr(KmsResponse, "decrypt", refuse_disabled)
        kms.disable_key(KeyId=key_id_of_the_pages("disable-key"))
        assert f"of {PLAN}" in of("acme").view(PLAN)  # until the cached ring expires
        forget_keys()
        before = versions(bucket)
        for command in (lambda: of("acme").view(PLAN), lambda: of("acme").create("/memories/new", "")):
            with pytest.raises(AccessDeniedError, match=r"refused access \(DisabledException\)"):
                command()  # type: ignore[no-untyped-call]  # a lambda has no types
        assert versions(bucket) == before
        assert f"of {PLAN}" in of("globex").view(PLAN)
        kms.enable_key(KeyId=key_id_of_the_pages("enable-key"))
        assert f"of {PLAN}" in of("acme").view(PLAN)
    finally:
        for tenant in keys:
            kms.delete_alias(AliasName=f"alias/memory-{tenant}")
        forget_keys()
        forget_clients()


def key_id_of_the_pages(command: str) -> str:
    """Return the key in a command line of the page, with the result of its shell's ``$()``."""
    (key_id,) = re.findall(rf"^aws kms {command} --key-id (.+)$", PAGE, re.MULTILINE)
    asked = re.fullmatch(
        r'"\$\(aws kms describe-key --key-id (\S+) --query KeyMetadata\.KeyId --output text\)"', key_id
    )
    assert asked is not None, (
        "DisableKey and EnableKey take no alias: https://docs.aws.amazon.com/kms/latest/APIReference/API_DisableKey.html"
    )
    return boto3.client("kms").describe_key(KeyId=asked[1])["KeyMetadata"]["KeyId"]


class DisabledError(JsonRESTError):
    """KMS's response for a disabled key."""

    def __init__(self) -> None:
        super().__init__("DisabledException", "the key is disabled")


def test_the_page_has_a_row_for_each_drill() -> None:
    section = PAGE.partition("## Recovery drills")[2].partition("\n## ")[0]
    rows = [line.split(" | ")[0].removeprefix("| ") for line in section.splitlines() if line.startswith("| ")][1:]
    tests = re.findall(r"^def (test_\w+)", Path(__file__).read_text("utf-8"), re.MULTILINE)
    assert len(rows) == 13
    assert len(tests) == 7  # six drills, one of which is for directories and tenants, and this one
