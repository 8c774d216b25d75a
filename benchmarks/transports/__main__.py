"""Compares the cost of libraries that could send the requests to S3 with boto3's. ``make bench-transports``.

Each library runs in its own process, and uses a server on this machine that gives every request the same response.
valgrind counts the instructions of the process beyond an empty interpreter's, however busy the machine is. GETs a
second do depend on the load, so they are ratios to boto3 in the same round.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final

from instructions import instructions

from transports.async_clients import ASYNC_CLIENTS
from transports.clients import CLIENTS

_BASE: Final = "boto3"
_ROUNDS: Final = 3
_WARM: Final = 20
_AT_ONCE: Final = (1, 32, 128)
_DELAYS_MS: Final = (0, 20)
_GETS: Final = {"boto3": 400, "botocore": 400}
_MANY_GETS: Final = 1_600
_MEMORY: Final = """
import sys
from transports.clients import CLIENTS, PATH
CLIENTS[sys.argv[1]]()(PATH)
from peak import peak_kilobytes
print(peak_kilobytes(), flush=True)
import os
os._exit(0)  # some of the libraries wait for their threads
"""
_COUNTED: Final = """
from transports.clients import CLIENTS, PATH
get = CLIENTS[{name!r}]()
for _ in range({gets}):
    get(PATH)
import os
os._exit(0)
"""


@contextmanager
def _server(delay_ms: int) -> Iterator[dict[str, str]]:
    """Run a server. Yield the environment of processes that use it."""
    with subprocess.Popen(  # noqa: S603 - this interpreter, our program
        [sys.executable, "-m", "transports.answering", str(delay_ms)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        if server.stdout is None:
            raise AssertionError("it has a pipe")
        port = server.stdout.readline().strip()
        try:
            yield {
                **os.environ,
                "AWS_ACCESS_KEY_ID": "testing",
                "AWS_SECRET_ACCESS_KEY": "testing",
                "AWS_DEFAULT_REGION": "eu-central-1",
                "AWS_ENDPOINT_URL_S3": f"http://localhost:{port}",
            }
        finally:
            server.communicate()


def _ran(arguments: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(  # noqa: S603 - this interpreter, our program
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def starts() -> str:
    """Return the table of first and of warm GETs: instructions and memory."""
    with _server(0) as environment, ThreadPoolExecutor(os.cpu_count()) as pool:

        def count(name: str, gets: int) -> int:
            return instructions(_COUNTED.format(name=name, gets=gets), environment=environment)

        names = list(CLIENTS)
        # awscrt's S3 client works in threads, some of them busy loops; valgrind runs one thread at a time.
        first = dict(zip(names, pool.map(lambda name: count(name, 1), names), strict=True))
        warm = dict(zip(names, pool.map(lambda name: count(name, 1 + _WARM), names), strict=True))
        nothing = instructions("pass", environment=environment)
        megabytes = {
            name: statistics.median(int(_ran(["-c", _MEMORY, name], environment)) / 1024 for _ in range(_ROUNDS))
            for name in names
        }
    lines = [
        "| library | M instructions to the end of a first GET | to boto3 | of each GET after it | MB |",
        "|---|---|---|---|---|",
    ]
    base = first[_BASE] - nothing
    for name in names:
        of_first, of_warm = first[name] - nothing, (warm[name] - first[name]) / _WARM
        lines.append(
            f"| {name} | {of_first / 1e6:,.0f} | {of_first / base:.2f} | {of_warm / 1e6:.2f} | {megabytes[name]:.0f} |"
        )
    return "\n".join(lines)


def rates() -> str:
    """Return the table of GETs a second from one process."""
    columns = [(delay_ms, at_once) for delay_ms in _DELAYS_MS for at_once in _AT_ONCE]
    names = [*CLIENTS, *ASYNC_CLIENTS]
    found: dict[str, list[str]] = {name: [] for name in names}
    for delay_ms, at_once in columns:
        measured: dict[str, list[dict[str, float]]] = {name: [] for name in names}
        with _server(delay_ms) as environment:
            for _ in range(_ROUNDS):
                for name in names:
                    gets = 60 if delay_ms and at_once == 1 else _GETS.get(name, _MANY_GETS)
                    arguments = ["-m", "transports.process", name, str(at_once), str(gets)]
                    measured[name].append(json.loads(_ran(arguments, environment)))
        for name in names:
            pairs = zip(measured[name], measured[_BASE], strict=True)
            ratio = statistics.median(one["a_second"] / base["a_second"] for one, base in pairs)
            cpu = statistics.median(one["cpu_seconds_each"] for one in measured[name]) * 1e6
            found[name].append(f"{ratio:.1f} ({cpu:.0f} µs)")
    heads = [f"{at_once} at once, {delay_ms} ms" for delay_ms, at_once in columns]
    lines = [f"| library | {' | '.join(heads)} |", "|---" * (1 + len(heads)) + "|"]
    lines += [f"| {name} | {' | '.join(cells)} |" for name, cells in found.items()]
    return "\n".join(lines) + "\n\nGETs a second, divided by boto3's; in brackets the CPU time of one GET."


def main() -> None:
    """Print both tables."""
    print(starts())
    print()
    print(rates())


if __name__ == "__main__":
    main()
