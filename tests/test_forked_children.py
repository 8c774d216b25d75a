"""Process-local objects are reset in a forked child, in the order of their creation."""

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
    """A process-local object that records its own reset in a shared list."""

    def __init__(self, name: str, noted: list[str]) -> None:
        self.name = name
        self.noted = noted
        super().__init__()

    def reset_after_fork(self) -> None:
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


def test_all_are_reset_in_a_child_in_order_and_none_in_the_parent() -> None:
    noted: list[str] = []
    those = [Notes(name, noted) for name in "abc"]
    assert [one.name for one in those] == noted == ["a", "b", "c"]  # as they were created
    noted.clear()
    assert in_child(noted) == "a b c"
    assert noted == []


@pytest.mark.usefixtures("few_to_collect")
def test_unused_objects_are_not_kept_alive() -> None:
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
    """An object whose reset fails in a child."""

    def reset_after_fork(self) -> None:
        if self.noted:
            raise RuntimeError(self.name)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_failing_reset_does_not_stop_the_others() -> None:
    noted: list[str] = []
    those = [Notes("a", noted), Refusing("refuses", []), Notes("b", noted)]
    those[1].noted.append("in use")
    noted.clear()
    assert in_child(noted) == "a b"


def test_an_object_that_another_drops_in_the_child_is_reset_before_it_is_freed() -> None:
    noted: list[str] = []

    class Held(Notes):
        def __del__(self) -> None:
            self.noted.append("freed")

    class Holding(Notes):
        def reset_after_fork(self) -> None:
            self.held: Notes | None = None

    holding = Holding("holds", noted)
    holding.held = Held("held", noted)
    noted.clear()
    assert in_child(noted) == "held freed"
    assert noted == []  # the parent still has it


def test_fork_hooks_are_installed_in_one_place() -> None:
    sources = (REPOSITORY / "s3memory").rglob("*.py")
    assert [path.name for path in sources if "register_at_fork" in path.read_text("utf-8")] == ["_forks.py"]
