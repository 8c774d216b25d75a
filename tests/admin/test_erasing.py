"""A tenant is erased whole, and no other: all versions, the key ring first, and the receipt says what was done."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError
from conftest import TENANT, MakeStore
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from support.faults import KILL, FaultLayer, Killed, errors_by_key, other_writer_first, refused
from support.flavours import put_files

from s3memory import MemoryStore
from s3memory.admin.erasure import erasing, receipts
from s3memory.admin.erasure.bulk_documents import documents_naming
from s3memory.admin.erasure.erasing import (
    Erasure,
    count_uploads,
    digest_of,
    erase,
    erase_nothing,
    fingerprint,
    survey,
)
from s3memory.admin.keys import rotation
from s3memory.admin.keys.resealing import reseal
from s3memory.admin.versions.tombstones import Tombstone, write_tombstone
from s3memory.errors import (
    BackendError,
    ConfigurationError,
    IntegrityError,
    KeyRingError,
    ReadOnlyError,
    RefusedError,
    UnfinishedError,
)
from s3memory.format.names import ENCRYPTED, NAME_MODES, PLAIN
from s3memory.format.object_keys import FOLDERS, Folder
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath
from s3memory.s3.versions import ListedVersion
from s3memory.store import intents, tree

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

A, B = MemoryPath(("a",)), MemoryPath(("d", "b"))
NEIGHBOURS = [f"{TENANT}2", f"{TENANT}-b", f"{TENANT}.c", TENANT[:-1], f"x{TENANT}"]


def fill(store: MemoryStore, faults: FaultLayer | None = None) -> None:
    """Leave files, older versions, delete markers, two key rings, and where faults are given a crash's intent."""
    put_files(store, {str(A): "one", str(B): "two", "/memories/gone": "three"})
    store.edit(A, str.upper)
    rotation.rotate(store)
    reseal(store)
    tree.delete(store, MemoryPath(("gone",)))
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    write_tombstone(store, Tombstone(A, "id", moment, "edited", None, moment, None))
    if faults is not None:
        faults.hit("DeleteObjects", KILL)
        with pytest.raises(Killed):
            tree.delete(store, MemoryPath(("d",)))
        faults.clear()


def stored(s3: S3Client, bucket: str) -> list[tuple[str, str]]:
    answer = s3.list_object_versions(Bucket=bucket)
    assert not answer["IsTruncated"]
    listed: list[Any] = [*answer.get("Versions", []), *answer.get("DeleteMarkers", [])]
    return sorted((item["Key"], item["VersionId"]) for item in listed)


@pytest.mark.parametrize("name_mode", NAME_MODES)
def test_nothing_is_left_in_any_version(
    make_store: MakeStore, s3: S3Client, bucket: str, faults: FaultLayer, name_mode: str
) -> None:
    store = make_store(name_mode=name_mode)
    fill(store, faults)
    found = survey(store)
    assert all(found[folder].count for folder in FOLDERS)
    assert found["memories"].delete_markers == 1
    erasure = erase(store)
    assert stored(s3, bucket) == []
    assert erasure.destroyed == found
    assert (erasure.left, erasure.refusals) == (0, {})


@pytest.mark.parametrize("name_mode", NAME_MODES)
def test_tenants_whose_names_are_alike_are_left_alone(
    make_store: MakeStore, s3: S3Client, bucket: str, name_mode: str
) -> None:
    for tenant in NEIGHBOURS:
        fill(make_store(tenant=tenant, name_mode=name_mode))
    before = stored(s3, bucket)
    fill(make_store(name_mode=name_mode))
    erase(make_store())
    assert stored(s3, bucket) == before
    for tenant in NEIGHBOURS:
        file = make_store(tenant=tenant, key_cache=KeyCache()).read(A)
        assert file is not None
        assert file.text == "ONE"


def test_a_prefix_with_a_tenants_name_in_it_is_none_of_the_tenants(
    make_store: MakeStore, s3: S3Client, bucket: str
) -> None:
    other = make_store(prefix=f"memories/{TENANT}x/", tenant=TENANT)
    fill(other)
    before = stored(s3, bucket)
    fill(make_store())
    erase(make_store())
    assert stored(s3, bucket) == before


