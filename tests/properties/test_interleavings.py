"""Every order of the requests of two commands, and a crash at every point of each, explained by a serial order.

The commands are the real code, stopped at each request (see `scheduler` and `orders`); the reference model defines what
is right. For two commands of which at least one is about a file, some serial order explains both reports and everything
that is stored. For two directory operations the weaker rule of ``docs/semantics.md`` holds: no text is lost.

``INTERLEAVINGS=all`` runs every order (``make interleavings``); without it, the few pairs with more orders than `MOST`
run a sample of that size, drawn from a seed (``INTERLEAVINGS_SEED``).
"""

from __future__ import annotations

import itertools
from dataclasses import replace as replaced
from typing import Any

import pytest
from support.interleaving import (
    RESEAL,
    Call,
    State,
    commands,
    create,
    delete,
    insert,
    is_serial,
    name,
    names,
    path_of,
    pending,
    places,
    rename,
    repair,
    replace,
    rotated,
    runs,
    server_with,
    state,
    true_reports,
    view,
    work,
)
from support.interleaving import assert_no_text_is_lost as assert_nothing_is_lost
from support.memory_s3 import InMemoryS3
from support.pieces import is_explained_in_pieces
from support.scheduler import Run

from s3memory.paths import MemoryPath
from s3memory.store import moving
from s3memory.testing.reference import ReferenceMemory, Report

MOST = 90

BASE: State = {
    MemoryPath(("x",)): "one\ntwo",
    MemoryPath(("d", "a")): "one",
    MemoryPath(("d", "s", "b")): "bee",
}


ON_FILES = [
    create("x"),
    create("y"),
    create("y", "one\ntwo"),  # the same text as the file that is renamed to it
    create("d/n"),
    create("e/n"),
    replace("x"),
    insert("x"),
    replace("d/a"),
    delete("x"),
    delete("d/a"),
    rename("x", "y"),
    rename("x", "z"),
    rename("x", "d/n"),
    rename("d/a", "q"),
    view("/x"),
]
# Where a rename puts its copies while it is in progress.
ON_COPIES = [create("e/a"), replace("e/a"), insert("e/s/b"), rename("e/a", "d/a"), view("/e/a")]
# The file is looked for while the directory is listed.
VIEWS_OF_DIRECTORIES = [view("/d"), view("/d/s"), view("/y")]
TAKING_THE_LAST_FILE = [delete("d/s/b"), rename("d/s/b", "q")]
TAKING_COPIES_AWAY = [delete("e/a"), rename("e/a", "q"), rename("e/a", "d/z")]
ON_DIRECTORIES = [
    delete("d"),
    delete("d/s"),
    rename("d", "e"),
    rename("d", "w/d"),
    rename("d/s", "t"),
    rename("d/s", "e"),
]
TO_THE_DIRECTORY_IT_IS_IN = [rename("n/x", "n"), rename("d/s/b", "d/s")]
ABOUT_THAT_DIRECTORY = [create("n/x"), delete("d/s/b"), rename("x", "n/x"), create("d/s/c"), create("n")]
MOVES = [call for call in ON_DIRECTORIES if call["command"] == "rename"]


def pairs(firsts: list[Call], seconds: list[Call]) -> list[Any]:
    seen: set[frozenset[str]] = set()
    parameters = []
    for one, other in itertools.product(firsts, seconds):
        both = frozenset((name(one), name(other)))
        if both not in seen:
            seen.add(both)
            parameters.append(pytest.param(one, other, id=f"{name(one)} | {name(other)}"))
    return parameters


pytestmark = pytest.mark.usefixtures("strands")


@pytest.fixture(scope="module")
def base() -> InMemoryS3:
    return server_with(BASE)


def run_serially(calls: list[Call]) -> tuple[Report, State]:
    """Return the last one's report, and what is stored."""
    memory = ReferenceMemory(dict(BASE))
    *_, report = [memory.call(call) for call in calls]
    return report, memory.files


def test_keys_stay_cached_however_long_it_takes_to_run_all_orders(base: InMemoryS3) -> None:
    key_ring = commands(base.client()).store.key_ring
    key_ring.ttl_seconds = 1e-9
    assert key_ring.cached() is not None


