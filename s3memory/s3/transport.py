"""`Transport`: the requests that this package makes of S3. boto3's client is one, and `s3memory.aws.fast` has another.

Names, arguments and answers are those of boto3's S3 client. Errors are botocore's, or what `s3memory.aws.errors` takes
for the same. A 404 to a HEAD whose headers lack S3's request id is confirmed by a GET. Where a bucket's owner is given,
every request has ``ExpectedBucketOwner`` as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

Answer = Mapping[str, Any]
"""A parsed answer, by boto3's names."""


class Meta(Protocol):
    """What a transport says of itself.

    It may also have ``requests_at_once``, how many requests of one piece of work pay side by side, and ``watch_tries``,
    which takes a function that is to be called with the error of each try that fails.
    """

    @property
    def endpoint_url(self) -> str:
        """The server's address. What a process has learnt of a bucket is remembered under it."""


class Transport(Protocol):
    """S3, request by request. Threads share it. A condition that does not hold is an error with AWS's code."""

    @property
    def meta(self) -> Meta:
        """What it says of itself."""

    def get_object(self, *, Bucket: str, Key: str, VersionId: str = ..., Range: str = ...) -> Answer:
        """Fetch an object: ``Body`` (to be read once), ``ETag``, ``LastModified``, ``Metadata``.

        It also has ``ContentLength``, unless the server does not say how long the body is.
        """

    def head_object(self, *, Bucket: str, Key: str) -> Answer:
        """The same without the body."""

    def put_object(
        self,
        *,
        Bucket: str,
        Key: str,
        Body: bytes,
        Metadata: Mapping[str, str] = ...,
        IfMatch: str = ...,
        IfNoneMatch: str = ...,
    ) -> Answer:
        """Store an object, if nothing is there (``IfNoneMatch="*"``) or it has an ETag (``IfMatch``): ``ETag``."""

    def delete_object(self, *, Bucket: str, Key: str, IfMatch: str = ..., VersionId: str = ...) -> Answer:
        """Delete an object if it has an ETag, or destroy a version."""

    def delete_objects(self, *, Bucket: str, Delete: Any) -> Answer:
        """Delete many: ``Errors``, by key."""

    def list_objects_v2(
        self, *, Bucket: str, Prefix: str, MaxKeys: int, Delimiter: str = ..., ContinuationToken: str = ...
    ) -> Answer:
        """List objects in the order of their keys' bytes: ``Contents``, ``CommonPrefixes``, ``IsTruncated``."""

    def list_object_versions(
        self, *, Bucket: str, Prefix: str, MaxKeys: int, KeyMarker: str = ..., VersionIdMarker: str = ...
    ) -> Answer:
        """List versions and delete markers, the latest of a key first: ``Versions``, ``DeleteMarkers``.

        It may also have ``AreDeleteMarkers``, which tells of each entry of S3's own list, the two in one, which it is.
        """

    def get_bucket_versioning(self, *, Bucket: str) -> Answer:
        """Tell whether a bucket keeps what is overwritten: ``Status``, if it ever did."""

    def list_multipart_uploads(
        self,
        *,
        Bucket: str,
        Prefix: str,
        EncodingType: Literal["url"] = ...,
        KeyMarker: str = ...,
        UploadIdMarker: str = ...,
    ) -> Answer:
        """List uploads that were begun and not finished: ``Uploads``."""

    def abort_multipart_upload(self, *, Bucket: str, Key: str, UploadId: str) -> Answer:
        """Abort one of them."""