def test_the_key_ring_is_the_first_to_go(make_store: MakeStore, s3: S3Client, bucket: str, faults: FaultLayer) -> None:
    fill(make_store())
    faults.hit("DeleteObjects", KILL, nth=2)
    with pytest.raises(Killed):
        erase(make_store())
    faults.clear()
    assert {key.partition("/")[0] for key, _ in stored(s3, bucket)} == {"memories", "redactions"}
    # What is left is noise, and nobody begins anew among it.
    reader = make_store(key_cache=KeyCache())
    for command in (lambda: reader.read(A), lambda: reader.create(MemoryPath(("new",)), "x")):
        with pytest.raises(KeyRingError):
            command()


@pytest.mark.parametrize("nth", [1, 2, 3])
@pytest.mark.parametrize("operation", ["DeleteObjects", "ListObjectVersions"])
def test_interrupted_it_is_run_again(
    make_store: MakeStore, s3: S3Client, bucket: str, faults: FaultLayer, *, operation: str, nth: int
) -> None:
    fill(make_store(), faults)
    faults.hit(operation, KILL, nth=nth)
    with pytest.raises(Killed):
        erase(make_store())
    faults.clear()
    assert erase(make_store(key_cache=KeyCache())).left == 0
    assert stored(s3, bucket) == []


def test_a_tenant_that_has_nothing_is_erased_too(make_store: MakeStore) -> None:
    erasure = erase(make_store())
    assert sum(tally.count for tally in erasure.destroyed.values()) == 0
    assert erasure.left == 0


def test_a_tenant_that_has_nothing_is_looked_at_and_nothing_is_destroyed(
    make_store: MakeStore, faults: FaultLayer
) -> None:
    erasure = erase_nothing(make_store())
    assert (erasure.found_nothing, erasure.left, erasure.begun <= erasure.verified) == (True, 0, True)
    assert erasure.destroyed_sha256 == erase(make_store()).destroyed_sha256
    assert set(faults.requests) == {"ListObjectVersions", "ListMultipartUploads"}


def test_a_tenant_that_has_something_is_not_erased_as_one_that_has_nothing(
    make_store: MakeStore, s3: S3Client, bucket: str
) -> None:
    fill(make_store())
    before = stored(s3, bucket)
    with pytest.raises(RefusedError, match="Nothing was changed"):
        erase_nothing(make_store())
    with pytest.raises(ReadOnlyError):
        erase_nothing(make_store(read_only=True))
    assert stored(s3, bucket) == before


def test_many_versions_are_destroyed_a_page_at_a_time(
    make_store: MakeStore, s3: S3Client, bucket: str, faults: FaultLayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasing, "DELETE_PAGE_KEYS", 10)  # so that a hundred are many
    store = make_store()
    store.create(A, "x")
    for number in range(104):
        s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/{number % 7}", Body=b"x")
    faults.requests.clear()
    erasure = erase(store)
    assert erasure.destroyed["memories"].versions == 105
    assert faults.requests.count("DeleteObjects") == 12  # the key ring, and eleven for the files
    assert stored(s3, bucket) == []


def test_what_is_written_meanwhile_is_met_by_another_round(
    make_store: MakeStore, s3: S3Client, bucket: str, faults: FaultLayer, other_s3: S3Client
) -> None:
    fill(make_store())
    agent = make_store(s3_client=other_s3, key_cache=KeyCache())
    agent.read(A)  # has the key ring in its cache from now on
    # The last delete of the first round.
    faults.hit("ListObjectVersions", other_writer_first(lambda: agent.create(MemoryPath(("late",)), "x")), nth=5)
    assert erase(make_store()).left == 0
    assert stored(s3, bucket) == []


def test_somebody_who_goes_on_writing_is_told(
    make_store: MakeStore, s3: S3Client, bucket: str, faults: FaultLayer, other_s3: S3Client
) -> None:
    fill(make_store())
    body = s3.get_object(Bucket=bucket, Key=f"memories/{TENANT}/a")["Body"].read()

    def write() -> None:
        other_s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/a", Body=body)

    faults.hit("ListObjectVersions", other_writer_first(write), times=100)
    with pytest.raises(UnfinishedError, match="Stop the tenant's agents"):
        erase(make_store())


