"""What a command reports if it started but could not finish, what finishes it, and what it never reports instead."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import pytest
from conftest import MakeCommands, MakeStore
from support.faults import ANSWER_LOST, KILL, FaultLayer, Killed, errors_by_key, other_writer_first, refused
from support.flavours import put_files
from support.stored import texts_of

from s3memory import MemoryStore
from s3memory._parallel import MAX_PARALLEL_REQUESTS
from s3memory.admin.erasure.erasing import erase
from s3memory.admin.keys import rotation
from s3memory.admin.keys.resealing import reseal
from s3memory.admin.keys.retiring import retire
from s3memory.admin.versions.point_in_time import versions_of
from s3memory.admin.versions.restoring import restore
from s3memory.errors import (
    AccessDeniedError,
    AlreadyExistsError,
    ConflictError,
    KeyRingError,
    NotFoundError,
    OutcomeUnknownError,
    RedactionError,
    S3MemoryError,
    UnfinishedError,
)
from s3memory.format.names import NAME_MODES
from s3memory.format.object_keys import Folder
from s3memory.keys.key_cache import KeyCache
from s3memory.limits import Limits
from s3memory.paths import MemoryPath
from s3memory.redaction import Redaction
from s3memory.store import tree

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

X, Y, Z = MemoryPath(("x",)), MemoryPath(("y",)), MemoryPath(("z",))
D, E = MemoryPath(("d",)), MemoryPath(("e",))
FILES = tuple(D.child(name) for name in "abc")


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)


@pytest.fixture
def other(make_store: MakeStore, other_s3: S3Client) -> MemoryStore:
    """Another process's store."""
    return make_store(s3_client=other_s3, key_cache=KeyCache())


def fill(store: MemoryStore) -> None:
    put_files(store, {str(path): f"of {path.name}" for path in FILES})


class Refuses:
    """Refuses every text that contains a certain word."""

    def redact(self, text: str, /) -> Redaction:
        if "refused" in text:
            raise RedactionError("refused. Nothing was changed.")
        return Redaction(text)


def test_a_rename_does_not_mistake_another_clients_delete_for_its_own(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer
) -> None:
    store.create(X, "text")
    faults.hit("DeleteObject", refused(503, "SlowDown"))
    faults.hit("DeleteObject", other_writer_first(lambda: tree.delete(other, X)), nth=2)
    with pytest.raises(UnfinishedError, match="was begun"):
        tree.rename(store, X, Y)
    assert texts_of(other) == {"y": "text"}


def test_a_delete_does_not_mistake_another_clients_delete_for_its_own(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer
) -> None:
    store.create(X, "text")
    faults.hit("DeleteObject", refused(500, "InternalError"))
    faults.hit("DeleteObject", other_writer_first(lambda: tree.delete(other, X)), nth=2)
    with pytest.raises(OutcomeUnknownError):
        tree.delete(store, X)


def test_a_directory_rename_does_not_mistake_another_clients_delete_for_its_own(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer
) -> None:
    store.create(FILES[0], "text")
    faults.hit("DeleteObject", refused(500, "InternalError"))
    faults.hit("DeleteObject", other_writer_first(lambda: tree.delete(other, FILES[0])), nth=2)
    with pytest.raises(UnfinishedError, match="was begun"):
        tree.rename(store, D, E)


def test_a_file_created_after_a_directory_delete_without_a_response_stays(
    make_store: MakeStore, other: MemoryStore, single_attempt_s3: S3Client, single_attempt_faults: FaultLayer
) -> None:
    store = make_store(s3_client=single_attempt_s3)
    store.create(FILES[1], "text")
    single_attempt_faults.hit("DeleteObjects", ANSWER_LOST)
    single_attempt_faults.hit("DeleteObject", other_writer_first(lambda: other.create(FILES[1], "made since")), nth=2)
    with pytest.raises(UnfinishedError, match="was left alone"):
        tree.delete(store, D)
    assert texts_of(other) == {"d/b": "made since"}
    tree.repair(other)
    assert texts_of(other) == {"d/b": "made since"}
    assert list(tree.pending(other)) == []


