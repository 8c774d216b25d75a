"""The adversary: whatever clients and faults are drawn, some serial order of commands explains the observations."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from adversary.explanation import contradiction
from adversary.faults import Acts, Ending, Fault
from adversary.history import ROOT, Call, Command, Event, FileReport, Files, History, Kind, Outcome
from adversary.network import network
from adversary.plans import Member, Plan, Trouble, Turn, plans
from adversary.run import drawn, failure, run
from adversary.stage import Stage
from hypothesis import given, seed, settings
from support.figures import FIGURES

_EXAMPLES = int(os.environ.get("ADVERSARY_EXAMPLES", "60"))
_SEED = os.environ.get("ADVERSARY_SEED", "1")


@seed(int(_SEED))
@settings(max_examples=_EXAMPLES, database=None)
@given(plans())
def test_some_order_explains_all_reports_and_what_is_stored(plan: Plan) -> None:
    stage, wrong = failure(plan)
    FIGURES[f"adversary: histories drawn by hypothesis, ADVERSARY_SEED={_SEED}"] += 1
    FIGURES["adversary: faults in them"] += stage.faults.total()
    assert wrong is None, f"{wrong}\n{plan}\n{stage.history}"


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_some_order_explains_the_histories_of_seeds(first: int) -> None:
    report = run(range(first, first + 25), most_found=1)
    FIGURES["adversary: histories drawn from seeds"] += report.counts["histories"]
    assert not report.found, report.found[0]


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(620928617, id="a file of an import lands after the import has said that it may"),
    ],
)
def test_some_order_explains_histories_once_thought_impossible(number: int) -> None:
    stage, wrong = failure(drawn(number))
    assert wrong is None, f"{wrong}\n{stage.history}"


_D = f"{ROOT}/d/b"


def _import_beside(others: Call, *, fault: Fault, at: int, times: int) -> Plan:
    imports: Call = {"command": "import", "files": {_D: "given"}}
    return Plan(
        files=("x", "d/a"),
        name_mode="plain",
        members=(Member((imports,)), Member((others,) * 3)),
        turns=(Turn(0, 0, 6), Turn(1, 0, 1)),
        troubles=(Trouble(client=0, fault=fault, at=at, times=times, of_writes=False),),
        by_repair=False,
        same_etag=True,
    )


def test_a_file_that_an_import_removes_again_may_be_seen_before() -> None:
    """Its checks are refused after the write, so it is deleted again, and the import has left the file alone."""
    denied = Fault(Ending.ERROR, Acts.NEVER, "AccessDenied")
    view: Call = {"command": "view", "path": _D}
    stage, wrong = failure(_import_beside(view, fault=denied, at=4, times=1))
    assert wrong is None, f"{wrong}\n{stage.history}"
    imported, seen = (
        [one.outcome for one in stage.history.commands if one.name == name] for name in ("import", "view")
    )
    assert FileReport.read(imported[0].text) == FileReport()
    assert [one.kind for one in seen].count(Kind.DONE) == 1
    assert stage.history.events[-1].files == stage.history.initial


def test_an_import_may_store_a_file_again_that_was_deleted_before_it_could_remove_it() -> None:
    """A check that ran with its write got no response, so it tries the file again."""
    stage, wrong = failure(
        _import_beside({"command": "delete", "path": _D}, fault=Fault(Ending.REFUSED), at=4, times=3)
    )
    assert wrong is None, f"{wrong}\n{stage.history}"
    assert stage.is_twice
    deletions = [one.outcome.kind for one in stage.history.commands if one.name == "delete"]
    assert deletions.count(Kind.DONE) == 2


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_faults_match_those_of_real_sockets(tmp_path: Path, *, tls: bool) -> None:
    """The same plan, over sockets through a proxy that cuts and damages, gives the same history, request by request."""
    with network(tmp_path, tls=tls) as connected:
        for number in range(300, 306):
            plan = drawn(number)
            if not tls and any(one.fault.ending is Ending.DAMAGED for one in plan.troubles):
                continue  # there are no TLS records
            in_place = Stage(plan).run()
            over_sockets = Stage(plan, connected).run()
            assert _told(over_sockets) == _told(in_place)


def test_a_plan_runs_the_same_each_time() -> None:
    for number in range(5):
        first, second = Stage(drawn(number)).run(), Stage(drawn(number)).run()
        assert _told(first) == _told(second)


# What the search must know, in histories with few events.

X, Y = f"{ROOT}/x", f"{ROOT}/y"
BEFORE: Files = frozenset({(X, "one\n")})
OLD: Files = frozenset({(X, "old 0\none\n")})


def _create(path: str, text: str) -> Call:
    return {"command": "create", "path": path, "file_text": text}


def _insert(path: str, text: str) -> Call:
    return {"command": "insert", "path": path, "insert_line": 0, "insert_text": text}


_DELETE: Call = {"command": "delete", "path": X}
_RENAME: Call = {"command": "rename", "old_path": X, "new_path": Y}
_EDITED, _DELETED, _RENAMED = (
    f"The file {X} has been edited.",
    f"Successfully deleted {X}",
    f"Successfully renamed {X} to {Y}",
)
_UNKNOWN = Outcome(Kind.UNKNOWN)
_UNCHANGED = Outcome(Kind.UNCHANGED)


def _done(text: str) -> Outcome:
    return Outcome(Kind.DONE, text)


def _refused(text: str) -> Outcome:
    return Outcome(Kind.REFUSED, text)


def _reported(*, done: tuple[str, ...] = (), unknown: tuple[str, ...] = ()) -> Outcome:
    """A job's report about its files."""
    return _done(str(FileReport(frozenset(done), frozenset(unknown))))


