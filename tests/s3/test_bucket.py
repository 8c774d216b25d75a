"""The S3 requests: conditions, and the handling of responses that are lost, late or ambiguous."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.config import Config
from support.fast_transport import IS_FAST
from support.faults import (
    ANSWER_LOST,
    BODY_CUT,
    NOT_SENT,
    Fault,
    FaultLayer,
    done_but_reported,
    errors_by_key,
    other_writer_first,
    refused,
)
from support.wire_server import Close, Received, WireServer, answer, error_answer

from s3memory.aws.clients import BOTO3, FAST, clients_of_process
from s3memory.aws.errors import aws_errors, error_code
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import (
    AccessDeniedError,
    BackendError,
    IntegrityError,
    OutcomeUnknownError,
    UnavailableError,
)
from s3memory.s3.bucket import Bucket
from s3memory.s3.objects import Deletion, Noted, ObjectInfo
from s3memory.s3.versions import ListedVersion, Upload

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

CONFLICT = refused(409, "ConditionalRequestConflict")
SLOW_DOWN = refused(503, "SlowDown")


@pytest.fixture(scope="module")
def retrying_s3() -> S3Client:
    return boto3.client("s3", config=Config(retries={"total_max_attempts": 3, "mode": "standard"}))


@pytest.fixture
def retried_faults(retrying_s3: S3Client, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultLayer]:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    with FaultLayer(retrying_s3) as layer:
        yield layer


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def s3_bucket(single_attempt_s3: S3Client, bucket: str, pauses: list[float]) -> Bucket:
    return Bucket(single_attempt_s3, bucket, retry=RetryPolicy(max_tries=4, sleep=pauses.append))


@pytest.fixture
def retried_bucket(retrying_s3: S3Client, bucket: str, pauses: list[float]) -> Bucket:
    return Bucket(retrying_s3, bucket, retry=RetryPolicy(max_tries=4, sleep=pauses.append))


def test_an_object_is_created_only_if_there_is_none(s3_bucket: Bucket) -> None:
    etag = s3_bucket.put("k", b"one")
    assert etag is not None
    assert s3_bucket.put("k", b"two") is None
    stored = s3_bucket.get("k")
    assert stored is not None
    assert (stored.body, stored.info.etag) == (b"one", etag)


def test_an_object_is_replaced_only_if_it_is_unchanged_since_the_read(s3_bucket: Bucket) -> None:
    first = s3_bucket.put("k", b"one") or ""
    second = s3_bucket.put("k", b"two", over=first)
    assert second is not None
    assert s3_bucket.put("k", b"three", over=first) is None
    assert s3_bucket.put("gone", b"three", over=first) is None


def test_an_object_is_deleted_only_if_it_is_unchanged_since_the_read(s3_bucket: Bucket) -> None:
    first = s3_bucket.put("k", b"one") or ""
    second = s3_bucket.put("k", b"two", over=first) or ""
    assert s3_bucket.deletes.one("k", etag=first) is Deletion.CHANGED
    assert s3_bucket.deletes.one("k", etag=second) is Deletion.DONE
    assert s3_bucket.deletes.one("k", etag=second) is Deletion.MISSING


def test_a_missing_object_is_none_and_not_an_error(s3_bucket: Bucket) -> None:
    assert s3_bucket.get("nothing") is None
    assert s3_bucket.head("nothing") is None


def test_a_listing_pages_through_everything_and_groups_at_slashes(s3_bucket: Bucket) -> None:
    for number in range(5):
        s3_bucket.put(f"d/{number}", b"x")
    s3_bucket.put("d/e/1", b"x")
    page = s3_bucket.list_page("d/", max_keys=2)
    assert len(page.objects) == 2
    assert page.next_token is not None
    grouped = s3_bucket.list_page("d/", delimited=True)
    assert grouped.prefixes == ("d/e/",)
    assert len(grouped.objects) == 5
    assert [listed.object_key for page in s3_bucket.list_pages("d/") for listed in page.objects] == [
        *(f"d/{number}" for number in range(5)),
        "d/e/1",
    ]


def test_a_copy_names_its_source_until_it_is_written_again(s3_bucket: Bucket) -> None:
    source = s3_bucket.put("a", b"one") or ""
    copy = s3_bucket.put("b", b"two", noted=Noted(copied_from=(source.strip('"'),))) or ""
    original, copied = s3_bucket.head("a"), s3_bucket.head("b")
    assert original is not None
    assert copied is not None
    assert copied.is_copy_of(original.etags)
    s3_bucket.put("b", b"three", over=copy)
    edited = s3_bucket.head("b")
    assert edited is not None
    assert not edited.is_copy_of(original.etags)


def test_an_object_larger_than_any_of_ours_is_refused_unread(single_attempt_s3: S3Client, bucket: str) -> None:
    small = Bucket(single_attempt_s3, bucket, retry=RetryPolicy(max_tries=1), max_object_bytes=4)
    small.put("k", b"12345")
    with pytest.raises(IntegrityError):
        small.get("k")
    assert small.get("k", max_bytes=5) is not None


def test_a_write_whose_response_was_lost_is_recognised_as_ours(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer
) -> None:
    single_attempt_faults.hit("PutObject", ANSWER_LOST)
    etag = s3_bucket.put("k", b"one")
    info = s3_bucket.head("k")
    assert info is not None
    assert etag == info.etag


def test_a_write_that_botocore_sent_twice_is_recognised_as_ours(
    retried_bucket: Bucket, retried_faults: FaultLayer
) -> None:
    first = retried_bucket.put("k", b"zero") or ""
    retried_faults.hit("PutObject", done_but_reported(500, "InternalError"))
    etag = retried_bucket.put("k", b"one", over=first)
    assert retried_faults.counts["PutObject"] == 3
    info = retried_bucket.head("k")
    assert info is not None
    assert etag == info.etag


def test_a_write_that_botocore_sent_twice_is_recognised_as_ours_even_if_its_thread_wrote_something_else(
    s3_bucket: Bucket, retried_bucket: Bucket, retried_faults: FaultLayer
) -> None:
    """A hook on the client might do this."""
    retried_faults.hit("PutObject", Fault(action=lambda: s3_bucket.put("another", b"two")))
    etag = retried_bucket.put("k", b"one")
    info = retried_bucket.head("k")
    assert info is not None
    assert etag == info.etag


def test_somebody_elses_write_is_not_ours_if_ours_was_never_sent(
    retried_bucket: Bucket, retried_faults: FaultLayer, s3: S3Client, bucket: str
) -> None:
    retried_faults.hit("PutObject", NOT_SENT)
    retried_faults.hit(
        "PutObject", other_writer_first(lambda: s3.put_object(Bucket=bucket, Key="k", Body=b"theirs")), nth=2
    )
    assert retried_bucket.put("k", b"ours") is None


def test_a_change_by_others_after_a_write_with_an_unknown_outcome_leaves_the_outcome_unknown(
    retried_bucket: Bucket, retried_faults: FaultLayer, s3: S3Client, bucket: str
) -> None:
    retried_faults.hit("PutObject", ANSWER_LOST)
    edited = other_writer_first(lambda: s3.put_object(Bucket=bucket, Key="k", Body=b"ours and theirs"))
    retried_faults.hit("PutObject", edited, nth=2)
    with pytest.raises(OutcomeUnknownError):
        retried_bucket.put("k", b"ours")


def test_a_missing_object_does_not_prove_whose_delete_it_was(
    retried_bucket: Bucket, retried_faults: FaultLayer, s3: S3Client, bucket: str
) -> None:
    for fault in (ANSWER_LOST, done_but_reported(503, "SlowDown"), refused(500, "InternalError")):
        etag = retried_bucket.put("k", b"one") or ""
        retried_faults.hit("DeleteObject", fault)
        retried_faults.hit("DeleteObject", other_writer_first(lambda: s3.delete_object(Bucket=bucket, Key="k")), nth=2)
        with pytest.raises(OutcomeUnknownError):
            retried_bucket.deletes.one("k", etag=etag)


def test_a_delete_with_an_unknown_outcome_is_not_mistaken_for_somebody_elses_edit(
    retried_bucket: Bucket, retried_faults: FaultLayer, s3: S3Client, bucket: str
) -> None:
    etag = retried_bucket.put("k", b"one") or ""
    retried_faults.hit("DeleteObject", ANSWER_LOST)
    made_anew = other_writer_first(lambda: s3.put_object(Bucket=bucket, Key="k", Body=b"theirs"))
    retried_faults.hit("DeleteObject", made_anew, nth=2)
    with pytest.raises(OutcomeUnknownError):
        retried_bucket.deletes.one("k", etag=etag)
    stored = retried_bucket.get("k")
    assert stored is not None
    assert stored.body == b"theirs"


def test_an_edit_that_may_be_part_of_what_others_wrote_is_not_repeated(
    retried_bucket: Bucket, retried_faults: FaultLayer, s3: S3Client, bucket: str
) -> None:
    etag = retried_bucket.put("k", b"one") or ""
    retried_faults.hit("PutObject", ANSWER_LOST)
    edited = other_writer_first(lambda: s3.put_object(Bucket=bucket, Key="k", Body=b"ours and theirs"))
    retried_faults.hit("PutObject", edited, nth=2)
    with pytest.raises(OutcomeUnknownError):
        retried_bucket.put("k", b"ours", over=etag)


def test_a_successful_write_is_found_even_if_the_last_attempt_was_throttled(
    retried_bucket: Bucket, retried_faults: FaultLayer
) -> None:
    retried_faults.hit("PutObject", ANSWER_LOST)
    retried_faults.hit("PutObject", SLOW_DOWN, nth=2, times=2)
    assert retried_bucket.put("k", b"one") is not None


def test_the_lost_response_fault_carries_out_the_request(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer, s3: S3Client, bucket: str
) -> None:
    single_attempt_faults.hit("PutObject", ANSWER_LOST)
    with pytest.raises(aws_errors()) as caught:
        s3_bucket._client.put_object(Bucket=bucket, Key="k", Body=b"one")
    assert error_code(caught.value) == "ConnectionClosedError"
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"one"


def test_a_write_that_never_gets_a_response_is_reported_as_unknown(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer
) -> None:
    single_attempt_faults.hit("PutObject", refused(500, "InternalError"), times=9)
    with pytest.raises(OutcomeUnknownError, match="not known whether"):
        s3_bucket.put("k", b"one")
    etag = "whatever"
    single_attempt_faults.hit("DeleteObject", refused(500, "InternalError"), times=9)
    with pytest.raises(OutcomeUnknownError, match="not known whether"):
        s3_bucket.deletes.one("k", etag=etag)


def test_a_write_is_unknown_if_it_cannot_be_looked_up_either(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer
) -> None:
    single_attempt_faults.hit("PutObject", ANSWER_LOST, times=9)
    single_attempt_faults.hit("GetObject", SLOW_DOWN, times=9)
    with pytest.raises(OutcomeUnknownError):
        s3_bucket.put("k", b"one")


def test_a_conflict_is_retried_and_never_mistaken_for_exists(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer, pauses: list[float]
) -> None:
    single_attempt_faults.hit("PutObject", CONFLICT, times=2)
    etag = s3_bucket.put("k", b"one")
    assert etag is not None
    assert len(pauses) == 2
    single_attempt_faults.hit("DeleteObject", CONFLICT)
    assert s3_bucket.deletes.one("k", etag=etag) is Deletion.DONE


@pytest.mark.parametrize(
    "write",
    [lambda bucket: bucket.put("k", b"one"), lambda bucket: bucket.deletes.one("k", etag='"e"')],
    ids=["put", "delete"],
)
def test_an_endless_conflict_changes_nothing_and_says_so(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer, write: Callable[[Bucket], object]
) -> None:
    single_attempt_faults.hit("PutObject", CONFLICT, times=99)
    single_attempt_faults.hit("DeleteObject", CONFLICT, times=99)
    with pytest.raises(UnavailableError, match="Nothing was changed"):
        write(s3_bucket)
    assert s3_bucket.get("k") is None


REQUESTS: dict[str, Callable[[Bucket], object]] = {
    "GetObject": lambda bucket: bucket.get("k"),
    "HeadObject": lambda bucket: bucket.head("k"),
    "PutObject": lambda bucket: bucket.put("k", b"x"),
    "DeleteObject": lambda bucket: bucket.deletes.one("k", etag='"e"'),
    "ListObjectsV2": lambda bucket: bucket.list_page("k"),
}


@pytest.mark.parametrize("operation", REQUESTS)
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (NOT_SENT, UnavailableError),
        (refused(403, "AccessDenied"), AccessDeniedError),
        (refused(400, "ExpiredToken"), AccessDeniedError),
        (refused(400, "InvalidRequest"), BackendError),
    ],
    ids=["out-of-reach", "denied", "expired", "refused"],
)
def test_every_failure_is_classified_by_what_to_do_about_it(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer, operation: str, fault: object, error: type[BackendError]
) -> None:
    single_attempt_faults.hit(operation, fault, times=9)  # type: ignore[arg-type]
    with pytest.raises(error, match="Nothing was changed") as caught:
        REQUESTS[operation](s3_bucket)
    assert type(caught.value) is error
    assert caught.value.__cause__ is not None


def test_a_body_that_breaks_off_is_read_again(s3_bucket: Bucket, single_attempt_faults: FaultLayer) -> None:
    s3_bucket.put("k", b"one")
    single_attempt_faults.hit("GetObject", BODY_CUT)
    stored = s3_bucket.get("k")
    assert stored is not None
    assert stored.body == b"one"


def test_a_read_without_a_response_takes_no_longer_than_the_transports_own_attempts(
    retried_bucket: Bucket, retried_faults: FaultLayer
) -> None:
    retried_faults.hit("GetObject", ANSWER_LOST, times=99)
    with pytest.raises(UnavailableError):
        retried_bucket.get("k")
    assert retried_faults.counts["GetObject"] == 3


def test_no_attempt_starts_when_the_caller_has_no_time_left() -> None:
    slept: list[float] = []
    policy = RetryPolicy(max_tries=9, remaining_seconds=lambda: 0.0, sleep=slept.append)
    assert list(policy.attempts()) == [0]
    assert slept == []


def test_pauses_grow_and_stay_bounded() -> None:
    slept: list[float] = []
    assert list(RetryPolicy(max_tries=12, sleep=slept.append).attempts()) == list(range(12))
    assert len(slept) == 11
    assert all(0 <= pause <= 1 for pause in slept)


def test_deleting_many_reports_what_it_did_not_delete(s3_bucket: Bucket, single_attempt_faults: FaultLayer) -> None:
    for name in "ab":
        s3_bucket.put(name, b"x")
    listed = {one.object_key: one.etag for one in s3_bucket.list_page("").objects}
    etag = s3_bucket.put("a", b"another", over=listed["a"]) or ""
    assert s3_bucket.deletes.many(listed) == {"a": Deletion.CHANGED}
    assert s3_bucket.deletes.many({**listed, "a": etag}) == {"b": Deletion.MISSING}
    single_attempt_faults.hit("DeleteObjects", NOT_SENT, times=9)
    with pytest.raises(UnavailableError):
        s3_bucket.deletes.many(listed)


@pytest.mark.parametrize("about", [("", "NoSuchKey"), ("another", "InternalError"), ("another", "PreconditionFailed")])
def test_an_error_for_a_key_that_was_not_requested_says_nothing_about_the_requested_ones(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer, about: tuple[str, str]
) -> None:
    listed = {name: s3_bucket.put(name, b"x") or "" for name in "ab"}
    object_key, code = about
    single_attempt_faults.hit("DeleteObjects", errors_by_key([(object_key, "", code)]))
    assert s3_bucket.deletes.many(listed) == {}
    assert s3_bucket.list_page("").objects == ()


REFUSED = "<Error><Key>a</Key><Code>AccessDenied</Code></Error>"
DAMAGED = {
    "tells of another key": "<Deleted><Key>another</Key></Deleted>",
    "does not tell of all": "<Deleted><Key>b</Key></Deleted>",
    "tells twice of one": f"{REFUSED}<Error><Key>a</Key><Code>NoSuchKey</Code></Error>",
    "tells two things of one": f"{REFUSED}<Deleted><Key>a</Key></Deleted>",
}


@pytest.mark.parametrize("answer", DAMAGED)
def test_a_delete_of_many_that_does_not_mention_one_object_does_not_count_as_done_for_it(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer, answer: str
) -> None:
    listed = {name: s3_bucket.put(name, b"x") or "" for name in "ab"}
    document = f"<DeleteResult>{DAMAGED[answer]}</DeleteResult>"
    single_attempt_faults.hit("DeleteObjects", Fault(is_sent=False, answer=(200, ""), document=document))
    assert s3_bucket.deletes.many(listed) == {}
    assert s3_bucket.head("a") is None


@pytest.mark.parametrize("page", ["<html><DeleteResult/></html>", "<!-- <DeleteResult> --><html/>"])
def test_a_web_page_is_not_a_response_to_a_delete_of_many(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer, page: str
) -> None:
    listed = {"a": s3_bucket.put("a", b"x") or ""}
    single_attempt_faults.hit("DeleteObjects", Fault(is_sent=False, answer=(200, ""), document=page))
    assert s3_bucket.deletes.many(listed) == {}
    assert s3_bucket.head("a") is None


def test_objects_created_after_a_delete_of_many_with_an_unknown_outcome_are_left_alone(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer, s3: S3Client, bucket: str
) -> None:
    for name in "ab":
        s3_bucket.put(name, b"x")
    listed = {one.object_key: one.etag for one in s3_bucket.list_page("").objects}
    single_attempt_faults.hit("DeleteObjects", ANSWER_LOST)
    # Before each of the two single deletes, whichever comes first.
    made = other_writer_first(lambda: s3.put_object(Bucket=bucket, Key="a", Body=b"made since"))
    single_attempt_faults.hit("DeleteObject", made, times=2)
    assert s3_bucket.deletes.many(listed) == {"a": Deletion.UNKNOWN, "b": Deletion.GONE}
    assert [one.object_key for one in s3_bucket.list_page("").objects] == ["a"]


def test_temporary_errors_in_a_delete_of_many_are_retried_after_a_pause(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer, pauses: list[float]
) -> None:
    for code in ("InternalError", "SlowDown", "ServiceUnavailable", "ConditionalRequestConflict"):
        listed = {"a": s3_bucket.put("a", b"x") or ""}
        single_attempt_faults.hit("DeleteObjects", errors_by_key([("a", "", code)]))
        assert s3_bucket.deletes.many(listed) == {}
        assert s3_bucket.head("a") is None
        assert pauses
        pauses.clear()


def test_a_denied_object_in_a_delete_of_many_is_an_error(s3_bucket: Bucket, single_attempt_faults: FaultLayer) -> None:
    etag = s3_bucket.put("a", b"x") or ""
    single_attempt_faults.hit("DeleteObjects", errors_by_key([("a", "", "AccessDenied")]))
    with pytest.raises(BackendError, match="could not delete everything \\(AccessDenied\\)"):
        s3_bucket.deletes.many({"a": etag})


def test_a_404_that_is_not_from_s3_says_nothing_about_the_object(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer
) -> None:
    """For example that of a proxy that does not find its server: S3's own has an error code."""
    s3_bucket.put("k", b"one")
    page = Fault(is_sent=False, answer=(404, ""), document="404 page not found")
    version = ListedVersion("k\x01", "null", datetime.now(UTC), True, False, 3, "x")  # noqa: FBT003 - a tuple
    for operation, ask in (
        ("GetObject", lambda: s3_bucket.get("k")),
        ("GetObject", lambda: list(s3_bucket.versions.chunks("k", "null"))),
        ("AbortMultipartUpload", lambda: s3_bucket.versions.abort(Upload("k", "u"))),
        ("DeleteObject", lambda: s3_bucket.versions.destroy([version])),
    ):
        single_attempt_faults.hit(operation, page)
        with pytest.raises(BackendError, match="404"):
            ask()
        single_attempt_faults.clear()
    assert s3_bucket.get("none") is None


