"""Each page of a listing starts after the one before: a page that goes back is invalid, and no listing is endless."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain, islice, repeat
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from support.memory_s3 import InMemoryS3
from support.wire_server import Received, WireServer, answer

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory.admin.transfer.exporting import export
from s3memory.admin.verify import verify
from s3memory.aws.clients import BOTO3, FAST, clients_of_process
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import OutcomeUnknownError, UnavailableError
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath
from s3memory.s3.bucket import Bucket
from s3memory.s3.listing_order import MAX_EMPTY_PAGES
from s3memory.store.files import MemoryFile

Names = tuple[str, ...]
both_transports = pytest.mark.parametrize("transport", [BOTO3, FAST])

pytestmark = pytest.mark.usefixtures("no_clients_of_other_tests")


def described(name: str) -> str:
    return f"<Key>{name}</Key><LastModified>2026-03-02T12:00:00.000Z</LastModified><ETag>x</ETag><Size>1</Size>"


def objects(names: Names, more: str | None) -> bytes:
    """Return a page; names that end in a slash become common prefixes."""
    entries = [
        f"<CommonPrefixes><Prefix>{name}</Prefix></CommonPrefixes>"
        if name.endswith("/")
        else f"<Contents>{described(name)}</Contents>"
        for name in names
    ]
    return page("ListBucketResult", entries, more, "NextContinuationToken")


def versions(names: Names, more: str | None) -> bytes:
    """Return a page of versions: `a:1` is the version `1` of the object `a`, and `a:1!` a delete marker."""
    entries = []
    for object_key, _, version_id in (name.partition(":") for name in names):
        tag = "DeleteMarker" if version_id.endswith("!") else "Version"
        told = f"{described(object_key)}<VersionId>{version_id}</VersionId><IsLatest>false</IsLatest>"
        entries.append(f"<{tag}>{told}</{tag}>")
    return page("ListVersionsResult", entries, more, "NextKeyMarker", "NextVersionIdMarker")


def uploads(names: Names, more: str | None) -> bytes:
    """Return a page of uploads, with names in the format of versions."""
    parts = [name.partition(":") for name in names]
    entries = [f"<Upload><Key>{one}</Key><UploadId>{upload_id}</UploadId></Upload>" for one, _, upload_id in parts]
    return page("ListMultipartUploadsResult", entries, more, "NextKeyMarker", "NextUploadIdMarker")


def page(root: str, entries: list[str], more: str | None, *markers: str) -> bytes:
    leads = "" if more is None else "".join(f"<{marker}>{more}</{marker}>" for marker in markers)
    is_truncated = "false" if more is None else "true"
    text = f"<{root}><IsTruncated>{is_truncated}</IsTruncated>{leads}{''.join(entries)}</{root}>"
    return answer(200, text.encode())


def server_of(kind: Callable[[Names, str | None], bytes], pages: Iterable[Names], last: Names | None) -> WireServer:
    """A server whose listing has these pages, whatever the request; without a last page, they never end."""
    replies = chain(
        (kind(names, f"t{number}") for number, names in enumerate(pages)), () if last is None else [kind(last, None)]
    )
    return WireServer(lambda _: next(replies))


def bucket_of(transport: str, url: str, **more: Any) -> Bucket:
    client = clients_of_process(transport).s3_client(endpoint_url=url)
    return Bucket(client, "b-b", retry=RetryPolicy(max_tries=1, **more))


def listed(bucket: Bucket, kind: Callable[[Names, str | None], bytes]) -> list[str]:
    """Return the entries of a listing, in the notation above."""
    if kind is objects:
        pages = bucket.list_pages("d", delimited=True)
        return [name for one in pages for name in (*(found.object_key for found in one.objects), *one.prefixes)]
    if kind is versions:
        return [f"{one.object_key}:{one.version_id}" for one in bucket.versions.below("d")]
    return [f"{one.object_key}:{one.upload_id}" for one in bucket.versions.uploads_below("d")]


ONWARD: dict[str, tuple[Callable[[Names, str | None], bytes], list[Names]]] = {
    "keys and groups": (objects, [("d.1", "d/"), ("d/a", "d0/"), ("d1",)]),
    "keys in the order of their UTF-8 bytes, which is not that of UTF-16": (objects, [("d\uff0e",), ("d\U0001f600",)]),
    "empty pages": (objects, [(), ("d1",), (), (), ("d2",), ()]),
    "versions of one key on two pages": (versions, [("d1:1", "d2:4!"), ("d2:3",), ("d2:2", "d2:1!"), ("d3:3",)]),
    "uploads of one key on two pages": (uploads, [("d1:1", "d2:1"), ("d2:2",), ("d3:1",)]),
}


@both_transports
@pytest.mark.parametrize(("kind", "pages"), ONWARD.values(), ids=ONWARD)
def test_pages_that_each_start_after_the_one_before_form_one_listing(
    transport: str, kind: Callable[[Names, str | None], bytes], pages: list[Names]
) -> None:
    with server_of(kind, pages[:-1], pages[-1]) as server:
        assert listed(bucket_of(transport, server.url), kind) == [name for names in pages for name in names]


BACK: dict[str, tuple[Callable[[Names, str | None], bytes], list[Names]]] = {
    "the last key again": (objects, [("d1", "d2"), ("d2", "d3")]),
    "the last group again": (objects, [("d1", "d2/"), ("d2/", "d3")]),
    "a key behind a later group": (objects, [("d1", "d3/"), ("d2",)]),
    "a key twice on one page": (objects, [("d1", "d1"), ("d2",)]),
    "a key again behind an empty page": (objects, [("d1",), (), ("d1",)]),
    "the same page": (objects, [("d1", "d2"), ("d1", "d2")]),
    "a circle of two pages": (objects, [("d1",), ("d2",), ("d1",)]),
    "a version again": (versions, [("d1:2", "d1:1"), ("d1:1", "d2:1")]),
    "a delete marker again": (versions, [("d1:2!",), ("d1:2!",)]),
    "a circle within one key": (versions, [("d1:3",), ("d1:2",), ("d1:3",)]),
    "versions of an earlier key": (versions, [("d2:1",), ("d1:1",)]),
    "an upload again": (uploads, [("d1:1",), ("d1:1",)]),
    "uploads to an earlier key": (uploads, [("d2:1",), ("d1:1",)]),
}


@both_transports
@pytest.mark.parametrize(("kind", "pages"), BACK.values(), ids=BACK)
def test_a_page_that_goes_back_is_invalid(
    transport: str, kind: Callable[[Names, str | None], bytes], pages: list[Names]
) -> None:
    with (
        server_of(kind, pages, ("d9:9",)) as server,
        pytest.raises(UnavailableError, match="ResponseParserError"),
    ):
        listed(bucket_of(transport, server.url), kind)


TWICE: dict[str, tuple[Callable[[Names, str | None], bytes], Names, bytes]] = {
    "an object's key": (objects, ("d1",), b"<Key>d1</Key>"),
    "an object's ETag": (objects, ("d1",), b"<ETag>x</ETag>"),
    "a group's name": (objects, ("d/",), b"<Prefix>d/</Prefix>"),
    "where there is more": (objects, ("d1",), b"<NextContinuationToken>t0</NextContinuationToken>"),
    "a version's key": (versions, ("d1:1",), b"<Key>d1</Key>"),
    "a version's id": (versions, ("d1:1",), b"<VersionId>1</VersionId>"),
    "a delete marker's key": (versions, ("d1:1!",), b"<Key>d1</Key>"),
    "an upload's key": (uploads, ("d1:1",), b"<Key>d1</Key>"),
    "an upload's id": (uploads, ("d1:1",), b"<UploadId>1</UploadId>"),
}


@both_transports
@pytest.mark.parametrize(("kind", "names", "said"), TWICE.values(), ids=TWICE)
def test_a_page_that_repeats_a_unique_element_is_invalid(
    transport: str, kind: Callable[[Names, str | None], bytes], names: Names, said: bytes
) -> None:
    document = kind(names, "t0").partition(b"\r\n\r\n")[2]
    assert said in document
    page = answer(200, document.replace(said, said * 2))
    with WireServer(lambda _: page) as server, pytest.raises(UnavailableError, match="ResponseParserError"):
        listed(bucket_of(transport, server.url), kind)


@both_transports
def test_a_response_to_a_delete_of_many_with_two_keys_in_one_error_proves_nothing(transport: str) -> None:
    failed = b"<DeleteResult><Error><Key>a</Key><Key>b</Key><Code>AccessDenied</Code></Error></DeleteResult>"
    replies = WireServer(lambda one: answer(200, failed) if one.method == "POST" else answer(404))
    with replies as server, pytest.raises(OutcomeUnknownError):
        bucket_of(transport, server.url).deletes.many({"a": "x", "b": "x"})


@pytest.mark.parametrize("kind", [objects, versions, uploads])
def test_a_listing_that_continues_with_empty_pages_ends_with_an_error(
    kind: Callable[[Names, str | None], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("s3memory.s3.listing_order.MAX_EMPTY_PAGES", 20)
    with server_of(kind, repeat(()), None) as server:
        with pytest.raises(UnavailableError, match="ResponseParserError"):
            listed(bucket_of(BOTO3, server.url), kind)
        assert len(server.received) == 21


def test_looking_for_the_first_entry_of_a_listing_ends_too() -> None:
    with server_of(objects, repeat(()), None) as server:
        with pytest.raises(UnavailableError):
            bucket_of(BOTO3, server.url).first_listed("d")
        assert len(server.received) == MAX_EMPTY_PAGES + 1 == 1_001


def test_no_page_is_requested_after_an_empty_one_when_time_is_up() -> None:
    left = [5.0]

    def reply(_: Received) -> bytes:
        left[0] -= 1
        return objects((), "further")

    with WireServer(reply) as server:
        with pytest.raises(UnavailableError, match="no time left"):
            bucket_of(BOTO3, server.url, remaining_seconds=lambda: left[0]).first_listed("d")
        assert len(server.received) == 5


def test_a_listing_that_makes_progress_may_exceed_the_time_limit_for_empty_pages() -> None:
    with server_of(objects, [("d1",), ("d2",)], ("d3",)) as server:
        assert listed(bucket_of(BOTO3, server.url, remaining_seconds=lambda: 0), objects) == ["d1", "d2", "d3"]


def test_a_page_is_requested_with_the_token_of_the_one_before() -> None:
    with server_of(objects, [("d1",), ("d2",)], ("d3",)) as server:
        listed(bucket_of(BOTO3, server.url), objects)
        asked = [parse_qs(urlsplit(one.target).query).get("continuation-token") for one in server.received]
    assert asked == [None, ["t0"], ["t1"]]


class Doubling:
    """A client of a server with short pages, each of which repeats the last key of the one before."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def list_objects_v2(self, **asked: Any) -> Any:
        listing = self._client.list_objects_v2(**{**asked, "MaxKeys": 1000, "ContinuationToken": None})
        contents = listing.get("Contents", [])
        first = int(asked.get("ContinuationToken", 0))
        is_truncated = len(contents) > first + 3
        told = {**listing, "Contents": list(islice(contents, first, first + 3)), "IsTruncated": is_truncated}
        return {**told, "NextContinuationToken": str(first + 2)} if is_truncated else told


@pytest.fixture
def doubled() -> MemoryStore:
    """A store of a tenant whose listing repeats keys."""
    server, wrapper = InMemoryS3(), LocalKeyWrapper(bytes(range(32)))

    def made(client: Any) -> MemoryStore:
        return MemoryStore(
            bucket="bucket", tenant="acme", key_wrapper=wrapper, s3_client=client, key_cache=KeyCache(), redactor=None
        )

    commands = MemoryCommands(made(server.client()))
    for number in range(8):
        commands.create(f"/memories/{number}.md", f"text {number}")
    return made(Doubling(server.client()))


def test_an_export_that_may_contain_a_file_twice_is_not_complete(doubled: MemoryStore) -> None:
    exported: list[MemoryPath] = []

    def write(file: MemoryFile) -> bool:
        exported.append(file.path)
        return True

    with pytest.raises(UnavailableError):
        export(doubled, write)
    assert len(set(exported)) == len(exported)


def test_a_repeated_key_in_verify_is_an_error_and_not_a_crash(doubled: MemoryStore) -> None:
    with pytest.raises(UnavailableError):
        verify(doubled, lambda _: None)
