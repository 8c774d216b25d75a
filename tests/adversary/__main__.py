"""A long run in two processes: ``python -m adversary --seconds 1800``. It prints its counts and findings."""

from __future__ import annotations

import argparse
import logging
import secrets
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from adversary.network import network
from adversary.run import Report, run

_PROCESSES = 2
_BATCH = 250
_OVER_SOCKETS = 10  # of each batch; the first half of them over TLS


def _batch(first: int) -> Report:
    logging.disable(logging.CRITICAL)
    report = run(range(first, first + _BATCH), most_found=3)
    for tls in (True, False):
        with tempfile.TemporaryDirectory() as directory, network(Path(directory), tls=tls) as connected:
            half = range(first, first + _OVER_SOCKETS // 2) if tls else range(first + 5, first + _OVER_SOCKETS)
            over = run(half, network=connected)
            report.counts[f"of these once more over {'TLS' if tls else 'plain'} sockets"] += over.counts["histories"]
            report.found += over.found
    return report


def main() -> None:
    """Run batches of seeds until time is up."""
    parser = argparse.ArgumentParser(prog="adversary", description=__doc__)
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument(
        "--seed", type=int, default=secrets.randbelow(10**9), help="where seeds begin (default: anywhere)"
    )
    parser.add_argument("--only", type=int, help="run one seed, and show its history")
    given = parser.parse_args()
    if given.only is not None:
        report = run([given.only])
        print(*report.found, report, sep="\n")  # noqa: T201 - it is a program
        sys.exit(bool(report.found))
    print(f"seeds from {given.seed}", flush=True)  # noqa: T201
    total = Report(Counter(), Counter(), [])
    end = time.monotonic() + given.seconds
    with ProcessPoolExecutor(_PROCESSES) as processes:
        firsts = iter(range(given.seed, 2**62, _BATCH))
        under_way = [processes.submit(_batch, next(firsts)) for _ in range(_PROCESSES)]
        while under_way:
            report = under_way.pop(0).result()
            total.counts.update(report.counts)
            total.faults.update(report.faults)
            total.found += report.found
            for found in report.found:
                print(found, end="\n\n", flush=True)  # noqa: T201
            if time.monotonic() < end:
                under_way.append(processes.submit(_batch, next(firsts)))
    print(total)  # noqa: T201
    sys.exit(bool(total.found))


if __name__ == "__main__":
    main()
