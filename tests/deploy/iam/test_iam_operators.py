"""Operators' work is allowed by the policies that Terraform rendered, and none of it is allowed to a tenant."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest
from iam_account import OPERATOR_ACCESS_KEY, Account, Guard, rendered
from iam_policies import Decision
from moto.core.models import DEFAULT_ACCOUNT_ID
from support.unique import unique

from s3memory import KmsKeyWrapper, MemoryStore
from s3memory.admin.erasure import erasing
from s3memory.admin.keys import generations, resealing, retiring, rotation
from s3memory.admin.transfer import exporting
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath
from s3memory.store import tree

TENANT = "acme"
A, B = MemoryPath(("a",)), MemoryPath(("b",))
# What a tenant's own session never needs, and is refused.
OPERATORS_ONLY = {
    ("s3:DeleteObjectVersion", "keyrings"),
    ("s3:DeleteObjectVersion", "memories"),
    ("s3:ListBucketVersions", "keyrings"),
    ("s3:ListBucketVersions", "memories"),
    ("s3:PutObject if-match", "keyrings"),
    ("kms:Encrypt", "key"),
}


@pytest.fixture
def guard() -> Guard:
    s3 = boto3.client("s3")
    bucket = unique("iam-operators")
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    arn = boto3.client("kms").create_key()["KeyMetadata"]["Arn"]
    account = Account(rendered("complete"), bucket=bucket, account_id=DEFAULT_ACCOUNT_ID, kms_key_arn=arn)
    return Guard(account, s3)


@pytest.fixture
def store(guard: Guard) -> MemoryStore:
    """The tenant's store, as an operator has it."""
    credentials: dict[str, Any] = {"aws_access_key_id": OPERATOR_ACCESS_KEY, "aws_secret_access_key": "secret"}
    s3, kms = boto3.client("s3", **credentials), boto3.client("kms", **credentials)
    guard.watch(s3, kms)
    wrapper = KmsKeyWrapper(guard.account.kms_key_arn, kms_client=kms)
    return MemoryStore(
        bucket=guard.account.bucket, tenant=TENANT, key_wrapper=wrapper, s3_client=s3, key_cache=KeyCache()
    )


def rewrap(store: MemoryStore) -> None:
    wrapper = store.key_ring.wrapper
    assert isinstance(wrapper, KmsKeyWrapper)
    rotation.rewrap(store, wrapper)  # already under this key: nothing to do
    context = rotation.stored_key_ring(store).opened.ring.wrap_context(1)
    assert wrapper.unwrap(wrapper.wrap(bytes(32), context), context) == bytes(32)


def retire(store: MemoryStore) -> None:
    later = datetime.now(UTC) + timedelta(days=2)
    for version in list(store.objects.versions.below(store.objects.layout.memories_prefix)):
        if not version.is_latest:
            store.objects.versions.destroy([version])
    retiring.retire(store, now=lambda: later)


STEPS: list[Callable[[MemoryStore], object]] = [
    rotation.rotate,
    resealing.reseal,
    generations.usage,
    retire,
    rewrap,
    lambda store: exporting.export(store, lambda _: True),
    lambda store: tree.delete(store, B),
    erasing.survey,
    erasing.erase,
]


def test_operators_work_is_allowed_to_them_and_not_to_a_tenant(guard: Guard, store: MemoryStore) -> None:
    store.create(A, "a")
    store.create(B, "b")
    boto3.client("s3").create_multipart_upload(
        Bucket=guard.account.bucket, Key=f"{store.objects.layout.memories_prefix}unfinished"
    )
    boto3.client("s3").put_object(
        Bucket=guard.account.bucket, Key=f"{store.objects.layout.batch_prefix}a.csv", Body=b"x"
    )
    for step in STEPS:
        step(store)
    assert {asked.decision for asked in guard.asked} == {Decision.ALLOWED}
    tenant = guard.account.tenant(TENANT)
    refused = set()
    for asked in guard.asked:
        if guard.account.decide(asked.request, tenant) is not Decision.ALLOWED and not asked.is_implied:
            headers = [key.removeprefix("s3:") for key in asked.request.context if key.startswith("s3:if-")]
            where = str(asked.request.context.get("s3:prefix", asked.request.resource.partition(":::")[2]))
            folder = next((one for one in ("keyrings", "memories", "intents", "redactions") if one in where), "key")
            refused.add((" ".join([asked.request.action, *headers]), folder))
    assert refused >= OPERATORS_ONLY
    assert {action for action, _ in refused} <= {
        "kms:Encrypt",
        "s3:DeleteObjectVersion",
        "s3:GetObjectVersion",
        "s3:AbortMultipartUpload",
        "s3:ListBucket",
        "s3:ListBucketMultipartUploads",
        "s3:ListBucketVersions",
        "s3:PutObject if-match",
    }
