"""Interference by others: another client, or an operator."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from hypothesis import strategies as st
from hypothesis.stateful import rule

from s3memory.paths import MemoryPath
from s3memory.testing.machine.calls import CLIENT_NUMBERS, CLIENTS
from s3memory.testing.machine.model import CommandOutcome, ToolInput, fail
from s3memory.testing.reference import Report
from support.machine.drawn import AIMS, CALLS, CHANGES, LONG_CALLS, PICKS, paths_of, picked
from support.machine.expected import ExpectingMachine
from support.machine.judgement import is_serial


class Meeting(Enum):
    """How the command that overtakes another relates to it."""

    ANY = auto()
    """Whatever it says."""
    PLACE = auto()
    """It is about one of the other's paths, or about a file below or a directory above it."""
    EQUAL = auto()
    """It is the same command."""


@dataclass(frozen=True, slots=True)
class Encounter:
    """One client's command, and another's complete command before one of its requests.

    Attributes:
        client: the client that is overtaken.
        calls: the command, and alternatives if it cannot be done.
        aim: which of the existing files or directories it is about.
        others: the other command, likewise.
        meeting: how that command relates to the first one.
        pick: which of the first command's paths it is about.
        at: the number of the request.
    """

    client: int
    calls: list[ToolInput]
    aim: int
    others: list[ToolInput]
    meeting: Meeting
    pick: int
    at: int


def _encounters(calls: st.SearchStrategy[ToolInput], at: st.SearchStrategy[int]) -> st.SearchStrategy[list[Encounter]]:
    return st.lists(
        st.builds(
            Encounter,
            client=CLIENT_NUMBERS,
            calls=st.lists(calls, min_size=1, max_size=3),
            aim=PICKS,
            others=st.lists(st.one_of(CHANGES, CHANGES, LONG_CALLS), min_size=1, max_size=3),
            meeting=st.sampled_from([*Meeting, Meeting.PLACE, Meeting.PLACE]),
            pick=PICKS,
            at=at,
        ),
        min_size=1,
        max_size=4,
    )


class Interlude(Enum):
    """What an operator does while a command is in progress."""

    ROTATE = auto()
    FORGET = auto()
    DELETE_AND_RESTORE = auto()
    REPAIR = auto()


class OvertakingRules(ExpectingMachine):
    """A command that others interfere with takes effect before or after theirs."""

    @rule(encounters=_encounters(CHANGES, st.sampled_from([2, 3, 4, 5, 5, 6, 7])))
    def command_overtaken(self, encounters: list[Encounter]) -> None:
        """A few commands about files, each overtaken by another command."""
        self.steps["command overtaken"] += 1
        for one in encounters:
            self._overtaken(one, sorted(self.files))

    @rule(encounters=_encounters(LONG_CALLS, st.integers(4, 14)))
    def directory_overtaken(self, encounters: list[Encounter]) -> None:
        """The same with commands about directories."""
        self.steps["directory overtaken"] += 1
        for one in encounters:
            self._overtaken(one, self.directories)

    def _overtaken(self, encounter: Encounter, there: list[MemoryPath]) -> None:
        self.tidy_up()
        client, at = encounter.client, encounter.at
        call = self.promising([self.aimed(call, encounter.aim, there=there) for call in encounter.calls])
        other = self.promising([self._meeting(other, call, encounter) for other in encounter.others])
        reports: list[Report] = []
        overtaker = (client + 1) % CLIENTS
        wire = self.clients[client].wire
        wire.interrupt(at, lambda: reports.append(self.send(overtaker, other)))
        report = self.send(client, call)
        wire.calm()
        if not reports:
            self.settle(call, report, self.outcomes(call))
            return
        before, seen, self.files = self.files, self.seen, self.read()
        self.events["overtaken"] += 1
        self.events["overtaken, and both were done"] += not report.is_error and not reports[0].is_error
        if not is_serial([call, other], [report, reports[0]], before, self.files):
            fail(
                f"no order of this and {other} explains it, {reports[0]}",
                call,
                report,
                before=before,
                after=self.files,
                outcomes=[],
            )
        self.no_new_intents(seen, call, report)

    def _meeting(self, other: ToolInput, call: ToolInput, encounter: Encounter) -> ToolInput:
        if encounter.meeting is Meeting.EQUAL:
            return call
        if encounter.meeting is Meeting.ANY:
            return other
        pick = encounter.pick
        places = {place for path in paths_of(call) for place in (path, *path.ancestors())}
        files = {file for file in self.files for path in paths_of(call) if file == path or file.is_below(path)}
        if other["command"] == "create":
            free = sorted(places - files) or sorted(places)
            # Sometimes with the same text that a rename brings there.
            texts = [self.files.get(paths_of(call)[0], other["file_text"]), other["file_text"]]
            return {**other, "path": str(picked(free, pick)), "file_text": picked(texts, pick)}
        place = picked(sorted(files) or sorted(places), pick)
        return {**other, "old_path" if other["command"] == "rename" else "path": str(place)}

    @rule(
        client=CLIENT_NUMBERS,
        call=st.one_of(CALLS, LONG_CALLS),
        aim=AIMS,
        interlude=st.sampled_from(Interlude),
        at=st.integers(2, 10),
        pick=PICKS,
    )
    def command_interrupted(
        self, *, client: int, call: ToolInput, aim: int | None, interlude: Interlude, at: int, pick: int
    ) -> None:
        """One client's command, and an operator's action before one of its requests."""
        self.steps["command interrupted"] += 1
        self.tidy_up()
        call = self.aimed(call, aim)
        outcomes = self.outcomes(call)
        seen = self.seen
        wire = self.clients[client].wire
        wire.interrupt(at, lambda: self._interlude(interlude, pick))
        report = self.send(client, call)
        if interlude is Interlude.REPAIR and wire.is_hit:
            # The operator may finish what this command announced, so that it finds nothing left to do.
            outcomes += [
                CommandOutcome(outcome.files, text=f"Error: The path {paths_of(call)[0]} does not exist")
                for outcome in outcomes
            ]
        self.events[f"interrupted: {interlude.name}"] += wire.is_hit
        wire.calm()
        self.settle(call, report, outcomes)
        self.no_new_intents(seen, call, report)

    def _interlude(self, interlude: Interlude, pick: int) -> None:
        if interlude is Interlude.ROTATE:
            self.backend.rotate()
        elif interlude is Interlude.FORGET:
            for client in self.clients:
                client.cache.clear()
        elif interlude is Interlude.REPAIR:
            self.backend.repair()
        elif stored := self.backend.seen().versions:
            version = picked(list(stored.values()), pick)
            self.backend.remove(version.path)
            self.backend.put(version.path, version.body, version.metadata)
