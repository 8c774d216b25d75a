"""Writes the report from stored measurements. This module measures nothing."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any, Final

import starting
import throughput
from growth import Curves
from latencies import BOTH, BY_OPERATION, FLAT
from peers import races
from peers.process import CACHED, EACH, LOCAL, OURS, PEERS
from peers.texts import MAX_VIEW_CHARS
from spread import Spread

PLOTS: Final = "plots"
BARS: Final = "commands-beside-peers.svg"
BARS_TITLE: Final = "one command on a file of 1 kB: medians, least and most"
BARS_SHOW: Final = ("afternoon", "encryption_client", "cached_key", "sse_kms", "s3fs_tool")
TITLES: Final = {peer.name: peer.title for peer in PEERS}
_MISSING: Final = "Not measured."
REMOTE: Final = [peer.name for peer in PEERS if peer.name != LOCAL]
_EACH: Final = [peer.name for peer in PEERS if peer.data_keys == EACH]
_CACHED: Final = [peer.name for peer in PEERS if peer.data_keys == CACHED]
_AIMS_EACH: Final = {
    "create": 1.2,
    "view": 1.3,
    "str_replace": 1.3,
    "insert": 1.3,
    "view of the directory": 1.3,
    "delete": 1.0,
}
_AIMS_CACHED: Final = {**dict.fromkeys((*_AIMS_EACH, "rename"), 0.95), "create": 0.8}
_AIM_RENAME: Final = 1.5

_INTRODUCTION: Final = f"""\
# s3memory compared with alternatives

Nothing here was measured on AWS. `make bench` writes this report. A server on this machine delays each response in one
of two ways, and each table says which:

- **{BY_OPERATION.name}**: {BY_OPERATION.description};
- **{FLAT.name}**: {FLAT.description}.

Both are assumptions. The alternatives, called peers, take turns in one run on the same server, and each round starts
with a different one. s3memory runs as `MemoryCommands`, with redaction on. Like the peers, it runs without Anthropic's
SDK, except for async commands and the SDK's own tool.

A ratio is a peer's wall time divided by s3memory's in the same round: above 1, s3memory is faster. It is the median of
{races.ROUNDS} rounds ({races.LONG_ROUNDS} for the rename of a directory), with the lowest and highest ratio in
brackets. A ratio without brackets is from one round: a peer that takes longer than {races.LONG_SECONDS:.0f} s is timed
only once. Only under "Throughput" (of all files), "Starting" and "Computing" are ratios the other way round:
s3memory's time divided by the time without it. A view redacts nothing, so the distance of its column "redaction off"
from 1 shows how inaccurate a ratio can be. For a write, the same column shows the cost of redaction. Each command
writes a new text, because s3memory does not check a known text again. Requests and round trips are counted, not timed.

| peer | data keys | directories | |
|---|---|---|---|
| s3memory, redaction off | one per tenant, cached | parallel requests | without its redactor, which no peer has |
| afternoon version | one per object, from KMS | one request after another | what you could write in an afternoon: \
boto3, AES-GCM, conditional creates, renames by COPY |
| S3 Encryption Client | one per object, from KMS | one request after another | \
`amazon-s3-encryption-client-python` 4.0.0 as in its README; this version can't cache keys |
| cached key | one per process; it and all keys used for reading are cached | one request after another | otherwise \
the afternoon version |
| cached key, 32 threads | the same | 32 LISTs or COPYs at a time, DeleteObjects | lists 32 directories even if a \
few fill the view |
| SSE-KMS, 32 threads | none: S3 encrypts, under a bucket key | 32 LISTs or COPYs at a time, DeleteObjects | S3 sees \
the text |
| s3fs | none | asynchronous inside | no encryption, no cache of listings |
| SDK's local files | none | | `BetaLocalFilesystemMemoryTool`, on this machine's disk: no server, no encryption |

If a file is edited twice at the same time, every peer loses one of the edits. Before anything is measured, every peer
passes the same script of the six commands (`peers/checking.py`). A view shows at most {MAX_VIEW_CHARS:,} characters, in
s3memory and in all peers except the SDK's local files. No peer continues to list once its view is full, unless its
library lists a directory in one piece, as s3fs does.

