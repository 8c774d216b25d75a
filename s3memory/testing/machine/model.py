"""The vocabulary of a machine: a memory and its clients, the outcomes of commands, and the report of a failure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from s3memory.paths import MemoryPath
from s3memory.testing.reference import ReferenceMemory, Report

ToolInput = dict[str, Any]
State = dict[MemoryPath, str]


class MemoryClient(Protocol):
    """One of several clients of a memory."""

    def call(self, tool_input: ToolInput, /) -> tuple[str, bool]:
        """Carry out a tool input. Return the text for the model, and whether that is an error."""


class Backend(Protocol):
    """A memory, empty at first."""

    def client(self) -> MemoryClient:
        """Return another client of this memory."""

    def files(self) -> Mapping[str, str]:
        """Return the text of every file by its memory path (``/memories/...``), read past all clients."""


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """A possible outcome of a command.

    Attributes:
        files: the files that are stored after the command.
        is_error: whether it reports an error.
        text: the text that it reports; ``None`` if any text is right.
    """

    files: State
    is_error: bool = True
    text: str | None = None

    def explains(self, report: Report, files: State) -> bool:
        """Return whether this outcome matches a report and the files that are stored."""
        return files == self.files and report.is_error == self.is_error and self.text in {None, report.text}


def reference(files: State, call: ToolInput) -> CommandOutcome:
    """Return the outcome of a command in the reference."""
    memory = ReferenceMemory(dict(files))
    report = memory.call(call)
    return CommandOutcome(memory.files, report.is_error, report.text)


def require(condition: bool, rule_text: str, **found: object) -> None:  # noqa: FBT001 - as `assert`
    """Fail with the rule and the values found, unless the condition holds."""
    if not condition:
        details = "".join(f"\n  {name}: {value}" for name, value in found.items())
        raise AssertionError(f"{rule_text}{details}")


def fail(
    why: str, call: ToolInput, report: Report | None, *, before: State, after: State, outcomes: list[CommandOutcome]
) -> NoReturn:
    """Fail with all the details of a command with a wrong outcome."""
    lines = [
        f"{why}: {call}",
        f"reported: {'nothing, it crashed' if report is None else report}",
        f"before:   {_shown(before)}",
        f"after:    {_shown(after)}",
    ]
    lines += [f"expected: {outcome.text!r} and {_shown(outcome.files)}" for outcome in outcomes]
    raise AssertionError("\n  ".join(lines))


def _shown(files: State) -> str:
    return ", ".join(f"{path}: {text!r}" for path, text in sorted(files.items())) or "nothing"
