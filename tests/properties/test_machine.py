"""The state machines: thousands of steps against this package, and deliberate bugs that they must find."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test
from support.figures import FIGURES
from support.machine import S3MemoryMachine, S3Place, s3_memory_machine
from support.machine.bucket_rules import Garbage
from support.machine.others import Encounter, Meeting
from support.memory_s3 import InMemoryS3
from support.mutants import Mutant

from s3memory.format.names import NAME_MODES, PLAIN
from s3memory.keys.tenant_keys import TenantKeys
from s3memory.paths import ROOT, MemoryPath
from s3memory.s3.bucket import Bucket
from s3memory.s3.deletes import ConditionalDeletes
from s3memory.store import directories, moving, tree
from s3memory.store.sealing import TextSealer
from s3memory.testing.machine import MemoryMachine, memory_machine
from s3memory.testing.machine.model import ToolInput
from s3memory.testing.reference import ReferenceMemory

_STEPS_EACH = 50
_EXAMPLES = int(os.environ.get("MACHINE_EXAMPLES", "100"))
# The suite draws the same examples each time; the long run, and MACHINE_SEED=random, draw new ones.
_SEED = None if os.environ.get("MACHINE_SEED") == "random" else int(os.environ.get("MACHINE_SEED", "1"))


def _machine(name_mode: str) -> type[S3MemoryMachine]:
    return s3_memory_machine(lambda: S3Place(InMemoryS3().client(), "bucket"), name_mode=name_mode)


# Shrinking a failing example takes minutes: the long run does it, the suite prints the example as it was found.
_PHASES = tuple(Phase) if "MACHINE_SHRINK" in os.environ else (Phase.explicit, Phase.generate)


def _run(
    machine: type[MemoryMachine],
    *,
    examples: int,
    phases: tuple[Phase, ...] = _PHASES,
    report_multiple_bugs: bool = True,
) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=_STEPS_EACH,
            phases=phases,
            database=None,
            print_blob=True,
            report_multiple_bugs=report_multiple_bugs,
        ),
    )


@pytest.mark.parametrize("name_mode", NAME_MODES)
def test_whatever_happens_the_memory_matches_the_reference_or_reports_what_it_did(name_mode: str) -> None:
    machine = _machine(name_mode)
    if _SEED is not None:
        machine = seed(_SEED + NAME_MODES.index(name_mode))(machine)
    _run(machine, examples=_EXAMPLES)
    FIGURES[f"machine: steps with {name_mode} names"] += machine.steps.total()
    FIGURES.update({f"machine: {event}": count for event, count in machine.events.items()})
    assert machine.steps.total() >= _EXAMPLES * _STEPS_EACH * 0.7
    # A quarter of the usual number, or less: a machine whose rules never apply finds nothing.
    counts = machine.steps + machine.events
    too_few = {name: counts[name] for name, least in AT_LEAST.items() if counts[name] * 90 < least * _EXAMPLES}
    assert not too_few


def overtake_a_rename(other: ToolInput, *, at: int) -> None:
    """Rename a directory ``w`` to ``d``, with another client's command before one of its requests."""
    machine = _machine(PLAIN)()
    machine.begin(files={"/memories/w/a": "y", "/memories/w/s/a": ""})
    rename = {"command": "rename", "old_path": "/memories/w", "new_path": "/memories/d"}
    encounter = Encounter(client=0, calls=[rename], aim=0, others=[other], meeting=Meeting.ANY, pick=0, at=at)
    machine.directory_overtaken(encounters=[encounter])
    machine.teardown()


@pytest.mark.parametrize("at", range(2, 15))
@pytest.mark.parametrize("taken", [{"command": "delete"}, {"command": "rename", "new_path": "/memories/z"}])
def test_a_copy_that_is_removed_during_its_directorys_rename_is_not_a_loss(at: int, taken: ToolInput) -> None:
    path = "old_path" if taken["command"] == "rename" else "path"
    overtake_a_rename({**taken, path: "/memories/d/a"}, at=at)


IN_THE_WAY = {"command": "create", "path": "/memories/d/s/a", "file_text": "in the way"}


@pytest.mark.parametrize("at", range(2, 15))
def test_a_directorys_rename_that_another_file_stops_leaves_no_copies(at: int) -> None:
    overtake_a_rename(IN_THE_WAY, at=at)


def test_copies_that_such_a_rename_leaves_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    undone = "each(partial(moving.undo, store), [one for one in copied if not one.adopted])"
    mutant = Mutant("copies left", directories, "_copied_or_undone", undone, "[True] * len(copied)")
    mutant.put_into(monkeypatch)
    with pytest.raises(AssertionError, match="explains it"):
        overtake_a_rename(IN_THE_WAY, at=8)


