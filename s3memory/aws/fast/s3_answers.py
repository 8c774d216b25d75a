"""Parses S3's responses into those of boto3's client: headers, XML, and errors with a success status."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_plus
from xml.etree import ElementTree as ET

from s3memory.aws.errors import STATUSES_OF_SUCCESS, AnswerError, RequestError, RequestOutcome, unreadable
from s3memory.aws.fast.http import HttpAnswer
from s3memory.aws.fast.service import answer_error, is_ok, xml_of
from s3memory.aws.request_counts import count_written
from s3memory.aws.timestamps import parse_timestamp

META = "x-amz-meta-"
"""The prefix of the headers that hold an object's metadata."""

_REGION_CODES = frozenset(
    {"PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException"}
)
_REDIRECTS = frozenset({301, 302, 307})
_LISTINGS = frozenset({"ListMultipartUploads", "ListObjectVersions", "ListObjectsV2"})
_HASHES: Mapping[str, Callable[[bytes], bytes]] = {
    "x-amz-checksum-crc32": lambda body: zlib.crc32(body).to_bytes(4, "big"),
    "x-amz-checksum-sha1": lambda body: _hash("sha1", body),
    "x-amz-checksum-sha256": lambda body: _hash("sha256", body),
}
_BY_KEY = {"Deleted": "Deleted", "Errors": "Error"}
_MARKERS = ("NextContinuationToken", "NextKeyMarker", "NextVersionIdMarker", "NextUploadIdMarker")
# Elements that may be repeated, one for each item.
_REPEATED = frozenset(
    {"ChecksumAlgorithm", "CommonPrefixes", "Contents", "DeleteMarker", "Deleted", "Error", "Upload", "Version"}
)


class ElsewhereError(AnswerError):
    """The bucket is in another region."""

    def __init__(self, error: AnswerError, region: str) -> None:
        super().__init__(status=error.status, code=error.code)
        self.region = region


class Body:
    """The body of a response to GetObject."""

    def __init__(self, parts: list[bytes] | Iterator[bytes]) -> None:
        self._parts = iter(parts)

    def read(self) -> bytes:
        """Return the remaining bytes."""
        return b"".join(self._parts)

    def iter_chunks(self, _chunk_size: int = 0) -> Iterator[bytes]:
        """Yield the remaining bytes in parts."""
        yield from self._parts

    def close(self) -> None:
        """Drop the remaining parts."""
        self._parts = iter(())


def checked(operation: str, answer: HttpAnswer) -> HttpAnswer:
    """Return a successful response, or raise its error: `ElsewhereError` for a bucket in another region.

    A GetObject succeeds only with a status that promises an object, unlike a proxy's 204, and a listing only with XML.
    A listing without it is retried, as botocore does.
    """
    if is_ok(answer) and answer.status not in STATUSES_OF_SUCCESS.get(operation, (answer.status,)):
        raise unreadable()
    if is_ok(answer) and operation == "GetObject":
        return answer
    root = xml_of(answer)
    is_error = root is not None and _tag(root) == "Error"
    if is_ok(answer) and root is None and operation in _LISTINGS:
        raise answer_error(answer._replace(status=500), unreadable().code)  # perhaps cut short: a 500 is retried
    if is_ok(answer) and not is_error:
        return answer
    if is_ok(answer):  # S3 failed after it had begun to respond
        answer = answer._replace(status=500)
    texts = {_tag(child): child.text for child in root} if root is not None and is_error else {}
    code = texts.get("Code") or str(answer.status)
    error = answer_error(answer, code)
    region = answer.headers.get("x-amz-bucket-region") or texts.get("Region")
    is_of_region = code in _REGION_CODES or (operation == "HeadObject" and code == "400")
    if region and (is_of_region or answer.status in _REDIRECTS):
        raise ElsewhereError(error, region)
    raise error


def described(answer: HttpAnswer) -> dict[str, Any]:
    """Return the fields about an object in a response's headers. Raise `RequestError` if one is missing."""
    headers, body = answer.headers, answer.body
    if body is None and "content-length" not in headers:  # a chunked body, too long to be read at once
        raise RequestError(code="UnknownLength", outcome=RequestOutcome.FAILED)
    try:
        fields = {
            "ContentLength": int(
                headers["content-length"] if body is None else headers.get("content-length", len(body))
            ),
            "ETag": headers["etag"],
            "LastModified": parse_timestamp(headers["last-modified"]),
            "Metadata": {name.removeprefix(META): value for name, value in headers.items() if name.startswith(META)},
        }
    except (KeyError, ValueError):
        raise unreadable() from None
    if "x-amz-version-id" in headers:
        fields["VersionId"] = headers["x-amz-version-id"]
    return fields


def written(answer: HttpAnswer) -> dict[str, Any]:
    """Return the fields of a response to a PUT or DELETE, and count its version. A body raises `RequestError`."""
    if answer.body and not answer.body.isspace():
        raise unreadable()
    fields = {"ETag": answer.headers["etag"]} if "etag" in answer.headers else {}
    if "x-amz-version-id" in answer.headers:
        fields["VersionId"] = answer.headers["x-amz-version-id"]
        count_written(fields["VersionId"])
    return fields


