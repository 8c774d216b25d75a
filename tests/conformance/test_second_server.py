"""Can an S3-compatible server hold a memory? The same rules for each: moto, LocalStack, or your own server.

Not collected with the other tests: name this file, and the server in CONFORMANCE_ENDPOINT_URL. AWS's own variables
provide credentials and a region; without them, made-up ones are used. Everything is stored in new buckets, which are
deleted at the end.
"""

from __future__ import annotations

import itertools
import os
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import boto3
import pytest
import test_contract as contract
from botocore.config import Config
from botocore.exceptions import ClientError
from conftest import MakeCommands, MakeStore
from support.faults import NOT_SENT, FaultLayer
from support.flavours import Refused, files_of, make_ring, put_file, through_core
from support.stored import key_of

from s3memory import Limits, LocalKeyWrapper
from s3memory._parallel import each
from s3memory.admin.doctor import Deployment, Status, examine
from s3memory.aws import clients
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import KeyRingError, UnfinishedError
from s3memory.format.names import ENCRYPTED, PLAIN
from s3memory.keys.key_cache import KeyCache
from s3memory.limits import LIST_PAGE_KEYS, MAX_OBJECT_KEY_BYTES
from s3memory.paths import MemoryPath
from s3memory.s3.bucket import Bucket
from s3memory.s3.objects import Deletion, Noted
from s3memory.store import tree

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

if "CONFORMANCE_ENDPOINT_URL" not in os.environ:
    raise pytest.UsageError("name the server to be tested in CONFORMANCE_ENDPOINT_URL")

ENDPOINT_URL = os.environ["CONFORMANCE_ENDPOINT_URL"]
# Read before a fixture removes them for all other tests.
OWN_AWS = {
    name: os.environ[name]
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_DEFAULT_REGION")
    if name in os.environ
}
A, B = "/memories/a.md", "/memories/b.md"

R = TypeVar("R")
_tenants = (f"tenant-{number}" for number in itertools.count())

both_name_modes = pytest.mark.parametrize("name_mode", [PLAIN, ENCRYPTED])


