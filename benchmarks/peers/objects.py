"""Stores files as objects through boto3, one request after another. Most peers build on this.

Clients are made once and keep their connections. Renames copy on the server, because no object is bound to its key.
Directories are deleted 1,000 objects at a time. A straightforward version can't make fewer requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

THREADS: Final = 32
DELETED_AT_ONCE: Final = 1_000
"""The most keys that a DeleteObjects accepts."""


def client(service: Literal["kms", "s3"]) -> Any:
    """Return a client with as many connections as the races have threads; boto3's default is 10."""
    return boto3.client(service, config=Config(max_pool_connections=THREADS))


class ObjectFiles:
    """Files as objects.

    Args:
        bucket: the bucket.
        s3: a client for S3.
        body_client: the client whose ``get_object`` and ``put_object`` are used for texts; `s3` if left out.
        stored_with: additional arguments of every PUT and COPY.
    """

    def __init__(
        self, bucket: str, s3: Any, body_client: Any = None, *, stored_with: dict[str, Any] | None = None
    ) -> None:
        self._bucket = bucket
        self._s3 = s3
        self._body_client = body_client or s3
        self._stored_with = stored_with or {}

    def seal(self, text: str) -> bytes:
        """Return the bytes to store for a text."""
        return text.encode()

    def open(self, body: bytes) -> str:
        """Return the text of stored bytes."""
        return body.decode()

    def read(self, key: str) -> str | None:
        """Return a file's text; ``None`` if there is no file."""
        try:
            answer = self._body_client.get_object(Bucket=self._bucket, Key=key)
        except Exception as error:
            if _is_missing(error):
                return None
            raise
        return self.open(answer["Body"].read())

    def write(self, key: str, text: str) -> None:
        """Store or replace a file's text."""
        self._put(key, text)

    def write_new(self, key: str, text: str) -> bool:
        """Store a new file. Return ``False`` if there is a file already."""
        try:
            self._put(key, text, IfNoneMatch="*")
        except Exception as error:
            if _code(error) == "PreconditionFailed":
                return False
            raise
        return True

    def entries(self, prefix: str, levels: int) -> Iterator[tuple[str, int]]:
        """Yield the names and sizes in bytes of a directory's entries, `levels` deep. Directories end with a slash.

        Pages are requested only when they are needed.
        """
        for name, size in self.level(prefix):
            if not name.endswith("/") or levels == 1:
                yield name, size
                continue
            total = 0
            for inner, inner_size in self.entries(prefix + name, levels - 1):
                total += inner_size
                yield name + inner, inner_size
            yield name, total

    def delete(self, key: str) -> bool:
        """Delete a file or a directory. Return whether it existed."""
        if self.exists(key):
            self._s3.delete_object(Bucket=self._bucket, Key=key)
            return True
        keys = self.keys_below(key)
        self.delete_many(keys)
        return bool(keys)

    def rename(self, old_key: str, new_key: str) -> bool:
        """Move a file or a directory. Return whether it existed."""
        if self.copy(old_key, new_key):
            self._s3.delete_object(Bucket=self._bucket, Key=old_key)
            return True
        keys = self.keys_below(old_key)
        self.move_many(keys, [new_key + key[len(old_key) :] for key in keys])
        return bool(keys)

    def exists(self, key: str) -> bool:
        """Whether a file exists."""
        try:
            self._s3.head_object(Bucket=self._bucket, Key=key)
        except ClientError as error:
            if _is_missing(error):
                return False
            raise
        return True

    def copy(self, old_key: str, new_key: str) -> bool:
        """Copy an object on the server. Return whether it existed."""
        source = {"Bucket": self._bucket, "Key": old_key}
        try:
            self._s3.copy_object(Bucket=self._bucket, Key=new_key, CopySource=source, **self._stored_with)
        except ClientError as error:
            if _is_missing(error):
                return False
            raise
        return True

    def keys_below(self, key: str) -> list[str]:
        """Return the object keys below a directory."""
        return [listed["Key"] for page in self._pages(Prefix=f"{key}/") for listed in page.get("Contents", [])]

    def delete_many(self, keys: list[str]) -> None:
        """Delete objects."""
        for first in range(0, len(keys), DELETED_AT_ONCE):
            self.delete_batch(keys[first : first + DELETED_AT_ONCE])

    def delete_batch(self, keys: list[str]) -> None:
        """Delete at most `DELETED_AT_ONCE` objects, with one request."""
        objects = {"Objects": [{"Key": key} for key in keys], "Quiet": True}
        self._s3.delete_objects(Bucket=self._bucket, Delete=objects)

    def move_many(self, old_keys: list[str], new_keys: list[str]) -> None:
        """Move objects: each is copied, then deleted."""
        for old_key, new_key in zip(old_keys, new_keys, strict=True):
            self.copy(old_key, new_key)
            self._s3.delete_object(Bucket=self._bucket, Key=old_key)

    def level(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Yield the direct entries of a directory in the order of their names, and sizes; that of a directory is 0."""
        for page in self._pages(Prefix=prefix, Delimiter="/"):
            directories = [(found["Prefix"][len(prefix) :], 0) for found in page.get("CommonPrefixes", [])]
            files = [(found["Key"][len(prefix) :], found["Size"]) for found in page.get("Contents", [])]
            yield from sorted(directories + files)

    def _put(self, key: str, text: str, **condition: str) -> None:
        body = self.seal(text)
        self._body_client.put_object(Bucket=self._bucket, Key=key, Body=body, **condition, **self._stored_with)

    def _pages(self, **request: str) -> Any:
        return self._s3.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, **request)


def _code(error: BaseException | None) -> str:
    """Return the AWS error code of an error or of its causes; empty if there is none."""
    while error is not None:
        if isinstance(error, ClientError):
            return str(error.response["Error"]["Code"])
        error = error.__cause__ or error.__context__
    return ""


def _is_missing(error: Exception) -> bool:
    return _code(error) in {"NoSuchKey", "404"}
