"""The machine for any memory: commands of several clients, one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from s3memory.contract.inputs import COMMANDS
from s3memory.paths import MemoryPath
from s3memory.testing.machine.calls import CLIENT_NUMBERS, CLIENTS, FILE_PATHS, TEXTS, calls
from s3memory.testing.machine.model import Backend, CommandOutcome, State, ToolInput, fail, reference, require
from s3memory.testing.reference import Report


def _rule_of(command: str) -> Callable[[MemoryMachine, int, ToolInput], None]:
    """Return the rule for an undisturbed command of one client."""

    def carry_out(self: MemoryMachine, client: int, call: ToolInput) -> None:
        self.command(client, call)

    carry_out.__name__ = command  # hypothesis prints it in failing examples
    made: Callable[[MemoryMachine, int, ToolInput], None] = rule(client=CLIENT_NUMBERS, call=calls(command))(carry_out)
    return made


class MemoryMachine(RuleBasedStateMachine):
    """Commands of several clients, one after another. `memory_machine` makes a machine for a backend.

    Attributes:
        steps: how often each rule was run, by all machines of the class.
        events: how often each notable event occurred, in all machines of the class.
        files: the stored files, as far as this machine knows.
    """

    steps: ClassVar[Counter[str]] = Counter()
    events: ClassVar[Counter[str]] = Counter()

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        cls.steps = Counter()
        cls.events = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.backend = self.make_backend()
        self.clients = [self.backend.client() for _ in range(CLIENTS)]
        self.files = self.read()
        require(self.files == {}, "a memory is empty when it is made", stored=self.files)

    def make_backend(self) -> Backend:
        """Return an empty memory."""
        raise NotImplementedError

    @initialize(files=st.dictionaries(FILE_PATHS, TEXTS, min_size=3))
    def begin(self, files: dict[str, str]) -> None:
        """Store a few files to work on."""
        for path, text in files.items():
            self.command(0, {"command": "create", "path": path, "file_text": text})

    def read(self) -> State:
        """Return the stored files."""
        return {MemoryPath.parse(path): text for path, text in self.backend.files().items()}

    view, create, str_replace, insert, delete, rename = map(_rule_of, COMMANDS)

    def command(self, client: int, call: ToolInput) -> None:
        """Carry out an undisturbed command of one client."""
        self.steps[call["command"]] += 1
        outcomes = self.outcomes(call)
        self.settle(call, self.send(client, call), outcomes)

    def outcomes(self, call: ToolInput) -> list[CommandOutcome]:
        """Return the allowed outcomes of an undisturbed command."""
        return [reference(self.files, call)]

    def send(self, client: int, call: ToolInput) -> Report:
        """Send a command to a client, and return its report."""
        text, is_error = self.clients[client].call(call)
        return Report(text, is_error)

    def settle(self, call: ToolInput, report: Report, outcomes: list[CommandOutcome]) -> None:
        """Fail unless one of the outcomes explains the report and the files that are stored now."""
        before, self.files = self.files, self.read()
        self.events["refused" if report.is_error else f"done: {call['command']}"] += 1
        if not any(outcome.explains(report, self.files) for outcome in outcomes):
            fail(
                "this is not what the reference does", call, report, before=before, after=self.files, outcomes=outcomes
            )


def memory_machine(make_backend: Callable[[], Backend]) -> type[MemoryMachine]:
    """Return a state machine for a memory. Its ``TestCase`` is a test; its ``steps`` count the rules that were run.

    Args:
        make_backend: called for each example; returns an empty memory.
    """

    class Machine(MemoryMachine):
        def make_backend(self) -> Backend:
            return make_backend()

    return Machine
