"""Responses that crash or mislead botocore: an error counts by its status, and a success proves nothing."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.wire_server import Close, Received, WireServer, answer, error_answer

from s3memory.aws.client_hooks import adopt
from s3memory.aws.clients import PROCESS
from s3memory.aws.errors import RequestOutcome, aws_errors, error_code, outcome_of
from s3memory.s3.capabilities import are_honoured

LATIN_PAGE = "<html><body>Accès refusé</body></html>".encode("latin-1")
DEEP = b'{"a":' + b"[" * 100_000
DATE = "Mon, 02 Mar 2026 12:00:00 GMT"

# botocore drops a connection whose response it cannot read.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.usefixtures("no_clients_of_other_tests"),
]


@pytest.fixture(scope="module", autouse=True)
def _no_connections_left() -> Iterator[None]:
    """Collect dropped connections here, and not while a test of another module runs."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def decrypt(url: str) -> Any:
    return PROCESS.kms_client(endpoint_url=url).decrypt(CiphertextBlob=b"x")


def listed(url: str) -> Any:
    return PROCESS.s3_client(endpoint_url=url).list_objects_v2(Bucket="b-b")


def fetch(url: str) -> Any:
    return PROCESS.s3_client(endpoint_url=url).get_object(Bucket="b-b", Key="k")


def assume(url: str) -> Any:
    sts: Any = PROCESS.client("sts", url)
    return sts.assume_role(RoleArn="arn:aws:iam::123456789012:role/x", RoleSessionName="xx")


