"""Wrappers around a client: one only reads, one names the bucket's owner, one keeps to the caller's time limit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

from s3memory.aws.retry import RetryPolicy
from s3memory.errors import ReadOnlyError
from s3memory.s3.bucket_name import check_bucket_owner
from s3memory.s3.transport import Transport

T = TypeVar("T", bound=Transport)

# The requests that change nothing, by name. Any other is refused, including those that boto3 may add one day.
_READING = frozenset(
    {
        "get_bucket_encryption",
        "get_bucket_lifecycle_configuration",
        "get_bucket_versioning",
        "get_object",
        "head_bucket",
        "head_object",
        "list_multipart_uploads",
        "list_object_versions",
        "list_objects_v2",
    }
)
# The attributes of a client that are not requests. Any other that this package uses is one, except `close`.
_NO_REQUESTS = frozenset({"can_paginate", "exceptions", "meta"})


def refusing_writes(client: T) -> T:
    """Return a client that sends the same reads as `client`, and raises `ReadOnlyError` for every write.

    ``--dry-run`` uses it, so that no bug of ours can make it write.
    """
    return cast("T", _Reading(client))


def expecting_owner(client: T, owner: str | None) -> T:
    """Return a client that adds ``ExpectedBucketOwner`` to every request; without an owner, `client` itself.

    Once a bucket is deleted, anybody can take its name. S3 refuses a request that expects another owner (403) before
    it reads or stores anything.

    Raises:
        ConfigurationError: the owner is malformed.
    """
    if owner is None:
        return client
    owner = check_bucket_owner(owner)
    return cast("T", _Wrapped(client, lambda request: partial(request, ExpectedBucketOwner=owner)))


def keeping_time(client: T, retry: RetryPolicy) -> T:
    """Return a client that sends each request `RetryPolicy.in_time`; without a time limit, `client` itself."""
    if retry.remaining_seconds is None:
        return client
    return cast("T", _Wrapped(client, retry.in_time()))


class _Reading:
    def __init__(self, client: Transport) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        if name in _READING or name in _NO_REQUESTS:
            return getattr(self._client, name)
        raise ReadOnlyError("This run changes nothing, and a write was refused.")


class _Wrapped:
    def __init__(self, client: Transport, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        self._client = client
        self._wrap = wrap

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        is_request = name not in _NO_REQUESTS and name != "close"
        return self._wrap(found) if is_request else found
