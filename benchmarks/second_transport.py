"""What the second transport costs and carries beside boto3: a start, a first view, and views of many threads.

Run it with ``make bench-fast-transport``. Everybody asks one server on this machine, which answers from memory;
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
"""Of each: the program, its transport, and what it is compared with."""

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


def _rate(kind: str, at_once: int, environment: dict[str, str], object_key: str) -> tuple[float, float]:
    path = os.pathsep.join(entry for entry in [str(Path(__file__).parents[1]), *sys.path] if entry)
    done = subprocess.run(  # noqa: S603 - this interpreter, our program
        [sys.executable, "-S", "-c", _RATE, str(at_once), kind, object_key],
        env={**environment, "S3MEMORY_TRANSPORT": "boto3" if kind == "bare" else kind, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    a_second, cpu_seconds = map(float, done.stdout.split())
    return a_second, cpu_seconds


def main() -> None:
    """Print both tables."""
    with WireServer(delay_seconds=0) as server:
        # Nobody's profile: with one, botocore is asked.
        plain = {key: value for key, value in ENVIRONMENT.items() if key != "PYTHONDONTWRITEBYTECODE"}
        plain |= {"HOME": os.devnull, **server.environment}
        measure(f"{_CORE}; memory.create('/memories/notes.md', 'x' * 1000)", plain)
        nothing = instructions("pass", environment=plain)
        counts: dict[str, int] = {}
        print("| process | M instructions | to boto3 | MB |\n|---|---|---|---|")
        for name, (program, transport, base) in _STARTS.items():
            environment = {**plain, "S3MEMORY_TRANSPORT": transport}
            measure(program, environment)  # compiles
            counts[name] = instructions(program, environment=environment) - nothing
            megabytes = statistics.median(measure(program, environment)[1] for _ in range(ROUNDS)) / 1024
            print(
                f"| {name} | {counts[name] / 1e6:,.0f} | {counts[name] / counts[base]:.2f} | {megabytes:.0f} |",
                flush=True,
            )
        print("\n| at once | views a second, of bare boto3's GETs | on libcurl | CPU of a view, µs | on libcurl |")
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


if __name__ == "__main__":
    main()
