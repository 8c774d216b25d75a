"""Operators' jobs beside agents and each other: what comes in between is neither lost, nor undone, nor hidden."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from conftest import MakeStore
from support.clock import NOON, SetClock
from support.faults import FaultLayer, other_writer_first, refused
from support.stored import text_of

from s3memory import MemoryStore
from s3memory.admin import expiry, scanning
from s3memory.admin.erasure import erasing
from s3memory.admin.keys import generations, resealing, rotation
from s3memory.admin.transfer import exporting, importing
from s3memory.admin.transfer.import_sources import SourceFile
from s3memory.admin.transfer.importing import Existing, import_files
from s3memory.admin.verify import Defect, Kind, verify
from s3memory.admin.versions import point_in_time, redacting, restoring
from s3memory.admin.versions.history import Operation, history
from s3memory.contract.messages import changed_during_every_attempt
from s3memory.errors import ConflictError, KeyRingError, NotFoundError, UnfinishedError
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath
from s3memory.redaction import PatternRedactor
from s3memory.store import tree
from s3memory.store.files import MemoryFile, WrittenFile

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

A, B = MemoryPath(("a",)), MemoryPath(("b",))


def texts_kept(store: MemoryStore, path: MemoryPath) -> list[str]:
    """All that any version of a file says."""
    return [
        point_in_time.read_version(store, path, one.version_id)
        for one in point_in_time.versions_of(store, path)
        if not one.is_delete_marker
    ]


def erase(store: MemoryStore, *, is_begun_again: bool) -> None:
    """Erase the tenant. Perhaps begin a new one of that name."""
    erasing.erase(store)
    if is_begun_again:
        store.create(B, "of another tenant")


def contend(path: MemoryPath, patch: pytest.MonkeyPatch) -> None:
    """Let other writers be faster at every try to edit this file."""
    edit = MemoryStore.edit

    def contended(self: MemoryStore, edited: MemoryPath, *arguments: Any, **more: Any) -> WrittenFile:
        if edited == path:
            raise changed_during_every_attempt(path)
        return edit(self, edited, *arguments, **more)

    patch.setattr(MemoryStore, "edit", contended)


# --- restore ------------------------------------------------------------------------------------------------------


def test_a_restore_over_what_does_not_open_leaves_what_an_agent_makes_anew_in_between(
    store: MemoryStore, other: MemoryStore, s3: S3Client, bucket: str, faults: FaultLayer
) -> None:
    store.create(A, "old")
    (old,) = point_in_time.versions_of(store, A)
    s3.put_object(Bucket=bucket, Key=old.object_key, Body=b"does not open")

    def make_anew() -> None:
        s3_object = other.objects.head(old.object_key)
        assert s3_object is not None
        other.objects.deletes.one(old.object_key, etag=s3_object.etag)
        other.create(A, "new")

    # The restored version is read, then the current one, which does not open; then the agent comes.
    faults.hit("HeadObject", other_writer_first(make_anew))
    with pytest.raises(ConflictError):
        restoring.restore(store, A, old)
    assert text_of(store, A) == "new"


def test_a_restore_over_what_does_not_open_still_works(store: MemoryStore, s3: S3Client, bucket: str) -> None:
    store.create(A, "old")
    (old,) = point_in_time.versions_of(store, A)
    s3.put_object(Bucket=bucket, Key=old.object_key, Body=b"does not open")
    assert restoring.restore(store, A, old).was_unreadable
    assert text_of(store, A) == "old"


@pytest.mark.parametrize("is_there", [True, False])
def test_a_restore_that_had_read_a_version_before_it_was_redacted_does_not_put_it_back(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer, *, is_there: bool
) -> None:
    store.create(A, "secret")
    (secret,) = point_in_time.versions_of(store, A)
    store.edit(A, lambda _: "harmless")
    if not is_there:
        tree.delete(store, A)
    redactable = redacting.find_redactable(store, A, secret.version_id)
    faults.hit("PutObject", other_writer_first(lambda: redacting.redact_version(other, redactable)))
    with pytest.raises(NotFoundError, match="destroyed while it was being restored"):
        restoring.restore(store, A, secret)
    assert texts_kept(store, A) == ["harmless"]
    assert text_of(store, A) == ("harmless" if is_there else None)


def test_a_restore_that_can_not_be_checked_says_that_it_was_done(store: MemoryStore, faults: FaultLayer) -> None:
    store.create(A, "one")
    (one,) = point_in_time.versions_of(store, A)
    store.edit(A, lambda _: "two")
    # The version and the file are read, and after the write the version again.
    faults.hit("GetObject", refused(503, "ServiceUnavailable"), nth=3, times=20)
    with pytest.raises(UnfinishedError, match="What was done stays"):
        restoring.restore(store, A, one)
    faults.clear()
    assert text_of(store, A) == "one"


def test_a_file_of_a_tree_whose_restore_can_not_be_checked_may_have_been_changed(
    store: MemoryStore, at: SetClock, faults: FaultLayer
) -> None:
    at(0)
    store.create(A, "one")
    at(60)
    store.edit(A, lambda _: "two")
    faults.hit("GetObject", refused(503, "ServiceUnavailable"), nth=3, times=20)
    (missed,) = restoring.restore_tree(store, A, NOON)
    faults.clear()
    assert text_of(store, A) == "one"
    assert missed.reason == "it is not known whether it was changed (ServiceUnavailable)"


def test_a_redaction_whose_look_back_fails_says_that_it_was_done(store: MemoryStore, faults: FaultLayer) -> None:
    store.create(A, "secret")
    (secret,) = point_in_time.versions_of(store, A)
    store.edit(A, lambda _: "harmless")
    redactable = redacting.find_redactable(store, A, secret.version_id)
    redacting.redact_version(store, redactable)
    faults.hit("ListObjectVersions", refused(503, "ServiceUnavailable"), times=20)
    with pytest.raises(UnfinishedError, match="is redacted"):
        redacting.same_text_since(store, redactable)


def test_a_file_that_agents_change_at_every_try_keeps_no_other_from_being_restored(
    store: MemoryStore, at: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(-60)
    for path in (A, B):
        store.create(path, "before")
    at(30)
    for path in (A, B):
        store.edit(path, lambda _: "after")
    contend(A, monkeypatch)
    restored = {one.path: one for one in restoring.restore_tree(store, MemoryPath(()), NOON)}
    assert restored[A].outcome is restoring.RestoreOutcome.REFUSED
    assert "at every try" in restored[A].reason
    assert text_of(store, B) == "before"


def test_a_version_that_was_put_back_while_its_source_is_redacted_is_named(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer
) -> None:
    store.create(A, "secret")
    (secret,) = point_in_time.versions_of(store, A)
    store.edit(A, lambda _: "harmless")
    redactable = redacting.find_redactable(store, A, secret.version_id)
    assert redactable.same_text == ()
    faults.hit("DeleteObjects", other_writer_first(lambda: restoring.restore(other, A, secret)))
    redacting.redact_version(store, redactable)
    latest = next(point_in_time.versions_of(store, A))
    assert redacting.same_text_since(store, redactable) == (latest.version_id,)


@pytest.mark.parametrize("is_begun_again", [False, True])
def test_a_redaction_in_a_tenant_that_is_erased_meanwhile_does_not_report_success(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer, *, is_begun_again: bool
) -> None:
    store.create(A, "secret")
    (secret,) = point_in_time.versions_of(store, A)
    store.edit(A, lambda _: "harmless")
    redactable = redacting.find_redactable(store, A, secret.version_id)
    faults.hit("PutObject", other_writer_first(lambda: erase(other, is_begun_again=is_begun_again)))
    with pytest.raises(KeyRingError, match="was erased meanwhile"):
        redacting.redact_version(store, redactable)


# --- history ------------------------------------------------------------------------------------------------------


def test_a_version_that_is_destroyed_while_it_is_followed_ends_the_trail(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer
) -> None:
    store.create(A, "text")
    tree.rename(store, A, B)
    (source,) = [one for one in point_in_time.versions_of(store, A) if not one.is_delete_marker]
    # It is found by its ETag, and looked at; then the versions of its path are listed.
    faults.hit(
        "ListObjectVersions",
        other_writer_first(lambda: other.objects.versions.destroy(list(point_in_time.versions_of(other, A)))),
        nth=3,
    )
    told = history(store, B, follow=True).versions
    assert [(one.path, one.operation) for one in told] == [(B, Operation.MOVED_HERE)]
    assert told[0].moved_from is not None
    assert told[0].moved_from.version_id == source.version_id


# --- import -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_begun_again", [False, True])
def test_an_import_into_a_tenant_that_is_erased_meanwhile_does_not_report_success(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer, *, is_begun_again: bool
) -> None:
    store.create(MemoryPath(("c",)), "there before")
    faults.hit("PutObject", other_writer_first(lambda: erase(other, is_begun_again=is_begun_again)))
    with pytest.raises(KeyRingError, match="was erased meanwhile"):
        import_files(store, Texts(a="text"))


class Texts:
    """A source of texts, by their names."""

    def __init__(self, **texts: str) -> None:
        self._texts = texts

    def files(self) -> Iterator[SourceFile]:
        for name, text in self._texts.items():
            yield SourceFile(name, text.encode())


@pytest.mark.parametrize("existing", Existing)
def test_two_imports_of_one_source_do_not_refuse_each_others_texts(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer, existing: Existing
) -> None:
    source = Texts(a="AKIA" + "QYLPMN5HHHFPZAM2 is the key", b="text")
    planned = importing.plan(store, source, existing=existing)
    import_files(other, source)
    done = import_files(store, source, existing=existing, planned=planned)
    assert [file.outcome for file in done.files] == [importing.ImportOutcome.UNCHANGED] * 2


def test_an_import_refuses_another_text_that_came_in_between(store: MemoryStore, other: MemoryStore) -> None:
    source = Texts(a="text")
    planned = importing.plan(store, source)
    other.create(A, "another")
    done = import_files(store, source, planned=planned)
    assert [(file.outcome, file.reason) for file in done.files] == [
        (importing.ImportOutcome.REFUSED, "an agent was faster")
    ]
    assert text_of(store, A) == "another"
    assert hashlib.sha256(b"another").hexdigest() == history(store, A).versions[0].sha256


def test_a_file_that_agents_change_at_every_try_is_named_and_the_rest_is_imported(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (A, B):
        store.create(path, "before")
    contend(A, monkeypatch)
    done = import_files(store, Texts(a="after", b="after"), existing=Existing.OVERWRITE)
    assert [file.outcome for file in done.files] == [
        importing.ImportOutcome.REFUSED,
        importing.ImportOutcome.REPLACED,
    ]
    assert done.is_done
    assert text_of(store, B) == "after"


def test_a_file_that_agents_change_at_every_try_stays_as_it_was_found(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = make_store(redactor=None)
    for path in (A, B):
        plain.create(path, "AKIA" + "QYLPMN5HHHFPZAM2 is the key")
    contend(A, monkeypatch)
    result = scanning.scan(make_store(), PatternRedactor(), fix=True)
    assert {(finding.path, finding.is_fixed) for finding in result.findings} == {(str(A), False), (str(B), True)}


# --- Looking at all files, beside renames ------------------------------------------------------------------------

SECRET = "the key is AKIA" + "QYLPMN5HHHFPZAM2"
FIRST, LAST = MemoryPath(("0",)), MemoryPath(("z",))
Moved = Callable[..., None]
MOVES = {"behind what was listed": (A, LAST), "before what was listed": (LAST, FIRST)}


def scanned(store: MemoryStore) -> set[str]:
    result = scanning.scan(store, PatternRedactor(), fix=True)
    assert result.is_settled
    assert all(one.is_fixed for one in result.findings)
    return {text for text in map(partial(text_of, store), (A, B, FIRST, LAST)) if text is not None and "AKIA" in text}


@pytest.fixture
def lenient(make_store: MakeStore, other_s3: S3Client) -> MemoryStore:
    """The same memory as an agent has it that redacts nothing: what it moves stays as it is."""
    return make_store(s3_client=other_s3, redactor=None)


@pytest.mark.parametrize(("old", "new"), MOVES.values(), ids=MOVES)
@pytest.mark.parametrize("operation", ["GetObject", "ListObjectsV2"])
class TestARenameMeanwhile:
    """A file is moved before it is fetched, or while the tenant is listed; `b` is there all the time."""

    @pytest.fixture
    def moved(
        self, lenient: MemoryStore, faults: FaultLayer, old: MemoryPath, new: MemoryPath, operation: str
    ) -> Moved:
        """Have the file moved before a request of the operation."""
        lenient.create(old, SECRET)
        lenient.create(B, "text")

        def move(*, by: MemoryStore = lenient, then: Callable[[], object] = lambda: None, after_the_ring: bool) -> None:
            nth = 2 if after_the_ring and operation == "GetObject" else 1  # the key ring is the first that is fetched
            faults.hit(operation, other_writer_first(lambda: (tree.rename(by, old, new), then())), nth=nth)

        return move

    def test_scan_redacts_it_at_its_new_place(self, store: MemoryStore, moved: Moved, new: MemoryPath) -> None:
        store.read(B)  # the key ring is in the cache: what is fetched from now on are files
        moved(after_the_ring=False)
        assert scanned(store) == set()
        assert "[REDACTED" in (text_of(store, new) or "")

    def test_verify_opens_it_at_its_new_place(
        self, store: MemoryStore, lenient: MemoryStore, moved: Moved, new: MemoryPath
    ) -> None:
        found: list[Defect] = []

        def alter() -> None:
            object_key = f"{lenient.objects.layout.memories_prefix}{new.name}"
            head = lenient.objects.head(object_key)
            assert head is not None
            lenient.objects.put(object_key, b"altered", over=head.etag)

        moved(then=alter, after_the_ring=True)
        verified = verify(store, found.append)
        assert [(one.kind, one.path) for one in found] == [(Kind.DOES_NOT_OPEN, str(new))]
        assert verified.is_settled

    def test_export_has_it(self, store: MemoryStore, moved: Moved, new: MemoryPath) -> None:
        store.read(B)
        moved(after_the_ring=False)
        texts: dict[str, str] = {}

        def write(file: MemoryFile) -> bool:
            assert str(file.path) not in texts
            texts[str(file.path)] = file.text
            return True

        assert exporting.export(store, write).is_settled
        assert texts[str(new)] == SECRET
        assert texts[str(B)] == "text"

    def test_reseal_seals_it_under_the_newest_key(
        self, store: MemoryStore, make_store: MakeStore, other_s3: S3Client, moved: Moved
    ) -> None:
        agent = make_store(s3_client=other_s3, redactor=None, key_cache=KeyCache())
        agent.read(B)  # has the older key ring in its cache, and seals under its key
        rotation.rotate(store)
        moved(by=agent, after_the_ring=True)
        assert resealing.reseal(store).is_complete
        assert generations.usage(store).current == {2: 2}


def test_expire_leaves_a_file_that_is_moved_meanwhile_as_one_that_is_used(
    store: MemoryStore, lenient: MemoryStore
) -> None:
    lenient.create(A, "text")
    lenient.create(B, "text")
    before = datetime.now(UTC) + timedelta(seconds=5)
    unused = expiry.unused_files(store, before=before).files
    assert [one.path for one in unused] == [A, B]
    tree.rename(lenient, A, LAST)
    assert [one.path for one in expiry.expire(store, unused, before=before)[0]] == [B]
    assert text_of(store, LAST) == "text"


def test_files_that_are_moved_at_every_pass_are_told(
    store: MemoryStore, lenient: MemoryStore, faults: FaultLayer
) -> None:
    lenient.create(A, "text")
    places = [A, B]

    def move() -> None:
        tree.rename(lenient, *places)
        places.reverse()

    store.read(A)
    faults.hit("GetObject", other_writer_first(move), times=99)
    assert not scanning.scan(store, PatternRedactor()).is_settled