def test_a_directory_delete_reports_what_it_left_alone_even_if_others_changed_more_during_every_attempt(
    make_store: MakeStore, other: MemoryStore, faults: FaultLayer
) -> None:
    store = make_store(limits=Limits(max_tries=2))
    ring = store.key_ring.existing_or_new()
    for path in FILES[:2]:
        store.create(path, "text")
    a, b = (store.objects.key_of(ring, path) for path in FILES[:2])
    changed, not_answered = (a, "", "PreconditionFailed"), (b, "", "InternalError")

    def make_again() -> None:
        tree.delete(other, FILES[1])
        other.create(FILES[1], "made since")

    faults.hit("DeleteObjects", errors_by_key([changed, not_answered]))
    faults.hit("DeleteObject", other_writer_first(make_again), nth=2)
    faults.hit("DeleteObjects", errors_by_key([changed]), nth=2)
    with pytest.raises(UnfinishedError, match=r"was left alone \(2\)\. View the directory before"):
        tree.delete(store, D)
    assert texts_of(other) == {"d/a": "text", "d/b": "made since"}


def test_a_directory_delete_reports_that_access_to_one_of_its_files_was_denied(
    store: MemoryStore, faults: FaultLayer
) -> None:
    store.create(FILES[0], "text")
    object_key = store.objects.key_of(store.key_ring.existing_or_new(), FILES[0])
    faults.hit("DeleteObjects", errors_by_key([(object_key, "", "AccessDenied")]))
    with pytest.raises(UnfinishedError, match="because the memory store refused access") as caught:
        tree.delete(store, D)
    assert isinstance(caught.value.__cause__, AccessDeniedError)
    assert caught.value.__cause__.code == "AccessDenied"


@pytest.mark.parametrize(
    ("more", "edited"), [({"redactor": Refuses()}, "refused"), ({"limits": Limits(max_file_bytes=20)}, "n" * 21)]
)
def test_a_rename_that_cannot_copy_an_edit_was_started_and_the_same_command_finishes_it(
    make_store: MakeStore, make_commands: MakeCommands, faults: FaultLayer, more: dict[str, object], edited: str
) -> None:
    store, other = make_store(**more), make_store(redactor=None, key_cache=KeyCache())
    for source, new in ((X, Y), (D, E)):
        place = source if source is X else FILES[0]
        fill(store) if source is D else store.create(X, "text")

        def edit(place: MemoryPath = place) -> None:
            faults.clear()
            other.edit(place, lambda _: edited)

        operation, nth = ("DeleteObject", 1) if source is X else ("ListObjectsV2", 3)
        faults.hit(operation, other_writer_first(edit), nth=nth)
        with pytest.raises(UnfinishedError, match="was begun and is not finished, because") as caught:
            tree.rename(store, source, new)
        assert "Nothing was changed" not in str(caught.value)
        assert edited in texts_of(other).values()
        other.edit(place, lambda _: "mended")
        make_commands(**more).rename(str(source), str(new))
        assert list(tree.pending(other)) == []
    assert texts_of(other) == {"y": "mended", "e/a": "mended", "e/b": "of b", "e/c": "of c"}


@pytest.mark.parametrize(("source", "new"), [(X, Y), (D, E)])
def test_a_rename_in_a_tenant_that_is_archived_meanwhile_was_started(
    make_store: MakeStore, faults: FaultLayer, source: MemoryPath, new: MemoryPath
) -> None:
    store, operator = make_store(), make_store(key_cache=KeyCache())
    fill(store)
    store.create(X, "text")

    def archive() -> None:
        rotation.archive(operator)
        store.key_ring.forget()

    faults.hit("PutObject", other_writer_first(archive), nth=1 if source is X else 3)
    with pytest.raises(UnfinishedError, match="because the memory was archived meanwhile"):
        tree.rename(store, source, new)
    rotation.archive(operator, archived=False)
    store.key_ring.forget()
    tree.rename(store, source, new)
    assert list(tree.pending(store)) == []
    assert texts_of(store) == (
        {"d/a": "of a", "d/b": "of b", "d/c": "of c", "y": "text"}
        if source is X
        else {"e/a": "of a", "e/b": "of b", "e/c": "of c", "x": "text"}
    )


