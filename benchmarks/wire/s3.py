"""An S3 with the operations and conditions that the measured clients use. No versioning, no multipart uploads."""

from __future__ import annotations

import base64
import hashlib
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote
from xml.etree import ElementTree as ET

from wire.aws import Answer

if TYPE_CHECKING:
    from wire.aws import Request

_DATE = "Sat, 01 Jan 2000 00:00:00 GMT"
_LISTED_DATE = "2000-01-01T00:00:00.000Z"
_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
_META = "x-amz-meta-"
_LAST = "\U0010ffff"
_BUCKET_OPERATIONS = {
    ("GET", "list-type"): "ListObjectsV2",
    ("GET", "versions"): "ListObjectVersions",
    ("GET", "uploads"): "ListMultipartUploads",
    ("POST", "delete"): "DeleteObjects",
}
"""The operations on a bucket, by method and query parameter."""


@dataclass(frozen=True, slots=True)
class _Object:
    body: bytes
    etag: str
    metadata: dict[str, str]


@dataclass(slots=True)
class _Bucket:
    objects: dict[str, _Object] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    """The sorted keys of `objects`. Their order, by code points, is that of the UTF-8 bytes."""

    def put(self, key: str, stored: _Object) -> None:
        if key not in self.objects:
            insort(self.keys, key)
        self.objects[key] = stored

    def remove(self, key: str) -> None:
        if self.objects.pop(key, None) is not None:
            del self.keys[bisect_left(self.keys, key)]

    def entries(self, prefix: str, delimiter: str, after: str) -> Iterator[tuple[str, bool]]:
        """Yield the object keys (False) and common prefixes (True) that begin with `prefix` and come after `after`."""
        index = max(bisect_left(self.keys, prefix), bisect_right(self.keys, after))
        while index < len(self.keys) and (key := self.keys[index]).startswith(prefix):
            head, found, _ = key[len(prefix) :].partition(delimiter) if delimiter else (key, "", "")
            if not found:
                yield key, False
                index += 1
                continue
            common = prefix + head + delimiter
            if common > after:
                yield common, True
            index = bisect_left(self.keys, common + _LAST, index)


