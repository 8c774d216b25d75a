"""libcurl's signatures are botocore's, for each kind of request, byte for byte as sent over the wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from fast_clients import KEYS, REGION, dynamodb_at, kms_at, s3_at, secrets_at, sts_at
from support.for_each import for_each
from support.wire_server import Received, WireServer, answer

from s3memory.aws.errors import RequestError

OBJECT_KEYS = [
    "memories/acme/notes.md",
    "a b",
    "ä/ö+ü",
    "emoji\U0001f600",
    "x//y",
    "/first",
    "tail/",
    "~t._-",
    "%41%2f",
    "a?b&c=d#e",
    "*'()!;:@$,=",
    "back\\slash",
    "a/...b/..c/.d",
    "new\nline",
    "e\u0301 and \u00e9",
    "a" * 900,
]
Ask = Callable[[Any, str], object]
OF_OBJECTS: dict[str, Ask] = {
    "GetObject": lambda s3, key: s3.get_object(Bucket="a-bucket", Key=key),
    "GetObject of a version": lambda s3, key: s3.get_object(
        Bucket="a-bucket", Key=key, VersionId="v.+ /1", Range="bytes=0-1"
    ),
    "HeadObject": lambda s3, key: s3.head_object(Bucket="a-bucket", Key=key, ExpectedBucketOwner="123456789012"),
    "PutObject": lambda s3, key: s3.put_object(
        Bucket="a-bucket", Key=key, Body=b"\0\xff", Metadata={"s3memory-x": "a%20b,c"}, IfNoneMatch="*"
    ),
    "PutObject of nothing": lambda s3, key: s3.put_object(Bucket="a-bucket", Key=key, Body=b"", IfMatch='"e  tag"'),
    "DeleteObject": lambda s3, key: s3.delete_object(Bucket="a-bucket", Key=key, IfMatch="*", VersionId="null"),
    "AbortMultipartUpload": lambda s3, key: s3.abort_multipart_upload(Bucket="a-bucket", Key=key, UploadId="u~ +/="),
}
OF_BUCKETS: dict[str, Ask] = {
    "ListObjectsV2": lambda s3, key: s3.list_objects_v2(
        Bucket="a-bucket", Prefix=key, MaxKeys=2, Delimiter="/", ContinuationToken="1/+=="
    ),
    "ListObjectVersions": lambda s3, key: s3.list_object_versions(
        Bucket="a-bucket", Prefix=key, MaxKeys=2, KeyMarker=key, VersionIdMarker="v+"
    ),
    "GetBucketVersioning": lambda s3, _key: s3.get_bucket_versioning(Bucket="a-bucket"),
    "ListMultipartUploads": lambda s3, key: s3.list_multipart_uploads(
        Bucket="a-bucket", Prefix=key, EncodingType="url", KeyMarker=key, UploadIdMarker=key
    ),
    "DeleteObjects": lambda s3, key: s3.delete_objects(
        Bucket="a-bucket", Delete={"Objects": [{"Key": key, "ETag": '"x"'}], "Quiet": True}
    ),
}


@pytest.fixture(scope="module")
def server() -> Iterator[WireServer]:
    with WireServer(lambda _: answer(200, ETag='"x"', Last_Modified="Mon, 02 Mar 2026 12:00:00 GMT")) as server:
        yield server


def signature_of_botocore(received: Received, url: str, service: str) -> str:
    authorization = received.header("authorization") or ""
    signed = authorization.split("SignedHeaders=")[1].split(",")[0].split(";")
    request = AWSRequest(
        method=received.method,
        url=url + received.target,
        data=received.body or None,
        headers={name: value for name, value in received.headers if name.lower() in signed},
    )
    request.context["timestamp"] = received.header("x-amz-date")
    auth = (S3SigV4Auth if service == "s3" else SigV4Auth)(
        Credentials(KEYS.access_key, KEYS.secret_key), service, REGION
    )
    signature: str = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
    return signature


def assert_signed_alike(server: WireServer, service: str = "s3") -> Received:
    received = server.received.pop()
    assert not server.received
    authorization = received.header("authorization") or ""
    assert authorization.rpartition("Signature=")[2] == signature_of_botocore(received, server.url, service)
    assert received.header("x-amz-security-token") == KEYS.token
    # Everything that determines the effect of a request is signed.
    signed = authorization.split("SignedHeaders=")[1].split(",")[0].split(";")
    assert {name.lower() for name, _ in received.headers} - set(signed) <= {
        "authorization",
        "user-agent",
        "content-length",
    }
    return received


@for_each("key", OBJECT_KEYS, ids=lambda key: key[:20])
@for_each("request_", OF_OBJECTS)
def test_requests_for_an_object_are_signed_as_botocore_signs_them(server: WireServer, request_: str, key: str) -> None:
    OF_OBJECTS[request_](s3_at(server.url), key)
    assert_signed_alike(server)


@for_each("key", OBJECT_KEYS, ids=lambda key: key[:20])
@for_each("request_", OF_BUCKETS)
def test_requests_for_a_bucket_are_signed_as_botocore_signs_them(server: WireServer, request_: str, key: str) -> None:
    with suppress(RequestError):  # the response is empty
        OF_BUCKETS[request_](s3_at(server.url), key)
    assert_signed_alike(server)


def test_requests_for_other_services_are_signed_as_botocore_signs_them(server: WireServer) -> None:
    context = {"s3memory:tenant": "ä b", "s3memory:purpose": "x"}
    asks: list[tuple[str, Callable[[], object]]] = [
        ("kms", lambda: kms_at(server.url).decrypt(CiphertextBlob=b"w\0", KeyId="alias/x", EncryptionContext=context)),
        ("kms", lambda: kms_at(server.url).encrypt(KeyId="alias/x", Plaintext=b"k\0", EncryptionContext=context)),
        ("kms", lambda: kms_at(server.url).generate_data_key(KeyId="a", NumberOfBytes=32, EncryptionContext=context)),
        (
            "sts",
            lambda: sts_at(server.url).assume_role(
                RoleArn="arn:aws:iam::123456789012:role/x",
                RoleSessionName="acme@s3memory",
                Tags=[{"Key": "tenant", "Value": "a.c+me"}],
                DurationSeconds=3600,
            ),
        ),
        (
            "dynamodb",
            lambda: dynamodb_at(server.url).get_item(TableName="t", Key={"tenant": {"S": "ä"}}, ConsistentRead=True),
        ),
        ("secretsmanager", lambda: secrets_at(server.url).get_secret_value(SecretId="agent/api-key")),
    ]
    for service, ask in asks:
        with suppress(RequestError):
            ask()
        assert_signed_alike(server, service)


def test_a_request_with_a_body_states_its_length(server: WireServer) -> None:
    s3_at(server.url).put_object(Bucket="b-b", Key="k", Body=b"")
    received = server.received.pop()
    assert received.header("content-length") == "0"
    assert received.header("content-type") is None  # it would be stored with the object
    assert received.header("expect") is None


@pytest.mark.parametrize("key", [".", "..", "a/./b", "a/../b", "../a", "a/.."])
def test_a_key_that_libcurl_would_change_is_refused_before_anything_is_sent(server: WireServer, key: str) -> None:
    for ask in OF_OBJECTS.values():
        with pytest.raises(RequestError, match="UnsupportedKey"):
            ask(s3_at(server.url), key)
    assert server.received == []


@pytest.mark.parametrize("value", ["a\r\nx-amz-acl: public-read", "a\nb", "a\0b", "ä", "", " "])
def test_a_value_that_no_header_can_hold_is_refused(server: WireServer, value: str) -> None:
    with pytest.raises(RequestError, match="UnsupportedHeader"):
        s3_at(server.url).put_object(Bucket="b-b", Key="k", Body=b"x", Metadata={"x": value})
    with pytest.raises(RequestError, match="UnsupportedHeader"):
        s3_at(server.url).delete_object(Bucket="b-b", Key="k", IfMatch=value)
    assert server.received == []


@pytest.mark.parametrize("field", ["access_key", "secret_key", "token"])
@pytest.mark.parametrize("value", ["a\nx-amz-acl: public-read", "kl\u00fcch"])
def test_credentials_that_no_header_can_hold_are_refused_with_our_own_message(
    server: WireServer, monkeypatch: pytest.MonkeyPatch, field: str, value: str
) -> None:
    monkeypatch.setattr("fast_clients.KEYS", replace(KEYS, **{field: value}))
    with pytest.raises(RequestError, match="MalformedCredentials"):
        s3_at(server.url).head_object(Bucket="b-b", Key="k")
    assert server.received == []


@pytest.mark.parametrize("access_key", ["minio@admin", "proj:user", "a/b", "a b", ""])
def test_an_access_key_that_libcurl_would_change_is_refused(
    server: WireServer, monkeypatch: pytest.MonkeyPatch, access_key: str
) -> None:
    monkeypatch.setattr("fast_clients.KEYS", replace(KEYS, access_key=access_key))
    with pytest.raises(RequestError, match="MalformedCredentials"):
        s3_at(server.url).head_object(Bucket="b-b", Key="k")
    assert server.received == []


def test_an_access_key_with_all_allowed_characters_is_sent_unchanged(
    server: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fast_clients.KEYS", replace(KEYS, access_key="a_Z.0-~"))
    s3_at(server.url).put_object(Bucket="b-b", Key="k", Body=b"")
    assert "Credential=a_Z.0-~/" in (server.received.pop().header("authorization") or "")
