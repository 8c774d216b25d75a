"""Clients around a client: that can only read, that name the bucket's owner, that keep to the caller's time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

from s3memory.aws.retry import RetryPolicy
from s3memory.errors import ReadOnlyError
from s3memory.s3.bucket_name import check_bucket_owner
from s3memory.s3.transport import Transport

T = TypeVar("T", bound=Transport)

# The requests that change nothing, by name; whatever is not listed is refused, also what boto3 learns one day.
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
# All else that is used of a client is a request for a bucket.
_NO_REQUESTS = frozenset({"can_paginate", "exceptions", "meta"})


def refusing_writes(client: T) -> T:
    """Return a client that sends what `client` sends, but raises `ReadOnlyError` in place of every write.

    It is what a ``--dry-run`` works with, so that no mistake of ours can make it write.
    """
    return cast("T", _Reading(client))


def expecting_owner(client: T, owner: str | None) -> T:
    """Return a client that sends what `client` sends, and ``ExpectedBucketOwner`` with it; `client` for no owner.

    A bucket's name is anybody's to take once it was deleted. S3 refuses a request that expects another owner (403),
    before it reads or stores anything.

    Raises:
        ConfigurationError: the owner is malformed.
    """
    if owner is None:
        return client
    owner = check_bucket_owner(owner)
    return cast("T", _Wrapped(client, lambda request: partial(request, ExpectedBucketOwner=owner)))


def keeping_time(client: T, retry: RetryPolicy) -> T:
    """Return a client that sends what `client` sends, each request `RetryPolicy.in_time`; `client` without a limit."""
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
