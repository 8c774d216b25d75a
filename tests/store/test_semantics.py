"""The two-client scenarios of docs/semantics.md: each row of its two tables is carried out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from conftest import MakeStore
from support.faults import FaultLayer, other_writer_first
from support.repository import REPOSITORY

from s3memory import MemoryCommands, MemoryStore
from s3memory.errors import S3MemoryError
from s3memory.paths import MemoryPath
from s3memory.s3 import capabilities
from s3memory.store import tree

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

_PAGE = (REPOSITORY / "docs" / "semantics.md").read_text("utf-8")


def _rows(heading: str) -> list[tuple[str, str]]:
    """Return the first two columns, who does what, of each row below a heading."""
    section = _PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| (.+?) \| (.+?) \| .+? \|$", section, re.MULTILINE)[1:]


Call = dict[str, Any]
DONE = r"successfully|Successfully|has been edited"


def _call(command: str, **parameters: object) -> Call:
    return {"command": command, **{name: _path(name, value) for name, value in parameters.items()}}


def _path(name: str, value: object) -> object:
    return f"/memories/{value}" if name.endswith("path") else value


def _rename(old: str, new: str) -> Call:
    return _call("rename", old_path=old, new_path=new)


def _replace(name: str, new: str = "B") -> Call:
    return _call("str_replace", path=name, old_str="one", new_str=new)


REPAIR: Call = {}
"""Not one of the model's commands: an operator runs it."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One row of the tables.

    Attributes:
        before: what is stored at the beginning.
        first: A's command.
        seconds: B's commands, before A's `at`-th request of the kind `before_request`.
        after: what is stored afterwards; several if the page leaves it open.
        report: a pattern of what A reports.
        second_report: a pattern of what each of B's commands reports.
    """

    before: dict[str, str]
    first: Call
    seconds: list[Call]
    after: list[dict[str, str]]
    report: str = DONE
    second_report: str = DONE
    before_request: str = "PutObject"
    at: int = 1


_X = {"x": "one\n"}
_D = {"d/a": "one", "d/b": "two"}
_E = {"e/a": "one", "e/b": "two"}
_MOVE = _rename("d", "e")
_COPYING = 2
"""A directory rename's first PUT stores the intent, and its second the first copy."""

SCENARIOS: dict[tuple[str, str], list[Scenario]] = {
    ("`str_replace` x", "`insert` x"): [
        Scenario(_X, _replace("x", "A"), [_call("insert", path="x", insert_line=1, insert_text="B")], [{"x": "A\nB\n"}])
    ],
    ("`str_replace` x", "`delete` x"): [
        Scenario(_X, _replace("x", "A"), [_call("delete", path="x")], [{}], "/memories/x does not exist")
    ],
    ("`create` x", "`create` x"): [
        Scenario(
            {},
            _call("create", path="x", file_text="A"),
            [_call("create", path="x", file_text="B")],
            [{"x": "B"}],
            "/memories/x already exists",
        )
    ],
    ("`delete` x", "`str_replace` x"): [
        Scenario(_X, _call("delete", path="x"), [_replace("x")], [{}], before_request="DeleteObject")
    ],
    ("`rename` x to y", "`str_replace` x"): [
        Scenario(_X, _rename("x", "y"), [_replace("x")], [{"y": "B\n"}]),
        Scenario(_X, _rename("x", "y"), [_replace("x")], [{"y": "B\n"}], before_request="DeleteObject"),
    ],
    ("`rename` x to y", "`delete` x"): [
        Scenario(_X, _rename("x", "y"), [_call("delete", path="x")], [{}], "/memories/x does not exist"),
        Scenario(
            _X,
            _rename("x", "y"),
            [_call("delete", path="x")],
            [{}],
            "/memories/x does not exist",
            before_request="DeleteObject",
        ),
    ],
    ("`rename` x to y", "`rename` x to y"): [
        Scenario(_X, _rename("x", "y"), [_rename("x", "y")], [{"y": "one\n"}], "y already exists|x does not exist"),
        Scenario(
            _X,
            _rename("x", "y"),
            [_rename("x", "y")],
            [{"y": "one\n"}],
            "y already exists|x does not exist",
            before_request="DeleteObject",
        ),
    ],
    ("`rename` x to y", "`rename` x to z"): [
        Scenario(_X, _rename("x", "y"), [_rename("x", "z")], [{"z": "one\n"}], "/memories/x does not exist")
    ],
    ("`rename` directory d to e", "`create` d/new"): [
        Scenario(_D, _MOVE, [_call("create", path="d/new", file_text="B")], [{**_E, "d/new": "B"}]),
        Scenario(_D, _MOVE, [_call("create", path="d/new", file_text="B")], [{**_E, "d/new": "B"}], at=_COPYING),
    ],
    ("`delete` directory d", "`create` d/new"): [
        Scenario(_D, _call("delete", path="d"), [_call("create", path="d/new", file_text="B")], [{"d/new": "B"}])
    ],
    ("`rename` directory d to e", "`rename` directory d to e, or `s3memory repair`"): [
        Scenario(_D, _MOVE, [_MOVE], [_E], f"{DONE}|already exists|does not exist"),
        Scenario(_D, _MOVE, [REPAIR], [_E], at=_COPYING),
    ],
    ("`rename` directory d to e", "`rename` directory d to f"): [
        Scenario(
            _D, _MOVE, [_rename("d", "f")], [{"f/a": "one", "f/b": "two"}, _E], f"{DONE}|does not exist", at=_COPYING
        )
    ],
    ("`rename` directory d to e", "`delete` directory d"): [
        Scenario(_D, _MOVE, [_call("delete", path="d")], [{}, _E], f"{DONE}|does not exist", at=_COPYING)
    ],
    ("`delete` directory d", "`delete` d/a, its only file"): [
        Scenario({"d/a": "one"}, _call("delete", path="d"), [_call("delete", path="d/a")], [{}])
    ],
    ("`delete` directory d", "`rename` d/a, its only file, to x"): [
        Scenario({"d/a": "one"}, _call("delete", path="d"), [_rename("d/a", "x")], [{"x": "one"}])
    ],
    ("`delete` directory d", "`rename` d/a to d/b"): [
        Scenario({"d/a": "one"}, _call("delete", path="d"), [_rename("d/a", "d/b")], [{}, {"d/b": "one"}])
    ],
    ("`rename` directory d to e", "`rename` d/a to d/b"): [
        Scenario(
            {"d/a": "one", "d/c": "c"},
            _MOVE,
            [_rename("d/a", "d/b")],
            [{"e/b": "one", "e/c": "c"}, {"d/b": "one", "e/c": "c"}],
        )
    ],
    ("`rename` directory d to e", "`rename` d/a to e/a"): [Scenario(_D, _MOVE, [_rename("d/a", "e/a")], [_E])],
    ("`rename` x to y", "`str_replace` x and `str_replace` y"): [
        Scenario(
            _X,
            _rename("x", "y"),
            [_replace("x", "of x"), _replace("y", "of y")],
            [{"x": "of x\n", "y": "of y\n"}],
            "Other writers changed .* Nothing is lost",
            before_request="DeleteObject",
        )
    ],
}