@pytest.mark.parametrize("rival", [lambda other: tree.delete(other, X), lambda other: tree.rename(other, X, Y)])
def test_a_create_with_overwriting_is_not_refused_during_a_delete_or_rename(
    make_commands: MakeCommands, other: MemoryStore, faults: FaultLayer, rival: Callable[[MemoryStore], object]
) -> None:
    for operation, nth in (("PutObject", 1), ("GetObject", 1), ("ListObjectsV2", 2), ("PutObject", 2)):
        commands = make_commands(overwrite=True)
        other.create(X, "text")
        faults.hit(operation, other_writer_first(lambda: rival(other)), nth=nth)
        assert commands.create("/memories/x", "new").startswith("File created successfully")
        assert texts_of(other)["x"] == "new"
        commands.clear()


def test_an_operation_with_nothing_left_to_do_is_finished_despite_obstacles(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer
) -> None:
    fill(store)
    faults.hit("DeleteObject", KILL, nth=4)  # the delete of the intent
    with pytest.raises(Killed):
        tree.rename(store, D, E)
    tree.rename(other, E, MemoryPath(("f",)))
    other.create(E, "a file where the directory went")
    other.create(D, "a file where the directory was")
    tree.repair(store)
    assert list(tree.pending(other)) == []
    assert {"d", "e"} <= texts_of(other).keys()


def test_files_written_between_interrupted_runs_of_a_directory_rename_do_not_stop_the_next_run(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer
) -> None:
    fill(store)
    faults.hit("DeleteObject", KILL)
    with pytest.raises(Killed):
        tree.rename(store, D, E)
    for name in ("new", "newer"):
        other.create(D.child(name), "made since")
        faults.hit("DeleteObject", refused(503, "SlowDown"), times=99)
        with pytest.raises(UnfinishedError, match="was begun"):
            tree.rename(store, D, E)
        faults.clear()
    tree.rename(store, D, E)
    made_since = {"e/new": "made since", "e/newer": "made since"}
    assert texts_of(other) == {"e/a": "of a", "e/b": "of b", "e/c": "of c", **made_since}
    assert list(tree.pending(other)) == []


def rename_killed_before_its_deletions(store: MemoryStore, faults: FaultLayer) -> None:
    fill(store)
    faults.hit("DeleteObject", KILL, times=3)
    with pytest.raises(Killed):
        tree.rename(store, D, E)


FINISH = pytest.mark.parametrize("finish", [partial(tree.rename, old=D, new=E), tree.repair], ids=["rename", "repair"])


@FINISH
def test_where_a_copy_was_edited_since_the_crash_both_files_stay_and_the_rest_is_moved(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer, finish: Callable[[MemoryStore], object]
) -> None:
    rename_killed_before_its_deletions(store, faults)
    other.edit(E.child("b"), lambda text: f"{text}, edited")
    with pytest.raises(ConflictError, match=r"is finished, but 1 file stayed.* /memories/d/b and /memories/e/b are "):
        finish(store)
    assert texts_of(other) == {"d/b": "of b", "e/a": "of a", "e/b": "of b, edited", "e/c": "of c"}
    assert list(tree.pending(other)) == []


@FINISH
def test_a_file_that_was_moved_before_the_crash_and_edited_since_does_not_stop_the_rest(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer, finish: Callable[[MemoryStore], object]
) -> None:
    rename_killed_before_its_deletions(store, faults)
    other.delete(D.child("b"))
    other.edit(E.child("b"), lambda text: f"{text}, edited")
    finish(store)
    assert texts_of(other) == {"e/a": "of a", "e/b": "of b, edited", "e/c": "of c"}
    assert list(tree.pending(other)) == []


def test_a_rename_that_copied_nothing_is_not_finished_over_a_directory_that_was_made_since(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer
) -> None:
    fill(store)
    faults.hit("PutObject", KILL, nth=2, times=3)  # after the intent
    with pytest.raises(Killed):
        tree.rename(store, D, E)
    other.create(E.child("other"), "another")
    with pytest.raises(AlreadyExistsError, match=r"^The destination /memories/e already exists$"):
        tree.rename(store, D, E)


