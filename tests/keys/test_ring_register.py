"""A register of key rings outside the bucket: no process uses an older ring that was restored, whatever it has seen."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, EndpointConnectionError
from conftest import TENANT, MakeStore
from support.faults import Fault, FaultLayer
from support.stored import put_back, ring_now
from support.unique import unique

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory.admin.erasure import erasing
from s3memory.admin.erasure.erasing import erase, erase_nothing
from s3memory.admin.keys.generations import key_ring_state
from s3memory.admin.keys.retiring import retire
from s3memory.admin.keys.rotation import archive, rewrap, rotate, stored_key_ring
from s3memory.audit import AuditEvent
from s3memory.aws import clients
from s3memory.aws.request_counts import counted
from s3memory.config.settings import Settings
from s3memory.errors import (
    AccessDeniedError,
    ConfigurationError,
    KeyRingError,
    OlderKeyRingError,
    RefusedError,
    S3MemoryError,
    UnavailableError,
    UnfinishedError,
)
from s3memory.format.object_keys import Folder
from s3memory.keys.dynamodb_register import DynamoDBRingRegister
from s3memory.keys.key_cache import KeyCache
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.keys.ring_register import RingRecord, RingRegister, TenantRegister, fingerprint

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

CREATE = {"command": "create", "path": "/memories/a", "file_text": "one"}
VIEW = {"command": "view", "path": "/memories/a"}


@pytest.fixture
def dynamodb(_aws: None) -> Any:
    """A client of moto's DynamoDB."""
    return boto3.client("dynamodb")


@pytest.fixture
def table(dynamodb: Any) -> str:
    """The name of a new table, with the schema of terraform/."""
    name = unique("rings")
    dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "tenant", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "tenant", "AttributeType": "S"}],
    )
    return name


@pytest.fixture
def register(dynamodb: Any, table: str) -> DynamoDBRingRegister:
    return DynamoDBRingRegister(table, dynamodb_client=dynamodb)


@pytest.fixture
def process(make_store: MakeStore, register: DynamoDBRingRegister) -> Callable[..., MemoryStore]:
    """Create the store of a process that has not seen any ring yet."""

    def start(**more: Any) -> MemoryStore:
        return make_store(**{"key_cache": KeyCache(), "ring_register": register, **more})

    return start


def say(store: MemoryStore, command: dict[str, Any]) -> str:
    """Return what the model would read."""
    try:
        return MemoryCommands(store).call(command)
    except S3MemoryError as error:
        return error.for_model


def empty(s3: S3Client, bucket: str) -> None:
    for one in s3.list_objects_v2(Bucket=bucket).get("Contents", []):
        s3.delete_object(Bucket=bucket, Key=one["Key"])


class Failing:
    """A DynamoDB client that fails with an error."""

    def __init__(self, error: Exception, *, of: str = "get_item", then: Any = None) -> None:
        self.error, self.of, self.then, self.asked = error, of, then, 0
        self.meta: Any = type("Meta", (), {})()

    def __getattr__(self, name: str) -> Any:
        if name == self.of:
            return self._fail
        return getattr(self.then, name)

    def _fail(self, **_: Any) -> Any:
        self.asked += 1
        raise self.error


