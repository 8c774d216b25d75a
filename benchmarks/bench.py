"""What people would use instead, side by side in one run. ``make bench`` writes ``benchmarks/report.md`` with it.

Wall times depend on the machine and on who else uses it; ratios within one run say more, counts of requests most.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import bare_moves
import cpu
import growth
import instructions
import ledger
import starting
from growth import Curves
from peers import races
from peers.checking import check
from peers.process import LOCAL, OURS, PEERS, UNREDACTED, Peer, PeerProcess
from plots import draw
from wire import WireServer

AFTERNOON = "afternoon"
_MISSING = "Not measured: the run was cut short."
_TITLES = {peer.name: peer.title for peer in PEERS}
_REMOTE = [peer for peer in PEERS if peer.name != LOCAL]
_ENCRYPTING = [peer.name for peer in PEERS if peer.encrypts and peer.name not in {OURS, UNREDACTED}]
_AIM_COMMAND, _AIM_DIRECTORY = 1.5, 10.0


def ratio_table(race: races.Race) -> str:
    """Return how many times our time each peer takes: more than 1 is slower than s3memory."""
    if not race:
        return _MISSING
    lines = [
        f"| | s3memory, ms | {' | '.join(peer.title for peer in PEERS if peer.name != OURS)} |",
        f"|---|{'---|' * len(PEERS)}",
    ]
    for what, times in race.items():
        ratios = (f"{times[peer.name] / times[OURS]:.2f}" if peer.name in times else "" for peer in PEERS[1:])
        lines.append(f"| {what} | {times[OURS] * 1000:.1f} | {' | '.join(ratios)} |")
    return "\n".join(lines)


def count_table(counts: races.Requests, of_what: str) -> str:
    """Return what was counted of each peer."""
    if not counts:
        return _MISSING
    lines = [f"| {of_what} | {' | '.join(peer.title for peer in _REMOTE)} |", f"|---|{'---|' * len(_REMOTE)}"]
    for what, by_peer in counts.items():
        lines.append(f"| {what} | {' | '.join(f'{by_peer[peer.name]:,}' for peer in _REMOTE)} |")
    return "\n".join(lines)


def session_table(sessions: dict[str, races.Session]) -> str:
    """Return what the cold sessions came to."""
    if not sessions:
        return _MISSING
    mine = statistics.median(sessions[OURS].seconds)
    lines = [
        "| | seconds | ratio | requests | round trips | KMS calls | $ a thousand sessions | peak memory, MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, session in sessions.items():
        seconds, peak = statistics.median(session.seconds), statistics.median(session.peak_kilobytes) / 1024
        lines.append(
            f"| {_TITLES[name]} | {seconds:.2f} | {seconds / mine:.2f} | {session.requests} | {session.round_trips} | "
            f"{session.kms_calls} | {session.dollars_a_thousand:.4f} | {peak:.0f} |"
        )
    return "\n".join(lines)


def aims(commands: races.Race, directories: races.Race, sessions: dict[str, races.Session]) -> str:
    """Return the aims and what came of them."""
    lines = ["| aim | measured | |", "|---|---|---|"]

    def add(aim: str, measured: float, least: float) -> None:
        lines.append(f"| {aim} | {measured:.2f} | {'met' if measured >= least else '**missed**'} |")

    for what, times in commands.items():
        best = min(times[name] for name in _ENCRYPTING)
        add(f"{what}: {_AIM_COMMAND} times faster than the best peer that encrypts", best / times[OURS], _AIM_COMMAND)
    for what, times in directories.items():
        if "delete" not in what and " 100 " not in what:
            aim = f"{what}: {_AIM_DIRECTORY:.0f} times faster than the afternoon version"
            add(aim, times[AFTERNOON] / times[OURS], _AIM_DIRECTORY)
    if sessions:
        calls = sessions[OURS].kms_calls
        lines.append(f"| KMS calls of a session: 1 | {calls} | {'met' if calls == 1 else '**missed**'} |")
    return "\n".join(lines)


def machine() -> str:
    """Return what this was measured on."""
    model = "unknown processor"
    cpu_info = Path("/proc/cpuinfo")
    if cpu_info.exists():
        names = [line.partition(":")[2].strip() for line in cpu_info.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    ours = ", ".join(f"{name} {version(name)}" for name in ("s3memory", "boto3", "cryptography", "anthropic"))
    peers = ", ".join(_version_in(peer, package) for peer, package in _PEER_PACKAGES)
    return (
        f"{os.cpu_count()} processors ({model}), {platform.system()}, Python {platform.python_version()}; {ours}; "
        f"{peers}. Load a processor when the run began: {load:.1f}."
    )


_PEER_PACKAGES = [
    (peer, package)
    for peer in PEERS
    for package in {
        "encryption_client": ("amazon-s3-encryption-client-python", "cryptography"),
        "s3fs_tool": ("s3fs", "aiobotocore"),
    }.get(peer.name, ())
]


def _version_in(peer: Peer, package: str) -> str:
    program = f"from importlib.metadata import version; print(version('{package}'))"
    done = subprocess.run([peer.python, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603
    return f"{package} {done.stdout.strip()}"


_ROUND_TRIPS = """\
Sequential round trips set the limit of every ratio: two peers that make equally many can't be far apart at 15 ms each,
whatever they compute. s3memory spends those that others spend on KMS on checks that others don't make: nothing is
created below a file, renamed over a directory, or deleted as it was edited meanwhile."""

_WHY_MISSED = """\
Where an aim is missed:

