"""`InMemoryS3`: the part of S3 that this package uses, in a dictionary, behind the methods of a boto3 client.

For tests that need thousands of runs, and for stopping a client at every request. It answers as S3's documentation
says, including conditions; tests compare its responses with moto's, request by request.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, NoReturn

from botocore.exceptions import ClientError

_OK, _NO_CONTENT = 200, 204
_STATUS = {"NoSuchKey": 404, "404": 404, "PreconditionFailed": 412}


@dataclass(frozen=True, slots=True)
class _Object:
    body: bytes
    etag: str
    metadata: dict[str, str]
    modified: datetime


class _Body:
    """A response's body: read once, then closed."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self) -> bytes:
        data, self._data = self._data, b""
        return data

    def close(self) -> None:
        self._data = b""


class InMemoryS3:
    """The buckets of one server. `client` returns its clients; every bucket name exists.

    Args:
        quote: what surrounds its ETags, as some servers omit the quotes.

    Attributes:
        endpoint_url: identifies this server.
    """

    def __init__(self, *, quote: str = '"') -> None:
        self.quote = quote
        self.endpoint_url = f"memory://{id(self)}"
        self._objects: dict[str, dict[str, _Object]] = {}
        self._lock = threading.Lock()

    @property
    def objects(self) -> dict[str, dict[str, bytes]]:
        """Every object's body, by bucket and object key."""
        with self._lock:
            return {
                bucket: {key: stored.body for key, stored in objects.items()}
                for bucket, objects in self._objects.items()
            }

    def client(
        self,
        *,
        before: Callable[[str, str], None] | None = None,
        after: Callable[[str, str], None] | None = None,
    ) -> InMemoryS3Client:
        """Return a client.

        Args:
            before: called with the operation and the object key (or prefix) before the server carries it out.
            after: called with the same once the server has done so, before the response is returned. Either may raise,
                as a network would, or wait.
        """
        return InMemoryS3Client(self, before, after)

    def copy(self) -> InMemoryS3:
        """Return another server with the same content and address: caches of one hold for both."""
        other = InMemoryS3(quote=self.quote)
        other.endpoint_url = self.endpoint_url
        with self._lock:
            other._objects = {bucket: dict(objects) for bucket, objects in self._objects.items()}
        return other


