"""`InMemoryS3` answers as moto does, request by request: what the schedulers and the model rest upon.

Hypothesis sends the same requests to both: every operation, condition and parameter that the package uses. Statuses,
error codes, bodies, ETags, metadata, pages and what an answer leaves out have to be equal; messages, request ids and
what else nobody reads are not compared, and the token of a page is opaque. Where the two differ on purpose,
`DIFFERENCES` says why.

What S3 does and neither of the two, tests put between client and server (see `faults`): 409 ConditionalRequestConflict
to one of two conditional writes at once; 503 SlowDown, and every other answer of a server under load. What the package
never meets is left out: 400 KeyTooLongError beyond 1,024 bytes of object key, which it refuses before it sends it, and
``If-Match: *`` on PutObject.
"""

from __future__ import annotations

import hashlib
import itertools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import given, settings
from hypothesis import strategies as st
from support.memory_s3 import InMemoryS3

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

# What the package reads of an answer.
_READ = {
    "GetObject": ("ETag", "ContentLength", "Metadata", "Body"),
    "HeadObject": ("ETag", "ContentLength", "Metadata"),
    "PutObject": ("ETag",),
    "DeleteObject": (),
    "DeleteObjects": ("Errors",),
    "ListObjectsV2": ("IsTruncated", "Contents", "CommonPrefixes", "NextContinuationToken"),
}
_READ_OF_ENTRIES = {
    "Contents": ("Key", "Size", "ETag"),
    "CommonPrefixes": ("Prefix",),
    "Errors": ("Key", "Code"),
}
_TOKEN = "NextContinuationToken"

# Names that begin like others, sort differently as bytes, or have a meaning in URLs and XML.
KEYS = [
    "a",
    "a/b",
    "a/b/c",
    "a.b",
    "a b/c",
    "a+b",
    "a%2Fb",
    "a/&<'\">?#",
    "a/é",
    "a/\N{FULLWIDTH LATIN SMALL LETTER A}",
    "a/\N{SMILING FACE WITH SUNGLASSES}",
    "\N{SMILING FACE WITH SUNGLASSES}/a",
    "A/b",
    "b/.a",
    "A/b",
    "b/.a",
]
BODIES = [b"", b"one", bytes(range(256))]
METADATA = [{}, {"s3memory-copied-from": hashlib.md5(b"one", usedforsecurity=False).hexdigest()}]

_bucket_numbers = itertools.count()


def etag_of(body: bytes) -> str:
    return f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'


@dataclass(frozen=True, slots=True)
class Request:
    """A request, the same for both servers.

    Attributes:
        operation: AWS's name for it.
        sent: parameters, but for the bucket and the token of a page.
        is_next_page: it goes on where the last listing of the same parameters ended, if that was cut.
    """

    operation: str
    sent: dict[str, Any] = field(default_factory=dict)
    is_next_page: bool = False


@dataclass(slots=True)
class Sender:
    """One of the servers, and how far its listings have come."""

    client: Any
    bucket: str
    _tokens: dict[str, str] = field(default_factory=dict)

    def send(self, request: Request) -> dict[str, Any]:
        """Return what the package reads of the answer, and the status."""
        sent = {"Bucket": self.bucket, **request.sent}
        listing = str(request.sent)
        token = self._tokens.get(listing)
        if request.is_next_page and token is not None:
            sent["ContinuationToken"] = token
        method = {
            "GetObject": self.client.get_object,
            "HeadObject": self.client.head_object,
            "PutObject": self.client.put_object,
            "DeleteObject": self.client.delete_object,
            "DeleteObjects": self.client.delete_objects,
            "ListObjectsV2": self.client.list_objects_v2,
        }[request.operation]
        try:
            answer = method(**sent)
        except ClientError as error:
            return {
                "operation": error.operation_name,
                "status": error.response["ResponseMetadata"]["HTTPStatusCode"],
                "code": error.response["Error"]["Code"],
            }
        if request.operation == "ListObjectsV2":
            self._tokens.pop(listing, None)
            if _TOKEN in answer:
                self._tokens[listing] = answer[_TOKEN]
        return _as_read(request.operation, answer)


