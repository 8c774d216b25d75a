"""An operator may run every command line of docs/operations.md, under the policies that Terraform rendered.

The policy is derived from the page as a tenant's is from the workload: each line runs, every request that it makes must
be allowed, and every permission that no line needs has a written reason in `test_iam_requests`.
"""

from __future__ import annotations

import io
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from iam_account import RING_TABLE, Account, Guard, make_ring_table, rendered
from iam_policies import Decision, Request
from moto.core.models import DEFAULT_ACCOUNT_ID
from support.repository import REPOSITORY

from s3memory import MemoryCommands, forget_keys
from s3memory.aws import clients
from s3memory.cli import main

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

PAGE = (REPOSITORY / "docs" / "operations.md").read_text("utf-8")
BLOCKS = "".join(re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)).replace("\\\n", " ")
LINES = [line.removeprefix("$ ") for line in BLOCKS.splitlines()]
COMMANDS = [line for line in LINES if line.startswith("s3memory ")]
AWS = [line for line in LINES if line.startswith("aws ")]
# These only read files.
OFFLINE = ("s3memory receipt", "s3memory import acme.tar.age", "s3memory export acme.tar.age")
ANNA = "/memories/customers/anna.md"


@pytest.fixture(scope="module", autouse=True)
def _forgotten() -> Iterator[None]:
    clients.forget_clients()
    yield
    forget_keys()
    clients.forget_clients()


@pytest.fixture(scope="module")
def key_arn() -> str:
    return boto3.client("kms").create_key()["KeyMetadata"]["Arn"]


@pytest.fixture
def guard(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bucket: str, key_arn: str, s3: S3Client) -> Iterator[Guard]:
    """A deployment with two tenants, with an operator's environment and working directory."""
    account = Account(rendered("complete"), bucket=bucket, account_id=DEFAULT_ACCOUNT_ID, kms_key_arn=key_arn)
    make_ring_table()
    for name, value in {
        "BUCKET": bucket,
        "KMS_KEY_ID": key_arn,
        "KEY_RING_TABLE": RING_TABLE,
        "TENANT": "acme",
    }.items():
        monkeypatch.setenv(f"S3MEMORY_{name}", value)
    commands = MemoryCommands.from_env()
    commands.create("/memories/plan.md", "- [ ] refund\n")
    commands.create(ANNA, "one\n")
    commands.str_replace("/memories/plan.md", "refund", "a refund")
    MemoryCommands.from_env(tenant="globex").create("/memories/plan.md", "- [ ] refund\n")
    signing = Ed25519PrivateKey.generate()
    private = signing.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = signing.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "privacy.pem").write_bytes(private)
    (tmp_path / "privacy.pub").write_bytes(public)
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "a.md").write_text("a")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    guard = Guard(account, s3)
    guard.be("operators")
    forget_keys()
    guard.watch(clients.PROCESS.s3_client(), clients.PROCESS.kms_client(), clients.PROCESS.dynamodb_client())
    yield guard
    guard.leave()


def run(line: str, guard: Guard) -> None:
    """Run a line from the page, with an existing version."""
    versions = guard.s3.list_object_versions(Bucket=guard.account.bucket, Prefix="memories/acme/plan.md")
    oldest = next(version for version in versions["Versions"] if not version["IsLatest"])["VersionId"]
    words = shlex.split(line.partition(" > ")[0].replace("$version", oldest))
    with pytest.raises(SystemExit):
        main(words[1:])


def prepare(line: str, guard: Guard) -> None:
    """Create what a line reads, as earlier lines on the page do."""
    for needed, maker in (
        ("acme.tar ", "s3memory export acme.tar --tenant acme"),
        ("acme.jsonl ", "s3memory export acme.jsonl --tenant acme --format memory-store"),
        ("unarchive", "s3memory archive --tenant acme"),
        ("reseal", "s3memory keys rotate --tenant acme"),
        ("keys retire", "s3memory keys rotate --tenant acme"),
    ):
        if needed in line and not line.startswith("s3memory export"):
            run(maker, guard)


