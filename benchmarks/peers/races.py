"""What the peers are made to do, taking turns in one run. Each race returns wall times in seconds, by peer."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ledger import cost_of, dollars
from wire import WireServer, longest_chain

from peers import PREFIX, ROOT
from peers.process import HERE, LOCAL, PEERS, PeerProcess, cold_session

DELAY_SECONDS = 0.015
ROUNDS = 5
SIZES_BYTES = {"1 kB": 1_000, "100 kB": 100_000}
LINE = "A line of what an agent remembers about its work, of some length.\n"
MANY_FILES = 1_000
WRITERS = 16
INSERTS_A_WRITER = 4
SIDE_BY_SIDE = 32

Times = dict[str, float]
Race = dict[str, Times]
"""Median wall time by what was done and peer."""
Requests = dict[str, dict[str, int]]
"""How many requests each peer made."""


@dataclass(slots=True)
class Session:
    """What a session of ten commands from a cold process came to."""

    seconds: list[float] = field(default_factory=list)
    requests: int = 0
    kms_calls: int = 0
    round_trips: int = 0
    dollars_a_thousand: float = 0.0
    peak_kilobytes: list[int] = field(default_factory=list)


def text_of(size_bytes: int) -> str:
    """Return lines of this size, the first of which is there once."""
    return ("first\n" + LINE * (size_bytes // len(LINE) + 1))[:size_bytes]


def create(path: str, text: str) -> dict[str, Any]:
    """Return the input of a create."""
    return {"command": "create", "path": f"{ROOT}/{path}", "file_text": text}


def view(path: str) -> dict[str, Any]:
    """Return the input of a view."""
    return {"command": "view", "path": f"{ROOT}/{path}"}


def insert(path: str) -> dict[str, Any]:
    """Return the input of an insert."""
    return {"command": "insert", "path": f"{ROOT}/{path}", "insert_line": 1, "insert_text": "inserted"}


def replace(path: str) -> dict[str, Any]:
    """Return the input of a str_replace."""
    return {"command": "str_replace", "path": f"{ROOT}/{path}", "old_str": "first", "new_str": "1st"}


def rename(old: str, new: str) -> dict[str, Any]:
    """Return the input of a rename."""
    return {"command": "rename", "old_path": f"{ROOT}/{old}", "new_path": f"{ROOT}/{new}"}


def delete(path: str) -> dict[str, Any]:
    """Return the input of a delete."""
    return {"command": "delete", "path": f"{ROOT}/{path}"}


def six_commands(directory: str, name: str, text: str) -> dict[str, dict[str, Any]]:
    """Return the inputs of each command, from a file's creation to its deletion."""
    path, other = f"{directory}/{name}.md", f"{directory}/{name}-renamed.md"
    return {
        "create": create(path, text),
        "view": view(path),
        "str_replace": replace(path),
        "insert": insert(path),
        "view of the directory": view(directory),
        "rename": rename(path, other),
        "delete": delete(other),
    }


def in_turns(
    processes: Iterable[PeerProcess], rounds: int, measure: Callable[[PeerProcess, int], dict[str, float]]
) -> Race:
    """Let each process do the same, and again so many rounds. Return medians."""
    taken: dict[str, dict[str, list[float]]] = {}
    for number in range(rounds):
        for process in processes:
            for what, seconds in measure(process, number).items():
                taken.setdefault(what, {}).setdefault(process.peer.name, []).append(seconds)
    return {
        what: {peer: statistics.median(seconds) for peer, seconds in by_peer.items()} for what, by_peer in taken.items()
    }


def commands(processes: list[PeerProcess], size: str) -> Race:
    """Each command on a file of this size, in a directory of two."""
    text = text_of(SIZES_BYTES[size] - 100)  # room for what is inserted
    label = size.replace(" ", "")

    def measure(process: PeerProcess, number: int) -> dict[str, float]:
        calls = six_commands(f"commands/{label}", f"{number}", text)
        outcome = process.run(list(calls.values()))
        return {f"{what}, {size}": seconds for what, (_, _, seconds) in zip(calls, outcome.results[0], strict=True)}

    for process in processes:
        process.run([create(f"commands/{label}/stays.md", text)])
        measure(process, -1)  # connections, key ring, imports
    return in_turns(processes, ROUNDS, measure)


def round_trips(server: WireServer, processes: list[PeerProcess]) -> Requests:
    """Count the sequential round trips of each command in a warm process: the least of three, see `longest_chain`."""
    counts: Requests = {}
    for process in processes:
        for number in range(3):
            for what, call in six_commands("trips", f"{number}", text_of(1_000)).items():
                server.take_record()
                process.run([call])
                count = longest_chain(server.take_record())
                by_peer = counts.setdefault(what, {})
                by_peer[process.peer.name] = min(count, by_peer.get(process.peer.name, count))
    return counts


