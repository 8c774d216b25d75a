"""What each command may do: the reference, split up where `docs/semantics.md` says that a command is not one step.

A command is a small machine. `steps` returns its possible next steps for the stored files, as pairs of its next
position and the files then; `ends` says whether it may have been answered as it was at its position. A command with an
unknown outcome continues after its answer: its requests may arrive later.
"""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

from adversary.history import ROOT, Call, Command, FileReport, Files, Kind
from s3memory.paths import MemoryPath
from s3memory.testing.reference import ReferenceMemory, Report

Local = Any
Step = tuple[Local, Files]

START, DONE, PLACED, TAKEN_BACK = "start", "done", "placed", "taken back"
FORBIDDEN = "forbidden"
"""The text that a strict client's redactor refuses."""
UNSETTLED = {Kind.BEGUN, Kind.UNKNOWN, Kind.DIED}


@functools.lru_cache(maxsize=200_000)
def refer(files: Files, call_text: str) -> tuple[Report, Files]:
    """Return the reference's report and files."""
    memory = ReferenceMemory({MemoryPath.parse(path): text for path, text in files})
    report = memory.call(json.loads(call_text))
    return report, frozenset((str(path), text) for path, text in memory.files.items())


def text_at(files: Files, path: str) -> str | None:
    """Return a file's text."""
    return next((text for at, text in files if at == path), None)


def below(files: Files, path: str) -> list[str]:
    """Return the files below a directory."""
    return sorted(at for at, _ in files if at.startswith(f"{path}/"))


def stored(files: Files, path: str, text: str | None) -> Files:
    """Return the files after one got a text, or was removed."""
    others = frozenset(file for file in files if file[0] != path)
    return others if text is None else others | {(path, text)}


class Machine:
    """One command as a machine.

    Args:
        command: the command.
        resumes: whether the same command was started before.
        comes_again: whether its new file may be stored twice, if it is removed in between.

    Attributes:
        initial: its position at the beginning.
    """

    def __init__(self, command: Command, *, resumes: bool = False, comes_again: bool = False) -> None:
        self.command = command
        self.comes_again = comes_again
        self.initial: Files = frozenset()
        self.call = command.call
        self.resumes = resumes
        self.call_text = json.dumps(self.call)

    @property
    def kind(self) -> Kind:
        """The kind of its answer."""
        return self.command.outcome.kind

    def steps(self, local: Local, files: Files) -> Iterator[Step]:
        """Yield the possible next steps."""
        raise NotImplementedError

    def ends(self, local: Local) -> bool:
        """Whether the command may have been answered as it was, at this position."""
        raise NotImplementedError

    def after(self, local: Local) -> Local | None:  # noqa: ARG002 - for those that go on
        """Return the position from which an answered command continues; ``None`` if it does nothing more."""
        return None

    def again(self, state: Local, files: Files, path: str) -> Iterator[Step]:
        """Yield the step that stores the copy once more."""
        if self.comes_again and state[0] == COPIED and text_at(files, path) is None:
            yield state, stored(files, path, state[1])


class Atomic(Machine):
    """A command that is one step, or none: views, new files, edits, and the delete of a file."""

    def steps(self, local: Local, files: Files) -> Iterator[Step]:
        """As in the reference, if that gives the same answer."""
        if local == DONE and self.comes_again and text_at(files, self.call["path"]) is None:
            yield DONE, stored(files, self.call["path"], self.call["file_text"])
        if local == DONE or self.kind is Kind.UNCHANGED:
            return
        report, then = refer(files, self.call_text)
        if self.kind in UNSETTLED:
            if not report.is_error:
                yield DONE, then
        elif report.is_error == (self.kind is Kind.REFUSED) and report.text == self.command.outcome.text:
            yield DONE, then

    def ends(self, local: Local) -> bool:
        """A success must be explained, and so must a refusal because of what is stored."""
        return local == DONE or self.kind not in {Kind.DONE, Kind.REFUSED} or self.command.outcome.is_by_text

    def after(self, local: Local) -> Local | None:
        """A request that may have been sent may arrive later."""
        return local if self.kind in UNSETTLED and local != DONE else None


