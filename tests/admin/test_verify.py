"""`verify` finds what does not open or does not belong, tells it as it goes, and repairs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

import pytest
from conftest import TENANT, MakeStore
from hypothesis import given, settings
from hypothesis import strategies as st
from support.faults import KILL, FaultLayer, Killed, other_writer_first, refused
from support.flavours import make_ring, put_file
from support.stored import key_of

from s3memory import LocalKeyWrapper, MemoryStore, _parallel
from s3memory.admin.keys.rotation import rotate
from s3memory.admin.tenants import ListedTenant, list_tenants
from s3memory.admin.verify import Defect, FileBelowFileFinder, Kind, Verified, verify
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import AccessDeniedError, ConfigurationError
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath
from s3memory.s3.bucket import Bucket
from s3memory.store import tree

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

MEMORIES = f"memories/{TENANT}/"


def path(text: str) -> MemoryPath:
    return MemoryPath.parse(f"/memories/{text}")


def verified(store: MemoryStore, **more: float) -> tuple[list[Defect], Verified]:
    findings: list[Defect] = []
    result = verify(
        store.refusing_writes(),
        findings.append,
        with_versions=bool(more.get("with_versions")),
        stale_after_seconds=more.get("stale_after_seconds", 900),
    )
    assert result.findings == len(findings)
    return findings, result


def kinds(store: MemoryStore, **more: float) -> list[tuple[str, str | None]]:
    return sorted((str(one.kind), one.path) for one in verified(store, **more)[0])


@pytest.fixture(params=["plain", "encrypted"])
def store(request: pytest.FixtureRequest, make_store: MakeStore) -> MemoryStore:
    """A store with three files, in each name mode."""
    made = make_store(name_mode=request.param, key_cache=KeyCache())
    make_ring(made, request.param)
    for name in ("a", "d/b", "d/e/c"):
        put_file(made, f"/memories/{name}", f"text of {name}")
    return made


def test_what_is_whole_has_no_findings(store: MemoryStore) -> None:
    findings, result = verified(store, with_versions=True)
    assert findings == []
    assert (result.files, result.versions, result.intents_under_way, result.records) == (3, 0, 0, 0)


def test_a_tenant_of_whom_nothing_is_stored_has_no_findings(make_store: MakeStore) -> None:
    findings, result = verified(make_store(tenant="nobody"))
    assert (findings, result.files) == ([], 0)


def test_an_altered_object_is_found(store: MemoryStore, s3: S3Client, bucket: str) -> None:
    body = s3.get_object(Bucket=bucket, Key=key_of(store, "d/b"))["Body"].read()
    s3.put_object(Bucket=bucket, Key=key_of(store, "d/b"), Body=body[:-1] + bytes([body[-1] ^ 1]))
    findings, _ = verified(store)
    (finding,) = findings
    assert (finding.tenant, finding.kind, finding.path) == (TENANT, Kind.DOES_NOT_OPEN, "/memories/d/b")
    assert finding.object_key == key_of(store, "d/b")
    assert finding.modified is not None


def test_objects_that_were_swapped_in_the_bucket_are_both_found(store: MemoryStore, s3: S3Client, bucket: str) -> None:
    one, other = key_of(store, "a"), key_of(store, "d/b")
    bodies = {key: s3.get_object(Bucket=bucket, Key=key)["Body"].read() for key in (one, other)}
    s3.put_object(Bucket=bucket, Key=one, Body=bodies[other])
    s3.put_object(Bucket=bucket, Key=other, Body=bodies[one])
    assert kinds(store) == [("does-not-open", "/memories/a"), ("does-not-open", "/memories/d/b")]


@pytest.mark.parametrize("name", ["%2e%2e/x", "d//x", "d/", "nöt-nfc".replace("ö", "o\u0308")], ids=repr)
def test_an_object_whose_name_no_file_has_is_a_stray(store: MemoryStore, s3: S3Client, bucket: str, name: str) -> None:
    s3.put_object(Bucket=bucket, Key=MEMORIES + name, Body=b"")
    findings, _ = verified(store)
    assert [(one.kind, one.path, one.object_key) for one in findings] == [(Kind.STRAY_OBJECT, None, MEMORIES + name)]


def test_an_object_that_is_no_sealed_object_does_not_open(store: MemoryStore, s3: S3Client, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key=key_of(store, "plaintext"), Body=b"left here by another tool")
    assert kinds(store) == [("does-not-open", "/memories/plaintext")]


def test_a_file_below_a_file_is_found_however_many_names_lie_between(
    store: MemoryStore, s3: S3Client, bucket: str
) -> None:
    """The keys between ``a`` and ``a/b`` begin with ``a`` as well."""
    for name in ("a!", "a-b", "a.md", "a0", "ab"):
        store.create(path(name), "text")
    ring = store.key_ring.existing()
    assert ring is not None
    for name in ("a/x", "a/y/z"):  # no command of ours would make these
        body = store.texts.seal(ring, path(name), store.texts.redact("text", path(name)))
        s3.put_object(Bucket=bucket, Key=key_of(store, name), Body=body)
    assert kinds(store) == [("file-below-file", "/memories/a/x"), ("file-below-file", "/memories/a/y/z")]


def test_a_stray_below_a_file_is_told_once_and_is_no_file(store: MemoryStore, s3: S3Client, bucket: str) -> None:
    n_files = verified(store)[1].files
    s3.put_object(Bucket=bucket, Key=MEMORIES + "a//x", Body=b"")
    findings, result = verified(store)
    assert [(one.kind, one.object_key) for one in findings] == [(Kind.STRAY_OBJECT, MEMORIES + "a//x")]
    assert (result.files, result.findings) == (n_files, 1)


NAMES = st.text(alphabet="ab/!.", min_size=1, max_size=6)


@given(names=st.sets(NAMES, max_size=12))
@settings(max_examples=200)
def test_one_pass_over_sorted_keys_finds_each_that_lies_below_another(names: set[str]) -> None:
    finder = FileBelowFileFinder()
    found = {name for name in sorted(names) if finder.is_below_earlier(name)}
    assert found == {name for name in names if any(name.startswith(f"{other}/") for other in names)}


def test_older_versions_are_looked_at_when_that_is_asked_for(store: MemoryStore, s3: S3Client, bucket: str) -> None:
    bad = s3.put_object(Bucket=bucket, Key=key_of(store, "a"), Body=b"x" * 100)["VersionId"]
    s3.delete_object(Bucket=bucket, Key=key_of(store, "a"))
    store.create(path("a"), "again")
    assert kinds(store) == []
    findings, result = verified(store, with_versions=True)
    assert [(one.kind, one.path, one.version_id) for one in findings] == [(Kind.DOES_NOT_OPEN, "/memories/a", bad)]
    assert (result.files, result.versions) == (3, 2)


def test_an_object_of_a_generation_that_the_ring_lacks_is_told_apart(
    store: MemoryStore, s3: S3Client, bucket: str
) -> None:
    body = bytearray(s3.get_object(Bucket=bucket, Key=key_of(store, "a"))["Body"].read())
    body[7] = 9
    for name in ("a", "d/b"):
        s3.put_object(Bucket=bucket, Key=key_of(store, name), Body=bytes(body))
    findings, _ = verified(store)
    assert {(one.kind, one.path, one.generation) for one in findings} == {
        (Kind.NO_KEY, "/memories/a", 9),
        (Kind.NO_KEY, "/memories/d/b", 9),
    }


def test_what_is_sealed_under_an_older_generation_is_whole(store: MemoryStore, s3: S3Client, bucket: str) -> None:
    ring = store.key_ring.existing()
    assert ring is not None
    s3.put_object(Bucket=bucket, Key=store.key_ring.object_key, Body=ring.rotated().ring.to_bytes())
    assert kinds(store) == []


def test_a_ring_under_another_key_is_one_finding_and_not_one_for_each_file(
    store: MemoryStore, make_store: MakeStore
) -> None:
    other = LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text())
    assert kinds(make_store(key_wrapper=other, key_cache=KeyCache())) == [("key-ring-unreadable", None)]


def test_a_ring_that_is_missing_is_told_apart_from_one_that_does_not_open(
    store: MemoryStore, s3: S3Client, bucket: str
) -> None:
    s3.delete_object(Bucket=bucket, Key=store.key_ring.object_key)
    assert kinds(store) == [("key-ring-missing", None)]


def test_the_ring_is_read_past_the_cache(store: MemoryStore, s3: S3Client, bucket: str) -> None:
    assert store.read(path("a")) is not None
    s3.put_object(Bucket=bucket, Key=store.key_ring.object_key, Body=b"{}")
    assert kinds(store) == [("key-ring-unreadable", None)]


@pytest.mark.parametrize("seconds", [float("inf"), float("nan"), 1e18, 1e12])
def test_a_time_that_there_is_not_is_refused_before_anything_is_read(
    store: MemoryStore, faults: FaultLayer, seconds: float
) -> None:
    with pytest.raises(ConfigurationError, match="out of range"):
        verified(store, stale_after_seconds=seconds)
    assert faults.requests == []


def test_an_intent_is_under_way_first_and_stale_later(store: MemoryStore, s3: S3Client) -> None:
    with FaultLayer(s3) as faults:
        faults.hit("DeleteObjects", KILL)
        with pytest.raises(Killed):
            tree.delete(store, path("d"))
    findings, result = verified(store)
    assert (findings, result.intents_under_way) == ([], 1)
    findings, result = verified(store, stale_after_seconds=-60)
    assert [(one.kind, one.path) for one in findings] == [(Kind.STALE_INTENT, "/memories/d")]
    assert result.intents_under_way == 0
    assert len(list(tree.pending(store))) == 1, "nothing is repaired"


def test_an_intent_that_does_not_open_is_found(store: MemoryStore, s3: S3Client, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key=f"{store.objects.layout.intents_prefix}{'0' * 32}", Body=b"x" * 200)
    findings, _ = verified(store)
    assert [one.kind for one in findings] == [Kind.DOES_NOT_OPEN]


def test_what_is_deleted_meanwhile_is_no_finding(
    store: MemoryStore, s3: S3Client, other_s3: S3Client, bucket: str
) -> None:
    key = key_of(store, "d/b")

    def gone() -> None:
        other_s3.delete_object(Bucket=bucket, Key=key)

    with FaultLayer(s3) as faults:
        faults.hit("GetObject", other_writer_first(gone), nth=2)  # the first is the ring's
        assert kinds(store) == []


def test_a_refusal_ends_it_and_what_was_found_until_then_was_told(
    store: MemoryStore, s3: S3Client, bucket: str
) -> None:
    s3.put_object(Bucket=bucket, Key=MEMORIES + "!//", Body=b"")
    findings: list[Defect] = []
    with FaultLayer(s3) as faults:
        faults.hit("ListObjectsV2", refused(403, "AccessDenied"), nth=2)  # the first is of the files
        with pytest.raises(AccessDeniedError):
            verify(store.refusing_writes(), findings.append)
    assert [one.kind for one in findings] == [Kind.STRAY_OBJECT]


@pytest.mark.parametrize("code", ["AccessDenied", "InvalidObjectState", "InvalidRequest"])
def test_a_refused_object_is_a_finding_and_hides_no_other(
    store: MemoryStore, s3: S3Client, bucket: str, code: str
) -> None:
    swapped = s3.get_object(Bucket=bucket, Key=key_of(store, "d/b"))["Body"].read()
    s3.put_object(Bucket=bucket, Key=key_of(store, "d/e/c"), Body=swapped)
    with FaultLayer(s3) as faults:
        faults.hit_object("GetObject", key_of(store, "a"), refused(403, code))
        findings = verified(store)[0]
    assert sorted((one.kind, one.path, one.code) for one in findings) == [
        (Kind.DOES_NOT_OPEN, "/memories/d/e/c", None),
        (Kind.NOT_LOOKED_AT, "/memories/a", code),
    ]


def test_a_refused_object_is_a_finding_though_the_key_ring_can_not_be_read_again(
    make_store: MakeStore, s3: S3Client
) -> None:
    store = make_store(key_cache=KeyCache(clock=count(step=1_000).__next__))  # each look finds the ring expired
    make_ring(store, "plain")
    for name in ("a", "b"):
        put_file(store, f"/memories/{name}", "text")
    with FaultLayer(s3) as faults:
        refusal = refused(403, "AccessDenied")
        refuse_ring = partial(faults.hit_object, "GetObject", store.key_ring.object_key, refusal)
        faults.hit_object("GetObject", key_of(store, "a"), replace(refusal, action=refuse_ring))
        findings = verified(store)[0]
    assert [(one.kind, one.path) for one in findings] == [(Kind.NOT_LOOKED_AT, "/memories/a")]


@pytest.mark.parametrize("folder", ["intents", "redactions"])
def test_a_refused_document_is_a_finding_and_not_counted(
    store: MemoryStore, s3: S3Client, bucket: str, folder: str
) -> None:
    object_key = f"{folder}/{TENANT}/{'a' * 32}"
    s3.put_object(Bucket=bucket, Key=object_key, Body=b"")
    with FaultLayer(s3) as faults:
        faults.hit_object("GetObject", object_key, refused(403, "AccessDenied"))
        findings, result = verified(store)
    assert [(one.kind, one.object_key, one.code) for one in findings] == [
        (Kind.NOT_LOOKED_AT, object_key, "AccessDenied")
    ]
    assert (result.intents_under_way, result.records) == (0, 0)


def test_a_generation_whose_key_is_refused_is_a_finding(make_store: MakeStore, key_wrapper: LocalKeyWrapper) -> None:
    class Refusing:
        """A wrapper whose service has one generation's wrapping key disabled."""

        name = key_wrapper.name
        generate = key_wrapper.generate

        def unwrap(self, wrapped: bytes, context: dict[str, str]) -> bytes:
            if context["s3memory:generation"] == "1":
                raise AccessDeniedError("The memory store refused access (DisabledException).")
            return key_wrapper.unwrap(wrapped, context)

    store = make_store(key_cache=KeyCache())
    store.create(path("a"), "text")
    rotate(store)
    store.create(path("b"), "text")
    assert kinds(make_store(key_wrapper=Refusing(), key_cache=KeyCache())) == [
        ("generation-unreadable", None),
        ("no-key", "/memories/a"),
    ]


