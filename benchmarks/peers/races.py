"""Races between the peers, which take turns in one run. Each race returns wall times in seconds, round by round."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypedDict

from latencies import BOTH, BY_OPERATION
from ledger import cost_of, dollars
from note import NOTE
from wire import WireServer, longest_chain

from peers import PREFIX, ROOT
from peers.process import HERE, LOCAL, OURS, PEERS, PeerProcess, cold_session

ROUNDS = 7
LONG_ROUNDS = 3
"""Rounds for the rename of a directory."""
LONG_SECONDS = 10.0
"""A peer whose round takes longer is timed only once."""
COUNTING_DELAY_SECONDS = 0.05
"""Much longer than a client needs to send parallel requests."""
BARE = "bare boto3"
SIZES_BYTES = {"1 kB": 1_000, "100 kB": 100_000}
MANY_FILES = 1_000
WRITERS = 16
INSERTS_A_WRITER = 4
SIDE_BY_SIDE = 32

Race = dict[str, dict[str, list[float]]]
"""Wall times in seconds of each round, by command and peer."""
Counts = dict[str, dict[str, int]]
"""Counts by command and peer."""


class Session(TypedDict):
    """The costs of a session of ten commands from a cold process."""

    requests: int
    kms_calls: int
    round_trips: int
    dollars_a_thousand: float
    peak_kilobytes: list[int]


def text_of(size_bytes: int, about: str) -> str:
    """Return notes of this size. Their first line occurs once; a new subject in `about` makes a new text."""
    days = size_bytes // len(NOTE) + 1
    notes = "line 1\n" + "".join(f"\n# Day {day} of {about}\n\n{NOTE}" for day in range(1, days + 1))
    return notes[: size_bytes - 1] + "\n"


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
    return {"command": "str_replace", "path": f"{ROOT}/{path}", "old_str": "line 1", "new_str": "line one"}


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
    processes: Iterable[PeerProcess], measure: Callable[[PeerProcess, int], dict[str, float]], *, rounds: int = ROUNDS
) -> Race:
    """Measure all processes in turns, for this many rounds. Each round starts with a different process."""
    order, taken = list(processes), Race()
    slow: set[str] = set()
    for number in range(rounds):
        for process in order[number % len(order) :] + order[: number % len(order)]:
            if process.peer.name in slow:
                continue
            outcome = measure(process, number)
            for what, seconds in outcome.items():
                taken.setdefault(what, {}).setdefault(process.peer.name, []).append(round(seconds, 5))
            if max(outcome.values()) > LONG_SECONDS:
                slow.add(process.peer.name)
    return taken


def commands(server: WireServer, processes: list[PeerProcess], size: str) -> dict[str, Race]:
    """Time each command on a file of this size, in a directory of two files. Return a race by the name of latencies."""
    size_bytes = SIZES_BYTES[size] - 100  # leaves room for inserted text
    label, rounds = size.replace(" ", ""), itertools.count()

    def measure(process: PeerProcess, number: int) -> dict[str, float]:
        about = f"round {next(rounds)}"
        calls = six_commands(f"commands/{label}", f"{number}", text_of(size_bytes, about))
        outcome = process.run(list(calls.values()))
        return {f"{what}, {size}": seconds for what, (_, _, seconds) in zip(calls, outcome.results[0], strict=True)}

    server.delay(0)
    for process in processes:
        process.run([create(f"commands/{label}/stays.md", text_of(size_bytes, "what stays"))])
        measure(process, -1)  # warms connections, key ring and imports
    races = {}
    for latencies in BOTH:
        server.delay(latencies.seconds)
        races[latencies.name] = in_turns(processes, measure)
    return races


def round_trips(server: WireServer, processes: list[PeerProcess]) -> Counts:
    """Count the sequential round trips of each command in a warm process: the minimum of three, see `longest_chain`."""
    counts: Counts = {}
    server.delay(COUNTING_DELAY_SECONDS)
    for process in processes:
        process.run([create("trips/warm.md", "x")])
        for number in range(3):
            for what, call in six_commands("trips", f"{number}", text_of(1_000, f"trip {number}")).items():
                server.take_record()
                process.run([call])
                count = longest_chain(server.take_record())
                by_peer = counts.setdefault(what, {})
                by_peer[process.peer.name] = min(count, by_peer.get(process.peer.name, count))
    return counts


def sessions(server: WireServer) -> tuple[Race, dict[str, Session]]:
    """Time ten commands in a new process, including its start."""
    outcomes: dict[str, Session] = {}
    peaks: dict[str, list[int]] = {}
    server.delay(BY_OPERATION.seconds)

    def measure(process: PeerProcess, number: int) -> dict[str, float]:
        path = f"session/{number}.md"
        calls = [
            {"command": "view", "path": ROOT},
            create(path, text_of(1_000, "a session")),
            view(path),
            replace(path),
            insert(path),
            view("session"),
            create(f"session/{number}-other.md", text_of(1_000, "another")),
            insert(f"session/{number}-other.md"),
            view(f"session/{number}-other.md"),
            view(path),
        ]
        server.take_record()
        seconds, peak_kilobytes = cold_session(process.peer, server, calls)
        cost = cost_of(server.take_record())
        peaks.setdefault(process.peer.name, []).append(peak_kilobytes)
        outcomes[process.peer.name] = Session(
            requests=cost.operations.total(),
            kms_calls=sum(cost.operations[name] for name in ("Decrypt", "Encrypt", "GenerateDataKey")),
            round_trips=cost.round_trips,
            dollars_a_thousand=1_000 * dollars(cost.operations),
            peak_kilobytes=peaks[process.peer.name],
        )
        return {"ten commands from a cold process": seconds}

    # These processes are not started: only their `peer` is used.
    return in_turns([PeerProcess(peer, server) for peer in PEERS], measure), outcomes


def directory_views(server: WireServer, processes: list[PeerProcess]) -> tuple[Race, Counts, Counts]:
    """Time views of a directory with more and more objects below it, flat and in up to a hundred directories.

    Returns:
        Times, requests, and the number of entries that the views show.
    """
    race, requests, shown = Race(), Counts(), Counts()
    remote = [process for process in processes if process.peer.name != LOCAL]
    server.delay(BY_OPERATION.seconds)
    for count in (100, 10_000, 100_000):
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
                outcome = process.run([view(top)])
                requests.setdefault(what, {})[process.peer.name] = len(server.take_record())
                shown.setdefault(what, {})[process.peer.name] = outcome.results[0][0][0].count(f"\t{ROOT}/{top}/")
                return {what: outcome.seconds}

            race |= in_turns(remote, measure)
    return race, requests, shown


def directories(server: WireServer, processes: list[PeerProcess]) -> tuple[Race, Counts]:
    """Time renames of a directory of many files, next to bare boto3, and deletions of such a directory."""
    requests = Counts()
    batches = [
        [
            create(f"many--1/{number:04}.md", text_of(1_000, f"file {number}"))
            for number in range(first, MANY_FILES, WRITERS)
        ]
        for first in range(WRITERS)
    ]
    names = [f"{number:04}.md" for number in range(MANY_FILES)]
    server.delay(0)
    for process in processes:
        process.run(*batches, how="threads")
    server.fill(_BARE_BUCKET, [f"old/{name}" for name in names], size_bytes=1_100)
    server.delay(BY_OPERATION.seconds)
    renamed, deleted = (f"{what} of a directory of {MANY_FILES:,} files" for what in ("rename", "delete"))
    race: Race = {renamed: {}}

    def measure(process: PeerProcess, number: int) -> dict[str, float]:
        server.take_record()
        seconds = process.run([rename(f"many-{number - 1}", f"many-{number}")]).seconds
        requests.setdefault(renamed, {})[process.peer.name] = len(server.take_record())
        process.run([view(f"many-{number}/{MANY_FILES - 1:04}.md")])  # fails if the file is missing
        if process.peer.name == OURS:  # in the same round, because the aim compares the two
            race[renamed].setdefault(BARE, []).append(_bare_copies(server, number))
        return {renamed: seconds}

    def measure_delete(process: PeerProcess, number: int) -> dict[str, float]:
        top = f"gone-{number}"
        server.fill(process.peer.bucket, [f"{PREFIX}{top}/{name}" for name in names], size_bytes=1_100)
        server.take_record()
        seconds = process.run([delete(top)]).seconds
        requests.setdefault(deleted, {})[process.peer.name] = len(server.take_record())
        return {deleted: seconds}

    race[renamed] |= in_turns(processes, measure, rounds=LONG_ROUNDS)[renamed]
    return race | in_turns([one for one in processes if one.peer.name != LOCAL], measure_delete), requests


_BARE_BUCKET = "bench-bare"


def _bare_copies(server: WireServer, number: int) -> float:
    """Return the wall time in seconds of a GET and a PUT of each file by bare boto3: see `bare_moves`."""
    done = subprocess.run(  # noqa: S603 - this interpreter, our program
        [sys.executable, str(HERE.parent / "bare_moves.py"), "old/", f"new-{number}/"],
        env={**server.environment, "BENCH_BUCKET": _BARE_BUCKET, "PATH": os.defpath},
        capture_output=True,
        text=True,
        check=True,
    )
    return round(float(done.stdout), 5)


def side_by_side(server: WireServer, processes: list[PeerProcess]) -> Race:
    """Time writers on separate files in threads, and commands that are awaited together."""
    server.delay(BY_OPERATION.seconds)

    def measure(process: PeerProcess, number: int) -> dict[str, float]:
        paths = [f"writers/{number}/{writer}.md" for writer in range(SIDE_BY_SIDE)]
        process.run(*([create(path, "x\ny")] for path in paths), how="threads")
        inserts = [[insert(path)] * INSERTS_A_WRITER for path in paths[:WRITERS]]
        writing = process.run(*inserts, how="threads").seconds
        awaited = process.run(*([view(path)] for path in paths), how="async").seconds
        shown = process.run(*([view(path)] for path in paths[:WRITERS]), how="threads")
        lost = sum(batch[0][0].count("inserted") != INSERTS_A_WRITER for batch in shown.results)
        if lost:
            raise RuntimeError(f"{process.peer.title} lost inserts in {lost} files")
        return {
            f"{WRITERS} writers, {INSERTS_A_WRITER} inserts each, separate files": writing,
            f"async, {SIDE_BY_SIDE} views at once": awaited,
        }

    for process in processes:
        measure(process, -1)  # warms connections, and the imports of async tools
    return in_turns(processes, measure)