def test_an_interrupted_file_rename_can_be_finished_after_a_rotation_and_reseal(
    store: MemoryStore, faults: FaultLayer
) -> None:
    store.create(X, "text")
    for _ in range(2):
        faults.hit("DeleteObject", KILL)
        with pytest.raises(Killed):
            tree.rename(store, X, Y)
        faults.clear()
        rotation.rotate(store)
        assert reseal(store).is_complete
    tree.rename(store, X, Y)
    assert texts_of(store) == {"y": "text"}


def stored_again(store: MemoryStore, path: MemoryPath) -> None:
    """Touch a file in a bucket where storing it again changes its ETag, as under SSE-KMS."""
    ring = store.key_ring.existing()
    assert ring is not None
    object_key = store.objects.key_of(ring, path)
    stored = store.objects.get(object_key)
    assert stored is not None
    body, noted = store.texts.resealed(ring, path, stored)
    assert store.objects.put(object_key, body, over=stored.info.etag, noted=noted) is not None


@pytest.mark.parametrize("is_repaired", [True, False])
@pytest.mark.parametrize("operation", ["DeleteObject", "DeleteObjects"])
def test_a_touched_file_is_still_found_when_an_operation_is_finished(
    store: MemoryStore, faults: FaultLayer, operation: str, *, is_repaired: bool
) -> None:
    fill(store)
    command = (lambda: tree.delete(store, D)) if operation == "DeleteObjects" else (lambda: tree.rename(store, D, E))
    faults.hit(operation, KILL)
    with pytest.raises(Killed):
        command()
    faults.clear()
    for file in store.files.below(MemoryPath()):
        stored_again(store, file.path)
    if is_repaired:
        tree.repair(store)
    else:
        command()
    assert list(tree.pending(store)) == []
    assert texts_of(store) == ({} if operation == "DeleteObjects" else {"e/a": "of a", "e/b": "of b", "e/c": "of c"})


@pytest.mark.parametrize("is_repaired", [True, False])
def test_a_repair_spares_files_that_are_edited_while_it_deletes_and_the_same_command_does_not(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer, *, is_repaired: bool
) -> None:
    fill(store)
    faults.hit("DeleteObjects", KILL)
    with pytest.raises(Killed):
        tree.delete(store, D)
    faults.clear()

    def store_again() -> None:
        other.edit(FILES[0], lambda _: "edited since")
        stored_again(other, FILES[1])

    faults.hit("DeleteObjects", other_writer_first(store_again))
    tree.repair(store) if is_repaired else tree.delete(store, D)
    assert texts_of(other) == ({"d/a": "edited since"} if is_repaired else {})
    assert list(tree.pending(other)) == []


def test_an_interrupted_file_rename_can_be_finished_after_a_touch(store: MemoryStore, faults: FaultLayer) -> None:
    store.create(X, "text")
    faults.hit("DeleteObject", KILL)
    with pytest.raises(Killed):
        tree.rename(store, X, Y)
    faults.clear()
    stored_again(store, X)
    stored_again(store, Y)
    tree.rename(store, X, Y)
    assert texts_of(store) == {"y": "text"}


@pytest.mark.parametrize(("source", "nth"), [(X, 1), (D, 1), (D, 2), (D, 3)])
def test_a_rename_that_read_a_file_does_not_bring_it_back_after_an_erasure(
    store: MemoryStore, make_store: MakeStore, faults: FaultLayer, source: MemoryPath, nth: int
) -> None:
    fill(store)
    store.create(X, "text")

    def erase_all() -> None:
        faults.clear()
        erase(make_store(key_cache=KeyCache()))
        store.key_ring.forget()

    for operation in ("GetObject", "PutObject"):
        faults.hit(operation, other_writer_first(erase_all), nth=nth)
        with pytest.raises(S3MemoryError):
            tree.rename(store, source, E)
        faults.clear()
        store.key_ring.forget()
        assert store.key_ring.existing() is None
        assert texts_of(store) == {}
        fill(store)
        store.create(X, "text")


