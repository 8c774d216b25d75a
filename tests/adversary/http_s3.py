"""`HttpS3`: the part of S3 that this package uses, from an HTTP request to its response, in a dictionary with versions.

It is behind botocore's HTTP session, or behind a socket: faults on the way are not its business. Every request is
answered completely before the next one. It keeps all versions, as a versioned bucket does.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NoReturn
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

_NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"
_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
_STATUS = {
    "AccessDenied": 403,
    "ConditionalRequestConflict": 409,
    "InternalError": 500,
    "MalformedXML": 400,
    "NoSuchKey": 404,
    "NoSuchVersion": 404,
    "NotImplemented": 501,
    "PreconditionFailed": 412,
    "RequestTimeout": 400,
    "ServiceUnavailable": 503,
    "SlowDown": 503,
}


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request as it leaves botocore, or arrives at a socket."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)

    @property
    def query(self) -> dict[str, str]:
        """Its query parameters."""
        return dict(parse_qsl(urlsplit(self.url).query, keep_blank_values=True))

    @property
    def object_key(self) -> str:
        """The object that it is about; empty if it is about the bucket."""
        return unquote(urlsplit(self.url).path).lstrip("/").partition("/")[2]

    @property
    def operation(self) -> str:
        """AWS's name for it."""
        query, has_key = self.query, bool(self.object_key)
        if self.method == "POST":
            return "DeleteObjects" if "delete" in query else "Unknown"
        if self.method == "GET" and not has_key:
            return "ListObjectVersions" if "versions" in query else "ListObjectsV2"
        names = {"GET": "GetObject", "HEAD": "HeadObject", "PUT": "PutObject", "DELETE": "DeleteObject"}
        return names.get(self.method, "Unknown") if has_key else "Unknown"

    @property
    def is_write(self) -> bool:
        """Whether it may change anything."""
        return self.operation in {"PutObject", "DeleteObject", "DeleteObjects"}


@dataclass(frozen=True, slots=True)
class Version:
    """One version of an object; without a body, a delete marker."""

    version_id: str
    modified: datetime
    body: bytes | None
    etag: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


class _RefusedError(Exception):
    pass