DESCRIBED = {"ETag": '"x"', "Last-Modified": "Mon, 02 Mar 2026 12:00:00 GMT"}


@pytest.mark.parametrize("transport", [BOTO3, FAST])
class TestAHeadThatIsAnswered404:
    """The response has no body, and so no error code: S3's has a request id, a proxy's page has none."""

    def test_means_that_there_is_no_object_if_it_has_a_request_id(self, transport: str) -> None:
        replies = {"HEAD": answer(404, x_amz_request_id="4442587FB7D0A2F9")}
        assert self.looked_up(transport, replies) == (None, ["HEAD"])

    def test_is_settled_by_a_get_if_it_has_no_request_id(self, transport: str) -> None:
        page = answer(404, content_type="text/html", x_request_id="1")
        found, asked = self.looked_up(transport, {"HEAD": page, "GET": answer(200, b"body", **DESCRIBED)})
        assert (found is not None and found.etag, asked) == ('"x"', ["HEAD", "GET"])
        assert self.looked_up(transport, {"HEAD": page, "GET": error_answer(404, "NoSuchKey")}) == (
            None,
            ["HEAD", "GET"],
        )
        with pytest.raises(BackendError, match=r"could not do this \((404|unknown)\)"):
            self.looked_up(transport, {"HEAD": page, "GET": answer(404, b"<html>No server</html>")})

    def looked_up(self, transport: str, replies: dict[str, bytes]) -> tuple[ObjectInfo | None, list[str]]:
        """Return the result of a HEAD of an object, and the requests that it took."""
        with WireServer(lambda one: replies[one.method]) as server:
            client = clients_of_process(transport).s3_client(endpoint_url=server.url)
            found = Bucket(client, "b-b", retry=RetryPolicy(max_tries=1)).head("k")
            return found, [one.method for one in server.received]


