"""A create or rename writes while it checks for obstacles, and undoes the write if the checks find one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import MakeStore
from support.faults import ANSWER_LOST, NOT_SENT, Fault, FaultLayer, other_writer_first, refused
from support.flavours import put_file
from support.stored import texts_of

from s3memory import MemoryStore
from s3memory.errors import (
    AlreadyExistsError,
    BackendError,
    ConflictError,
    LimitError,
    OutcomeUnknownError,
    UnfinishedError,
)
from s3memory.limits import Limits
from s3memory.paths import MemoryPath
from s3memory.store import tree

X, BELOW_X, Y = MemoryPath(("x",)), MemoryPath(("x", "n")), MemoryPath(("y",))


def create(store: MemoryStore) -> None:
    store.create(BELOW_X, "new")


def rename(store: MemoryStore) -> None:
    tree.rename(store, Y, BELOW_X)


Write = Callable[[MemoryStore], None]


@pytest.fixture(params=[create, rename])
def write(request: pytest.FixtureRequest, other: MemoryStore) -> Write:
    """A command that writes below a file."""
    other.create(X, "of x")
    other.create(Y, "new")
    asked: Write = request.param
    return asked


STORED = {"x": "of x", "y": "new"}


def test_nothing_remains_of_a_refused_write(
    store: MemoryStore, other: MemoryStore, write: Write, faults: FaultLayer
) -> None:
    with pytest.raises(AlreadyExistsError, match="is a file, not a directory") as caught:
        write(store)
    assert caught.value.at == str(X)
    assert texts_of(other) == STORED
    # The PUT and its removal; and a check of what is still there.
    assert (faults.counts["PutObject"], faults.counts["DeleteObject"]) == (1, 1)


@pytest.mark.parametrize("fault", [NOT_SENT, refused(403, "AccessDenied"), refused(503, "SlowDown")])
def test_a_failed_check_undoes_the_write_and_nothing_was_changed(
    store: MemoryStore, other: MemoryStore, write: Write, faults: FaultLayer, fault: Fault
) -> None:
    faults.hit("HeadObject", fault, times=99)
    with pytest.raises(BackendError, match="Nothing was changed"):
        write(store)
    assert texts_of(other) == STORED


def test_a_written_file_that_another_client_edited_meanwhile_stays_and_this_is_reported(
    store: MemoryStore, other: MemoryStore, write: Write, faults: FaultLayer
) -> None:
    faults.hit("DeleteObject", other_writer_first(lambda: other.edit(BELOW_X, lambda text: f"{text}, edited")))
    with pytest.raises(UnfinishedError, match="because another writer has changed it since"):
        write(store)
    assert texts_of(other) == {**STORED, "x/n": "new, edited"}


@pytest.mark.parametrize("meanwhile", ["deleted", "moved"])
def test_a_written_file_that_another_client_deleted_or_moved_meanwhile_needs_no_undo(
    store: MemoryStore, other: MemoryStore, write: Write, faults: FaultLayer, meanwhile: str
) -> None:
    z = MemoryPath(("z",))
    act = (lambda: tree.delete(other, BELOW_X)) if meanwhile == "deleted" else (lambda: tree.rename(other, BELOW_X, z))
    faults.hit("DeleteObject", other_writer_first(act))
    with pytest.raises(AlreadyExistsError):
        write(store)
    assert texts_of(other) == (STORED if meanwhile == "deleted" else {**STORED, "z": "new"})


def test_an_undo_whose_response_is_lost_is_settled_by_what_is_stored(
    store: MemoryStore, other: MemoryStore, write: Write, faults: FaultLayer
) -> None:
    faults.hit("DeleteObject", ANSWER_LOST)
    with pytest.raises(AlreadyExistsError):
        write(store)
    assert texts_of(other) == STORED


def test_a_write_that_cannot_be_undone_is_reported(
    store: MemoryStore, other: MemoryStore, write: Write, faults: FaultLayer
) -> None:
    faults.hit("DeleteObject", NOT_SENT, times=99)
    with pytest.raises(UnfinishedError, match="because the memory store did not answer"):
        write(store)
    assert texts_of(other) == {**STORED, "x/n": "new"}


def test_a_directory_in_the_way_is_told_apart_from_the_file_of_its_name_that_cannot_be_undone(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer
) -> None:
    other.create(BELOW_X, "of x")
    faults.hit("DeleteObject", NOT_SENT, times=99)
    told = "/memories/x was stored before it was known that a directory of that name is in its way, and may be there"
    with pytest.raises(UnfinishedError, match=told):
        store.create(X, "new")
    assert texts_of(other) == {"x": "new", "x/n": "of x"}


def test_an_obstacle_that_disappears_in_time_allows_the_write_after_all(
    store: MemoryStore, other: MemoryStore, write: Write, faults: FaultLayer
) -> None:
    faults.hit("DeleteObject", other_writer_first(lambda: tree.delete(other, X, is_likely_directory=False)))
    write(store)
    assert texts_of(other).keys() == ({"x/n", "y"} if faults.counts["DeleteObject"] == 1 else {"x/n"})


def test_it_gives_up_if_obstacles_come_and_go_during_every_attempt(
    make_store: MakeStore, other: MemoryStore, faults: FaultLayer
) -> None:
    store = make_store(limits=Limits(max_tries=2))
    other.create(Y, "new")

    def come() -> None:
        if other.files.info(X) is None:
            put_file(other, str(X), "of x")

    faults.hit("HeadObject", other_writer_first(come))
    faults.hit("HeadObject", other_writer_first(come), nth=3)
    faults.hit("DeleteObject", other_writer_first(lambda: other.delete(X)), times=9)
    with pytest.raises(ConflictError, match="Nothing was changed"):
        create(store)
    assert texts_of(other) == {"y": "new"}


def test_a_write_with_an_unknown_outcome_is_not_undone(
    store: MemoryStore, other: MemoryStore, write: Write, faults: FaultLayer
) -> None:
    faults.hit("PutObject", ANSWER_LOST, times=9)
    faults.hit("GetObject", NOT_SENT, nth=2 if write is rename else 1, times=9)
    with pytest.raises(OutcomeUnknownError):
        write(store)
    assert faults.counts["DeleteObject"] == 0


def test_a_copy_that_another_client_made_is_not_undone(store: MemoryStore, other: MemoryStore) -> None:
    """The client that made it may have deleted its source since."""
    other.create(X, "of x")
    other.create(Y, "new")
    source = other.read(Y)
    assert source is not None
    other.copy(source, BELOW_X)
    with pytest.raises(AlreadyExistsError):
        rename(store)
    assert texts_of(other) == {**STORED, "x/n": "new"}


def test_two_identical_renames_leave_nothing_behind_if_there_is_an_obstacle(
    store: MemoryStore, other: MemoryStore, faults: FaultLayer
) -> None:
    other.create(BELOW_X, "in the way")
    other.create(Y, "new")
    refused: list[AlreadyExistsError] = []

    def rename_as_well() -> None:
        with pytest.raises(AlreadyExistsError) as caught:
            tree.rename(other, Y, X)
        refused.append(caught.value)

    faults.hit("DeleteObject", other_writer_first(rename_as_well))
    with pytest.raises(AlreadyExistsError):
        tree.rename(store, Y, X)
    assert len(refused) == 1
    assert texts_of(other) == {"x/n": "in the way", "y": "new"}


def test_with_a_quota_the_checks_come_before_the_write(
    make_store: MakeStore, other: MemoryStore, faults: FaultLayer
) -> None:
    other.create(X, "of x")
    store = make_store(limits=Limits(max_tenant_files=1))
    with pytest.raises(AlreadyExistsError):
        create(store)
    with pytest.raises(LimitError):
        store.create(Y, "new")
    assert faults.counts["PutObject"] == 0