ERRORS: dict[str, tuple[Callable[[str], Any], bytes, RequestOutcome, str]] = {
    "a page of a proxy's in Latin-1": (decrypt, answer(403, LATIN_PAGE), RequestOutcome.DENIED, "403"),
    "one that asks to log in": (decrypt, answer(407, LATIN_PAGE), RequestOutcome.FAILED, "407"),
    "JSON that is no object": (decrypt, answer(400, b"[]"), RequestOutcome.FAILED, "400"),
    "a type that is no text": (decrypt, answer(400, b'{"__type": 5}'), RequestOutcome.FAILED, "400"),
    "very deep JSON": (decrypt, answer(400, DEEP), RequestOutcome.FAILED, "400"),
    "a page with an element of an error's name": (
        fetch,
        answer(403, b"<html><Error>Refused</Error></html>"),
        RequestOutcome.DENIED,
        "403",
    ),
    "a page with an element of a listing's name": (
        listed,
        answer(403, b"<html><Contents>of this page</Contents></html>"),
        RequestOutcome.FAILED,
        "unknown",
    ),
    "an error with two codes": (
        fetch,
        answer(404, b"<Error><Code>A</Code><Code>B</Code></Error>"),
        RequestOutcome.MISSING,
        "404",
    ),
    "a region that is no text": (
        fetch,
        answer(403, b"<Error><Code>PermanentRedirect</Code><Region><a/></Region></Error>"),
        RequestOutcome.DENIED,
        "403",
    ),
    "a checksum beside it": (
        fetch,
        error_answer(404, "NoSuchKey", x_amz_checksum_crc32="AAAAAA=="),
        RequestOutcome.MISSING,
        "404",
    ),
    "a page in place of STS's XML": (assume, answer(403, b"<html><p>"), RequestOutcome.DENIED, "403"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_an_unreadable_error_counts_by_its_status(case: str) -> None:
    call, reply, outcome, code = ERRORS[case]
    with WireServer(lambda _: reply) as server, pytest.raises(aws_errors()) as caught:
        call(server.url)
    assert (outcome_of(caught.value), error_code(caught.value)) == (outcome, code)
    assert len(server.received) == 1


def test_an_unreadable_error_from_an_overloaded_server_is_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    with WireServer(lambda _: answer(503, b"\xff")) as server, pytest.raises(aws_errors()) as caught:
        decrypt(server.url)
    assert outcome_of(caught.value) is RequestOutcome.UNKNOWN
    assert len(server.received) == 3


SUCCESSES: dict[str, tuple[Callable[[str], Any], bytes]] = {
    "Base64 that breaks off": (decrypt, answer(200, b'{"Plaintext": "abc"}')),
    "a number in place of Base64": (decrypt, answer(200, b'{"Plaintext": 5}')),
    "very deep JSON": (decrypt, answer(200, DEEP)),
    "a checksum that is none": (
        lambda url: fetch(url)["Body"].read(),
        answer(200, b"sealed", ETag='"x"', Last_Modified=DATE, x_amz_checksum_sha256="x"),
    ),
    "a date that is none": (fetch, answer(200, b"sealed", ETag='"x"', Last_Modified="Mon, 02 Foo 2026")),
    "no XML": (assume, answer(200, b"{")),
}


@pytest.mark.parametrize("case", SUCCESSES)
def test_an_unreadable_success_proves_nothing(case: str) -> None:
    call, reply = SUCCESSES[case]
    with WireServer(lambda _: reply) as server, pytest.raises(aws_errors()) as caught:
        call(server.url)
    assert (outcome_of(caught.value), error_code(caught.value)) == (RequestOutcome.UNKNOWN, "ResponseParserError")
    assert caught.value.__suppress_context__ or "checksum" in case, "what was read may be a data key"


def test_readable_responses_are_read_as_before() -> None:
    with WireServer(lambda _: error_answer(412, "PreconditionFailed")) as server, pytest.raises(aws_errors()) as caught:
        fetch(server.url)
    assert error_code(caught.value) == "PreconditionFailed"
    with WireServer(lambda _: answer(200, b"sealed", ETag='"x"', Last_Modified=DATE)) as server:
        assert fetch(server.url)["Body"].read() == b"sealed"


LISTINGS: dict[str, Callable[[str], Any]] = {
    "ListBucketResult": listed,
    "ListVersionsResult": lambda url: PROCESS.s3_client(endpoint_url=url).list_object_versions(Bucket="b-b"),
    "ListMultipartUploadsResult": lambda url: PROCESS.s3_client(endpoint_url=url).list_multipart_uploads(Bucket="b-b"),
}


@pytest.fixture(params=LISTINGS)
def adopted_listing(request: pytest.FixtureRequest) -> Callable[[bytes], Any]:
    """Return a function that requests a listing and returns the parsed response with this content."""

    def told(inside: bytes) -> Any:
        tag = request.param.encode()
        with WireServer(lambda _: answer(200, b"<%b>%b</%b>" % (tag, inside, tag))) as server:
            adopt(PROCESS.s3_client(endpoint_url=server.url))
            return LISTINGS[request.param](server.url)

    return told


@pytest.mark.parametrize("written", [b"true", b"True", b" TRUE\n", b"false", b"False"])
def test_other_spellings_of_is_truncated_are_understood(
    adopted_listing: Callable[[bytes], Any], written: bytes
) -> None:
    told = adopted_listing(b"<IsTruncated>%b</IsTruncated>" % written)
    assert told["IsTruncated"] is (b"true" in written.lower())


@pytest.mark.parametrize(
    "inside",
    [
        b"",
        b"<IsTruncated/>",
        b"<IsTruncated></IsTruncated>",
        b"<IsTruncated>1</IsTruncated>",
        b"<IsTruncated>false</IsTruncated><IsTruncated>true</IsTruncated>",
    ],
)
def test_a_listing_without_is_truncated_does_not_count_as_complete(
    adopted_listing: Callable[[bytes], Any], inside: bytes
) -> None:
    with pytest.raises(aws_errors()) as caught:
        adopted_listing(inside)
    assert (outcome_of(caught.value), error_code(caught.value)) == (RequestOutcome.UNKNOWN, "ResponseParserError")


def put(url: str) -> Any:
    return PROCESS.s3_client(endpoint_url=url).put_object(Bucket="b-b", Key="k", IfMatch='"x"')


def delete(url: str) -> Any:
    return PROCESS.s3_client(endpoint_url=url).delete_object(Bucket="b-b", Key="k", IfMatch='"x"')


INTERIM = b"HTTP/1.1 103 Early Hints\r\nETag: x\r\nLink: </style.css>\r\n\r\n"


@pytest.mark.parametrize("call", [decrypt, listed, fetch, put, delete, assume])
def test_an_informational_response_proves_nothing(call: Callable[[str], Any]) -> None:
    with WireServer(lambda _: INTERIM) as server, pytest.raises(aws_errors()) as caught:
        call(server.url)
    assert (outcome_of(caught.value), error_code(caught.value)) == (RequestOutcome.UNKNOWN, "ResponseParserError")


def test_what_follows_an_informational_response_is_not_taken_for_the_response_to_the_next_request() -> None:
    described = {"ETag": '"x"', "Last_Modified": DATE}

    def reply(received: Received) -> bytes:
        if len(server.received) == 1:
            return INTERIM
        late = answer(200, b"of the first request", **described) if received.connection == 0 else b""
        return late + answer(200, b"its own", **described)

    with WireServer(reply) as server:
        with pytest.raises(aws_errors()):
            delete(server.url)
        assert fetch(server.url)["Body"].read() == b"its own"
        assert fetch(server.url)["Body"].read() == b"its own"
        assert [one.connection for one in server.received] == [0, 1, 1], "another is kept as before"


def test_an_informational_response_says_nothing_about_conditions() -> None:
    with WireServer(lambda _: INTERIM if len(server.received) == 1 else answer(204)) as server:
        client = PROCESS.s3_client(endpoint_url=server.url)
        assert [are_honoured(client, "b-b", beside="d/") for _ in range(2)] == [True, False]


BROKEN_HEADS = {
    "behind the status": b"HTTP/1.1 204 X\r\n",
    "within a header": b'HTTP/1.1 200 X\r\nETag: "x"\r\nContent-Le',
    "behind a refusal": b"HTTP/1.1 404 X\r\n",
}


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)


@pytest.mark.usefixtures("no_pauses")
@pytest.mark.parametrize("broken", BROKEN_HEADS)
@pytest.mark.parametrize("call", [decrypt, listed, fetch, put, delete, assume])
def test_a_response_whose_head_breaks_off_proves_nothing(call: Callable[[str], Any], broken: str) -> None:
    with WireServer(lambda _: Close(BROKEN_HEADS[broken])) as server, pytest.raises(aws_errors()) as caught:
        call(server.url)
    assert (outcome_of(caught.value), error_code(caught.value)) == (RequestOutcome.UNKNOWN, "ConnectionClosedError")


@pytest.mark.usefixtures("no_pauses")
def test_a_response_that_breaks_off_in_100_continue_is_not_awaited() -> None:
    begins_to = b"HTTP/1.1 100 Continue\r\n"
    with WireServer(lambda _: Close(), go_on=begins_to) as server, pytest.raises(aws_errors()) as caught:
        put(server.url)
    assert (outcome_of(caught.value), error_code(caught.value)) == (RequestOutcome.UNKNOWN, "ConnectionClosedError")


@pytest.mark.parametrize("call", [put, delete])
def test_a_success_whose_body_does_not_arrive_proves_nothing(call: Callable[[str], Any]) -> None:
    head = b'HTTP/1.1 200 X\r\nETag: "x"\r\nContent-Length: 50\r\n\r\n'  # of a web page, perhaps
    with WireServer(lambda _: Close(head)) as server, pytest.raises(aws_errors()) as caught:
        call(server.url)
    assert (outcome_of(caught.value), error_code(caught.value)) == (RequestOutcome.UNKNOWN, "ResponseParserError")