@pytest.mark.parametrize("transport", [BOTO3, FAST])
def test_a_web_page_with_an_etag_does_not_prove_that_an_object_is_stored(transport: str) -> None:
    page = answer(200, b"<html><body>Please log in</body></html>", **DESCRIBED)
    with WireServer(lambda _: page) as server:
        client = clients_of_process(transport).s3_client(endpoint_url=server.url)
        with pytest.raises(OutcomeUnknownError):
            Bucket(client, "b-b", retry=RetryPolicy(max_tries=1)).put("k", b"sealed")


@pytest.mark.parametrize("transport", [BOTO3, FAST])
@pytest.mark.parametrize("status", [201, 202, 203, 205, 206, 207, 226])
def test_a_success_with_another_status_than_s3s_does_not_prove_that_anything_was_done(
    transport: str, status: int
) -> None:
    """A firewall that first wants a puzzle solved answers 202, as does a proxy that has queued the request."""
    with WireServer(lambda _: answer(status, b"", **DESCRIBED)) as server:
        client = clients_of_process(transport).s3_client(endpoint_url=server.url)
        bucket = Bucket(client, "b-b", retry=RetryPolicy(max_tries=1))
        for ask in (
            lambda: bucket.put("k", b"sealed"),
            lambda: bucket.deletes.whatever("k"),
            lambda: bucket.deletes.one("k", etag='"x"'),
        ):
            with pytest.raises(OutcomeUnknownError):
                ask()


