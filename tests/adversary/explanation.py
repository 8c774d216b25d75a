"""Whether some serial order of steps explains a history: Wing and Gong's search, updated event by event.

After each event, the search has all possible cases: where each command may be, and what may be stored then. It drops
those that a response contradicts. When none is left, no order of steps explains the history up to that event.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adversary.history import Command, Event, Files, History, Kind
from adversary.model import START, UNSETTLED, Local, Machine, machine_of

Case = tuple[Files, frozenset[tuple[int, Local]]]
_MOST_CASES = 20_000
# The key ring is gone; a client that continues to write with its key writes files that nobody can open.
_ERRORS_OF_ERASED = frozenset({"KeyRingError", "IntegrityError"})


class TooManyCasesError(Exception):
    """The search was given up: too many cases are possible."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An event that nothing explains.

    Attributes:
        at: the number of the event.
        why: the reason in words.
    """

    at: int
    why: str


def contradiction(history: History, *, second_tries: bool = False) -> Contradiction | None:
    """Return the first event that nothing explains, or ``None``.

    Args:
        history: the history.
        second_tries: let a new file be stored twice if its first PUT, or a check during it, got no response and someone
            moved or deleted the file in between. S3 allows this.
    """
    if any(command.name == "erase" for command in history.commands):
        return _no_error_of_an_erasure(history) or _what_was_erased_and_is_there(history)
    machines: dict[int, Machine] = {}
    numbers: dict[Command, int] = {}
    cases: set[Case] = {(history.initial, frozenset())}
    for at, event in enumerate(history.events):
        command = event.command
        if command is None:
            cases = {case for case in _closed(cases, machines) if case[0] == event.files}
            if not cases:
                return Contradiction(at, "no order explains what is stored")
        elif not event.is_answer:
            number = numbers[command] = len(numbers)
            machines[number] = machine_of(
                command,
                is_directory=_is_directory,
                resumes=_resumes(history, at),
                comes_again=second_tries and command.is_sent_again,
            )
            machines[number].initial = history.initial
            cases = {(files, locals_ | {(number, START)}) for files, locals_ in cases}
        else:
            if command.outcome.kind is Kind.WRONG:
                return Contradiction(at, f"no error of ours: {command.outcome.error}")
            cases = _answered(_closed(cases, machines), numbers[command], machines)
            if not cases:
                return Contradiction(at, f"no order explains the answer of {command}")
    return None


def _answered(cases: set[Case], number: int, machines: dict[int, Machine]) -> set[Case]:
    """Return the cases in which a command may have been answered as it was, with its next position."""
    machine, then = machines[number], set()
    for files, locals_ in cases:
        local = dict(locals_)[number]
        if machine.ends(local):
            rest, on = locals_ - {(number, local)}, machine.after(local)
            then.add((files, rest if on is None else rest | {(number, on)}))
    return then


def _no_error_of_an_erasure(history: History) -> Contradiction | None:
    """Return a response during an erasure that is neither about the command nor about files that do not open."""
    for at, event in enumerate(history.events):
        outcome = event.command.outcome if event.command is not None and event.is_answer else None
        if outcome is not None and outcome.kind is Kind.WRONG and outcome.error not in _ERRORS_OF_ERASED:
            return Contradiction(at, f"no error of ours: {outcome.error}")
    return None


def _what_was_erased_and_is_there(history: History) -> Contradiction | None:
    """Return a file from before an erasure that was reported as done, if it can still be read."""
    known = {text.partition("\n")[0] for _, text in history.initial}
    for at, event in enumerate(history.events):
        command = event.command
        if command is not None and command.name == "erase" and not event.is_answer:
            if command.outcome.kind is not Kind.DONE:
                return None
            there = {line for _, text in history.events[-1].files for line in text.split("\n")}
            back = (known & there) - _lines_sent(history.events[at:])
            return Contradiction(at, f"what was erased can be read: {back}") if back else None
        if command is not None and event.is_answer and command.outcome.kind is Kind.DONE and command.name == "create":
            known.add(command.call["file_text"].partition("\n")[0])
    return None


def _lines_sent(events: Sequence[Event]) -> set[str]:
    """Return the lines of all requests and responses from here on: an erased text that is found in them is new."""
    commands = [event.command for event in events if event.command is not None]
    sent = [value for command in commands for value in command.call.values() if isinstance(value, str)]
    return {line for text in sent for line in text.split("\n")}


def _closed(cases: set[Case], machines: dict[int, Machine]) -> set[Case]:
    """Return all cases that are possible after any number of steps."""
    found, new = set(cases), list(cases)
    while new:
        files, locals_ = new.pop()
        for number, local in locals_:
            for then, now in machines[number].steps(local, files):
                case = (now, locals_ - {(number, local)} | {(number, then)})
                if case not in found:
                    found.add(case)
                    new.append(case)
        if len(found) > _MOST_CASES:
            raise TooManyCasesError
    return found


def _resumes(history: History, at: int) -> bool:
    """Whether the same command was started before, and may not have ended when this one was answered."""
    command = history.events[at].command
    answered: set[Command] = set()
    for number, event in enumerate(history.events):
        other = event.command
        if other is None or other is command or command is None:
            if event.is_answer and other is command:
                break
            continue
        if event.is_answer and number < at and other.outcome.kind not in UNSETTLED:
            answered.add(other)
        if other.call == command.call and other not in answered and not event.is_answer:
            ends = next(
                (n for n, e in enumerate(history.events) if e.command is other and e.is_answer), len(history.events)
            )
            if ends > at or other.outcome.kind in UNSETTLED:
                return True
    return False


def _is_directory(path: str) -> bool:
    # The drawn names determine it: no file has the name of a directory.
    return path.rpartition("/")[2] in {"d", "e", "g", "s", "w"}
