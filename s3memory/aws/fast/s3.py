"""S3's requests on libcurl, with the names, arguments and answers of boto3's client: a `Transport`."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from s3memory.aws.errors import AnswerError, RequestError, RequestOutcome, unreadable
from s3memory.aws.fast import s3_answers
from s3memory.aws.fast.http import HttpAnswer, NoAnswerError
from s3memory.aws.fast.service import Meta, Service
from s3memory.aws.fast.surroundings import domain_of
from s3memory.errors import ConfigurationError

MAX_BODY_BYTES = 1024 * 1024
"""An object that is larger is read in parts, when its body is."""

_NOTHING: Mapping[str, str] = {}
# Where a request says what it is told by boto3's names, in the order in which it does.
_HEADERS = {
    "Range": "range",
    "IfMatch": "if-match",
    "IfNoneMatch": "if-none-match",
    "ExpectedBucketOwner": "x-amz-expected-bucket-owner",
}
_QUERY = {
    "VersionId": "versionId",
    "UploadId": "uploadId",
    "Prefix": "prefix",
    "MaxKeys": "max-keys",
    "Delimiter": "delimiter",
    "ContinuationToken": "continuation-token",
    "KeyMarker": "key-marker",
    "VersionIdMarker": "version-id-marker",
    "UploadIdMarker": "upload-id-marker",
    "EncodingType": "encoding-type",
}
_HOST_BUCKET = re.compile(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]", re.ASCII)
_UNFIT_BUCKET = re.compile(r"[^A-Za-z0-9._-]|^\.{1,2}$|\.mrap$|--x-s3$|--op-s3$", re.ASCII)
_UNFIT_KEY = re.compile(r"(^|/)\.{1,2}(/|$)")


class S3:
    """A client of S3. Threads share it.

    Args:
        service: S3 at its address.
        is_aws: whether the address is AWS's, with a host name for each bucket and an address for each region.
        uses_paths: address buckets by path there, too.
        sends_checksums: a CRC-32 with every object that is stored.
        validates_checksums: have S3 send checksums, and look at them.
    """

    def __init__(
        self,
        service: Service,
        *,
        is_aws: bool,
        uses_paths: bool = False,
        sends_checksums: bool = True,
        validates_checksums: bool = True,
    ) -> None:
        self._service = service
        self._is_aws = is_aws
        self._uses_paths = uses_paths
        self._sends_checksums = sends_checksums
        self._validates_checksums = validates_checksums
        self._regions: dict[str, str] = {}  # of buckets that turned out to be elsewhere
        self.meta: Meta = service.meta

    def get_object(self, *, Bucket: str, Key: str, **asked: Any) -> dict[str, Any]:
        """Fetch an object, or some of its bytes."""
        headers = {"x-amz-checksum-mode": "ENABLED"} if self._validates_checksums else {}
        answer = self._send(
            "GetObject", "GET", Bucket, Key, asked, headers=headers, max_bytes=MAX_BODY_BYTES, streams=True
        )
        told = s3_answers.described(answer)
        if answer.body is not None:
            if self._validates_checksums:
                s3_answers.validate(answer.headers, answer.body)
            return {**told, "Body": s3_answers.Body([answer.body])}

        if asked.get("Range") is not None:  # nobody asks for so many, so it is not what was asked for
            raise unreadable()

        def parts() -> Iterator[bytes]:
            size = told["ContentLength"]
            for start in range(0, size, MAX_BODY_BYTES):
                wanted = f"bytes={start}-{min(start + MAX_BODY_BYTES, size) - 1}"
                # Not by its version, unless that was asked for: s3:GetObjectVersion would be needed.
                of_part = {**asked, "Range": wanted, "IfMatch": told["ETag"]}
                try:
                    part = self.get_object(Bucket=Bucket, Key=Key, **of_part)
                except AnswerError as error:
                    if error.outcome is not RequestOutcome.PRECONDITION_FAILED:
                        raise
                    # Replaced meanwhile. For who reads, the body has broken off.
                    raise NoAnswerError("IncompleteReadError", is_sent=True, is_begun=True) from None
                yield part["Body"].read()

        return {**told, "Body": s3_answers.Body(parts())}

    def head_object(self, *, Bucket: str, Key: str, **asked: Any) -> dict[str, Any]:
        """Fetch the same without the body."""
        return s3_answers.described(self._send("HeadObject", "HEAD", Bucket, Key, asked))

    def put_object(
        self, *, Bucket: str, Key: str, Body: bytes, Metadata: Mapping[str, str] = _NOTHING, **asked: Any
    ) -> dict[str, Any]:
        """Store an object."""
        headers = {f"{s3_answers.META}{name}": value for name, value in Metadata.items()}
        if self._sends_checksums:
            headers |= _checksum(Body)
        answer = self._send("PutObject", "PUT", Bucket, Key, asked, headers=headers, body=bytes(Body))
        if "etag" not in answer.headers:
            raise unreadable()
        return s3_answers.written(answer)

    def delete_object(self, *, Bucket: str, Key: str, **asked: Any) -> dict[str, Any]:
        """Delete an object, or destroy a version."""
        answer = self._send("DeleteObject", "DELETE", Bucket, Key, asked)
        return s3_answers.written(answer)

    def delete_objects(self, *, Bucket: str, Delete: Mapping[str, Any], **asked: Any) -> dict[str, Any]:
        """Delete many."""
        objects = "".join(
            f"<Object>{''.join(_element(name, value) for name, value in entry.items())}</Object>"
            for entry in Delete["Objects"]
        )
        quiet = "<Quiet>true</Quiet>" if Delete.get("Quiet") else ""
        body = f'<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{objects}{quiet}</Delete>'.encode()
        headers = {**_checksum(body), "content-type": "application/xml"}
        answer = self._send(
            "DeleteObjects", "POST", Bucket, None, asked, query={"delete": ""}, headers=headers, body=body
        )
        return s3_answers.deleted(answer)

    def list_objects_v2(self, *, Bucket: str, **asked: Any) -> dict[str, Any]:
        """List objects."""
        asked["EncodingType"] = "url"
        return s3_answers.objects(self._send("ListObjectsV2", "GET", Bucket, None, asked, query={"list-type": "2"}))

    def list_object_versions(self, *, Bucket: str, **asked: Any) -> dict[str, Any]:
        """List versions and delete markers."""
        asked["EncodingType"] = "url"
        return s3_answers.versions(self._send("ListObjectVersions", "GET", Bucket, None, asked, query={"versions": ""}))

    def get_bucket_versioning(self, *, Bucket: str, **asked: Any) -> dict[str, Any]:
        """Tell whether a bucket keeps what is overwritten."""
        return s3_answers.versioning(
            self._send("GetBucketVersioning", "GET", Bucket, None, asked, query={"versioning": ""})
        )

    def list_multipart_uploads(self, *, Bucket: str, **asked: Any) -> dict[str, Any]:
        """List uploads that were begun and not finished."""
        return s3_answers.uploads(self._send("ListMultipartUploads", "GET", Bucket, None, asked, query={"uploads": ""}))

    def abort_multipart_upload(self, *, Bucket: str, Key: str, **asked: Any) -> dict[str, Any]:
        """Abort one of them."""
        return s3_answers.written(self._send("AbortMultipartUpload", "DELETE", Bucket, Key, asked))

    def _send(
        self,
        operation: str,
        method: str,
        bucket: str,
        key: str | None,
        asked: Mapping[str, Any],
        *,
        query: Mapping[str, str] = _NOTHING,
        headers: Mapping[str, str] = _NOTHING,
        body: bytes = b"",
        max_bytes: int = 0,
        streams: bool = False,
    ) -> HttpAnswer:
        """Send a request of a bucket, or of an object in it: what is asked by boto3's names, and what is added."""
        check_addressable(bucket)
        if key is not None and (not key or _UNFIT_KEY.search(f"{bucket}/{key}")):
            raise RequestError(code="UnsupportedKey", outcome=RequestOutcome.FAILED)
        if unknown := asked.keys() - _HEADERS.keys() - _QUERY.keys():
            raise TypeError(f"{operation} takes no {', '.join(sorted(unknown))} here")
        headers = {**_named(_HEADERS, asked), **headers}
        told = urlencode({**query, **_named(_QUERY, asked)}, quote_via=quote, safe="-_.~")
        path = ("" if key is None else "/" + quote(key, safe="/~")) + (f"?{told}" if told else "")
        is_redirected = False
        while True:
            region = self._regions.get(bucket, self._service.region)
            try:
                return self._service.answer_to(
                    operation,
                    method,
                    self._base(bucket, region) + (path if path.startswith("/") else f"/{path}"),
                    headers,
                    body,
                    region=region,
                    max_bytes=max_bytes,
                    streams=streams,
                    checked=lambda answer: s3_answers.checked(operation, answer),
                )
            except s3_answers.ElsewhereError as error:
                # Who sends a request elsewhere has not carried it out.
                if is_redirected or not self._is_aws or not _is_beside(error.region, region):
                    raise
                is_redirected = True
                self._regions[bucket] = error.region

    def _base(self, bucket: str, region: str) -> str:
        """Return the address of a bucket, or of the server with the bucket as the path's first part."""
        if not self._is_aws:
            return f"{self._service.address}/{bucket}"
        host = f"s3.{region}.{domain_of(region)}"
        if self._uses_paths or not _HOST_BUCKET.fullmatch(bucket):
            return f"https://{host}/{bucket}"
        return f"https://{bucket}.{host}"


def check_addressable(bucket: str) -> None:
    """Raise `ConfigurationError` for the ARN of an access point, or a bucket of a kind that has other addresses."""
    if not bucket or _UNFIT_BUCKET.search(bucket):
        raise ConfigurationError(
            "transport 'fast' takes the name of a general purpose bucket, or the alias of an access point to one, "
            "as S3MEMORY_BUCKET, say"
        )


def _is_beside(region: str, known: str) -> bool:
    """Whether a server's word for a region is one, and in the same partition."""
    try:
        return region != known and domain_of(region) == domain_of(known)
    except ConfigurationError:
        return False


def _named(names: Mapping[str, str], asked: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(asked[given]) for given, name in names.items() if asked.get(given) is not None}


def _element(name: str, value: str) -> str:
    # `xml.sax.saxutils` would do this, and imports urllib's and http's clients.
    escaped = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<{name}>{escaped}</{name}>"


def _checksum(body: bytes) -> dict[str, str]:
    crc = base64.b64encode(zlib.crc32(body).to_bytes(4, "big")).decode()
    return {"x-amz-sdk-checksum-algorithm": "CRC32", "x-amz-checksum-crc32": crc}