class Creating(Atomic):
    """A create: it writes while it checks, and undoes the write if a check finds an obstacle, or fails."""

    def steps(self, local: Local, files: Files) -> Iterator[Step]:
        """It is written and removed again, and possibly refused; or it is one step."""
        yield from self.placed(local, files)
        if local != PLACED and (local != TAKEN_BACK or self.kind is Kind.REFUSED):
            yield from super().steps(local, files)

    def placed(self, local: Local, files: Files) -> Iterator[Step]:
        """Write a file that will not stay, and remove it again."""
        path, text = self.call["path"], self.call["file_text"]
        if local == PLACED:
            yield TAKEN_BACK, stored(files, path, None) if text_at(files, path) == text else files
        elif local == START and self.kind is not Kind.DONE and text_at(files, path) is None:
            yield PLACED, stored(files, path, text)

    def ends(self, local: Local) -> bool:
        """A removed file changed nothing, and is no reason for a refusal."""
        if local in {PLACED, TAKEN_BACK} and self.kind is not Kind.REFUSED:
            return local == TAKEN_BACK or self.kind in UNSETTLED
        return local != PLACED and super().ends(local)


class Overwriting(Creating):
    """A create that may replace a file."""

    def steps(self, local: Local, files: Files) -> Iterator[Step]:
        """It is never refused because a file exists."""
        yield from self.placed(local, files)
        if local in {PLACED, TAKEN_BACK}:
            return
        if local == DONE and self.comes_again and text_at(files, self.call["path"]) is None:
            yield DONE, stored(files, self.call["path"], self.call["file_text"])
        if local == DONE or self.kind is Kind.UNCHANGED:
            return
        path, text = self.call["path"], self.call["file_text"]
        if self.kind in UNSETTLED or self.kind is Kind.DONE:
            yield DONE, stored(files, path, text)


class MoveFile(Machine):
    """The rename of a file: a copy, and the delete of the original."""

    def __init__(self, command: Command, *, resumes: bool = False, comes_again: bool = False) -> None:
        super().__init__(command, resumes=resumes, comes_again=comes_again)
        self.old, self.new = self.call["old_path"], self.call["new_path"]

    def steps(self, local: Local, files: Files) -> Iterator[Step]:
        """Read and copy; then delete, or copy again, or remove the copy."""
        if local == START:
            if self.kind is Kind.REFUSED:
                yield from refused_move(self.command, files, text_at(files, self.new), text_at(files, self.old))
            yield from copied(LISTED, files, self.old, self.new)
        elif local == TAKEN_BACK:
            if self.kind is Kind.REFUSED:
                yield from refused_move(self.command, files, text_at(files, self.new), text_at(files, self.old))
        else:
            if local[0] == COPIED and self.kind in {Kind.REFUSED, Kind.UNCHANGED}:
                is_mine = text_at(files, self.new) == local[1]
                yield TAKEN_BACK, stored(files, self.new, None) if is_mine else files
            yield from copied(local, files, self.old, self.new)
            yield from moved(local, files, self.old, self.new)
            yield from self.again(local, files, self.new)

    def ends(self, local: Local) -> bool:
        """At the end of its two steps."""
        if self.kind in UNSETTLED:
            return True
        # A file that was read and could not be copied left nothing behind.
        has_begun = isinstance(local, tuple) and local[0] != READ
        if self.kind is Kind.DONE:
            return bool(local == MOVED)
        if self.kind is Kind.UNCHANGED or self.command.outcome.is_by_text:
            return not has_begun and local not in {MOVED, TAKEN, BOTH_CHANGED}
        text = self.command.outcome.text
        return (local == GONE and "does not exist" in text) or (
            local in {IN_THE_WAY, TAKEN} and "already exists" in text
        )

    def after(self, local: Local) -> Local | None:
        """A rename that started continues while its requests are in flight, and by the same command."""
        return local if self.kind in UNSETTLED and isinstance(local, tuple) else None


