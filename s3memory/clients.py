"""boto3 clients, made when they are first needed and shared from then on.

All of them come from boto3's default session: a second session would cost a cold start its own loading of service
models (about 40 ms) and its own look-up of credentials.
"""

from __future__ import annotations

import functools
import os
import threading
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError

from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from mypy_boto3_kms.client import KMSClient
    from mypy_boto3_s3.client import S3Client

MAX_CONNECTIONS = 50
# An object of ours is small: S3 answers in a fraction of these, or is better asked again. Three unanswered attempts
# take 15 s.
CONNECT_TIMEOUT_SECONDS = 1.0
READ_TIMEOUT_SECONDS = 5.0
MAX_ATTEMPTS = 3
DEFAULT_CHECKSUMS = "when_supported"

# boto3's default session is not safe to make clients from in several threads at once.
_lock = threading.Lock()


def s3_client(*, endpoint_url: str | None = None, checksums: str = DEFAULT_CHECKSUMS) -> S3Client:
    """Return the process's S3 client for an endpoint.

    Args:
        endpoint_url: another server than AWS; it is addressed by path, since its host name has no buckets.
        checksums: ``when_supported`` (CRC32 on every PUT) or ``when_required``, for servers that refuse those.

    Raises:
        ConfigurationError: no region is set, or the endpoint is malformed.
    """
    with _lock:
        return _s3_client(endpoint_url, checksums)


def kms_client(*, endpoint_url: str | None = None) -> KMSClient:
    """Return the process's KMS client for an endpoint.

    Raises:
        ConfigurationError: no region is set, or the endpoint is malformed.
    """
    with _lock:
        return _kms_client(endpoint_url)


def forget_clients() -> None:
    """Drop the shared clients, and with them their credentials and connections."""
    with _lock:
        _s3_client.cache_clear()
        _kms_client.cache_clear()


def _begin_anew_in_child() -> None:
    # Of two processes that share a connection, each would read the other's answers; a lock may have been held.
    global _lock  # noqa: PLW0603 - the lock of this process
    _lock = threading.Lock()
    forget_clients()


os.register_at_fork(after_in_child=_begin_anew_in_child)


def _config(**more: object) -> Config:
    # "standard" retries with explicit limits: AWS advises against "adaptive" where one client serves many tenants.
    return Config(
        connect_timeout=CONNECT_TIMEOUT_SECONDS,
        read_timeout=READ_TIMEOUT_SECONDS,
        retries={"mode": "standard", "total_max_attempts": MAX_ATTEMPTS},
        max_pool_connections=MAX_CONNECTIONS,
        user_agent_extra="s3memory",
        **more,  # type: ignore[arg-type]
    )


def _region() -> str | None:
    # boto3 looks at AWS_DEFAULT_REGION alone; every other AWS SDK, and the Lambda runtime, know AWS_REGION.
    return None if os.environ.get("AWS_DEFAULT_REGION") else os.environ.get("AWS_REGION")


@functools.cache
def _s3_client(endpoint_url: str | None, checksums: str) -> S3Client:
    try:
        config = _config(
            request_checksum_calculation=checksums,
            s3={"addressing_style": "path"} if endpoint_url else None,
        )
        return boto3.client("s3", region_name=_region(), endpoint_url=endpoint_url, config=config)
    except (BotoCoreError, ValueError) as error:
        raise ConfigurationError(f"no S3 client can be made: {error}") from error


@functools.cache
def _kms_client(endpoint_url: str | None) -> KMSClient:
    try:
        return boto3.client("kms", region_name=_region(), endpoint_url=endpoint_url, config=_config())
    except (BotoCoreError, ValueError) as error:
        raise ConfigurationError(f"no KMS client can be made: {error}") from error