@pytest.mark.parametrize(
    ("one", "other"),
    pairs(ON_FILES, ON_FILES + ON_DIRECTORIES)
    + pairs(VIEWS_OF_DIRECTORIES, ON_FILES + TAKING_THE_LAST_FILE)
    + pairs(ON_COPIES, ON_DIRECTORIES)
    + pairs(TAKING_THE_LAST_FILE, MOVES)
    + pairs(TO_THE_DIRECTORY_IT_IS_IN, ABOUT_THAT_DIRECTORY),
)
def test_a_serial_order_explains_every_order_of_requests(base: InMemoryS3, one: Call, other: Call) -> None:
    calls = [one, other]
    for run in runs("two commands, each equal to a serial order", base, calls, most=MOST):
        assert is_serial(run, BASE, calls), run
        assert pending(run.server) == 0, run


# The obstacle of each of these is found during its PUT, which is then undone.
IN_THE_WAY = [create("x/n"), create("d"), create("d/s"), rename("x", "d/a/n"), rename("x", "d"), rename("d/a", "x/n")]
BESIDE_THESE = [
    view("/x"),
    view("/x/n"),
    view("/d"),
    delete("x"),
    delete("x/n"),
    delete("d/s/b"),
    rename("x", "y"),
    rename("x/n", "y"),
    rename("d/s/b", "q"),
    insert("x/n"),
    insert("d/s"),
    create("x/n"),
    create("x/n/o"),
    create("d/a/n"),
]


@pytest.mark.parametrize(("one", "other"), pairs(IN_THE_WAY, BESIDE_THESE + IN_THE_WAY))
def test_a_file_written_despite_an_obstacle_may_be_visible_for_a_moment_and_is_removed_again(
    base: InMemoryS3, one: Call, other: Call
) -> None:
    calls = [one, other]
    for run in runs("two commands, one of which is taken back", base, calls, most=MOST):
        assert is_serial(run, BASE, calls) or is_explained_in_pieces(run, BASE, calls), run
        assert pending(run.server) == 0, run


@pytest.mark.parametrize(("one", "other"), pairs(IN_THE_WAY, BESIDE_THESE + IN_THE_WAY))
def test_a_crash_before_the_removal_leaves_the_file_and_loses_nothing(base: InMemoryS3, one: Call, other: Call) -> None:
    calls = [one, other]
    for run in runs("two commands, one of which is killed before it is taken back", base, calls, kills=True, most=MOST):
        assert_nothing_is_lost(run, calls, BASE)


def shows_both(run: Run, calls: list[Call]) -> bool:
    """Whether the view lists the removed file, and looked for its obstacle after that was deleted."""
    return run.results[2].is_error and is_explained_in_pieces(replaced(run, results=run.results[1:]), BASE, calls[1:])


@pytest.mark.parametrize(
    "calls",
    [
        [view("/x"), delete("x"), create("x/n")],
        [view("/d/s"), delete("d/s/b"), create("d/s")],
        [view("/d/s"), rename("d/s/b", "q"), create("d/s")],
    ],
    ids=names,
)
def test_a_view_while_a_file_and_a_directory_replace_each_other_is_explained_by_a_serial_order(
    base: InMemoryS3, calls: list[Call]
) -> None:
    became = 0
    for run in runs("a view while a file becomes a directory or a directory a file", base, calls, most=MOST):
        assert is_serial(run, BASE, calls) or is_explained_in_pieces(run, BASE, calls) or shows_both(run, calls), run
        became += not any(report.is_error for report in run.results[1:])
    assert became > 0


@pytest.mark.parametrize("below", [create("y/n"), rename("x", "y/n"), rename("d", "y/n")], ids=name)
def test_a_file_and_a_directory_of_one_name_created_at_once_may_both_exist_and_stay_readable(
    base: InMemoryS3, below: Call
) -> None:
    calls = [create("y"), below]
    both = 0
    for run in runs("a file against a directory, both readable", base, calls, most=MOST):
        if not is_serial(run, BASE, calls):
            if any(report.text.startswith("Error: Other writers were in the way") for report in run.results):
                continue  # the two alternate at every attempt, which random pauses prevent
            both += 1
            assert not any(report.is_error for report in run.results), run
            _, files = run_serially([below])
            assert state(run.server) == {**files, MemoryPath(("y",)): "new"}, run
    assert both > 0  # if this can no longer happen, docs/semantics.md can promise more