class HttpS3:
    """A server's only bucket; every bucket name refers to it.

    Args:
        now: the server's clock.
        same_bytes_same_etag: as with SSE-S3; with SSE-KMS each PUT has a different ETag.
    """

    def __init__(self, *, now: Callable[[], datetime] = lambda: _BEGINNING, same_bytes_same_etag: bool = True) -> None:
        self.versions: dict[str, list[Version]] = {}
        self._now = now
        self._same_etag = same_bytes_same_etag
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def copy(self, *, now: Callable[[], datetime], same_bytes_same_etag: bool) -> HttpS3:
        """Return another server with the same content."""
        other = HttpS3(now=now, same_bytes_same_etag=same_bytes_same_etag)
        other.versions = {object_key: list(versions) for object_key, versions in self.versions.items()}
        other._numbers = itertools.count(10**6)
        return other

    def present(self, object_key: str) -> Version | None:
        """Return the version that a reader gets."""
        versions = self.versions.get(object_key)
        return versions[-1] if versions and versions[-1].body is not None else None

    def answer(self, request: Request) -> Answer:
        """Carry out a request."""
        operation = request.operation
        try:
            with self._lock:
                handler = getattr(self, f"_{re.sub('(?<=[a-z])(?=[A-Z])', '_', operation).lower()}", None)
                if handler is None:
                    _refuse("NotImplemented")
                answer: Answer = handler(request)
        except _RefusedError as refused:
            return error_answer(str(refused), has_body=request.method != "HEAD")
        return answer

    def _get_object(self, request: Request) -> Answer:
        version = self._asked_for(request)
        body = version.body or b""
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", request.headers.get("Range", ""))
        if asked is None or not body:
            return Answer(200, body, _described(version, len(body)))
        first, last = int(asked[1]), min(int(asked[2]), len(body) - 1)
        part = body[first : last + 1]
        headers = {"Content-Range": f"bytes {first}-{last}/{len(body)}"}
        return Answer(206, part, {**_described(version, len(part)), **headers})

    def _head_object(self, request: Request) -> Answer:
        version = self._asked_for(request)
        return Answer(200, b"", _described(version, len(version.body or b"")))

    def _asked_for(self, request: Request) -> Version:
        version_id = request.query.get("versionId")
        if version_id is None:
            return self.present(request.object_key) or _refuse("NoSuchKey")
        found = (one for one in self.versions.get(request.object_key, []) if one.version_id == version_id)
        version = next(found, None)
        return version if version is not None and version.body is not None else _refuse("NoSuchVersion")

    def _put_object(self, request: Request) -> Answer:
        present = self.present(request.object_key)
        wanted = request.headers.get("If-Match")
        if request.headers.get("If-None-Match") == "*" and present is not None:
            _refuse("PreconditionFailed")
        if wanted is not None:
            if present is None:
                _refuse("NoSuchKey")
            if wanted not in {"*", present.etag}:
                _refuse("PreconditionFailed")
        body = _plain_body(request)
        metadata = {
            name.lower(): value for name, value in request.headers.items() if name.lower().startswith("x-amz-meta-")
        }
        unique = b"" if self._same_etag else b"%d" % next(self._numbers)
        etag = f'"{hashlib.md5(body + unique, usedforsecurity=False).hexdigest()}"'
        version = self._add(request.object_key, body, etag, metadata)
        return Answer(200, b"", {"ETag": etag, "x-amz-version-id": version.version_id})

    def _delete_object(self, request: Request) -> Answer:
        object_key, version_id = request.object_key, request.query.get("versionId")
        if version_id is not None:
            self._destroy(object_key, version_id)
            return Answer(204)
        self._refuse_other(object_key, request.headers.get("If-Match"))
        if self.versions.get(object_key):
            self._add(object_key, None)
        return Answer(204)

    def _delete_objects(self, request: Request) -> Answer:
        errors = ""
        for entry in self.entries(request):
            object_key = entry["Key"]
            try:
                if "VersionId" in entry:
                    self._destroy(object_key, entry["VersionId"])
                else:
                    self._refuse_other(object_key, entry.get("ETag"))
                    if self.versions.get(object_key):
                        self._add(object_key, None)
            except _RefusedError as refused:
                errors += key_error(entry, str(refused))
        return delete_result(errors)

    @staticmethod
    def entries(request: Request) -> list[dict[str, str]]:
        """Return the entries of a DeleteObjects: ``Key``, and ``ETag`` or ``VersionId``, as they were sent."""
        try:
            root = ET.fromstring(_plain_body(request))  # noqa: S314 - our own client's
        except ET.ParseError:
            _refuse("MalformedXML")
        return [
            {child.tag.removeprefix(_NAMESPACE): child.text or "" for child in entry}
            for entry in root
            if entry.tag.removeprefix(_NAMESPACE) == "Object"
        ]

    def _list_objects_v2(self, request: Request) -> Answer:
        query = request.query
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        entries: dict[str, Version | None] = {}
        for object_key in sorted(self.versions, key=str.encode):
            present = self.present(object_key)
            if present is None or not object_key.startswith(prefix):
                continue
            rest = object_key[len(prefix) :]
            if delimiter and delimiter in rest:
                entries[prefix + rest.partition(delimiter)[0] + delimiter] = None
            else:
                entries[object_key] = present
        token = query.get("continuation-token", "")
        after = [name for name in entries if not token or name.encode() > token.encode()]
        page = after[: int(query.get("max-keys", "1000"))]
        parts = [
            f"<Contents><Key>{quote(name)}</Key>{_listed(found)}</Contents>"
            for name in page
            if (found := entries[name]) is not None
        ]
        parts += [
            f"<CommonPrefixes><Prefix>{quote(name)}</Prefix></CommonPrefixes>" for name in page if entries[name] is None
        ]
        more = len(after) > len(page)
        parts.append(f"<IsTruncated>{'true' if more else 'false'}</IsTruncated><EncodingType>url</EncodingType>")
        if more:
            parts.append(f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>")
        return _xml("ListBucketResult", "".join(parts))

    def _list_object_versions(self, request: Request) -> Answer:
        query = request.query
        listed = [
            (object_key, number, version)
            for object_key in sorted(self.versions, key=str.encode)
            if object_key.startswith(query.get("prefix", ""))
            for number, version in enumerate(reversed(self.versions[object_key]))
        ]
        places = [(object_key, version.version_id) for object_key, _, version in listed]
        marker = (query.get("key-marker", ""), query.get("version-id-marker", ""))
        first = places.index(marker) + 1 if marker in places else 0
        page = listed[first : first + int(query.get("max-keys", "1000"))]
        parts = []
        for object_key, number, version in page:
            kind = "DeleteMarker" if version.body is None else "Version"
            latest = "true" if number == 0 else "false"
            parts.append(
                f"<{kind}><Key>{quote(object_key)}</Key><VersionId>{version.version_id}</VersionId>"
                f"<IsLatest>{latest}</IsLatest>{_listed(version)}</{kind}>"
            )
        more = first + len(page) < len(listed)
        parts.append(f"<IsTruncated>{'true' if more else 'false'}</IsTruncated><EncodingType>url</EncodingType>")
        if more:
            last = page[-1]
            parts.append(f"<NextKeyMarker>{quote(last[0])}</NextKeyMarker>")
            parts.append(f"<NextVersionIdMarker>{last[2].version_id}</NextVersionIdMarker>")
        return _xml("ListVersionsResult", "".join(parts))

    def _refuse_other(self, object_key: str, wanted: str | None) -> None:
        if wanted is None:
            return
        present = self.present(object_key)
        if present is None:
            _refuse("NoSuchKey")
        if wanted.strip('"') not in {"*", present.etag.strip('"')}:
            _refuse("PreconditionFailed")

    def _add(
        self, object_key: str, body: bytes | None, etag: str = "", metadata: Mapping[str, str] | None = None
    ) -> Version:
        version = Version(f"v{next(self._numbers)}", self._now(), body, etag, metadata or {})
        self.versions.setdefault(object_key, []).append(version)
        return version

    def _destroy(self, object_key: str, version_id: str) -> None:
        left = [one for one in self.versions.get(object_key, []) if one.version_id != version_id]
        if left:
            self.versions[object_key] = left
        else:
            self.versions.pop(object_key, None)


def error_answer(code: str, *, has_body: bool = True) -> Answer:
    """Return an S3 error response."""
    body = f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode() if has_body else b""
    return Answer(_STATUS[code], body, {"Content-Type": "application/xml", "x-amz-request-id": "adversary"})


def delete_request(request: Request, entries: Sequence[Mapping[str, str]]) -> Request:
    """Return a DeleteObjects request with some of its entries."""
    objects = "".join(
        "<Object>" + "".join(f"<{name}>{escape(value)}</{name}>" for name, value in entry.items()) + "</Object>"
        for entry in entries
    )
    return Request(request.method, request.url, {}, f"<Delete>{objects}</Delete>".encode())


def delete_result(errors: str) -> Answer:
    """Return the response to a DeleteObjects in quiet mode."""
    return _xml("DeleteResult", errors)


def key_error(entry: Mapping[str, str], code: str) -> str:
    """Return the element of a DeleteObjects response for one object that was not deleted."""
    version = f"<VersionId>{entry['VersionId']}</VersionId>" if "VersionId" in entry else ""
    return f"<Error><Key>{escape(entry['Key'])}</Key>{version}<Code>{code}</Code><Message>{code}</Message></Error>"


def _refuse(code: str) -> NoReturn:
    raise _RefusedError(code)


def _xml(root: str, inner: str) -> Answer:
    body = f'<?xml version="1.0" encoding="UTF-8"?><{root} xmlns="{_NAMESPACE.strip("{}")}">{inner}</{root}>'
    return Answer(200, body.encode(), {"Content-Type": "application/xml"})


def _listed(version: Version) -> str:
    modified = f"<LastModified>{version.modified:%Y-%m-%dT%H:%M:%S}.000Z</LastModified>"
    if version.body is None:
        return modified
    return f"{modified}<ETag>{escape(version.etag)}</ETag><Size>{len(version.body)}</Size>"


def _described(version: Version, size_bytes: int) -> dict[str, str]:
    return {
        "ETag": version.etag,
        "Last-Modified": f"{version.modified:%a, %d %b %Y %H:%M:%S} GMT",
        "Content-Length": str(size_bytes),
        "x-amz-version-id": version.version_id,
        **version.metadata,
    }


def _plain_body(request: Request) -> bytes:
    if request.headers.get("Content-Encoding") != "aws-chunked":
        return request.body
    return b"".join(_chunks(request.body))


def _chunks(data: bytes) -> Iterator[bytes]:
    """Yield the chunks of a body with a trailing checksum."""
    at = 0
    while True:
        line_end = data.index(b"\r\n", at)
        size = int(data[at:line_end].partition(b";")[0], 16)
        if size == 0:
            return
        at = line_end + 2
        yield data[at : at + size]
        at += size + 2