def _as_read(operation: str, answer: dict[str, Any]) -> dict[str, Any]:
    read: dict[str, Any] = {"status": answer["ResponseMetadata"]["HTTPStatusCode"]}
    for name in _READ[operation]:
        if name not in answer:
            continue
        value = answer[name]
        if name == "Body":
            value = value.read()
        elif name == _TOKEN:
            value = "opaque"
        elif name in _READ_OF_ENTRIES:
            value = [{part: entry.get(part) for part in _READ_OF_ENTRIES[name]} for entry in value]
        read[name] = value
    return read


def both(s3: S3Client, *, is_versioned: bool) -> tuple[Sender, Sender]:
    """Return moto with a new bucket, and ours."""
    bucket = f"differential-{next(_bucket_numbers)}"
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    if is_versioned:
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    return Sender(s3, bucket), Sender(InMemoryS3().client(), bucket)


bodies = st.sampled_from(BODIES)
etags = bodies.map(etag_of)
conditions_of_a_put: st.SearchStrategy[dict[str, str]] = st.one_of(
    st.just({}), st.just({"IfNoneMatch": "*"}), st.fixed_dictionaries({"IfMatch": etags})
)
conditions_of_a_delete: st.SearchStrategy[dict[str, str]] = st.one_of(
    st.just({}), st.fixed_dictionaries({"IfMatch": st.one_of(st.just("*"), etags)})
)


@st.composite
def sequences(draw: st.DrawFn) -> list[Request]:
    """Requests about so few objects that they meet one another."""
    pool = draw(st.lists(st.sampled_from(KEYS), min_size=2, max_size=4, unique=True))
    keys = st.sampled_from(pool)
    prefixes = st.sampled_from(sorted({key[:end] for key in pool for end in range(len(key) + 1)}))
    several = st.lists(keys, min_size=1, max_size=3, unique=True)
    # Few enough that a later one goes on with the pages of an earlier one.
    listings = st.fixed_dictionaries(
        {"Prefix": st.one_of(st.just(""), prefixes)},
        optional={"Delimiter": st.just("/"), "MaxKeys": st.sampled_from([1, 2, 1_000])},
    )
    drawn: st.SearchStrategy[Request] = st.one_of(
        st.builds(
            lambda key, body, metadata, condition: Request(
                "PutObject", {"Key": key, "Body": body, "Metadata": metadata, **condition}
            ),
            keys,
            bodies,
            st.sampled_from(METADATA),
            conditions_of_a_put,
        ),
        keys.map(lambda key: Request("GetObject", {"Key": key})),
        keys.map(lambda key: Request("HeadObject", {"Key": key})),
        st.builds(
            lambda key, condition: Request("DeleteObject", {"Key": key, **condition}), keys, conditions_of_a_delete
        ),
        several.map(
            lambda those: Request(
                "DeleteObjects", {"Delete": {"Objects": [{"Key": key} for key in those], "Quiet": True}}
            )
        ),
        st.dictionaries(keys, etags, min_size=1, max_size=3).map(
            lambda those: Request(
                "DeleteObjects",
                {"Delete": {"Objects": [{"Key": key, "ETag": etag} for key, etag in those.items()], "Quiet": True}},
            )
        ),
        st.builds(lambda sent, goes_on: Request("ListObjectsV2", sent, goes_on), listings, st.booleans()),
    )
    stored = [Request("PutObject", {"Key": key, "Body": draw(bodies)}) for key in pool]
    return [*stored, *draw(st.lists(drawn, min_size=5, max_size=20))]


@pytest.mark.long
@pytest.mark.parametrize("is_versioned", [False, True], ids=["unversioned", "versioned"])
@settings(max_examples=60)
@given(sequence=sequences())
def test_the_same_requests_get_the_same_answers_from_moto_and_from_memory(
    s3: S3Client,
    is_versioned: bool,  # noqa: FBT001 - a parameter of the test
    sequence: list[Request],
) -> None:
    moto, memory = both(s3, is_versioned=is_versioned)
    for request in sequence:
        assert memory.send(request) == moto.send(request), request


