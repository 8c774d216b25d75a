"""The report, from what was measured. Nothing is measured here."""

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
# Beside what people would use instead

Nothing here was measured on AWS. Written by `make bench`: a server on this machine holds each answer back, in one of
two ways, and each table says which:

- **{BY_OPERATION.name}**: {BY_OPERATION.said};
- **{FLAT.name}**: {FLAT.said}.

Both are assumptions. Peers take turns in one run, on that one server, and another one begins each round. s3memory runs
with redaction on, as `MemoryCommands`, without Anthropic's SDK, as the peers do (but for async, and for the SDK's own
tool).

A ratio is a peer's wall time divided by that of s3memory in the same round: above 1, s3memory is faster. It is the
median of {races.ROUNDS} rounds ({races.LONG_ROUNDS} of the rename of a directory), with the least and the most in
brackets. A ratio without brackets is of one round: a
peer that takes longer than {races.LONG_SECONDS:.0f} s is timed once. Only under "Throughput" (of all files), "Starting"
and "Computing" are ratios the other way round, of what s3memory takes to what is taken without it. A view redacts
nothing, so how far its column "redaction off" is from 1 tells how far a ratio can be off. Each command writes a text
that was not written before, because s3memory does not check a text again that it knows. Of a write, the same column
tells what redaction takes. Requests and round trips are counted.

| peer | data keys | directories | |
|---|---|---|---|
| s3memory, redaction off | one for the tenant, cached | side by side | without its redactor, which no peer has |
| afternoon version | each object its own, by KMS | one request after another | what one writes in an afternoon: \
boto3, AES-GCM, conditional creates, renames by COPY |
| S3 Encryption Client | each object its own, by KMS | one request after another | \
`amazon-s3-encryption-client-python` 4.0.0 as its README has it; this version can't cache keys |
| cached key | one for a process, and all it has read with, cached | one request after another | the afternoon version \
otherwise |
| cached key, 32 threads | the same | LIST and COPY 32 at a time, DeleteObjects | lists 32 directories even where a \
few fill the view |
| SSE-KMS, 32 threads | none: S3 encrypts, under a bucket key | LIST and COPY 32 at a time, DeleteObjects | S3 sees \
the text |
| s3fs | none | asynchronous inside | no encryption, no cache of listings |
| SDK's local files | none | | `BetaLocalFilesystemMemoryTool`, on this machine's disk: no server, no encryption |

Of two edits of a file at once, every peer loses one. All pass the same script of the six commands before
anything is measured (`peers/checking.py`). A view shows {MAX_VIEW_CHARS:,} characters at the most, in s3memory and in
its peers (but for the SDK's local files): no peer lists on once its view is full, unless its library lists a directory
in one piece, as s3fs does.

Each part says what the machine's load was, in runnable processes for each processor. Above 1, processes wait for each
other: times are too long, the more so the more a peer computes, and no ratio is more exact than its spread.
"""

_AIMS: Final = f"""\
At latencies {BY_OPERATION.name}, beside whichever peer of a kind is fastest by its median. An aim is held to
the median. The last column divides the fastest round of each, which others on the machine disturbed the least:"""

_CHECKS: Final = """\
What the checks cost: beside what a create or a rename writes, s3memory looks for what is in its way; no peer does.
That takes requests, a LIST among them, and time only where the LIST takes longer than the PUT. In return nothing stays
below a file or at the path of a directory. A file of 100 kB is redacted whole when it is created, and around what
changes when it is edited, which no peer does; the column without redaction shows what that takes."""

_WHY_RENAME: Final = """\
s3memory fetches, opens, seals and stores each file anew, since what is sealed for its path can't be copied on
the server. The least that this can take is a GET and a PUT of each by bare boto3, {threads} at a time with nothing
around them: {bare_ms:,.0f} ms. Peers copy on the server, without looking at what they copy."""

_LEDGER: Final = """\
Counted by the server; the price is the list price of S3 and KMS in us-east-1, in USD for a thousand such commands. A
budget is what the design allows, where it says a number."""

_GROWTH: Final = f"""\
Requests are counted. Renames are of files of 1 kB, at latencies by operation, medians of three. Writers insert lines at
15 ms a request on a server in the same process, each with a store of its own; memory is of one process. Peaks and
counts do not depend on latencies. A view stops at {MAX_VIEW_CHARS:,} characters; "listing everything" does not."""


def ratio_table(race: races.Race) -> str:
    """Return how many times our time each peer takes: more than 1 is slower than s3memory."""
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
    """Return what was counted of each peer."""
    lines = [f"| {of_what} | {' | '.join(TITLES[peer] for peer in REMOTE)} |", f"|---|{'---|' * len(REMOTE)}"]
    for what, by_peer in counts.items():
        shown = (f"{by_peer[peer]:,}" if peer in by_peer else "" for peer in REMOTE)
        lines.append(f"| {what} | {' | '.join(shown)} |")
    return "\n".join(lines)


def session_table(race: races.Race, sessions: dict[str, races.Session]) -> str:
    """Return what the cold sessions came to."""
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
    """Return the aims and what came of them, at latencies by operation."""
    lines = ["| what | beside | aim | measured | | fastest rounds |", "|---|---|---|---|---|---|"]

    def add(what: str, beside: str, aim: str, ratio: Spread, *, is_met: bool) -> None:
        said = "met" if is_met else "**missed**"
        lines.append(f"| {what} | {beside} | {aim} | {ratio} | {said} | {ratio.of_the_fastest:.2f} |")

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
        beside = f"a GET and a PUT of each by {races.BARE}, which this takes so many times as long as"
        add(what, beside, f"{_AIM_RENAME} or less", ratio, is_met=ratio.middle <= _AIM_RENAME)
    if sessions := _data(results, "sessions"):
        calls = sessions["sessions"][OURS]["kms_calls"]
        said = "met" if calls == 1 else "**missed**"
        lines.append(f"| KMS calls of a session of ten commands | | 1 | {calls} | {said} | |")
    return "\n".join(lines)


def curves(results: dict[str, Any]) -> list[Curves]:
    """Return the curves of growth."""
    return [Curves(**one) for one in _data(results, "growth").get("curves", [])]


def bars(results: dict[str, Any]) -> races.Race:
    """Return the times of what the bars show: commands on a small file."""
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
            parts.append(f"Load of a processor: {load[0]:.1f} when this began, {load[1]:.1f} when it ended.")
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _commands(measured: dict[str, Any]) -> Iterator[str]:
    yield f"![{BARS_TITLE}]({PLOTS}/{BARS})"
    for latencies in BOTH:
        yield f"Latencies {latencies.name} ({latencies.said}):"
        yield ratio_table(measured["times"][latencies.name])
    yield (
        "Sequential round trips set the limit of every ratio: two peers that make equally many can't be far apart, "
        "whatever they compute."
    )
    yield count_table(measured["round_trips"], "round trips")


def _sessions(measured: dict[str, Any]) -> Iterator[str]:
    yield (
        "From the start of the interpreter to the last answer: imports, clients, key ring and all. "
        f"Latencies {BY_OPERATION.name}."
    )
    yield session_table(measured["times"], measured["sessions"])


def _directories(measured: dict[str, Any]) -> Iterator[str]:
    times = measured["times"]
    bare_seconds = next(iter(times.values()))[races.BARE]
    yield f"Latencies {BY_OPERATION.name}. What is deleted is never opened."
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
