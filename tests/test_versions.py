"""Versions are listed as they came to be, and what only reads can't write."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from conftest import MakeStore

from s3memory.errors import ReadOnlyError
from s3memory.paths import MemoryPath
from s3memory.versions import ObjectVersions
from s3memory.write_refusal import refusing_writes

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client


@pytest.fixture
def versions(s3: S3Client, bucket: str) -> ObjectVersions:
    return ObjectVersions(s3, bucket)


def test_versions_and_delete_markers_come_by_key_and_the_newest_first(
    s3: S3Client, bucket: str, versions: ObjectVersions
) -> None:
    first = s3.put_object(Bucket=bucket, Key="a", Body=b"1")["VersionId"]
    second = s3.put_object(Bucket=bucket, Key="a", Body=b"22")["VersionId"]
    marker = s3.delete_object(Bucket=bucket, Key="a")["VersionId"]
    other = s3.put_object(Bucket=bucket, Key="ab", Body=b"333")["VersionId"]
    listed = list(versions.below("a"))
    assert [(one.object_key, one.version_id) for one in listed] == [
        ("a", marker),
        ("a", second),
        ("a", first),
        ("ab", other),
    ]
    assert [one.is_delete_marker for one in listed] == [True, False, False, False]
    assert [one.is_latest for one in listed] == [True, False, False, True]
    assert [one.size_bytes for one in listed] == [0, 2, 1, 3]


def test_the_versions_of_one_object_are_not_those_of_its_neighbours(
    s3: S3Client, bucket: str, versions: ObjectVersions
) -> None:
    for object_key in ("a", "a/b", "a0", "ab"):
        s3.put_object(Bucket=bucket, Key=object_key, Body=b"1")
    assert [one.object_key for one in versions.of("a")] == ["a"]


def test_pages_of_versions_are_put_together(s3: S3Client, bucket: str, versions: ObjectVersions) -> None:
    made = [s3.put_object(Bucket=bucket, Key=f"{n // 3}", Body=b"1")["VersionId"] for n in range(9)]
    listed = [one.version_id for one in versions.below("", page_keys=2)]
    assert sorted(listed) == sorted(made)


def test_what_is_destroyed_is_gone_and_destroying_it_again_is_no_error(
    s3: S3Client, bucket: str, versions: ObjectVersions
) -> None:
    s3.put_object(Bucket=bucket, Key="a", Body=b"1")
    s3.delete_object(Bucket=bucket, Key="a")
    s3.put_object(Bucket=bucket, Key="b", Body=b"1")
    of_a = list(versions.of("a"))
    versions.destroy(of_a)
    versions.destroy(of_a)
    versions.destroy([])
    assert [one.object_key for one in versions.below("")] == ["b"]


WRITES: list[Callable[[S3Client, str], object]] = [
    lambda s3, bucket: s3.put_object(Bucket=bucket, Key="a", Body=b"2"),
    lambda s3, bucket: s3.delete_object(Bucket=bucket, Key="a"),
    lambda s3, bucket: s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "a"}]}),
    lambda s3, bucket: s3.copy_object(Bucket=bucket, Key="b", CopySource=f"{bucket}/a"),
    lambda s3, bucket: s3.put_object_tagging(Bucket=bucket, Key="a", Tagging={"TagSet": []}),
    lambda s3, bucket: s3.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": "a"}),
]


@pytest.mark.parametrize("write", WRITES)
def test_a_client_that_refuses_writes_sends_none(
    s3: S3Client, bucket: str, write: Callable[[S3Client, str], object]
) -> None:
    s3.put_object(Bucket=bucket, Key="a", Body=b"1")
    reading = refusing_writes(s3)
    assert reading.get_object(Bucket=bucket, Key="a")["Body"].read() == b"1"
    with pytest.raises(ReadOnlyError):
        write(reading, bucket)
    assert len(s3.list_object_versions(Bucket=bucket)["Versions"]) == 1


def test_a_store_that_refuses_writes_reads_and_writes_nothing(s3: S3Client, bucket: str, make_store: MakeStore) -> None:
    store = make_store()
    path = MemoryPath.parse("/memories/a")
    store.create(path, "text")
    before = s3.list_object_versions(Bucket=bucket)["Versions"]
    reading = store.refusing_writes()
    file = reading.read(path)
    assert file is not None
    assert file.text == "text"
    for write in (
        lambda: reading.create(MemoryPath.parse("/memories/b"), "text"),
        lambda: reading.edit(path, str.upper),
        lambda: reading.delete(path, etag=file.info.etag),
        lambda: reading.bucket.put_new("b", b"1"),
        lambda: reading.bucket.delete("b", etag='"1"'),
        lambda: reading.bucket.versions.destroy(list(reading.bucket.versions.below(""))),
    ):
        with pytest.raises(ReadOnlyError):
            write()
    assert s3.list_object_versions(Bucket=bucket)["Versions"] == before
    assert not store.read_only
    store.edit(path, str.upper)
