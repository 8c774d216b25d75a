"""Both transports share the table of what a response proves: libcurl gets each row from a misbehaving socket."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path

import pytest
from fast_clients import kms_at, s3_at, sts_at
from support.answers import TABLE, AnswerRow
from support.certificates import Certificates
from support.wire_server import Close, Replies, Reset, Stall, WireServer, answer, error_answer, in_turn

from s3memory.aws.errors import RequestError, RequestOutcome, error_code, is_answer
from s3memory.aws.fast.s3 import S3

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n"
DELETED = b"<DeleteResult><Error><Key>k</Key><Code>%s</Code></Error></DeleteResult>"


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("s3memory.aws.fast.http.CONNECT_TIMEOUT_SECONDS", 0.3)


ON_THE_WIRE: dict[str, tuple[Replies, str]] = {
    "read timeout": (lambda _: Stall(), "ReadTimeoutError"),
    "connection reset": (lambda _: Reset(), "ConnectionClosedError"),
    "400 RequestTimeout": (lambda _: error_answer(400, "RequestTimeout"), "RequestTimeout"),
    "403 AccessDenied": (lambda _: error_answer(403, "AccessDenied"), "AccessDenied"),
    "404 NoSuchKey": (lambda _: error_answer(404, "NoSuchKey"), "NoSuchKey"),
    "409 ConditionalRequestConflict": (
        lambda _: error_answer(409, "ConditionalRequestConflict"),
        "ConditionalRequestConflict",
    ),
    "412 PreconditionFailed": (lambda _: error_answer(412, "PreconditionFailed"), "PreconditionFailed"),
    "a success that is not S3's, such as a web page": (lambda _: answer(200, b"<html>"), "ResponseParserError"),
    "500 InternalError": (lambda _: error_answer(500, "InternalError"), "InternalError"),
    "429 SlowDown": (lambda _: error_answer(429, "SlowDown"), "SlowDown"),
    "503 SlowDown": (lambda _: error_answer(503, "SlowDown"), "SlowDown"),
    "503 ServiceUnavailable": (lambda _: error_answer(503, "ServiceUnavailable"), "ServiceUnavailable"),
}
"""What a server does, and the error's code, for the rows of the table that a plain HTTP server can produce."""