# On a server without conditional delete, between A's HEAD and its DELETE.
WEAKER_SCENARIOS: dict[tuple[str, str], list[Scenario]] = {
    ("`delete` x", "`str_replace` x, or `delete` x"): [
        Scenario(_X, _call("delete", path="x"), [_replace("x")], [{}], before_request="DeleteObject"),
        Scenario(_X, _call("delete", path="x"), [_call("delete", path="x")], [{}], before_request="DeleteObject"),
    ],
    ("`rename` x to y", "`str_replace` x"): [
        Scenario(_X, _rename("x", "y"), [_replace("x")], [{"y": "one\n"}], before_request="DeleteObject")
    ],
    ("`rename` x to y", "`delete` x"): [
        Scenario(_X, _rename("x", "y"), [_call("delete", path="x")], [{"y": "one\n"}], before_request="DeleteObject")
    ],
    ("`rename` x to y", "`rename` x to z"): [
        Scenario(
            _X, _rename("x", "y"), [_rename("x", "z")], [{"y": "one\n", "z": "one\n"}], before_request="DeleteObject"
        )
    ],
}


def _parameters(table: dict[tuple[str, str], list[Scenario]]) -> list[Any]:
    return [
        pytest.param(scenario, id=f"{first} | {second}{number or ''}".replace("`", ""))
        for (first, second), scenarios in table.items()
        for number, scenario in enumerate(scenarios)
    ]


@pytest.mark.parametrize(
    ("heading", "table"),
    [("Two clients", SCENARIOS), ("Servers without conditional delete", WEAKER_SCENARIOS)],
    ids=["two clients", "weaker servers"],
)
def test_every_row_of_the_page_has_its_scenarios(heading: str, table: dict[tuple[str, str], list[Scenario]]) -> None:
    assert _rows(heading) == list(table)


@pytest.mark.parametrize("scenario", _parameters(SCENARIOS))
def test_two_clients_end_up_as_the_page_says(
    scenario: Scenario, make_store: MakeStore, s3: S3Client, other_s3: S3Client
) -> None:
    _carry_out(scenario, make_store(s3_client=s3), make_store(s3_client=other_s3), s3)


@pytest.mark.parametrize("scenario", _parameters(WEAKER_SCENARIOS))
def test_two_clients_of_a_weaker_server_end_up_as_the_page_says(
    scenario: Scenario, make_store: MakeStore, s3: S3Client, other_s3: S3Client
) -> None:
    first, second = make_store(s3_client=s3), make_store(s3_client=other_s3)
    for store in (first, second):
        capabilities.record(*store.objects.identity, honoured=False)
    _carry_out(scenario, first, second, s3)


def _carry_out(scenario: Scenario, first: MemoryStore, second: MemoryStore, s3: S3Client) -> None:
    first.key_ring.existing_or_new()
    for name, text in scenario.before.items():
        second.create(MemoryPath(tuple(name.split("/"))), text)
    reports: list[str] = []
    with FaultLayer(s3) as faults:
        faults.hit(
            scenario.before_request,
            other_writer_first(lambda: reports.extend(_reported(second, call) for call in scenario.seconds)),
            nth=scenario.at,
        )
        report = _reported(first, scenario.first)
    assert len(reports) == len(scenario.seconds), "B never came in between"
    assert re.search(scenario.report, report)
    assert all(re.search(scenario.second_report, other) for other in reports)
    assert _texts(second) in scenario.after
    assert list(tree.pending(second)) == []


def _reported(store: MemoryStore, call: Call) -> str:
    if call is REPAIR:
        tree.repair(store)
        return "Successfully repaired"
    try:
        return MemoryCommands(store).call(call)
    except S3MemoryError as error:
        return error.for_model


def _texts(store: MemoryStore) -> dict[str, str]:
    files = [(file.path, store.read(file.path)) for file in store.files.below(MemoryPath())]
    return {"/".join(path.segments): file.text for path, file in files if file is not None}