LISTED = (
    b"<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>k</Key><Size>1</Size><ETag>%s</ETag>"
    b"<LastModified>2026-03-02T12:00:00.000Z</LastModified></Contents></ListBucketResult>"
)


@pytest.mark.parametrize("transport", [BOTO3, FAST])
@pytest.mark.parametrize(
    "etag",
    [b"", b'""', '"\u00e9"'.encode(), b'"\xe9"', b'"a\tb"', b"*", b'"*"', b'"a", "b"'],
    ids=["no character", "nothing in quotes", "UTF-8", "Latin-1", "a tab", "whatever", "whatever in quotes", "two"],
)
def test_a_value_that_no_condition_can_use_is_not_an_etag(transport: str, etag: bytes) -> None:
    def reply(received: Received) -> bytes:
        if "list-type" in received.target:
            return answer(200, LISTED % etag.decode("latin-1").encode())
        described = answer(200, b"body" if received.method == "GET" else b"", **{**DESCRIBED, "ETag": "x"})
        return described.replace(b"ETag: x", b"ETag: " + etag)

    with WireServer(reply) as server:
        client = clients_of_process(transport).s3_client(endpoint_url=server.url)
        one = Bucket(client, "b-b", retry=RetryPolicy(max_tries=1))
        for ask in (lambda: one.get("k"), lambda: one.head("k"), lambda: one.list_page("k")):
            with pytest.raises(UnavailableError, match="ResponseParserError"):
                ask()
        with pytest.raises(OutcomeUnknownError):
            one.put("k", b"sealed")


