"""The doctor under the policies that Terraform rendered: it accepts a tenant's session, and rejects a looser one."""

from __future__ import annotations

import re
from typing import Any

import boto3
import pytest
from iam_account import RING_TABLE, Account, Guard, make_ring_table, rendered
from iam_policies import Decision, Grants, Request, decide
from moto.core.models import DEFAULT_ACCOUNT_ID
from support.repository import REPOSITORY
from support.unique import unique

from s3memory.admin.doctor import Deployment, Status, examine
from s3memory.aws import clients
from s3memory.aws.tenant_sessions import shared_tenant_sessions
from s3memory.config.settings import Settings

TENANT = "acme"
REGISTER = ("register-table", "register-condition", "register-access", "register-protection")
APART = ("foreign-listing", "foreign-objects", "context-bound", "context-pinned")


pytestmark = pytest.mark.usefixtures("no_clients_of_other_tests")


def examined(
    documents: dict[str, Any],
    name: str,
    *,
    key_rings: tuple[str, ...] = (),
    files: tuple[str, ...] = (),
    other: str | None = None,
) -> dict[str, Status]:
    clients.forget_clients()  # including the sessions of another examination
    s3 = boto3.client("s3")
    bucket = unique(f"iam-doctor-{name}")
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    key_arn = boto3.client("kms").create_key()["KeyMetadata"]["Arn"]
    account = Account(documents, bucket=bucket, account_id=DEFAULT_ACCOUNT_ID, kms_key_arn=key_arn)
    guard = Guard(account, s3)
    session = shared_tenant_sessions(account.tenant_role_arn).for_tenant(TENANT)
    guard.watch(clients.PROCESS.sts_client(), session.s3_client(), session.kms_client(), session.dynamodb_client())
    make_ring_table()
    others = (*(f"keyrings/{key_ring}" for key_ring in key_rings), *(f"memories/{file}" for file in files))
    for object_key in others:
        s3.put_object(Bucket=bucket, Key=object_key, Body=b"")
    environ = {
        "S3MEMORY_BUCKET": bucket,
        "S3MEMORY_TENANT": TENANT,
        "S3MEMORY_KMS_KEY_ID": key_arn,
        "S3MEMORY_TENANT_ROLE_ARN": account.tenant_role_arn,
        "S3MEMORY_KEY_RING_TABLE": RING_TABLE,
    }
    checks = examine(Deployment.from_settings(Settings.from_env(environ)), other_tenant=other)
    assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == len(others)
    assert boto3.client("dynamodb").scan(TableName=RING_TABLE)["Count"] == 0
    return {check.name: check.status for check in checks}


def test_a_tenants_session_is_isolated_from_others_and_allows_every_probe() -> None:
    found = examined(rendered("complete"), "good", key_rings=("globex",), files=("globex/a.md",))
    assert [found[name] for name in APART] == [Status.GOOD] * 4
    for name in ("create-condition", "edit-condition", "races", "delete-condition", "consistency", "clean-up"):
        assert found[name] is Status.GOOD, name
    assert [found[name] for name in REGISTER] == [Status.GOOD] * 4


def test_the_doctor_accepts_a_role_that_is_an_agent_and_an_operator() -> None:
    """An operator's role cannot become a tenant, and an agent's cannot read the bucket's settings."""
    account = Account(rendered("complete"))
    as_acme = Request(
        "sts:AssumeRole",
        account.tenant_role_arn,
        {"aws:RequestTag/tenant": "acme", "aws:TagKeys": ("tenant",), "sts:RoleSessionName": "acme@doctor"},
    )
    looks = Request("s3:GetBucketPolicy", "arn:aws:s3:::store", {"aws:SecureTransport": "true", "s3:TlsVersion": "1.3"})

    def may(request: Request, role: str, *, policies: tuple[str, ...]) -> bool:
        identity = [account.policies[name] for name in policies]
        trust = account.policies["tenant_role_trust" if request is as_acme else "bucket"]
        grants = Grants.ALONE if request is as_acme else Grants.BESIDE_IDENTITY
        decision = decide(request, account.session(role), identity=identity, resource=trust, resource_grants=grants)
        return decision is Decision.ALLOWED

    both = ("assume_tenant", "operator")
    assert not may(as_acme, "operators", policies=both)  # only in operator_role_arns
    assert not may(looks, "agents", policies=("assume_tenant",))
    assert may(as_acme, "agents", policies=both)
    assert may(looks, "agents", policies=both)