LISTED, READ, COPIED, AGAIN = "listed", "read", "copied", "again"
SKIPPED, MOVED, GONE, TAKEN, IN_THE_WAY, BOTH_CHANGED, UNDONE = (
    "skipped",
    "moved",
    "gone",
    "taken",
    "in the way",
    "both changed",
    "undone",
)


def refused_move(command: Command, files: Files, at_new: object, at_old: object) -> Iterator[Step]:
    """Yield the reasons for refusing a rename immediately; if there are two, either may be given."""
    text = command.outcome.text
    if at_new and text == f"Error: The destination {command.call['new_path']} already exists":
        yield IN_THE_WAY, files
    if not at_old and at_old != "" and text == f"Error: The path {command.call['old_path']} does not exist":
        yield GONE, files


def copied(state: Local, files: Files, old: str, new: str) -> Iterator[Step]:
    """Yield the ways in which a file is copied: it is read, and stored if there is nothing, or its copy already."""
    if state == LISTED:
        source = text_at(files, old)
        yield (SKIPPED, files) if source is None else ((READ, source), files)
    elif state[0] == READ and text_at(files, new) in {None, state[1]}:
        yield (COPIED, state[1]), stored(files, new, state[1])


def moved(state: Local, files: Files, old: str, new: str) -> Iterator[Step]:
    """Yield what may happen after the copy: a new copy, or the end of the move."""
    if state[0] == AGAIN:
        if text_at(files, new) == state[1]:
            yield (COPIED, state[2]), stored(files, new, state[2])
            if FORBIDDEN in state[2]:  # a text that was copied may be refused after a change
                yield UNDONE, stored(files, new, None)
        yield BOTH_CHANGED, files
    if state[0] != COPIED:
        return
    text, source, copy = state[1], text_at(files, old), text_at(files, new)
    if source is None:
        yield GONE, stored(files, new, None) if copy == text else files
        yield TAKEN, files  # somebody else changed or adopted the copy
    else:
        if source == text:
            yield MOVED, stored(files, old, None)
        yield (AGAIN, text, source), files


class MoveDirectory(Machine):
    """The rename of a directory: the listed files are copied, then deleted, one by one."""

    def __init__(self, command: Command, *, resumes: bool = False, comes_again: bool = False) -> None:
        super().__init__(command, resumes=resumes, comes_again=comes_again)
        self.old, self.new = self.call["old_path"], self.call["new_path"]

    def steps(self, local: Local, files: Files) -> Iterator[Step]:
        """List; copy each; once all are copied, move each; or remove the copies."""
        if local == START:
            yield from self._listed(files)
            return
        if isinstance(local, str):
            return
        phase, states = local
        for name, state in states:
            if isinstance(state, tuple) or state == LISTED:
                for then, now in self._of_file(phase, state, files, name):
                    yield (phase, states - {(name, state)} | {(name, then)}), now
        if phase == "copying":
            if all(state == SKIPPED or state[0] == COPIED for _, state in states):
                yield ("deleting", states), files
            if self.kind is not Kind.DONE:
                yield ("undoing", states), files

    def _of_file(self, phase: str, state: Local, files: Files, name: str) -> Iterator[Step]:
        old, new = self.old + name, self.new + name
        if phase == "copying":
            return copied(state, files, old, new)
        if phase == "deleting":
            return itertools.chain(moved(state, files, old, new), self.again(state, files, new))
        return _undone(state, files, new)

    def _listed(self, files: Files) -> Iterator[Step]:
        found, occupied = below(files, self.old), below(files, self.new)
        if self.kind is Kind.REFUSED:
            yield from refused_move(self.command, files, occupied, found or None)
        if self.kind is Kind.UNCHANGED:
            return
        if found and (not occupied or self.resumes):
            yield ("copying", frozenset((path.removeprefix(self.old), LISTED) for path in found)), files
        if self.resumes and not found:
            yield ("deleting", frozenset({("", MOVED)})), files

    def ends(self, local: Local) -> bool:
        """A success has moved everything that was listed; a refusal has left nothing behind."""
        if self.kind in UNSETTLED:
            return True
        if isinstance(local, str):
            if self.kind is Kind.UNCHANGED or self.command.outcome.is_by_text:
                return local == START
            return self.kind is Kind.REFUSED and local in {IN_THE_WAY, GONE}
        phase, states = local[0], {state for _, state in local[1]}
        if any(isinstance(state, tuple) and state[0] != READ for state in states):
            return False
        if self.kind is Kind.DONE:
            is_over = phase == "deleting" and UNDONE not in states
            return is_over and (bool(states & {MOVED, TAKEN}) or states == {SKIPPED})
        is_gone = states <= {GONE, SKIPPED} and "does not exist" in self.command.outcome.text
        return phase != "deleting" or is_gone

    def after(self, local: Local) -> Local | None:
        """An announced rename can be carried out later, by the same command or a repair; another one never."""
        return local if self.kind in UNSETTLED and isinstance(local, tuple) else None


