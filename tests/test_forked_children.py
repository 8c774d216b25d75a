"""What is of one process begins anew in a forked child, in the order in which it was made."""

from __future__ import annotations

import gc
import os
import sys
import weakref

import pytest
from support.repository import REPOSITORY

from s3memory import _forks
from s3memory._forks import OfOneProcess

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")


class Notes(OfOneProcess):
    """Notes in a list of its own and others that it began anew."""

    def __init__(self, name: str, noted: list[str]) -> None:
        self.name = name
        self.noted = noted
        super().__init__()

    def begin_anew(self) -> None:
        self.noted.append(self.name)


def in_child(noted: list[str]) -> str:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, " ".join(noted).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as said:
        return said.read()


def test_all_begin_anew_in_a_child_in_their_order_and_nothing_in_the_parent() -> None:
    noted: list[str] = []
    those = [Notes(name, noted) for name in "abc"]
    assert [one.name for one in those] == noted == ["a", "b", "c"]  # as they were made
    noted.clear()
    assert in_child(noted) == "a b c"
    assert noted == []


@pytest.mark.usefixtures("few_to_collect")
def test_what_nobody_uses_any_more_is_not_kept() -> None:
    noted: list[str] = []
    one = Notes("gone", noted)
    reference = weakref.ref(one)
    noted.clear()
    del one
    gc.collect()
    assert reference() is None
    assert None not in [kept() for kept in _forks._instances.values()]
    assert in_child(noted) == ""


class Refusing(Notes):
    """Notes that can't be begun anew in a child."""

    def begin_anew(self) -> None:
        if self.noted:
            raise RuntimeError(self.name)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_one_that_fails_keeps_no_other_from_beginning_anew() -> None:
    noted: list[str] = []
    those = [Notes("a", noted), Refusing("refuses", []), Notes("b", noted)]
    those[1].noted.append("in use")
    noted.clear()
    assert in_child(noted) == "a b"


def test_one_that_another_drops_in_the_child_begins_anew_before_it_is_freed() -> None:
    noted: list[str] = []

    class Held(Notes):
        def __del__(self) -> None:
            self.noted.append("freed")

    class Holding(Notes):
        def begin_anew(self) -> None:
            self.held: Notes | None = None

    holding = Holding("holds", noted)
    holding.held = Held("held", noted)
    noted.clear()
    assert in_child(noted) == "held freed"
    assert noted == []  # the parent has it still


def test_hooks_on_fork_are_installed_in_one_place() -> None:
    sources = (REPOSITORY / "s3memory").rglob("*.py")
    assert [path.name for path in sources if "register_at_fork" in path.read_text("utf-8")] == ["_forks.py"]
