"""Deployments in which the library does all its work, under the policies that Terraform rendered."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import boto3
import iam_workload
import pytest
from iam_account import OPERATOR_ACCESS_KEY, RING_TABLE, Account, Asked, Guard, make_ring_table, rendered
from iam_policies import Decision, Request
from moto.core.models import DEFAULT_ACCOUNT_ID
from support.unique import unique

from s3memory import KmsKeyWrapper, MemoryCommands, MemoryStore, forget_keys
from s3memory.aws import clients
from s3memory.aws.tenant_sessions import shared_tenant_sessions
from s3memory.errors import AccessDeniedError
from s3memory.keys.open_key_ring import OpenKeyRing

TENANT = "acme"


@dataclass(frozen=True, slots=True)
class Recorded:
    """The questions to IAM while the library did all its work for `TENANT`.

    Attributes:
        account: the deployment.
        requests: the requests that were allowed to the tenant, without duplicates.
        by_tenant: the questions about the tenant's sessions.
        by_function: the questions about the function's role, when it became the tenant.
        by_operator: the questions about an operator, if the tenant may not create its key ring.
    """

    account: Account
    requests: tuple[Request, ...]
    by_tenant: tuple[Asked, ...]
    by_function: tuple[Asked, ...]
    by_operator: tuple[Asked, ...]


DEPLOYMENTS: dict[str, tuple[str, dict[str, str]]] = {
    "plain names": ("complete", {"S3MEMORY_KEY_RING_TABLE": RING_TABLE}),
    "encrypted names": ("complete", {"S3MEMORY_KEY_RING_TABLE": RING_TABLE, "S3MEMORY_NAME_MODE": "encrypted"}),
    "an operator makes key rings": ("strict", {"S3MEMORY_PREFIX": "prod/"}),
}


@functools.cache
def record(deployment: str) -> Recorded:
    """Create a deployment in moto, let the library do all its work in it, and return the questions to IAM."""
    name, more = DEPLOYMENTS[deployment]
    s3 = boto3.client("s3")
    bucket = unique("iam")
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    kms_key_arn = boto3.client("kms").create_key()["KeyMetadata"]["Arn"]
    account = Account(rendered(name), bucket=bucket, account_id=DEFAULT_ACCOUNT_ID, kms_key_arn=kms_key_arn)
    make_ring_table()
    guard = Guard(account, s3)
    clients.forget_clients()
    forget_keys()
    session = shared_tenant_sessions(account.tenant_role_arn).for_tenant(TENANT)
    guard.watch(clients.PROCESS.sts_client(), session.s3_client(), session.kms_client(), session.dynamodb_client())
    environ = {
        "S3MEMORY_BUCKET": bucket,
        "S3MEMORY_TENANT": TENANT,
        "S3MEMORY_KMS_KEY_ID": kms_key_arn,
        "S3MEMORY_TENANT_ROLE_ARN": account.tenant_role_arn,
        **more,
    }
    if name == "strict":
        _first_write_by_operator(guard, environ)

    def rotate(store: MemoryStore) -> None:
        ring = store.key_ring.existing()
        assert ring is not None
        unwatched = KmsKeyWrapper(kms_key_arn, kms_client=boto3.client("kms"))
        longer = OpenKeyRing.open(ring.ring, unwatched).rotated()
        s3.put_object(Bucket=bucket, Key=store.key_ring.object_key, Body=longer.ring.to_bytes())

    iam_workload.run(environ, guard, rotate=rotate)
    clients.forget_clients()
    forget_keys()
    by_role: dict[str, list[Asked]] = {}
    for asked in guard.asked:
        by_role.setdefault(asked.principal.role_arn.rpartition("/")[2], []).append(asked)
    by_tenant = by_role["agent-memory-tenant"]
    allowed = [asked.request for asked in by_tenant if asked.decision is Decision.ALLOWED]
    return Recorded(
        account,
        tuple({repr(request): request for request in allowed}.values()),
        tuple(by_tenant),
        tuple(by_role["agent-memory-function"]),
        tuple(by_role.get("operators", ())),
    )


def _first_write_by_operator(guard: Guard, environ: dict[str, str]) -> None:
    """If a tenant may not create its key ring, its first write is refused, and an operator's is not."""
    with pytest.raises(AccessDeniedError):
        MemoryCommands.from_env(environ=environ).create("/memories/README.md", "")
    guard.asked[:] = [asked for asked in guard.asked if asked.request.action.startswith("sts:")]
    credentials: dict[str, Any] = {"aws_access_key_id": OPERATOR_ACCESS_KEY, "aws_secret_access_key": "secret"}
    s3, kms = boto3.client("s3", **credentials), boto3.client("kms", **credentials)
    guard.watch(s3, kms)
    store = MemoryStore(
        bucket=guard.account.bucket,
        tenant=TENANT,
        prefix=environ["S3MEMORY_PREFIX"],
        key_wrapper=KmsKeyWrapper(environ["S3MEMORY_KMS_KEY_ID"], kms_client=kms),
        s3_client=s3,
    )
    MemoryCommands(store).create("/memories/README.md", "")