- **create, delete and rename** wait for as many answers as their peers do (the table of round trips below), so at 15 ms
  each none can be 1.5 times faster. What others spend on KMS, s3memory spends on its checks.
- **Writes of 100 kB** are redacted whole, which no peer does; the column without redaction shows what that costs.
- **The rename of a directory** is a GET, a PUT and a DELETE for each file, side by side: with 32 under way neither the
  network nor the server is waited for any longer, but this process. Of what a file takes of it, nine tenths are
  botocore and the HTTP client, and redaction is most of the rest. The afternoon version copies on the server, with two
  requests for each file; what is sealed for its path can't be copied so. What the GETs and PUTs take by themselves is
  below."""

_LEDGER = """\
Counted by the server; the price is the list price of S3 and KMS in us-east-1, in USD for a thousand such commands. A
budget is what the design allows, where it says a number."""

_INTRODUCTION = f"""\
# Beside what people would use instead

Written by `make bench`. Nothing here was measured on AWS: a server on this machine answers each request after
{races.DELAY_SECONDS * 1000:.0f} ms. Peers take turns in one run, on that one server. s3memory runs with redaction on,
as `MemoryCommands`, without Anthropic's SDK, as the peers do (but for async, and for the SDK's own tool).

Ratios are of a peer's wall time to that of s3memory: above 1, s3memory is faster. Only under "Starting" and "Computing"
are they the other way round, of what s3memory takes to what is taken without it: the less the better.

Times of commands are medians of {races.ROUNDS} rounds, those of cold processes, side by side, and of views of 100 and
10,000 objects of 3. What takes long is timed once: the rename and the deletion of a directory, a view of 100,000
objects, and how cost grows. A view redacts nothing, so how far its column "redaction off" is from 1 tells how far a
ratio can be off. Requests and round trips are counted.

- **s3memory, redaction off**: the same without its redactor, which no peer has.
- **afternoon version**: what one writes in an afternoon. boto3, AES-GCM, a KMS data key for each object, one request
  after another, conditional creates, listings by delimiter. Clients are made once; renames copy on the server. Edits
  overwrite each other.
- **S3 Encryption Client**: `amazon-s3-encryption-client-python` under the same commands; a KMS call for each object.
- **s3fs**: without encryption, asynchronous inside, no cache of listings.
- **SDK's local files**: `BetaLocalFilesystemMemoryTool`, on this machine's disk: no server, no encryption.

