"""The older versions of objects, in a bucket with versioning: listed, and destroyed one by one.

They are what history, restoring and erasing stand on. Nothing in the six commands needs them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from s3memory.aws_errors import AWS_ERRORS, to_backend_error
from s3memory.errors import BackendError

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

DELETE_PAGE_KEYS = 1000
"""How many versions one ``DeleteObjects`` takes: https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html"""


class ListedVersion(NamedTuple):
    """One version of an object: what was stored under its key at some time, or the mark that it was deleted then.

    Attributes:
        object_key: the object's key.
        version_id: tells it from the others of that key; ``null`` where the bucket kept no versions then.
        modified: when it was stored.
        is_latest: it is what a reader finds, or why a reader finds nothing.
        is_delete_marker: nothing was stored: the object was deleted.
        size_bytes: how much was stored; 0 for a delete marker.
        etag: the ETag that it had; empty for a delete marker.
    """

    object_key: str
    version_id: str
    modified: datetime
    is_latest: bool
    is_delete_marker: bool
    size_bytes: int
    etag: str


class ObjectVersions:
    """The versions of a bucket's objects.

    IAM actions: ``s3:ListBucketVersions`` to list them, ``s3:DeleteObjectVersion`` to destroy them.

    Args:
        client: a boto3 S3 client.
        bucket: the bucket's name.
    """

    def __init__(self, client: S3Client, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def below(self, prefix: str, *, page_keys: int = 1000) -> Iterator[ListedVersion]:
        """Yield the versions and delete markers of every object whose key begins with `prefix`.

        They come as S3 lists them (``ListObjectVersions``): by key, the newest of a key first, delete markers among
        the others by their time. A bucket that never had versioning has one version of each object.

        Raises:
            BackendError: S3 did not answer or refused.
        """
        marker: dict[str, Any] = {}
        while True:
            try:
                answer = self._client.list_object_versions(
                    Bucket=self._bucket, Prefix=prefix, MaxKeys=page_keys, **marker
                )
            except AWS_ERRORS as error:
                raise to_backend_error(error) from error
            page = [_version(item) for item in answer.get("Versions", [])]
            page += [_version(item, is_delete_marker=True) for item in answer.get("DeleteMarkers", [])]
            # The two lists are each in order; within a key and a second, what is latest comes first.
            yield from sorted(page, key=lambda one: (one.object_key, -one.modified.timestamp(), not one.is_latest))
            if not answer["IsTruncated"]:
                return
            marker = {"KeyMarker": answer["NextKeyMarker"], "VersionIdMarker": answer["NextVersionIdMarker"]}

    def of(self, object_key: str) -> Iterator[ListedVersion]:
        """Yield the versions and delete markers of one object, the newest first.

        Raises:
            BackendError: S3 did not answer or refused.
        """
        for version in self.below(object_key):
            # Other keys that begin with this one come behind it.
            if version.object_key != object_key:
                return
            yield version

    def destroy(self, versions: Sequence[ListedVersion]) -> None:
        """Destroy up to 1,000 versions for good (``DeleteObjects``). Those that are gone already count as destroyed.

        Raises:
            BackendError: some were not destroyed, or S3 did not answer; calling it again is safe.
        """
        codes = set(self.try_to_destroy(versions).values())
        if codes:
            raise BackendError(f"Error: The memory store could not destroy everything ({', '.join(sorted(codes))}).")

    def try_to_destroy(self, versions: Sequence[ListedVersion]) -> dict[ListedVersion, str]:
        """Destroy up to 1,000 versions, as `destroy` does, and go on where S3 refuses one.

        Returns:
            S3's error codes, by the versions that were refused: ``AccessDenied`` also where Object Lock holds one.

        Raises:
            BackendError: S3 did not answer, or refused the whole request.
        """
        by_id = {(version.object_key, version.version_id): version for version in versions}
        if not by_id:
            return {}
        entries = [{"Key": object_key, "VersionId": version_id} for object_key, version_id in by_id]
        try:
            answer = self._client.delete_objects(
                Bucket=self._bucket,
                Delete={"Objects": entries, "Quiet": True},  # type: ignore[typeddict-item]  # a list of plain dicts
            )
        except AWS_ERRORS as error:
            raise to_backend_error(error) from error
        return {
            by_id[failed.get("Key", ""), failed.get("VersionId", "null")]: str(failed.get("Code", "unknown"))
            for failed in answer.get("Errors", [])
            if failed.get("Code") not in {"NoSuchKey", "NoSuchVersion"}
        }


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
