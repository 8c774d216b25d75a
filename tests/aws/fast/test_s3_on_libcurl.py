"""S3's responses, parsed as boto3's client parses them; buckets in other regions; and large objects in parts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from botocore.config import Config
from fast_clients import REGION, s3_at, service
from support.fast_transport import on_libcurl
from support.for_each import for_each
from support.wire_server import Received, WireServer, answer, error_answer, in_turn

from s3memory.aws.client_hooks import adopt
from s3memory.aws.errors import AnswerError, RequestError, RequestOutcome
from s3memory.aws.fast.http import HttpAnswer, HttpRequest
from s3memory.aws.fast.s3 import MAX_BODY_BYTES, S3
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import BackendError, ConfigurationError, UnavailableError
from s3memory.s3.bucket import Bucket
from s3memory.s3.transport import Transport

KEYS = ["a", "a b+c", "ä/ö", "x<&>\"'y", "%41", "e\u0301", "tab\there", "~"]
OUR_NAMES = {
    "list_objects_v2": ("Contents", "CommonPrefixes"),
    "list_object_versions": ("Versions", "DeleteMarkers"),
}


def fields_read(name: str, told: Any) -> dict[str, Any]:
    """Return the parts of a response that this package reads."""
    entries = {"Key", "Size", "ETag", "LastModified", "VersionId", "IsLatest", "Prefix"}
    lists = {
        key: [{field: value for field, value in item.items() if field in entries} for item in told.get(key, [])]
        for key in OUR_NAMES.get(name, ())
    }
    plain = {
        "ETag", "LastModified", "VersionId", "Metadata", "ContentLength", "IsTruncated", "NextContinuationToken",
        "NextKeyMarker", "NextVersionIdMarker", "Status", "AreDeleteMarkers",
    }  # fmt: skip
    return lists | {key: value for key, value in told.items() if key in plain and value}


def test_responses_are_parsed_as_boto3s_client_parses_them(bucket: str) -> None:
    theirs: Any = boto3.client("s3")
    adopt(theirs)
    ours: Any = on_libcurl(boto3.client("s3"))
    for key in KEYS:
        ours.put_object(Bucket=bucket, Key=key, Body=key.encode(), Metadata={"s3memory-x": "a%20b"}, IfNoneMatch="*")
    theirs.put_object(Bucket=bucket, Key="a", Body=b"again")
    theirs.delete_object(Bucket=bucket, Key="~")
    asks: list[tuple[str, dict[str, Any]]] = [
        ("get_object", {"Key": "ä/ö"}),
        ("head_object", {"Key": "a b+c"}),
        ("list_objects_v2", {"Prefix": "", "MaxKeys": 1000}),
        ("list_objects_v2", {"Prefix": "", "MaxKeys": 2, "Delimiter": "/"}),
        ("list_objects_v2", {"Prefix": "ä", "MaxKeys": 1, "Delimiter": "/"}),
        ("list_objects_v2", {"Prefix": "nothing", "MaxKeys": 1000}),
        ("list_object_versions", {"Prefix": "", "MaxKeys": 1000}),
        ("list_object_versions", {"Prefix": "", "MaxKeys": 3}),
        ("list_multipart_uploads", {"Prefix": ""}),
        ("get_bucket_versioning", {}),
    ]
    for name, arguments in asks:
        told, expected = (getattr(client, name)(Bucket=bucket, **arguments) for client in (ours, theirs))
        assert fields_read(name, told) == fields_read(name, expected), name
        if "Body" in told:
            assert told["Body"].read() == expected["Body"].read()
    upload = theirs.create_multipart_upload(Bucket=bucket, Key="u p")["UploadId"]
    (listed,) = ours.list_multipart_uploads(Bucket=bucket, Prefix="u")["Uploads"]
    assert (listed["Key"], listed["UploadId"]) == ("u p", upload)
    ours.abort_multipart_upload(Bucket=bucket, Key="u p", UploadId=upload)
    assert "Uploads" not in theirs.list_multipart_uploads(Bucket=bucket)
    told = ours.delete_objects(
        Bucket=bucket, Delete={"Objects": [{"Key": key} for key in KEYS if "\t" not in key], "Quiet": True}
    )
    assert told["Errors"] == []
    assert [item["Key"] for item in theirs.list_objects_v2(Bucket=bucket)["Contents"]] == ["tab\there"]


def test_a_libcurl_client_is_a_transport() -> None:
    transport: Transport = s3_at("http://127.0.0.1:9")
    assert transport.meta.endpoint_url == "http://127.0.0.1:9"


HEADERS = {"ETag": '"x"', "Last_Modified": "Mon, 02 Mar 2026 12:00:00 GMT"}


LARGE = bytes(range(256)) * (MAX_BODY_BYTES // 256) * 2 + b"end"


def in_parts(received: Received) -> bytes:
    """Answer with a large object, or with the requested part."""
    wanted = received.header("range")
    if wanted is None:
        return answer(200, LARGE, x_amz_version_id="v1", **HEADERS)
    first, _, last = wanted.removeprefix("bytes=").partition("-")
    part = LARGE[int(first) : int(last) + 1]
    return answer(206, part, Content_Range=f"bytes {first}-{last}/{len(LARGE)}", x_amz_version_id="v1", **HEADERS)


@pytest.mark.parametrize(
    ("asked", "target"), [({}, "/b-b/k"), ({"VersionId": "v1"}, "/b-b/k?versionId=v1")], ids=["latest", "version"]
)
def test_a_large_object_is_read_in_parts_with_the_callers_permissions(asked: dict[str, str], target: str) -> None:
    """A version id would need s3:GetObjectVersion, which a tenant's role lacks: the ETag identifies the version."""
    with WireServer(in_parts) as server:
        told = s3_at(server.url).get_object(Bucket="b-b", Key="k", ExpectedBucketOwner="123456789012", **asked)
        assert told["ContentLength"] == len(LARGE)
        assert [one.header("range") for one in server.received] == [None]  # nothing is read before it is wanted
        assert b"".join(told["Body"].iter_chunks(1024)) == LARGE
    assert [(one.target, one.header("if-match")) for one in server.received] == [
        (target, None),
        *[(target, '"x"')] * 3,
    ]
    assert {one.header("x-amz-expected-bucket-owner") for one in server.received} == {"123456789012"}


