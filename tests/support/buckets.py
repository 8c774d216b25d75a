"""moto buckets in this process, filled directly: the same effect as requests, which take longer."""

from __future__ import annotations

import copy

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.s3.models import S3Backend, s3_backends

from support.unique import unique


def new_bucket(*, is_versioned: bool = True) -> str:
    """Create a bucket and return its name."""
    name = unique("bucket")
    _moto().create_bucket(name, "eu-central-1")
    if is_versioned:
        _moto().put_bucket_versioning(name, "Enabled")
    return name


def is_of_moto(bucket: str) -> bool:
    """Whether moto has a bucket of this name in this process; tests/conformance uses other servers."""
    return bucket in _moto().buckets


def put_object(bucket: str, object_key: str, body: bytes) -> str:
    """Store an object and return its ETag."""
    stored: str = _moto().put_object(bucket, object_key, body).etag
    return stored


def copy_objects(source: str, to: str) -> None:
    """Copy all objects of a bucket into another one: each with its versions, their ids and times."""
    versions = _moto().get_bucket(source).keys.lists()
    for object_key, of_key in versions:
        _moto().get_bucket(to).keys.setlist(object_key, [copy.copy(version) for version in of_key])


def _moto() -> S3Backend:
    backend: S3Backend = s3_backends[DEFAULT_ACCOUNT_ID]["aws"]
    return backend