@pytest.fixture(scope="session")
def s3(_aws: None) -> Iterator[S3Client]:
    """The client that users of another server get."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in OWN_AWS.items():
            patch.setenv(name, value)
        yield clients.PROCESS.s3_client(endpoint_url=ENDPOINT_URL)
    clients.forget_clients()


MakeBucket = Callable[[], str]


@pytest.fixture(scope="session")
def make_bucket(s3: S3Client) -> Iterator[MakeBucket]:
    made: list[str] = []

    def make() -> str:
        name = f"conformance-{uuid.uuid4().hex}"
        region = s3.meta.region_name
        where: Any = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
        s3.create_bucket(Bucket=name, **where)
        s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
        made.append(name)
        return name

    yield make
    for name in made:
        remove_bucket(s3, name)


@pytest.fixture(scope="session")
def bucket(make_bucket: MakeBucket) -> str:
    """One bucket for all: each test uses its own tenant."""
    return make_bucket()


@pytest.fixture
def tenant() -> str:
    return next(_tenants)


@pytest.fixture
def s3_bucket(s3: S3Client, make_bucket: MakeBucket) -> Bucket:
    return Bucket(s3, make_bucket(), retry=RetryPolicy(max_tries=3))


@pytest.fixture(scope="session")
def honours_delete_conditions(s3: S3Client, bucket: str) -> bool:
    """Whether the server honours conditions on DELETE. If it does not, the rules are weaker."""
    s3.put_object(Bucket=bucket, Key="asked", Body=b"")
    try:
        s3.delete_object(Bucket=bucket, Key="asked", IfMatch='"another"')
    except ClientError as error:
        return error.response["Error"]["Code"] == "PreconditionFailed"
    return False


def remove_bucket(s3: S3Client, name: str) -> None:
    while True:
        page = s3.list_object_versions(Bucket=name, MaxKeys=500)
        versions: list[Any] = [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
        if not versions:
            break
        objects: Any = [{"Key": version["Key"], "VersionId": version["VersionId"]} for version in versions]
        s3.delete_objects(Bucket=name, Delete={"Objects": objects, "Quiet": True})
    s3.delete_bucket(Bucket=name)


def at_once(*calls: Callable[[], R]) -> list[R]:
    """Call all in threads that start at the same moment."""
    start = threading.Barrier(len(calls))

    def run(call: Callable[[], R]) -> R:
        start.wait(timeout=60)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


# The commands


CONTRACT = [
    row
    for its_class in vars(contract).values()
    for test in (vars(its_class).values() if isinstance(its_class, type) else ())
    for mark in getattr(test, "pytestmark", ())
    if mark.args and mark.args[0] == "row"
    for row in mark.args[1]
]


@both_name_modes
@pytest.mark.parametrize("row", CONTRACT, ids=lambda row: row.rule.replace(" ", "_"))
def test_the_contract_of_the_memory_tool_holds(
    make_commands: MakeCommands, tenant: str, name_mode: str, row: contract.Row
) -> None:
    memory = contract.Memory(make_commands(tenant=tenant, name_mode=name_mode), through_core)
    make_ring(memory.store, name_mode)
    contract.check(row, memory)


@both_name_modes
def test_the_first_write_creates_a_key_ring_that_another_process_opens(
    make_commands: MakeCommands, tenant: str, name_mode: str
) -> None:
    first, second = (make_commands(tenant=tenant, name_mode=name_mode, key_cache=KeyCache()) for _ in range(2))
    first.create(A, "tea")
    assert second.view(A) == contract.content(A, "     1\ttea")


@pytest.mark.parametrize("checksums", ["when_supported", "when_required"])
def test_texts_are_stored_with_and_without_checksums(make_commands: MakeCommands, tenant: str, checksums: str) -> None:
    commands = make_commands(
        tenant=tenant, s3_client=clients.PROCESS.s3_client(endpoint_url=ENDPOINT_URL, checksums=checksums)
    )
    commands.create(A, "tea")
    commands.str_replace(A, "tea", "more tea")
    commands.create("/memories/d/b.md", "x" * 100_000)
    commands.delete("/memories/d")
    assert files_of(commands.store) == {A: "more tea"}


@both_name_modes
@pytest.mark.parametrize(
    "name",
    ["a b+c", "100%", "%20", "a&b=c?d#e", "quote\"'", "\u00fc \u65e5\u672c", "\U0001f600", "<x>", "~", "a;b,c"],
)
def test_any_name_can_be_stored_listed_renamed_and_deleted(
    make_commands: MakeCommands, tenant: str, name_mode: str, name: str
) -> None:
    commands = make_commands(tenant=tenant, name_mode=name_mode)
    path = f"/memories/{name}/{name}"
    commands.create(path, "x")
    assert path in commands.view("/memories")
    commands.rename(f"/memories/{name}", f"/memories/{name}2")
    assert files_of(commands.store) == {f"/memories/{name}2/{name}": "x"}
    commands.delete(f"/memories/{name}2/{name}")
    assert files_of(commands.store) == {}


@both_name_modes
def test_the_server_accepts_our_longest_object_key(
    make_commands: MakeCommands, s3: S3Client, bucket: str, tenant: str, name_mode: str
) -> None:
    commands = make_commands(tenant=tenant, name_mode=name_mode)
    make_ring(commands.store, name_mode)
    too_long = Refused("Error: Invalid path: it is too long to be stored. Use shorter or fewer names.")
    answers = {}
    for length in range(1_000, 1_025) if name_mode == PLAIN else range(730, 755):
        path = f"/memories/{'x' * length}"
        answers[path] = through_core(commands, contract.create(path, "x"))
    stored = [path for path, answer in answers.items() if answer == f"File created successfully at: {path}"]
    assert 0 < len(stored) < len(answers)
    assert all(answers[path] == too_long for path in answers.keys() - set(stored))
    listed = s3.list_objects_v2(Bucket=bucket, Prefix=f"memories/{tenant}/")["Contents"]
    assert MAX_OBJECT_KEY_BYTES - 2 <= max(len(item["Key"]) for item in listed) <= MAX_OBJECT_KEY_BYTES
    for path in stored:
        commands.delete(path)
    assert files_of(commands.store) == {}


def test_tenants_cannot_see_one_another(make_commands: MakeCommands) -> None:
    one, other = (make_commands(tenant=f"shared-{number}") for number in (1, 11))
    one.create(A, "one's")
    other.create(B, "other's")
    assert (files_of(one.store), files_of(other.store)) == ({A: "one's"}, {B: "other's"})


# Conditions


def test_an_object_is_created_if_there_is_none_or_none_any_more(s3: S3Client, s3_bucket: Bucket) -> None:
    assert s3_bucket.put("k", b"one") is not None
    assert s3_bucket.put("k", b"two") is None
    s3.delete_object(Bucket=s3_bucket._name, Key="k")
    assert s3_bucket.put("k", b"three") is not None


def test_an_object_is_replaced_only_if_it_is_unchanged_since_the_read(s3_bucket: Bucket) -> None:
    first = s3_bucket.put("k", b"one") or ""
    assert s3_bucket.put("k", b"two", over=first) is not None
    assert s3_bucket.put("k", b"three", over=first) is None
    assert s3_bucket.put("gone", b"three", over=first) is None
    stored = s3_bucket.get("k")
    assert stored is not None
    assert stored.body == b"two"


def test_an_object_is_deleted_only_if_it_is_unchanged_since_the_read(s3_bucket: Bucket) -> None:
    first = s3_bucket.put("k", b"one") or ""
    second = s3_bucket.put("k", b"two", over=first) or ""
    assert s3_bucket.deletes.one("k", etag=first) is Deletion.CHANGED
    assert s3_bucket.head("k") is not None
    assert s3_bucket.deletes.one("k", etag=second) is Deletion.DONE
    assert s3_bucket.deletes.one("k", etag=second) is Deletion.MISSING


def test_a_condition_on_a_delete_is_honoured_or_reported_as_not_honoured(
    s3_bucket: Bucket, caplog: pytest.LogCaptureFixture, *, honours_delete_conditions: bool
) -> None:
    for _ in range(2):
        s3_bucket.deletes.one("k", etag=s3_bucket.put("k", b"one") or "")
    said = [record.getMessage() for record in caplog.records if record.name == "s3memory"]
    assert ["does not honour conditions on DELETE" in message for message in said] == (
        [] if honours_delete_conditions else [True]
    )


def test_every_response_has_the_same_etag_for_an_object(s3_bucket: Bucket) -> None:
    etag = s3_bucket.put("k", b"one")
    stored, info = s3_bucket.get("k"), s3_bucket.head("k")
    assert stored is not None
    assert info is not None
    assert etag == stored.info.etag == info.etag == s3_bucket.list_page("").objects[0].etag


def test_a_copy_names_its_source(s3_bucket: Bucket) -> None:
    source = s3_bucket.put("a", b"one") or ""
    s3_bucket.put("b", b"two", noted=Noted(copied_from=(source.strip('"'),)))
    original, copy = s3_bucket.head("a"), s3_bucket.get("b")
    assert original is not None
    assert copy is not None
    assert copy.info.is_copy_of(original.etags)


def test_many_objects_are_deleted_in_one_request_whether_or_not_some_are_gone(s3_bucket: Bucket) -> None:
    for number in range(10):
        s3_bucket.put(f"d/{number}", b"x")
    listed = {one.object_key: one.etag for one in s3_bucket.list_page("d/").objects}
    s3_bucket.deletes.one("d/3", etag=listed["d/3"])
    # S3, and moto with our corrections, may report that one was missing; LocalStack does not check.
    assert set(s3_bucket.deletes.many(listed).values()) <= {Deletion.MISSING}
    assert s3_bucket.list_page("d/").objects == ()


# Races


def test_of_16_writers_that_create_one_file_one_succeeds(make_commands: MakeCommands, tenant: str) -> None:
    make_commands(tenant=tenant).create(B, "so that there is a key ring")
    commands = [make_commands(tenant=tenant) for _ in range(16)]
    answers = at_once(
        *(partial(through_core, one, contract.create(A, f"by {number}")) for number, one in enumerate(commands))
    )
    winners = [number for number, answer in enumerate(answers) if isinstance(answer, str)]
    assert len(winners) == 1
    assert answers.count(Refused(f"Error: File {A} already exists")) == 15
    assert files_of(commands[0].store)[A] == f"by {winners[0]}"


@both_name_modes
def test_16_writers_that_create_the_key_ring_all_use_the_same_one(
    make_commands: MakeCommands, tenant: str, name_mode: str
) -> None:
    commands = [make_commands(tenant=tenant, name_mode=name_mode, key_cache=KeyCache()) for _ in range(16)]
    answers = at_once(
        *(
            partial(through_core, one, contract.create(f"/memories/{number}", str(number)))
            for number, one in enumerate(commands)
        )
    )
    assert all(isinstance(answer, str) for answer in answers)
    late = make_commands(tenant=tenant, key_cache=KeyCache())
    assert files_of(late.store) == {f"/memories/{number}": str(number) for number in range(16)}


def test_the_file_contains_all_edits_of_8_writers_that_edit_it_twice(make_commands: MakeCommands, tenant: str) -> None:
    edits = [f"{number}-{turn}" for number in range(8) for turn in range(2)]
    commands = make_commands(tenant=tenant, limits=Limits(max_tries=len(edits)))
    commands.create(A, "")

    def edit_twice(number: int) -> None:
        for turn in range(2):
            commands.insert(A, 0, f"{number}-{turn}\n")

    at_once(*(partial(edit_twice, number) for number in range(8)))
    assert sorted(files_of(commands.store)[A].split()) == edits


def test_a_file_that_8_writers_rename_to_8_places_is_at_one_of_them(
    make_commands: MakeCommands, tenant: str, *, honours_delete_conditions: bool
) -> None:
    commands = make_commands(tenant=tenant)
    commands.create(A, "moved")
    answers = at_once(
        *(partial(through_core, commands, contract.rename(A, f"/memories/to-{number}")) for number in range(8))
    )
    moved = {f"/memories/to-{number}" for number, answer in enumerate(answers) if isinstance(answer, str)}
    files = files_of(commands.store)
    assert set(files.values()) == {"moved"}
    assert set(files) == moved
    if honours_delete_conditions:
        assert len(moved) == 1


def test_an_edit_during_a_rename_is_kept(
    make_commands: MakeCommands, tenant: str, *, honours_delete_conditions: bool
) -> None:
    commands = make_commands(tenant=tenant)
    for turn in range(10):
        old, new = f"/memories/old-{turn}", f"/memories/new-{turn}"
        commands.create(old, "text")
        moved, edited = at_once(
            partial(through_core, commands, contract.rename(old, new)),
            partial(through_core, commands, contract.str_replace(old, "text", "edited text")),
        )
        files = files_of(commands.store)
        assert isinstance(moved, str)
        if honours_delete_conditions:
            assert (files.get(old), files[new]) == (None, "text" if isinstance(edited, Refused) else "edited text")
        else:
            # LocalStack 4.13 may also carry out a PUT with If-Match after the DELETE of the object that it replaces.
            assert files.get(old) in {None, "edited text"}
            assert files[new] in {"text", "edited text"}


def test_of_8_writers_that_delete_one_file_the_others_find_none(
    make_commands: MakeCommands, tenant: str, *, honours_delete_conditions: bool
) -> None:
    commands = make_commands(tenant=tenant)
    commands.create(A, "x")
    answers = at_once(*(partial(through_core, commands, contract.delete(A)) for _ in range(8)))
    done = answers.count(f"Successfully deleted {A}")
    assert done >= 1
    assert answers.count(Refused(f"Error: The path {A} does not exist")) == 8 - done
    if honours_delete_conditions:
        assert done == 1
    assert files_of(commands.store) == {}


# Directories


@both_name_modes
def test_a_directory_with_more_than_a_page_of_files_is_viewed_renamed_and_deleted_completely(
    make_commands: MakeCommands, tenant: str, name_mode: str
) -> None:
    commands = make_commands(tenant=tenant, name_mode=name_mode)
    store = commands.store
    make_ring(store, name_mode)
    names = [f"{number:04}" for number in range(LIST_PAGE_KEYS + 5)]
    each(lambda name: put_file(store, f"/memories/d/{name}", name), names)
    put_file(store, A, "beside")
    # Plain names are listed in order: the first page fills the view. Encrypted ones must all be listed, for sorting.
    size = "3.9K+" if name_mode == PLAIN else "3.9K"
    assert f"\n{size}\t/memories/d/" in commands.view("/memories")
    commands.rename("/memories/d", "/memories/e")
    everything = [str(file.path) for file in store.files.below(MemoryPath())]
    assert sorted(everything) == sorted([A, *(f"/memories/e/{name}" for name in names)])
    for name in (names[0], names[LIST_PAGE_KEYS], names[-1]):
        assert commands.view(f"/memories/e/{name}") == contract.content(f"/memories/e/{name}", f"     1\t{name}")
    commands.delete("/memories/e")
    assert files_of(store) == {A: "beside"}
    assert list(tree.pending(store)) == []


@both_name_modes
@pytest.mark.parametrize("operation", ["PutObject", "DeleteObject", "DeleteObjects"])
def test_a_crashed_directory_operation_can_be_finished(
    make_commands: MakeCommands, tenant: str, name_mode: str, operation: str
) -> None:
    single_attempt_s3 = boto3.client(
        "s3",
        endpoint_url=ENDPOINT_URL,
        config=Config(retries={"total_max_attempts": 1, "mode": "standard"}, s3={"addressing_style": "path"}),
    )
    commands = make_commands(tenant=tenant, name_mode=name_mode)
    files = {f"/memories/d/{number}/{number}": str(number) for number in range(6)}
    for path, text in files.items():
        commands.create(path, text)
    crashing = make_commands(tenant=tenant, s3_client=single_attempt_s3)
    is_rename = operation != "DeleteObjects"
    sent = contract.rename("/memories/d", "/memories/e") if is_rename else contract.delete("/memories/d")
    with FaultLayer(single_attempt_s3) as faults:
        # The first PUT stores the intent.
        faults.hit(operation, NOT_SENT, nth=3 if operation == "PutObject" else 1, times=99)
        with pytest.raises(UnfinishedError):
            crashing.call(sent)
    assert [intent.path for intent in tree.repair(commands.store)] == [MemoryPath.parse("/memories/d")]
    moved = {path.replace("/d/", "/e/"): text for path, text in files.items()}
    assert files_of(commands.store) == (moved if is_rename else {})
    assert list(tree.pending(commands.store)) == []


# Tampering


@both_name_modes
@pytest.mark.parametrize(
    "tampered",
    [
        lambda mine, _: mine[:-1] + bytes([mine[-1] ^ 1]),
        lambda mine, _: mine[:-1],
        lambda mine, _: mine + b"\0",
        lambda _, other: other,
        lambda *_: b"",
        lambda *_: b"one",
    ],
    ids=["altered", "cut", "extended", "another file's", "emptied", "in clear"],
)
def test_an_altered_object_is_refused_and_left_alone(
    make_commands: MakeCommands,
    s3: S3Client,
    tenant: str,
    name_mode: str,
    tampered: Callable[[bytes, bytes], bytes],
) -> None:
    commands = make_commands(tenant=tenant, name_mode=name_mode)
    store = commands.store
    commands.create(A, "one")
    commands.create(B, "two")
    mine, other = (store.objects.get(key_of(store, path)) for path in (A, B))
    assert mine is not None
    assert other is not None
    body = tampered(mine.body, other.body)
    s3.put_object(Bucket=store.objects._name, Key=key_of(store, A), Body=body)
    for sent in (
        contract.view(A),
        contract.str_replace(A, "one", "two"),
        contract.insert(A, 0, "two"),
        contract.rename(A, "/memories/c.md"),
    ):
        answer = through_core(commands, sent)
        assert isinstance(answer, Refused)
        assert "does not open" in answer.text
    left = store.objects.get(key_of(store, A))
    assert left is not None
    assert left.body == body
    assert commands.view(B) == contract.content(B, "     1\ttwo")


def test_an_altered_key_ring_is_refused(make_store: MakeStore, s3: S3Client, tenant: str) -> None:
    store = make_store(tenant=tenant)
    store.create(MemoryPath.parse(A), "one")
    ring = store.objects.get(store.key_ring.object_key)
    assert ring is not None
    s3.put_object(Bucket=store.objects._name, Key=store.key_ring.object_key, Body=ring.body.replace(b"plain", b"prain"))
    cold = make_store(tenant=tenant, key_cache=KeyCache())
    with pytest.raises(KeyRingError):
        cold.read(MemoryPath.parse(A))


# The doctor


def test_the_doctor_finds_what_this_server_honours_and_leaves_nothing_behind(
    s3: S3Client, bucket: str, tenant: str, key_wrapper: LocalKeyWrapper, *, honours_delete_conditions: bool
) -> None:
    deployment = Deployment(bucket=bucket, tenant=tenant, s3=s3, operator_s3=s3, key_wrapper=key_wrapper)
    found = {check.name: check.status for check in examine(deployment)}
    for name in ("create-condition", "edit-condition", "consistency", "versioning", "lifecycle", "context-bound"):
        assert found[name] is Status.GOOD, name
    assert found["races"] in {Status.GOOD, Status.WEAKER}
    assert found["delete-condition"] is (Status.GOOD if honours_delete_conditions else Status.WEAKER)
    assert found["clean-up"] is Status.GOOD
    listed = s3.list_object_versions(Bucket=bucket, Prefix=f"intents/{tenant}/")
    assert [*listed.get("Versions", []), *listed.get("DeleteMarkers", [])] == []