def bucket_at(server: WireServer) -> Bucket:
    return Bucket(s3_at(server.url), "b-b", retry=RetryPolicy(max_tries=5, sleep=lambda _: None))


REPLACED = error_answer(412, "PreconditionFailed")


def test_a_large_object_that_is_replaced_during_the_read_is_read_again() -> None:
    newer = answer(200, b"newer", ETag='"y"', Last_Modified=HEADERS["Last_Modified"])
    whole = answer(200, LARGE, **HEADERS)
    with WireServer(in_turn([whole, REPLACED, newer])) as server:
        stored = bucket_at(server).get("k", max_bytes=len(LARGE))
    assert stored is not None
    assert (stored.body, stored.info.etag) == (b"newer", '"y"')


def test_a_large_object_that_is_replaced_during_every_attempt_is_unavailable_for_now() -> None:
    with WireServer(lambda one: REPLACED if one.header("range") else answer(200, LARGE, **HEADERS)) as server:
        with pytest.raises(UnavailableError):
            bucket_at(server).get("k", max_bytes=len(LARGE))
        assert len(server.received) == 6


def test_a_failed_condition_of_the_caller_is_reported_as_such() -> None:
    with WireServer(in_turn([REPLACED, answer(200, LARGE, **HEADERS), REPLACED])) as server:
        s3 = s3_at(server.url)
        with pytest.raises(AnswerError) as caught:
            s3.get_object(Bucket="b-b", Key="k", IfMatch='"x"')
        assert caught.value.outcome is RequestOutcome.PRECONDITION_FAILED
        told = s3.get_object(Bucket="b-b", Key="k", IfMatch='"x"')
        with pytest.raises(RequestError) as broken_off:
            told["Body"].read()
        assert broken_off.value.outcome is RequestOutcome.UNKNOWN