@pytest.mark.parametrize("line", COMMANDS)
def test_an_operator_may_make_every_request_of_a_documented_command(
    line: str, guard: Guard, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare(line, guard)
    guard.asked.clear()
    run(line, guard)
    refused = {asked.request.action for asked in guard.asked if asked.decision is not Decision.ALLOWED}
    # The doctor tries forbidden requests, to see that they are refused.
    assert refused <= ({"s3:PutObject", "s3:DeleteObject"} if " doctor " in line else set()), capsys.readouterr().err
    assert guard.asked or line.startswith(OFFLINE)


def asked_by(line: str, account: Account) -> list[Request]:
    """Return the questions to IAM for a line of AWS's command line, according to the service's reference."""
    words = shlex.split(line)
    options = dict(zip(words[3::2], words[4::2], strict=False))
    match words[1:3]:
        case ["s3api", "put-object"]:
            context = {"aws:SecureTransport": "true", "s3:TlsVersion": "1.3"}
            return [Request("s3:PutObject", f"arn:aws:s3:::{account.bucket}/{options['--key']}", context)]
        case ["s3control", "create-job"]:
            passed = {"iam:PassedToService": "batchoperations.s3.amazonaws.com"}
            return [
                Request("s3:CreateJob", "*"),
                Request("iam:PassRole", account.role("agent-memory-batch"), passed),
            ]
        case ["dynamodb", "delete-item"]:
            table = f"arn:aws:dynamodb:eu-central-1:{DEFAULT_ACCOUNT_ID}:table/{RING_TABLE}"
            return [Request("dynamodb:DeleteItem", table, {"dynamodb:LeadingKeys": ("acme",)})]
        case ["stepfunctions", "start-execution"]:
            machine = f"arn:aws:states:eu-central-1:{DEFAULT_ACCOUNT_ID}:stateMachine:agent-memory-bulk-verify"
            return [Request("states:StartExecution", machine)]
        case ["s3control", "describe-job"]:
            return [Request("s3:DescribeJob", f"arn:aws:s3:eu-central-1:{DEFAULT_ACCOUNT_ID}:job/j1")]
        case _:
            raise AssertionError(f"which permission does this need? {line}")


@pytest.mark.parametrize("line", AWS)
def test_an_operator_may_run_every_documented_aws_command(line: str) -> None:
    account = Account(rendered("complete"), account_id=DEFAULT_ACCOUNT_ID)
    for request in asked_by(line, account):
        assert account.decide(request, account.session("operators")) is Decision.ALLOWED
        for role in ("agent-memory-function", "agent-memory-bulk", "agents"):
            assert account.decide(request, account.session(role)) is not Decision.ALLOWED


@pytest.mark.parametrize(
    ("action", "resource", "context"),
    [
        ("iam:PassRole", "agent-memory-batch", {"iam:PassedToService": "lambda.amazonaws.com"}),
        ("iam:PassRole", "agent-memory-tenant", {"iam:PassedToService": "batchoperations.s3.amazonaws.com"}),
        ("iam:PassRole", "administrators", {"iam:PassedToService": "batchoperations.s3.amazonaws.com"}),
        ("s3:PutBucketPolicy", "", {}),
        ("s3:PutLifecycleConfiguration", "", {}),
        ("s3:DeleteBucket", "", {}),
    ],
)
def test_an_operator_can_give_jobs_no_other_role_and_cannot_change_the_deployment(
    action: str, resource: str, context: dict[str, Any]
) -> None:
    account = Account(rendered("complete"))
    arn = account.role(resource) if resource else "arn:aws:s3:::store"
    request = Request(action, arn, {"aws:SecureTransport": "true", "s3:TlsVersion": "1.3", **context})
    assert account.decide(request, account.session("operators")) is not Decision.ALLOWED


def test_nobody_can_delete_the_bucket_or_its_policy_or_replicate_into_it() -> None:
    account = Account(rendered("complete"))
    tls = {"aws:SecureTransport": "true", "s3:TlsVersion": "1.3"}
    for action in ("s3:DeleteBucket", "s3:DeleteBucketPolicy"):
        request = Request(action, "arn:aws:s3:::store", tls)
        assert account.decide(request, account.session("administrators")) is Decision.EXPLICITLY_DENIED
    put_policy = Request("s3:PutBucketPolicy", "arn:aws:s3:::store", tls)
    assert account.decide(put_policy, account.session("administrators")) is Decision.ALLOWED
    for action in ("s3:ReplicateObject", "s3:ReplicateDelete"):
        request = Request(action, "arn:aws:s3:::store/memories/acme/a", tls)
        assert account.decide(request, account.session("administrators")) is Decision.EXPLICITLY_DENIED
    deleting = Request("kms:ScheduleKeyDeletion", account.kms_key_arn)
    assert account.decide(deleting, account.session("administrators")) is not Decision.ALLOWED
    disabling = Request("kms:DisableKey", account.kms_key_arn)
    assert account.decide(disabling, account.session("administrators")) is Decision.ALLOWED


@pytest.mark.parametrize("name", ["globex@s3memory", "x", "", "acmex@s3memory", "@s3memory"])
def test_a_session_is_named_by_its_tenant(name: str) -> None:
    account = Account(rendered("complete"))
    context: dict[str, Any] = {"aws:RequestTag/tenant": "acme", "aws:TagKeys": ("tenant",)}
    agent = account.session("agents")
    wrong = Request("sts:AssumeRole", account.tenant_role_arn, {**context, "sts:RoleSessionName": name})
    assert account.decide(wrong, agent) is not Decision.ALLOWED
    for right in ("acme@s3memory", "acme"):
        fine = Request("sts:AssumeRole", account.tenant_role_arn, {**context, "sts:RoleSessionName": right})
        assert account.decide(fine, agent) is Decision.ALLOWED


def test_a_tenants_session_reaches_no_other_account() -> None:
    account = Account(rendered("complete"))
    file = "arn:aws:s3:::store/memories/acme/a"
    for action, resource in (("s3:GetObject", file), ("s3:PutObject", file), ("kms:Decrypt", account.kms_key_arn)):
        request = Request(action, resource, {"aws:ResourceAccount": "999999999999", "aws:SecureTransport": "true"})
        assert account.decide(request, account.tenant("acme")) is Decision.EXPLICITLY_DENIED
