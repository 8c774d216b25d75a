"""Every order of the requests of two commands, and a crash at every point of each, explained by a serial order.

The commands are the real code, stopped at each request (see `scheduler`); what is right is the reference model's
to say. For two commands of which one at least is about a file, some serial order explains both reports and all that
is stored. For two directory operations the weaker rule of ``docs/semantics.md`` holds: no text is lost.

``INTERLEAVINGS=all`` runs every order (``make interleavings``); without it, the longest pairs are cut at 100 of theirs.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from scheduler import InPlaceExecutor, Run, all_runs

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore, parallel, retry, tree
from s3memory.errors import S3MemoryError
from s3memory.keys import KeyCache
from s3memory.paths import MemoryPath
from s3memory.testing.memory_s3 import InMemoryS3
from s3memory.testing.reference import ReferenceMemory, Report

ROOT = "/memories"
Call = dict[str, Any]
State = dict[MemoryPath, str]

BASE: State = {
    MemoryPath(("x",)): "one\ntwo",
    MemoryPath(("d", "a")): "one",
    MemoryPath(("d", "s", "b")): "bee",
}


def create(path: str) -> Call:
    return {"command": "create", "path": f"{ROOT}/{path}", "file_text": "new"}


def replace(path: str) -> Call:
    return {"command": "str_replace", "path": f"{ROOT}/{path}", "old_str": "one", "new_str": "uno"}


def insert(path: str) -> Call:
    return {"command": "insert", "path": f"{ROOT}/{path}", "insert_line": 0, "insert_text": "zero"}


def delete(path: str) -> Call:
    return {"command": "delete", "path": f"{ROOT}/{path}"}


def rename(old: str, new: str) -> Call:
    return {"command": "rename", "old_path": f"{ROOT}/{old}", "new_path": f"{ROOT}/{new}"}


def view(path: str) -> Call:
    return {"command": "view", "path": f"{ROOT}{path}"}


ON_FILES = [
    create("x"),
    create("y"),
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
ON_DIRECTORIES = [
    delete("d"),
    delete("d/s"),
    rename("d", "e"),
    rename("d", "w/d"),
    rename("d/s", "t"),
    rename("d/s", "e"),
]


def name(call: Call) -> str:
    return " ".join(str(value).removeprefix(ROOT) or "/" for key, value in call.items() if "_str" not in key)


def pairs(firsts: list[Call], seconds: list[Call]) -> list[Any]:
    seen: set[frozenset[str]] = set()
    parameters = []
    for one, other in itertools.product(firsts, seconds):
        both = frozenset((name(one), name(other)))
        if both not in seen:
            seen.add(both)
            parameters.append(pytest.param(one, other, id=f"{name(one)} | {name(other)}"))
    return parameters


def most_runs() -> int | None:
    """How many orders of one pair are run at most."""
    return None if os.environ.get("INTERLEAVINGS") == "all" else 100


def is_chosen(parameter: Any) -> bool:
    """Whether a pair is run with crashes in every run: those whose commands make the fewest requests."""
    return os.environ.get("INTERLEAVINGS") == "all" or not any(call["command"] == "rename" for call in parameter.values)


_wrapper = LocalKeyWrapper(bytes(range(32)))
_cache = KeyCache()
_counts: dict[str, int] = {}


@pytest.fixture(scope="module", autouse=True)
def _report(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    for rule, count in sorted(_counts.items()):
        print(f"\ninterleavings: {count} orders, {rule}")  # noqa: T201 - the figure is the result


@pytest.fixture(autouse=True)
def _in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel._pool, "_executor", InPlaceExecutor())
    monkeypatch.setattr(retry, "_FIRST_PAUSE_SECONDS", 0)


def commands(client: Any) -> MemoryCommands:
    store = MemoryStore(
        bucket="bucket", tenant="acme", key_wrapper=_wrapper, s3_client=client, key_cache=_cache, redactor=None
    )
    return MemoryCommands(store)


def work(call: Call) -> Callable[[Any], Report]:
    def run(client: Any) -> Report:
        try:
            return Report(commands(client).call(call))
        except S3MemoryError as error:
            return Report(str(error), is_error=True)

    return run


def state(server: InMemoryS3) -> State:
    """Read every file; all that is listed has to open."""
    store = commands(server.client())._store
    found = {}
    for listed in store.files_below(MemoryPath()):
        file = store.read(listed.path)
        assert file is not None
        found[listed.path] = file.text
    return found


def pending(server: InMemoryS3) -> int:
    return len(list(tree.pending(commands(server.client())._store)))


@pytest.fixture(scope="module")
def base() -> InMemoryS3:
    server = InMemoryS3()
    for path, text in BASE.items():
        commands(server.client()).create(str(path), text)
    return server


def run_serially(calls: list[Call], order: tuple[int, ...]) -> tuple[dict[int, Report], State]:
    memory = ReferenceMemory(dict(BASE))
    reports = {number: memory.call(calls[number]) for number in order}
    return reports, memory.files


def counted(runs: Iterator[Run], rule: str) -> Iterator[Run]:
    for run in runs:
        _counts[rule] = _counts.get(rule, 0) + 1
        yield run


@pytest.mark.parametrize(("one", "other"), pairs(ON_FILES, ON_FILES + ON_DIRECTORIES))
def test_a_serial_order_explains_every_order_of_requests(base: InMemoryS3, one: Call, other: Call) -> None:
    calls = [one, other]
    allowed = [run_serially(calls, order) for order in ((0, 1), (1, 0))]
    runs = all_runs(base, [work(one), work(other)], most=most_runs())
    for run in counted(runs, "each equal to a serial order"):
        got = ({0: run.results[0], 1: run.results[1]}, state(run.server))
        assert got in allowed, run.choices
        assert pending(run.server) == 0, run.choices


@pytest.mark.parametrize("below", [create("y/n"), rename("x", "y/n"), rename("d", "y/n")], ids=name)
def test_a_file_and_a_directory_of_one_name_made_at_once_may_both_be_there_and_stay_readable(
    base: InMemoryS3, below: Call
) -> None:
    calls = [create("y"), below]
    allowed = [run_serially(calls, order) for order in ((0, 1), (1, 0))]
    both = 0
    for run in counted(all_runs(base, [work(call) for call in calls]), "file against directory, both readable"):
        got = ({0: run.results[0], 1: run.results[1]}, state(run.server))
        if got not in allowed:
            both += 1
            assert not any(report.is_error for report in run.results), run.choices
            _, files = run_serially([below], (0,))
            assert got[1] == {**files, MemoryPath(("y",)): "new"}
    assert both > 0  # the day that this can't happen any more, docs/semantics.md has a promise to make


def half_done(call: Call, files: State) -> State:
    """What a file rename leaves that was killed after its copy."""
    memory = ReferenceMemory(dict(files))
    if call["command"] == "rename" and not memory.call(call).is_error:
        return {**files, **memory.files}
    return files


def states_after_a_crash(calls: list[Call], killed: int) -> list[tuple[Report, State]]:
    """What the other command may report and leave if the killed one did nothing, all, or half of its work."""
    survivor = 1 - killed
    allowed = []
    for order in ((survivor,), (killed, survivor), (survivor, killed)):
        reports, files = run_serially(calls, order)
        allowed.append((reports[survivor], files))
    half = ReferenceMemory(half_done(calls[killed], dict(BASE)))
    allowed.append((half.call(calls[survivor]), half.files))
    reports, files = run_serially(calls, (survivor,))
    allowed.append((reports[survivor], half_done(calls[killed], files)))
    return allowed


@pytest.mark.parametrize(("one", "other"), [pair for pair in pairs(ON_FILES, ON_FILES) if is_chosen(pair)])
def test_a_crash_at_any_point_of_a_file_command_leaves_all_or_nothing_and_the_same_command_ends_it(
    base: InMemoryS3, one: Call, other: Call
) -> None:
    calls = [one, other]
    for run in counted(all_runs(base, [work(one), work(other)], kills=True), "with a crash, nothing lost"):
        if run.killed is None:
            continue
        survivor = 1 - run.killed
        allowed = states_after_a_crash(calls, run.killed)
        assert (run.results[survivor], state(run.server)) in allowed, run.choices
        again = work(calls[run.killed])(run.server.client())
        reports_and_states = [run_serially(calls, order) for order in ((0, 1), (1, 0))]
        ended = [files for _, files in reports_and_states]
        if again.is_error:
            ended += [files for _, files in allowed]
        assert state(run.server) in ended, run.choices
        assert pending(run.server) == 0


def places(path: MemoryPath, calls: list[Call]) -> set[MemoryPath]:
    """Where a file may be after some of the moves, in any order."""
    found = {path}
    for _ in calls:
        for call in calls:
            if call["command"] == "rename":
                old, new = MemoryPath.parse(call["old_path"]), MemoryPath.parse(call["new_path"])
                found |= {place.moved(old, new) for place in found if place == old or place.is_below(old)}
    return found


def assert_no_text_is_lost(run: Run, calls: list[Call]) -> None:
    """Each file is where one of the commands left it, with its text; gone only where a command deletes it."""
    files = state(run.server)
    expected: set[MemoryPath] = set()
    for path, text in BASE.items():
        candidates = places(path, calls)
        expected |= candidates
        present = [files[place] for place in candidates if place in files]
        deleted = any(
            place.is_below(MemoryPath.parse(call["path"]))
            for call in calls
            if call["command"] == "delete"
            for place in candidates
        )
        assert present or deleted, (run.choices, path)
        assert all(found == text for found in present), (run.choices, path)
        assert run.killed is not None or len(present) <= 1, (run.choices, path)
    assert set(files) <= expected, run.choices


@pytest.mark.parametrize(("one", "other"), pairs(ON_DIRECTORIES, ON_DIRECTORIES))
def test_two_directory_operations_lose_no_text(base: InMemoryS3, one: Call, other: Call) -> None:
    runs = all_runs(base, [work(one), work(other)], most=most_runs())
    for run in counted(runs, "of two directories, no text lost"):
        assert_no_text_is_lost(run, [one, other])


@pytest.mark.parametrize(("one", "other"), pairs(ON_DIRECTORIES, ON_DIRECTORIES))
def test_two_directory_operations_and_a_crash_lose_no_text_and_repair_leaves_no_intent(
    base: InMemoryS3, one: Call, other: Call
) -> None:
    runs = all_runs(base, [work(one), work(other)], kills=True, most=most_runs())
    for run in counted(runs, "of two directories with a crash, no text lost"):
        if run.killed is None:
            continue
        assert_no_text_is_lost(run, [one, other])
        tree.repair(commands(run.server.client())._store)
        assert_no_text_is_lost(run, [one, other])
        assert pending(run.server) == 0, run.choices