@pytest.mark.parametrize("transport", [BOTO3, FAST])
def test_a_success_without_content_is_not_an_empty_object_which_would_look_altered(transport: str) -> None:
    no_content = answer(204, b"", **DESCRIBED).replace(b"Content-Length: 0\r\n", b"")  # a 204 has no Content-Length
    with WireServer(lambda _: no_content) as server:
        client = clients_of_process(transport).s3_client(endpoint_url=server.url)
        with pytest.raises(UnavailableError, match="ResponseParserError"):
            Bucket(client, "b-b", retry=RetryPolicy(max_tries=1)).get("k")


CHUNKED = answer(200, b"", Transfer_Encoding="chunked", **DESCRIBED).replace(b"Content-Length: 0\r\n", b"")


@pytest.mark.parametrize("transport", [BOTO3, FAST])
def test_a_chunked_body_is_read_like_any_other_and_a_truncated_one_is_not_a_shorter_one(transport: str) -> None:
    replies = iter([CHUNKED + b"2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n", CHUNKED + b"4\r\nbody\r\n1\r\n!\r\n0\r\n\r\n"])
    with WireServer(lambda _: next(replies, Close(CHUNKED + b"4\r\nbody\r\n"))) as server:
        client = clients_of_process(transport).s3_client(endpoint_url=server.url)
        bucket = Bucket(client, "b-b", retry=RetryPolicy(max_tries=1), max_object_bytes=4)
        stored = bucket.get("k")
        assert stored is not None
        assert stored.body == b"body"
        with pytest.raises(IntegrityError, match="larger"):
            bucket.get("k")
        with pytest.raises(UnavailableError):
            bucket.get("k")


