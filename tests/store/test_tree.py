"""Rename and delete: the effects of other writers and of crashes in between, and that nothing is lost."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from conftest import TENANT, MakeStore
from support.faults import KILL, NOT_SENT, FaultLayer, Killed, done_but_reported, other_writer_first, refused
from support.flavours import make_ring, put_file, put_files
from support.memory_s3 import InMemoryS3
from support.stored import rotate, texts_of

from s3memory import LocalKeyWrapper, MemoryStore
from s3memory.admin.keys.resealing import reseal
from s3memory.admin.versions.tombstones import Tombstones, tombstones_of
from s3memory.errors import (
    AlreadyExistsError,
    BackendError,
    ConflictError,
    IntegrityError,
    InvalidInputError,
    LimitError,
    NotFoundError,
    OutcomeUnknownError,
    ReadOnlyError,
    RedactionError,
    S3MemoryError,
    UnavailableError,
    UnfinishedError,
)
from s3memory.keys.key_cache import KeyCache
from s3memory.limits import Limits
from s3memory.paths import MemoryPath
from s3memory.redaction import PatternRedactor, Redaction
from s3memory.store import tree
from s3memory.store.intents import Intent

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

OLD = MemoryPath(("old",))
NEW = MemoryPath(("new",))
A, B = OLD.child("a"), OLD.child("b", "c")


def pending(store: MemoryStore) -> list[Intent]:
    return [stored.intent for stored in tree.pending(store)]


@pytest.fixture
def file(store: MemoryStore) -> MemoryPath:
    store.create(OLD, "text")
    return OLD


@pytest.fixture
def directory(store: MemoryStore) -> MemoryPath:
    make_ring(store, "plain")
    put_file(store, str(A), "of a")
    put_file(store, str(B), "of c")
    return OLD


@pytest.mark.usefixtures("file")
def test_a_renamed_file_is_only_at_the_new_path(store: MemoryStore) -> None:
    tree.rename(store, OLD, NEW.child("deep", "er"))
    assert texts_of(store) == {"new/deep/er": "text"}


@pytest.mark.usefixtures("directory")
def test_a_renamed_directory_moves_completely(store: MemoryStore) -> None:
    tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"new/a": "of a", "new/b/c": "of c"}
    assert pending(store) == []


def test_a_directory_with_encrypted_names_moves_completely(make_store: MakeStore) -> None:
    store = make_store(name_mode="encrypted")
    store.create(A, "of a")
    store.create(B, "of c")
    tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"new/a": "of a", "new/b/c": "of c"}


@pytest.mark.usefixtures("directory")
def test_a_directory_whose_name_starts_with_the_renamed_ones_is_left_alone(store: MemoryStore) -> None:
    store.create(MemoryPath(("older",)), "x")
    tree.delete(store, OLD)
    assert texts_of(store) == {"older": "x"}
    assert pending(store) == []


@pytest.mark.usefixtures("directory")
@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        (OLD, OLD, AlreadyExistsError),
        (OLD, OLD.child("x"), InvalidInputError),
        (A, A.child("x"), InvalidInputError),
        (A, B, AlreadyExistsError),
        (A, OLD.child("b"), AlreadyExistsError),
        (A, B.child("x"), AlreadyExistsError),
        (OLD.child("b"), A, AlreadyExistsError),
        (OLD.child("b"), A.child("x"), AlreadyExistsError),
        (MemoryPath(("nowhere",)), NEW, NotFoundError),
        (MemoryPath(("nowhere",)), A, AlreadyExistsError),
    ],
    ids=str,
)
def test_an_impossible_rename_is_refused_and_changes_nothing(
    store: MemoryStore, faults: FaultLayer, old: MemoryPath, new: MemoryPath, error: type[S3MemoryError]
) -> None:
    with pytest.raises(error):
        tree.rename(store, old, new)
    # A copy is written during the checks, and removed again.
    assert faults.counts["DeleteObjects"] == 0
    assert faults.counts["PutObject"] <= 1
    assert texts_of(store) == {"old/a": "of a", "old/b/c": "of c"}


@pytest.mark.usefixtures("file")
def test_an_independent_file_with_the_same_text_does_not_count_as_an_interrupted_rename(store: MemoryStore) -> None:
    store.create(NEW, "text")
    with pytest.raises(AlreadyExistsError):
        tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"old": "text", "new": "text"}


@pytest.mark.usefixtures("file")
def test_the_same_rename_finishes_one_that_crashed(store: MemoryStore, faults: FaultLayer) -> None:
    faults.hit("DeleteObject", KILL)
    with pytest.raises(Killed):
        tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"old": "text", "new": "text"}
    tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"new": "text"}


@pytest.mark.usefixtures("file")
def test_a_copy_that_was_edited_after_the_crash_is_not_overwritten(store: MemoryStore, faults: FaultLayer) -> None:
    faults.hit("DeleteObject", KILL)
    with pytest.raises(Killed):
        tree.rename(store, OLD, NEW)
    store.edit(NEW, str.upper)
    with pytest.raises(AlreadyExistsError):
        tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"old": "text", "new": "TEXT"}


def test_a_forged_claim_to_be_a_copy_overwrites_nothing(store: MemoryStore, s3: S3Client, bucket: str) -> None:
    source = store.create(OLD, "text")
    store.create(NEW, "another text")
    key = f"memories/{TENANT}/new"
    body = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
    forged = {"s3memory-copied-from": source.etag.strip('"')}
    s3.put_object(Bucket=bucket, Key=key, Body=body, Metadata=forged)
    with pytest.raises(AlreadyExistsError):
        tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"old": "text", "new": "another text"}


@pytest.mark.usefixtures("file")
def test_an_edit_during_a_rename_moves_along(store: MemoryStore, other: MemoryStore, faults: FaultLayer) -> None:
    faults.hit("DeleteObject", other_writer_first(lambda: other.edit(OLD, str.upper)))
    tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"new": "TEXT"}


@pytest.mark.usefixtures("file")
def test_edits_on_both_sides_of_a_rename_both_stay(store: MemoryStore, other: MemoryStore, faults: FaultLayer) -> None:
    def edit_both() -> None:
        other.edit(OLD, lambda text: f"{text} old")
        other.edit(NEW, lambda text: f"{text} new")

    faults.hit("DeleteObject", other_writer_first(edit_both))
    with pytest.raises(ConflictError, match="Nothing is lost"):
        tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"old": "text old", "new": "text new"}


@pytest.mark.usefixtures("file")
def test_a_file_that_is_deleted_during_its_rename_is_gone(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer
) -> None:
    faults.hit("DeleteObject", other_writer_first(lambda: tree.delete(other, OLD)))
    with pytest.raises(NotFoundError):
        tree.rename(store, OLD, NEW)
    assert texts_of(store) == {}


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize("operation", ["GetObject", "HeadObject", "PutObject"])
def test_a_rename_to_the_same_path_does_not_bring_back_a_file_that_is_deleted_meanwhile(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer, operation: str
) -> None:
    faults.hit(operation, other_writer_first(lambda: tree.delete(other, OLD)))
    with pytest.raises((AlreadyExistsError, NotFoundError)):
        tree.rename(store, OLD, OLD)
    faults.clear()
    with contextlib.suppress(NotFoundError):
        tree.delete(other, OLD)
    assert texts_of(store) == {}


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize("operation", ["PutObject", "DeleteObject"])
def test_two_renames_of_one_file_to_one_place_lose_nothing(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer, operation: str
) -> None:
    faults.hit(operation, other_writer_first(lambda: tree.rename(other, OLD, NEW)))
    with contextlib.suppress(NotFoundError, AlreadyExistsError):
        tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"new": "text"}


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize("operation", ["PutObject", "DeleteObject"])
def test_two_renames_of_one_file_to_two_places_leave_it_at_one_of_them(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer, operation: str
) -> None:
    faults.hit(operation, other_writer_first(lambda: tree.rename(other, OLD, MemoryPath(("third",)))))
    with pytest.raises(NotFoundError):
        tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"third": "text"}


def test_an_edit_in_a_directory_during_its_rename_moves_along(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer
) -> None:
    store.create(A, "of a")
    faults.hit("DeleteObject", other_writer_first(lambda: other.edit(A, str.upper)))
    tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"new/a": "OF A"}
    assert pending(store) == []


@pytest.mark.usefixtures("directory")
def test_a_file_created_in_a_directory_during_its_rename_stays(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer
) -> None:
    faults.hit("DeleteObject", other_writer_first(lambda: other.create(OLD.child("late"), "late")))
    tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"old/late": "late", "new/a": "of a", "new/b/c": "of c"}


@pytest.mark.usefixtures("directory")
@pytest.mark.parametrize("finish", [lambda store: tree.rename(store, OLD, NEW), tree.repair], ids=["again", "repair"])
@pytest.mark.parametrize("operation", ["PutObject", "GetObject", "ListObjectsV2", "DeleteObject"])
@pytest.mark.parametrize("nth", [1, 2, 3])
def test_a_crash_in_a_directory_rename_loses_nothing_and_can_be_finished(
    store: MemoryStore,
    faults: FaultLayer,
    operation: str,
    nth: int,
    finish: Callable[[MemoryStore], object],
) -> None:
    faults.hit(operation, KILL, nth=nth)
    try:
        tree.rename(store, OLD, NEW)
    except Killed:
        found = texts_of(store)
        for name, text in (("a", "of a"), ("b/c", "of c")):
            assert text in {found.get(f"old/{name}"), found.get(f"new/{name}")}
        if pending(store) or finish is not tree.repair:
            try:
                finish(store)
            except AlreadyExistsError:  # everything was done except for the removal of the intent
                assert not store.files.has_directory(OLD)
                tree.repair(store)
            assert texts_of(store) == {"new/a": "of a", "new/b/c": "of c"}
    assert pending(store) == []


@pytest.mark.usefixtures("directory")
@pytest.mark.parametrize("operation", ["PutObject", "DeleteObjects", "DeleteObject", "ListObjectsV2"])
def test_a_crash_in_a_directory_delete_can_be_finished(store: MemoryStore, faults: FaultLayer, operation: str) -> None:
    faults.hit(operation, KILL, nth=1)
    with pytest.raises(Killed):
        tree.delete(store, OLD)
    if not tree.repair(store):
        tree.delete(store, OLD)
    assert texts_of(store) == {}
    assert pending(store) == []


@pytest.mark.usefixtures("directory")
def test_the_leftovers_of_a_crash_are_found_after_a_key_rotation(store: MemoryStore, faults: FaultLayer) -> None:
    faults.hit("DeleteObject", KILL, nth=1)
    with pytest.raises(Killed):
        tree.rename(store, OLD, NEW)
    rotate(store)
    tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"new/a": "of a", "new/b/c": "of c"}
    assert pending(store) == []


def test_the_leftovers_of_a_crash_are_recognised_by_etags_with_or_without_quotes() -> None:
    def before(operation: str, _: str) -> None:
        if operation == "DeleteObject":
            raise Killed

    server, wrapper = InMemoryS3(quote=""), LocalKeyWrapper(bytes(range(32)))

    def store_on(client: Any) -> MemoryStore:
        return MemoryStore(bucket="bucket", tenant=TENANT, key_wrapper=wrapper, s3_client=client, key_cache=KeyCache())

    store = store_on(server.client())
    put_files(store, {str(A): "of a", str(B): "of c"})
    with pytest.raises(Killed):
        tree.rename(store_on(server.client(before=before)), OLD, NEW)
    rotate(store)
    assert reseal(store).left == [NEW.child("a"), NEW.child("b", "c"), A, B]
    tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"new/a": "of a", "new/b/c": "of c"}
    assert pending(store) == []


@pytest.mark.usefixtures("directory")
def test_if_a_file_and_a_directory_share_a_name_the_file_is_deleted_first_and_the_same_command_deletes_the_directory(
    store: MemoryStore, s3: S3Client, bucket: str
) -> None:
    s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/old", Body=b"whatever made it")
    with pytest.raises(UnfinishedError) as raised:
        tree.delete(store, OLD)
    assert str(raised.value) == (
        "The file /memories/old was deleted. A directory of that name is there as well, perhaps another "
        "writer's, and was left alone. View it before sending the same command again to delete it."
    )
    assert store.files.info(OLD) is None
    assert texts_of(store) == {"old/a": "of a", "old/b/c": "of c"}
    tree.delete(store, OLD)
    assert texts_of(store) == {}
    assert pending(store) == []


@pytest.mark.usefixtures("directory")
def test_a_delete_reports_if_only_the_file_of_a_directorys_name_was_deleted(
    store: MemoryStore, s3: S3Client, bucket: str, faults: FaultLayer
) -> None:
    s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/old", Body=b"whatever made it")
    faults.hit("ListObjectsV2", NOT_SENT, times=99)
    with pytest.raises(UnfinishedError) as raised:
        tree.delete(store, OLD)
    assert str(raised.value) == (
        "The file /memories/old was deleted. It is not known whether there is a directory of that name as well, "
        "because the memory store did not answer as it should. View it before sending the same command again."
    )
    assert store.files.info(OLD) is None


def test_a_delete_that_cannot_be_announced_changes_nothing(make_store: MakeStore, faults: FaultLayer) -> None:
    store = make_store(limits=Limits(max_tries=2))
    store.create(A, "text")
    faults.hit("PutObject", refused(412, "PreconditionFailed"), times=99)
    with pytest.raises(UnavailableError, match="Nothing was changed"):
        tree.delete(store, OLD)
    faults.clear()
    assert texts_of(store) == {"old/a": "text"}


@pytest.mark.parametrize("path", [OLD, MemoryPath(("a.md",))], ids=str)
def test_a_delete_without_a_response_is_not_repeated_and_its_outcome_is_unknown(
    store: MemoryStore, faults: FaultLayer, path: MemoryPath
) -> None:
    store.create(path, "text")
    faults.hit("DeleteObject", done_but_reported(503, "SlowDown"))
    with pytest.raises(OutcomeUnknownError):
        tree.delete(store, path, is_likely_directory=path == OLD)
    assert faults.counts["DeleteObject"] == 1


@pytest.mark.usefixtures("directory")
def test_a_repair_during_the_rename_that_it_finishes_loses_nothing(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer
) -> None:
    for operation in ("PutObject", "DeleteObject"):
        faults.hit(operation, other_writer_first(lambda: tree.repair(other)), nth=2)
    tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"new/a": "of a", "new/b/c": "of c"}


def test_an_unreadable_file_stops_a_directory_rename_before_anything_is_gone(
    store: MemoryStore, s3: S3Client, bucket: str
) -> None:
    store.create(A, "of a")
    store.create(OLD.child("z"), "of z")
    key = f"memories/{TENANT}/old/z"
    body = bytearray(s3.get_object(Bucket=bucket, Key=key)["Body"].read())
    body[-1] ^= 1
    s3.put_object(Bucket=bucket, Key=key, Body=bytes(body))
    with pytest.raises(IntegrityError):
        tree.rename(store, OLD, NEW)
    listed = [str(file.path) for file in store.files.list_page(MemoryPath()).files]
    assert listed == ["/memories/old/a", "/memories/old/z"]
    assert pending(store) == []


@pytest.mark.usefixtures("directory")
@pytest.mark.parametrize(
    ("operation", "status", "code"),
    [
        ("GetObject", 403, "InvalidObjectState"),  # the file is in an archive storage class
        ("GetObject", 403, "AccessDenied"),  # a policy is about this file
        ("GetObject", 400, "KMS.DisabledException"),  # the bucket's encryption, with a key of its own for this file
        ("PutObject", 403, "AccessDenied"),
    ],
)
def test_a_file_that_s3_refuses_stops_a_directory_rename_before_anything_is_gone(
    store: MemoryStore, faults: FaultLayer, operation: str, status: int, code: str
) -> None:
    directory = "old" if operation == "GetObject" else "new"
    faults.hit_object(operation, f"memories/{TENANT}/{directory}/b/c", refused(status, code))
    with pytest.raises(BackendError, match=rf"\({code}\)\. Nothing was changed\..* It is about /memories/old/b/c\.$"):
        tree.rename(store, OLD, NEW)
    faults.clear()
    assert texts_of(store) == {"old/a": "of a", "old/b/c": "of c"}
    assert pending(store) == []


@pytest.mark.usefixtures("directory")
def test_a_directory_rename_whose_copies_cannot_be_undone_says_who_has_to_act(
    store: MemoryStore, faults: FaultLayer
) -> None:
    faults.hit_object("GetObject", f"memories/{TENANT}/old/b/c", refused(403, "InvalidObjectState"))
    faults.hit("DeleteObject", refused(403, "AccessDenied"), times=99)
    with pytest.raises(UnfinishedError, match=r"refused access\..* Send the same command again once that is fixed"):
        tree.rename(store, OLD, NEW)
    faults.clear()
    tree.rename(store, OLD, NEW)
    assert texts_of(store) == {"new/a": "of a", "new/b/c": "of c"}


class RefusesZ:
    """Refuses one text."""

    def redact(self, text: str, /) -> Redaction:
        if text == "of z":
            raise RedactionError("refused")
        return Redaction(text)


def test_a_refused_text_stops_a_directory_rename_before_anything_is_gone(make_store: MakeStore) -> None:
    plain = make_store(redactor=None)
    plain.create(A, "of a")
    plain.create(OLD.child("z"), "of z")
    with pytest.raises(RedactionError):
        tree.rename(make_store(redactor=RefusesZ()), OLD, NEW)
    assert texts_of(plain) == {"old/a": "of a", "old/z": "of z"}
    assert pending(plain) == []


@pytest.mark.parametrize(
    ("below", "goal"),
    [(("ODNN7EXAMPLQ",), "AKIAIOSF"), (("a", "b.md"), "AKIAIOSFODNN7EXAMPLQ")],
    ids=["halves", "the directory's name"],
)
def test_a_directory_does_not_move_to_where_the_path_of_one_of_its_files_would_be_refused(
    make_store: MakeStore, below: tuple[str, ...], goal: str
) -> None:
    plain, redacting = make_store(redactor=None), make_store(redactor=PatternRedactor())
    plain.create(OLD.child(*below), "x")
    plain.create(OLD.child("plain.md"), "y")
    with pytest.raises(RedactionError, match="Nothing was changed"):
        tree.rename(redacting, OLD, MemoryPath((goal,)))
    assert texts_of(plain) == {"old/" + "/".join(below): "x", "old/plain.md": "y"}
    assert pending(plain) == []


class TakesLittle:
    """Fails for any text longer than a path."""

    def redact(self, text: str, /) -> Redaction:
        if len(text) > 200:
            raise TimeoutError
        return Redaction(text)


def test_a_redactor_that_fails_for_all_paths_together_is_called_for_each(make_store: MakeStore) -> None:
    store = make_store(redactor=TakesLittle())
    for number in range(20):
        store.create(OLD.child(f"file-{number}"), "text")
    tree.rename(store, OLD, NEW)
    assert len(texts_of(store)) == 20
    assert not store.files.has_directory(OLD)


def test_a_rename_that_would_exceed_the_path_depth_is_refused_before_anything_is_gone(store: MemoryStore) -> None:
    deep = OLD.child(*["d"] * 18, "file")
    store.create(deep, "x")
    with pytest.raises(InvalidInputError):
        tree.rename(store, OLD, NEW.child("one", "more"))
    assert texts_of(store) == {"/".join(deep.segments): "x"}
    assert pending(store) == []


@pytest.mark.usefixtures("directory")
def test_a_directory_rename_that_loses_its_connection_can_be_finished_later(
    store: MemoryStore, faults: FaultLayer
) -> None:
    faults.hit("DeleteObject", NOT_SENT, times=99)
    with pytest.raises(S3MemoryError):
        tree.rename(store, OLD, NEW)
    faults.clear()
    assert tree.repair(store) == [Intent("rename", OLD, NEW)]
    assert texts_of(store) == {"new/a": "of a", "new/b/c": "of c"}
    assert pending(store) == []


@pytest.mark.usefixtures("file")
def test_a_file_edited_during_its_delete_is_deleted_with_the_edit(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer
) -> None:
    faults.hit("DeleteObject", other_writer_first(lambda: other.edit(OLD, str.upper)))
    tree.delete(store, OLD)
    assert texts_of(store) == {}


@pytest.mark.usefixtures("file")
def test_a_delete_that_always_loses_leaves_the_file(
    make_store: MakeStore, other: MemoryStore, faults: FaultLayer
) -> None:
    """On a server that takes ``*`` for an ETag; on any other, what is there is deleted."""
    store = make_store(limits=Limits(max_tries=2))
    faults.hit("DeleteObject", refused(412, "PreconditionFailed"))
    faults.hit("DeleteObject", other_writer_first(lambda: other.edit(OLD, lambda text: f"{text}!")), nth=2, times=9)
    with pytest.raises(ConflictError):
        tree.delete(store, OLD)
    assert texts_of(store) == {"old": "text!!"}


@pytest.mark.usefixtures("directory")
def test_a_read_only_memory_cannot_be_renamed_deleted_or_repaired(make_store: MakeStore, faults: FaultLayer) -> None:
    store = make_store(read_only=True)
    for write in (
        lambda: tree.rename(store, OLD, NEW),
        lambda: tree.delete(store, OLD),
        lambda: tree.delete_everything(store),
        lambda: tree.repair(store),
    ):
        with pytest.raises(ReadOnlyError):
            write()
    assert faults.requests == []


def test_a_directory_with_more_files_than_fit_into_an_intent_is_renamed_and_deleted_in_parts(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{path}/{number}": "text" for path in (A, B) for number in range(9)}
    put_files(store, files)
    stored = texts_of(store)
    monkeypatch.setattr("s3memory.store.documents.MAX_SEALED_BYTES", 800)
    for command, verb in ((tree.delete, "delete"), (partial(tree.rename, new=NEW), "rename")):
        with pytest.raises(LimitError) as raised:
            command(store, OLD)
        assert str(raised.value) == (
            f"There are too many files in /memories/old to {verb} them at once. "
            "Nothing was changed. Move or delete its subdirectories first."
        )
        assert texts_of(store) == stored
        assert pending(store) == []
    tree.delete(store, A)
    tree.rename(store, OLD, NEW)
    assert texts_of(store) == {f"new/b/c/{number}": "text" for number in range(9)}


def test_everything_can_be_deleted_and_the_key_ring_stays(store: MemoryStore, s3: S3Client, bucket: str) -> None:
    store.create(A, "x")
    store.create(NEW, "y")
    tree.delete_everything(store)
    assert [item["Key"] for item in s3.list_objects_v2(Bucket=bucket)["Contents"]] == [f"keyrings/{TENANT}"]


def test_a_folder_that_was_made_in_the_console_is_no_operation(
    store: MemoryStore, directory: MemoryPath, s3: S3Client, bucket: str
) -> None:
    s3.put_object(Bucket=bucket, Key=f"intents/{TENANT}/")
    s3.put_object(Bucket=bucket, Key=f"redactions/{TENANT}/")
    assert tree.repair(store) == []
    assert tombstones_of(store, A) == Tombstones({}, ())