def test_what_is_written_under_a_new_key_ring_at_every_round_is_not_said_to_be_unreadable(
    make_store: MakeStore, s3: S3Client, faults: FaultLayer, other_s3: S3Client
) -> None:
    fill(make_store())

    def reset_after_fork() -> None:
        make_store(s3_client=other_s3, key_cache=KeyCache()).create(MemoryPath(("anew",)), "readable")

    # The key ring, then three folders and the intents once more: right after the last of them, each round.
    for number in range(5):
        faults.hit("ListMultipartUploads", other_writer_first(reset_after_fork), nth=1 + number * len(FOLDERS))
    with pytest.raises(UnfinishedError, match="What was written since may be readable") as caught:
        erase(make_store())
    file = make_store(s3_client=other_s3, key_cache=KeyCache()).read(MemoryPath(("anew",)))
    assert file is not None
    assert file.text == "readable"
    assert "none of it can be read" not in str(caught.value)


def hold(s3: S3Client, patch: pytest.MonkeyPatch, held: ListedVersion) -> None:
    """Answer as Object Lock does to who destroys this version."""
    real = s3.delete_objects

    def delete_objects(**arguments: Any) -> Any:
        objects = arguments["Delete"]["Objects"]
        kept = [one for one in objects if one["VersionId"] == held.version_id]
        arguments["Delete"]["Objects"] = [one for one in objects if one not in kept]
        answer: Any = real(**arguments) if arguments["Delete"]["Objects"] else {}
        return {**answer, "Errors": [{**one, "Code": "AccessDenied", "Message": "Object Lock"} for one in kept]}

    patch.setattr(s3, "delete_objects", delete_objects)


