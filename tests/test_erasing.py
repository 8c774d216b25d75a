"""A tenant is erased whole, and no other: all versions, the key ring first, and the receipt says what was done."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from conftest import TENANT, MakeStore
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from faults import KILL, FaultLayer, Killed, first_comes, refused

from s3memory import MemoryStore, tree
from s3memory.admin import erasing, receipts, rotation
from s3memory.admin.erasing import FOLDERS, digest_of, erase, erase_nothing, fingerprint, survey
from s3memory.admin.redactions import Record, write_record
from s3memory.admin.resealing import reseal
from s3memory.errors import (
    BackendError,
    ConfigurationError,
    IntegrityError,
    KeyRingError,
    ReadOnlyError,
    RefusedError,
    UnfinishedError,
)
from s3memory.keys import KeyCache
from s3memory.names import ENCRYPTED, NAME_MODES, PLAIN
from s3memory.paths import MemoryPath

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

A, B = MemoryPath(("a",)), MemoryPath(("d", "b"))
NEIGHBOURS = [f"{TENANT}2", f"{TENANT}-b", f"{TENANT}.c", TENANT[:-1], f"x{TENANT}"]


def fill(store: MemoryStore, faults: FaultLayer | None = None) -> None:
    """Leave files, older versions, delete markers, two key rings, and where faults are given a crash's intent."""
    store.create(A, "one")
    store.edit(A, str.upper)
    store.create(B, "two")
    rotation.rotate(store)
    reseal(store)
    store.create(MemoryPath(("gone",)), "three")
    tree.delete(store, MemoryPath(("gone",)))
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    write_record(store, Record(A, "id", moment, "edited", None, moment, None))
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
    assert set(faults.requests) == {"ListObjectVersions"}


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
    faults.hit("ListObjectVersions", first_comes(lambda: agent.create(MemoryPath(("late",)), "x")), nth=5)
    assert erase(make_store()).left == 0
    assert stored(s3, bucket) == []


def test_somebody_who_goes_on_writing_is_told(
    make_store: MakeStore, s3: S3Client, bucket: str, faults: FaultLayer, other_s3: S3Client
) -> None:
    fill(make_store())
    body = s3.get_object(Bucket=bucket, Key=f"memories/{TENANT}/a")["Body"].read()

    def write() -> None:
        other_s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/a", Body=body)

    faults.hit("ListObjectVersions", first_comes(write), times=100)
    with pytest.raises(UnfinishedError, match="Stop the tenant's agents"):
        erase(make_store())


def test_what_a_retention_rule_keeps_is_told_and_the_rest_goes(
    make_store: MakeStore, s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(make_store())
    store = make_store()
    held = next(version for version in store.bucket.versions.below(store.layout.memories_prefix))
    real = s3.delete_objects

    def delete_objects(**arguments: Any) -> Any:
        objects = arguments["Delete"]["Objects"]
        kept = [one for one in objects if one["VersionId"] == held.version_id]
        arguments["Delete"]["Objects"] = [one for one in objects if one not in kept]
        answer: Any = real(**arguments) if arguments["Delete"]["Objects"] else {}
        return {**answer, "Errors": [{**one, "Code": "AccessDenied", "Message": "Object Lock"} for one in kept]}

    monkeypatch.setattr(s3, "delete_objects", delete_objects)
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
    layout = store.layout
    listed = [
        version
        for prefix in (layout.key_ring, layout.intents_prefix, layout.redactions_prefix, layout.memories_prefix)
        for version in store.bucket.versions.below(prefix)
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
