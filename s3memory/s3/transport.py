"""`Transport`: the requests that this package sends to S3. boto3's client is one; `s3memory.aws.fast` has another.

Methods, arguments and responses follow boto3's S3 client. Errors are botocore's, or any other that
`s3memory.aws.errors` recognizes. A 404 to a HEAD whose headers lack S3's request id is confirmed by a GET. If a bucket
owner is configured, every request also carries ``ExpectedBucketOwner``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

Answer = Mapping[str, Any]
"""A parsed response, with boto3's names."""


class Meta(Protocol):
    """What a transport says about itself.

    Two attributes are optional: ``requests_at_once``, the number of parallel requests that pays off for one operation,
    and ``watch_attempts``, which takes a function and calls it with the error of each failed attempt.
    """

    @property
    def endpoint_url(self) -> str:
        """The server's address. What the process learns about a bucket is cached under it."""


class Transport(Protocol):
    """S3, one method per request. Must be thread-safe. A failed condition raises an error with AWS's code."""

    @property
    def meta(self) -> Meta:
        """What the transport says about itself."""

    def get_object(self, *, Bucket: str, Key: str, VersionId: str = ..., Range: str = ...) -> Answer:
        """Fetch an object: ``Body`` (can be read once), ``ETag``, ``LastModified``, ``Metadata``.

        ``ContentLength`` is there too, unless the server does not send the body's length.
        """

    def head_object(self, *, Bucket: str, Key: str) -> Answer:
        """Fetch the same fields without the body."""

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
        """Store an object if none exists (``IfNoneMatch="*"``) or if it has this ETag (``IfMatch``): ``ETag``."""

    def delete_object(self, *, Bucket: str, Key: str, IfMatch: str = ..., VersionId: str = ...) -> Answer:
        """Delete an object if it has this ETag, or destroy one version."""

    def delete_objects(self, *, Bucket: str, Delete: Any) -> Answer:
        """Delete many objects: ``Errors``, by key."""

    def list_objects_v2(
        self, *, Bucket: str, Prefix: str, MaxKeys: int, Delimiter: str = ..., ContinuationToken: str = ...
    ) -> Answer:
        """List objects in byte order of their keys: ``Contents``, ``CommonPrefixes``, ``IsTruncated``."""

    def list_object_versions(
        self, *, Bucket: str, Prefix: str, MaxKeys: int, KeyMarker: str = ..., VersionIdMarker: str = ...
    ) -> Answer:
        """List versions and delete markers, the latest of each key first: ``Versions``, ``DeleteMarkers``.

        S3's response mixes the two. The optional ``AreDeleteMarkers`` says, for each of its entries in order, whether
        it is a delete marker.
        """

    def get_bucket_versioning(self, *, Bucket: str) -> Answer:
        """Return whether the bucket keeps overwritten versions: ``Status``, absent if versioning was never enabled."""

    def list_multipart_uploads(
        self,
        *,
        Bucket: str,
        Prefix: str,
        EncodingType: Literal["url"] = ...,
        KeyMarker: str = ...,
        UploadIdMarker: str = ...,
    ) -> Answer:
        """List unfinished uploads: ``Uploads``."""

    def abort_multipart_upload(self, *, Bucket: str, Key: str, UploadId: str) -> Answer:
        """Abort an unfinished upload."""
