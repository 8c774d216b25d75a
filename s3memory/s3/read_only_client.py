"""A client that can only read: what a ``--dry-run`` works with, so that no mistake of ours can make it write."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from s3memory.errors import ReadOnlyError
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
_NO_REQUESTS = frozenset({"meta", "exceptions", "can_paginate"})


def refusing_writes(client: T) -> T:
    """Return a client that sends what `client` sends, but raises `ReadOnlyError` in place of every write."""
    return cast("T", _ReadingClient(client))


class _ReadingClient:
    def __init__(self, client: Transport) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        if name in _READING or name in _NO_REQUESTS:
            return getattr(self._client, name)
        raise ReadOnlyError("This run changes nothing, and a write was refused.")
