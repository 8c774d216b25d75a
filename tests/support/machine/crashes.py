"""A process that dies in the middle of a directory operation, what others do then, and how it is finished."""

from __future__ import annotations

from enum import Enum, auto

from hypothesis import strategies as st
from hypothesis.stateful import rule

from s3memory.paths import ROOT, MemoryPath
from s3memory.testing.machine.calls import CLIENT_NUMBERS, CLIENTS
from s3memory.testing.machine.model import ToolInput, reference, require
from support.machine.drawn import PICKS, picked
from support.machine.repairing import RepairRules
from support.machine.trouble import TroubleRules
from support.machine.wire import Fault, Trouble

_OLD, _NEW = f"{ROOT}/m", f"{ROOT}/n"
_NAMES = ("a", "b", "s/a", "s/b", "s/c")
# Whether it is a rename, and the number of the first request that is not sent.
_IN_A_MOVE = st.tuples(st.just(True), st.integers(5, 22))  # noqa: FBT003 - a value to draw
_IN_A_REMOVAL = st.tuples(st.just(False), st.integers(3, 5))  # noqa: FBT003 - likewise


class Meanwhile(Enum):
    """What another client does between a crash and the command that finishes the work."""

    NOTHING = auto()
    EDIT = auto()
    CREATE = auto()
    DELETE = auto()
    MOVE = auto()


class CrashRules(TroubleRules, RepairRules):
    """A crashed directory operation can be finished, and what others did in the meantime stays as they left it."""

    @rule(
        client=CLIENT_NUMBERS,
        count=st.integers(3, len(_NAMES)),
        at=st.one_of(_IN_A_MOVE, _IN_A_MOVE, _IN_A_REMOVAL),
        fault=st.sampled_from([Fault.CRASH, Fault.CRASH, Fault.PARTLY]),
        meanwhile=st.sampled_from(Meanwhile),
        pick=PICKS,
        by_repair=st.booleans(),
    )
    def directory_crash(
        self,
        *,
        client: int,
        count: int,
        at: tuple[bool, int],
        fault: Fault,
        meanwhile: Meanwhile,
        pick: int,
        by_repair: bool,
    ) -> None:
        """A directory rename or delete that crashes, another client's command, and the finish."""
        self.steps["directory crash"] += 1
        self.tidy_up()
        self._fill(client, count)
        moves, number = at
        call = {"command": "rename", "old_path": _OLD, "new_path": _NEW} if moves else _deletion(_OLD)
        outcome = reference(self.files, call)
        self.clients[client].wire.trouble([Trouble(fault, number)])
        self._endure(client, call, [outcome])
        if not self.is_pending(call):
            return
        self.events["directory crash left an intent"] += 1
        edit = self._edit(meanwhile, pick)
        if edit is not None:
            self.events["edited between crash and end"] += 1
            self.command((client + 1) % CLIENTS, edit)
        if by_repair:
            self._repair(client)
            if edit is None:
                require(self.files == outcome.files, f"repair ends {call}", files=self.files, expected=outcome.files)
        elif edit is None:
            self._finish(client, call, outcome)
        else:
            self.command(client, call)

    def _fill(self, client: int, count: int) -> None:
        if any(path.is_below(MemoryPath.parse(_NEW)) for path in self.files):
            self.command(client, _deletion(_NEW))
        for name in _NAMES[:count]:
            if MemoryPath.parse(f"{_OLD}/{name}") not in self.files:
                self.command(client, {"command": "create", "path": f"{_OLD}/{name}", "file_text": f"x\n{name}\n"})

    def _edit(self, kind: Meanwhile, pick: int) -> ToolInput | None:
        if kind is Meanwhile.CREATE:
            return {"command": "create", "path": f"{picked([_OLD, _NEW], pick)}/new", "file_text": "new"}
        there = [path for path in self.files if path.segments[0] in {"m", "n"}]
        if kind is Meanwhile.NOTHING or not there:
            return None
        place = str(picked(sorted(there), pick))
        if kind is Meanwhile.EDIT:
            return {"command": "insert", "path": place, "insert_line": 0, "insert_text": "edited"}
        if kind is Meanwhile.DELETE:
            return _deletion(place)
        return {"command": "rename", "old_path": place, "new_path": f"{ROOT}/moved"}


def _deletion(path: str) -> ToolInput:
    return {"command": "delete", "path": path}
