"""One of the processes of test_many_processes: ``python many_processes.py NAME``. It prints its reports to stdout."""

from __future__ import annotations

import json
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from s3memory import MemoryCommands
from s3memory.errors import S3MemoryError

THREADS = 3
ROUNDS = 8
MOVING = "/memories/moving"
SHARED = "/memories/shared"


def places(commands: MemoryCommands) -> list[str]:
    """Return the path of the file that everybody edits and moves; both paths while it is being moved."""
    listed = commands.view(MOVING).split("\n")[2:]
    return [line.partition("\t")[2] for line in listed]


def work(writer: str) -> tuple[list[str], Counter[str], list[str]]:
    """Edit the one file wherever it is, move it, create and delete another, and return what was reported as done."""
    commands = MemoryCommands.from_env(tenant="acme")
    inserted: list[str] = []
    done: Counter[str] = Counter()
    refusals: list[str] = []

    def attempt(command: str, **parameters: object) -> bool:
        try:
            commands.call({"command": command, **parameters})
        except S3MemoryError as error:
            refusals.append(f"{command}: {error.for_model}")
            return False
        done[command] += 1
        return True

    for number in range(ROUNDS):
        mark = f"<{writer}-{number}>"
        while not attempt("insert", path=(place := places(commands)[0]), insert_line=0, insert_text=mark):
            pass
        inserted.append(mark)
        changed = mark.replace(">", "!>")
        if attempt("str_replace", path=place, old_str=mark, new_str=changed):
            inserted[-1] = changed
        if number % 2:
            attempt("rename", old_path=place, new_path=f"{MOVING}/{writer}-{number}")
        attempt("create", path=SHARED, file_text=mark)
        attempt("delete", path=SHARED)
    return inserted, done, refusals


def main(name: str) -> None:
    """Work in several threads at once."""
    with ThreadPoolExecutor(THREADS) as pool:
        outcomes = list(pool.map(work, [f"{name}.{thread}" for thread in range(THREADS)]))
    print(  # noqa: T201 - that is how the test hears of it
        json.dumps(
            {
                "inserted": [mark for inserted, _, _ in outcomes for mark in inserted],
                "done": dict(sum((done for _, done, _ in outcomes), Counter())),
                "refusals": [refusal for _, _, refusals in outcomes for refusal in refusals],
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])