def test_a_part_that_is_refused_for_another_reason_reports_that_reason() -> None:
    with WireServer(in_turn([answer(200, LARGE, **HEADERS), error_answer(403, "AccessDenied")])) as server:
        body = s3_at(server.url).get_object(Bucket="b-b", Key="k")["Body"]
        with pytest.raises(AnswerError, match="AccessDenied"):
            body.read()


def test_a_large_object_of_unknown_size_is_not_empty_and_reported_as_too_large() -> None:
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(LARGE), LARGE)
    head = answer(200, b"", Transfer_Encoding="chunked", **HEADERS).replace(b"Content-Length: 0\r\n", b"")
    with WireServer(lambda _: head + chunks) as server:
        with pytest.raises(RequestError) as caught:
            s3_at(server.url).get_object(Bucket="b-b", Key="k")
        assert caught.value.outcome is RequestOutcome.FAILED
        for read in (lambda bucket: bucket.get("k"), lambda bucket: list(bucket.versions.chunks("k", "v1"))):
            with pytest.raises(BackendError, match="could not do this \\(UnknownLength\\)"):
                read(bucket_at(server))


@pytest.mark.parametrize("algorithm", ["crc32", "sha1", "sha256"])
def test_a_body_that_does_not_match_its_checksum_is_an_error(algorithm: str) -> None:
    sums = {
        "crc32": "DUoRhQ==",
        "sha1": "Kq5sNclPz7QV2+lfQIuc6R7oRu0=",
        "sha256": "uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=",
    }
    headers = {**HEADERS, f"x_amz_checksum_{algorithm}": sums[algorithm]}
    with WireServer(lambda _: answer(200, b"hello world", **headers)) as server:
        assert s3_at(server.url).get_object(Bucket="b-b", Key="k")["Body"].read() == b"hello world"
        assert server.received[-1].header("x-amz-checksum-mode") == "ENABLED"
        server.reply = lambda _: answer(200, b"hello w0rld", **headers)
        with pytest.raises(RequestError, match="FlexibleChecksumError"):
            s3_at(server.url).get_object(Bucket="b-b", Key="k")
        server.reply = lambda _: answer(200, b"hello w0rld", **{**HEADERS, "x_amz_checksum_crc32": "DUoRhQ==-2"})
        s3_at(server.url).get_object(Bucket="b-b", Key="k")  # a checksum of the parts of an upload


def test_stored_objects_have_a_checksum_unless_the_server_refuses_it() -> None:
    with WireServer(lambda _: answer(ETag='"x"')) as server:
        s3_at(server.url).put_object(Bucket="b-b", Key="k", Body=b"hello world")
        S3(service(server.url), is_aws=False, sends_checksums=False).put_object(Bucket="b-b", Key="k", Body=b"x")
    first, second = server.received
    assert (first.header("x-amz-checksum-crc32"), first.header("x-amz-sdk-checksum-algorithm")) == ("DUoRhQ==", "CRC32")
    assert second.header("x-amz-checksum-crc32") is None


PAGES_OF_PROXIES = [b'<?xml version="1.0" encoding="%b"?><html/>' % code for code in (b"Shift_JIS", b"x-sjis")]


@pytest.mark.parametrize("page", PAGES_OF_PROXIES)
def test_an_error_in_an_encoding_that_xml_parsers_do_not_know_counts_by_its_status(page: bytes) -> None:
    with WireServer(lambda _: answer(403, page)) as server, pytest.raises(AnswerError) as caught:
        s3_at(server.url).get_object(Bucket="b-b", Key="k")
    assert (caught.value.code, caught.value.outcome) == ("403", RequestOutcome.DENIED)


@for_each(
    "body",
    [
        b"",
        b"<ListBucketResult>",
        b"<ListBucketResult/>",
        b"<ListBucketResult><IsTruncated>perhaps</IsTruncated></ListBucketResult>",
        b"<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>k</Key></Contents></ListBucketResult>",
        b"<Other><IsTruncated>false</IsTruncated></Other>",
        b"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'aaaa'>]><ListBucketResult>&b;</ListBucketResult>",
        *PAGES_OF_PROXIES,
    ],
)
def test_an_unreadable_listing_is_not_an_empty_one(body: bytes) -> None:
    with WireServer(lambda _: answer(200, body)) as server, pytest.raises(RequestError) as caught:
        s3_at(server.url).list_objects_v2(Bucket="b-b", Prefix="", MaxKeys=1)
    assert caught.value.outcome is RequestOutcome.UNKNOWN


