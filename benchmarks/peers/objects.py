"""Files as objects through boto3: what the afternoon version and Amazon's encryption client have in common.

Clients are made once and keep their connections. Renames copy on the server, since nothing that these two store is
bound to its object key; directories are deleted by the thousand. A straightforward version makes no fewer requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from botocore.exceptions import ClientError


class ObjectFiles:
    """Files as objects.

    Args:
        bucket: the bucket.
        s3: a client of S3.
        body_client: what has ``get_object`` and ``put_object`` for texts; `s3` if left out.
    """

    def __init__(self, bucket: str, s3: Any, body_client: Any = None) -> None:
        self._bucket = bucket
        self._s3 = s3
        self._body_client = body_client or s3

    def seal(self, text: str) -> bytes:
        """Return what is stored for a text."""
        return text.encode()

    def open(self, body: bytes) -> str:
        """Return the text of what is stored."""
        return body.decode()

    def read(self, key: str) -> str | None:
        """Return a file's text, or ``None`` where there is none."""
        try:
            answer = self._body_client.get_object(Bucket=self._bucket, Key=key)
        except Exception as error:
            if _is_missing(error):
                return None
            raise
        return self.open(answer["Body"].read())

    def write(self, key: str, text: str) -> None:
        """Store a file's text, in place of what is there."""
        self._body_client.put_object(Bucket=self._bucket, Key=key, Body=self.seal(text))

    def write_new(self, key: str, text: str) -> bool:
        """Store a new file. Return whether there was none."""
        try:
            self._body_client.put_object(Bucket=self._bucket, Key=key, Body=self.seal(text), IfNoneMatch="*")
        except Exception as error:
            if _code(error) == "PreconditionFailed":
                return False
            raise
        return True

    def entries(self, prefix: str, levels: int) -> Iterator[tuple[str, int]]:
        """Yield names below a directory, so many levels deep, directories with a slash; and sizes in bytes."""
        for name, size in self._level(prefix):
            if not name.endswith("/") or levels == 1:
                yield name, size
                continue
            total = 0
            for inner, inner_size in self.entries(prefix + name, levels - 1):
                total += inner_size
                yield name + inner, inner_size
            yield name, total

    def delete(self, key: str) -> bool:
        """Delete a file or a directory. Return whether there was one."""
        if self.exists(key):
            self._s3.delete_object(Bucket=self._bucket, Key=key)
            return True
        found = False
        for page in self._pages(Prefix=f"{key}/"):
            keys = [{"Key": listed["Key"]} for listed in page.get("Contents", [])]
            if keys:
                self._s3.delete_objects(Bucket=self._bucket, Delete={"Objects": keys, "Quiet": True})
                found = True
        return found

    def rename(self, old_key: str, new_key: str) -> bool:
        """Move a file or a directory. Return whether there was one."""
        if self._move(old_key, new_key):
            return True
        pages = self._pages(Prefix=f"{old_key}/")
        keys = [listed["Key"] for page in pages for listed in page.get("Contents", [])]
        for key in keys:
            self._move(key, new_key + key[len(old_key) :])
        return bool(keys)

    def exists(self, key: str) -> bool:
        """Whether there is a file."""
        try:
            self._s3.head_object(Bucket=self._bucket, Key=key)
        except ClientError as error:
            if _is_missing(error):
                return False
            raise
        return True

    def _move(self, old_key: str, new_key: str) -> bool:
        try:
            self._s3.copy_object(Bucket=self._bucket, Key=new_key, CopySource={"Bucket": self._bucket, "Key": old_key})
        except ClientError as error:
            if _is_missing(error):
                return False
            raise
        self._s3.delete_object(Bucket=self._bucket, Key=old_key)
        return True

    def _level(self, prefix: str) -> Iterator[tuple[str, int]]:
        for page in self._pages(Prefix=prefix, Delimiter="/"):
            yield from ((found["Prefix"][len(prefix) :], 0) for found in page.get("CommonPrefixes", []))
            yield from ((found["Key"][len(prefix) :], found["Size"]) for found in page.get("Contents", []))

    def _pages(self, **request: str) -> Any:
        return self._s3.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, **request)


def _code(error: BaseException | None) -> str:
    """Return AWS's code of an error, or of the one that it was made from."""
    while error is not None:
        if isinstance(error, ClientError):
            return str(error.response["Error"]["Code"])
        error = error.__cause__ or error.__context__
    return ""


def _is_missing(error: Exception) -> bool:
    return _code(error) in {"NoSuchKey", "404"}
