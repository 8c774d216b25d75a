"""Measures how cost grows with stored objects, files, writers and tenants, as curves for tables and plots.

The server counts requests. The kernel reports memory, for a separate process.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import bare_moves
import contention
from latencies import BY_OPERATION
from ledger import BUCKET, KMS_KEY, ROOT
from wire import WireServer

from s3memory import KmsKeyWrapper, MemoryCommands, MemoryStore
from s3memory.aws.clients import PROCESS
from s3memory.keys.key_cache import KeyCache
from s3memory.limits import LIST_PAGE_KEYS
from s3memory.s3 import capabilities

STORED: Final = (100, 1_000, 10_000, 100_000)
MOVED: Final = (1, 10, 100, 1_000)
WRITERS: Final = (1, 2, 4, 8, 16)
TENANTS: Final = (1, 10, 100, 1_000)
RENAMES: Final = 3

_MEMORY_PROGRAM: Final = """
import sys
from peak import peak_kilobytes
from s3memory import MemoryCommands
count = int(sys.argv[1])
tenants = [MemoryCommands.from_env(tenant=f"of-{count}-{number}") for number in range(count)]
for commands in tenants:
    commands.call({"command": "create", "path": "/memories/a.md", "file_text": "x" * 1000})
print(peak_kilobytes())
"""


@dataclass(frozen=True, slots=True)
class Curves:
    """The curves of one plot.

    Attributes:
        title: what grows with what.
        along: the label of the x axis, which is logarithmic.
        up: the label of the y axis.
        points: the points of each curve, by the curve's name.
        logarithmic: whether the y axis is logarithmic too.
    """

    title: str
    along: str
    up: str
    points: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    logarithmic: bool = False

    @property
    def file_name(self) -> str:
        """The name of the plot's file."""
        return "".join(letter if letter.isalnum() else "-" for letter in self.title.lower()) + ".svg"

    def table(self) -> str:
        """Return the points as a table in Markdown."""
        along = sorted({x for points in self.points.values() for x, _ in points})
        lines = [
            f"| {self.up}, by {self.along} | {' | '.join(f'{x:,}' for x in along)} |",
            "|---" * (len(along) + 1) + "|",
        ]
        for name, points in self.points.items():
            shown = dict(points)
            lines.append(f"| {name} | {' | '.join(f'{shown[x]:,.4g}' if x in shown else '' for x in along)} |")
        return "\n".join(lines)


def all_curves(server: WireServer) -> Iterator[Curves]:
    """Measure and yield all curves."""
    os.environ |= server.environment
    capabilities.record(server.url, BUCKET, honoured=True)
    yield views(server)
    yield renames(server)
    yield writers()
    yield tenants(server)


def views(server: WireServer) -> Curves:
    """Count the requests of a directory view, by the number and the arrangement of the objects below it.

    For comparison, one curve has the requests of listing everything: one for each 1,000 objects.
    """
    curves = Curves("view of a directory against what is stored below it", "objects", "requests", logarithmic=True)
    for shape, name_of in _SHAPES.items():
        for count in STORED:
            commands, tenant = _commands(server, f"views-{len(curves.points)}-{count}")
            commands.create(f"{ROOT}/other.md", "x")
            keys = [f"memories/{tenant}/d/{name_of(number)}" for number in range(count)]
            server.fill(BUCKET, keys, size_bytes=1_000)
            server.take_record()
            commands.view(f"{ROOT}/d")
            curves.points.setdefault(shape, []).append((count, len(server.take_record())))
    curves.points["listing everything"] = [(count, -(-count // LIST_PAGE_KEYS)) for count in STORED]
    return curves


# 1,000 names of the first shape fill a view; a view leaves out all names of the last shape but one.
_SHAPES: Final[dict[str, Callable[[int], str]]] = {
    "flat": lambda number: f"{number:06}.md",
    "in 100 directories": lambda number: f"{number % 100:02}/{number:06}.md",
    "in 10 directories, three levels down": lambda number: f"{number % 10}/b/c/{number:06}.md",
    "in a hidden directory": lambda number: f".git/{number:06}" if number else "a.md",
}


def renames(server: WireServer) -> Curves:
    """Time the rename of a directory by its number of files, and a GET and a PUT of each file by bare boto3."""
    curves = Curves("rename of a directory against its files", "files", "seconds", logarithmic=True)
    bare = bare_moves.client()
    for count in MOVED:
        commands, tenant = _commands(server, f"renames-{count}")
        server.delay(0)
        for number in range(count):
            commands.create(f"{ROOT}/0/{number:04}.md", "x" * 1_000)
        server.delay(BY_OPERATION.seconds)
        ours, theirs = [], []
        for number in range(RENAMES):
            begin = time.perf_counter()
            commands.rename(f"{ROOT}/{number}", f"{ROOT}/{number + 1}")
            ours.append(time.perf_counter() - begin)
            moved = f"memories/{tenant}/{number + 1}/"
            theirs.append(bare_moves.seconds_to_copy(bare, BUCKET, moved, f"bare/{tenant}/{number}/"))
        curves.points.setdefault("s3memory", []).append((count, round(statistics.median(ours), 4)))
        name = "a GET and a PUT of each by bare boto3"
        curves.points.setdefault(name, []).append((count, round(statistics.median(theirs), 4)))
    server.delay(0)
    return curves


def writers() -> Curves:
    """Measure commits a second by the number of writers, at 15 ms a request, on a server in this process."""
    curves = Curves("commits a second against writers", "writers", "commits a second")
    for one_file, name in ((True, "on one file"), (False, "on a file each")):
        for count in WRITERS:
            outcome = contention.run(count, one_file=one_file)
            curves.points.setdefault(name, []).append((count, round(outcome.commits / outcome.seconds, 2)))
    return curves


def tenants(server: WireServer) -> Curves:
    """Measure the peak memory of a process by the number of tenants that it has served."""
    curves = Curves("memory of a process against its tenants", "tenants", "peak memory, MB")
    environment = server.environment | {
        "PATH": os.defpath,
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)]),
        "S3MEMORY_BUCKET": BUCKET,
        "S3MEMORY_KMS_KEY_ID": KMS_KEY,
    }
    for count in TENANTS:
        done = subprocess.run(  # noqa: S603 - this interpreter, our program
            [sys.executable, "-c", _MEMORY_PROGRAM, str(count)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        curves.points.setdefault("one process, all its tenants kept", []).append(
            (count, round(int(done.stdout) / 1024, 2))
        )
    return curves


def _commands(server: WireServer, tenant: str) -> tuple[MemoryCommands, str]:
    store = MemoryStore(
        bucket=BUCKET,
        tenant=tenant,
        key_wrapper=KmsKeyWrapper(KMS_KEY, endpoint_url=server.url),
        s3_client=PROCESS.s3_client(endpoint_url=server.url),
        key_cache=KeyCache(),
    )
    return MemoryCommands(store), tenant