def test_a_key_ring_that_is_held_keeps_all_that_opens_with_it(
    make_store: MakeStore, s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store()
    fill(store)
    before = {version for version in stored(s3, bucket) if not version[0].startswith("keyrings/")}
    newest = next(version for version in store.objects.versions_in(Folder.KEY_RINGS) if version.is_latest)
    with monkeypatch.context() as patch:
        hold(s3, patch, newest)
        with pytest.raises(UnfinishedError, match=r"refused to destroy the key ring \(AccessDenied\)"):
            erase(make_store())
    assert {*stored(s3, bucket)} == {*before, (newest.object_key, newest.version_id)}
    assert make_store(key_cache=KeyCache()).read(A) is not None
    assert erase(make_store()).left == 0
    assert stored(s3, bucket) == []


def test_that_all_is_destroyed_is_told_whatever_happens_while_manifests_are_looked_for(
    make_store: MakeStore, s3: S3Client, bucket: str, faults: FaultLayer
) -> None:
    fill(make_store())
    n_listings = len(FOLDERS) + 1
    faults.hit("ListObjectVersions", refused(503, "ServiceUnavailable"), nth=2 * n_listings + 1, times=20)
    erasure = erase(make_store())
    assert erasure.naming is None
    assert erasure.destroyed[Folder.MEMORIES].count
    faults.clear()
    assert stored(s3, bucket) == []


def test_what_a_retention_rule_keeps_is_told_and_the_rest_goes(
    make_store: MakeStore, s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(make_store())
    store = make_store()
    held = next(version for version in store.objects.versions.below(store.objects.layout.memories_prefix))
    hold(s3, monkeypatch, held)
    erasure = erase(store)
    assert (erasure.left, erasure.refusals) == (1, {"AccessDenied": 1})
    assert stored(s3, bucket) == [(held.object_key, held.version_id)]
    assert receipts.receipt_of(store, erasure)["left"] == 1
    monkeypatch.undo()
    assert erase(store).left == 0
    assert stored(s3, bucket) == []


def test_a_refusal_of_all_is_an_error(make_store: MakeStore, faults: FaultLayer) -> None:
    fill(make_store())
    faults.hit("DeleteObjects", refused(403, "AccessDenied"))
    with pytest.raises(BackendError, match="refused access"):
        erase(make_store())


def test_a_look_at_it_sends_no_write(make_store: MakeStore, s3: S3Client, bucket: str) -> None:
    fill(make_store())
    before = stored(s3, bucket)
    reading = make_store().refusing_writes()
    assert sum(tally.count for tally in survey(reading).values()) == len(before)
    for store in (reading, make_store(read_only=True)):
        with pytest.raises(ReadOnlyError):
            erase(store)
    assert stored(s3, bucket) == before


def test_a_tenant_begins_anew_under_another_key(make_store: MakeStore) -> None:
    store = make_store(name_mode=PLAIN)
    store.create(A, "before")
    erase(store)
    again = make_store(name_mode=ENCRYPTED, key_cache=KeyCache())
    again.create(B, "after")
    assert again.read(A) is None
    # The store that erased has no key ring in its cache any more.
    file = store.read(B)
    assert file is not None
    assert file.text == "after"


def test_what_a_process_writes_under_a_ring_that_was_erased_opens_for_nobody_and_is_erased_again(
    make_store: MakeStore, s3: S3Client, bucket: str
) -> None:
    agent = make_store(key_cache=KeyCache())
    agent.create(A, "x")
    erase(make_store(key_cache=KeyCache()))
    agent.create(B, "late")
    with pytest.raises(KeyRingError):
        make_store(key_cache=KeyCache()).read(B)
    assert erase(make_store()).destroyed["memories"].versions == 1
    assert stored(s3, bucket) == []


def begin_uploads(s3: S3Client, bucket: str, *object_keys: str) -> None:
    for object_key in object_keys:
        upload = s3.create_multipart_upload(Bucket=bucket, Key=object_key)["UploadId"]
        s3.upload_part(Bucket=bucket, Key=object_key, UploadId=upload, PartNumber=1, Body=b"x" * 5)


def uploads(s3: S3Client, bucket: str) -> list[str]:
    return sorted(item["Key"] for item in s3.list_multipart_uploads(Bucket=bucket).get("Uploads", []))


def test_unfinished_uploads_of_the_tenant_are_aborted_and_counted_and_no_others(
    make_store: MakeStore, s3: S3Client, bucket: str
) -> None:
    fill(make_store())
    others = [f"memories/{TENANT}2/a", f"keyrings/{TENANT}2", "elsewhere"]
    begin_uploads(s3, bucket, *others, f"memories/{TENANT}/a b+c", f"intents/{TENANT}/x", f"keyrings/{TENANT}")
    store = make_store()
    assert count_uploads(store) == 3
    with pytest.raises(RefusedError):
        erase_nothing(store)
    erasure = erase(store)
    assert (erasure.uploads_aborted, erasure.left) == (3, 0)
    assert uploads(s3, bucket) == sorted(others)
    receipt = receipts.receipt_of(store, erasure)
    assert (receipt["uploads_aborted"], receipt["uploads_listed"]) == (3, True)
    assert erase(store).found_nothing


def test_a_tenant_of_whom_an_upload_alone_is_there_is_erased_too(
    make_store: MakeStore, s3: S3Client, bucket: str
) -> None:
    begin_uploads(s3, bucket, f"memories/{TENANT}/a")
    assert not erase(make_store()).found_nothing
    assert uploads(s3, bucket) == []


def test_uploads_that_s3_does_not_list_are_told_and_the_rest_goes(
    make_store: MakeStore, s3: S3Client, bucket: str, faults: FaultLayer
) -> None:
    fill(make_store())
    faults.hit("ListMultipartUploads", refused(403, "AccessDenied"), times=99)
    erasure = erase(make_store())
    assert erasure.uploads_unlisted
    assert receipts.receipt_of(make_store(), erasure)["uploads_listed"] is False
    assert stored(s3, bucket) == []


def test_uploads_that_s3_does_not_list_are_told_also_where_nothing_else_is_left(
    make_store: MakeStore, s3: S3Client, bucket: str, faults: FaultLayer
) -> None:
    begin_uploads(s3, bucket, f"memories/{TENANT}/a")
    faults.hit("ListMultipartUploads", refused(403, "AccessDenied"), times=99)
    assert count_uploads(make_store()) is None
    receipt = receipts.receipt_of(make_store(), erase_nothing(make_store()))
    assert (receipt["uploads_listed"], receipt["found_nothing"]) == (False, False)


def test_a_server_without_multipart_uploads_has_none(make_store: MakeStore, faults: FaultLayer) -> None:
    fill(make_store())
    faults.hit("ListMultipartUploads", refused(501, "NotImplemented"), times=99)
    assert not erase(make_store()).uploads_unlisted


NAMING = {
    "batch/manifests/plain.csv": b"bucket,memories/acme/a%2Bb\nbucket,memories/other/a\n",
    "batch/manifests/encoded.csv": b'"bucket","memories%2Facme%2Fa"\n',
    "batch/manifests/map.jsonl": b'{"Bucket": "b", "Key": "keyrings/acme"}\n',
    "batch/manifests/escaped.jsonl": b'{"Key": "intents\\/acme\\/x"}\n',
    "batch/reports/job-1/results/r.csv": b"bucket,redactions/acme/x,,failed,500,,refused\n",
    "batch/manifests/long.csv": b"bucket,memories/other/a\n" * 70_000 + b"bucket,memories/acme/a\n",
}
NOT_NAMING = {
    "batch/manifests/others.csv": b"bucket,memories/acme2/a\nbucket,keyrings/acme-b\nbucket,xmemories/acme/a\n",
    "batch/manifests/empty.csv": b"",
    "elsewhere.csv": b"bucket,memories/acme/a\n",
}


def test_manifests_and_reports_that_name_the_tenants_objects_are_named_and_stay(
    make_store: MakeStore, s3: S3Client, bucket: str
) -> None:
    fill(make_store())
    packed = {"batch/manifests/inventory.csv.gz": b"\x1f\x8b\x08\x00"}
    for object_key, body in {**NAMING, **NOT_NAMING, **packed}.items():
        s3.put_object(Bucket=bucket, Key=object_key, Body=body)
    old = s3.head_object(Bucket=bucket, Key="batch/manifests/plain.csv")["VersionId"]
    s3.put_object(Bucket=bucket, Key="batch/manifests/plain.csv", Body=b"nobody")
    erasure = erase(make_store())
    receipt = receipts.receipt_of(make_store(), erasure)
    assert sorted(one["object_key"] for one in receipt["named_in"]) == sorted(NAMING)
    assert {"object_key": "batch/manifests/plain.csv", "version_id": old} in receipt["named_in"]
    assert [one["object_key"] for one in receipt["not_read"]] == list(packed)
    left = {object_key for object_key, _ in stored(s3, bucket)}
    assert left == {*NAMING, *NOT_NAMING, *packed}


@pytest.mark.parametrize("at", range(-40, 8))
def test_a_name_that_lies_across_two_chunks_is_found(
    make_store: MakeStore, s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    monkeypatch.setattr("s3memory.s3.versions._CHUNK_BYTES", 1_000)
    row = b"b,memories%2Facme%2Fa\n"
    s3.put_object(Bucket=bucket, Key="batch/manifests/a.csv", Body=b"," * (1_000 + at) + row + b"," * 3_000)
    assert len(documents_naming(make_store()).named_in) == 1


@pytest.mark.parametrize("row", [b"b,my%20store/memories/acme/a\n", b"b,my+store/memories/acme/a\n"])
def test_a_name_is_found_however_the_space_of_a_prefix_is_encoded(
    make_store: MakeStore, s3: S3Client, bucket: str, row: bytes
) -> None:
    s3.put_object(Bucket=bucket, Key="my store/batch/manifests/a.csv", Body=row)
    assert len(documents_naming(make_store(prefix="my store/")).named_in) == 1


@pytest.mark.parametrize(
    ("prefix", "written"),
    [
        ('q"x/', r"q\"x/"),
        ("back\\s/", r"back\\s/"),
        ("back\\s/", "back\\s/"),
        ("a<b/", r"a\u003Cb/"),
        ('q"x/', "q%22x/"),
    ],
)
def test_a_name_is_found_however_json_escapes_a_prefix(
    make_store: MakeStore, s3: S3Client, bucket: str, prefix: str, written: str
) -> None:
    body = f'{{"Key": "{written}memories/acme/a"}}\n'.encode()
    s3.put_object(Bucket=bucket, Key=f"{prefix}batch/manifests/a.jsonl", Body=body)
    assert len(documents_naming(make_store(prefix=prefix)).named_in) == 1
    assert documents_naming(make_store(prefix=prefix, tenant="acme2")).named_in == []


def test_two_erasures_at_once_may_count_the_same_versions_and_the_receipt_says_so(
    make_store: MakeStore, faults: FaultLayer, other_s3: S3Client
) -> None:
    fill(make_store())
    n_versions = sum(tally.count for tally in survey(make_store()).values())
    others: list[Erasure] = []
    faults.hit("DeleteObjects", other_writer_first(lambda: others.append(erase(make_store(s3_client=other_s3)))), nth=2)
    runs = [erase(make_store()), *others]
    assert sum(tally.count for run in runs for tally in run.destroyed.values()) > n_versions
    told = receipts.receipt_of(make_store(), runs[0])["not_proved"]
    assert any("two runs at the same time" in sentence for sentence in told)


def test_manifests_that_s3_does_not_list_are_told_and_the_rest_goes(
    make_store: MakeStore, s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(make_store())
    real = s3.list_object_versions

    def list_object_versions(**arguments: Any) -> Any:
        if arguments.get("Prefix") == "batch/":
            raise ClientError({"Error": {"Code": "AccessDenied"}}, "ListObjectVersions")
        return real(**arguments)

    monkeypatch.setattr(s3, "list_object_versions", list_object_versions)
    erasure = erase(make_store())
    assert receipts.receipt_of(make_store(), erasure)["named_in"] is None
    assert stored(s3, bucket) == []


def test_deletes_go_two_at_a_time_and_one_at_a_time_once_s3_wants_fewer(
    make_store: MakeStore, s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasing, "DELETE_PAGE_KEYS", 5)
    store = make_store()
    store.create(A, "x")
    for number in range(60):
        s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/{number}", Body=b"x")
    lock, real = threading.Lock(), s3.delete_objects
    side_by_side: list[int] = []
    under_way = 0
    meeting = threading.Barrier(2)

    def delete_objects(**arguments: Any) -> Any:
        nonlocal under_way
        with lock:
            under_way += 1
            side_by_side.append(under_way)
            is_first_of_files = len(side_by_side) in {2, 3}
        if is_first_of_files:
            meeting.wait(10)  # two are sent side by side
        with lock:
            under_way -= 1
        if is_first_of_files:
            failed = [{**one, "Code": "SlowDown"} for one in arguments["Delete"]["Objects"]]
            return {"Errors": failed}
        return real(**arguments)

    monkeypatch.setattr(s3, "delete_objects", delete_objects)
    assert erase(store).left == 0
    assert max(side_by_side) == 2
    assert set(side_by_side[5:]) == {1}
    assert stored(s3, bucket) == []


def test_no_request_destroys_more_than_250(make_store: MakeStore, s3: S3Client, bucket: str) -> None:
    store = make_store()
    store.create(A, "x")
    for number in range(300):
        s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/{number}", Body=b"x")
    sizes: list[int] = []

    def note(params: dict[str, Any], **_: object) -> None:
        sizes.append(len(params["Delete"]["Objects"]))

    s3.meta.events.register("provide-client-params.s3.DeleteObjects", note, unique_id="sizes")
    erase(store)
    s3.meta.events.unregister("provide-client-params.s3.DeleteObjects", unique_id="sizes")
    assert sorted(sizes) == [1, 51, 250]


def test_errors_by_key_that_pass_are_no_refusals_in_a_receipt(
    make_store: MakeStore, s3: S3Client, bucket: str, faults: FaultLayer
) -> None:
    fill(make_store())
    versions = list(make_store().objects.versions.below(f"memories/{TENANT}/"))
    for nth, code in enumerate(("InternalError", "SlowDown", "ServiceUnavailable", "ConditionalRequestConflict"), 4):
        told = [(one.object_key, one.version_id, code) for one in versions]
        faults.hit("DeleteObjects", errors_by_key(told), nth=nth - 1)
    erasure = erase(make_store())
    assert (erasure.left, erasure.refusals) == (0, {})
    assert stored(s3, bucket) == []


def test_a_change_that_is_announced_while_files_are_destroyed_does_not_outlive_the_erasure(
    make_store: MakeStore, s3: S3Client, bucket: str, faults: FaultLayer, other_s3: S3Client
) -> None:
    fill(make_store())
    agent = make_store(s3_client=other_s3, key_cache=KeyCache())
    agent.read(A)  # has the key ring in its cache from now on

    def announce() -> None:
        intents.record(agent, intents.Intent(intents.DELETE, B, B), ['"etag"'])

    def in_the_last_round() -> None:
        if not stored(other_s3, bucket):
            announce()

    # Files are the fourth folder of a round; the second round is the one that finds nothing.
    per_round = len(FOLDERS) + 1
    faults.hit("ListObjectVersions", other_writer_first(in_the_last_round), nth=per_round + len(FOLDERS))
    assert erase(make_store()).left == 0
    assert stored(s3, bucket) == []


# --- Receipts -----------------------------------------------------------------------------------------------------


@pytest.fixture
def receipt(make_store: MakeStore) -> dict[str, Any]:
    store = make_store()
    fill(store)
    return receipts.receipt_of(store, erase(store))


def key_pair() -> tuple[bytes, bytes]:
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), public


def key_in(receipt: dict[str, Any], private: bytes) -> Any:
    return receipts.signed(receipt, private)["signature"]["public_key"]


def document(receipt: dict[str, Any]) -> bytes:
    return receipts.canonical(receipt) + b"\n"


def test_a_receipt_says_what_was_destroyed_where_and_when(make_store: MakeStore, bucket: str) -> None:
    store = make_store(prefix="p/")
    fill(store)
    layout = store.objects.layout
    listed = [
        version
        for prefix in (layout.key_ring, layout.intents_prefix, layout.folder(Folder.REDACTIONS), layout.memories_prefix)
        for version in store.objects.versions.below(prefix)
    ]
    erasure = erase(store)
    receipt = json.loads(document(receipts.receipt_of(store, erasure)))
    assert receipt["tenant"] == TENANT
    assert receipt["bucket"] == bucket
    assert receipt["erased"] == [
        f"p/keyrings/{TENANT}",
        f"p/intents/{TENANT}/",
        f"p/redactions/{TENANT}/",
        f"p/memories/{TENANT}/",
    ]
    assert receipt["begun"] <= receipt["verified"] < receipt["caches_end"]
    assert receipt["destroyed"]["keyrings"]["versions"] == 2
    counts = [tally["versions"] + tally["delete_markers"] for tally in receipt["destroyed"].values()]
    assert sum(counts) == len(listed)
    # Whoever has a listing from before can compute it.
    assert receipt["destroyed_sha256"] == fingerprint({digest_of(version) for version in reversed(listed)})
    assert receipt["not_proved"]


def test_a_receipt_that_was_not_altered_is_taken(receipt: dict[str, Any]) -> None:
    assert receipts.checked(document(receipt)) == receipt
    private, public = key_pair()
    signed = receipts.signed(receipt, private)
    assert receipts.checked(document(signed)) == signed
    assert receipts.checked(document(signed), public) == signed


def test_a_receipt_that_was_altered_is_not(receipt: dict[str, Any]) -> None:
    private, public = key_pair()
    signed = receipts.signed(receipt, private)
    other_private, other_public = key_pair()
    for wrong in (
        document({**signed, "left": 7}),
        document({**signed, "tenant": "other"}),
        document({**signed, "signature": receipts.signed({**receipt, "left": 7}, private)["signature"]}),
        document(receipts.signed(receipt, other_private)),
        document({**signed, "signature": {**signed["signature"], "algorithm": "none"}}),
        # What the signature says of itself is not signed: it must not name somebody else.
        document({**signed, "signature": {**signed["signature"], "public_key": key_in(receipt, other_private)}}),
        document(receipt),
    ):
        with pytest.raises(IntegrityError):
            receipts.checked(wrong, public)
    with pytest.raises(IntegrityError):
        receipts.checked(document(signed), other_public)
    with pytest.raises(IntegrityError):
        receipts.checked(document({**signed, "left": 7}))


@pytest.mark.parametrize(
    "text", [b"", b"{}", b"[]", b"null", b"\xff", b'{"format":"s3memory/erasure-receipt/2"}\n', b"[" * 100_000]
)
def test_what_is_no_receipt_is_refused(text: bytes) -> None:
    with pytest.raises(IntegrityError):
        receipts.checked(text)


def test_a_receipt_in_another_spelling_is_refused(receipt: dict[str, Any]) -> None:
    for text in (json.dumps(receipt).encode(), document(receipt)[:-1], b" " + document(receipt)):
        with pytest.raises(IntegrityError):
            receipts.checked(text)


def test_keys_that_are_none_are_refused(receipt: dict[str, Any]) -> None:
    elliptic = generate_private_key(SECP256R1())
    wrong_private = elliptic.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    wrong_public = elliptic.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    private, _ = key_pair()
    for pem in (b"", b"no key", wrong_private):
        with pytest.raises(ConfigurationError):
            receipts.signed(receipt, pem)
        with pytest.raises(ConfigurationError):
            receipts.load_private_key(pem)
    for pem in (b"", b"no key", wrong_public):
        with pytest.raises(ConfigurationError):
            receipts.checked(document(receipts.signed(receipt, private)), pem)
