"""Measures commits a second under contention: 1, 4 and 16 writers, on one file and on separate files.

The server is in memory, and every request takes 15 ms, like S3: this measures compare-and-swap, not a server's speed.
Each writer inserts lines through its own store. Every insert that was reported as done must be in the file at the end.

Run it with ``make bench-contention``.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from support.memory_s3 import InMemoryS3

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory.errors import ConflictError

REQUEST_SECONDS = 0.015
INSERTS_A_WRITER = 20
WRITERS = (1, 4, 16)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one run: successful inserts (commits), refused inserts, requests, and wall time."""

    writers: int
    commits: int
    refused: int
    requests: int
    seconds: float


def run(writers: int, *, one_file: bool) -> Outcome:
    """Let this many writers insert lines. Check that the files hold every insert that was reported as done.

    Raises:
        SystemExit: they do not.
    """
    server = InMemoryS3()
    requests: list[str] = []

    def wait(operation: str, _: str) -> None:
        requests.append(operation)
        time.sleep(REQUEST_SECONDS)

    wrapper = LocalKeyWrapper(bytes(range(32)))

    def commands() -> MemoryCommands:
        client = server.client(before=wait)
        return MemoryCommands(
            MemoryStore(
                bucket="bench",
                tenant="acme",
                key_wrapper=wrapper,
                redactor=None,
                s3_client=client,  # type: ignore[arg-type]  # it has the methods that are needed
            )
        )

    paths = ["/memories/one" if one_file else f"/memories/{number}" for number in range(writers)]
    for path in dict.fromkeys(paths):
        commands().create(path, "")
    requests.clear()

    def write(number: int) -> tuple[int, int]:
        mine, done, refused = commands(), 0, 0
        for count in range(INSERTS_A_WRITER):
            try:
                mine.insert(paths[number], 0, f"{number} {count}")
                done += 1
            except ConflictError:
                refused += 1
        return done, refused

    begin = time.perf_counter()
    with ThreadPoolExecutor(writers) as pool:
        outcomes = list(pool.map(write, range(writers)))
    seconds = time.perf_counter() - begin
    count = len(requests)
    lines = sum(commands().view(path).count("\t") - 1 for path in dict.fromkeys(paths))
    commits = sum(done for done, _ in outcomes)
    if lines != commits:
        raise SystemExit(f"{commits} inserts were reported as done, but the files hold {lines}")
    return Outcome(writers, commits, sum(refused for _, refused in outcomes), count, seconds)


def main() -> None:
    """Print the table."""
    print(f"{INSERTS_A_WRITER} inserts a writer, {REQUEST_SECONDS * 1000:.0f} ms a request")
    print("| writers | on | commits | refused | commits a second | requests a commit |")
    print("|---|---|---|---|---|---|")
    for one_file in (True, False):
        for writers in WRITERS:
            outcome = run(writers, one_file=one_file)
            where = "one file" if one_file else "a file each"
            rate = outcome.commits / outcome.seconds
            each = outcome.requests / outcome.commits
            print(
                f"| {writers} | {where} | {outcome.commits} | {outcome.refused} | {rate:.1f} | {each:.1f} |", flush=True
            )


if __name__ == "__main__":
    main()
