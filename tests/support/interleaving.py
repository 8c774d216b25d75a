"""Several clients at once: what they and the server hold afterwards, and which serial orders explain the result."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory.admin.keys.resealing import reseal
from s3memory.errors import S3MemoryError
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath
from s3memory.store import tree
from s3memory.testing.reference import ReferenceMemory, Report
from support.figures import FIGURES
from support.memory_s3 import InMemoryS3
from support.orders import Search, sampled_runs
from support.scheduler import Run
from support.stored import rotate, texts_by_path

ROOT = "/memories"
Call = dict[str, Any]
State = dict[MemoryPath, str]

_wrapper = LocalKeyWrapper(bytes(range(32)))
# Its clock stands still: all orders take longer than keys stay cached, and a strand that loads keys stops the others.
_cache = KeyCache(clock=lambda: 0.0, wall_clock=lambda: 0.0)


def create(path: str, text: str = "new") -> Call:
    return {"command": "create", "path": f"{ROOT}/{path}", "file_text": text}


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


def name(call: Call) -> str:
    return " ".join(str(value).removeprefix(ROOT) or "/" for key, value in call.items() if "_str" not in key)


def names(calls: Iterable[Call]) -> str:
    return " | ".join(map(name, calls))


def path_of(call: Call) -> MemoryPath:
    """Return the path that a command is about: for a rename, its old path; for a repair, the root."""
    return MemoryPath.parse(call.get("path", call.get("old_path", ROOT)))


def new_path_of(call: Call) -> MemoryPath:
    return MemoryPath.parse(call["new_path"])


def written_path(call: Call) -> MemoryPath:
    """Return the path that a create or a rename creates."""
    return new_path_of(call) if call["command"] == "rename" else path_of(call)


def is_everything_run() -> bool:
    """Whether to run every order, however many there are."""
    return os.environ.get("INTERLEAVINGS") == "all"


def seed() -> str:
    """Return the seed from which orders are drawn when not all are run."""
    return os.environ.get("INTERLEAVINGS_SEED", "1")


def commands(client: Any, key_cache: KeyCache = _cache) -> MemoryCommands:
    store = MemoryStore(
        bucket="bucket", tenant="acme", key_wrapper=_wrapper, s3_client=client, key_cache=key_cache, redactor=None
    )
    return MemoryCommands(store)


REPAIR: Call = {"command": "repair"}
RESEAL: Call = {"command": "reseal"}


def work(call: Call) -> Callable[[Any], Report]:
    def run(client: Any) -> Report:
        try:
            if call is REPAIR:
                return Report(", ".join(map(str, tree.repair(commands(client).store))))
            if call is RESEAL:
                # It reads the key ring again, and would hold a lock of the shared cache while it waits for that.
                return Report(str(reseal(commands(client, KeyCache()).store)))
            return Report(commands(client).call(call))
        except S3MemoryError as error:
            return Report(error.for_model, is_error=True)

    return run


def server_with(files: State) -> InMemoryS3:
    server = InMemoryS3()
    for path, text in files.items():
        commands(server.client()).create(str(path), text)
    # Checked before a run, which is identified by its requests: the first client would make one more.
    assert commands(server.client()).store.objects.deletes.reports_missing_by_key(beside="")
    return server


def rotated(server: InMemoryS3) -> InMemoryS3:
    """Add a data key that all clients know from the start."""
    rotate(commands(server.client()).store)
    return server


def state(server: InMemoryS3) -> State:
    """Read every file; everything that is listed must decrypt."""
    return texts_by_path(commands(server.client()).store)


def pending(server: InMemoryS3) -> int:
    """Return the number of announced directory operations."""
    return len(list(tree.pending(commands(server.client()).store)))


def repair(server: InMemoryS3) -> None:
    tree.repair(commands(server.client()).store)


def runs(
    rule: str,
    base: InMemoryS3,
    calls: list[Call],
    *,
    most: int,
    kills: bool = False,
    late: bool = False,
) -> Iterator[Run]:
    """Run every order of the commands' requests; if there are more than the limit, a sample drawn from the seed."""
    works = [work(call) for call in calls]
    found = Search(base, works, kills=kills, late=late).runs()
    first = [] if is_everything_run() else list(itertools.islice(found, most + 1))
    if len(first) <= most:
        for run in itertools.chain(first, found):
            FIGURES[f"interleavings: {rule}: orders that differ"] += 1
            yield run
    else:
        drawn_from = f"{seed()} {names(calls)}"
        for run in sampled_runs(base, works, seed=drawn_from, count=most, kills=kills, late=late):
            FIGURES[f"interleavings: {rule}: orders drawn from INTERLEAVINGS_SEED={seed()}"] += 1
            yield run