def test_a_rename_whose_source_is_edited_during_every_attempt_does_not_claim_that_its_copy_was(
    make_store: MakeStore, other: MemoryStore, faults: FaultLayer
) -> None:
    store = make_store(limits=Limits(max_tries=2))
    store.create(X, "text")
    faults.hit("DeleteObject", other_writer_first(lambda: other.edit(X, lambda text: f"{text}, edited")), times=99)
    with pytest.raises(ConflictError) as caught:
        tree.rename(store, X, Y)
    assert str(caught.value) == (
        "Other writers changed /memories/x at every try while it was being moved to /memories/y. "
        "Nothing is lost. View both before trying again."
    )
    assert texts_of(other) == {"x": "text, edited, edited", "y": "text, edited, edited"}


@pytest.mark.parametrize("is_next_tenant_there", [True, False])
@pytest.mark.parametrize("name_mode", NAME_MODES)
@pytest.mark.parametrize("source", [X, D])
def test_a_rename_removes_its_copy_from_a_tenant_that_is_erased_meanwhile(
    make_store: MakeStore, faults: FaultLayer, source: MemoryPath, name_mode: str, *, is_next_tenant_there: bool
) -> None:
    store, anew = make_store(name_mode=name_mode), make_store(name_mode=name_mode, key_cache=KeyCache())
    n_files = MAX_PARALLEL_REQUESTS + 1  # one request deletes this many
    for path in [X] if source is X else [D.child(f"{number}") for number in range(n_files)]:
        store.create(path, "text")
    faults.clear()

    def erase_all() -> None:
        faults.clear()
        erase(anew)
        store.key_ring.forget()
        if is_next_tenant_there:
            anew.create(Z, "of the next tenant")

    faults.hit(
        "PutObject", other_writer_first(erase_all), nth=1 if source is X else 1 + n_files
    )  # the PUT of the last copy
    with pytest.raises((NotFoundError, KeyRingError)):  # raised by a check that runs with the PUT, before or after it
        tree.rename(store, source, Y)
    assert texts_of(anew) == ({"z": "of the next tenant"} if is_next_tenant_there else {})
    assert len(list(anew.objects.listed(Folder.MEMORIES, Folder.INTENTS))) == is_next_tenant_there


@pytest.mark.parametrize("is_new_tenant_there", [True, False])
def test_a_restore_that_read_a_version_does_not_bring_it_back_after_an_erasure(
    store: MemoryStore, make_store: MakeStore, faults: FaultLayer, *, is_new_tenant_there: bool
) -> None:
    store.create(X, "text")
    store.edit(X, lambda _: "newer")
    oldest = list(versions_of(store, X))[-1]

    def erase_all() -> None:
        faults.clear()
        anew = make_store(key_cache=KeyCache())
        erase(anew)
        store.key_ring.forget()
        if is_new_tenant_there:
            anew.create(X, "of the next tenant")

    faults.hit("GetObject", other_writer_first(erase_all), nth=2)
    with pytest.raises((NotFoundError, ConflictError)):
        restore(store, X, oldest)
    assert texts_of(store) == ({"x": "of the next tenant"} if is_new_tenant_there else {})


def test_no_command_starts_without_time_left(make_commands: MakeCommands, faults: FaultLayer) -> None:
    commands = make_commands(remaining_seconds=lambda: 0.0)
    calls: tuple[Callable[[], str], ...] = (
        lambda: commands.view("/memories"),
        lambda: commands.create("/memories/x", "text"),
        lambda: commands.str_replace("/memories/x", "text", "new"),
        lambda: commands.insert("/memories/x", 0, "new"),
        lambda: commands.delete("/memories/x"),
        lambda: commands.rename("/memories/x", "/memories/y"),
        commands.clear,
        lambda: commands.search("text"),
        lambda: commands.call({"command": "view", "path": "/memories"}),
    )
    for call in calls:
        with pytest.raises(S3MemoryError, match="no time left"):
            call()
    assert faults.requests == []