@pytest.mark.skipif(IS_FAST, reason="libcurl reads a body with the head of its answer")
@pytest.mark.parametrize(
    "reply",
    [answer(200, b"body", ETag="x"), answer(200, b"body", **{**DESCRIBED, "Last-Modified": "yesterday"})],
    ids=["no date", "a date that is none"],
)
def test_a_body_that_is_not_read_leaves_no_connection_open(reply: bytes) -> None:
    with WireServer(lambda _: reply) as server:
        client = clients_of_process(BOTO3).s3_client(endpoint_url=server.url)
        with pytest.raises(UnavailableError, match="ResponseParserError") as caught:
            Bucket(client, "b-b", retry=RetryPolicy(max_tries=1)).get("k")
        assert server.closed.wait(10)
        assert caught.value.__cause__ is not None, "it has the frames, and whatever these hold"


def test_a_connection_whose_body_was_read_is_kept_for_the_next_request() -> None:
    with WireServer(lambda _: answer(200, b"body", **DESCRIBED)) as server:
        bucket = Bucket(
            clients_of_process(BOTO3).s3_client(endpoint_url=server.url), "b-b", retry=RetryPolicy(max_tries=1)
        )
        assert [bucket.get("k") == bucket.get("k"), server.connections] == [True, 1]


@pytest.mark.parametrize("transport", [BOTO3, FAST])
def test_metadata_is_read_in_any_letter_case_of_its_names(transport: str) -> None:
    headers = {"X-Amz-Meta-S3memory-Formerly": "1", "X-AMZ-META-S3MEMORY-COPIED-FROM": "2"}
    with WireServer(lambda _: answer(200, b"body", **DESCRIBED, **headers)) as server:
        client = clients_of_process(transport).s3_client(endpoint_url=server.url)
        stored = Bucket(client, "b-b", retry=RetryPolicy(max_tries=1)).get("k")
    assert stored is not None
    assert stored.info.noted == Noted(copied_from=("2",), formerly=("1",))