Each part states the machine's load, in runnable processes per processor. Above 1, processes wait for each other. Times
are then too long, most of all for peers that compute much, and no ratio is more accurate than its spread.
"""

_AIMS: Final = f"""\
Each aim compares s3memory with the fastest peer of a kind, by medians, at latencies {BY_OPERATION.name}. The median
ratio decides whether an aim is met. The last column divides the fastest rounds, which were disturbed the least:"""

_CHECKS: Final = """\
What the checks cost: while a create or a rename writes, s3memory looks for obstacles (a directory at the path, or a
file above it); no peer does. That takes requests, one of them a LIST, but takes time only if the LIST is slower than
the PUT. In return, nothing is left below a file or at the path of a directory. s3memory also redacts a file: all of it
when it is created, and the text around a change when it is edited. No peer does. The column "redaction off" shows the
cost."""

_WHY_RENAME: Final = """\
s3memory fetches, opens, reseals and stores each file, because a file is sealed for its path and so can't be copied on
the server. The minimum for this is a GET and a PUT of each file by bare boto3, {threads} at a time, with nothing else:
{bare_ms:,.0f} ms. Peers copy on the server, and never read what they copy."""

_LEDGER: Final = """\
The server counts the requests. The price is the list price of S3 and KMS in us-east-1, in USD for a thousand such
commands. A budget is the number of requests or round trips that the design allows, where it gives one."""

_GROWTH: Final = f"""\
Requests are counted. Renamed files have 1 kB; times are medians of three, at latencies by operation. Each writer
inserts lines through its own store, at 15 ms a request, on a server in the same process. Memory is that of one process.
Peaks and counts do not depend on latencies. A view stops at {MAX_VIEW_CHARS:,} characters; "listing everything" does
not."""


def ratio_table(race: races.Race) -> str:
    """Return a table of each peer's time divided by s3memory's: above 1, the peer is slower."""
    others = [peer for peer in TITLES if peer != OURS and any(peer in by_peer for by_peer in race.values())]
    lines = [
        f"| | s3memory, ms | {' | '.join(TITLES[peer] for peer in others)} |",
        f"|---|{'---|' * (1 + len(others))}",
    ]
    for what, by_peer in race.items():
        ratios = (str(Spread.of(by_peer[peer], by_peer[OURS])) if peer in by_peer else "" for peer in others)
        lines.append(f"| {what} | {statistics.median(by_peer[OURS]) * 1_000:,.1f} | {' | '.join(ratios)} |")
    return "\n".join(lines)


def count_table(counts: races.Counts, of_what: str) -> str:
    """Return a table of what was counted for each peer."""
    lines = [f"| {of_what} | {' | '.join(TITLES[peer] for peer in REMOTE)} |", f"|---|{'---|' * len(REMOTE)}"]
    for what, by_peer in counts.items():
        shown = (f"{by_peer[peer]:,}" if peer in by_peer else "" for peer in REMOTE)
        lines.append(f"| {what} | {' | '.join(shown)} |")
    return "\n".join(lines)


def session_table(race: races.Race, sessions: dict[str, races.Session]) -> str:
    """Return a table of the cold sessions: time, requests, price and memory."""
    (by_peer,) = race.values()
    lines = [
        "| | seconds | ratio | requests | round trips | KMS calls | $ a thousand sessions | peak memory, MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, session in sessions.items():
        peak = statistics.median(session["peak_kilobytes"]) / 1024
        lines.append(
            f"| {TITLES[name]} | {statistics.median(by_peer[name]):.2f} | {Spread.of(by_peer[name], by_peer[OURS])} | "
            f"{session['requests']} | {session['round_trips']} | {session['kms_calls']} | "
            f"{session['dollars_a_thousand']:.4f} | {peak:.0f} |"
        )
    return "\n".join(lines)


def aims(results: dict[str, Any]) -> str:
    """Return a table of the aims and whether they are met, at latencies by operation."""
    lines = ["| command | compared with | aim | measured | | fastest rounds |", "|---|---|---|---|---|---|"]

    def add(what: str, peer: str, aim: str, ratio: Spread, *, is_met: bool) -> None:
        verdict = "met" if is_met else "**missed**"
        lines.append(f"| {what} | {peer} | {aim} | {ratio} | {verdict} | {ratio.of_the_fastest:.2f} |")

    commands: races.Race = _data(results, "commands").get("times", {}).get(BY_OPERATION.name, {})
    for peers, data_keys, least in ((_EACH, EACH, _AIMS_EACH), (_CACHED, CACHED, _AIMS_CACHED)):
        for what, by_peer in commands.items():
            aim = least.get(what.rpartition(", ")[0])
            if aim is not None:
                middle = {peer: statistics.median(by_peer[peer]) for peer in peers}
                best = min(middle, key=middle.__getitem__)
                ratio = Spread.of(by_peer[best], by_peer[OURS])
                add(what, f"{data_keys}: {TITLES[best]}", f"{aim} or more", ratio, is_met=ratio.middle >= aim)
    if directories := _data(results, "directories"):
        what, by_peer = next(iter(directories["times"].items()))
        ratio = Spread.of(by_peer[OURS], by_peer[races.BARE])
        bare = f"a GET and a PUT of each by {races.BARE}; the ratio is s3memory's time divided by theirs"
        add(what, bare, f"{_AIM_RENAME} or less", ratio, is_met=ratio.middle <= _AIM_RENAME)
    if sessions := _data(results, "sessions"):
        calls = sessions["sessions"][OURS]["kms_calls"]
        verdict = "met" if calls == 1 else "**missed**"
        lines.append(f"| KMS calls of a session of ten commands | | 1 | {calls} | {verdict} | |")
    return "\n".join(lines)


def curves(results: dict[str, Any]) -> list[Curves]:
    """Return the curves of growth."""
    return [Curves(**one) for one in _data(results, "growth").get("curves", [])]


def bars(results: dict[str, Any]) -> races.Race:
    """Return the times that the bars show: commands on a small file."""
    times: races.Race = _data(results, "commands").get("times", {}).get(BY_OPERATION.name, {})
    return {what.removesuffix(", 1 kB"): by_peer for what, by_peer in times.items() if what.endswith(", 1 kB")}


def markdown(results: dict[str, Any]) -> str:
    """Return the report.

    Args:
        results: each part's results, as ``bench.py`` keeps them.
    """
    machines = sorted({part["machine"] for part in results.values()})
    parts = [_INTRODUCTION, *machines, "## Aims", _AIMS, aims(results), _CHECKS]
    for name, (title, body) in _SECTIONS.items():
        parts.append(f"## {title}")
        if name not in results:
            parts.append(_MISSING)
            continue
        parts += body(results[name]["measured"])
        if load := results[name].get("load"):
            parts.append(f"Load per processor: {load[0]:.1f} at the start, {load[1]:.1f} at the end.")
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _commands(measured: dict[str, Any]) -> Iterator[str]:
    yield f"![{BARS_TITLE}]({PLOTS}/{BARS})"
    for latencies in BOTH:
        yield f"Latencies {latencies.name} ({latencies.description}):"
        yield ratio_table(measured["times"][latencies.name])
    yield (
        "Sequential round trips limit every ratio: two peers with equally many can't be far apart, whatever they "
        "compute."
    )
    yield count_table(measured["round_trips"], "round trips")


def _sessions(measured: dict[str, Any]) -> Iterator[str]:
    yield (
        "From the start of the interpreter to the last answer, including imports, clients and the key ring. "
        f"Latencies {BY_OPERATION.name}."
    )
    yield session_table(measured["times"], measured["sessions"])


def _directories(measured: dict[str, Any]) -> Iterator[str]:
    times = measured["times"]
    bare_seconds = next(iter(times.values()))[races.BARE]
    yield f"Latencies {BY_OPERATION.name}. Deleted files are never opened."
    yield ratio_table(times)
    yield _WHY_RENAME.format(threads=32, bare_ms=statistics.median(bare_seconds) * 1_000)
    yield count_table(measured["requests"], "requests")


def _views(measured: dict[str, Any]) -> Iterator[str]:
    yield f"Latencies {BY_OPERATION.name}."
    yield ratio_table(measured["times"])
    yield count_table(measured["requests"], "requests")
    yield count_table(measured["shown"], "entries shown")


def _side_by_side(measured: dict[str, Any]) -> Iterator[str]:
    yield f"Latencies {BY_OPERATION.name}. A peer without an async tool gets a thread for each command."
    yield ratio_table(measured["times"])


def _growth(measured: dict[str, Any]) -> Iterator[str]:
    yield _GROWTH
    for one in map(lambda kept: Curves(**kept), measured["curves"]):  # noqa: C417 - keyword arguments
        yield f"![{one.title}]({PLOTS}/{one.file_name})\n\n{one.table()}"


def _starting(measured: dict[str, Any]) -> Iterator[str]:
    yield starting.table(measured["cases"], measured["counts"])


def _text(measured: dict[str, Any]) -> Iterator[str]:
    yield measured["text"]


def _ledger(measured: dict[str, Any]) -> Iterator[str]:
    yield _LEDGER
    yield measured["text"]


_SECTIONS: Final = {
    "commands": ("One command, warm", _commands),
    "sessions": ("Ten commands from a cold process", _sessions),
    "directories": ("Directories", _directories),
    "views": ("Views of large directories", _views),
    "side-by-side": ("Side by side", _side_by_side),
    "throughput": ("Throughput", throughput.text),
    "growth": ("How cost grows", _growth),
    "ledger": ("The ledger", _ledger),
    "starting": ("Starting", _starting),
    "computing": ("Computing", _text),
}


def _data(results: dict[str, Any], part: str) -> dict[str, Any]:
    measured: dict[str, Any] = results.get(part, {}).get("measured", {})
    return measured
