"""Bulk work under the policies that Terraform rendered: as one tenant at a time, without erasing anything."""

from __future__ import annotations

import boto3
import pytest
from iam_account import Account, Guard, rendered
from moto.core.models import DEFAULT_ACCOUNT_ID
from support.unique import unique

from s3memory import MemoryCommands, bulk
from s3memory.aws import clients
from s3memory.aws.tenant_sessions import shared_tenant_sessions
from s3memory.bulk import BulkHandler
from s3memory.config.settings import Settings

TENANTS = ("acme", "globex")


pytestmark = pytest.mark.usefixtures("no_clients_of_other_tests")


def test_a_function_verifies_scans_and_reseals_for_many_tenants_and_cannot_erase_anything() -> None:
    s3 = boto3.client("s3")
    bucket = unique("iam-bulk")
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    key_arn = boto3.client("kms").create_key()["KeyMetadata"]["Arn"]
    account = Account(rendered("complete"), bucket=bucket, account_id=DEFAULT_ACCOUNT_ID, kms_key_arn=key_arn)
    guard = Guard(account, s3)
    sessions = [shared_tenant_sessions(account.tenant_role_arn).for_tenant(tenant) for tenant in TENANTS]
    guard.watch(
        clients.PROCESS.sts_client(), *(client for one in sessions for client in (one.s3_client(), one.kms_client()))
    )
    environ = {
        "S3MEMORY_BUCKET": bucket,
        "S3MEMORY_KMS_KEY_ID": key_arn,
        "S3MEMORY_TENANT_ROLE_ARN": account.tenant_role_arn,
    }
    for tenant in TENANTS:
        MemoryCommands.from_env(tenant=tenant, environ=environ).create("/memories/a+b", "text")
    settings = Settings.from_env(environ)
    items = [{"Key": f"memories/{tenant}/a+b"} for tenant in TENANTS]
    for like, text in ((bulk.verify, "opens"), (bulk.scan, "clean"), (bulk.reseal, "already")):
        handler = BulkHandler(
            like._make_work, operation=like._operation, rereads_keys=like._rereads_keys, settings=settings
        )
        assert handler({"Items": items}, None) == {
            "counts": {text: 2},
            "failed": [],
        }
    task = {"taskId": "t", "s3Key": "memories/acme/a+b", "s3VersionId": None, "s3BucketArn": f"arn:aws:s3:::{bucket}"}
    event = {"invocationSchemaVersion": "1.0", "invocationId": "i", "job": {"id": "j"}, "tasks": [task]}
    answer = BulkHandler(bulk.verify._make_work, operation="verify", settings=settings)(event, None)
    assert (
        answer["results"][0]["resultString"] == "opens"
    )  # a plus that may stand for a space is looked up as far as a tenant may
    erasing = BulkHandler(bulk.erase._make_work, operation="erase", erases=True, settings=settings)
    failed = erasing({"Items": items[:1], "BatchInput": {"tenant": "acme"}}, None)["failed"]
    assert failed == [{"item": 0, "resultCode": "PermanentFailure", "resultString": "access-denied"}]