def validate(headers: Mapping[str, str], body: bytes) -> None:
    """Verify a body's checksum, if the response has one. Raise `RequestError` if they differ."""
    for name, digest in _HASHES.items():
        sent = headers.get(name)
        if sent is not None and "-" not in sent and headers.get("content-range") is None:  # "-": a checksum of parts
            if base64.b64encode(digest(body)).decode() != sent:
                raise RequestError(code="FlexibleChecksumError", outcome=RequestOutcome.FAILED)
            return


def deleted(answer: HttpAnswer) -> dict[str, Any]:
    """Return the deleted keys and the per-key errors of a DeleteObjects."""
    root = _root(answer, "DeleteResult")
    return {name: [_texts(item) for item in root if _tag(item) == tag] for name, tag in _BY_KEY.items()}


def objects(answer: HttpAnswer) -> dict[str, Any]:
    """Return a page of objects."""
    root = _root(answer, "ListBucketResult")
    decoded = _decoding(root)
    return _listed(root) | {
        "Contents": [_entry(item, decoded, "Size") for item in root if _tag(item) == "Contents"],
        "CommonPrefixes": [
            {"Prefix": decoded(_texts(item).get("Prefix", ""))} for item in root if _tag(item) == "CommonPrefixes"
        ],
    }


def versions(answer: HttpAnswer) -> dict[str, Any]:
    """Return a page of versions and delete markers."""
    root = _root(answer, "ListVersionsResult")
    decoded = _decoding(root)
    page = _listed(root)
    if "NextKeyMarker" in page:
        page["NextKeyMarker"] = decoded(page["NextKeyMarker"])
    return page | {
        "Versions": [_entry(item, decoded, "VersionId") for item in root if _tag(item) == "Version"],
        "DeleteMarkers": [_entry(item, decoded, "VersionId") for item in root if _tag(item) == "DeleteMarker"],
        "AreDeleteMarkers": [tag == "DeleteMarker" for tag in map(_tag, root) if tag in {"Version", "DeleteMarker"}],
    }


def versioning(answer: HttpAnswer) -> dict[str, Any]:
    """Return whether a bucket keeps versions."""
    root = xml_of(answer)  # servers have different names for the root element
    if root is None:
        raise unreadable()
    return {name: text for name, text in _texts(root).items() if name == "Status"}


def uploads(answer: HttpAnswer) -> dict[str, Any]:
    """Return a page of unfinished uploads."""
    root = _root(answer, "ListMultipartUploadsResult")
    encoding = {name: text for name, text in _texts(root).items() if name == "EncodingType"}
    found = [_texts(item) for item in root if _tag(item) == "Upload"]
    if not all({"Key", "UploadId"} <= texts.keys() for texts in found):
        raise unreadable()
    return _listed(root) | encoding | {"Uploads": found}


def _hash(name: str, body: bytes) -> bytes:
    import hashlib  # not loaded if S3 sends CRC-32: it loads its own libcrypto

    return hashlib.new(name, body, usedforsecurity=False).digest()


@lru_cache(maxsize=256)
def _without_namespace(tag: str) -> str:
    return tag.rpartition("}")[2]


def _tag(element: ET.Element) -> str:
    return _without_namespace(element.tag)


def _texts(element: ET.Element) -> dict[str, str]:
    """Return the texts of an element's children by tag. Raise `RequestError` if a unique tag occurs twice."""
    texts: dict[str, str] = {}
    for child in element:
        tag = _tag(child)
        if tag in texts and tag not in _REPEATED:
            raise unreadable()
        texts[tag] = child.text or ""
    return texts


def _root(answer: HttpAnswer, tag: str) -> ET.Element:
    root = xml_of(answer)
    if root is None or _tag(root) != tag:
        raise unreadable()
    return root


def _listed(root: ET.Element) -> dict[str, Any]:
    texts = _texts(root)
    return {
        **{name: texts[name] for name in _MARKERS if texts.get(name)},
        "IsTruncated": _boolean(texts.get("IsTruncated", "")),
    }


def _boolean(text: str) -> bool:
    word = text.strip().lower()  # some servers capitalize it
    if word not in {"true", "false"}:
        raise unreadable()
    return word == "true"


def _decoding(root: ET.Element) -> Callable[[str], str]:
    is_encoded = any(_tag(child) == "EncodingType" and child.text == "url" for child in root)
    return unquote_plus if is_encoded else lambda text: text


def _entry(item: ET.Element, decoded: Callable[[str], str], needed: str) -> dict[str, Any]:
    texts = _texts(item)
    if needed not in texts:
        raise unreadable()
    try:
        entry: dict[str, Any] = {"Key": decoded(texts["Key"]), "LastModified": parse_timestamp(texts["LastModified"])}
        if "Size" in texts:
            entry |= {"Size": int(texts["Size"]), "ETag": texts["ETag"]}
        if "VersionId" in texts:
            entry |= {"VersionId": texts["VersionId"], "IsLatest": _boolean(texts["IsLatest"])}
    except (KeyError, ValueError):
        raise unreadable() from None
    return entry