# Further ways to give no response, or an unreadable one, that are not in the table.
UNREADABLE: dict[str, tuple[Replies, str]] = {
    "closed without a word": (lambda _: Close(), "ConnectionClosedError"),
    "closed in the status line": (lambda _: Close(b"HTTP/1.1 2"), "ConnectionClosedError"),
    "closed in the headers": (lambda _: Close(b"HTTP/1.1 200 OK\r\nETag:"), "ConnectionClosedError"),
    "closed in the head after an informational one": (
        lambda _: Close(b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nETag: x\r\n"),
        "ConnectionClosedError",
    ),
    "closed in the body": (lambda _: Close(HEAD + b"\r\nhalf"), "IncompleteReadError"),
    "stalled in the headers": (lambda _: Stall(HEAD), "ReadTimeoutError"),
    "stalled in the body": (lambda _: Stall(HEAD + b"\r\nhalf"), "ReadTimeoutError"),
    "no HTTP at all": (lambda _: Close(b"SSH-2.0-x\r\n\r\n"), "ConnectionClosedError"),
    "a success without an ETag": (lambda _: answer(200), "ResponseParserError"),
    "an error inside a success": (
        lambda _: answer(200, b"<Error><Code>InternalError</Code></Error>", ETag='"x"'),
        "InternalError",
    ),
    "a server's error without a body": (lambda _: answer(502), "502"),
    "a server's error in HTML": (lambda _: answer(504, b"<html><body>gateway</html>"), "504"),
}


def page(tag: str) -> bytes:
    return f"<{tag}><IsTruncated>false</IsTruncated></{tag}>".encode()


CREDENTIALS = b"".join(
    b"<%s>2099-01-01T00:00:00Z</%s>" % (name, name)
    for name in (b"AccessKeyId", b"SecretAccessKey", b"SessionToken", b"Expiration")
)
GIVEN = (
    b'<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Credentials>%s</Credentials>'
    b"</AssumeRoleResponse>" % CREDENTIALS
)
DATA_KEY = b'{"Plaintext": "eA==", "CiphertextBlob": "eA=="}'
# Requests whose responses botocore reads completely, each with a response.
READ_AS_A_WHOLE: dict[str, tuple[Callable[[str], object], bytes]] = {
    "ListObjectsV2": (
        lambda url: s3_at(url, attempts=3).list_objects_v2(Bucket="b-b"),
        answer(200, page("ListBucketResult")),
    ),
    "ListObjectVersions": (
        lambda url: s3_at(url, attempts=3).list_object_versions(Bucket="b-b"),
        answer(200, page("ListVersionsResult")),
    ),
    "DeleteObjects": (
        lambda url: s3_at(url, attempts=3).delete_objects(Bucket="b-b", Delete={"Objects": [{"Key": "k"}]}),
        answer(200, b"<DeleteResult></DeleteResult>"),
    ),
    "PutObject": (lambda url: put(s3_at(url, attempts=3)), answer(200, b"  ", ETag='"x"')),
    "Decrypt": (lambda url: kms_at(url, attempts=3).decrypt(CiphertextBlob=b"x"), answer(200, DATA_KEY)),
    "AssumeRole": (lambda url: sts_at(url, attempts=3).assume_role(RoleArn="arn"), answer(200, GIVEN)),
}


def put(s3: S3) -> object:
    return s3.put_object(Bucket="b-b", Key="k", Body=b"sealed", IfNoneMatch="*")


def failed(call: Callable[[], object]) -> RequestError:
    with pytest.raises(RequestError) as caught:
        call()
    assert caught.value.__cause__ is None
    return caught.value


@pytest.mark.parametrize("row", [row for row in TABLE if row.answer in ON_THE_WIRE], ids=lambda row: row.answer)
def test_a_servers_response_is_classified_as_the_table_says(row: AnswerRow) -> None:
    reply, code = ON_THE_WIRE[row.answer]
    with WireServer(reply) as server:
        error = failed(lambda: put(s3_at(server.url, timeout_seconds=0.3)))
    assert (error.outcome, error_code(error)) == (row.outcome, code)
    assert is_answer(error) is row.answer[:3].isdigit()
    assert len(server.received) == 1


@pytest.mark.parametrize("case", UNREADABLE)
def test_an_unreadable_response_proves_nothing(case: str) -> None:
    reply, code = UNREADABLE[case]
    with WireServer(reply) as server:
        error = failed(lambda: put(s3_at(server.url, timeout_seconds=0.3)))
    assert (error.outcome, error_code(error)) == (RequestOutcome.UNKNOWN, code)
    assert len(server.received) == 1


DATE = b"Last-Modified: Mon, 02 Mar 2026 12:00:00 GMT\r\n"
CHUNKED = b'HTTP/1.1 200 OK\r\nETag: "x"\r\n' + DATE + b"Transfer-Encoding: chunked\r\n\r\n"
WHOLE = answer(200, b"sealed", ETag='"x"', Last_Modified="Mon, 02 Mar 2026 12:00:00 GMT")
UNUSUAL: dict[str, tuple[bytes, bytes]] = {
    "trailers": (
        CHUNKED + b"6\r\nsealed\r\n0\r\nETag: other\r\nX-Sum: a\r\n\r\n",
        CHUNKED + b"0\r\nETag: other\r\nX-Sum: a\r\n\r\n",
    ),
    "lines that end in a line feed": (
        WHOLE.replace(b"\r\n", b"\n"),
        answer(200, ETag='"x"').replace(b"\r\n", b"\n"),
    ),
    "informational answers before it": (
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nETag: other\r\n\r\n" + WHOLE,
        b"HTTP/1.1 103 Early\r\nETag: other\r\n\r\n" + answer(200, ETag='"x"'),
    ),
}
"""Complete responses, to a GET and to a PUT, that contain more than a head and a body."""


@pytest.mark.parametrize("kind", UNUSUAL)
def test_a_response_with_more_than_a_head_and_a_body_is_valid(kind: str) -> None:
    to_get, to_put = UNUSUAL[kind]
    with WireServer(in_turn([to_get, to_put])) as server:
        s3 = s3_at(server.url)
        got = s3.get_object(Bucket="b-b", Key="k")
        stored = s3.put_object(Bucket="b-b", Key="k", Body=b"x")
    assert (got["ETag"], got["Body"].read(), stored["ETag"]) == ('"x"', b"sealed", '"x"')


def refused_address() -> AbstractContextManager[str]:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    return nullcontext(f"http://127.0.0.1:{port}")


def unknown_name() -> AbstractContextManager[str]:
    return nullcontext("http://no-such-name.invalid")


NEVER_SENT: dict[str, tuple[Callable[[], AbstractContextManager[str]], str]] = {
    "name not resolved": (unknown_name, "EndpointConnectionError"),
    "connection refused": (refused_address, "EndpointConnectionError"),
}


@pytest.mark.parametrize("case", NEVER_SENT)
def test_a_request_that_was_never_sent_was_not_carried_out(case: str) -> None:
    address, code = NEVER_SENT[case]
    with address() as url:
        error = failed(lambda: put(s3_at(url)))
    assert (error.outcome, error_code(error)) == (RequestOutcome.NOT_DONE, code)


def test_a_request_whose_connection_took_too_long_was_not_carried_out() -> None:
    # A server that accepts no connections, and whose queue is full.
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        try:
            for one in waiting:
                one.settimeout(0)
                one.connect_ex(server.getsockname())
            error = failed(lambda: put(s3_at(f"http://127.0.0.1:{server.getsockname()[1]}")))
        finally:
            for one in waiting:
                one.close()
    assert (error.outcome, error_code(error)) == (RequestOutcome.NOT_DONE, "ConnectTimeoutError")


def test_a_server_whose_handshake_takes_too_long_received_no_request(certificates: Certificates) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:  # it sends nothing
        url = f"https://127.0.0.1:{server.getsockname()[1]}"
        error = failed(lambda: put(s3_at(url, ca_file=str(certificates.authority))))
    assert (error.outcome, error_code(error)) == (RequestOutcome.NOT_DONE, "ConnectTimeoutError")


def test_a_server_that_does_not_speak_tls_received_no_request(certificates: Certificates) -> None:
    class Plain(WireServer):
        def _serve(self, connection: socket.socket, number: int) -> None:
            del number
            # A handshake is random bytes: read as lines, it may never end.
            with suppress(OSError), connection:
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with Plain(lambda _: answer()) as server:
        url = server.url.replace("http:", "https:")
        error = failed(lambda: put(s3_at(url, ca_file=str(certificates.authority))))
    assert (error.outcome, error_code(error)) == (RequestOutcome.NOT_DONE, "SSLError")


def test_a_server_with_an_untrusted_certificate_received_no_request(certificates: Certificates, tmp_path: Path) -> None:
    other = Certificates(tmp_path)
    with WireServer(lambda _: answer(), tls=certificates.server_context()) as server:
        for trusted in (str(other.authority), "/dev/null"):
            error = failed(lambda trusted=trusted: put(s3_at(server.url, ca_file=trusted)))  # type: ignore[misc]
            assert (error.outcome, error_code(error)) == (RequestOutcome.NOT_DONE, "SSLError")
    assert server.received == []


def test_certificates_are_found_under_a_path_that_is_not_ascii(certificates: Certificates, tmp_path: Path) -> None:
    folder = tmp_path / "j\u00fcrgen"
    folder.mkdir()
    ca_file = folder / "authority.pem"
    ca_file.write_bytes(certificates.authority.read_bytes())
    with WireServer(lambda _: answer(ETag='"x"'), tls=certificates.server_context()) as server:
        put(s3_at(server.url, ca_file=str(ca_file)))
        with refused_address() as proxy:
            error = failed(lambda: put(s3_at(server.url, ca_file=str(ca_file), proxy=proxy)))
    assert error_code(error) == "ProxyConnectionError"


def test_a_server_whose_certificate_names_another_host_received_no_request(certificates: Certificates) -> None:
    with WireServer(lambda _: answer(ETag='"x"'), tls=certificates.server_context("elsewhere.example")) as server:
        error = failed(lambda: put(s3_at(server.url, ca_file=str(certificates.authority))))
    assert (error.outcome, error_code(error)) == (RequestOutcome.NOT_DONE, "SSLError")
    assert server.received == []


def test_tls_damage_after_sending_proves_nothing(certificates: Certificates) -> None:
    context = certificates.server_context()

    class Damaging(WireServer):
        def _serve(self, connection: socket.socket, number: int) -> None:
            del number
            secured = context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
            with suppress(OSError), secured, socket.socket(fileno=os.dup(secured.fileno())) as raw:
                secured.do_handshake()
                secured.recv(65_536)
                raw.sendall(b"\x17\x03\x03\x00\x20" + bytes(32))  # a record under a key of no session
                secured.recv(1)

    with Damaging(lambda _: answer(), tls=context) as server:
        error = failed(lambda: put(s3_at(server.url, ca_file=str(certificates.authority), timeout_seconds=0.3)))
    assert error.outcome is RequestOutcome.UNKNOWN


def test_a_trusted_server_is_reached_over_tls_and_the_connection_is_kept(certificates: Certificates) -> None:
    with WireServer(lambda _: answer(ETag='"x"'), tls=certificates.server_context()) as server:
        s3 = s3_at(server.url, ca_file=str(certificates.authority))
        put(s3)
        put(s3)
    assert server.connections == 1


@pytest.mark.parametrize("row", [row for row in TABLE if row.answer.startswith("200 ")], ids=lambda row: row.answer)
def test_errors_by_key_are_returned_unchanged(row: AnswerRow) -> None:
    code = row.answer.split()[2].rstrip(",")
    with WireServer(lambda _: answer(200, DELETED % code.encode())) as server:
        told = s3_at(server.url).delete_objects(Bucket="b-b", Delete={"Objects": [{"Key": "k"}], "Quiet": True})
    assert told["Errors"] == [{"Key": "k", "Code": code}]


def test_a_delete_answered_by_a_web_page_proves_nothing() -> None:
    with WireServer(lambda _: answer(200, b"<html><body>Blocked by the proxy</body></html>")) as server:
        error = failed(lambda: s3_at(server.url).delete_object(Bucket="b-b", Key="k", IfMatch='"x"'))
    assert error.outcome is RequestOutcome.UNKNOWN


@pytest.mark.parametrize("body", [b"", b"<DeleteResult>", b"<Other/>", b"{}"])
def test_a_delete_of_many_without_a_readable_response_proves_nothing(body: bytes) -> None:
    with WireServer(lambda _: answer(200, body)) as server:
        error = failed(lambda: s3_at(server.url).delete_objects(Bucket="b-b", Delete={"Objects": [{"Key": "k"}]}))
    assert error.outcome is RequestOutcome.UNKNOWN


class TestRetries:
    """As in botocore's standard mode."""

    @pytest.mark.parametrize(
        "first",
        [
            Reset(),
            Close(),
            error_answer(500, "InternalError"),
            error_answer(503, "SlowDown"),
            answer(502),
            error_answer(400, "RequestThrottled"),
            error_answer(400, "RequestTimeout"),
        ],
        ids=["reset", "closed", "500", "503", "502", "400 RequestThrottled", "400 RequestTimeout"],
    )
    def test_follow_temporary_failures(self, first: bytes | Reset | Close) -> None:
        pauses: list[float] = []
        with WireServer(in_turn([first, answer(ETag='"x"')])) as server:
            put(s3_at(server.url, attempts=3, sleep=pauses.append))
        assert (len(server.received), len(pauses)) == (2, 1)
        one, two = server.received
        assert (one.target, one.body, one.header("if-none-match")) == (
            two.target,
            two.body,
            two.header("if-none-match"),
        )

    def test_stop_at_the_limit_and_pause_longer_each_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("random.random", lambda: 1.0)
        pauses: list[float] = []
        with WireServer(lambda _: error_answer(500, "InternalError")) as server:
            failed(lambda: put(s3_at(server.url, attempts=3, sleep=pauses.append)))
            assert (len(server.received), pauses) == (3, [0.05, 0.1])
            server.reply = lambda _: error_answer(503, "SlowDown")
            failed(lambda: put(s3_at(server.url, attempts=3, sleep=pauses.append)))
            assert pauses[2:] == [1.0, 2.0]

    @pytest.mark.parametrize(
        ("asked", "paused"), [("3000", 3.0), ("60000", 6.0), ("9" * 400, 6.0), ("-1", 1.0), ("soon", 1.0)]
    )
    def test_wait_as_long_as_the_server_asks_within_bounds(
        self, monkeypatch: pytest.MonkeyPatch, asked: str, paused: float
    ) -> None:
        monkeypatch.setattr("random.random", lambda: 1.0)
        pauses: list[float] = []
        with WireServer(lambda _: error_answer(503, "SlowDown", x_amz_retry_after=asked)) as server:
            failed(lambda: put(s3_at(server.url, attempts=2, sleep=pauses.append)))
        assert pauses == [paused]

    @pytest.mark.parametrize(
        ("status", "code"), [(403, "AccessDenied"), (412, "PreconditionFailed"), (404, "NoSuchKey")]
    )
    def test_do_not_follow_a_refusal(self, status: int, code: str) -> None:
        with WireServer(lambda _: error_answer(status, code)) as server:
            failed(lambda: put(s3_at(server.url, attempts=3)))
        assert len(server.received) == 1

    def test_stop_when_the_client_has_retried_too_often_in_total(self) -> None:
        with WireServer(lambda _: error_answer(500, "InternalError")) as server:
            s3 = s3_at(server.url, attempts=3)
            for _ in range(40):
                failed(lambda: put(s3))
            assert len(server.received) == 40 + 500 // 14
            server.reply = lambda _: answer(ETag='"x"')
            for _ in range(14):
                put(s3)
            server.received.clear()
            server.reply = in_turn([error_answer(500, "InternalError"), answer(ETag='"x"')])
            put(s3)
        assert len(server.received) == 2

    @pytest.mark.parametrize("operation", READ_AS_A_WHOLE)
    def test_follow_a_response_that_broke_off_in_its_body(self, operation: str) -> None:
        ask, whole = READ_AS_A_WHOLE[operation]
        with WireServer(in_turn([Close(whole[:-1]), whole])) as server:
            ask(server.url)
        assert len(server.received) == 2

    @pytest.mark.parametrize("operation", ["ListObjectsV2", "ListObjectVersions"])
    def test_follow_a_truncated_listing_whose_length_looks_complete(self, operation: str) -> None:
        ask, whole = READ_AS_A_WHOLE[operation]
        with WireServer(in_turn([answer(200, b"<ListBucketResult><IsTrunc"), whole])) as server:
            ask(server.url)
        assert len(server.received) == 2

    def test_of_a_write_leave_it_unknown_whether_a_broken_off_response_meant_success(self) -> None:
        seen: list[RequestOutcome] = []
        with WireServer(in_turn([Close(HEAD + b"\r\nhalf"), error_answer(412, "PreconditionFailed")])) as server:
            s3 = s3_at(server.url, attempts=3)
            s3.meta.watch_attempts(lambda error: seen.append(error.outcome))
            failed(lambda: put(s3))
        assert seen == [RequestOutcome.UNKNOWN, RequestOutcome.PRECONDITION_FAILED]

    def test_of_a_read_whose_body_broke_off_are_left_to_the_caller(self) -> None:
        with WireServer(lambda _: Close(HEAD + b"\r\nhalf")) as server:
            failed(lambda: s3_at(server.url, attempts=3).get_object(Bucket="b-b", Key="k"))
        assert len(server.received) == 1


def test_the_server_cannot_set_the_clock() -> None:
    with WireServer(lambda _: error_answer(403, "RequestTimeTooSkewed")) as server:
        error = failed(lambda: put(s3_at(server.url, attempts=3)))
    assert error.outcome is RequestOutcome.DENIED
    assert len(server.received) == 1


def test_no_server_can_put_its_own_text_into_an_errors_code() -> None:
    with WireServer(lambda _: error_answer(400, "arn:aws:s3:::someone-elses")) as server:
        error = failed(lambda: put(s3_at(server.url)))
    assert str(error) == "unknown"
