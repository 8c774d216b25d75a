"""Commands whose requests fail in part, whose process dies, or whose keys are unavailable."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from s3memory.testing.machine.calls import CLIENT_NUMBERS
from s3memory.testing.machine.model import CommandOutcome, State, ToolInput, fail, reference, require
from s3memory.testing.reference import Report
from support.machine.drawn import AIMS, CALLS, LONG_CALLS, PICKS, paths_of
from support.machine.expected import ExpectingMachine
from support.machine.judgement import ADMISSIONS, REFUSALS, is_part_done, with_what_was_placed
from support.machine.wire import TROUBLES, Crash, Trouble


class TroubleRules(ExpectingMachine):
    """Whatever happens to a command's requests, its report is true, and it can be finished."""

    @rule(client=CLIENT_NUMBERS, call=CALLS, aim=AIMS, troubles=TROUBLES, again=st.booleans())
    def command_in_trouble(
        self, *, client: int, call: ToolInput, aim: int | None, troubles: list[Trouble], again: bool
    ) -> None:
        """One client's command, some of whose requests fail; with `again`, it is then sent again without failures."""
        self.steps["command in trouble"] += 1
        self._in_trouble(client, self.aimed(call, aim), troubles, is_sent_again=again)

    @precondition(lambda self: self.files)
    @rule(client=CLIENT_NUMBERS, call=LONG_CALLS, aim=PICKS, troubles=TROUBLES, again=st.booleans())
    def directory_in_trouble(
        self, *, client: int, call: ToolInput, aim: int, troubles: list[Trouble], again: bool
    ) -> None:
        """The same with a command about a directory."""
        self.steps["directory in trouble"] += 1
        self._in_trouble(client, self.aimed(call, aim, there=self.directories), troubles, is_sent_again=again)

    def _in_trouble(self, client: int, call: ToolInput, troubles: list[Trouble], *, is_sent_again: bool) -> None:
        outcomes, before = self.outcomes(call), self.files
        self.clients[client].wire.trouble(troubles)
        self._endure(client, call, outcomes)
        is_in_the_way = outcomes[0].files == before and self.files == with_what_was_placed(before, call) != before
        if is_sent_again and self.can_finish(call, outcomes) and not is_in_the_way:
            self._finish(client, call, outcomes[0])

    @rule(client=CLIENT_NUMBERS, call=CALLS, forget=st.booleans())
    def command_without_keys(self, *, client: int, call: ToolInput, forget: bool) -> None:
        """One client's command while the key wrapper is unavailable."""
        self.steps["command without keys"] += 1
        outcomes = self.outcomes(call)
        if forget:
            self.clients[client].cache.clear()
        self.keys.is_down = True
        try:
            report = self.send(client, call)
        finally:
            self.keys.is_down = False
        self._settle_trouble(call, report, outcomes)

    @precondition(lambda self: self.seen.versions)
    @rule(client=CLIENT_NUMBERS, call=CALLS, forget=st.booleans(), is_older=st.booleans())
    def command_without_ring(self, *, client: int, call: ToolInput, forget: bool, is_older: bool) -> None:
        """One client's command while the stored key ring is missing, or replaced by an older one."""
        self.steps["command without ring"] += 1
        older = self.backend.get_object(self.backend.ring_key)["Body"]
        if is_older:
            self.backend.rotate()
        outcomes = self.outcomes(call)
        newest = self.backend.get_object(self.backend.ring_key)["Body"]
        if forget:
            self.clients[client].cache.clear()
        if is_older:
            self.backend.put_object(self.backend.ring_key, older)
        else:
            self.backend.remove_object(self.backend.ring_key)
        report = self.send(client, call)
        self.backend.put_object(self.backend.ring_key, newest)
        self._settle_trouble(call, report, outcomes)

    def _endure(self, client: int, call: ToolInput, outcomes: list[CommandOutcome]) -> None:
        wire = self.clients[client].wire
        before = self.seen
        try:
            report = self.send(client, call)
        except Crash:
            report = None
            self.clients[client] = self.backend.client()
            self.events["crashed"] += 1
        is_hit = wire.is_hit
        wire.calm()
        if is_hit:
            self._settle_trouble(call, report, outcomes)
            return
        if report is None:
            raise AssertionError("a crash without a fault")
        self.settle(call, report, outcomes)
        self.no_new_intents(before, call, report)

    def _settle_trouble(self, call: ToolInput, report: Report | None, outcomes: list[CommandOutcome]) -> None:
        """Fail unless the report of a command in trouble is true."""
        before, self.files = self.files, self.read()
        if not any(self.is_true(call, report, before, outcome) for outcome in outcomes):
            fail("this is not true", call, report, before=before, after=self.files, outcomes=outcomes)
        if report is not None and not any(outcome.explains(report, self.files) for outcome in outcomes):
            kind = next(
                (kind for kind in ("not known", "Nothing was changed", "begun") if kind in report.text), "other"
            )
            self.events[f"in trouble: {kind}"] += 1
        if self.files not in [before, *(outcome.files for outcome in outcomes)]:
            self.events["left half done"] += 1
            is_file = paths_of(call)[0] in before  # the copy itself records a file's rename
            is_noted = is_file or call["command"] == "create" or self.is_pending(call)
            require(is_noted, f"what is left half done is noted: {call}", report=report)
        self.events["left an intent"] += bool(self.seen.pending)

    def is_true(self, call: ToolInput, report: Report | None, before: State, outcome: CommandOutcome) -> bool:
        """Whether the report of a command in trouble is true of what is stored now.

        Args:
            call: the command.
            report: its report; ``None`` if the process died first.
            before: what was stored.
            outcome: the command's outcome without trouble.
        """
        if report is not None:
            if outcome.explains(report, self.files):
                return True
            if not report.is_error or any(refusal in report.text for refusal in REFUSALS):
                return False
            if not any(admission in report.text for admission in ADMISSIONS):
                return self.files == before
        # A file that does not decrypt keeps a directory rename from finishing, not from starting.
        ends = (outcome.files, reference(before, call).files, with_what_was_placed(before, call))
        return any(is_part_done(before, self.files, end, call) for end in ends)

    def can_finish(self, call: ToolInput, outcomes: list[CommandOutcome]) -> bool:
        """Whether a command that was in trouble finishes what it started when it is sent again.

        Args:
            call: the command.
            outcomes: its possible outcomes.
        """
        # An edit would be made twice; a file that does not decrypt cannot be moved.
        is_open = len(outcomes) == 1 and outcomes[0].text is not None
        return is_open and call["command"] in {"create", "delete", "rename"}

    def _finish(self, client: int, call: ToolInput, outcome: CommandOutcome) -> None:
        """Send a command in trouble again: now it succeeds, or it had succeeded already."""
        was_pending = bool(self.seen.pending)
        before = self.files
        report = self.send(client, call)
        self.files = self.read()
        if self.files != outcome.files or self.is_pending(call):
            fail(
                "the same command again ends what it began",
                call,
                report,
                before=before,
                after=self.files,
                outcomes=[outcome],
            )
        self.events["finished by the same command"] += before != self.files or (was_pending and not self.seen.pending)
