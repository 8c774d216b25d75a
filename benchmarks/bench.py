"""Compares s3memory with what people would use instead. ``make bench`` writes ``benchmarks/report.md`` with it.

Measurements are kept in ``benchmarks/results.json``, by part, so that single parts can be measured again:
``make bench ONLY="commands views"``. The report and its plots are made from that file. ``--only`` without a name makes
them and measures nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import cpu
import growth
import instructions
import ledger
import rendering
import starting
import throughput
from peers import races
from peers.checking import check
from peers.process import OURS, PEERS, PeerProcess
from plots import draw_bars, draw_curves
from wire import WireServer

_HERE: Final = Path(__file__).parent
_RESULTS: Final = _HERE / "results.json"
_REPORT: Final = _HERE / "report.md"
_PLOTS: Final = _HERE / rendering.PLOTS


@contextmanager
def server() -> Iterator[WireServer]:
    """Run a server, and make it the endpoint of this process's clients too."""
    with WireServer(delay_seconds=0) as started:
        os.environ |= started.environment
        yield started


@contextmanager
def peers() -> Iterator[tuple[WireServer, list[PeerProcess]]]:
    """Run a server and all peers. Yield them once every peer has passed the check."""
    with server() as started, ExitStack() as stack:
        processes = [stack.enter_context(PeerProcess(peer, started)) for peer in PEERS]
        for process in processes:
            check(process)
        yield started, processes


def commands() -> dict[str, Any]:
    """Measure single commands."""
    times: dict[str, races.Race] = {}
    with peers() as (started, processes):
        for size in races.SIZES_BYTES:
            for name, race in races.commands(started, processes, size).items():
                times.setdefault(name, {}).update(race)
        remote = [process for process in processes if process.peer.name in rendering.REMOTE]
        return {"times": times, "round_trips": races.round_trips(started, remote)}


def sessions() -> dict[str, Any]:
    """Measure sessions of new processes."""
    with server() as started:
        times, outcomes = races.sessions(started)
        return {"times": times, "sessions": outcomes}


def directories() -> dict[str, Any]:
    """Measure renames and deletions of a directory of many files."""
    with peers() as (started, processes):
        times, requests = races.directories(started, processes)
        return {"times": times, "requests": requests}


def views() -> dict[str, Any]:
    """Measure views of large directories."""
    with peers() as (started, processes):
        times, requests, shown = races.directory_views(started, processes)
        return {"times": times, "requests": requests, "shown": shown}


def side_by_side() -> dict[str, Any]:
    """Measure commands that run at the same time."""
    with peers() as (started, processes):
        return {"times": races.side_by_side(started, processes)}


def many() -> dict[str, Any]:
    """Measure many views at once, and work on all files of a tenant."""
    with server() as started:
        views_taken = throughput.views(started)
        times, requests = throughput.bulk(started)
        return {"views": views_taken, "bulk": times, "requests": requests}


def growing() -> dict[str, Any]:
    """Measure how cost grows with files, writers and tenants."""
    with server() as started:
        return {"curves": [asdict(curves) for curves in growth.all_curves(started)]}


def costs() -> dict[str, Any]:
    """Count the requests, round trips and bytes of the ledger."""
    with server() as started:
        return {"text": ledger.table(started)}


def start() -> dict[str, Any]:
    """Measure the start of new processes."""
    return {"counts": starting.counted(), "cases": starting.measured()}


def computing() -> dict[str, Any]:
    """Measure the computing of this package, without its requests."""
    return {"text": f"{cpu.report()}\n\nThe same in instructions, by valgrind:\n\n{instructions.table()}"}


PARTS: Final[dict[str, Callable[[], dict[str, Any]]]] = {
    "commands": commands,
    "sessions": sessions,
    "directories": directories,
    "views": views,
    "side-by-side": side_by_side,
    "throughput": many,
    "growth": growing,
    "ledger": costs,
    "starting": start,
    "computing": computing,
}
_COUNTED_BY_VALGRIND: Final = {"starting", "computing"}


def machine() -> str:
    """Return a description of this machine and of the versions that are measured."""
    model = "unknown processor"
    cpu_info = Path("/proc/cpuinfo")
    if cpu_info.exists():
        names = [line.partition(":")[2].strip() for line in cpu_info.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    ours = ", ".join(f"{name} {version(name)}" for name in ("s3memory", "boto3", "cryptography", "anthropic"))
    theirs = ", ".join(_version_in(python, package) for python, package in _PEER_PACKAGES)
    return (
        f"{os.cpu_count()} processors ({model}), {platform.system()}, Python {platform.python_version()}; {ours}; "
        f"{theirs}."
    )


_PEER_PACKAGES: Final = [
    (peer.python, package)
    for peer in PEERS
    for package in {
        "encryption_client": ("amazon-s3-encryption-client-python", "cryptography"),
        "s3fs_tool": ("s3fs", "aiobotocore"),
    }.get(peer.name, ())
]


def _version_in(python: str, package: str) -> str:
    program = f"from importlib.metadata import version; print(version('{package}'))"
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603
    return f"{package} {done.stdout.strip()}"


def _load() -> float:
    return round(os.getloadavg()[0] / (os.cpu_count() or 1), 1)


def render(results: dict[str, Any]) -> None:
    """Write the report and its plots."""
    if race := rendering.bars(results):
        shown = {name: rendering.TITLES[name] for name in (OURS, *rendering.BARS_SHOW)}
        draw_bars(race, shown, rendering.BARS_TITLE, _PLOTS / rendering.BARS)
    for curves in rendering.curves(results):
        draw_curves(curves, _PLOTS)
    _REPORT.write_text(rendering.markdown(results), "utf-8")


def main(names: list[str]) -> None:
    """Measure these parts. Write the results and the report after each part, so that an interrupted run keeps both."""
    for name in names:
        begin = _load()
        measured = PARTS[name]()
        results = stored_results()  # another run may have measured other parts in the meantime
        results[name] = {"machine": machine(), "load": [begin, _load()], "measured": measured}
        results = {part: results[part] for part in PARTS if part in results}
        _RESULTS.write_text(_as_json(results), "utf-8")
        render(results)
        print(f"{time.strftime('%H:%M:%S')} {name}", file=sys.stderr, flush=True)
    render(stored_results())


def stored_results() -> dict[str, Any]:
    """Return the stored results of all parts."""
    results: dict[str, Any] = json.loads(_RESULTS.read_text("utf-8")) if _RESULTS.exists() else {}
    return results


def _as_json(value: Any, depth: int = 0) -> str:
    """Return JSON with a line for each row of numbers."""
    if isinstance(value, dict) and value:
        inner = ",\n".join(
            f"{' ' * (depth + 1)}{json.dumps(key)}: {_as_json(one, depth + 1)}" for key, one in value.items()
        )
        return f"{{\n{inner}\n{' ' * depth}}}" + ("" if depth else "\n")
    return json.dumps(value)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS), help="the parts to measure again")
    chosen = parser.parse_args().only
    if _COUNTED_BY_VALGRIND.intersection(chosen) and shutil.which("valgrind") is None:
        parser.error("valgrind has to be installed: some aims are about counted instructions")
    main(chosen)
