"""Compares the second transport, libcurl, with boto3: a start, a first view, many views, and work on many files.

Run it with ``make bench-fast-transport``. All clients use one server on this machine, which answers from memory.
valgrind has to be installed.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Final

from cold_start import CLIENTS, ENVIRONMENT
from instructions import instructions
from starting import measure
from wire import WireServer

ROUNDS: Final = 3
AT_ONCE: Final = (32, 128)
FILES: Final = 1_000
WORK_SECONDS: Final = (0.0, 0.02)
"""The latencies of a request during work on all files."""
_VIEWS: Final = 4_096
_CORE: Final = "import s3memory; memory = s3memory.MemoryCommands.from_env(tenant='acme')"
_VIEW: Final = "memory.call({'command': 'view', 'path': '/memories/notes.md'})"
_BARE: Final = "from bare_clients import Bare; import boto3; bare = Bare(boto3.client)"
_STARTS: Final = {
    "boto3, clients of S3 and KMS": (CLIENTS, "boto3", "boto3, clients of S3 and KMS"),
    "the same, and the requests of a first view": (
        f"{_BARE}; bare.view()",
        "boto3",
        "the same, and the requests of a first view",
    ),
    "core ready, on boto3": (_CORE, "boto3", "boto3, clients of S3 and KMS"),
    "core ready and first view, on boto3": (
        f"{_CORE}; {_VIEW}",
        "boto3",
        "the same, and the requests of a first view",
    ),
    "core ready, on libcurl": (_CORE, "fast", "boto3, clients of S3 and KMS"),
    "core ready and first view, on libcurl": (
        f"{_CORE}; {_VIEW}",
        "fast",
        "the same, and the requests of a first view",
    ),
}
"""For each start: the program, its transport, and the start that it is compared with."""

_RATE: Final = f"""
import os, sys, threading, time
at_once, kind = int(sys.argv[1]), sys.argv[2]
if kind == "bare":
    import boto3
    from botocore.config import Config
    s3 = boto3.client("s3", config=Config(max_pool_connections=at_once, s3={{"addressing_style": "path"}}))
    bucket, key = os.environ["S3MEMORY_BUCKET"], sys.argv[3]
    def ask(): s3.get_object(Bucket=bucket, Key=key)["Body"].read()
else:
    {_CORE}
    def ask(): {_VIEW}
def work(count):
    for _ in range(count): ask()
