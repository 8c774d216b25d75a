"""Requests of a killed process may be carried out later: after others have acted, or after a repair.

Every order of the requests of two commands (or of a command and a repair), every point at which one of the two can be
killed, and for each of its requests in flight, every later point at which it is carried out, or never. No text may be
lost, and a repair must leave nothing half done. ``INTERLEAVINGS`` works as for pairs.
"""

from __future__ import annotations

import pytest
from support.interleaving import (
    REPAIR,
    Call,
    State,
    assert_no_text_is_lost,
    create,
    delete,
    insert,
    name,
    names,
    pending,
    rename,
    repair,
    replace,
    runs,
    server_with,
)
from support.memory_s3 import InMemoryS3

from s3memory.paths import MemoryPath

MOST = 30

# Each text has a unique line, which identifies it wherever it goes.
FILES: State = {
    MemoryPath(("x",)): "one\nof x",
    MemoryPath(("d", "a")): "one\nof a",
    MemoryPath(("d", "b")): "one\nof b",
}
KILLED = [rename("d", "e"), delete("d"), rename("x", "y"), delete("x"), replace("x"), create("y")]
OTHERS = [
    REPAIR,
    replace("x"),
    insert("d/a"),
    create("y"),
    create("d/n"),
    create("e/n"),
    delete("x"),
    delete("e"),
    rename("x", "z"),
    rename("y", "z"),
    rename("d", "w"),
    rename("e", "d"),
]

pytestmark = pytest.mark.usefixtures("strands")


@pytest.fixture(scope="module")
def base() -> InMemoryS3:
    return server_with(FILES)


@pytest.mark.parametrize("killed", KILLED, ids=name)
def test_requests_of_a_dead_process_lose_nothing_however_late_they_arrive(base: InMemoryS3, killed: Call) -> None:
    for other in [killed, *OTHERS]:
        calls = [killed, other]
        for run in runs("a crash, and requests that arrive late", base, calls, most=MOST, kills=True, late=True):
            assert_no_text_is_lost(run, calls, FILES)
            repair(run.server)
            assert_no_text_is_lost(run, calls, FILES)
            assert pending(run.server) == 0, f"{names(calls)}\n{run}"
