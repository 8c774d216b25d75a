"""S3's answers, parsed as boto3's client parses them; buckets elsewhere; and large objects in parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from fast_clients import REGION, s3_at, service
from support.fast_transport import on_libcurl
from support.wire_server import Received, WireServer, answer

from s3memory.aws.errors import AnswerError, RequestError, RequestOutcome
from s3memory.aws.fast.http import HttpAnswer, HttpRequest
from s3memory.aws.fast.s3 import MAX_BODY_BYTES, S3
from s3memory.errors import ConfigurationError
from s3memory.s3.transport import Transport

KEYS = ["a", "a b+c", "ä/ö", "x<&>\"'y", "%41", "e\u0301", "tab\there", "~"]
OUR_NAMES = {
    "list_objects_v2": ("Contents", "CommonPrefixes"),
    "list_object_versions": ("Versions", "DeleteMarkers"),
}


def of_ours(name: str, told: Any) -> dict[str, Any]:
    """What this package reads of an answer."""
    entries = {"Key", "Size", "ETag", "LastModified", "VersionId", "IsLatest", "Prefix"}
    lists = {
        key: [{field: value for field, value in item.items() if field in entries} for item in told.get(key, [])]
        for key in OUR_NAMES.get(name, ())
    }
    plain = {
        "ETag", "LastModified", "VersionId", "Metadata", "ContentLength", "IsTruncated", "NextContinuationToken",
        "NextKeyMarker", "NextVersionIdMarker",
    }  # fmt: skip
    return lists | {key: value for key, value in told.items() if key in plain and value}


def test_answers_are_those_of_boto3s_client(bucket: str) -> None:
    theirs: Any = boto3.client("s3")
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
        ("list_objects_v2", {"Prefix": "ä", "MaxKeys": 1, "Delimiter": "/", "StartAfter": "%"}),
        ("list_objects_v2", {"Prefix": "nothing", "MaxKeys": 1000}),
        ("list_object_versions", {"Prefix": "", "MaxKeys": 1000}),
        ("list_object_versions", {"Prefix": "", "MaxKeys": 3}),
        ("list_multipart_uploads", {"Prefix": ""}),
    ]
    for name, arguments in asks:
        told, expected = (getattr(client, name)(Bucket=bucket, **arguments) for client in (ours, theirs))
        assert of_ours(name, told) == of_ours(name, expected), name
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


def test_a_client_on_libcurl_is_a_transport() -> None:
    transport: Transport = s3_at("http://127.0.0.1:9")
    assert transport.meta.endpoint_url == "http://127.0.0.1:9"


HEADERS = {"ETag": '"x"', "Last_Modified": "Mon, 02 Mar 2026 12:00:00 GMT"}


def test_a_large_object_is_read_in_parts_of_one_version() -> None:
    content = bytes(range(256)) * (MAX_BODY_BYTES // 256) * 2 + b"end"

    def reply(received: Received) -> bytes:
        wanted = received.header("range")
        if wanted is None:
            return answer(200, content, x_amz_version_id="v1", **HEADERS)
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        assert (received.header("if-match"), received.target) == ('"x"', "/b-b/k?versionId=v1")
        part = content[int(first) : int(last) + 1]
        return answer(206, part, Content_Range=f"bytes {first}-{last}/{len(content)}", **HEADERS)

    with WireServer(reply) as server:
        told = s3_at(server.url).get_object(Bucket="b-b", Key="k")
        assert told["ContentLength"] == len(content)
        assert [one.header("range") for one in server.received] == [None]  # nothing is read that nobody wants
        assert b"".join(told["Body"].iter_chunks(1024)) == content
        assert len(server.received) == 4


@pytest.mark.parametrize("algorithm", ["crc32", "sha1", "sha256"])
def test_a_body_that_is_not_what_its_checksum_says_is_an_error(algorithm: str) -> None:
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
        s3_at(server.url).get_object(Bucket="b-b", Key="k")  # of the parts of an upload


def test_what_is_stored_has_a_checksum_unless_the_server_refuses_those() -> None:
    with WireServer(lambda _: answer(ETag='"x"')) as server:
        s3_at(server.url).put_object(Bucket="b-b", Key="k", Body=b"hello world")
        S3(service(server.url), is_aws=False, sends_checksums=False).put_object(Bucket="b-b", Key="k", Body=b"x")
    first, second = server.received
    assert (first.header("x-amz-checksum-crc32"), first.header("x-amz-sdk-checksum-algorithm")) == ("DUoRhQ==", "CRC32")
    assert second.header("x-amz-checksum-crc32") is None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<ListBucketResult>",
        b"<ListBucketResult/>",
        b"<ListBucketResult><IsTruncated>perhaps</IsTruncated></ListBucketResult>",
        b"<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>k</Key></Contents></ListBucketResult>",
        b"<Other><IsTruncated>false</IsTruncated></Other>",
        b"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'aaaa'>]><ListBucketResult>&b;</ListBucketResult>",
    ],
)
def test_a_listing_that_can_not_be_read_is_no_empty_one(body: bytes) -> None:
    with WireServer(lambda _: answer(200, body)) as server, pytest.raises(RequestError) as caught:
        s3_at(server.url).list_objects_v2(Bucket="b-b", Prefix="", MaxKeys=1)
    assert caught.value.outcome is RequestOutcome.UNKNOWN


def test_timestamps_of_headers_are_in_utc() -> None:
    with WireServer(lambda _: answer(200, b"x", **HEADERS)) as server:
        told = s3_at(server.url).get_object(Bucket="b-b", Key="k")
    assert told["LastModified"] == datetime(2026, 3, 2, 12, tzinfo=UTC)


class Addresses:
    """An exchange that notes where requests would go."""

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


@pytest.mark.parametrize(
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
def test_a_bucket_is_asked_where_botocore_asks_it(bucket: str, region: str, url: str) -> None:
    addresses = Addresses()
    addresses.s3(region=region).put_object(Bucket=bucket, **PUT)
    assert addresses.urls == [url]
    client: Any = boto3.client("s3", region_name=region)
    told: list[str] = []
    client.meta.events.register("before-send", lambda request, **_: told.append(request.url))
    with pytest.raises(client.exceptions.ClientError):
        client.put_object(Bucket=bucket, **PUT)
    assert told[0] == url.replace(".us-east-1.", ".us-east-1." if ".us-east-1." in told[0] else ".")


def test_buckets_are_addressed_by_path_where_the_profile_says_so() -> None:
    addresses = Addresses()
    addresses.s3(uses_paths=True).put_object(Bucket="agent-memory", **PUT)
    assert addresses.urls == ["https://s3.eu-central-1.amazonaws.com/agent-memory/k"]


@pytest.mark.parametrize(
    "bucket", ["arn:aws:s3:eu-central-1:123456789012:accesspoint/x", "a/b", "..", "", "x--x-s3", "x.mrap", "a b"]
)
def test_what_is_no_buckets_name_is_refused(bucket: str) -> None:
    addresses = Addresses()
    with pytest.raises(ConfigurationError, match="name of a bucket"):
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


def test_so_is_one_that_is_asked_for_without_a_body() -> None:
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
def test_nobody_is_sent_to_a_place_that_is_no_region_of_the_same_partition(region: str) -> None:
    addresses = Addresses(lambda _: HttpAnswer(301, {"x-amz-bucket-region": region}, b""))
    with pytest.raises(AnswerError, match="301"):
        addresses.s3().put_object(Bucket="agent-memory", **PUT)
    assert len(addresses.asked) == 1


def test_nobody_is_sent_to_and_fro() -> None:
    there = {"eu-central-1": "eu-west-1", "eu-west-1": "eu-central-1"}
    addresses = Addresses(lambda request: HttpAnswer(301, {"x-amz-bucket-region": there[request.region]}, b""))
    with pytest.raises(AnswerError, match="301"):
        addresses.s3().put_object(Bucket="agent-memory", **PUT)
    assert len(addresses.asked) == 2


def test_another_server_than_aws_sends_nobody_elsewhere() -> None:
    with WireServer(lambda _: answer(301, x_amz_bucket_region="eu-west-1")) as server:
        with pytest.raises(AnswerError, match="301"):
            s3_at(server.url).put_object(Bucket="b-b", **PUT)
        assert len(server.received) == 1
