"""A run as seen from outside: when each command was sent, when it was answered, and with what."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Self

Call = dict[str, Any]
Files = frozenset[tuple[str, str]]
"""Memory paths and their texts."""

ROOT = "/memories"


class Kind(Enum):
    """What a response says about the result of a command."""

    DONE = "done"
    REFUSED = "refused"
    UNCHANGED = "nothing was changed"
    BEGUN = "begun"
    UNKNOWN = "unknown"
    DIED = "died"
    WRONG = "no error of ours"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a client learned.

    Attributes:
        kind: what the response says.
        text: the text as the model reads it.
        error: the type of the error.
        is_by_text: whether a redactor or a limit refused its text, whatever is stored.
    """

    kind: Kind
    text: str = ""
    error: str = ""
    is_by_text: bool = False


@dataclass(frozen=True, slots=True)
class FileReport:
    """A job's report about its files. It has left alone all files that it does not name.

    Attributes:
        done: memory paths of changed files.
        unknown: memory paths of files that may have been changed.
    """

    done: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the report in a text."""
        said = json.loads(text)
        return cls(frozenset(said["done"]), frozenset(said["unknown"]))

    def __str__(self) -> str:
        return json.dumps({"done": sorted(self.done), "unknown": sorted(self.unknown)})


@dataclass(slots=True, eq=False)
class Command:
    """One command of one client.

    Attributes:
        client: who sent it.
        call: the tool input, or an operator's job.
        outcome: its outcome.
        is_sent_again: whether its new file may have been stored twice: a PUT that may be carried out got no response;
            or a job, which then tries the file again, got no response to a check during the PUT.
    """

    client: str
    call: Call
    outcome: Outcome = field(default_factory=lambda: Outcome(Kind.DIED))
    is_sent_again: bool = False

    @property
    def name(self) -> str:
        """A name for the command."""
        return str(self.call["command"])

    def __str__(self) -> str:
        words = " ".join(
            f"{value!r}" if name in {"file_text", "insert_text", "new_str"} else str(value).removeprefix(ROOT) or "/"
            for name, value in self.call.items()
            if name not in {"old_str", "insert_line"}
        )
        return f"{self.client}: {words}"


@dataclass(frozen=True, slots=True)
class Event:
    """A command is sent or answered; or all files are read, independently of the clients.

    Attributes:
        command: the command of the event; ``None`` for a look at the files.
        is_answer: whether the command was answered.
        files: the files that were seen, for a look.
    """

    command: Command | None
    is_answer: bool = False
    files: Files = frozenset()

    def __str__(self) -> str:
        if self.command is None:
            return "stored: " + (
                ", ".join(f"{path.removeprefix(ROOT)} {text!r}" for path, text in sorted(self.files)) or "-"
            )
        if not self.is_answer:
            return f"{self.command} ..."
        outcome = self.command.outcome
        return f"{self.command} -> {outcome.kind.value}: {outcome.text[:160]!r}"


@dataclass(slots=True)
class History:
    """A run as seen from outside.

    Attributes:
        initial: what was stored at the beginning.
        events: the events, in order.
        notes: the requests and faults in between, for human readers.
    """

    initial: Files
    events: list[Event] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def commands(self) -> list[Command]:
        """All commands that were sent."""
        return [event.command for event in self.events if event.command is not None and not event.is_answer]

    def __str__(self) -> str:
        return "\n".join(["before: " + str(Event(None, files=self.initial)), *self.notes])