def _undone(state: Local, files: Files, new: str) -> Iterator[Step]:
    if state[0] == COPIED:
        yield UNDONE, stored(files, new, None) if text_at(files, new) == state[1] else files
        yield UNDONE, files


class DeleteDirectory(Machine):
    """The delete of a directory, or of everything: each listed file is deleted once, in its state at that time."""

    def __init__(self, command: Command, *, resumes: bool = False, comes_again: bool = False) -> None:
        super().__init__(command, resumes=resumes, comes_again=comes_again)
        self.path = self.call.get("path", ROOT)

    def steps(self, local: Local, files: Files) -> Iterator[Step]:
        """List; then delete each."""
        if local == START:
            found = below(files, self.path)
            if self.kind is Kind.REFUSED:
                if not found and self.command.outcome.text == f"Error: The path {self.path} does not exist":
                    yield ("refused",), files
            elif self.kind is not Kind.UNCHANGED and (found or self.resumes or self.command.name == "clear"):
                yield ("deleting", frozenset(found)), files
        elif local[0] == "deleting":
            for path in local[1]:
                yield ("deleting", local[1] - {path}), stored(files, path, None)

    def ends(self, local: Local) -> bool:
        """A success has deleted everything that was listed."""
        if self.kind is Kind.DONE:
            return bool(local == ("deleting", frozenset()))
        if self.kind is Kind.REFUSED:
            return local == ("refused",) or (local == START and self.command.outcome.is_by_text)
        return self.kind in UNSETTLED or local == START

    def after(self, local: Local) -> Local | None:
        """As for a rename."""
        return local if self.kind in UNSETTLED and local != START else None


