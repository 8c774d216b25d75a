"""Sealing everything anew: the same bytes under the newest key, whatever agents and crashes do meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from conftest import TENANT, MakeStore
from support.faults import KILL, FaultLayer, Killed, other_writer_first, refused
from support.flavours import put_files

from s3memory import Limits, LocalKeyWrapper, MemoryStore
from s3memory.admin.keys import rotation
from s3memory.admin.keys.generations import usage
from s3memory.admin.keys.resealing import Announced, reseal
from s3memory.admin.versions.tombstones import Tombstone, tombstones_of, write_tombstone
from s3memory.errors import ReadOnlyError, UnfinishedError
from s3memory.format.envelope import FILE_PURPOSE, DataKey, Place, seal
from s3memory.format.names import NAME_MODES
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath
from s3memory.store import intents, tree
from s3memory.store.intents import DELETE, Intent

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

PATHS = [MemoryPath(("a",)), MemoryPath(("d", "b")), MemoryPath(("d", "e", "c"))]


@pytest.fixture
def rotated(make_store: MakeStore) -> MemoryStore:
    """A store with three files under a generation that is not the newest any more."""
    store = make_store()
    put_files(store, {str(path): f"text of {path}\r\n" for path in PATHS})
    rotation.rotate(store)
    return store


def texts(store: MemoryStore) -> dict[MemoryPath, str | None]:
    files = {path: store.read(path) for path in PATHS}
    return {path: None if file is None else file.text for path, file in files.items()}


TEXTS = {path: f"text of {path}\r\n" for path in PATHS}


@pytest.mark.parametrize("name_mode", NAME_MODES)
def test_all_files_are_sealed_under_the_newest_key_and_their_texts_are_the_same(
    make_store: MakeStore, name_mode: str
) -> None:
    store = make_store(name_mode=name_mode)
    for path in PATHS:
        store.create(path, TEXTS[path])
    rotation.rotate(store)
    result = reseal(store)
    assert (result.generation, result.resealed, result.already, result.is_complete) == (2, 3, 0, True)
    assert usage(store).current == {2: 3}
    assert texts(make_store(key_cache=KeyCache())) == TEXTS


def test_a_second_run_writes_nothing(rotated: MemoryStore, faults: FaultLayer) -> None:
    reseal(rotated)
    faults.requests.clear()
    result = reseal(rotated)
    assert (result.resealed, result.already) == (0, 3)
    assert "PutObject" not in faults.requests


def test_no_redactor_looks_at_what_is_sealed_anew(make_store: MakeStore) -> None:
    secret = LocalKeyWrapper.generate_key_text()
    make_store(redactor=None).create(PATHS[0], f"api_key = {secret}")
    store = make_store()
    rotation.rotate(store)
    assert reseal(store).resealed == 1
    file = store.read(PATHS[0])
    assert file is not None
    assert secret in file.text


def test_a_dry_run_counts_and_writes_nothing(rotated: MemoryStore, s3: S3Client, bucket: str) -> None:
    before = s3.list_object_versions(Bucket=bucket)["Versions"]
    assert reseal(rotated.refusing_writes(), dry_run=True).resealed == 3
    assert s3.list_object_versions(Bucket=bucket)["Versions"] == before
    with pytest.raises(ReadOnlyError):
        reseal(rotated.refusing_writes())


@pytest.mark.parametrize("nth", [1, 2, 3])
def test_interrupted_it_goes_on_where_it_was_left(
    rotated: MemoryStore, make_store: MakeStore, faults: FaultLayer, nth: int
) -> None:
    faults.hit("PutObject", KILL, nth=nth)
    with pytest.raises(Killed):
        reseal(rotated)
    faults.clear()
    assert texts(make_store(key_cache=KeyCache())) == TEXTS
    assert reseal(rotated).is_complete
    assert usage(rotated).current == {2: 3}
    assert texts(make_store(key_cache=KeyCache())) == TEXTS


def test_an_edit_that_comes_between_is_kept(
    rotated: MemoryStore, make_store: MakeStore, faults: FaultLayer, other_s3: S3Client
) -> None:
    agent = make_store(s3_client=other_s3, key_cache=KeyCache())

    def edit_all() -> None:
        for path in PATHS:
            agent.edit(path, lambda text: f"{text}edited")

    faults.hit("PutObject", other_writer_first(edit_all))
    assert reseal(rotated).is_complete
    assert texts(rotated) == {path: f"{text}edited" for path, text in TEXTS.items()}
    assert usage(rotated).current == {2: 3}


def test_a_file_that_is_deleted_meanwhile_stays_deleted(
    rotated: MemoryStore, make_store: MakeStore, faults: FaultLayer, other_s3: S3Client
) -> None:
    agent = make_store(s3_client=other_s3, key_cache=KeyCache())
    faults.hit("GetObject", other_writer_first(lambda: tree.delete(agent, PATHS[0])), nth=2)
    assert reseal(rotated).is_complete
    assert rotated.read(PATHS[0]) is None


def test_what_does_not_open_is_told_and_left_as_it_is(rotated: MemoryStore, s3: S3Client, bucket: str) -> None:
    body = s3.get_object(Bucket=bucket, Key=f"memories/{TENANT}/a")["Body"].read()
    altered = body[:-1] + bytes([body[-1] ^ 1])
    s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/a", Body=altered)
    s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/folder/", Body=b"")
    result = reseal(rotated)
    assert (result.unreadable, result.stray, result.resealed, result.is_complete) == ([PATHS[0]], 1, 2, False)
    assert s3.get_object(Bucket=bucket, Key=f"memories/{TENANT}/a")["Body"].read() == altered


def test_what_names_the_newest_generation_and_does_not_open_under_it_is_told(
    rotated: MemoryStore, make_store: MakeStore, s3: S3Client, bucket: str
) -> None:
    ring = make_store(key_cache=KeyCache()).key_ring.existing()
    assert ring is not None
    for generation, path in ((2, PATHS[0]), (3, PATHS[1])):  # of another ring, which had these numbers
        body = seal(b"x", data_key=DataKey(generation, bytes(32)), place=Place(FILE_PURPOSE, TENANT, str(path)))
        s3.put_object(Bucket=bucket, Key=rotated.objects.key_of(ring, path), Body=body)
    result = reseal(rotated)
    assert (result.unreadable, result.resealed, result.already) == (PATHS[:2], 1, 0)


def test_many_files_of_a_generation_that_is_missing_do_not_have_the_ring_unwrapped_each(
    rotated: MemoryStore, make_store: MakeStore, s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = s3.get_object(Bucket=bucket, Key=rotated.key_ring.object_key)["Body"].read()
    rotation.rotate(rotated)
    reseal(rotated)
    s3.put_object(Bucket=bucket, Key=rotated.key_ring.object_key, Body=older)
    rotated = make_store(key_cache=KeyCache())  # a process that has used the newer one refuses it
    unwrap, unwrapped = LocalKeyWrapper.unwrap, []

    def counted(self: LocalKeyWrapper, wrapped: bytes, context: dict[str, str], /) -> bytes:
        unwrapped.append(context)
        return unwrap(self, wrapped, context)

    monkeypatch.setattr(LocalKeyWrapper, "unwrap", counted)
    result = reseal(rotated)
    assert (result.generation, result.unreadable, result.already) == (2, PATHS, 0)
    assert len(unwrapped) == 1


def test_what_another_process_sealed_under_a_newer_key_meanwhile_is_not_sealed_anew(
    rotated: MemoryStore, make_store: MakeStore, faults: FaultLayer, other_s3: S3Client
) -> None:
    agent = make_store(s3_client=other_s3, key_cache=KeyCache())
    for path in PATHS[1:]:  # of several, any could be the first that is read
        tree.delete(agent, path)

    def rotate_and_edit() -> None:
        rotation.rotate(agent)
        agent.edit(PATHS[0], str.upper)

    faults.hit("GetObject", other_writer_first(rotate_and_edit), nth=2)
    result = reseal(rotated)
    assert (result.generation, result.resealed, result.already, result.is_complete) == (2, 0, 1, True)


OLD, NEW = MemoryPath(("d",)), MemoryPath(("n",))


@pytest.mark.parametrize("operation", ["PutObject", "DeleteObject"])
def test_a_directory_operation_that_a_crash_left_can_still_be_finished(
    rotated: MemoryStore, make_store: MakeStore, faults: FaultLayer, operation: str
) -> None:
    agent = make_store(key_cache=KeyCache())
    rotation.rotate(rotated)
    faults.hit(operation, KILL, nth=2)
    with pytest.raises(Killed):
        tree.rename(agent, OLD, NEW)
    faults.clear()
    rotation.rotate(rotated)
    result = reseal(rotated)
    assert result.left
    assert result.intents == 1
    assert not result.is_complete
    tree.repair(make_store(key_cache=KeyCache()))
    assert not list(tree.pending(rotated))
    for path in PATHS[1:]:
        moved = rotated.read(path.rebased(OLD, NEW))
        assert moved is not None
        assert moved.text == TEXTS[path]
        assert rotated.read(path) is None
    assert reseal(rotated).is_complete
    assert set(usage(rotated).current) == {4}


def test_an_intent_that_is_sealed_anew_under_way_is_removed_by_who_recorded_it(
    rotated: MemoryStore, make_store: MakeStore, faults: FaultLayer, other_s3: S3Client
) -> None:
    operator = make_store(s3_client=other_s3, key_cache=KeyCache())

    def rotate_and_reseal() -> None:
        rotation.rotate(operator)
        assert reseal(operator).intents == 1

    faults.hit("DeleteObject", other_writer_first(rotate_and_reseal))
    tree.rename(rotated, OLD, NEW)
    assert not list(tree.pending(operator))
    assert operator.read(PATHS[1].rebased(OLD, NEW)) is not None
    assert operator.read(PATHS[1]) is None


def rename_directory(store: MemoryStore) -> None:
    tree.rename(store, OLD, NEW)


def delete_directory(store: MemoryStore) -> None:
    tree.delete(store, OLD)


@pytest.mark.parametrize(
    ("command", "operation", "nth"),
    [
        pytest.param(rename_directory, "PutObject", 2, id="rename, announced"),
        pytest.param(rename_directory, "PutObject", 3, id="rename, while copying"),
        pytest.param(rename_directory, "DeleteObject", 1, id="rename, all copied"),
        pytest.param(delete_directory, "DeleteObjects", 1, id="delete, announced"),
    ],
)
def test_a_directory_operation_that_begins_right_before_a_file_is_replaced_can_still_be_finished(  # noqa: PLR0917 - fixtures
    rotated: MemoryStore,
    make_store: MakeStore,
    faults: FaultLayer,
    other_s3: S3Client,
    command: Callable[[MemoryStore], None],
    operation: str,
    nth: int,
) -> None:
    tree.delete(rotated, PATHS[0])

    def begin_and_die() -> None:
        with FaultLayer(other_s3) as layer:
            layer.hit(operation, KILL, nth=nth, times=9)  # nor is what goes on beside it
            with pytest.raises(Killed):
                command(make_store(s3_client=other_s3, key_cache=KeyCache()))

    # Reseal has looked at what is announced, and its PUT gives the file an ETag that the operation does not know.
    faults.hit("PutObject", other_writer_first(begin_and_die))
    result = reseal(rotated)
    assert result.resealed > 0
    (stored,) = tree.pending(rotated)
    again = make_store(key_cache=KeyCache())
    assert tree.repair(again) == [stored.intent]
    assert list(tree.pending(rotated)) == []
    is_moved = command is rename_directory
    found = {file.path for file in rotated.files.below(MemoryPath())}
    assert found == ({path.rebased(OLD, NEW) for path in PATHS[1:]} if is_moved else set())
    for path in found:
        moved = rotated.read(path)
        assert moved is not None
        assert moved.text == TEXTS[path.rebased(NEW, OLD)]


def test_notes_of_copies_are_kept(rotated: MemoryStore) -> None:
    source = rotated.read(PATHS[0])
    assert source is not None
    copy = MemoryPath(("copy",))
    stale = rotated.copy(source, copy)
    assert stale is not None
    rotation.rotate(rotated)
    reseal(rotated)
    info = rotated.files.info(copy)
    assert info is not None
    assert info.noted.copied_from == source.info.etags


def test_actor_labels_are_kept(rotated: MemoryStore, make_store: MakeStore) -> None:
    make_store(actor="agent-7").edit(PATHS[0], str.upper)
    rotation.rotate(rotated)
    assert reseal(make_store(actor="operator")).resealed == 3
    reader = make_store(key_cache=KeyCache())
    ring = reader.key_ring.existing_or_new()
    labels = []
    for path in PATHS:
        stored = reader.objects.get(reader.objects.key_of(ring, path))
        assert stored is not None
        labels.append(reader.texts.open_actor(ring, path, stored)[0])
    assert labels == ["agent-7", None, None]


def test_records_of_redacted_versions_are_sealed_anew(make_store: MakeStore) -> None:
    store = make_store()
    store.create(PATHS[0], "x")
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    record = Tombstone(PATHS[0], "id", moment, "edited", None, moment, None)
    write_tombstone(store, record)
    rotation.rotate(store)
    assert usage(store).current == {1: 2}
    assert reseal(store).records == 1
    assert usage(store).current == {2: 2}
    assert tombstones_of(make_store(key_cache=KeyCache()), PATHS[0]).by_version_id == {"id": record}


@pytest.mark.parametrize("generation", [1, 2, 3])
def test_what_is_no_intent_or_record_is_told_and_keeps_nothing_from_being_sealed_anew(
    rotated: MemoryStore, s3: S3Client, bucket: str, generation: int
) -> None:
    junk = sorted([f"intents/{TENANT}/folder/", f"intents/{TENANT}/junk", f"redactions/{TENANT}/junk"])
    body = seal(b"x", data_key=DataKey(generation, bytes(32)), place=Place(FILE_PURPOSE, TENANT, "/memories/a"))
    for object_key in junk:
        s3.put_object(Bucket=bucket, Key=object_key, Body=b"" if object_key.endswith("/") else body)
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    write_tombstone(rotated, Tombstone(PATHS[0], "id", moment, "edited", None, moment, None))
    rotation.rotate(rotated)
    for dry_run in (True, False):
        result = reseal(rotated, dry_run=dry_run)
        assert (result.resealed, result.records, result.unreadable) == (3, 1, [])
        assert (result.unreadable_objects, result.is_complete) == (junk, False)


def test_an_intent_that_is_changed_at_every_try_is_told_and_keeps_nothing_from_being_sealed_anew(
    make_store: MakeStore, other_s3: S3Client, faults: FaultLayer
) -> None:
    store = make_store(limits=Limits(max_tries=2))
    agent = make_store(s3_client=other_s3, key_cache=KeyCache())
    agent.key_ring.existing_or_new()
    announced = [intents.record(agent, Intent(DELETE, path, path), []) for path in (OLD, NEW)]
    contended = min(announced, key=lambda stored: stored.object_key)  # the first that is listed
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    write_tombstone(agent, Tombstone(PATHS[0], "id", moment, "edited", None, moment, None))
    rotation.rotate(store)
    # The agent has the older ring in its cache.
    faults.hit("PutObject", other_writer_first(lambda: intents.record(agent, contended.intent, [])), times=2)
    result = reseal(store)
    assert (result.intents, result.records) == (1, 1)
    assert (result.contended_objects, result.is_complete) == ([contended.object_key], False)
    again = reseal(store)
    assert (again.intents, again.is_complete) == (1, True)


def test_a_directory_operation_that_begins_meanwhile_keeps_its_files(
    s3: S3Client, other_s3: S3Client, make_store: MakeStore
) -> None:
    store, agent = make_store(), make_store(s3_client=other_s3)
    old, new = MemoryPath(("d",)), MemoryPath(("moved",))
    store.create(old.child("b"), "text")
    rotation.rotate(store)

    def begin_and_die() -> None:
        with FaultLayer(other_s3) as layer:
            layer.hit("DeleteObject", KILL, times=9)
            with pytest.raises(Killed):
                tree.rename(agent, old, new)

    with FaultLayer(s3) as layer:
        # Between the listing of the files and the file.
        layer.hit("GetObject", other_writer_first(begin_and_die), nth=2)
        assert reseal(store).left == [old.child("b")]
    tree.repair(make_store(key_cache=KeyCache()))
    paths = [str(file.path) for file in agent.files.below(MemoryPath())]
    assert paths == ["/memories/moved/b"]
    assert list(tree.pending(agent)) == []


def test_files_that_an_operation_announces_later_are_left_to_it(make_store: MakeStore) -> None:
    """The same command sent again after a crash adds its files to the intent that it finds, at the same key."""
    store = make_store()
    operation = Intent(DELETE, MemoryPath(("d",)), MemoryPath(("d",)))
    announced = Announced(store)
    later = store.create(MemoryPath(("d", "later")), "text")
    intents.record(store, operation, ["of-a-file-before"])
    announced.look()
    intents.record(store, operation, [later.etag])
    announced.look()
    info = store.files.info(later.path)
    assert info is not None
    assert announced.holds(info)


def test_what_could_not_list_the_files_says_whose_re_encryption_was_not_finished(
    make_store: MakeStore, faults: FaultLayer
) -> None:
    store = make_store()
    put_files(store, {"/memories/a": "text"})
    faults.hit("ListObjectsV2", refused(403, "AccessDenied"))
    with pytest.raises(UnfinishedError) as caught:
        reseal(store)
    assert str(caught.value) == (
        f"Re-encrypting {TENANT}'s files was not finished, because the memory store refused access (AccessDenied). "
        "What was done stays. This needs an operator. Then run it again."
    )
