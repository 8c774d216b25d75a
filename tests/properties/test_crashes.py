"""A process that is killed at any of its S3 requests loses no text, blocks nobody, and its work can be finished.

The processes, the kills and the server are real (see `crashing`). What a killed process left is read from the server,
object by object, and checked against the rules on copies in memory, so that each rule finds it untouched. Leftovers
that are identical to earlier ones are not checked again. The reference model defines what is right.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from support.crashed import Crasher, Leftovers, Texts, pending, running, set_up, started_on
from support.crashing import AFTER, BEFORE, FORMS, NEVER, ROOT, Form, Point, carried_out
from support.figures import FIGURES
from support.memory_s3 import InMemoryS3
from support.stored import texts_by_path

from s3memory import MemoryStore
from s3memory.contract import inputs
from s3memory.format.names import NAME_MODES, PLAIN
from s3memory.paths import MemoryPath
from s3memory.store import tree
from s3memory.testing import MotoServer
from s3memory.testing.reference import ReferenceMemory, Report

# The name mode matters if several objects are written, listed or moved.
IN_BOTH_NAME_MODES = {
    "create the first file",
    "rename a file",
    "delete a directory",
    "rename a directory",
}
# Also finished on the server, by a separate process.
FINISHED_ON_THE_SERVER = {("delete a directory", PLAIN), ("rename a directory", PLAIN)}
CASES = [
    (form, name_mode) for form in FORMS for name_mode in NAME_MODES if name_mode == PLAIN or form in IN_BOTH_NAME_MODES
]
LEAST_POINTS = 230


@pytest.fixture(scope="module")
def crasher(moto_server: MotoServer) -> Iterator[Crasher]:
    with running(moto_server.environment) as crasher:
        yield crasher


def expected(form: Form, times: int) -> tuple[Report | None, Texts]:
    """The command's report, and what is stored after it was carried out `times` times."""
    memory = ReferenceMemory({MemoryPath.parse(path): text for path, text in form.files.items()})
    report = None
    for _ in range(times):
        report = memory.call(form.call)
    return report, memory.files


def assert_no_text_is_lost(form: Form, found: Texts) -> None:
    """All files are in their old state, or all in their new state; apart from that, only parts of the other state."""
    (_, before), (_, after) = expected(form, 0), expected(form, 1)
    assert before.items() <= found.items() or after.items() <= found.items()
    assert found.items() <= before.items() | after.items()


def assert_the_same_command_ends_it(form: Form, store: MemoryStore) -> None:
    """It reports success; if the first one had done everything, including the intent, it reports as a repetition."""
    is_over = texts_by_path(store) == expected(form, 1)[1] and not pending(store)
    report = carried_out(form.call, store)
    assert (report, texts_by_path(store)) == expected(form, 2 if is_over else 1)
    assert pending(store) == []


def assert_repair_ends_it(form: Form, store: MemoryStore) -> None:
    unfinished = pending(store)
    found = texts_by_path(store)
    assert unfinished in ([], [form.intent])
    assert tree.repair(store) == unfinished
    assert texts_by_path(store) == (expected(form, 1)[1] if unfinished else found)
    assert pending(store) == []


def assert_others_go_on(store: MemoryStore) -> None:
    """Other commands find exactly what is visible, and a repair afterwards leaves their work alone."""
    memory = ReferenceMemory(texts_by_path(store))
    visible = [MemoryPath(), MemoryPath(("d",)), MemoryPath(("w", "e")), *memory.files]
    late, edited = MemoryPath(("d", "late")), MemoryPath(("d", "a"))
    calls: list[dict[str, Any]] = [
        *({"command": "view", "path": str(path)} for path in visible),
        {"command": "create", "path": f"{ROOT}/unrelated/file", "file_text": "unrelated\n"},
        {"command": "create", "path": str(late), "file_text": "late\n"},
        {"command": "insert", "path": str(edited), "insert_line": 0, "insert_text": "edited"},
        {"command": "rename", "old_path": f"{ROOT}/unrelated", "new_path": f"{ROOT}/moved"},
        {"command": "delete", "path": f"{ROOT}/bystander"},
    ]
    for call in calls:
        assert carried_out(call, store) == memory.call(call)
    assert texts_by_path(store) == memory.files
    tree.repair(store)
    theirs = {
        path: memory.files[path] for path in (late, edited, MemoryPath(("moved", "file"))) if path in memory.files
    }
    assert theirs.items() <= texts_by_path(store).items()
    assert pending(store) == []


def hold_to_the_rules(form: Form, point: Point, left: InMemoryS3) -> None:
    assert_no_text_is_lost(form, texts_by_path(started_on(left, point)))
    assert_others_go_on(started_on(left, point))
    assert_the_same_command_ends_it(form, started_on(left, point))
    assert_repair_ends_it(form, started_on(left, point))


def points_of(alive: Point, requests: int) -> list[Point]:
    """Every point of a command that makes this many requests, each with its own memory."""
    return [
        replace(alive, prefix=f"{moment}-{request}/", request=request, moment=moment)
        for request in range(1, requests + 1)
        for moment in (BEFORE, AFTER)
    ]


@pytest.mark.parametrize(("name", "name_mode"), CASES, ids=lambda value: value.replace(" ", "-"))
def test_a_process_killed_at_any_request_loses_no_text_blocks_nobody_and_its_work_can_be_finished(
    moto_server: MotoServer, crasher: Crasher, subtests: pytest.Subtests, name: str, name_mode: str
) -> None:
    form = FORMS[name]
    bucket = f"{name}-{name_mode}".replace(" ", "-").replace("_", "-")
    moto_server.make_bucket(bucket, versioned=False)
    leftovers = Leftovers(moto_server.s3_client)
    alive = Point(form=name, name_mode=name_mode, bucket=bucket, prefix="alive/")
    set_up([alive], moto_server)
    crasher.ask(alive)
    whole = crasher.answer(alive)
    report, files = expected(form, 1)
    assert whole.report == (Report(str(form.intent)) if form.is_repair else report)
    assert texts_by_path(started_on(leftovers.copied(alive), alive)) == files
    assert len(whole.requests) >= form.least_requests

    points = points_of(alive, len(whole.requests))
    set_up(points, moto_server)
    crasher.ask(*points)
    held: set[frozenset[tuple[str, str]]] = set()
    for point in points:
        outcome = crasher.answer(point)
        with subtests.test(f"{point}: {' '.join(outcome.requests)}"):
            assert outcome.exit_code == -signal.SIGKILL
            assert len(outcome.requests) == point.request
            listed = leftovers.listed(point)
            if listed not in held:
                hold_to_the_rules(form, point, leftovers.copied(point))
                held.add(listed)
            FIGURES["crashes: points"] += 1

    finished = [replace(point, request=NEVER) for point in points if point.moment == AFTER]
    if (name, name_mode) not in FINISHED_ON_THE_SERVER:
        return
    crasher.ask(*finished)
    for point in finished:
        outcome = crasher.answer(point)
        with subtests.test(f"{point}, on what was left at {point.prefix}"):
            store = started_on(leftovers.copied(point), point)
            assert (outcome.report, texts_by_path(store)) in [expected(form, 1), expected(form, 2)]
            assert pending(store) == []
            FIGURES["crashes: points, finished by another process"] += 1


def test_every_command_is_killed() -> None:
    assert {form.call["command"] for form in FORMS.values()} == set(inputs.COMMANDS)
    assert sum(2 * FORMS[name].least_requests for name, _ in CASES) >= LEAST_POINTS
