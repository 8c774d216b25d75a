"""What else a bucket may hold of a tenant: multipart uploads that nobody finished, and documents that name its objects.

Erasing looks at them. This package makes no multipart upload; a console, a copy or a stranger may have begun one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote_plus

from s3memory.aws.errors import RequestOutcome, aws_errors, error_code, is_missing, outcome_of, to_backend_error
from s3memory.s3.listed import ensure_listed

if TYPE_CHECKING:
    from s3memory.s3.transport import Transport

_CHUNK_BYTES = 1024 * 1024


class Upload(NamedTuple):
    """A multipart upload that is not finished."""

    object_key: str
    upload_id: str


class Remains:
    """What is in a bucket beside objects of the package's own.

    IAM actions: ``s3:ListBucketMultipartUploads``, ``s3:AbortMultipartUpload``, ``s3:GetObject`` and
    ``s3:GetObjectVersion``.
    """

    def __init__(self, client: Transport, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def uploads_below(self, prefix: str) -> Iterator[Upload]:
        """Yield the unfinished uploads of every object whose key begins with `prefix` (``ListMultipartUploads``).

        Raises:
            BackendError: S3 did not answer or refused.
        """
        marker: dict[str, Any] = {}
        while True:
            try:
                # botocore asks for encoded keys, which any key can be told in, of other listings and not of this one.
                answer = self._client.list_multipart_uploads(
                    Bucket=self._bucket, Prefix=prefix, EncodingType="url", **marker
                )
                in_clear = unquote_plus if answer.get("EncodingType") == "url" else str
                page = [Upload(in_clear(item["Key"]), item["UploadId"]) for item in answer.get("Uploads", [])]
                after = (marker.get("KeyMarker"), marker.get("UploadIdMarker"))
                is_truncated: bool = answer.get("IsTruncated", False)
                then = (in_clear(answer.get("NextKeyMarker", "")), answer.get("NextUploadIdMarker"))
                ensure_listed((), prefix, is_truncated=is_truncated, after=after, then=then)
            except aws_errors() as error:
                if outcome_of(error) is RequestOutcome.NOT_SUPPORTED:
                    return  # a server that knows no multipart uploads has none
                raise to_backend_error(error) from error
            yield from (upload for upload in page if upload.object_key.startswith(prefix))
            if not is_truncated:
                return
            marker = dict(zip(("KeyMarker", "UploadIdMarker"), then, strict=True))

    def abort(self, upload: Upload) -> None:
        """Abort an upload, and destroy its parts (``AbortMultipartUpload``). One that is gone already is not an error.

        A part that is being sent meanwhile may be stored afterwards: list again.

        Raises:
            BackendError: S3 did not answer or refused; calling it again is safe.
        """
        try:
            self._client.abort_multipart_upload(Bucket=self._bucket, Key=upload.object_key, UploadId=upload.upload_id)
        except aws_errors() as error:
            if not is_missing(error) and error_code(error) != "NoSuchUpload":
                raise to_backend_error(error) from error

    def chunks(self, object_key: str, version_id: str) -> Iterator[bytes]:
        """Yield the bytes of a version of any object, however large, some at a time. Nothing if it is gone.

        Raises:
            BackendError: S3 did not answer or refused.
        """
        try:
            answer = self._client.get_object(Bucket=self._bucket, Key=object_key, VersionId=version_id)
            with closing(answer["Body"]) as body:
                yield from body.iter_chunks(_CHUNK_BYTES)
        except aws_errors() as error:
            if not is_missing(error):
                raise to_backend_error(error) from error
