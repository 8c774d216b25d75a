"""Three simultaneous commands on overlapping paths: what holds if a third client acts between the halves of a rename.

For two commands of which one is about a file, a serial order explains everything (`test_interleavings`). For three that
is too much to promise: a rename is a copy followed by the deletion of the old file, and a third client can see, edit,
move or delete either in between. The rule is weaker only in this: some serial order of the commands, with each rename
in one piece or in its two (`Acts`), explains all reports and what is stored. No text is lost.

Every order of a triple is run if there are no more than `MOST`, otherwise a sample of that size, drawn from a seed
(``INTERLEAVINGS_SEED``); with ``INTERLEAVINGS=all`` (``make interleavings``), every order of every triple.
"""

from __future__ import annotations

import itertools

import pytest
from support.figures import FIGURES
from support.interleaving import (
    Call,
    State,
    assert_no_text_is_lost,
    create,
    delete,
    insert,
    is_serial,
    name,
    names,
    pending,
    rename,
    repair,
    replace,
    runs,
    server_with,
    state,
)
from support.memory_s3 import InMemoryS3
from support.pieces import is_explained_in_pieces

from s3memory.paths import MemoryPath

MOST = 10
MOST_WITH_A_DIRECTORY = 50

ON_FILES = [
    create("a"),
    create("b"),
    replace("a"),
    replace("b"),
    delete("a"),
    delete("b"),
    rename("a", "b"),
    rename("a", "c"),
    rename("b", "a"),
    rename("b", "c"),
    rename("c", "a"),
]
# Each text has a unique line, which identifies it wherever it goes.
FILES: dict[str, State] = {
    "a": {MemoryPath(("a",)): "one\nof a"},
    "a and b": {MemoryPath(("a",)): "one\nof a", MemoryPath(("b",)): "one\nof b"},
}
WITH_DIRECTORIES: State = {
    MemoryPath(("x",)): "one\nof x",
    MemoryPath(("d", "a")): "one\nof a",
    MemoryPath(("d", "b")): "one\nof b",
}
WITH_A_DIRECTORY = [
    [rename("d", "e"), replace("d/a"), rename("d/a", "x2")],
    [rename("d", "e"), replace("d/a"), delete("d/b")],
    [rename("d", "e"), create("d/n"), create("e")],
    [rename("d", "e"), create("e/n"), replace("d/a")],
    [rename("d", "e"), rename("x", "d/x"), insert("d/a")],
    [rename("d", "e"), rename("x", "e/x"), replace("x")],
    [rename("d", "e"), rename("d/a", "d/c"), delete("d/c")],
    [rename("d", "e"), replace("e/a"), replace("d/a")],
    [rename("d", "e"), delete("e/a"), replace("d/a")],
    [rename("d", "e"), rename("e/a", "d/a"), replace("d/a")],
    [delete("d"), rename("d/a", "x2"), replace("d/b")],
    [delete("d"), rename("x", "d/x"), replace("x")],
    [delete("d"), create("d/n"), rename("d/a", "d/n")],
]

pytestmark = pytest.mark.usefixtures("strands")


@pytest.fixture(scope="module")
def servers() -> dict[str, InMemoryS3]:
    return {name: server_with(files) for name, files in FILES.items()}


@pytest.mark.parametrize("present", FILES)
@pytest.mark.parametrize("one", ON_FILES, ids=name)
def test_a_serial_order_with_renames_in_two_pieces_explains_every_order_of_three_commands(
    servers: dict[str, InMemoryS3], present: str, one: Call
) -> None:
    files = FILES[present]
    for others in itertools.combinations_with_replacement(ON_FILES[ON_FILES.index(one) :], 2):
        calls = [one, *others]
        for run in runs("three commands on files", servers[present], calls, most=MOST):
            if not is_serial(run, files, calls):
                assert any(call["command"] == "rename" for call in calls), run
                assert is_explained_in_pieces(run, files, calls), f"{names(calls)}\n{run}\n{state(run.server)}"
                FIGURES["interleavings: explained with a rename in two pieces alone"] += 1
            assert_no_text_is_lost(run, calls, files)
            assert pending(run.server) == 0, run


@pytest.mark.parametrize("calls", WITH_A_DIRECTORY, ids=names)
def test_two_commands_on_files_and_one_on_their_directory_lose_no_text(calls: list[Call]) -> None:
    base = server_with(WITH_DIRECTORIES)
    for run in runs("two commands on files and one on a directory", base, calls, most=MOST_WITH_A_DIRECTORY):
        assert_no_text_is_lost(run, calls, WITH_DIRECTORIES)
        if pending(run.server):
            assert "Nothing is lost" in run.results[0].text, run
            repair(run.server)
            assert_no_text_is_lost(run, calls, WITH_DIRECTORIES)
            assert pending(run.server) == 0, run