ONE, TWO = b"one", b"two"
KEY = "d/k"
CREATE = Request("PutObject", {"Key": KEY, "Body": ONE})
# How the object comes to be what a condition meets.
STATES: dict[str, list[Request]] = {
    "absent": [],
    "there": [CREATE],
    "edited": [CREATE, Request("PutObject", {"Key": KEY, "Body": TWO, "Metadata": METADATA[1]})],
    "deleted": [CREATE, Request("DeleteObject", {"Key": KEY})],
    "made again": [CREATE, Request("DeleteObject", {"Key": KEY}), CREATE],
}
CONDITIONED = [
    *(
        Request("PutObject", {"Key": KEY, "Body": b"three", **condition})
        for condition in ({}, {"IfNoneMatch": "*"}, {"IfMatch": etag_of(ONE)}, {"IfMatch": etag_of(TWO)})
    ),
    *(
        Request("DeleteObject", {"Key": KEY, **condition})
        for condition in ({}, {"IfMatch": "*"}, {"IfMatch": etag_of(ONE)}, {"IfMatch": etag_of(TWO)})
    ),
    *(
        Request("DeleteObjects", {"Delete": {"Objects": [{"Key": KEY, **condition}, *others], "Quiet": True}})
        for condition in ({}, {"ETag": etag_of(ONE)}, {"ETag": etag_of(TWO)})
        for others in ([], [{"Key": "d/other"}])
    ),
]
LOOKS = [
    Request("GetObject", {"Key": KEY}),
    Request("HeadObject", {"Key": KEY}),
    Request("ListObjectsV2", {"Prefix": "d/"}),
    Request("ListObjectsV2", {"Prefix": "", "Delimiter": "/"}),
]