def true_reports(memory: ReferenceMemory, call: Call) -> list[Report]:
    """Carry out a command and return its possible reports: if two reasons refuse it, either may be reported."""
    without = memory.copy()
    report = memory.call(call)
    if call["command"] not in {"create", "rename"} or not report.is_error:
        return [report]
    new = written_path(call)
    below = [path for path in without.files if path == new or path.is_below(new)]
    above = [path for path in without.files if new.is_below(path)]
    reports = [report]
    for reason in (below, above):
        memory_without = without.copy()
        for path in reason:
            del memory_without.files[path]
        other = memory_without.call(call)
        if other.is_error:
            reports.append(other)
    return reports


def serial_outcomes(files: State, calls: list[Call]) -> Iterator[tuple[list[list[Report]], State]]:
    """Yield, for each serial order of the commands, what each may report and what is stored in the end."""
    for order in itertools.permutations(range(len(calls))):
        memory = ReferenceMemory(dict(files))
        reports = {number: true_reports(memory, calls[number]) for number in order}
        yield [reports[number] for number in range(len(calls))], memory.files


def is_serial(run: Run, files: State, calls: list[Call]) -> bool:
    """Whether a serial order of the commands explains all reports and what is stored."""
    found = state(run.server)
    return any(
        found == stored and all(report in true for report, true in zip(run.results, reports, strict=True))
        for reports, stored in serial_outcomes(files, calls)
    )


def places(path: MemoryPath, calls: list[Call]) -> set[MemoryPath]:
    """Return the paths where a file may be after some of the moves, in any order."""
    found = {path}
    for _ in calls:
        for call in calls:
            if call["command"] == "rename":
                old, new = path_of(call), new_path_of(call)
                found |= {place.rebased(old, new) for place in found if place == old or place.is_below(old)}
    return found


def assert_no_text_is_lost(run: Run, calls: list[Call], files: State) -> None:
    """Assert that all original, created and edited text is still somewhere, unless a command deletes it."""
    found = list(state(run.server).values())
    reported = [
        call for call, report in zip(calls, run.results, strict=True) if report is not None and not report.is_error
    ]
    may_be_done = [
        call
        for number, (call, report) in enumerate(zip(calls, run.results, strict=True))
        if number == run.killed
        or call in reported
        or (report is not None and "was deleted. A directory" in report.text)
    ]
    made = {path_of(call): call["file_text"] for call in reported if call["command"] == "create"}
    deleted = [path_of(call) for call in may_be_done if call["command"] == "delete"]
    lost = [
        path
        for path, text in [*files.items(), *made.items()]
        if not any(own_line(text) in other.split("\n") for other in found)
    ]
    for path in lost:
        assert any(place == gone or place.is_below(gone) for place in places(path, calls) for gone in deleted), run
    if not any(place.is_below(gone) for file in files for place in places(file, calls) for gone in deleted):
        assert len([path for path in lost if path in files]) <= len(deleted), run  # only files that existed before
    for call in reported:
        mark = {"str_replace": "uno", "insert": "zero"}.get(call["command"], "")
        assert lost or any(mark in text for text in found), run
    known = {own_line(text) for text in [*files.values(), *(call.get("file_text", "") for call in calls)]}
    assert {own_line(text) for text in found} <= known, run


def own_line(text: str) -> str:
    """The line that identifies a text, edited or not."""
    return text.rpartition("\n")[2]