def sessions(server: WireServer) -> dict[str, Session]:
    """Ten commands from a process that is started for them."""
    outcomes: dict[str, Session] = {peer.name: Session() for peer in PEERS}
    for number in range(3):
        for peer in PEERS:
            path = f"session/{number}.md"
            calls = [
                {"command": "view", "path": ROOT},
                create(path, text_of(1_000)),
                view(path),
                replace(path),
                insert(path),
                view("session"),
                create(f"session/{number}-other.md", text_of(1_000)),
                insert(f"session/{number}-other.md"),
                view(f"session/{number}-other.md"),
                view(path),
            ]
            server.take_record()
            seconds, peak_kilobytes = cold_session(peer, server, calls)
            cost = cost_of(server.take_record())
            session = outcomes[peer.name]
            session.seconds.append(seconds)
            session.peak_kilobytes.append(peak_kilobytes)
            session.requests, session.round_trips = cost.operations.total(), cost.round_trips
            session.kms_calls = sum(cost.operations[name] for name in ("Decrypt", "Encrypt", "GenerateDataKey"))
            session.dollars_a_thousand = 1_000 * dollars(cost.operations)
    return outcomes


def directory_views(server: WireServer, processes: list[PeerProcess]) -> Iterator[tuple[Race, Requests]]:
    """View a directory over more and more objects: flat, and as a hundred directories."""
    requests: Requests = {}
    remote = [process for process in processes if process.peer.name != LOCAL]
    for count, rounds in ((100, 3), (10_000, 3), (100_000, 1)):
        for shape, directories in (("flat", 0), ("in directories", min(100, count // 10))):
            top = f"views/{shape.replace(' ', '-')}-{count}"
            names = [
                f"{number % directories:03}/{number:06}.md" if directories else f"{number:06}.md"
                for number in range(count)
            ]
            for process in remote:
                server.fill(process.peer.bucket, [f"{PREFIX}{top}/{name}" for name in names], size_bytes=1_000)
            what = f"view of {count:,} objects, {shape}"

            def measure(process: PeerProcess, _: int, top: str = top, what: str = what) -> dict[str, float]:
                server.take_record()
                seconds = process.run([view(top)]).seconds
                requests.setdefault(what, {})[process.peer.name] = len(server.take_record())
                return {what: seconds}

            yield in_turns(remote, rounds, measure), requests


def directories(server: WireServer, processes: list[PeerProcess]) -> Iterator[tuple[Race, Requests]]:
    """Rename and delete a directory of many files, once."""
    requests: Requests = {}
    batches = [
        [create(f"many/{number:04}.md", text_of(1_000)) for number in range(first, MANY_FILES, WRITERS)]
        for first in range(WRITERS)
    ]
    server.delay(0)
    for process in processes:
        process.run(*batches, how="threads")
    server.delay(DELAY_SECONDS)

    def measure(process: PeerProcess, _: int) -> dict[str, float]:
        taken = {}
        for what, call in (("rename", rename("many", "moved")), ("delete", delete("moved"))):
            server.take_record()
            taken[named := f"{what} of a directory of {MANY_FILES:,} files"] = process.run([call]).seconds
            requests.setdefault(named, {})[process.peer.name] = len(server.take_record())
            if what == "rename":
                process.run([view(f"moved/{MANY_FILES - 1:04}.md")])  # fails where it is not there
        return taken

    yield in_turns(processes, 1, measure), requests


def bare_copies(server: WireServer) -> float:
    """Return the wall time in seconds of a GET and a PUT of each file by bare boto3: see `bare_moves`."""
    bucket, taken = "bench-bare", []
    server.fill(bucket, [f"old/{number:04}.md" for number in range(MANY_FILES)], size_bytes=1_100)
    for number in range(3):
        done = subprocess.run(  # noqa: S603 - this interpreter, our program
            [sys.executable, str(HERE.parent / "bare_moves.py"), "old/", f"new-{number}/"],
            env={**server.environment, "BENCH_BUCKET": bucket, "PATH": os.defpath},
            capture_output=True,
            text=True,
            check=True,
        )
        taken.append(float(done.stdout))
    return statistics.median(taken)


def side_by_side(processes: list[PeerProcess]) -> Race:
    """Writers on separate files in threads, and commands awaited at once."""

    def measure(process: PeerProcess, number: int) -> dict[str, float]:
        paths = [f"writers/{number}/{writer}.md" for writer in range(SIDE_BY_SIDE)]
        process.run([create(path, "x\ny") for path in paths])
        inserts = [[insert(path)] * INSERTS_A_WRITER for path in paths[:WRITERS]]
        writing = process.run(*inserts, how="threads").seconds
        awaited = process.run(*([view(path)] for path in paths), how="async").seconds
        shown = process.run([view(path) for path in paths[:WRITERS]])
        lost = sum(text.count("inserted") != INSERTS_A_WRITER for text, _, _ in shown.results[0])
        if lost:
            raise RuntimeError(f"{process.peer.title} lost inserts in {lost} files")
        return {
            f"{WRITERS} writers, {INSERTS_A_WRITER} inserts each, separate files": writing,
            f"async, {SIDE_BY_SIDE} views at once": awaited,
        }

    return in_turns(processes, 3, measure)
