"""S3 requests on libcurl, with the names, arguments and responses of boto3's client: a `Transport`."""

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
"""A larger object is read in parts, as its body is consumed."""

_NOTHING: Mapping[str, str] = {}
# boto3's arguments, and the headers and query parameters that carry them, in the order of sending.
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
    """A client of S3. Safe to share between threads.

    Args:
        service: S3 at its address.
        is_aws: whether the address is AWS's, with a host name for each bucket and an address for each region.
        uses_paths: address buckets by path on AWS, too.
        sends_checksums: send a CRC-32 with every object to store.
        validates_checksums: ask S3 for checksums, and verify them.
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

    def get_object(self, *, Bucket: str, Key: str, **params: Any) -> dict[str, Any]:
        """Fetch an object, or a range of its bytes."""
        headers = {"x-amz-checksum-mode": "ENABLED"} if self._validates_checksums else {}
        answer = self._send(
            "GetObject", "GET", Bucket, Key, params, headers=headers, max_bytes=MAX_BODY_BYTES, streams=True
        )
        info = s3_answers.described(answer)
        if answer.body is not None:
            if self._validates_checksums:
                s3_answers.validate(answer.headers, answer.body)
            return {**info, "Body": s3_answers.Body([answer.body])}

        if params.get("Range") is not None:  # no caller requests a range of this size, so this is not it
            raise unreadable()

        def parts() -> Iterator[bytes]:
            size = info["ContentLength"]
            for start in range(0, size, MAX_BODY_BYTES):
                wanted = f"bytes={start}-{min(start + MAX_BODY_BYTES, size) - 1}"
                # Not by its version, unless the caller named one: that would need s3:GetObjectVersion.
                of_part = {**params, "Range": wanted, "IfMatch": info["ETag"]}
                try:
                    part = self.get_object(Bucket=Bucket, Key=Key, **of_part)
                except AnswerError as error:
                    if error.outcome is not RequestOutcome.PRECONDITION_FAILED:
                        raise
                    # The object was replaced meanwhile. To the reader, the body has broken off.
                    raise NoAnswerError("IncompleteReadError", is_sent=True, is_begun=True) from None
                yield part["Body"].read()

        return {**info, "Body": s3_answers.Body(parts())}

    def head_object(self, *, Bucket: str, Key: str, **params: Any) -> dict[str, Any]:
        """Fetch an object's headers."""
        return s3_answers.described(self._send("HeadObject", "HEAD", Bucket, Key, params))

    def put_object(
        self, *, Bucket: str, Key: str, Body: bytes, Metadata: Mapping[str, str] = _NOTHING, **params: Any
    ) -> dict[str, Any]:
        """Store an object."""
        headers = {f"{s3_answers.META}{name}": value for name, value in Metadata.items()}
        if self._sends_checksums:
            headers |= _checksum(Body)
        answer = self._send("PutObject", "PUT", Bucket, Key, params, headers=headers, body=bytes(Body))
        if "etag" not in answer.headers:
            raise unreadable()
        return s3_answers.written(answer)

    def delete_object(self, *, Bucket: str, Key: str, **params: Any) -> dict[str, Any]:
        """Delete an object, or destroy a version."""
        answer = self._send("DeleteObject", "DELETE", Bucket, Key, params)
        return s3_answers.written(answer)

    def delete_objects(self, *, Bucket: str, Delete: Mapping[str, Any], **params: Any) -> dict[str, Any]:
        """Delete many objects."""
        objects = "".join(
            f"<Object>{''.join(_element(name, value) for name, value in entry.items())}</Object>"
            for entry in Delete["Objects"]
        )
        quiet = "<Quiet>true</Quiet>" if Delete.get("Quiet") else ""
        body = f'<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{objects}{quiet}</Delete>'.encode()
        headers = {**_checksum(body), "content-type": "application/xml"}
        answer = self._send(
            "DeleteObjects", "POST", Bucket, None, params, query={"delete": ""}, headers=headers, body=body
        )
        return s3_answers.deleted(answer)

    def list_objects_v2(self, *, Bucket: str, **params: Any) -> dict[str, Any]:
        """List objects."""
        params["EncodingType"] = "url"
        return s3_answers.objects(self._send("ListObjectsV2", "GET", Bucket, None, params, query={"list-type": "2"}))

    def list_object_versions(self, *, Bucket: str, **params: Any) -> dict[str, Any]:
        """List versions and delete markers."""
        params["EncodingType"] = "url"
        return s3_answers.versions(
            self._send("ListObjectVersions", "GET", Bucket, None, params, query={"versions": ""})
        )

    def get_bucket_versioning(self, *, Bucket: str, **params: Any) -> dict[str, Any]:
        """Return whether the bucket keeps overwritten versions."""
        return s3_answers.versioning(
            self._send("GetBucketVersioning", "GET", Bucket, None, params, query={"versioning": ""})
        )

    def list_multipart_uploads(self, *, Bucket: str, **params: Any) -> dict[str, Any]:
        """List unfinished uploads."""
        return s3_answers.uploads(
            self._send("ListMultipartUploads", "GET", Bucket, None, params, query={"uploads": ""})
        )

    def abort_multipart_upload(self, *, Bucket: str, Key: str, **params: Any) -> dict[str, Any]:
        """Abort an unfinished upload."""
        return s3_answers.written(self._send("AbortMultipartUpload", "DELETE", Bucket, Key, params))

    def _send(
        self,
        operation: str,
        method: str,
        bucket: str,
        key: str | None,
        params: Mapping[str, Any],
        *,
        query: Mapping[str, str] = _NOTHING,
        headers: Mapping[str, str] = _NOTHING,
        body: bytes = b"",
        max_bytes: int = 0,
        streams: bool = False,
    ) -> HttpAnswer:
        """Send a request for a bucket or for one of its objects, with boto3's arguments and any additional parts."""
        check_addressable(bucket)
        if key is not None and (not key or _UNFIT_KEY.search(f"{bucket}/{key}")):
            raise RequestError(code="UnsupportedKey", outcome=RequestOutcome.FAILED)
        if unknown := params.keys() - _HEADERS.keys() - _QUERY.keys():
            raise TypeError(f"{operation} takes no {', '.join(sorted(unknown))} here")
        headers = {**_named(_HEADERS, params), **headers}
        query_text = urlencode({**query, **_named(_QUERY, params)}, quote_via=quote, safe="-_.~")
        path = ("" if key is None else "/" + quote(key, safe="/~")) + (f"?{query_text}" if query_text else "")
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
                # A server that redirects a request has not carried it out.
                if is_redirected or not self._is_aws or not _is_related_region(error.region, region):
                    raise
                is_redirected = True
                self._regions[bucket] = error.region

    def _base(self, bucket: str, region: str) -> str:
        """Return a bucket's URL: its own host, or the server's with the bucket as the first part of the path."""
        if not self._is_aws:
            return f"{self._service.address}/{bucket}"
        host = f"s3.{region}.{domain_of(region)}"
        if self._uses_paths or not _HOST_BUCKET.fullmatch(bucket):
            return f"https://{host}/{bucket}"
        return f"https://{bucket}.{host}"


def check_addressable(bucket: str) -> None:
    """Raise `ConfigurationError` for the ARN of an access point, or for a kind of bucket with other addresses."""
    if not bucket or _UNFIT_BUCKET.search(bucket):
        raise ConfigurationError(
            "transport 'fast' takes the name of a general purpose bucket, or the alias of an access point to one, "
            "as S3MEMORY_BUCKET, say"
        )


def _is_related_region(region: str, known: str) -> bool:
    """Whether the region that a server named is another valid one in the same partition."""
    try:
        return region != known and domain_of(region) == domain_of(known)
    except ConfigurationError:
        return False


def _named(names: Mapping[str, str], params: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(params[given]) for given, name in names.items() if params.get(given) is not None}


def _element(name: str, value: str) -> str:
    # `xml.sax.saxutils` could do this, but it imports the clients of urllib and http.
    escaped = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<{name}>{escaped}</{name}>"


def _checksum(body: bytes) -> dict[str, str]:
    crc = base64.b64encode(zlib.crc32(body).to_bytes(4, "big")).decode()
    return {"x-amz-sdk-checksum-algorithm": "CRC32", "x-amz-checksum-crc32": crc}
