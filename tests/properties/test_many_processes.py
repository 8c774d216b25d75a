"""Many processes with many threads change one file with every command: everything reported as done is stored.

Over HTTP, on a server that handles one request at a time, as S3 does for each object.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from support.fast_transport import TRANSPORT
from support.many_processes import MOVING, ROUNDS, SHARED, THREADS, places
from support.repository import REPOSITORY
from wire import WireServer

from s3memory import LocalKeyWrapper, MemoryCommands

PROCESSES = 4
# What a model may be told by any of them; anything else would be a bug.
CONTRACT = [
    r"insert: Error: The path \S+ does not exist",
    r"str_replace: Error: The path \S+ does not exist\. Please provide a valid path\.",
    r"str_replace: The path \S+ does not exist\. Please provide a valid path\.",
    r"str_replace: No replacement was performed, old_str `<[0-9.-]+>` did not appear verbatim in \S+\.",
    r"rename: Error: The path \S+ does not exist",
    r"rename: Error: The destination \S+ already exists",
    r"rename: Error: Other writers changed .* Nothing is lost\. View both before trying again\.",
    r"create: Error: File /memories/shared already exists",
    r"delete: Error: The path /memories/shared does not exist",
    r"\w+: Error: Other writers changed \S+ at every try\. Nothing was changed\. .*",
]


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    with WireServer(delay_seconds=0.001) as server:
        settings = {
            **server.environment,
            "S3MEMORY_BUCKET": "many",
            "S3MEMORY_ENDPOINT_URL": server.url,
            "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text(),
            "S3MEMORY_TRANSPORT": TRANSPORT,
        }
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        yield settings | {"PATH": os.defpath, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def test_everything_reported_as_done_is_stored_and_every_refusal_follows_the_contract(
    environment: dict[str, str],
) -> None:
    commands = MemoryCommands.from_env(tenant="acme")
    commands.create(f"{MOVING}/first", "")
    program = REPOSITORY / "tests" / "support" / "many_processes.py"
    running = [
        subprocess.Popen(  # noqa: S603 - this interpreter, our program
            [sys.executable, str(program), str(number)], env=environment, stdout=subprocess.PIPE, text=True
        )
        for number in range(PROCESSES)
    ]
    outcomes: list[dict[str, Any]] = [json.loads(process.communicate(timeout=300)[0]) for process in running]

    found = Counter(re.findall(r"<[^>]+>", "".join(commands.view(place) for place in places(commands))))
    inserted = [mark for outcome in outcomes for mark in outcome["inserted"]]
    assert len(inserted) == PROCESSES * THREADS * ROUNDS
    # A rename that meets edits of both the file and its copy leaves both, and says so: no mark is lost.
    assert [mark for mark in inserted if not found[mark]] == []

    done: Counter[str] = sum((Counter(outcome["done"]) for outcome in outcomes), Counter())
    assert done["create"] - done["delete"] == (SHARED in commands.view("/memories"))
    least = {"insert": len(inserted), "str_replace": ROUNDS, "rename": ROUNDS, "create": ROUNDS, "delete": ROUNDS}
    assert {command: done[command] for command in least if done[command] < least[command]} == {}

    refusals = {refusal for outcome in outcomes for refusal in outcome["refusals"]}
    assert [one for one in refusals if not any(re.fullmatch(text, one, re.DOTALL) for text in CONTRACT)] == []