@pytest.mark.parametrize("name", ["d", "d.md"])
@pytest.mark.parametrize("below", Garbage)
def test_only_the_file_is_deleted_whatever_is_stored_below_its_name(below: Garbage, name: str) -> None:
    machine = _machine(PLAIN)()
    machine.begin(files={f"{ROOT}/{name}": "text"})
    machine.tamper(call={"path": f"{ROOT}/{name}/a"}, garbage=below, pick=0)
    delete = {"command": "delete", "path": f"{ROOT}/{name}"}
    machine.command(0, delete)
    machine.command(0, delete)
    machine.teardown()


# Per 90 examples.
AT_LEAST = {
    "done: create": 200,
    "done: str_replace": 4,
    "done: insert": 10,
    "done: delete": 50,
    "done: rename": 15,
    "refused": 200,
    "overtaken": 80,
    "overtaken, and both were done": 10,
    "directory crash left an intent": 15,
    "edited between crash and end": 10,
    "left half done": 8,
    "repaired": 8,
    "finished by the same command": 3,
    "in trouble: Nothing was changed": 15,
    "in trouble: begun": 1,
    "written after a rotation": 3,
    "command interrupted": 10,
    "forge": 10,
}


MUTANTS = [
    Mutant("an edit without If-Match", Bucket, "put", '{"IfMatch": over}', "{}", seed=1),
    Mutant("a deletion without If-Match", ConditionalDeletes, "one", ", IfMatch=etag)", ")"),
    Mutant("a copy without If-None-Match", Bucket, "put", '{"IfNoneMatch": "*"}', "{}"),
    Mutant(
        "a rename's intent removed before its end",
        directories,
        "rename_directory",
        "_move_all(store, stored, files, ",
        "intents.finish(store, stored) or _move_all(store, stored, files, ",
    ),
    Mutant(
        "a deletion announced without its files",
        directories,
        "delete_directory",
        "etags.values())",
        "[])",
    ),
    Mutant(
        "a repair that moves what was written since",
        directories,
        "carry_out",
        " if file.listed.object_key in etags]",
        "]",
        seed=1,
    ),
    Mutant(
        "a repair that deletes what was written since",
        directories,
        "_announced",
        ".items() if etag in stored.etags}",
        ".items()}",
        seed=1,
    ),
    Mutant(
        "a changed source taken for one that is gone",
        moving,
        "delete_source",
        "None if deletion is Deletion.MISSING else store.read(copied.source.path)",
        "None",
    ),
    Mutant(
        "a copy adopted whatever its text",
        moving,
        "copy_or_adopt",
        " or found.text != store.texts.redact(source.text, path, read_with=source.ring).text:",
        ":",
    ),
    Mutant("a copy left when its source is gone", moving, "delete_source", " or not undo(store, copied) else", " else"),
    Mutant(
        "a copy taken back that somebody changed",
        moving,
        "delete_source",
        "Move.TAKEN if copied.adopted or not undo(store, copied) else Move.GONE",
        "(undo(store, copied), Move.GONE)[1]",
        seed=2,
    ),
    Mutant("an adopted copy taken back", moving, "delete_source", "copied.adopted or not", "not", seed=2),
    Mutant(
        "a file above the destination overlooked",
        tree,
        "rename",
        "if obstacle is not None and obstacle !=",
        "if obstacle !=",
    ),
    Mutant(
        "a write under the oldest data key",
        TextSealer,
        "seal",
        "ring.newest",
        "self.keys.data_key(ring, ring.ring.oldest.generation)",
    ),
    Mutant("a newer data key not looked for", TenantKeys, "_found_data_key", "self.cached, self.refreshed", ""),
    Mutant(
        "a missing key ring taken for none",
        TenantKeys,
        "_existing",
        "stored = self._stored_or_missing()",
        "return None",
    ),
]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mistake_in_the_package_is_found(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant.put_into(monkeypatch)
    machine = seed(mutant.seed)(_machine(PLAIN))
    with pytest.raises(AssertionError):
        _run(machine, examples=300, phases=(Phase.generate,), report_multiple_bugs=False)


class _Shared:
    """The reference itself as a backend: all clients see the same files."""

    def __init__(self, *, forgets: bool = False) -> None:
        self._memory = ReferenceMemory()
        self._forgets = forgets

    def client(self) -> _Shared:
        return self

    def call(self, tool_input: dict[str, Any], /) -> tuple[str, bool]:
        report = self._memory.call(tool_input)
        if self._forgets and tool_input["command"] == "rename" and not report.is_error:
            self._memory.files.pop(MemoryPath.parse(tool_input["new_path"]), None)
        return report.text, report.is_error

    def files(self) -> Mapping[str, str]:
        return {str(path): text for path, text in self._memory.files.items()}


def test_the_machine_for_any_memory_accepts_a_correct_one() -> None:
    machine = memory_machine(_Shared)
    _run(machine, examples=20)
    assert machine.steps.total() > 500


def test_the_machine_for_any_memory_detects_one_that_forgets() -> None:
    with pytest.raises(AssertionError, match="not what the reference does"):
        _run(memory_machine(lambda: _Shared(forgets=True)), examples=300)