All pass the same script of the six commands before anything is measured (`peers/checking.py`).
"""


@dataclass(slots=True)
class Measured:
    """What there is so far. The report is written after each part, so that a run that is cut short leaves one."""

    machine: str
    commands: races.Race = field(default_factory=dict)
    round_trips: races.Requests = field(default_factory=dict)
    sessions: dict[str, races.Session] = field(default_factory=dict)
    directories: races.Race = field(default_factory=dict)
    requests: dict[str, dict[str, int]] = field(default_factory=dict)
    bare_copies_seconds: float = 0.0
    side_by_side: races.Race = field(default_factory=dict)
    costs: str = ""
    starting: str = ""
    growth: list[tuple[Curves, Path]] = field(default_factory=list)
    computing: str = ""

    def markdown(self) -> str:
        """Return the report."""
        parts = [
            _INTRODUCTION,
            self.machine,
            "## Aims",
            aims(self.commands, self.directories, self.sessions),
            _WHY_MISSED,
            "## One command, warm",
            ratio_table(self.commands),
            _ROUND_TRIPS,
            count_table(self.round_trips, "round trips"),
            "## Ten commands from a cold process",
            "From the start of the interpreter to the last answer: imports, clients, key ring and all.",
            session_table(self.sessions),
            "## Directories",
            ratio_table(self.directories),
            self._floor(),
            count_table(self.requests, "requests"),
            "## Side by side",
            ratio_table(self.side_by_side),
            "## How cost grows",
            *(f"![{curves.title}]({plot.parent.name}/{plot.name})\n\n{curves.table()}" for curves, plot in self.growth),
            *([] if self.growth else [_MISSING]),
            "## The ledger",
            _LEDGER,
            self.costs or _MISSING,
            "## Starting",
            self.starting or _MISSING,
            "## Computing",
            self.computing or _MISSING,
        ]
        return "\n\n".join(part.strip() for part in parts if part) + "\n"

    def _floor(self) -> str:
        """Return what of a directory's rename is the same for whoever fetches and stores each file."""
        if not self.bare_copies_seconds:
            return ""
        afternoon = next(iter(self.directories.values()))[AFTERNOON]
        return (
            f"A GET and a PUT of each of the {races.MANY_FILES:,} files by bare boto3, {bare_moves.THREADS} at a time "
            f"and with nothing around them, take {self.bare_copies_seconds * 1000:.0f} ms. The afternoon version takes "
            f"{afternoon / self.bare_copies_seconds:.1f} times that, about the most that whoever encrypts anew what "
            "moves can reach with boto3 in one process."
        )


def main(report: Path) -> None:
    """Measure, and write the report."""
    measured = Measured(machine())

    def is_measured(what: str) -> None:
        report.write_text(measured.markdown(), "utf-8")
        print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)

    with WireServer(delay_seconds=0) as server, ExitStack() as stack:
        os.environ |= server.environment
        processes = [stack.enter_context(PeerProcess(peer, server)) for peer in PEERS]
        for process in processes:
            check(process)
        server.delay(races.DELAY_SECONDS)
        for size in races.SIZES_BYTES:
            measured.commands |= races.commands(processes, size)
        measured.round_trips = races.round_trips(server, processes)
        is_measured("commands")
        measured.sessions = races.sessions(server)
        is_measured("sessions")
        for race in (races.directories, races.directory_views):
            for times, requests in race(server, processes):
                measured.directories |= times
                measured.requests |= requests
                is_measured(", ".join(times))
            measured.bare_copies_seconds = measured.bare_copies_seconds or races.bare_copies(server)
        measured.side_by_side = races.side_by_side(processes)
        is_measured("side by side")
        measured.costs = ledger.table(server)
        is_measured("ledger")
        for curves in growth.all_curves(server):
            measured.growth.append((curves, draw(curves, report.parent / "plots")))
            is_measured(curves.title)
    measured.starting = starting.table()
    is_measured("starting")
    measured.computing = f"{cpu.report()}\n\nThe same in instructions, by valgrind:\n\n{instructions.table()}"
    is_measured("computing")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--report", type=Path, required=True)
    if shutil.which("valgrind") is None:
        parser.error("valgrind has to be installed: aims are held to instructions, which are counted last")
    main(parser.parse_args().report)