@pytest.mark.parametrize("written", ["\n  false\n", "False", " true", "TRUE"])
def test_other_spellings_of_is_truncated_are_understood(written: str) -> None:
    body = f"<ListBucketResult><IsTruncated>{written}</IsTruncated></ListBucketResult>".encode()
    with WireServer(lambda _: answer(200, body)) as server:
        told = s3_at(server.url).list_objects_v2(Bucket="b-b")
    assert told["IsTruncated"] is ("true" in written.lower())


WHEN = "<LastModified>2026-03-02T12:00:00.000Z</LastModified>"
VERSION = f'<Key>d/a</Key><VersionId>v1</VersionId><IsLatest>true</IsLatest>{WHEN}<Size>1</Size><ETag>"x"</ETag>'


def listing(tag: str, *, more: bool = False, inside: str = "") -> bytes:
    return answer(200, f"<{tag}><IsTruncated>{str(more).lower()}</IsTruncated>{inside}</{tag}>".encode())


LISTS: dict[str, Callable[[Bucket], list[Any]]] = {
    "ListBucketResult": lambda bucket: list(bucket.list_pages("d/")),
    "ListVersionsResult": lambda bucket: list(bucket.versions.below("d/")),
    "ListMultipartUploadsResult": lambda bucket: list(bucket.versions.uploads_below("d/")),
}
NOWHERE = {
    "ListBucketResult": ["", "<NextContinuationToken/>"],
    "ListVersionsResult": [
        "",
        "<NextKeyMarker>d/a</NextKeyMarker>",
        "<NextKeyMarker>d/a</NextKeyMarker><NextVersionIdMarker/>",
        "<NextKeyMarker/><NextVersionIdMarker>v1</NextVersionIdMarker>",
    ],
    "ListMultipartUploadsResult": [
        "",
        "<NextKeyMarker>d/a</NextKeyMarker>",
        "<NextKeyMarker>d/a</NextKeyMarker><NextUploadIdMarker/>",
        "<NextKeyMarker/><NextUploadIdMarker>u1</NextUploadIdMarker>",
    ],
}


@pytest.mark.parametrize("transport", ["boto3", "fast"])
@pytest.mark.parametrize(("tag", "inside"), [(tag, one) for tag, inside in NOWHERE.items() for one in inside])
def test_a_truncated_listing_without_a_token_is_an_error_without_botocore_too(
    monkeypatch: pytest.MonkeyPatch, transport: str, tag: str, inside: str
) -> None:
    with WireServer(lambda _: listing(tag, more=True, inside=inside)) as server:
        client: Any = s3_at(server.url)
        if transport == "fast":
            monkeypatch.delitem(sys.modules, "botocore")  # as if nothing had imported it
        else:
            config = Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1})
            client = boto3.client("s3", endpoint_url=server.url, config=config)
        with pytest.raises(UnavailableError, match="ResponseParserError"):
            LISTS[tag](Bucket(client, "b-b", retry=RetryPolicy(max_tries=1)))
        assert len(server.received) == 1


HALF_ENTRIES = {
    "an object without a size": ("ListBucketResult", f"<Contents><Key>d/a</Key>{WHEN}</Contents>"),
    "a version without an id": (
        "ListVersionsResult",
        f"<DeleteMarker>{VERSION.replace('VersionId', 'Id')}</DeleteMarker>",
    ),
    "an upload without an id": ("ListMultipartUploadsResult", "<Upload><Key>d/a</Key></Upload>"),
    "an upload without a key": ("ListMultipartUploadsResult", "<Upload><UploadId>u1</UploadId></Upload>"),
}