def test_a_copy_without_a_response_is_still_reported_when_another_file_is_refused(
    make_store: MakeStore, other: MemoryStore, single_attempt_s3: S3Client, single_attempt_faults: FaultLayer
) -> None:
    other.create(FILES[0], "refused")
    other.create(FILES[1], "text")
    store = make_store(s3_client=single_attempt_s3, redactor=Refuses(), key_cache=KeyCache())
    single_attempt_faults.hit("PutObject", ANSWER_LOST, nth=2)  # the first PUT announces the rename
    single_attempt_faults.hit("PutObject", refused(503, "SlowDown"), nth=3)
    # The requests before it read the key ring, a possible file at the directory's path, and the two files.
    single_attempt_faults.hit("GetObject", refused(503, "SlowDown"), nth=5)
    with pytest.raises(UnfinishedError, match="was begun"):
        tree.rename(store, D, E)
    other.edit(FILES[0], lambda _: "mended")
    tree.rename(store, D, E)
    assert {file.path.name for file in store.files.below(E)} == {"a", "b"}
    assert not store.files.below(D)


def test_an_erasure_that_fails_halfway_does_not_claim_that_nothing_was_changed(
    make_store: MakeStore, single_attempt_s3: S3Client, single_attempt_faults: FaultLayer
) -> None:
    store = make_store(s3_client=single_attempt_s3, key_cache=KeyCache())
    store.create(X, "text")
    # The first request destroys the key ring.
    single_attempt_faults.hit("DeleteObjects", refused(403, "AccessDenied"), nth=2)
    with pytest.raises(UnfinishedError) as raised:
        erase(store)
    assert "Nothing was changed" not in str(raised.value)


def test_resealing_names_the_refused_file_and_continues_with_the_others(store: MemoryStore, faults: FaultLayer) -> None:
    store.create(X, "text")
    store.create(Y, "text")
    rotation.rotate(store)
    faults.hit("PutObject", refused(403, "AccessDenied"), nth=2)
    result = reseal(store)
    (missed,) = result.missed
    assert missed.code == "AccessDenied"
    assert {missed.name} <= {str(X), str(Y)}
    assert (result.resealed, result.is_complete) == (1, False)
    assert reseal(store).is_complete


def rotate_and_empty(store: MemoryStore) -> None:
    """Rotate, and leave nothing under the first generation."""
    store.create(X, "text")
    rotation.rotate(store)
    tree.delete(store, X)
    store.objects.versions.destroy(list(versions_of(store, X)))


def generations(store: MemoryStore) -> list[int]:
    ring = store.key_ring.reloaded()
    assert ring is not None
    return [key.generation for key in ring.ring.keys]


def retire_later(store: MemoryStore) -> None:
    retire(store, now=lambda: datetime.now(UTC) + timedelta(days=3))


@pytest.mark.parametrize("is_put_back", [True, False], ids=["put back", "not put back"])
def test_a_retirement_that_cannot_look_for_late_writes_does_not_claim_that_nothing_was_changed(
    store: MemoryStore, faults: FaultLayer, *, is_put_back: bool
) -> None:
    rotate_and_empty(store)

    def cut_off() -> None:
        faults.hit("ListObjectVersions", refused(403, "AccessDenied"), times=9)
        if not is_put_back:
            faults.hit("PutObject", refused(403, "AccessDenied"), times=9)

    faults.hit("PutObject", other_writer_first(cut_off))  # the PUT of the key ring without the generation
    with pytest.raises(UnfinishedError, match="were put back" if is_put_back else "Run it again later"):
        retire_later(store)
    assert generations(store) == ([1, 2] if is_put_back else [2])


def test_a_retirement_whose_undo_gets_no_response_does_not_claim_that_the_generations_are_gone(
    store: MemoryStore, faults: FaultLayer
) -> None:
    rotate_and_empty(store)

    def cut_off() -> None:
        faults.hit("ListObjectVersions", refused(403, "AccessDenied"), times=9)
        faults.hit("PutObject", ANSWER_LOST)
        for operation in ("GetObject", "HeadObject", "PutObject"):
            faults.hit(operation, refused(503, "ServiceUnavailable"), nth=1 + (operation == "PutObject"), times=99)

    faults.hit("PutObject", other_writer_first(cut_off))  # the PUT of the key ring without the generation
    with pytest.raises(UnfinishedError, match="nor whether the generations were put back"):
        retire_later(store)
    faults.clear()
    assert generations(store) == [1, 2]