@pytest.mark.parametrize("below", [create("x/n"), rename("d/a", "x/a"), rename("d", "x"), rename("d/s", "x")], ids=name)
def test_a_file_that_appears_below_the_name_of_a_deleted_file_is_left_alone(base: InMemoryS3, below: Call) -> None:
    calls = [delete("x"), below]
    left = 0
    for run in runs("a file's deletion and a directory in its place", base, calls, most=MOST):
        if not is_serial(run, BASE, calls):
            left += 1
            assert "and was left alone" in run.results[0].text, run
            is_taken_back = run.results[1].is_error  # the file was still there when it looked
            assert state(run.server) == run_serially(calls[: 1 if is_taken_back else 2])[1], run
        assert_nothing_is_lost(run, calls, BASE)
        assert pending(run.server) == 0, run
    assert left > 0


@pytest.mark.parametrize("taking", TAKING_THE_LAST_FILE, ids=name)
def test_a_directory_delete_and_the_removal_of_its_last_file_may_both_succeed(base: InMemoryS3, taking: Call) -> None:
    calls = [delete("d/s"), taking]
    both = 0
    for run in runs("a directory's deletion and one on its last file", base, calls, most=MOST):
        if not is_serial(run, BASE, calls):
            both += 1
            assert not any(report.is_error for report in run.results), run
            _, files = run_serially([taking])
            assert state(run.server) == files, run
        assert pending(run.server) == 0, run
    assert both > 0


@pytest.mark.parametrize("taking", TAKING_COPIES_AWAY, ids=name)
def test_a_directory_rename_whose_copy_is_removed_says_that_it_started_and_is_finished_by_the_same_command(
    base: InMemoryS3, taking: Call
) -> None:
    calls = [rename("d", "e"), taking]
    begun = 0
    for run in runs("a directory's rename and one on its copies", base, calls, most=MOST):
        if not is_serial(run, BASE, calls):
            begun += 1
            assert "was begun" in run.results[0].text, run
            assert not run.results[1].is_error, run
            assert not work(calls[0])(run.server.client()).is_error, run
            left = state(run.server)
            assert {left[MemoryPath(("e", *path))] for path in (("a",), ("s", "b"))} == {"one", "bee"}, run
            assert pending(run.server) == 0, run
    assert begun > 0


def half_done(call: Call, files: State) -> State:
    """What a file rename leaves if it is killed after its copy."""
    memory = ReferenceMemory(dict(files))
    if call["command"] == "rename" and not memory.call(call).is_error:
        return {**files, **memory.files}
    return files


def is_explained_after_a_crash(run: Run, calls: list[Call]) -> bool:
    """Whether the survivor's report and what is stored are as if the killed one did nothing, everything, or half."""
    assert run.killed is not None
    killed, survivor = calls[run.killed], calls[1 - run.killed]
    report, found = run.results[1 - run.killed], state(run.server)
    for before, after in (([], []), ([killed], []), ([], [killed])):
        memory = ReferenceMemory(dict(BASE))
        for call in before:
            memory.call(call)
        reports = true_reports(memory, survivor)
        for call in after:
            memory.call(call)
        if report in reports and found == memory.files:
            return True
    half = ReferenceMemory(half_done(killed, dict(BASE)))
    if report in true_reports(half, survivor) and found == half.files:
        return True
    memory = ReferenceMemory(dict(BASE))
    return report in true_reports(memory, survivor) and found == half_done(killed, memory.files)


@pytest.mark.parametrize(("one", "other"), pairs(ON_FILES, ON_FILES))
def test_a_crash_at_any_point_of_a_file_command_leaves_all_or_nothing_and_the_same_command_finishes_it(
    base: InMemoryS3, one: Call, other: Call
) -> None:
    calls = [one, other]
    for run in runs("two commands and a crash, nothing lost", base, calls, kills=True, most=MOST):
        if run.killed is None:
            continue
        assert is_explained_after_a_crash(run, calls), run
        left = state(run.server)
        again = work(calls[run.killed])(run.server.client())
        ended = [run_serially([calls[number] for number in order])[1] for order in ((0, 1), (1, 0))]
        assert state(run.server) in ([*ended, left] if again.is_error else ended), run
        assert pending(run.server) == 0, run