@pytest.mark.parametrize(("tag", "inside"), HALF_ENTRIES.values(), ids=HALF_ENTRIES)
def test_a_listing_with_half_an_entry_is_an_error_too(monkeypatch: pytest.MonkeyPatch, tag: str, inside: str) -> None:
    with WireServer(lambda _: listing(tag, inside=inside)) as server:
        monkeypatch.delitem(sys.modules, "botocore")
        with pytest.raises(UnavailableError, match="ResponseParserError"):
            LISTS[tag](bucket_at(server))


def test_pages_of_versions_and_of_uploads_are_joined() -> None:
    on = "<NextKeyMarker>d/a</NextKeyMarker><Next{0}IdMarker>1</Next{0}IdMarker>"
    for tag, kind, entry in (
        ("ListVersionsResult", "Version", f"<Version>{VERSION}</Version>"),
        ("ListMultipartUploadsResult", "Upload", "<Upload><Key>d/a</Key><UploadId>u1</UploadId></Upload>"),
    ):
        first = listing(tag, more=True, inside=on.format(kind) + entry)
        second = listing(tag, inside=entry.replace("<Key>d/a", "<Key>d/b"))
        with WireServer(in_turn([first, second])) as server:
            assert len(LISTS[tag](bucket_at(server))) == 2
        assert f"key-marker=d%2Fa&{kind.lower()}-id-marker=1" in server.received[1].target


def test_timestamps_in_headers_are_in_utc() -> None:
    with WireServer(lambda _: answer(200, b"x", **HEADERS)) as server:
        told = s3_at(server.url).get_object(Bucket="b-b", Key="k")
    assert told["LastModified"] == datetime(2026, 3, 2, 12, tzinfo=UTC)


class Addresses:
    """An exchange that records where requests would go."""

    def __init__(
        self, reply: Callable[[HttpRequest], HttpAnswer] = lambda _: HttpAnswer(200, {"etag": "x"}, b"")
    ) -> None:
        self.reply = reply
        self.asked: list[HttpRequest] = []

    def __call__(self, request: HttpRequest) -> HttpAnswer:
        self.asked.append(request)
        return self.reply(request)

    def s3(self, *, region: str = REGION, uses_paths: bool = False) -> S3:
        at = replace(service("https://unused"), exchange=self, region=region)
        return S3(at, is_aws=True, uses_paths=uses_paths)

    @property
    def urls(self) -> list[str]:
        return [one.url for one in self.asked]


PUT: dict[str, Any] = {"Key": "k", "Body": b"x"}


@for_each(
    ("bucket", "region", "url"),
    [
        ("agent-memory", "eu-central-1", "https://agent-memory.s3.eu-central-1.amazonaws.com/k"),
        ("agent-memory", "us-east-1", "https://agent-memory.s3.us-east-1.amazonaws.com/k"),
        ("agent-memory", "us-gov-west-1", "https://agent-memory.s3.us-gov-west-1.amazonaws.com/k"),
        ("agent-memory", "cn-north-1", "https://agent-memory.s3.cn-north-1.amazonaws.com.cn/k"),
        ("agent-memory", "ap-southeast-5", "https://agent-memory.s3.ap-southeast-5.amazonaws.com/k"),
        ("with.dots", "eu-central-1", "https://s3.eu-central-1.amazonaws.com/with.dots/k"),
        ("Old_Name", "us-east-1", "https://s3.us-east-1.amazonaws.com/Old_Name/k"),
        ("point-abc-s3alias", "eu-central-1", "https://point-abc-s3alias.s3.eu-central-1.amazonaws.com/k"),
    ],
)
def test_a_bucket_is_requested_at_botocores_address(bucket: str, region: str, url: str) -> None:
    addresses = Addresses()
    addresses.s3(region=region).put_object(Bucket=bucket, **PUT)
    assert addresses.urls == [url]
    client: Any = boto3.client("s3", region_name=region)
    told: list[str] = []
    client.meta.events.register("before-send", lambda request, **_: told.append(request.url))
    with pytest.raises(client.exceptions.ClientError):
        client.put_object(Bucket=bucket, **PUT)
    assert told[0] == url.replace(".us-east-1.", ".us-east-1." if ".us-east-1." in told[0] else ".")