def all_of(count):
    threads = [threading.Thread(target=work, args=(count,)) for _ in range(at_once)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
all_of(2)
wall, cpu = time.perf_counter(), time.process_time()
all_of({_VIEWS} // at_once)
print({_VIEWS} / (time.perf_counter() - wall), (time.process_time() - cpu) / {_VIEWS}, flush=True)
os._exit(0)
"""

_ASYNC_RATE: Final = f"""
import asyncio, os, sys, time
at_once = int(sys.argv[1])
import s3memory
tool = s3memory.AsyncS3MemoryTool.from_env(tenant='acme')
view, longest, is_over = {{"command": "view", "path": "/memories/notes.md"}}, 0.0, False
async def tick():
    global longest
    while not is_over:
        began = time.perf_counter()
        await asyncio.sleep(0.001)
        longest = max(longest, time.perf_counter() - began - 0.001)
async def work(count):
    for _ in range(count): await tool.call(view)
async def main():
    global longest, is_over
    await asyncio.gather(*(work(2) for _ in range(at_once)))
    ticker = asyncio.create_task(tick())
    await asyncio.sleep(0.01)
    longest = 0.0
    wall = time.perf_counter()
    await asyncio.gather(*(work({_VIEWS} // at_once) for _ in range(at_once)))
    took, is_over = time.perf_counter() - wall, True
    await ticker
    print({_VIEWS} / took, longest, flush=True)
asyncio.run(main())
os._exit(0)
"""
"""Prints views a second and the loop's longest stall in seconds."""

_WORK: Final = f"""
import os, sys, time
from concurrent.futures import ThreadPoolExecutor
kind, delay_seconds = sys.argv[1], float(sys.argv[2])
from wire import WireServer
server = WireServer(delay_seconds=0)
server.url = os.environ["AWS_ENDPOINT_URL"]
TENANT = f"work-{{os.getpid()}}"
def timed(name, call):
    began = time.perf_counter(); call(); print(name, time.perf_counter() - began, flush=True)
if kind == "bare":
    import boto3, bare_moves
    s3, bucket, old = bare_moves.client(), os.environ["S3MEMORY_BUCKET"], f"bare/{{TENANT}}/old/"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: s3.put_object(Bucket=bucket, Key=f"{{old}}{{n}}.md", Body=b"x" * 1000), range({FILES})))
    server.delay(delay_seconds)
    def copy(key):
        s3.copy_object(Bucket=bucket, Key=key.replace("/old/", "/new/"), CopySource={{"Bucket": bucket, "Key": key}})
    def rename():
        keys = list(bare_moves.keys(s3, bucket, old))
        with ThreadPoolExecutor(bare_moves.THREADS) as pool: list(pool.map(copy, keys))
        s3.delete_objects(Bucket=bucket, Delete={{"Objects": [{{"Key": key}} for key in keys], "Quiet": True}})
    timed("rename", rename)
else:
    import s3memory
    from s3memory.admin.transfer.exporting import export
    from s3memory.admin.verify import verify
    from s3memory.s3 import capabilities
    capabilities.record(os.environ["AWS_ENDPOINT_URL"], os.environ["S3MEMORY_BUCKET"], honoured=True)
    from s3memory.config.settings import Settings
    store = s3memory.MemoryStore.from_settings(Settings.from_env(), tenant=TENANT)
    memory = s3memory.MemoryCommands(store)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: memory.create(f"/memories/old/{{n}}.md", f"{{n}} " + "x" * 1000), range({FILES})))
    server.delay(delay_seconds)
    timed("rename", lambda: memory.rename("/memories/old", "/memories/new"))
    timed("export", lambda: export(store, lambda _: True))
    timed("search", lambda: memory.search("no such text"))
    timed("verify", lambda: verify(store, lambda _: None))
server.delay(0)
os._exit(0)
"""
"""Prints the name and the seconds of each job. Bare boto3 copies on the server and deletes 1,000 keys at once."""


def _run(program: str, *arguments: str, environment: dict[str, str]) -> list[list[str]]:
    """Run a program of this module in a new process. Return the words of each line that it printed."""
    path = os.pathsep.join(entry for entry in [str(Path(__file__).parents[1]), *sys.path] if entry)
    done = subprocess.run(  # noqa: S603 - this interpreter, our program
        [sys.executable, "-S", "-c", program, *arguments],
        env={**environment, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.split() for line in done.stdout.splitlines()]


def _rate(kind: str, at_once: int, environment: dict[str, str], object_key: str) -> tuple[float, float]:
    environment = {**environment, "S3MEMORY_TRANSPORT": "boto3" if kind == "bare" else kind}
    (printed,) = _run(_RATE, str(at_once), kind, object_key, environment=environment)
    a_second, cpu_seconds = map(float, printed)
    return a_second, cpu_seconds


def main() -> None:
    """Print all tables."""
    with WireServer(delay_seconds=0) as server:
        # Without a profile in the home directory: with one, botocore would be imported.
        plain = {key: value for key, value in ENVIRONMENT.items() if key != "PYTHONDONTWRITEBYTECODE"}
        plain |= {"HOME": os.devnull, **server.environment}
        measure(f"{_CORE}; memory.create('/memories/notes.md', 'x' * 1000)", plain)
        nothing = instructions("pass", environment=plain)
        counts: dict[str, int] = {}
        print("| process | M instructions | to boto3 | MB |\n|---|---|---|---|")
        for name, (program, transport, base) in _STARTS.items():
            environment = {**plain, "S3MEMORY_TRANSPORT": transport}
            measure(program, environment)  # compiles all modules
            counts[name] = instructions(program, environment=environment) - nothing
            megabytes = statistics.median(measure(program, environment)[1] for _ in range(ROUNDS)) / 1024
            print(
                f"| {name} | {counts[name] / 1e6:,.0f} | {counts[name] / counts[base]:.2f} | {megabytes:.0f} |",
                flush=True,
            )
        print("\n| at once | views a second on boto3, to bare GETs | on libcurl | CPU of a view, µs | on libcurl |")
        print("|---|---|---|---|---|")
        for at_once in AT_ONCE:
            taken: dict[str, list[tuple[float, float]]] = {"bare": [], "boto3": [], "fast": []}
            for _ in range(ROUNDS):
                for kind, rates in taken.items():
                    rates.append(_rate(kind, at_once, plain, "memories/acme/notes.md"))
            rate = {kind: statistics.median(one for one, _ in rates) for kind, rates in taken.items()}
            cpu = {kind: statistics.median(one for _, one in rates) * 1e6 for kind, rates in taken.items()}
            print(
                f"| {at_once} | {rate['boto3'] / rate['bare']:.1f} | {rate['fast'] / rate['bare']:.1f} "
                f"| {cpu['boto3']:,.0f} | {cpu['fast']:,.0f} |",
                flush=True,
            )
        _print_asynchronous_views(plain)
        _print_work(plain)


def _print_asynchronous_views(environment: dict[str, str]) -> None:
    print("\n| at once | views a second, `AsyncS3MemoryTool` on boto3 | on libcurl | longest stall, ms | on libcurl |")
    print("|---|---|---|---|---|")
    for at_once in AT_ONCE:
        taken: dict[str, list[list[float]]] = {"boto3": [], "fast": []}
        for _ in range(ROUNDS):
            for kind, rates in taken.items():
                (printed,) = _run(_ASYNC_RATE, str(at_once), environment={**environment, "S3MEMORY_TRANSPORT": kind})
                rates.append(list(map(float, printed)))
        cells = [
            f"{scale * statistics.median(one[column] for one in rates):,.0f}"
            for column, scale in ((0, 1), (1, 1_000))
            for rates in taken.values()
        ]
        print(f"| {at_once} | {' | '.join(cells)} |", flush=True)


def _print_work(environment: dict[str, str]) -> None:
    print(f"\n| {FILES:,} files | ms a request | s, boto3 | s, libcurl | ratio | copies on the server by boto3, s |")
    print("|---|---|---|---|---|---|")
    for delay_seconds in WORK_SECONDS:
        taken: dict[tuple[str, str], list[float]] = {}
        for _ in range(ROUNDS):
            for kind in ("bare", "boto3", "fast"):
                settings = {**environment, "S3MEMORY_TRANSPORT": "boto3" if kind == "bare" else kind}
                for what, seconds in _run(_WORK, kind, str(delay_seconds), environment=settings):
                    taken.setdefault((what, kind), []).append(float(seconds))
        medians = {both: statistics.median(seconds) for both, seconds in taken.items()}
        for what in ("rename", "export", "search", "verify"):
            boto3, fast, bare = (medians.get((what, kind)) for kind in ("boto3", "fast", "bare"))
            if boto3 is None or fast is None:
                raise AssertionError(f"{what} was not measured")
            peer = "" if bare is None else f"{bare:.2f}"
            print(
                f"| {what} | {delay_seconds * 1000:.0f} | {boto3:.2f} | {fast:.2f} | {boto3 / fast:.1f} | {peer} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
