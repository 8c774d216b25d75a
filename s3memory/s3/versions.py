"""What a bucket holds besides current objects: older versions, and unfinished multipart uploads.

History, restoring and erasing need them; the six commands do not. This package never starts a multipart upload, but
the S3 console, a copy tool or somebody else may have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote_plus

from s3memory.aws.errors import RequestOutcome, aws_errors, error_code, is_missing, outcome_of, to_backend_error
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import BackendError
from s3memory.limits import LIST_PAGE_KEYS
from s3memory.s3.destroying import Destruction
from s3memory.s3.listing_order import Reached

if TYPE_CHECKING:
    from s3memory.s3.transport import Transport

NULL_VERSION = "null"
"""The id of a version that was stored while versioning was off. The next write without versioning replaces it."""

DELETE_PAGE_KEYS = 250
"""How many versions to send in one ``DeleteObjects``. It takes 1,000, but each counts as a write, and all tenants in a
partition of the bucket share its writes per second."""

_CHUNK_BYTES = 1024 * 1024


class ListedVersion(NamedTuple):
    """One version of an object: bytes that were stored under its key at some time, or a delete marker.

    Attributes:
        object_key: the object's key.
        version_id: unique among the versions of the key; ``null`` if it was stored while versioning was off.
        modified: when it was stored.
        is_latest: whether it is what a reader of the key gets: its bytes, or a 404 for a delete marker.
        is_delete_marker: whether it records a deletion, and holds no bytes.
        size_bytes: the size of what was stored; 0 for a delete marker.
        etag: its ETag; empty for a delete marker.
    """

    object_key: str
    version_id: str
    modified: datetime
    is_latest: bool
    is_delete_marker: bool
    size_bytes: int
    etag: str

    @property
    def is_older(self) -> bool:
        """Whether it holds bytes that readers no longer see."""
        return not (self.is_latest or self.is_delete_marker)


class Upload(NamedTuple):
    """An unfinished multipart upload."""

    object_key: str
    upload_id: str


class ObjectVersions:
    """The versions of a bucket's objects, and its unfinished uploads.

    Each method raises `BackendError` if S3 does not respond or refuses.

    IAM actions: ``s3:ListBucketVersions`` to list versions, ``s3:DeleteObjectVersion`` to destroy them,
    ``s3:GetObject`` and ``s3:GetObjectVersion`` for `chunks`, ``s3:GetBucketVersioning`` for `are_kept`;
    ``s3:ListBucketMultipartUploads`` and ``s3:AbortMultipartUpload`` for uploads.
    """

    def __init__(self, client: Transport, bucket: str, *, retry: RetryPolicy) -> None:
        self._client = client
        self._bucket = bucket
        self._retry = retry

    def below(self, prefix: str) -> Iterator[ListedVersion]:
        """Yield the versions and delete markers of every object whose key begins with `prefix`.

        They come in S3's order (``ListObjectVersions``): by key, the newest of a key first. If the transport does not
        report how versions and delete markers of the same second are ordered, the latest comes first, then the
        markers. A bucket that never had versioning has one version of each object.
        """
        marker: dict[str, Any] = {}
        reached = Reached()
        while True:
            try:
                answer = self._client.list_object_versions(
                    Bucket=self._bucket, Prefix=prefix, MaxKeys=LIST_PAGE_KEYS, **marker
                )
                page = _entries(answer)
                is_truncated: bool = answer["IsTruncated"]
                then = (answer.get("NextKeyMarker"), answer.get("NextVersionIdMarker"))
                names = [(one.object_key, one.version_id) for one in page]
                reached = reached.after(names, prefix, is_truncated=is_truncated, then=then)
            except aws_errors() as error:
                raise to_backend_error(error) from error
            # Some servers list all versions before all markers; within a key and a second, the latest comes first.
            yield from sorted(page, key=lambda one: (one.object_key, -one.modified.timestamp(), not one.is_latest))
            if not is_truncated:
                return
            marker = dict(zip(("KeyMarker", "VersionIdMarker"), then, strict=True))

    def of(self, object_key: str) -> Iterator[ListedVersion]:
        """Yield the versions and delete markers of one object, the newest first."""
        for version in self.below(object_key):
            # Keys that merely begin with this one come after it.
            if version.object_key != object_key:
                return
            yield version

    def are_kept(self) -> bool:
        """Whether a write keeps what it replaces (``GetBucketVersioning``). If not, it replaces version ``null``."""
        try:
            return bool(self._client.get_bucket_versioning(Bucket=self._bucket).get("Status") == "Enabled")
        except aws_errors() as error:
            if outcome_of(error) is RequestOutcome.NOT_SUPPORTED:
                return False
            raise to_backend_error(error) from error

    def destroy(self, versions: Sequence[ListedVersion]) -> None:
        """Permanently destroy up to 1,000 versions (``DeleteObjects``). Versions already gone count as destroyed.

        Raises:
            BackendError: some were not destroyed, or S3 did not respond; calling it again is safe.
        """
        codes = set(self.try_to_destroy(versions).values())
        if codes:
            raise BackendError(f"The memory store could not destroy everything ({', '.join(sorted(codes))}).")

    def try_to_destroy(
        self, versions: Sequence[ListedVersion], *, slowed: Callable[[], object] = lambda: None
    ) -> dict[ListedVersion, str]:
        """Destroy up to 1,000 versions, as `destroy` does, but go on if S3 refuses some of them.

        A version id is never reused, so a request that got no response or a transient error can safely be resent. A
        key that XML can't carry gets its own request (``DeleteObject``). `slowed` is called each time S3 throttles.

        Returns:
            S3's error codes by version, for those that it refused for good: ``AccessDenied`` also if Object Lock
            protects the version.

        Raises:
            BackendError: S3 did not respond, refused the whole request, or returned transient errors every time.
        """
        return Destruction(self._client, self._bucket, retry=self._retry, slowed=slowed).of(versions)

    def uploads_below(self, prefix: str) -> Iterator[Upload]:
        """Yield the unfinished uploads of every object whose key begins with `prefix` (``ListMultipartUploads``)."""
        marker: dict[str, Any] = {}
        reached = Reached()
        while True:
            try:
                # Encoding carries any key. botocore asks for it by itself in the other listings, but not in this one.
                answer = self._client.list_multipart_uploads(
                    Bucket=self._bucket, Prefix=prefix, EncodingType="url", **marker
                )
                in_clear = unquote_plus if answer.get("EncodingType") == "url" else str
                page = [Upload(in_clear(item["Key"]), item["UploadId"]) for item in answer.get("Uploads", [])]
                is_truncated: bool = answer["IsTruncated"]
                then = (in_clear(answer.get("NextKeyMarker", "")), answer.get("NextUploadIdMarker"))
                # Some servers ignore the prefix.
                reached = reached.after(page, "", is_truncated=is_truncated, then=then)
            except aws_errors() as error:
                if outcome_of(error) is RequestOutcome.NOT_SUPPORTED:
                    return  # a server without multipart uploads has none to list
                raise to_backend_error(error) from error
            yield from (upload for upload in page if upload.object_key.startswith(prefix))
            if not is_truncated:
                return
            marker = dict(zip(("KeyMarker", "UploadIdMarker"), then, strict=True))

    def abort(self, upload: Upload) -> None:
        """Abort an upload and destroy its parts (``AbortMultipartUpload``). An upload that is gone is not an error.

        A part that is being sent at the same time may still be stored afterwards: list again.

        Raises:
            BackendError: S3 did not respond or refused; calling it again is safe.
        """
        try:
            self._client.abort_multipart_upload(Bucket=self._bucket, Key=upload.object_key, UploadId=upload.upload_id)
        except aws_errors() as error:
            if not is_missing(error) and error_code(error) != "NoSuchUpload":
                raise to_backend_error(error) from error

    def chunks(self, object_key: str, version_id: str) -> Iterator[bytes]:
        """Yield the bytes of a version in chunks, however large it is. Yield nothing if it is gone."""
        try:
            answer = self._client.get_object(Bucket=self._bucket, Key=object_key, VersionId=version_id)
            with closing(answer["Body"]) as body:
                yield from body.iter_chunks(_CHUNK_BYTES)
        except aws_errors() as error:
            if not is_missing(error):
                raise to_backend_error(error) from error


def _entries(answer: Mapping[str, Any]) -> list[ListedVersion]:
    """Return a page's versions and delete markers, in the order of S3's response if the transport reports it."""
    markers = [_version(item, is_delete_marker=True) for item in answer.get("DeleteMarkers", [])]
    versions = [_version(item) for item in answer.get("Versions", [])]
    flags = answer.get("AreDeleteMarkers", [])
    if (flags.count(True), flags.count(False)) != (len(markers), len(versions)):
        return markers + versions
    left = {True: iter(markers), False: iter(versions)}
    return [next(left[is_delete_marker]) for is_delete_marker in flags]


def _version(item: Any, *, is_delete_marker: bool = False) -> ListedVersion:
    return ListedVersion(
        object_key=item["Key"],
        version_id=item["VersionId"],
        modified=item["LastModified"],
        is_latest=item["IsLatest"],
        is_delete_marker=is_delete_marker,
        size_bytes=item.get("Size", 0),
        etag=item.get("ETag", ""),
    )
