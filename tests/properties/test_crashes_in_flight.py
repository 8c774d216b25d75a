"""A process that carries out several commands at once is killed while its requests are in flight.

As in `test_crashes`, processes, kills and server are real. Here nothing waits: when the process dies, several requests
have been sent and none answered, and the network decides which of them reach the server. The result must satisfy the
rules of one command, for each of them; and what was reported before the kill must be stored.

A seed determines what is sent, and from which request on the process is killed: ``CRASH_SEEDS=200`` runs more of them,
``CRASH_SEED=7`` only that one. One seed can end in different states, because it does not control the network.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from support.crashed import Crasher, Leftovers, Texts, pending, running, set_up, started_on
from support.crashing import IN_FLIGHT, NEVER, ROOT, TOGETHER, Form, Outcome, Point, carried_out
from support.figures import FIGURES
from support.memory_s3 import InMemoryS3
from support.relay import Relay
from support.stored import texts_by_path

from s3memory import MemoryStore
from s3memory.format.names import NAME_MODES
from s3memory.paths import MemoryPath
from s3memory.store import tree
from s3memory.store.intents import DELETE, RENAME
from s3memory.testing import MotoServer
from s3memory.testing.reference import ReferenceMemory

EDITS = {"str_replace", "insert"}


def seeds() -> list[int]:
    one = os.environ.get("CRASH_SEED")
    return [int(one)] if one is not None else list(range(int(os.environ.get("CRASH_SEEDS", "10"))))


@pytest.fixture(scope="module")
def relay(moto_server: MotoServer) -> Iterator[Relay]:
    with Relay(moto_server.endpoint_url) as relay:
        yield relay


@pytest.fixture(scope="module")
def crasher(moto_server: MotoServer, relay: Relay) -> Iterator[Crasher]:
    with running({**moto_server.environment, "S3MEMORY_ENDPOINT_URL": relay.endpoint_url}) as crasher:
        yield crasher


def before(form: Form) -> Texts:
    return {MemoryPath.parse(path): text for path, text in form.files.items()}


def after(form: Form, calls: list[dict[str, Any]]) -> Texts:
    """What is stored after some of the calls were carried out, in this order."""
    memory = ReferenceMemory(before(form))
    for call in calls:
        memory.call(call)
    return memory.files


def part(files: Texts, paths: set[MemoryPath]) -> Texts:
    return {path: text for path, text in files.items() if path in paths}


def paths_of(form: Form, call: dict[str, Any]) -> set[MemoryPath]:
    """The files that a call changes."""
    old, new = before(form), after(form, [call])
    return {path for path in {*old, *new} if old.get(path) != new.get(path)}


def is_about_a_directory(form: Form, call: dict[str, Any]) -> bool:
    return call["command"] in {"rename", "delete"} and call.get("path", call.get("old_path")) not in form.files


def assert_each_command_is_done_or_not_or_half_done(form: Form, found: Texts, outcome: Outcome) -> None:
    """Reported commands are done; each other is done, not done, or at both places; and there is nothing else."""
    explained: set[MemoryPath] = set()
    edits = [(number, call) for number, call in enumerate(form.calls) if call["command"] in EDITS]
    for number, call in enumerate(form.calls):
        paths = paths_of(form, call)
        explained |= paths
        start, end, now = part(before(form), paths), part(after(form, [call]), paths), part(found, paths)
        if call["command"] in EDITS:
            assert any(
                now == part(after(form, list(done)), paths)
                for done in some_of([call for _, call in edits], [call for n, call in edits if n in outcome.reports])
            ), call
        elif number in outcome.reports:
            assert not outcome.reports[number].is_error, outcome.reports[number]
            assert now == end, call
        elif call["command"] == "delete":
            assert now.items() <= start.items(), call
        else:
            assert now.items() >= start.items() or now.items() >= end.items(), call
            assert now.items() <= start.items() | end.items(), call
    rest = {*before(form), *found} - explained
    assert part(found, rest) == part(before(form), rest)


def some_of(calls: list[dict[str, Any]], reported: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], ...]]:
    """Yield all subsets of the calls that include the reported ones."""
    for count in range(len(calls) + 1):
        for done in itertools.combinations(calls, count):
            if all(call in done for call in reported):
                yield done


def assert_others_go_on(store: MemoryStore) -> None:
    """Other commands find exactly what is visible, and can change it."""
    memory = ReferenceMemory(texts_by_path(store))
    visible = [MemoryPath(), *memory.files, *{above for path in memory.files for above in path.ancestors()}]
    calls: list[dict[str, Any]] = [
        *({"command": "view", "path": str(path)} for path in visible),
        {"command": "create", "path": f"{ROOT}/unrelated/file", "file_text": "unrelated\n"},
        {"command": "rename", "old_path": f"{ROOT}/unrelated", "new_path": f"{ROOT}/elsewhere"},
        {"command": "delete", "path": f"{ROOT}/elsewhere"},
    ]
    for call in calls:
        assert carried_out(call, store) == memory.call(call)
    assert texts_by_path(store) == memory.files


def assert_the_same_commands_end_it(form: Form, store: MemoryStore) -> None:
    """The same commands finish the work, except for edits, which would be made twice."""
    calls = [call for call in form.calls if call["command"] not in EDITS]
    for call in calls:
        paths = paths_of(form, call)
        end = part(after(form, [call]), paths)
        was_over = part(texts_by_path(store), paths) == end
        report = carried_out(call, store)
        assert report == ReferenceMemory(before(form)).call(call) or was_over, report
        assert part(texts_by_path(store), paths) == end, call
    assert pending(store) == []


def assert_repair_ends_it(form: Form, store: MemoryStore) -> None:
    """Repair finishes the commands that announced themselves, and leaves the others where they are."""
    found, unfinished = texts_by_path(store), pending(store)
    assert sorted(map(str, tree.repair(store))) == sorted(map(str, unfinished))
    repaired = texts_by_path(store)
    assert pending(store) == []
    about = {RENAME: ("old_path", "new_path"), DELETE: ("path", "path")}
    for call in form.calls:
        paths = paths_of(form, call)
        is_announced = is_about_a_directory(form, call) and any(
            [str(intent.path), str(intent.new_path)] == [call[name] for name in about[intent.operation] if name in call]
            for intent in unfinished
        )
        assert part(repaired, paths) == part(after(form, [call]) if is_announced else found, paths), call


def hold_to_the_rules(form: Form, point: Point, outcome: Outcome, left: InMemoryS3) -> None:
    assert_each_command_is_done_or_not_or_half_done(form, texts_by_path(started_on(left, point)), outcome)
    assert_others_go_on(started_on(left, point))
    assert_the_same_commands_end_it(form, started_on(left, point))
    assert_repair_ends_it(form, started_on(left, point))


@pytest.mark.parametrize("name", TOGETHER)
def test_a_process_killed_with_requests_in_flight_loses_nothing_that_was_stored_or_reported(
    moto_server: MotoServer, relay: Relay, crasher: Crasher, subtests: pytest.Subtests, name: str
) -> None:
    form = TOGETHER[name]
    leftovers = Leftovers(moto_server.s3_client)
    least_kills = 0
    for seed in seeds():
        drawn = random.Random(f"{name} {seed}")  # noqa: S311 - a place in a command, no secret
        bucket = f"{name}-{seed}".replace(" ", "-")
        moto_server.make_bucket(bucket, versioned=False)
        point = Point(
            form=name,
            name_mode=drawn.choice(NAME_MODES),
            bucket=bucket,
            prefix="in-flight/",
            request=drawn.randint(2, form.least_requests),
            moment=IN_FLIGHT,
        )
        set_up([point], moto_server)
        passed_on = relay.drain()
        crasher.ask(point)
        outcome = crasher.answer(point)
        passed_on = relay.drain() - passed_on
        with subtests.test(f"CRASH_SEED={seed}, {point}: {' '.join(outcome.requests)}"):
            hold_to_the_rules(form, point, outcome, leftovers.copied(point))
            if outcome.exit_code == 0:  # from that request on, no others were in flight
                assert len(outcome.reports) == len(form.calls)
                continue
            assert outcome.exit_code == -signal.SIGKILL
            answered = len(outcome.requests) - 1 - outcome.unanswered
            FIGURES["crashes in flight: kills"] += 1
            FIGURES["crashes in flight: requests in flight"] += outcome.unanswered
            FIGURES["crashes in flight: of these carried out"] += passed_on - answered
            FIGURES["crashes in flight: commands reported before"] += len(outcome.reports)
            least_kills += 1
    assert least_kills >= 0.7 * len(seeds())


@pytest.mark.parametrize("name", TOGETHER)
def test_simultaneous_commands_are_all_done_if_nobody_kills_the_process(
    moto_server: MotoServer, relay: Relay, crasher: Crasher, name: str
) -> None:
    form = TOGETHER[name]
    bucket = f"{name}-alive".replace(" ", "-")
    moto_server.make_bucket(bucket, versioned=False)
    point = Point(form=name, name_mode=NAME_MODES[0], bucket=bucket, prefix="alive/", request=NEVER, moment=IN_FLIGHT)
    set_up([point], moto_server)
    crasher.ask(point)
    outcome = crasher.answer(point)
    relay.drain()
    assert outcome.exit_code == 0
    assert len(outcome.requests) >= form.least_requests
    assert texts_by_path(started_on(Leftovers(moto_server.s3_client).copied(point), point)) == after(form, form.calls)
    assert not any(report.is_error for report in outcome.reports.values())