@pytest.mark.parametrize(
    "noted",
    [
        Noted(copied_from=("a,b", "c%2Cd", 'W/"e"')),
        Noted(formerly=("1",), copied_from=("f\u00fcr", "x y")),
        Noted(copied_from=tuple(f"{number:032x}" for number in range(17)), formerly=("0" * 32,) * 16),
    ],
    ids=["commas", "no header's characters", "the longest of MD5 sums"],
)
def test_metadata_is_read_back_unchanged_whatever_etags_look_like(s3: S3Client, bucket: str, noted: Noted) -> None:
    one = Bucket(s3, bucket, retry=RetryPolicy(max_tries=1))
    one.put("a", b"body", noted=noted)
    info = one.head("a")
    assert info is not None
    assert info.noted == noted


def test_metadata_stays_within_s3s_limit_whatever_was_stored_before(s3: S3Client, bucket: str) -> None:
    one = Bucket(s3, bucket, retry=RetryPolicy(max_tries=1))
    long = tuple(f"{number}" * 100 for number in range(30))
    one.put("a", b"body", noted=Noted(long, long, "s" * 280))
    one.put("b", b"body", noted=Noted((), (), "\u00e4" * 9))
    metadata = s3.head_object(Bucket=bucket, Key="a")["Metadata"]
    assert sum(len(name) + len(value) for name, value in metadata.items()) <= 2048
    assert metadata["s3memory-formerly"].split(",") == list(long[:7])
    assert not s3.head_object(Bucket=bucket, Key="b")["Metadata"]


