"""What a response proves about a write: every row of the table, for every kind of write, first and later attempts."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import (
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
    SSLError,
)
from support.answers import TABLE, AnswerRow, Proof
from support.faults import ANSWER_LOST, Fault, FaultLayer, errors_by_key, refused
from support.repository import REPOSITORY

from s3memory.aws.errors import RequestOutcome, outcome_of
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import BackendError, OutcomeUnknownError
from s3memory.s3.bucket import Bucket
from s3memory.s3.objects import Deletion

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

URL = "https://fault"
PAGE = "<html><body>Blocked by the proxy</body></html>"


def never_sent(error: Exception) -> Fault:
    return Fault(is_sent=False, error=error)


FAULTS: dict[str, Fault] = {
    "name not resolved": never_sent(EndpointConnectionError(endpoint_url=URL, error=socket.gaierror())),
    "connection refused": never_sent(EndpointConnectionError(endpoint_url=URL, error=ConnectionRefusedError())),
    "connect timeout": never_sent(ConnectTimeoutError(endpoint_url=URL)),
    "TLS handshake failed": never_sent(SSLError(endpoint_url=URL, error=ssl.SSLCertVerificationError())),
    "TLS damaged after sending": Fault(error=SSLError(endpoint_url=URL, error=ssl.SSLError("bad record mac"))),
    "read timeout": Fault(error=ReadTimeoutError(endpoint_url=URL)),
    "connection reset": ANSWER_LOST,
    "400 RequestTimeout": refused(400, "RequestTimeout"),
    "403 AccessDenied": refused(403, "AccessDenied"),
    "404 NoSuchKey": refused(404, "NoSuchKey"),
    "409 ConditionalRequestConflict": refused(409, "ConditionalRequestConflict"),
    "412 PreconditionFailed": refused(412, "PreconditionFailed"),
    "429 SlowDown": refused(429, "SlowDown"),
    "a refusal without an error code of S3": Fault(is_sent=False, answer=(403, ""), document=PAGE),
    "a success that is not S3's, such as a web page": Fault(is_sent=False, answer=(200, ""), document=PAGE),
    "an informational answer, such as 103": Fault(is_sent=False, answer=(103, ""), document=""),
    "500 InternalError": refused(500, "InternalError"),
    "503 SlowDown": refused(503, "SlowDown"),
    "503 ServiceUnavailable": refused(503, "ServiceUnavailable"),
    "200 with PreconditionFailed for a key": errors_by_key([("k", "", "PreconditionFailed")]),
    "200 with InternalError, SlowDown or ServiceUnavailable for a key": errors_by_key([("k", "", "SlowDown")]),
    "200 with AccessDenied for a key": errors_by_key([("k", "", "AccessDenied")]),
}
LOST = refused(500, "InternalError")  # a response that proves nothing, to a request that was not carried out

Write = Callable[[Bucket, str], Proof]


def put_new(bucket: Bucket, _: str) -> Proof:
    return Proof.DONE if bucket.put("new", b"ours") is not None else Proof.NOT_DONE


def put_over(bucket: Bucket, etag: str) -> Proof:
    return Proof.DONE if bucket.put("k", b"ours", over=etag) is not None else Proof.NOT_DONE


def delete(bucket: Bucket, etag: str) -> Proof:
    return Proof.DONE if bucket.deletes.one("k", etag=etag) is Deletion.DONE else Proof.NOT_DONE


def delete_many(bucket: Bucket, etag: str) -> Proof:
    left = bucket.deletes.many({"k": etag})
    return {None: Proof.DONE, Deletion.CHANGED: Proof.NOT_DONE, Deletion.UNKNOWN: Proof.UNKNOWN}[left.get("k")]


WRITES: dict[str, tuple[str, Write]] = {
    "PUT where nothing is": ("PutObject", put_new),
    "PUT over": ("PutObject", put_over),
    "DELETE": ("DeleteObject", delete),
    "DeleteObjects": ("DeleteObjects", delete_many),
}


@pytest.fixture
def s3_bucket(single_attempt_s3: S3Client, bucket: str) -> Bucket:
    return Bucket(single_attempt_s3, bucket, retry=RetryPolicy(max_tries=3, sleep=lambda _: None))


def proved(write: Write, bucket: Bucket, etag: str) -> Proof:
    try:
        return write(bucket, etag)
    except OutcomeUnknownError:
        return Proof.UNKNOWN
    except BackendError:
        return Proof.NOT_DONE


def can_meet(row: AnswerRow, name: str) -> bool:
    """Whether a kind of write can get a kind of response."""
    if row.answer == "404 NoSuchKey":  # a directory's delete only asks that the key is gone, by whomever
        return name != "DeleteObjects"
    return name == "DeleteObjects" if row.answer.startswith("200 ") else True


CASES = [(row, name) for row in TABLE[1:] for name in WRITES if can_meet(row, name)]
IDS = [f"{name}: {row.answer}" for row, name in CASES]


@pytest.mark.parametrize(("row", "name"), CASES, ids=IDS)
def test_a_response_to_the_first_attempt_proves_what_the_table_says(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer, row: AnswerRow, name: str
) -> None:
    operation, write = WRITES[name]
    etag = s3_bucket.put("k", b"theirs") or ""
    fault = FAULTS[row.answer]
    single_attempt_faults.hit(operation, fault, times=9)
    # The requests that follow a DeleteObjects.
    single_attempt_faults.hit(
        "DeleteObject", refused(403, "AccessDenied") if row.answer.startswith("200 ") else fault, times=9
    )
    single_attempt_faults.hit("GetObject", refused(500, "InternalError"), times=9)  # nothing settles an unknown outcome
    assert proved(write, s3_bucket, etag) is row.first


@pytest.mark.parametrize(("row", "name"), CASES, ids=IDS)
def test_no_response_proves_anything_about_an_earlier_attempt_without_one(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer, row: AnswerRow, name: str
) -> None:
    operation, write = WRITES[name]
    etag = s3_bucket.put("k", b"theirs") or ""
    fault = FAULTS[row.answer]
    single_attempt_faults.hit(operation, LOST)
    single_attempt_faults.hit(
        "DeleteObject" if name == "DeleteObjects" else operation, fault, nth=1 + (name != "DeleteObjects"), times=9
    )
    single_attempt_faults.hit("GetObject", refused(500, "InternalError"), times=9)
    if row.answer.startswith("200 "):
        single_attempt_faults.hit("DeleteObject", refused(403, "AccessDenied"), times=9)
    assert proved(write, s3_bucket, etag) is row.later is Proof.UNKNOWN


def test_every_response_of_the_table_occurs() -> None:
    assert {row.answer for row in TABLE[1:]} == set(FAULTS)


def test_the_page_shows_the_table() -> None:
    page = (REPOSITORY / "docs" / "semantics.md").read_text("utf-8")
    words = {Proof.DONE: "done", Proof.NOT_DONE: "not done", Proof.UNKNOWN: "unknown"}
    for row in TABLE:
        assert f"| {row.answer} | {words[row.first]} | {words[row.later]} |" in page


def test_a_server_that_breaks_off_the_handshake_received_no_request() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer_in_clear() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=answer_in_clear, daemon=True).start()
        client = boto3.client(
            "s3",
            endpoint_url=f"https://127.0.0.1:{server.getsockname()[1]}",
            config=Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"}),
        )
        with pytest.raises(SSLError) as caught:
            client._endpoint.http_session.send(_prepared(client))  # type: ignore[attr-defined]  # past moto, as below
    assert outcome_of(caught.value) is RequestOutcome.NOT_DONE


def _prepared(client: S3Client) -> object:
    from botocore.awsrequest import AWSRequest  # noqa: PLC0415 - past moto, which answers whatever the client sends

    return AWSRequest(method="PUT", url=f"{client.meta.endpoint_url}/b/k", data=b"x").prepare()