def test_nothing_is_written(store: MemoryStore, s3: S3Client, bucket: str) -> None:
    before = s3.list_object_versions(Bucket=bucket)["Versions"]
    findings: list[Defect] = []
    verify(store, findings.append, with_versions=True)
    assert s3.list_object_versions(Bucket=bucket)["Versions"] == before


def test_a_stream_holds_few_results_and_keeps_their_order() -> None:
    read = 0

    def items() -> Iterator[int]:
        nonlocal read
        for number in range(1_000):
            read += 1
            yield number

    def doubled(number: int) -> int:
        return 2 * number

    results = _parallel.stream(doubled, items())
    assert [next(results) for _ in range(10)] == list(range(0, 20, 2))
    assert read <= 10 + 2 * _parallel.MAX_PARALLEL_REQUESTS
    assert list(results) == list(range(20, 2_000, 2))


def test_a_failure_comes_in_its_turn() -> None:
    results = _parallel.stream(lambda number: 10 // number, [5, 2, 0, 1])
    assert [next(results), next(results)] == [2, 5]
    with pytest.raises(ZeroDivisionError):
        next(results)


TENANTS = st.from_regex(re.compile(r"[ab][ab.-]{0,3}", re.ASCII), fullmatch=True).filter(lambda text: ".." not in text)


@given(rings=st.sets(TENANTS, max_size=8), memories=st.sets(TENANTS, max_size=8))
@settings(max_examples=10)
def test_tenants_are_listed_once_each_whatever_their_names_begin_with(
    s3: S3Client, rings: set[str], memories: set[str]
) -> None:
    """S3 sorts ``a`` before ``a-b``, and ``a-b/`` before ``a/``."""
    bucket = "tenants"
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    try:
        for tenant in rings:
            s3.put_object(Bucket=bucket, Key=f"p/keyrings/{tenant}", Body=b"")
        for tenant in memories:
            s3.put_object(Bucket=bucket, Key=f"p/memories/{tenant}/x", Body=b"")
        listed = list(list_tenants(Bucket(s3, bucket, retry=RetryPolicy(max_tries=1)), "p/"))
    finally:
        for item in s3.list_objects_v2(Bucket=bucket).get("Contents", []):
            s3.delete_object(Bucket=bucket, Key=item["Key"])
        s3.delete_bucket(Bucket=bucket)
    assert sorted(listed, key=lambda one: one.tenant) == [
        ListedTenant(tenant, has_key_ring=tenant in rings, has_memories=tenant in memories, has_intents=False)
        for tenant in sorted(rings | memories)
    ]


def test_what_is_no_tenants_is_told(s3: S3Client, bucket: str, store: MemoryStore) -> None:
    for key in ("memories/left-here", "memories/..x/a", "keyrings/a/b", "intents/-x/1"):
        s3.put_object(Bucket=bucket, Key=key, Body=b"")
    strays: list[str] = []
    listed = [one.tenant for one in list_tenants(store.objects, "", stray=strays.append)]
    assert listed == [TENANT]
    assert sorted(strays) == ["intents/-x/", "keyrings/a/", "memories/..x/", "memories/left-here"]


def test_times_are_those_of_the_server(store: MemoryStore) -> None:
    page = store.objects.list_page(MEMORIES)
    assert all(abs((datetime.now(UTC) - listed.modified).total_seconds()) < 3600 for listed in page.objects)