def changed_answer(change: Callable[[str], str]) -> Fault:
    """The server's own response comes back, with its text changed by `change`."""
    return Fault(is_answered=True, body=lambda body: change(body.decode()).encode())


BAD_PAGES = {
    "names of another tenant": lambda text: text.replace("<Key>d/", "<Key>e/"),
    "more, and not where": lambda text: text.replace(">false</IsTruncated>", ">true</IsTruncated>"),
    "no word on whether there is more": lambda text: text.replace("IsTruncated", "Truncated"),
    "an entry without a size": lambda text: text.replace("Size>", "Bytes>"),
    "a web page": lambda _: "<html><body>Blocked by the proxy</body></html>",
    "nothing": lambda _: "",
}


@pytest.mark.parametrize("change", BAD_PAGES.values(), ids=BAD_PAGES)
def test_a_listing_that_does_not_match_its_request_is_an_error_and_not_a_directory(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer, change: Callable[[str], str]
) -> None:
    s3_bucket.put("d/a", b"x")
    single_attempt_faults.hit("ListObjectsV2", changed_answer(change))
    with pytest.raises(UnavailableError):
        list(s3_bucket.list_pages("d/"))


@pytest.mark.parametrize("look", [Bucket.get, Bucket.head], ids=["GetObject", "HeadObject"])
def test_an_object_without_an_etag_is_an_invalid_response(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer, look: Callable[[Bucket, str], object]
) -> None:
    page = Fault(is_sent=False, answer=(200, ""), document="<html><body>Blocked by the proxy</body></html>")
    for operation in ("GetObject", "HeadObject"):
        single_attempt_faults.hit(operation, page, times=9)
    with pytest.raises(UnavailableError, match="ResponseParserError"):
        look(s3_bucket, "k")


def test_a_put_whose_response_lacks_the_etag_is_looked_up(s3_bucket: Bucket, single_attempt_faults: FaultLayer) -> None:
    single_attempt_faults.hit("PutObject", Fault(answer=(200, ""), document=""), times=9)
    assert s3_bucket.put("k", b"ours") is not None


def test_a_delete_answered_by_a_web_page_is_not_reported_as_done(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer
) -> None:
    s3_bucket.put("k", b"x")
    page = Fault(is_sent=False, answer=(200, ""), document="<html><body>Blocked by the proxy</body></html>")
    single_attempt_faults.hit("DeleteObject", page, times=9)
    with pytest.raises(OutcomeUnknownError):
        s3_bucket.deletes.whatever("k")


@pytest.mark.parametrize("is_looked_up", [True, False])
def test_a_write_that_was_throttled_every_time_reports_that_code(
    s3_bucket: Bucket, single_attempt_faults: FaultLayer, *, is_looked_up: bool
) -> None:
    single_attempt_faults.hit("PutObject", SLOW_DOWN, times=9)
    if not is_looked_up:
        single_attempt_faults.hit("GetObject", refused(403, "AccessDenied"), times=9)
    with pytest.raises(OutcomeUnknownError) as caught:
        s3_bucket.put("k", b"x")
    assert caught.value.code == "SlowDown"


def test_a_refused_write_over_a_weak_etag_blames_the_proxy_and_is_not_a_conflict(s3: S3Client, bucket: str) -> None:
    """nginx makes S3's ETags weak where it compresses: no If-Match accepts them (RFC 9110, 8.8.3.2 and 13.1.1)."""
    kept = Bucket(s3, bucket, retry=RetryPolicy(max_tries=1))
    etag = kept.put("a", b"text")
    assert etag is not None
    weak = f"W/{etag}"
    for change in (lambda: kept.put("a", b"edited", over=weak), lambda: kept.deletes.one("a", etag=weak)):
        with pytest.raises(BackendError, match=r"proxy .* ETags weak.* Nothing was changed") as caught:
            change()
        assert caught.value.code == "WeakETag"
    assert kept.put("b", b"text", over=weak) is None  # there is nothing, and that is all that it says
    assert kept.deletes.one("b", etag=weak) is Deletion.MISSING
    stored = kept.get("a")
    assert stored is not None
    assert stored.body == b"text"