def assert_no_text_is_lost(run: Run, calls: list[Call]) -> None:
    """Each file is where one of the commands left it, with its text; it is gone only if a command deletes it."""
    files = state(run.server)
    expected: set[MemoryPath] = set()
    for path, text in BASE.items():
        candidates = places(path, calls)
        expected |= candidates
        present = [files[place] for place in candidates if place in files]
        deleted = any(
            place.is_below(path_of(call)) for call in calls if call["command"] == "delete" for place in candidates
        )
        assert present or deleted, (run, path)
        assert all(found == text for found in present), (run, path)
        assert run.killed is not None or len(present) <= 1, (run, path)
    assert set(files) <= expected, run


@pytest.mark.parametrize(("one", "other"), pairs(ON_DIRECTORIES, ON_DIRECTORIES))
def test_two_directory_operations_lose_no_text(base: InMemoryS3, one: Call, other: Call) -> None:
    calls = [one, other]
    for run in runs("two directories, no text lost", base, calls, most=MOST):
        assert_no_text_is_lost(run, calls)


@pytest.mark.parametrize(("one", "other"), pairs(ON_DIRECTORIES, ON_DIRECTORIES))
def test_two_directory_operations_and_a_crash_lose_no_text_and_repair_leaves_no_intent(
    base: InMemoryS3, one: Call, other: Call
) -> None:
    calls = [one, other]
    for run in runs("two directories and a crash, no text lost", base, calls, kills=True, most=MOST):
        if run.killed is None:
            continue
        assert_no_text_is_lost(run, calls)
        repair(run.server)
        assert_no_text_is_lost(run, calls)
        assert pending(run.server) == 0, run


@pytest.fixture
def _deletes_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Renames delete their originals in one request, as those of large directories do."""
    monkeypatch.setattr(moving, "MAX_PARALLEL_REQUESTS", 0)


@pytest.mark.usefixtures("_deletes_together")
@pytest.mark.parametrize(("one", "other"), pairs(MOVES, ON_FILES + ON_COPIES + TAKING_THE_LAST_FILE))
def test_a_serial_order_explains_a_directory_rename_with_fewer_requests(
    base: InMemoryS3, one: Call, other: Call
) -> None:
    calls = [one, other]
    for run in runs("a directory in fewer requests, equal to a serial order", base, calls, most=MOST):
        assert is_serial(run, BASE, calls), run
        assert pending(run.server) == 0, run


@pytest.mark.usefixtures("_deletes_together")
@pytest.mark.parametrize(("one", "other"), pairs(MOVES, ON_DIRECTORIES))
def test_two_directory_operations_with_fewer_requests_lose_no_text(base: InMemoryS3, one: Call, other: Call) -> None:
    calls = [one, other]
    for run in runs("two directories in fewer requests, no text lost", base, calls, kills=True, most=MOST):
        assert_no_text_is_lost(run, calls)
        repair(run.server)
        assert_no_text_is_lost(run, calls)
        assert pending(run.server) == 0, run


@pytest.fixture(scope="module")
def rotated_base() -> InMemoryS3:
    return rotated(server_with(BASE))


def was_announced_in_time(run: Run) -> bool:
    """Whether the operation was announced before the `reseal` looked for announcements for the last time."""
    steps = [(choice.client, choice.operation) for choice in run.choices if choice.object_key.startswith("intents/")]
    after = steps[steps.index((0, "PutObject")) :] if (0, "PutObject") in steps else []
    return (1, "ListObjectsV2") in after or run.killed == 1


@pytest.mark.parametrize("call", [rename("d", "e"), delete("d")], ids=name)
def test_a_directory_operation_during_a_reseal_loses_no_text_and_can_be_finished_after_a_crash(
    rotated_base: InMemoryS3, call: Call
) -> None:
    calls = [call, RESEAL]
    _, ended = run_serially([call])
    for run in runs("a directory and a reseal, no text lost", rotated_base, calls, kills=True, most=MOST):
        assert_no_text_is_lost(run, calls)
        if run.killed != 0:
            assert state(run.server) == ended, run
            assert pending(run.server) == 0, run
        elif was_announced_in_time(run):
            again = run.server.copy()
            work(call)(again.client())
            assert (state(again), pending(again)) == (ended, 0), run
        repair(run.server)
        assert pending(run.server) == 0, run
        assert_no_text_is_lost(run, calls)
        if was_announced_in_time(run):
            assert state(run.server) == ended, run
