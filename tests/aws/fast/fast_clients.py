"""libcurl clients for a test's server, independent of the process's environment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s3memory.aws.fast.http import Curl, Route, SigningKeys
from s3memory.aws.fast.others import DynamoDb, Kms, SecretsManager, Sts
from s3memory.aws.fast.retries import Retries
from s3memory.aws.fast.s3 import S3
from s3memory.aws.fast.service import Service

KEYS = SigningKeys("AKIDEXAMPLE", "secret/+key", "token/+==")
REGION = "eu-central-1"
NO_CERTIFICATES = "/dev/null"


def service(
    url: str,
    name: str = "s3",
    *,
    attempts: int = 1,
    ca_file: str = NO_CERTIFICATES,
    proxy: str = "",
    timeout_seconds: float = 5.0,
    sleep: Callable[[float], None] = lambda _: None,
) -> Service:
    return Service(
        name=name,
        address=url,
        region=REGION,
        keys=lambda: KEYS,
        exchange=Curl(Route(ca_file, lambda _: proxy)),
        retries=Retries(attempts, sleep=sleep),
        timeout_seconds=timeout_seconds,
    )


def s3_at(url: str, **more: Any) -> S3:
    """Return an S3 client for this server; further arguments are those of `service`."""
    return S3(service(url, **more), is_aws=False)


def kms_at(url: str, **more: Any) -> Kms:
    return Kms(service(url, "kms", **more))


def sts_at(url: str, **more: Any) -> Sts:
    return Sts(service(url, "sts", **more))


def dynamodb_at(url: str) -> DynamoDb:
    return DynamoDb(service(url, "dynamodb"))


def secrets_at(url: str) -> SecretsManager:
    return SecretsManager(service(url, "secretsmanager"))
