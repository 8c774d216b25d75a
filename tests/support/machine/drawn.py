"""Strategies that the rules of this machine use in addition to the general ones."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import strategies as st

from s3memory.contract.inputs import COMMANDS, VIEW
from s3memory.paths import ROOT, MemoryPath
from s3memory.testing.machine.calls import calls
from s3memory.testing.machine.model import ToolInput

_T = TypeVar("_T")

CALLS = calls(*COMMANDS)
WRITES = calls("create", "str_replace", "insert", "rename")
CHANGES = calls(*(command for command in COMMANDS if command != VIEW))
_DIRECTORIES = st.sampled_from([f"{ROOT}/{name}" for name in ("d", "e", "w", "w/e", "v/u/d")])
_MOVES = st.fixed_dictionaries({"command": st.just("rename"), "old_path": _DIRECTORIES, "new_path": _DIRECTORIES})
_REMOVALS = st.fixed_dictionaries({"command": st.just("delete"), "path": _DIRECTORIES})
LONG_CALLS = st.one_of(_MOVES, _MOVES, _REMOVALS)  # they make the most requests
PICKS = st.integers(0, 15)
# Which of the existing files and directories a command is about; or whatever its path says.
AIMS = st.one_of(st.none(), PICKS)


def paths_of(call: ToolInput) -> list[MemoryPath]:
    """Return the one or two paths of a call."""
    return [MemoryPath.parse(call[name]) for name in ("path", "old_path", "new_path") if name in call]


def picked(choices: list[_T], pick: int) -> _T:
    """Return one of the choices; any number is valid."""
    return choices[pick % len(choices)]
