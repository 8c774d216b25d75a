"""What is expected of a memory on S3: the reference, and the differences after earlier failures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import ClassVar

from s3memory.format.names import PLAIN
from s3memory.paths import MemoryPath
from s3memory.testing.machine.general import MemoryMachine
from s3memory.testing.machine.model import CommandOutcome, State, ToolInput, reference, require
from s3memory.testing.reference import Report
from support.machine.determinism import Keys, repeatable
from support.machine.drawn import paths_of, picked
from support.machine.judgement import has_twins, is_twin, reads_unreadable
from support.machine.s3_memory import S3Client, S3Memory, S3Place
from support.machine.seen import Seen, is_unreadable


class ExpectingMachine(MemoryMachine):
    """The base of all rules about a memory on S3.

    Until a machine's `teardown`, the package's threads are replaced by calls in place, its pauses take no
    time, and its random names repeat, so that a failed example fails again.
    """

    backend: S3Memory
    clients: list[S3Client]  # type: ignore[assignment]
    name_mode: ClassVar[str] = PLAIN

    def __init__(self) -> None:
        self.keys = Keys()
        self.seen = Seen()
        with ExitStack() as patches:
            patches.enter_context(repeatable(self.keys))
            super().__init__()
            self._patches = patches.pop_all()

    def teardown(self) -> None:
        """Restore what was replaced."""
        self._patches.close()

    def make_place(self) -> S3Place:
        """Return an empty place."""
        raise NotImplementedError

    def make_backend(self) -> S3Memory:
        """Return an empty memory on S3."""
        return S3Memory(self.make_place(), self.name_mode, self.keys)

    def read(self) -> State:
        """Return what is stored, and remember everything that was seen."""
        self.seen = self.backend.seen()
        return self.seen.files

    def settle(self, call: ToolInput, report: Report, outcomes: list[CommandOutcome]) -> None:
        """As in the reference; and no intent remains."""
        before = self.seen
        super().settle(call, report, outcomes)
        self.no_new_intents(before, call, report)

    def tidy_up(self) -> None:
        """Remove all damage from before that could affect the next command."""
        for stored in self.seen.pending:
            self.backend.remove_object(stored.object_key)
        for object_key in self.seen.stray:
            self.backend.remove_object(object_key)
        etags = {etag for version in self.seen.versions.values() for etag in version.etags}
        above = {place for path in self.files for place in path.ancestors()}
        expected = dict(self.files)
        for path, version in self.seen.versions.items():
            if is_unreadable(version.text) or path in above or version.copied_from & etags:
                self.backend.remove(path)
                del expected[path]
        self.changed_to(expected, "tidying up")

    def outcomes(self, call: ToolInput) -> list[CommandOutcome]:
        """As in the reference, plus the differences after earlier failures."""
        expected = reference(self.files, call)
        unchanged = CommandOutcome(self.files)
        if reads_unreadable(call, self.files):
            return [unchanged]
        outcomes = [self._half_done_rename(call) or expected]
        if expected.is_error and has_twins(self.files):
            outcomes.append(unchanged)  # which of two reasons is named first does not matter
        outcomes += self._resumed(call)
        outcomes += self._beside_stray(call, expected)
        if call["command"] == "delete" and is_twin(call["path"], {*self.files, *self.stray_paths()}):
            (path,) = paths_of(call)  # the file is deleted, and what is below its name stays
            outcomes = [CommandOutcome({one: text for one, text in self.files.items() if one != path})]
            if "." in path.name:  # and a twin need not be looked for
                outcomes.append(CommandOutcome(outcomes[0].files, is_error=False))
        if call["command"] == "rename" and not expected.is_error and is_twin(call["old_path"], self.files):
            old, new = paths_of(call)
            files = {path: text for path, text in self.files.items() if path != old}
            outcomes.append(CommandOutcome({**files, new: self.files[old]}, is_error=False))
        return outcomes

    def _half_done_rename(self, call: ToolInput) -> CommandOutcome | None:
        """Return the outcome of a file rename that finds its own copy in place."""
        if call["command"] != "rename":
            return None
        old, new = paths_of(call)
        source, copy = self.seen.versions.get(old), self.seen.versions.get(new)
        if source is None or copy is None or old == new or new.is_below(old):
            return None
        if not copy.copied_from & source.etags or copy.text != source.text:
            return None
        if any(new.is_below(path) or path.is_below(new) for path in self.files):
            return None
        self.events["copy recognised"] += 1
        files = {path: text for path, text in self.files.items() if path != old}
        return CommandOutcome(files, is_error=False, text=f"Successfully renamed {old} to {new}")

    def _resumed(self, call: ToolInput) -> Iterator[CommandOutcome]:
        """Yield the other outcomes of a directory rename or delete that was started before."""
        if not self.is_pending(call):
            return
        if call["command"] == "delete":
            yield CommandOutcome(reference(self.files, call).files, is_error=False)
            return
        old, new = paths_of(call)
        others = {path: text for path, text in self.files.items() if not path.is_below(old)}
        moved, kept = {}, {}
        for path, text in self.files.items():
            if path.is_below(old):
                at_new = path.rebased(old, new)
                if others.get(at_new, text) == text:
                    moved[at_new] = text
                else:  # one of the two was edited since
                    kept[path] = text
        yield CommandOutcome({**others, **moved, **kept}, is_error=bool(kept))
        yield CommandOutcome(self.files)

    def _beside_stray(self, call: ToolInput, expected: CommandOutcome) -> Iterator[CommandOutcome]:
        """Yield the other outcomes of a command when there are objects that are not files."""
        if any(
            path in (one, *one.ancestors(), MemoryPath()) or path.is_below(one)
            for path in paths_of(call)
            for one in self.stray_paths()
        ):
            self.events["beside something stray"] += 1
            yield CommandOutcome(self.files)
            if call["command"] in {"view", "delete"}:
                yield CommandOutcome(expected.files, is_error=False)

    def stray_paths(self) -> list[MemoryPath]:
        """Return the paths of stored objects that are not files."""
        return [self.backend.path_of(object_key) for object_key in self.seen.stray]

    def may_leave_intent(self, report: Report) -> bool:
        """Whether a command whose requests were all answered may leave an intent: only if it says so."""
        return report.is_error and "was begun" in report.text

    def no_new_intents(self, before: Seen, call: ToolInput, report: Report) -> None:
        """Fail if a command left an intent and did not say so."""
        known = {stored.object_key for stored in before.pending}
        new = [stored for stored in self.seen.pending if stored.object_key not in known]
        require(not new or self.may_leave_intent(report), f"{call} leaves no intent", report=report, left=new)

    def nothing_changed(self, by: str) -> None:
        """Fail if anything stored has changed."""
        self.changed_to(self.files, by)

    def changed_to(self, expected: State, by: str) -> None:
        """Fail unless exactly this is stored now."""
        self.files = self.read()
        require(self.files == expected, f"{by} does what it does, and no more", expected=expected, stored=self.files)

    @property
    def directories(self) -> list[MemoryPath]:
        """The existing directories."""
        return sorted({above for path in self.files for above in path.ancestors()})

    def aimed(self, call: ToolInput, aim: int | None, *, there: list[MemoryPath] | None = None) -> ToolInput:
        """Return a call aimed at something that exists: one of `there`, or any file or directory."""
        if there is None:
            there = sorted({*self.directories, *self.files})
        if aim is None or not there:
            return call
        return {**call, "old_path" if call["command"] == "rename" else "path": str(picked(there, aim))}

    def promising(self, calls: list[ToolInput]) -> ToolInput:
        """Return one of the calls, preferably one that nothing would refuse now."""
        return next((call for call in calls if not reference(self.files, call).is_error), calls[0])

    def is_pending(self, call: ToolInput) -> bool:
        """Whether there is an intent for exactly this directory rename or delete."""
        path, new_path = (call.get(name, call.get("path")) for name in ("old_path", "new_path"))
        return any(
            [stored.intent.operation, stored.intent.path, stored.intent.new_path]
            == [call["command"], MemoryPath.parse(path), MemoryPath.parse(new_path)]
            for stored in self.seen.pending
        )