class S3:
    """The service with its buckets. A bucket is created when it is first used."""

    def __init__(self) -> None:
        self._buckets: dict[str, _Bucket] = {}

    def fill(self, bucket: str, keys: list[str], size_bytes: int) -> None:
        """Store objects filled with zeros."""
        filled = self._bucket(bucket)
        filled.objects |= dict.fromkeys(keys, _object(bytes(size_bytes), {}))
        filled.keys = sorted(filled.objects)

    def operation(self, request: Request) -> str:
        """Return AWS's name for the request's operation, or ``Unknown``."""
        key = request.path.lstrip("/").partition("/")[2]
        if not key:
            found = (_BUCKET_OPERATIONS.get((request.method, parameter)) for parameter in request.query)
            return next(filter(None, found), "Unknown")
        if request.method == "PUT":
            return "CopyObject" if "x-amz-copy-source" in request.headers else "PutObject"
        return f"{request.method.capitalize()}Object" if request.method in {"GET", "HEAD", "DELETE"} else "Unknown"

    def answer(self, request: Request) -> Answer:
        """Answer a request."""
        name, _, key = request.path.lstrip("/").partition("/")
        bucket, operation = self._bucket(name), self.operation(request)
        answers: dict[str, Callable[[], Answer]] = {
            "GetObject": lambda: self._get(bucket, key, operation),
            "HeadObject": lambda: self._get(bucket, key, operation),
            "PutObject": lambda: self._put(bucket, key, request, operation),
            "CopyObject": lambda: self._put(bucket, key, request, operation),
            "DeleteObject": lambda: self._delete(bucket, key, request.headers.get("if-match")),
            "DeleteObjects": lambda: self._delete_many(bucket, request.body),
            "ListObjectsV2": lambda: self._list(bucket, request.query),
            "ListObjectVersions": lambda: self._list_versions(bucket, request.query),
            "ListMultipartUploads": lambda: _xml(operation, ET.Element("ListMultipartUploadsResult", xmlns=_NAMESPACE)),
        }
        return answers.get(operation, lambda: _error("Unknown", 501, "NotImplemented"))()

    def _bucket(self, name: str) -> _Bucket:
        return self._buckets.setdefault(name, _Bucket())

    @staticmethod
    def _get(bucket: _Bucket, key: str, operation: str) -> Answer:
        stored = bucket.objects.get(key)
        if stored is None:
            return _error(operation, 404, "NoSuchKey")
        headers = {"ETag": stored.etag, "Last-Modified": _DATE, "Content-Type": "binary/octet-stream"}
        return Answer(operation, 200, stored.body, headers | stored.metadata)

    def _put(self, bucket: _Bucket, key: str, request: Request, operation: str) -> Answer:
        source = request.headers.get("x-amz-copy-source")
        present = bucket.objects.get(key)
        if request.headers.get("if-none-match") == "*" and present is not None:
            return _error(operation, 412, "PreconditionFailed")
        if etag := request.headers.get("if-match"):
            if present is None:
                return _error(operation, 404, "NoSuchKey")
            if present.etag != etag:
                return _error(operation, 412, "PreconditionFailed")
        if source is None:
            body = _unchunked(request.body) if "x-amz-decoded-content-length" in request.headers else request.body
            metadata = {name: value for name, value in request.headers.items() if name.startswith(_META)}
            bucket.put(key, stored := _object(body, metadata))
            return Answer(operation, 200, headers={"ETag": stored.etag})
        source_bucket, _, source_key = unquote(source).lstrip("/").partition("/")
        copied = self._bucket(source_bucket).objects.get(source_key)
        if copied is None:
            return _error(operation, 404, "NoSuchKey")
        bucket.put(key, copied)
        result = ET.Element("CopyObjectResult")
        _add(result, ETag=copied.etag, LastModified=_LISTED_DATE)
        return _xml(operation, result)

    @staticmethod
    def _delete(bucket: _Bucket, key: str, etag: str | None) -> Answer:
        present = bucket.objects.get(key)
        if etag is not None and present is None:
            return _error("DeleteObject", 404, "NoSuchKey")
        if present is not None and etag not in {None, "*", present.etag}:
            return _error("DeleteObject", 412, "PreconditionFailed")
        bucket.remove(key)
        return Answer("DeleteObject", 204)

    @staticmethod
    def _delete_many(bucket: _Bucket, body: bytes) -> Answer:
        result = ET.Element("DeleteResult")
        for item in ET.fromstring(body).iterfind("{*}Object"):  # noqa: S314 - from the clients that we measure
            key, etag = item.findtext("{*}Key", ""), item.findtext("{*}ETag")
            present = bucket.objects.get(key)
            if present is None and etag is not None:
                _add(ET.SubElement(result, "Error"), Key=key, Code="NoSuchKey")
            elif present is not None and etag not in {None, present.etag}:
                _add(ET.SubElement(result, "Error"), Key=key, Code="PreconditionFailed")
            else:
                bucket.remove(key)
        return _xml("DeleteObjects", result)

    @staticmethod
    def _list(bucket: _Bucket, query: dict[str, str]) -> Answer:
        token = query.get("continuation-token")
        after = base64.b64decode(token).decode() if token else query.get("start-after", "")
        limit = int(query.get("max-keys", "1000"))
        shown = quote if query.get("encoding-type") == "url" else str
        result = ET.Element("ListBucketResult", xmlns=_NAMESPACE)
        count, last, is_truncated = 0, "", False
        for name, is_prefix in bucket.entries(query.get("prefix", ""), query.get("delimiter", ""), after):
            if count == limit:
                is_truncated = True
                break
            count, last = count + 1, name
            if is_prefix:
                _add(ET.SubElement(result, "CommonPrefixes"), Prefix=shown(name))
            else:
                stored = bucket.objects[name]
                listed = {"Key": shown(name), "LastModified": _LISTED_DATE, "ETag": stored.etag}
                _add(ET.SubElement(result, "Contents"), **listed, Size=str(len(stored.body)), StorageClass="STANDARD")
        _add(result, KeyCount=str(count), MaxKeys=str(limit), IsTruncated=str(is_truncated).lower())
        if shown is quote:
            _add(result, EncodingType="url")
        if is_truncated:
            _add(result, NextContinuationToken=base64.b64encode(last.encode()).decode())
        return _xml("ListObjectsV2", result)

    @staticmethod
    def _list_versions(bucket: _Bucket, query: dict[str, str]) -> Answer:
        """List each object as its only version, as in a bucket without versioning."""
        limit = int(query.get("max-keys", "1000"))
        shown = quote if query.get("encoding-type") == "url" else str
        names = [name for name, _ in bucket.entries(query.get("prefix", ""), "", query.get("key-marker", ""))]
        result = ET.Element("ListVersionsResult", xmlns=_NAMESPACE)
        for name in names[:limit]:
            stored = bucket.objects[name]
            listed = {"Key": shown(name), "VersionId": "null", "IsLatest": "true", "LastModified": _LISTED_DATE}
            _add(ET.SubElement(result, "Version"), **listed, ETag=stored.etag, Size=str(len(stored.body)))
        if shown is quote:
            _add(result, EncodingType="url")
        _add(result, IsTruncated=str(len(names) > limit).lower())
        if len(names) > limit:
            _add(result, NextKeyMarker=shown(names[limit - 1]), NextVersionIdMarker="null")
        return _xml("ListObjectVersions", result)


def _object(body: bytes, metadata: dict[str, str]) -> _Object:
    return _Object(body, f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"', metadata)


def _unchunked(body: bytes) -> bytes:
    """Decode an ``aws-chunked`` body: chunks with their sizes in hex, and trailers after the last chunk."""
    parts: list[bytes] = []
    rest = body
    while True:
        head, _, rest = rest.partition(b"\r\n")
        size = int(head.partition(b";")[0], 16)
        if not size:
            return b"".join(parts)
        parts.append(rest[:size])
        rest = rest[size + 2 :]


def _add(parent: ET.Element, **texts: str) -> None:
    for name, text in texts.items():
        ET.SubElement(parent, name).text = text


def _xml(operation: str, element: ET.Element, status: int = 200) -> Answer:
    return Answer(operation, status, ET.tostring(element, "utf-8", xml_declaration=True), {"Content-Type": "text/xml"})


def _error(operation: str, status: int, code: str) -> Answer:
    element = ET.Element("Error")
    _add(element, Code=code, Message=code)
    return _xml(operation, element, status)
