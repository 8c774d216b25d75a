"""Versions are listed in the order in which they were written; and read-only clients cannot write."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree as ET

import boto3
import pytest
from botocore.config import Config
from conftest import MakeStore
from support.faults import ANSWER_LOST, Fault, FaultLayer, errors_by_key, refused
from support.for_each import for_each
from support.wire_server import WireServer, answer

from s3memory.aws.clients import BOTO3, FAST, clients_of_process
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import ReadOnlyError, UnavailableError
from s3memory.paths import MemoryPath
from s3memory.s3.bucket import Bucket
from s3memory.s3.client_wrappers import refusing_writes
from s3memory.s3.versions import ListedVersion, ObjectVersions, Upload

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

    from s3memory.s3.transport import Transport

NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"
KINDS = ("}Version", "}DeleteMarker")


@pytest.fixture
def versions(s3: S3Client, bucket: str) -> ObjectVersions:
    return ObjectVersions(s3, bucket, retry=RetryPolicy(max_tries=4, sleep=lambda _: None))


def test_versions_and_delete_markers_are_sorted_by_key_with_the_newest_first(
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


def test_versions_of_the_same_second_are_listed_in_s3s_order(s3: S3Client, bucket: str) -> None:
    """S3 lists versions and delete markers of a key together, the newest first, with times in seconds."""
    made = []
    for _ in range(2):
        made.append(s3.put_object(Bucket=bucket, Key="a", Body=b"1")["VersionId"])
        made.append(s3.delete_object(Bucket=bucket, Key="a")["VersionId"])

    def as_s3_lists(body: bytes) -> bytes:
        root = ET.fromstring(body)  # noqa: S314 - moto's
        by_id = {item.findtext(f"{NAMESPACE}VersionId"): item for item in root.iter() if item.tag.endswith(KINDS)}
        for item in by_id.values():
            root.remove(item)
        for version_id in reversed(made):
            root.append(by_id[version_id])
        for time in root.iter(f"{NAMESPACE}LastModified"):
            time.text = "2026-03-02T12:00:00.000Z"
        return ET.tostring(root)

    with FaultLayer(s3) as faults:
        faults.hit("ListObjectVersions", Fault(is_answered=True, body=as_s3_lists))
        listed = Bucket(s3, bucket, retry=RetryPolicy(max_tries=1)).versions.of("a")
        assert [one.version_id for one in listed] == made[::-1]


def test_a_delete_marker_counts_as_the_last_of_its_second_if_the_order_is_unknown(bucket: str) -> None:
    class Client:
        def list_object_versions(self, **_: object) -> dict[str, Any]:
            entry = {"Key": "a", "LastModified": datetime(2026, 3, 2, tzinfo=UTC), "IsLatest": False}
            return {
                "IsTruncated": False,
                "Versions": [{**entry, "VersionId": "3", "IsLatest": True}, {**entry, "VersionId": "1"}],
                "DeleteMarkers": [{**entry, "VersionId": "2"}],
            }

    versions = ObjectVersions(cast("Transport", Client()), bucket, retry=RetryPolicy(max_tries=1))
    assert [one.version_id for one in versions.of("a")] == ["3", "2", "1"]


def test_the_versions_of_one_object_exclude_those_of_its_neighbours(
    s3: S3Client, bucket: str, versions: ObjectVersions
) -> None:
    for object_key in ("a", "a/b", "a0", "ab"):
        s3.put_object(Bucket=bucket, Key=object_key, Body=b"1")
    assert [one.object_key for one in versions.of("a")] == ["a"]


def test_pages_of_versions_are_joined(
    s3: S3Client, bucket: str, versions: ObjectVersions, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [s3.put_object(Bucket=bucket, Key=f"{n // 3}", Body=b"1")["VersionId"] for n in range(9)]
    asked = s3.list_object_versions
    monkeypatch.setattr(s3, "list_object_versions", lambda **sent: asked(**{**sent, "MaxKeys": 2}))
    listed = [one.version_id for one in versions.below("")]
    assert sorted(listed) == sorted(made)


BAD_PAGES = {
    "versions of another tenant": ("<Key>d/", "<Key>e/"),
    "more, and not where": (">false</IsTruncated>", ">true</IsTruncated>"),
    "no word on whether there is more": ("IsTruncated>", "Truncated>"),
    "no listing": ("ListVersionsResult", "html"),
}


@pytest.mark.parametrize(("told", "instead"), BAD_PAGES.values(), ids=BAD_PAGES)
def test_a_listing_of_versions_that_does_not_match_its_request_destroys_nothing(
    single_attempt_s3: S3Client, bucket: str, told: str, instead: str
) -> None:
    single_attempt_s3.put_object(Bucket=bucket, Key="d/a", Body=b"1")
    asked = Bucket(single_attempt_s3, bucket, retry=RetryPolicy(max_tries=1)).versions
    with FaultLayer(single_attempt_s3) as faults:
        faults.hit(
            "ListObjectVersions",
            Fault(is_answered=True, body=lambda body: body.decode().replace(told, instead).encode()),
        )
        with pytest.raises(UnavailableError):
            list(asked.below("d/"))


def test_a_destroyed_version_is_gone_and_destroying_it_again_is_not_an_error(
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


def put(s3: S3Client, bucket: str, *object_keys: str) -> None:
    for object_key in object_keys:
        s3.put_object(Bucket=bucket, Key=object_key, Body=b"1")


SLOWS = ("RequestLimitExceeded", "ServiceUnavailable", "SlowDown", "Throttling")
MAY_PASS = ("ConditionalRequestConflict", "InternalError", "OperationAborted", "RequestTimeout")


def errors(versions: Iterable[ListedVersion], code: str) -> Fault:
    return errors_by_key((one.object_key, one.version_id, code) for one in versions)


@pytest.mark.parametrize("code", [*SLOWS, *MAY_PASS])
def test_a_temporary_error_by_key_is_retried_for_that_key_only(
    s3: S3Client, bucket: str, versions: ObjectVersions, faults: FaultLayer, code: str
) -> None:
    put(s3, bucket, "a", "b")
    found = list(versions.below(""))
    faults.hit("DeleteObjects", errors(found[:1], code), times=2)
    slowed: list[None] = []
    assert versions.try_to_destroy(found[:1], slowed=lambda: slowed.append(None)) == {}
    assert [one.object_key for one in versions.below("")] == ["b"]
    assert len(slowed) == (2 if code in SLOWS else 0)


@pytest.mark.parametrize("code", [*SLOWS, *MAY_PASS])
def test_a_temporary_error_by_key_that_persists_is_not_a_refusal(
    s3: S3Client, bucket: str, versions: ObjectVersions, faults: FaultLayer, code: str
) -> None:
    put(s3, bucket, "a")
    found = list(versions.below(""))
    faults.hit("DeleteObjects", errors(found, code), times=4)
    with pytest.raises(UnavailableError, match=code):
        versions.try_to_destroy(found)
    assert faults.requests.count("DeleteObjects") == 4
    assert versions.try_to_destroy(found) == {}


def test_a_permanent_refusal_is_reported_next_to_temporary_errors_and_not_retried(
    s3: S3Client, bucket: str, versions: ObjectVersions, faults: FaultLayer
) -> None:
    put(s3, bucket, "a", "b", "c")
    a, b, c = versions.below("")
    told = [(a, "AccessDenied"), (b, "InternalError"), (c, "NoSuchVersion")]
    faults.hit("DeleteObjects", errors_by_key((one.object_key, one.version_id, code) for one, code in told))
    assert versions.try_to_destroy([a, b, c]) == {a: "AccessDenied"}
    assert [one.object_key for one in versions.below("")] == ["a", "c"]


def test_a_code_that_is_not_one_of_awss_is_not_passed_on(
    s3: S3Client, bucket: str, versions: ObjectVersions, faults: FaultLayer
) -> None:
    put(s3, bucket, "a")
    (version,) = versions.below("")
    faults.hit("DeleteObjects", errors([version], "no code of AWS&apos;s &#x9b;31m"))
    assert versions.try_to_destroy([version]) == {version: "unknown"}


def test_after_an_error_for_a_key_that_was_not_sent_each_key_is_sent_alone(
    s3: S3Client, bucket: str, versions: ObjectVersions, faults: FaultLayer
) -> None:
    put(s3, bucket, "a", "b")
    found = list(versions.below(""))
    faults.hit("DeleteObjects", errors_by_key([("another", "id", "AccessDenied")]))
    assert versions.try_to_destroy(found) == {}
    assert list(versions.below("")) == []


def test_a_key_that_a_response_omits_is_sent_alone(
    s3: S3Client, bucket: str, versions: ObjectVersions, faults: FaultLayer
) -> None:
    put(s3, bucket, "a", "b")
    found = list(versions.below(""))
    told = f"<Deleted><Key>a</Key><VersionId>{found[0].version_id}</VersionId></Deleted>"
    document = f"<DeleteResult>{told}</DeleteResult>"
    faults.hit("DeleteObjects", Fault(is_sent=False, answer=(200, ""), document=document))
    assert versions.try_to_destroy(found) == {}
    assert [one.object_key for one in versions.below("")] == ["a"]


def test_a_refusal_that_names_no_version_is_reported_for_the_refused_one(s3: S3Client) -> None:
    """moto refuses deletes under a legal hold like this."""
    place = {"LocationConstraint": s3.meta.region_name}
    s3.create_bucket(Bucket="held", ObjectLockEnabledForBucket=True, CreateBucketConfiguration=place)  # type: ignore[arg-type]
    put(s3, "held", "a", "b")
    s3.put_object_legal_hold(Bucket="held", Key="a", LegalHold={"Status": "ON"})
    versions = ObjectVersions(s3, "held", retry=RetryPolicy(max_tries=4, sleep=lambda _: None))
    a, b = versions.below("")
    assert versions.try_to_destroy([a, b]) == {a: "AccessDenied"}
    assert list(versions.below("")) == [a]


@pytest.mark.parametrize("fault", [ANSWER_LOST, refused(500, "InternalError"), refused(503, "SlowDown")])
def test_a_failed_batch_request_is_retried(bucket: str, s3: S3Client, fault: Fault) -> None:
    once = boto3.client("s3", config=Config(retries={"total_max_attempts": 1}))  # without botocore's own retries
    versions = ObjectVersions(once, bucket, retry=RetryPolicy(max_tries=4, sleep=lambda _: None))
    put(s3, bucket, "a", "b")
    found = list(versions.below(""))
    with FaultLayer(once) as faults:
        faults.hit("DeleteObjects", fault, times=2)
        assert versions.try_to_destroy(found) == {}
    assert list(versions.below("")) == []


@pytest.mark.parametrize("character", ["\x01", "\x0b", "\x1f", "\ufffe", "\uffff", "\r"])
def test_a_key_that_xml_cannot_represent_is_destroyed_separately(
    s3: S3Client, bucket: str, versions: ObjectVersions, faults: FaultLayer, character: str
) -> None:
    keys = ["a", f"b{character}c", "d"]
    put(s3, bucket, *keys)
    now = datetime.now(UTC)
    found = []
    for key in keys:  # moto's own listing of such a key is not valid XML
        version_id = s3.head_object(Bucket=bucket, Key=key)["VersionId"]
        found.append(ListedVersion(key, version_id, now, is_latest=True, is_delete_marker=False, size_bytes=1, etag=""))
    assert versions.try_to_destroy(found) == {}
    assert faults.requests.count("DeleteObjects") == 1
    assert faults.requests.count("DeleteObject") == 1
    for version in found:
        with pytest.raises(s3.exceptions.ClientError):
            s3.head_object(Bucket=bucket, Key=version.object_key, VersionId=version.version_id)


def test_a_batch_that_the_server_calls_malformed_is_sent_key_by_key(
    s3: S3Client, bucket: str, versions: ObjectVersions, faults: FaultLayer
) -> None:
    put(s3, bucket, "a", "b", "c")
    found = list(versions.below(""))
    faults.hit("DeleteObjects", refused(400, "MalformedXML"), times=9)
    faults.hit("DeleteObject", refused(403, "AccessDenied"))
    faults.hit("DeleteObject", refused(404, "NoSuchVersion"), nth=2)
    assert versions.try_to_destroy(found) == {found[0]: "AccessDenied"}
    assert [one.object_key for one in versions.below("")] == ["a", "b"]


def test_a_temporary_error_of_a_single_delete_is_retried(
    s3: S3Client, bucket: str, versions: ObjectVersions, faults: FaultLayer
) -> None:
    put(s3, bucket, "a", "b")
    faults.hit("DeleteObjects", refused(400, "MalformedXML"), times=9)
    faults.hit("DeleteObject", refused(409, "OperationAborted"))
    assert versions.try_to_destroy(list(versions.below(""))) == {}
    assert list(versions.below("")) == []


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
        lambda: reading.objects.put("b", b"1"),
        lambda: reading.objects.deletes.one("b", etag='"1"'),
        lambda: reading.objects.versions.destroy(list(reading.objects.versions.below(""))),
    ):
        with pytest.raises(ReadOnlyError):
            write()
    assert s3.list_object_versions(Bucket=bucket)["Versions"] == before
    assert not store.read_only
    store.edit(path, str.upper)


VERSION = (
    "<ListVersionsResult><IsTruncated>false</IsTruncated><Version><Key>k</Key><VersionId>v1</VersionId>{}"
    '<LastModified>2026-03-02T12:00:00.000Z</LastModified><Size>1</Size><ETag>"x"</ETag></Version></ListVersionsResult>'
)


def listed_versions(transport: str, is_latest: str) -> list[ListedVersion]:
    with WireServer(lambda _: answer(200, VERSION.format(is_latest).encode())) as server:
        client = clients_of_process(transport).s3_client(endpoint_url=server.url)
        return list(Bucket(client, "b-b", retry=RetryPolicy(max_tries=1)).versions.below("k"))


@pytest.mark.parametrize("transport", [BOTO3, FAST])
@pytest.mark.parametrize("written", ["true", "True", "\n  TRUE "])
def test_the_current_version_does_not_count_as_older_however_a_server_spells_it(transport: str, written: str) -> None:
    [version] = listed_versions(transport, f"<IsLatest>{written}</IsLatest>")
    assert not version.is_older


@for_each("transport", [BOTO3, FAST])
@for_each("is_latest", ["", "<IsLatest/>", "<IsLatest></IsLatest>", "<IsLatest>1</IsLatest>"])
def test_a_version_that_may_be_the_current_one_is_not_listed_as_older(transport: str, is_latest: str) -> None:
    with pytest.raises(UnavailableError, match="ResponseParserError"):
        listed_versions(transport, is_latest)


@pytest.mark.parametrize("transport", [BOTO3, FAST])
@pytest.mark.parametrize(
    ("tag", "lists"),
    [
        ("ListBucketResult", lambda bucket: bucket.list_page("k")),
        ("ListVersionsResult", lambda bucket: list(bucket.versions.below("k"))),
        ("ListMultipartUploadsResult", lambda bucket: list(bucket.versions.uploads_below("k"))),
    ],
)
def test_a_listing_inside_another_document_is_not_an_empty_one(
    transport: str, tag: str, lists: Callable[[Bucket], object]
) -> None:
    page = f"<page><{tag}><IsTruncated>false</IsTruncated></{tag}></page>".encode()
    with WireServer(lambda _: answer(200, page)) as server:
        client = clients_of_process(transport).s3_client(endpoint_url=server.url)
        with pytest.raises(UnavailableError, match="ResponseParserError"):
            lists(Bucket(client, "b-b", retry=RetryPolicy(max_tries=1)))


@pytest.mark.parametrize("transport", [BOTO3, FAST])
@pytest.mark.parametrize(
    "page",
    [answer(200, b"<html><body>Blocked by the proxy</body></html>"), answer(202)],
    ids=["a page", "taken in"],
)
def test_an_upload_counts_as_aborted_only_if_s3_says_so(transport: str, page: bytes) -> None:
    with WireServer(lambda _: page) as server:
        client = clients_of_process(transport).s3_client(endpoint_url=server.url)
        with pytest.raises(UnavailableError, match="ResponseParserError"):
            Bucket(client, "b-b", retry=RetryPolicy(max_tries=1)).versions.abort(Upload("k", "u"))