@pytest.mark.parametrize("page", ["docs/operations.md", "docs/deploy.md", "terraform/README.md"])
def test_each_page_about_the_alarm_on_denied_calls_says_that_the_doctor_triggers_it(page: str) -> None:
    paragraphs = re.split(r"\n\n|\n(?=\|)", (REPOSITORY / page).read_text("utf-8"))
    (about,) = [one for one in paragraphs if "`{name}-denied-calls`" in one]
    assert "doctor" in about.lower()


def test_without_another_tenant_the_isolation_is_unknown() -> None:
    found = examined(rendered("complete"), "alone")
    assert found["foreign-listing"] is Status.GOOD
    assert found["foreign-objects"] is Status.UNCHECKED


@pytest.mark.parametrize(
    ("key_rings", "other"),
    [((TENANT, "globex"), "globe"), (("globex",), TENANT[:3]), (("", "!globex", "a/b"), None)],
    ids=["the beginning of its name", "somebody without one", "a folder of the console's and strays"],
)
def test_a_name_without_a_key_ring_is_not_a_tenant_for_the_probe(key_rings: tuple[str, ...], other: str | None) -> None:
    found = examined(rendered("complete"), "strays", key_rings=key_rings, other=other)
    assert found["foreign-objects"] is Status.UNCHECKED


def test_the_tenant_for_the_probe_is_found_among_foreign_objects() -> None:
    key_rings = ("", "!1", "!2", TENANT, "globex")
    assert examined(rendered("complete"), "behind", key_rings=key_rings)["foreign-objects"] is Status.GOOD


def test_a_policy_that_ignores_the_tag_is_wrong() -> None:
    documents = rendered("complete")
    anything = [{"Effect": "Allow", "Action": "*", "Resource": "*"}]
    documents["tenant_role"] = {"Version": "2012-10-17", "Statement": anything}
    for statement in documents["kms_key"]["Statement"]:
        if statement["Sid"] == "TenantUsesOwnDataKeys":
            del statement["Condition"]
    found = examined(documents, "loose", key_rings=("globex",))
    assert [found[name] for name in APART] == [Status.WRONG, Status.WRONG, Status.GOOD, Status.WRONG]


@pytest.mark.parametrize("files", [(), ("globex/a.md",)])
def test_a_policy_that_isolates_key_rings_but_not_files_is_wrong(files: tuple[str, ...]) -> None:
    documents = rendered("complete")
    for statement in documents["tenant_role"]["Statement"]:
        if statement["Sid"] == "OwnFilesAndIntents":
            statement["Resource"] = [one.replace("${aws:PrincipalTag/tenant}", "*") for one in statement["Resource"]]
    found = examined(documents, "files", key_rings=("globex",), files=files)
    assert found["foreign-objects"] is (Status.WRONG if files else Status.GOOD)
    assert found["foreign-listing"] is Status.GOOD


def test_a_policy_that_allows_other_tenants_records_is_wrong_and_so_is_one_that_names_no_table() -> None:
    wide, none = rendered("complete"), rendered("complete")
    for statement in wide["tenant_role"]["Statement"]:
        if statement["Sid"] == "OwnRingRecord":
            del statement["Condition"]
    statements = none["tenant_role"]["Statement"]
    statements[:] = [statement for statement in statements if statement["Sid"] != "OwnRingRecord"]
    for name, documents in (("wide", wide), ("none", none)):
        found = examined(documents, name)
        assert [found[check] for check in REGISTER] == [Status.GOOD, Status.GOOD, Status.WRONG, Status.GOOD]


def test_a_policy_that_matches_tenants_by_the_beginning_of_their_names_is_wrong() -> None:
    documents = rendered("complete")
    for statement in documents["tenant_role"]["Statement"]:
        for prefixes in statement.get("Condition", {}).get("StringLike", {}).values():
            prefixes[:] = [prefix.replace("tenant}/*", "tenant}*") for prefix in prefixes]
    found = examined(documents, "begins", key_rings=("globex",))
    assert found["foreign-listing"] is Status.WRONG