def refusal(code: str, status: int = 400) -> ClientError:
    return ClientError({"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}, "GetItem")  # type: ignore[typeddict-item]


@pytest.mark.parametrize("command", [VIEW, CREATE | {"path": "/memories/b"}], ids=["view", "create"])
def test_a_new_process_refuses_an_older_ring(
    process: Callable[..., MemoryStore],
    s3: S3Client,
    bucket: str,
    command: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
) -> None:
    first = process()
    say(first, CREATE)
    older = ring_now(s3, first, bucket)
    rotate(first)
    put_back(s3, first, bucket, older)
    events: list[AuditEvent] = []
    auditor = type("Auditor", (), {"with_paths": False, "audit": lambda _, event: events.append(event)})()
    with caplog.at_level(logging.WARNING, "s3memory"):
        answer = say(process(auditor=auditor), command)
    assert "The tenant's key ring is older than one that was used before" in answer
    assert "an older key ring was put back in place of one that was used before; it is refused" in caplog.text
    assert [(one.outcome, one.error) for one in events] == [("failed", "OlderKeyRingError")]
    assert ring_now(s3, first, bucket) == older  # left unchanged


def test_the_newest_ring_is_used_after_it_was_restored(
    process: Callable[..., MemoryStore], s3: S3Client, bucket: str
) -> None:
    first = process()
    say(first, CREATE)
    older = ring_now(s3, first, bucket)
    rotate(first)
    newest = ring_now(s3, first, bucket)
    put_back(s3, first, bucket, older)
    put_back(s3, first, bucket, newest)
    assert "one" in say(process(), VIEW)


def test_nobody_continues_from_an_older_ring_that_was_restored(
    process: Callable[..., MemoryStore], s3: S3Client, bucket: str, key_wrapper: LocalKeyWrapper
) -> None:
    first = process()
    say(first, CREATE)
    older = ring_now(s3, first, bucket)
    rotate(first)
    # No version in the bucket shows the newer one any more.
    for one in s3.list_object_versions(Bucket=bucket, Prefix=first.key_ring.object_key)["Versions"]:
        s3.delete_object(Bucket=bucket, Key=one["Key"], VersionId=one["VersionId"])
    put_back(s3, first, bucket, older)
    changes = (
        rotate,
        archive,
        retire,
        partial(retire, dry_run=True),
        lambda store: rewrap(store, LocalKeyWrapper(os.urandom(32))),
        lambda store: rewrap(store, key_wrapper),  # it is already under that key
        lambda store: rewrap(store, key_wrapper, dry_run=True),
        key_ring_state,
    )
    for change in changes:
        with pytest.raises(OlderKeyRingError):
            change(process())
    assert ring_now(s3, first, bucket) == older


def test_a_ring_of_the_same_generation_with_another_data_key_is_refused(
    process: Callable[..., MemoryStore], s3: S3Client, bucket: str, key_wrapper: LocalKeyWrapper
) -> None:
    first = process()
    say(first, CREATE)
    other = OpenKeyRing.new(tenant=TENANT, name_mode="plain", wrapper=key_wrapper)
    put_back(s3, first, bucket, other.ring.to_bytes())
    with pytest.raises(OlderKeyRingError):
        process().key_ring.existing()


def test_rewrapping_and_archiving_change_nothing_in_the_register(
    process: Callable[..., MemoryStore], register: DynamoDBRingRegister, key_wrapper: LocalKeyWrapper
) -> None:
    first = process()
    say(first, CREATE)
    before = register.read(TENANT)
    moved = LocalKeyWrapper(os.urandom(32))
    rewrap(first, moved)
    archive(process(key_wrapper=moved))
    assert "one" in say(process(key_wrapper=moved), VIEW)
    assert register.read(TENANT) == before


def test_a_tenant_older_than_the_table_is_recorded_when_its_ring_is_read(
    process: Callable[..., MemoryStore], register: DynamoDBRingRegister
) -> None:
    without = process(ring_register=None)
    say(without, CREATE)
    rotate(without)
    assert register.read(TENANT) is None
    say(process(), VIEW)
    ring = without.key_ring.existing()
    assert ring is not None
    assert register.read(TENANT) == RingRecord(1, 2, fingerprint(ring), frozenset())


def test_a_newer_ring_is_recorded_by_its_first_reader(
    process: Callable[..., MemoryStore], register: DynamoDBRingRegister
) -> None:
    say(process(), CREATE)
    rotate(process(ring_register=None))  # it could not reach the table, for example
    say(process(), VIEW)
    record = register.read(TENANT)
    assert record is not None
    assert (record.revision, record.newest, len(record.before)) == (2, 2, 1)


@pytest.mark.parametrize("next_reader", [lambda store: say(store, VIEW), partial(rotate, only_from=1)])
def test_a_rotation_whose_record_fails_says_that_it_is_done_and_the_next_reader_records_it(
    process: Callable[..., MemoryStore],
    dynamodb: Any,
    table: str,
    register: DynamoDBRingRegister,
    next_reader: Callable[[MemoryStore], object],
) -> None:
    say(process(), CREATE)
    down = Failing(refusal("InternalServerError", 500), of="put_item", then=dynamodb)
    with pytest.raises(UnfinishedError, match=r"newest generation is 2\..*rotate --only-from 1"):
        rotate(process(ring_register=DynamoDBRingRegister(table, dynamodb_client=down)))
    assert down.asked == 1
    next_reader(process())
    assert stored_key_ring(process()).opened.newest.generation == 2
    record = register.read(TENANT)
    assert record is not None
    assert record.newest == 2


def test_read_only_commands_record_nothing_but_refuse_an_older_ring_too(
    process: Callable[..., MemoryStore], s3: S3Client, bucket: str, register: DynamoDBRingRegister
) -> None:
    first = process(ring_register=None)
    say(first, CREATE)
    older = ring_now(s3, first, bucket)
    assert "one" in say(process().refusing_writes(), VIEW)
    assert register.read(TENANT) is None
    rotate(process())
    put_back(s3, first, bucket, older)
    with pytest.raises(OlderKeyRingError):
        process().refusing_writes().key_ring.existing()


# Erasure


def test_an_erased_tenants_name_can_be_used_again_and_its_old_rings_stay_refused(
    process: Callable[..., MemoryStore], s3: S3Client, bucket: str, register: DynamoDBRingRegister
) -> None:
    first = process()
    say(first, CREATE)
    rings = [ring_now(s3, first, bucket)]
    rotate(first)
    rings.append(ring_now(s3, first, bucket))
    erase(process())
    record = register.read(TENANT)
    assert record is not None
    assert (record.newest, record.fingerprint, len(record.before)) == (0, b"", 2)
    for ring in rings:  # before the tenant is used again
        put_back(s3, first, bucket, ring)
        with pytest.raises(OlderKeyRingError):
            process().key_ring.existing()
        s3.delete_object(Bucket=bucket, Key=first.key_ring.object_key)
    second = process()
    assert "created successfully" in say(second, CREATE)
    newer = ring_now(s3, second, bucket)
    for ring in rings:  # including that of generation 2, while the new tenant is at 1
        put_back(s3, first, bucket, ring)
        with pytest.raises(OlderKeyRingError):
            process().key_ring.existing()
    put_back(s3, first, bucket, newer)
    assert "one" in say(process(), VIEW)
    erase(process())
    assert "created successfully" in say(process(), CREATE)


def test_nothing_is_destroyed_before_the_register_has_been_read(
    process: Callable[..., MemoryStore], s3: S3Client, bucket: str, table: str
) -> None:
    say(process(), CREATE)
    before = s3.list_object_versions(Bucket=bucket)["Versions"]
    down = DynamoDBRingRegister(table, dynamodb_client=Failing(refusal("ThrottlingException")))
    for erased in (erase, erase_nothing):
        with pytest.raises(UnavailableError, match="Nothing was changed"):
            erased(process(ring_register=down))
    assert s3.list_object_versions(Bucket=bucket)["Versions"] == before


def test_a_tenant_that_starts_while_there_is_nothing_to_erase_stays(
    process: Callable[..., MemoryStore], register: DynamoDBRingRegister, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(process(), CREATE)
    erase(process())
    count = erasing.count_uploads

    def begun_meanwhile(store: MemoryStore) -> int | None:
        say(process(), CREATE)
        return count(store)

    monkeypatch.setattr(erasing, "count_uploads", begun_meanwhile)
    with pytest.raises(RefusedError, match="since it was counted"):
        erase_nothing(process())
    assert "one" in say(process(), VIEW)
    record = register.read(TENANT)
    assert record is not None
    assert record.newest == 1


def test_an_erasure_that_crashed_before_it_was_recorded_is_recorded_when_it_is_repeated(
    process: Callable[..., MemoryStore], dynamodb: Any, table: str
) -> None:
    say(process(), CREATE)
    silent = Failing(refusal("ThrottlingException"), of="put_item", then=dynamodb)
    erasure = erase(process(ring_register=DynamoDBRingRegister(table, dynamodb_client=silent)))
    assert not erasure.is_recorded
    assert erasure.destroyed[Folder.KEY_RINGS].count
    with pytest.raises(KeyRingError, match="missing"):  # the tenant cannot be used again in between
        process().key_ring.existing_or_new()
    erase_nothing(process())
    assert "created successfully" in say(process(), CREATE)


def test_a_tenant_whose_ring_and_files_vanished_without_an_erasure_does_not_look_new(
    process: Callable[..., MemoryStore], s3: S3Client, bucket: str
) -> None:
    say(process(), CREATE)
    empty(s3, bucket)
    for command in (VIEW, CREATE, {"command": "view", "path": "/memories"}):
        assert "key ring is missing" in say(process(), command)


def test_the_erasure_of_a_tenant_that_was_never_recorded_writes_nothing(register: DynamoDBRingRegister) -> None:
    assert TenantRegister(register, "nobody").record_erasure(None)
    assert register.read("nobody") is None


# Requests


def test_a_ring_costs_one_get_item_when_it_is_read_and_nothing_while_it_is_cached(
    process: Callable[..., MemoryStore], register: DynamoDBRingRegister
) -> None:
    def of_dynamodb(store: MemoryStore, command: dict[str, Any]) -> dict[str, int]:
        with counted() as counts:
            say(store, command)
        return {name: count for name, count in counts.requests.items() if name in {"GetItem", "PutItem"}}

    first = process()
    assert of_dynamodb(first, CREATE) == {"GetItem": 2, "PutItem": 1}  # a new tenant
    assert of_dynamodb(first, VIEW) == {}
    second = process()
    assert of_dynamodb(second, VIEW) == {"GetItem": 1}
    assert of_dynamodb(second, CREATE | {"path": "/memories/b"}) == {}


def test_reads_are_consistent_and_writes_are_conditional(process: Callable[..., MemoryStore], dynamodb: Any) -> None:
    sent: list[tuple[str, dict[str, Any]]] = []

    def note(model: Any, params: dict[str, Any], **_: Any) -> None:
        sent.append((model.name, json.loads(params["body"])))

    dynamodb.meta.events.register("before-call.dynamodb", note)
    try:
        first = process()
        say(first, CREATE)
        rotate(first)
    finally:
        dynamodb.meta.events.unregister("before-call.dynamodb", note)
    assert {name for name, _ in sent} == {"GetItem", "PutItem"}
    assert all(body["ConsistentRead"] for name, body in sent if name == "GetItem")
    conditions = [body["ConditionExpression"] for name, body in sent if name == "PutItem"]
    assert conditions == ["attribute_not_exists(tenant)", "revision = :before"]


# Races


@pytest.mark.parametrize("read", [lambda store: store.key_ring.existing(), lambda store: stored_key_ring(store).opened])
def test_a_ring_that_is_rotated_while_it_is_read_is_read_again(
    process: Callable[..., MemoryStore], read: Callable[[MemoryStore], OpenKeyRing | None]
) -> None:
    say(process(), CREATE)
    late = process()
    stored = late.key_ring.stored

    def read_then_rotated(version_id: str | None = None) -> Any:
        late.key_ring.stored = stored  # type: ignore[method-assign]  # one read alone
        found = stored(version_id)
        rotate(process())
        return found

    late.key_ring.stored = read_then_rotated  # type: ignore[method-assign]  # the moment between two requests
    ring = read(late)
    assert ring is not None
    assert ring.newest.generation == 2


def test_two_simultaneous_first_writers_both_use_the_ring_of_one(
    process: Callable[..., MemoryStore], register: DynamoDBRingRegister
) -> None:
    stores = [process() for _ in range(6)]
    barrier = threading.Barrier(len(stores))
    answers: list[str] = []

    def write(number: int) -> None:
        barrier.wait()
        answers.append(say(stores[number], CREATE | {"path": f"/memories/{number}"}))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(len(stores))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("created successfully" in answer for answer in answers), answers
    record = register.read(TENANT)
    assert record is not None
    assert (record.revision, record.newest) == (1, 1)


class Racing:
    """A register in which another process writes right before each of a number of this one's writes."""

    def __init__(self, register: DynamoDBRingRegister, others: Iterator[RingRecord]) -> None:
        self._register, self._others = register, others

    def read(self, tenant: str) -> RingRecord | None:
        return self._register.read(tenant)

    def write(self, tenant: str, record: RingRecord) -> bool:
        other = next(self._others, None)
        if other is not None:
            assert self._register.write(tenant, other)
        return self._register.write(tenant, record)


def known_of(register: RingRegister) -> TenantRegister:
    return TenantRegister(register, TENANT)


@pytest.fixture
def rings(key_wrapper: LocalKeyWrapper) -> list[OpenKeyRing]:
    """A ring, rotated twice: generations 1 to 3."""
    first = OpenKeyRing.new(tenant=TENANT, name_mode="plain", wrapper=key_wrapper)
    second = first.rotated()
    return [first, second, second.rotated()]


def test_a_writer_that_is_overtaken_while_recording_checks_again(
    register: DynamoDBRingRegister, rings: list[OpenKeyRing]
) -> None:
    first, second, third = rings
    assert known_of(register).admits(first)
    record = register.read(TENANT)
    assert record is not None
    newest = RingRecord(2, 3, fingerprint(third), frozenset({fingerprint(first)}))
    assert not known_of(Racing(register, iter([newest]))).admits(second)  # no longer the newest
    assert register.read(TENANT) == newest
    assert known_of(register).admits(third)


def test_a_writer_that_is_overtaken_by_the_same_record_continues(
    register: DynamoDBRingRegister, rings: list[OpenKeyRing]
) -> None:
    same = RingRecord(1, 1, fingerprint(rings[0]), frozenset())
    assert known_of(Racing(register, iter([same]))).admits(rings[0])
    assert register.read(TENANT) == same


def test_an_erasure_that_is_overtaken_leaves_the_new_record_to_the_next_check(
    register: DynamoDBRingRegister, rings: list[OpenKeyRing]
) -> None:
    first, second, _ = rings
    known_of(register).admits(first)
    later = RingRecord(2, 2, fingerprint(second), frozenset({fingerprint(first)}))
    assert not known_of(Racing(register, iter([later]))).record_erasure(register.read(TENANT))
    assert register.read(TENANT) == later
    assert known_of(register).record_erasure(register.read(TENANT))
    assert register.read(TENANT) == RingRecord(3, 0, b"", frozenset({fingerprint(first), fingerprint(second)}))
    assert not known_of(register).has_ring()


def test_a_write_that_botocore_sent_twice_counts_as_successful(
    dynamodb: Any, table: str, rings: list[OpenKeyRing]
) -> None:
    class Twice:
        meta = dynamodb.meta

        def __getattr__(self, name: str) -> Any:
            return getattr(dynamodb, name)

        def put_item(self, **arguments: Any) -> Any:
            dynamodb.put_item(**arguments)
            return dynamodb.put_item(**arguments)  # the response to the first was lost

    register = DynamoDBRingRegister(table, dynamodb_client=Twice())
    assert all(known_of(register).admits(ring) for ring in rings)
    record = register.read(TENANT)
    assert record is not None
    assert (record.revision, record.newest) == (3, 3)


class Unanswered:
    """A DynamoDB client whose answers to writes are lost, and to reads from then on if it `goes_down`."""

    def __init__(self, dynamodb: Any, *, goes_down: bool = False) -> None:
        self.dynamodb, self.goes_down, self.is_down, self.meta = dynamodb, goes_down, False, dynamodb.meta

    def put_item(self, **arguments: Any) -> Any:
        self.dynamodb.put_item(**arguments)
        self.is_down = self.goes_down
        raise ConnectionClosedError(endpoint_url="https://dynamodb")

    def get_item(self, **arguments: Any) -> Any:
        if self.is_down:
            raise EndpointConnectionError(endpoint_url="https://dynamodb")
        return self.dynamodb.get_item(**arguments)


def test_a_record_whose_answer_was_lost_is_read_to_know_whether_it_was_stored(
    dynamodb: Any, table: str, rings: list[OpenKeyRing]
) -> None:
    register = DynamoDBRingRegister(table, dynamodb_client=Unanswered(dynamodb))
    assert all(known_of(register).admits(ring) for ring in rings)
    assert known_of(register).record_erasure(register.read(TENANT))
    assert not known_of(register).has_ring()


def test_an_erasure_of_nothing_does_not_say_that_nothing_was_changed_if_the_record_may_be(
    process: Callable[..., MemoryStore], dynamodb: Any, table: str, register: DynamoDBRingRegister
) -> None:
    say(process(), CREATE)
    record = register.read(TENANT)
    erase(process(ring_register=None))
    down = Unanswered(dynamodb, goes_down=True)
    erasure = erase_nothing(process(ring_register=DynamoDBRingRegister(table, dynamodb_client=down)))
    assert not erasure.is_recorded
    assert register.read(TENANT) != record


def test_endless_contention_ends_as_unavailable(register: DynamoDBRingRegister, rings: list[OpenKeyRing]) -> None:
    class Never(Racing):
        def write(self, *_: object) -> bool:
            return False

    known_of(register).admits(rings[0])
    with pytest.raises(UnavailableError, match="Nothing was changed"):
        known_of(Never(register, iter(()))).admits(rings[1])
    assert not known_of(Never(register, iter(()))).record_erasure(register.read(TENANT))


# An unavailable table


@pytest.mark.parametrize(
    ("error", "expected", "text"),
    [
        (refusal("ThrottlingException"), UnavailableError, "not available right now (ThrottlingException)"),
        (
            refusal("ProvisionedThroughputExceededException"),
            UnavailableError,
            "not available right now (ProvisionedThroughputExceededException)",
        ),
        (refusal("InternalServerError", 500), UnavailableError, "not available right now (InternalServerError)"),
        (EndpointConnectionError(endpoint_url="https://dynamodb"), UnavailableError, "(EndpointConnectionError)"),
        (refusal("AccessDeniedException"), AccessDeniedError, "refused access (AccessDeniedException)"),
        (refusal("ResourceNotFoundException"), None, "could not do this (ResourceNotFoundException)"),
    ],
    ids=lambda one: getattr(one, "operation_name", "") and one.response["Error"]["Code"],
)
def test_a_ring_that_cannot_be_checked_is_not_used(
    process: Callable[..., MemoryStore],
    table: str,
    error: Exception,
    expected: type[Exception] | None,
    text: str,
) -> None:
    say(process(), CREATE)
    down = process(ring_register=DynamoDBRingRegister(table, dynamodb_client=Failing(error)))
    answer = say(down, VIEW)
    assert text in answer
    assert table not in answer
    if expected is not None:
        with pytest.raises(expected):
            down.key_ring.existing()


def test_a_cached_ring_is_used_while_the_table_is_unavailable(
    process: Callable[..., MemoryStore], dynamodb: Any, table: str
) -> None:
    failing = Failing(refusal("ThrottlingException"), of="nothing", then=dynamodb)
    store = process(ring_register=DynamoDBRingRegister(table, dynamodb_client=failing))
    say(store, CREATE)
    failing.of = "get_item"
    assert "one" in say(store, VIEW)
    assert failing.asked == 0


def test_a_first_write_whose_record_fails_is_completed_by_the_next(
    process: Callable[..., MemoryStore], dynamodb: Any, table: str, register: DynamoDBRingRegister
) -> None:
    down = Failing(refusal("ThrottlingException"), of="put_item", then=dynamodb)
    assert "not available right now" in say(
        process(ring_register=DynamoDBRingRegister(table, dynamodb_client=down)), CREATE
    )
    assert "created successfully" in say(process(), CREATE)
    assert known_of(register).has_ring()


@pytest.mark.parametrize("item", [{}, {"revision": {"N": "1"}}, {"revision": {"S": "x"}, "newest": {"N": "1"}}])
def test_an_item_that_is_not_a_record_is_a_wrong_setting(
    process: Callable[..., MemoryStore], dynamodb: Any, table: str, item: dict[str, Any]
) -> None:
    dynamodb.put_item(TableName=table, Item={"tenant": {"S": TENANT}, **item})
    with pytest.raises(ConfigurationError, match="S3MEMORY_KEY_RING_TABLE"):
        process().key_ring.existing_or_new()


# Settings and credentials


def test_the_setting_creates_the_register_with_the_callers_clients(
    bucket: str, table: str, local_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clients.forget_clients()
    environ = {"S3MEMORY_BUCKET": bucket, "S3MEMORY_LOCAL_KEY": local_key, "S3MEMORY_KEY_RING_TABLE": table}
    store = MemoryStore.from_settings(Settings.from_env(environ), tenant=TENANT)
    say(store, CREATE)
    record = DynamoDBRingRegister(table).read(TENANT)
    assert record is not None
    role = "arn:aws:iam::123456789012:role/tenants"
    as_tenants = Settings.from_env({**environ, "S3MEMORY_TENANT_ROLE_ARN": role})
    registers = [
        MemoryStore.from_settings(as_tenants, tenant=one).key_ring.register.rings for one in ("acme", "globex")
    ]
    assert registers[0] != registers[1]  # what one tenant's session could read proves nothing about another's
    assert store.key_ring.register.rings not in registers
    assert "created successfully" in say(MemoryStore.from_settings(as_tenants, tenant="globex"), CREATE)


@pytest.mark.parametrize(
    "value", ["a table", "ab", "arn:aws:dynamodb:eu-central-1:1:table/rings", "arn:aws:s3:::rings", "rings/x"]
)
def test_a_malformed_table_is_refused(value: str) -> None:
    with pytest.raises(ConfigurationError, match="S3MEMORY_KEY_RING_TABLE is malformed"):
        Settings.from_env({"S3MEMORY_KEY_RING_TABLE": value})


@pytest.mark.parametrize("value", ["rings", "arn:aws-us-gov:dynamodb:us-gov-west-1:111122223333:table/a.b_c-d"])
def test_a_table_is_named_by_its_name_or_its_arn(value: str) -> None:
    assert Settings.from_env({"S3MEMORY_KEY_RING_TABLE": value}).get("KEY_RING_TABLE") == value


def test_a_register_with_its_own_client_does_not_switch_to_a_tenants_client(register: DynamoDBRingRegister) -> None:
    with pytest.raises(ConfigurationError, match="dynamodb_client"):
        register.with_clients(clients.PROCESS)
    with pytest.raises(ConfigurationError, match="table"):
        DynamoDBRingRegister("")


def test_a_register_does_not_show_the_name_of_its_table(register: DynamoDBRingRegister, table: str) -> None:
    assert table not in repr(register)
    assert DynamoDBRingRegister(table) == DynamoDBRingRegister(table)
    assert register != DynamoDBRingRegister(table)


def test_a_ring_that_was_cached_without_the_register_does_not_count_as_checked(
    process: Callable[..., MemoryStore], s3: S3Client, bucket: str
) -> None:
    first = process()
    say(first, CREATE)
    older = ring_now(s3, first, bucket)
    rotate(first)
    put_back(s3, first, bucket, older)
    cache = KeyCache()
    say(process(ring_register=None, key_cache=cache), VIEW)
    with pytest.raises(OlderKeyRingError):
        process(key_cache=cache).key_ring.existing()


def test_a_fingerprint_covers_the_tenant_and_the_generations_key_and_nothing_else(
    rings: list[OpenKeyRing], key_wrapper: LocalKeyWrapper
) -> None:
    prints = [fingerprint(ring) for ring in rings]
    assert len({*prints}) == 3
    assert all(len(one) == 16 for one in prints)
    assert fingerprint(rings[0].as_archived(archived=True)) == prints[0]
    assert fingerprint(rings[2].without({1, 2})) == prints[2]
    assert all(ring.newest.key_bytes[:8] not in one for ring, one in zip(rings, prints, strict=True))


def test_a_web_page_in_place_of_a_record_does_not_mean_that_there_is_none(dynamodb: Any, table: str) -> None:
    register = DynamoDBRingRegister(table, dynamodb_client=dynamodb)
    page = Fault(is_sent=False, answer=(200, ""), document="<html><body>Blocked by the proxy</body></html>")
    with FaultLayer(dynamodb) as faults:
        faults.hit("GetItem", page)
        with pytest.raises(UnavailableError):
            register.read(TENANT)
