"""The function's own AWS clients: from boto3, or from libcurl with ``S3MEMORY_TRANSPORT=fast``.

With libcurl, botocore is not imported. Apart from Anthropic's SDK, that import is most of a cold start.
"""

from __future__ import annotations

import os
from typing import Any

_IS_FAST = os.environ.get("S3MEMORY_TRANSPORT") == "fast"


def secrets_client() -> Any:
    """Return a client for Secrets Manager."""
    if _IS_FAST:
        from s3memory.aws.fast.clients import PROCESS  # noqa: PLC0415 - of an extra

        return PROCESS.secrets_client()
    return _of_boto3("secretsmanager", read_timeout=5, attempts=3)


def dynamodb_client() -> Any:
    """Return a client for DynamoDB with short timeouts and few attempts."""
    if _IS_FAST:
        from s3memory.aws.fast.clients import PROCESS  # noqa: PLC0415 - of an extra

        return PROCESS.dynamodb_client(hasty=True)
    return _of_boto3("dynamodb", read_timeout=2, attempts=2)


def close(client: Any) -> None:
    """Close a client's connections. For libcurl, `s3memory.forget_clients` does that instead."""
    if not _IS_FAST:
        client.close()


def _of_boto3(service: str, *, read_timeout: float, attempts: int) -> Any:
    import boto3  # noqa: PLC0415 - costly, and not used with libcurl
    from botocore.config import Config  # noqa: PLC0415 - same

    quick = Config(
        connect_timeout=1, read_timeout=read_timeout, retries={"mode": "standard", "total_max_attempts": attempts}
    )
    make: Any = boto3.client  # its annotations name each service
    return make(service, region_name=os.environ.get("AWS_REGION"), config=quick)