_IMPORT: Call = {"command": "import", "files": {Y: "given"}}
_EXPIRE: Call = {"command": "expire"}
_RESTORE: Call = {"command": "restore"}


def _history(
    *given: tuple[Call, Outcome], at_once: bool = False, then: dict[str, str], before: Files = BEFORE
) -> History:
    history = History(before)
    commands = [Command(f"client {number}", call, outcome) for number, (call, outcome) in enumerate(given)]
    events = [(Event(command), Event(command, is_answer=True)) for command in commands]
    if at_once:
        history.events = [sent for sent, _ in events] + [answered for _, answered in events]
    else:
        history.events = [event for both in events for event in both]
    history.events.append(Event(None, files=frozenset(then.items())))
    return history


@pytest.mark.parametrize(("error", "is_wrong"), [("TypeError", True), ("KeyRingError", False)])
def test_during_an_erasure_stored_files_may_not_open_and_nothing_else_goes_wrong(error: str, *, is_wrong: bool) -> None:
    history = _history(({"command": "erase"}, _done("")), (_DELETE, Outcome(Kind.WRONG, error=error)), then={})
    assert (contradiction(history) is not None) is is_wrong


@pytest.mark.parametrize(
    "history",
    [
        pytest.param(_history((_insert(X, "a"), _done(_EDITED)), then={X: "a\na\none\n"}), id="an edit made twice"),
        pytest.param(
            _history(
                (_insert(X, "a"), _done(_EDITED)), (_insert(X, "b"), _done(_EDITED)), at_once=True, then={X: "a\none\n"}
            ),
            id="an edit lost",
        ),
        pytest.param(
            _history((_create(Y, "new"), _refused(f"Error: File {Y} already exists")), then={X: "one\n", Y: "new"}),
            id="its own file called another's",
        ),
        pytest.param(_history((_DELETE, _UNCHANGED), then={}), id="nothing was changed, but it was"),
        pytest.param(
            _history((_DELETE, _done(_DELETED)), (_RENAME, _done(_RENAMED)), at_once=True, then={Y: "one\n"}),
            id="a deleted text that survives",
        ),
        pytest.param(
            _history((_DELETE, _done(_DELETED)), (_DELETE, _done(_DELETED)), at_once=True, then={}),
            id="one file deleted twice",
        ),
        pytest.param(_history((_RENAME, _refused("no")), then={X: "one\n", Y: "one\n"}), id="a copy left by a refusal"),
        pytest.param(
            _history((_insert(X, "a"), _UNKNOWN), (_DELETE, _done(_DELETED)), then={X: "a\none\n"}),
            id="an edit that brings back what was deleted",
        ),
        pytest.param(
            _history((_insert(X, "a"), _done(_EDITED)), (_insert(X, "b"), _done(_EDITED)), then={X: "a\nb\none\n"}),
            id="the later edit before the earlier one",
        ),
        pytest.param(_history((_IMPORT, _reported()), then={X: "one\n", Y: "given"}), id="a file left alone is made"),
        pytest.param(_history((_IMPORT, _reported(done=(Y,))), then={X: "one\n"}), id="a file imported is not there"),
        pytest.param(_history((_IMPORT, _UNCHANGED), then={X: "one\n", Y: "given"}), id="no import, and a file of it"),
        pytest.param(
            _history(
                (_create(Y, "new"), _done(f"File created successfully at: {Y}")),
                (_IMPORT, _reported(unknown=(Y,))),
                then={X: "one\n", Y: "given"},
            ),
            id="a file that may be imported over another",
        ),
        pytest.param(
            _history(
                (_IMPORT, _reported(done=(Y,))),
                ({"command": "delete", "path": Y}, _done(f"Successfully deleted {Y}")),
                then={X: "one\n", Y: "given"},
            ),
            id="a file imported, deleted and imported again",
        ),
        pytest.param(_history((_EXPIRE, _reported()), then={}, before=OLD), id="a file left alone expires"),
        pytest.param(
            _history((_EXPIRE, _reported(done=(X,))), then=dict(OLD), before=OLD), id="a file that has expired is there"
        ),
        pytest.param(
            _history(
                (_insert(X, "a"), _done(_EDITED)), (_RESTORE, _reported()), then=dict(OLD), before=OLD, at_once=True
            ),
            id="a file left alone is restored",
        ),
    ],
)
def test_the_search_rejects_what_nothing_explains(history: History) -> None:
    assert contradiction(history) is not None