class InMemoryS3Client:
    """The methods of a boto3 S3 client that this package calls."""

    def __init__(
        self,
        server: InMemoryS3,
        before: Callable[[str, str], None] | None,
        after: Callable[[str, str], None] | None,
    ) -> None:
        self.meta = SimpleNamespace(endpoint_url=server.endpoint_url)
        self._server = server
        self._before = before
        self._after = after

    def get_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: N803 - boto3's names
        """Return an object and its bytes."""
        return self._answer("GetObject", Bucket, Key, self._get)

    def head_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: N803
        """Return an object's metadata."""
        return self._answer("HeadObject", Bucket, Key, self._head)

    def put_object(
        self,
        *,
        Bucket: str,  # noqa: N803
        Key: str,  # noqa: N803
        Body: bytes,  # noqa: N803
        IfMatch: str | None = None,  # noqa: N803
        IfNoneMatch: str | None = None,  # noqa: N803
        Metadata: dict[str, str] | None = None,  # noqa: N803
    ) -> dict[str, Any]:
        """Store an object if the condition holds."""

        def put(objects: dict[str, _Object]) -> dict[str, Any]:
            present = objects.get(Key)
            if IfNoneMatch == "*" and present is not None:
                _fail("PreconditionFailed", "PutObject")
            if IfMatch is not None:
                if present is None:
                    _fail("NoSuchKey", "PutObject")
                if present.etag != IfMatch:
                    _fail("PreconditionFailed", "PutObject")
            quote = self._server.quote
            etag = f"{quote}{hashlib.md5(Body, usedforsecurity=False).hexdigest()}{quote}"
            objects[Key] = _Object(bytes(Body), etag, dict(Metadata or {}), datetime.now(UTC))
            return {"ETag": etag}

        return self._answer("PutObject", Bucket, Key, lambda objects, _: put(objects))

    def delete_object(self, *, Bucket: str, Key: str, IfMatch: str | None = None) -> dict[str, Any]:  # noqa: N803
        """Delete an object if the condition holds."""

        def delete(objects: dict[str, _Object]) -> dict[str, Any]:
            present = objects.get(Key)
            if IfMatch is not None and present is None:
                _fail("NoSuchKey", "DeleteObject")
            if present is not None and IfMatch not in {None, "*", present.etag}:
                _fail("PreconditionFailed", "DeleteObject")
            objects.pop(Key, None)
            return {}

        return self._answer("DeleteObject", Bucket, Key, lambda objects, _: delete(objects))

    def delete_objects(self, *, Bucket: str, Delete: dict[str, Any]) -> dict[str, Any]:  # noqa: N803
        """Delete several objects, each only if it still has the given ETag."""

        def delete(objects: dict[str, _Object]) -> dict[str, Any]:
            errors = []
            for entry in Delete["Objects"]:
                present = objects.get(entry["Key"])
                if present is None and "ETag" in entry:
                    errors.append({"Key": entry["Key"], "Code": "NoSuchKey"})
                elif present is not None and entry.get("ETag", present.etag) != present.etag:
                    errors.append({"Key": entry["Key"], "Code": "PreconditionFailed"})
                else:
                    objects.pop(entry["Key"], None)
            return {"Errors": errors} if errors else {}

        return self._answer("DeleteObjects", Bucket, "", lambda objects, _: delete(objects))

    def list_objects_v2(
        self,
        *,
        Bucket: str,  # noqa: N803
        Prefix: str = "",  # noqa: N803
        Delimiter: str | None = None,  # noqa: N803
        MaxKeys: int = 1_000,  # noqa: N803
        ContinuationToken: str | None = None,  # noqa: N803
    ) -> dict[str, Any]:
        """Return one page of a listing, in the order of the UTF-8 bytes of the object keys."""

        def listed(objects: dict[str, _Object]) -> dict[str, Any]:
            entries: dict[str, _Object | None] = {}
            for key in sorted((key for key in objects if key.startswith(Prefix)), key=str.encode):
                rest = key[len(Prefix) :]
                if Delimiter and Delimiter in rest:
                    entries[Prefix + rest.partition(Delimiter)[0] + Delimiter] = None
                else:
                    entries[key] = objects[key]
            after = [name for name in entries if ContinuationToken is None or name > ContinuationToken]
            page = after[:MaxKeys]
            contents = [
                {"Key": name, "Size": len(stored.body), "ETag": stored.etag, "LastModified": stored.modified}
                for name in page
                if (stored := entries[name]) is not None
            ]
            prefixes = [{"Prefix": name} for name in page if entries[name] is None]
            is_truncated = len(after) > len(page)
            return {
                "IsTruncated": is_truncated,
                # S3 leaves out empty fields.
                **({"Contents": contents} if contents else {}),
                **({"CommonPrefixes": prefixes} if prefixes else {}),
                **({"NextContinuationToken": page[-1]} if is_truncated else {}),
            }

        return self._answer("ListObjectsV2", Bucket, Prefix, lambda objects, _: listed(objects))

    def _answer(
        self,
        operation: str,
        bucket: str,
        key: str,
        act: Callable[[dict[str, _Object], str], dict[str, Any]],
    ) -> dict[str, Any]:
        if self._before is not None:
            self._before(operation, key)
        try:
            with self._server._lock:
                answer = act(self._server._objects.setdefault(bucket, {}), key)
        finally:
            if self._after is not None:
                self._after(operation, key)
        return {**answer, "ResponseMetadata": _metadata(_NO_CONTENT if operation == "DeleteObject" else _OK)}

    @staticmethod
    def _get(objects: dict[str, _Object], key: str) -> dict[str, Any]:
        stored = objects.get(key)
        if stored is None:
            _fail("NoSuchKey", "GetObject")
        return {**_described(stored), "Body": _Body(stored.body)}

    @staticmethod
    def _head(objects: dict[str, _Object], key: str) -> dict[str, Any]:
        stored = objects.get(key)
        if stored is None:
            _fail("404", "HeadObject")
        return _described(stored)


def _described(stored: _Object) -> dict[str, Any]:
    return {
        "ETag": stored.etag,
        "ContentLength": len(stored.body),
        "Metadata": stored.metadata,
        "LastModified": stored.modified,
    }


def _fail(code: str, operation: str) -> NoReturn:
    answer: Any = {"Error": {"Code": code, "Message": code}, "ResponseMetadata": _metadata(_STATUS[code])}
    raise ClientError(answer, operation)


def _metadata(status: int) -> dict[str, Any]:
    return {"HTTPStatusCode": status, "HTTPHeaders": {"x-amz-request-id": "memory"}, "RetryAttempts": 0}