@pytest.mark.parametrize("is_versioned", [False, True], ids=["unversioned", "versioned"])
def test_every_condition_gets_the_same_answer_from_both_whatever_it_meets(
    s3: S3Client,
    is_versioned: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    statuses = set()
    for before in STATES.values():
        for request in CONDITIONED:
            moto, memory = both(s3, is_versioned=is_versioned)
            before_it = LOOKS if request is CONDITIONED[0] else []  # what is there before is the same for all
            for each in (*before, *before_it, request, *LOOKS):
                answer = memory.send(each)
                assert answer == moto.send(each), (before, request, each)
                statuses.add((each.operation, answer["status"]))
    assert statuses == {
        *(("GetObject", status) for status in (200, 404)),
        *(("HeadObject", status) for status in (200, 404)),
        *(("PutObject", status) for status in (200, 404, 412)),
        *(("DeleteObject", status) for status in (204, 404, 412)),
        ("DeleteObjects", 200),
        ("ListObjectsV2", 200),
    }


@pytest.mark.parametrize("more", [{}, {"Delimiter": "/"}, {"MaxKeys": 3}], ids=str)
def test_what_is_listed_comes_in_the_order_of_its_bytes(s3: S3Client, more: dict[str, Any]) -> None:
    moto, memory = both(s3, is_versioned=False)
    stored = [Request("PutObject", {"Key": key, "Body": key.encode()}) for key in KEYS]
    listings = [Request("ListObjectsV2", {"Prefix": prefix, **more}, is_next_page=True) for prefix in ("", "a", "a/")]
    for request in (*stored, *listings * len(KEYS)):
        assert memory.send(request) == moto.send(request), request


def test_pages_go_on_where_the_last_one_ended_whatever_was_stored_or_deleted_since(s3: S3Client) -> None:
    moto, memory = both(s3, is_versioned=True)
    sent = {"Prefix": "p/", "Delimiter": "/", "MaxKeys": 2}
    sequence = [
        *(Request("PutObject", {"Key": f"p/{name}", "Body": ONE}) for name in ("a", "b/1", "b/2", "c", "d/1", "e")),
        Request("ListObjectsV2", sent),
        Request("PutObject", {"Key": "p/aa", "Body": ONE}),  # before where the page ended: not to be seen any more
        Request("PutObject", {"Key": "p/b/3", "Body": ONE}),
        Request("DeleteObject", {"Key": "p/c"}),
        Request("ListObjectsV2", sent, is_next_page=True),
        Request("ListObjectsV2", sent, is_next_page=True),
    ]
    answers = []
    for request in sequence:
        answers.append(memory.send(request))
        assert answers[-1] == moto.send(request), request
    pages = [answer for answer in answers if "IsTruncated" in answer]
    assert [page["IsTruncated"] for page in pages] == [True, False, True]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Where the two differ on purpose.

    Attributes:
        reason: why ours is not as moto.
        before: what is stored first.
        request: what they answer differently.
        moto: the answer of moto; the day that it is another, this line can go.
        ours: the answer of ours.
        then: what is looked at afterwards.
        then_moto: what moto answers to that.
        then_ours: what ours answers.
    """

    reason: str
    before: list[Request] = field(default_factory=list)
    request: Request
    moto: dict[str, Any]
    ours: dict[str, Any]
    then: Request = field(default_factory=lambda: Request("HeadObject", {"Key": KEY}))
    then_moto: int
    then_ours: int
    is_versioned: bool = False


DIFFERENCES = [
    Difference(
        reason="any bucket exists in memory: the commands neither make buckets nor look for them",
        before=[Request("PutObject", {"Key": KEY, "Body": ONE, "Bucket": "nobody-made-it"})],
        request=Request("GetObject", {"Key": KEY, "Bucket": "nobody-made-it"}),
        moto={"operation": "GetObject", "status": 404, "code": "NoSuchBucket"},
        ours={"status": 200, "ETag": etag_of(ONE), "ContentLength": 3, "Metadata": {}, "Body": ONE},
        then_moto=404,
        then_ours=404,
    ),
]


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda difference: difference.reason)
def test_where_the_two_differ_it_is_on_purpose(s3: S3Client, difference: Difference) -> None:
    moto, memory = both(s3, is_versioned=difference.is_versioned)
    for sender, expected, then in (
        (moto, difference.moto, difference.then_moto),
        (memory, difference.ours, difference.then_ours),
    ):
        for request in difference.before:
            sender.send(request)
        assert sender.send(difference.request) == expected
        assert sender.send(difference.then)["status"] == then


def test_of_many_that_create_an_object_at_once_one_succeeds() -> None:
    server = InMemoryS3()
    barrier = threading.Barrier(8)

    def wait_for_all(*_: str) -> None:
        barrier.wait()

    def create(number: int) -> dict[str, Any]:
        sender = Sender(server.client(before=wait_for_all), "bucket")
        return sender.send(Request("PutObject", {"Key": KEY, "Body": bytes([number]), "IfNoneMatch": "*"}))

    with ThreadPoolExecutor(8) as executor:
        statuses = [answer["status"] for answer in executor.map(create, range(8))]
    assert sorted(statuses) == [200, *[412] * 7]


def test_a_copy_of_a_server_holds_the_same_at_the_same_address_and_goes_its_own_way() -> None:
    server = InMemoryS3()
    Sender(server.client(), "bucket").send(CREATE)
    copy = server.copy()
    assert (copy.endpoint_url, copy.objects) == (server.endpoint_url, {"bucket": {KEY: ONE}})
    Sender(copy.client(), "bucket").send(Request("DeleteObject", {"Key": KEY}))
    Sender(server.client(), "bucket").send(Request("PutObject", {"Key": "new", "Body": TWO}))
    assert (copy.objects, server.objects) == ({"bucket": {}}, {"bucket": {KEY: ONE, "new": TWO}})


def test_a_client_is_stopped_before_its_request_is_carried_out_and_after() -> None:
    server = InMemoryS3()
    seen: list[tuple[str, str, str, bool]] = []

    def note(when: str) -> Callable[[str, str], None]:
        return lambda operation, key: seen.append((when, operation, key, KEY in server.objects.get("bucket", {})))

    Sender(server.client(before=note("before"), after=note("after")), "bucket").send(CREATE)
    assert seen == [("before", "PutObject", KEY, False), ("after", "PutObject", KEY, True)]