class Job(Machine):
    """An operator's job that changes files one by one, each at most once, at any time.

    It reports on each file. Files that it reports as possibly changed may change after its answer. It has left alone
    the files that it does not name, except for one that it wrote during a check that failed, and removed again.
    """

    def __init__(self, command: Command, *, resumes: bool = False, comes_again: bool = False) -> None:
        super().__init__(command, resumes=resumes, comes_again=comes_again)
        self.report = FileReport.read(command.outcome.text) if self.kind is Kind.DONE else FileReport()

    def changes(self, files: Files) -> Iterator[tuple[str, str | None]]:
        """Yield paths, and what the job may store there now; ``None`` for a delete."""
        raise NotImplementedError

    def steps(self, local: Local, files: Files) -> Iterator[Step]:
        """Change one file, or remove what was written."""
        phase, states = (WORKING, frozenset()) if local == START else local
        is_working, state_of = phase == WORKING, dict(states)
        for path, then, now in self._of_files(state_of, files, is_working=is_working):
            rest = frozenset((at, state) for at, state in states if at != path)
            yield (phase, rest if then == START else rest | {(path, then)}), now

    def _of_files(
        self, state_of: dict[str, Local], files: Files, *, is_working: bool
    ) -> Iterator[tuple[str, Local, Files]]:
        for path, text in self.changes(files):
            state, is_made = state_of.get(path, START), text is not None and text_at(files, path) is None
            if state == START and self._may_be_changed(path):
                yield path, DONE, stored(files, path, text)
            if state == START and is_made and is_working and (self.comes_again or path not in self.report.done):
                yield path, (PLACED, text), stored(files, path, text)
            if state == DONE and is_made and is_working and self.comes_again:
                yield path, DONE, stored(files, path, text)
        for path, state in state_of.items():
            if state != DONE and state[0] == PLACED:
                is_mine = text_at(files, path) == state[1]
                # Before its answer, it may try once more.
                yield path, START if is_working else TAKEN_BACK, stored(files, path, None) if is_mine else files

    def _may_be_changed(self, path: str) -> bool:
        return self.kind in UNSETTLED or path in self.report.done or path in self.report.unknown

    def ends(self, local: Local) -> bool:
        """It has changed exactly the files that it reports as changed."""
        if self.kind in UNSETTLED:
            return True
        states = frozenset() if local == START else local[1]
        changed = {path for path, _ in states}
        is_all = self.report.done <= {path for path, state in states if state == DONE}
        return is_all and changed <= self.report.done | self.report.unknown

    def after(self, local: Local) -> Local | None:
        """A request that was sent may arrive later."""
        if self.kind not in UNSETTLED and not self.report.unknown:
            return None
        return LATE, frozenset() if local == START else local[1]


WORKING, LATE = "working", "late"


class Import(Job):
    """Creates files where there are none."""

    def changes(self, files: Files) -> Iterator[tuple[str, str | None]]:
        """Yield the files that do not exist."""
        there = {path for path, _ in files}
        yield from ((path, text) for path, text in self.call["files"].items() if path not in there)


class Expire(Job):
    """Deletes the files that nobody has written since the beginning."""

    def changes(self, files: Files) -> Iterator[tuple[str, str | None]]:
        """Yield the unchanged files."""
        yield from ((path, None) for path, text in files if text.startswith("old"))


class Restore(Job):
    """Restores the initial files."""

    def changes(self, files: Files) -> Iterator[tuple[str, str | None]]:
        """Yield the files whose text has changed."""
        yield from ((path, text) for path, text in self.initial if text_at(files, path) != text)


class Idle(Machine):
    """A job that changes no text: a rotation, a repair (which finishes what was announced before), an export."""

    def steps(self, local: Local, files: Files) -> Iterator[Step]:  # noqa: ARG002 - as the base class has it
        """None."""
        return iter(())

    def ends(self, local: Local) -> bool:  # noqa: ARG002 - as the base class has it
        """Always true."""
        return True


def machine_of(command: Command, *, is_directory: Callable[[str], bool], resumes: bool, comes_again: bool) -> Machine:
    """Return the machine of a command."""
    call: Call = command.call
    kind: type[Machine] = Idle
    if command.name == "rename":
        kind = MoveDirectory if is_directory(call["old_path"]) else MoveFile
    elif command.name == "clear" or (command.name == "delete" and is_directory(call["path"])):
        kind = DeleteDirectory
    elif command.name == "create" and call.get("overwrite"):
        kind = Overwriting
    elif command.name == "create":
        kind = Creating
    elif command.name in {"view", "str_replace", "insert", "delete"}:
        kind = Atomic
    kind = {"import": Import, "expire": Expire, "restore": Restore}.get(command.name, kind)
    return kind(command, resumes=resumes, comes_again=comes_again)