def test_buckets_are_addressed_by_path_if_the_profile_says_so() -> None:
    addresses = Addresses()
    addresses.s3(uses_paths=True).put_object(Bucket="agent-memory", **PUT)
    assert addresses.urls == ["https://s3.eu-central-1.amazonaws.com/agent-memory/k"]


@pytest.mark.parametrize(
    "bucket", ["arn:aws:s3:eu-central-1:123456789012:accesspoint/x", "a/b", "..", "", "x--x-s3", "x.mrap", "a b"]
)
def test_an_invalid_bucket_name_is_refused(bucket: str) -> None:
    addresses = Addresses()
    with pytest.raises(ConfigurationError, match="S3MEMORY_BUCKET"):
        addresses.s3().put_object(Bucket=bucket, **PUT)
    assert addresses.asked == []


ELSEWHERE = [
    (301, {"x-amz-bucket-region": "eu-west-1"}, b"<Error><Code>PermanentRedirect</Code></Error>"),
    (307, {"x-amz-bucket-region": "eu-west-1"}, b"<Error><Code>TemporaryRedirect</Code></Error>"),
    (400, {}, b"<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>"),
    (400, {"x-amz-bucket-region": "eu-west-1"}, b"<Error><Code>IllegalLocationConstraintException</Code></Error>"),
]


@pytest.mark.parametrize(("status", "headers", "body"), ELSEWHERE)
def test_a_bucket_in_another_region_is_found_and_remembered(status: int, headers: dict[str, str], body: bytes) -> None:
    def reply(request: HttpRequest) -> HttpAnswer:
        if ".eu-west-1." in request.url:
            return HttpAnswer(200, {"etag": '"x"'}, b"")
        return HttpAnswer(status, headers, body)

    addresses = Addresses(reply)
    s3 = addresses.s3()
    for _ in range(2):
        assert s3.put_object(Bucket="agent-memory", IfNoneMatch="*", **PUT)["ETag"] == '"x"'
    assert [one.region for one in addresses.asked] == ["eu-central-1", "eu-west-1", "eu-west-1"]
    assert ".eu-west-1." in addresses.urls[1]
    s3.put_object(Bucket="another", **PUT)
    assert addresses.asked[3].region == "eu-central-1"


def test_a_bucket_in_another_region_is_found_by_a_request_whose_response_has_no_body() -> None:
    addresses = Addresses(
        lambda request: (
            HttpAnswer(400, {"x-amz-bucket-region": "eu-west-1"}, b"")
            if request.region == REGION
            else HttpAnswer(404, {}, b"")
        )
    )
    with pytest.raises(AnswerError) as caught:
        addresses.s3().head_object(Bucket="agent-memory", Key="k")
    assert caught.value.outcome is RequestOutcome.MISSING
    assert len(addresses.asked) == 2


@pytest.mark.parametrize("region", ["eu-central-1", "evil.example", "cn-north-1", "", "us-iso-east-1", "eu-west-1.x"])
def test_a_redirect_to_anything_but_a_region_of_the_same_partition_is_not_followed(region: str) -> None:
    addresses = Addresses(lambda _: HttpAnswer(301, {"x-amz-bucket-region": region}, b""))
    with pytest.raises(AnswerError, match="301"):
        addresses.s3().put_object(Bucket="agent-memory", **PUT)
    assert len(addresses.asked) == 1


def test_redirects_in_a_circle_are_not_followed() -> None:
    there = {"eu-central-1": "eu-west-1", "eu-west-1": "eu-central-1"}
    addresses = Addresses(lambda request: HttpAnswer(301, {"x-amz-bucket-region": there[request.region]}, b""))
    with pytest.raises(AnswerError, match="301"):
        addresses.s3().put_object(Bucket="agent-memory", **PUT)
    assert len(addresses.asked) == 2


def test_redirects_by_a_server_that_is_not_aws_are_not_followed() -> None:
    with WireServer(lambda _: answer(301, x_amz_bucket_region="eu-west-1")) as server:
        with pytest.raises(AnswerError, match="301"):
            s3_at(server.url).put_object(Bucket="b-b", **PUT)
        assert len(server.received) == 1