@pytest.mark.parametrize(
    "history",
    [
        pytest.param(
            _history(
                (_insert(X, "a"), _done(_EDITED)),
                (_insert(X, "b"), _done(_EDITED)),
                at_once=True,
                then={X: "a\nb\none\n"},
            ),
            id="two edits at once, in either order",
        ),
        pytest.param(_history((_DELETE, _UNKNOWN), (_create(Y, "new"), _UNKNOWN), then={}), id="unknown, and done"),
        pytest.param(_history((_DELETE, _UNKNOWN), then={X: "one\n"}), id="unknown, and not done"),
        pytest.param(_history((_RENAME, Outcome(Kind.BEGUN)), then={X: "one\n", Y: "one\n"}), id="a rename cut off"),
        pytest.param(
            _history(
                (_RENAME, Outcome(Kind.DIED)), (_insert(X, "a"), _done(_EDITED)), then={X: "a\none\n", Y: "one\n"}
            ),
            id="an edit behind a copy that was cut off",
        ),
        pytest.param(
            _history((_insert(X, "a"), _UNKNOWN), (_RENAME, _done(_RENAMED)), then={Y: "a\none\n"}),
            id="an edit that arrived after all",
        ),
        pytest.param(
            _history(
                (_IMPORT, _reported(unknown=(Y,))),
                ({"command": "delete", "path": Y}, _refused(f"Error: The path {Y} does not exist")),
                then={X: "one\n", Y: "given"},
            ),
            id="a file that may be imported lands late",
        ),
        pytest.param(
            _history((_IMPORT, _reported(unknown=(Y,))), then={X: "one\n"}),
            id="a file that may be imported never lands",
        ),
        pytest.param(
            _history(
                (_IMPORT, _reported()),
                ({"command": "delete", "path": Y}, _done(f"Successfully deleted {Y}")),
                at_once=True,
                then={X: "one\n"},
            ),
            id="a file seen before an import took it back",
        ),
        pytest.param(
            _history(
                (_EXPIRE, _reported(unknown=(X,))),
                (_create(X, "new"), _refused(f"Error: File {X} already exists")),
                then={},
                before=OLD,
            ),
            id="a file that may expire goes late",
        ),
        pytest.param(
            _history(
                (_insert(X, "a"), _done(_EDITED)), (_RESTORE, _reported(unknown=(X,))), then=dict(OLD), before=OLD
            ),
            id="a file that may be restored is",
        ),
    ],
)
def test_the_search_accepts_what_some_order_explains(history: History) -> None:
    assert contradiction(history) is None


def _told(history: History) -> list[str]:
    """What was seen and sent, without random parts: ETags, and keys that a job shows."""
    return [re.sub(r"b'.*|If-Match \w+|ReadTimeoutError.*|SSLError.*", "", line) for line in history.notes]
