"""Fault plans, drawn from a seed: commands, and what happens to each of their requests.

A plan contains all the randomness of a run: the same seed gives the same commands, the same faults at the same
requests, and the same second writer in between. Nothing sleeps: latency and pauses advance a clock, which deadlines
and cached keys read.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self
from unittest.mock import patch

from s3memory.format.names import NAME_MODES
from s3memory.testing.machine.model import State, ToolInput
from support.faults import (
    ANSWER_LOST,
    BODY_CUT,
    BODY_STALLED,
    NOT_SENT,
    Fault,
    done_but_reported,
    other_writer_first,
    refused,
)
from support.machine.determinism import Keys, repeatable
from support.machine.drawn import picked

ROOT = "/memories"
FILES = {
    f"{ROOT}/x": "one\nof x",
    f"{ROOT}/d/a": "one\nof a",
    f"{ROOT}/d/b": "one\nof b",
    f"{ROOT}/d/s/c": "one\nof c",
}

DIRECTORIES = {f"{ROOT}/{name}" for name in ("d", "d/s", "e")}

# By name; those that take time are built with a clock.
FAULTS: dict[str, Fault] = {
    "not sent": NOT_SENT,
    "answer lost": ANSWER_LOST,
    "500": refused(500, "InternalError"),
    "500, but done": done_but_reported(500, "InternalError"),
    "503": refused(503, "SlowDown"),
    "409": refused(409, "ConditionalRequestConflict"),
    "expired": refused(400, "ExpiredToken"),
    "body cut": BODY_CUT,
    "body stalled": BODY_STALLED,
}
LATE, TOO_LATE = "late", "too late"
KINDS = [*FAULTS, LATE, TOO_LATE]
LATENCY_SECONDS = 1.5
READ_TIMEOUT_SECONDS = 5.0

_READS = {"GetObject", "HeadObject", "ListObjectsV2"}
_KEYS_ARE_CACHED_SECONDS = 900.0


class Clock:
    """A clock that advances when somebody waits."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds

    def pass_by(self, seconds: float) -> None:
        self.seconds += seconds


@dataclass(frozen=True, slots=True)
class Trouble:
    """What happens to a range of a command's requests.

    Attributes:
        kind: one of `KINDS`.
        first: the number of the first affected request, from 1. Requests that botocore sends again count as well.
        last: the number of the last one.
    """

    kind: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.kind} at request {self.first} to {self.last}"


@dataclass(frozen=True, slots=True)
class Step:
    """One command, and what goes wrong during it.

    Attributes:
        call: the tool input.
        aim: which existing file or directory the command is about; ``None`` for the paths that were drawn for it.
        troubles: what happens to its requests.
        other: another writer's command, carried out before one of the requests.
        other_at: the number of that request.
        remaining_seconds: how much time the caller has left; ``None`` for no limit.
        again: how unfinished work is finished: by ``the same command``, by it ``in trouble`` first, or by ``repair``.
        is_cold: whether the cached keys have expired.
    """

    call: ToolInput
    aim: int | None
    troubles: tuple[Trouble, ...]
    other: ToolInput | None
    other_at: int
    remaining_seconds: float | None
    again: str
    is_cold: bool

    def __str__(self) -> str:
        parts = [_shown(self.call), *map(str, self.troubles)]
        if self.other is not None:
            parts.append(f"{_shown(self.other)} comes before request {self.other_at}")
        if self.remaining_seconds is not None:
            parts.append(f"{self.remaining_seconds:g} s left")
        return "; ".join([*parts, *(["keys expired"] if self.is_cold else []), f"then {self.again}"])

    def aimed(self, files: State) -> Self:
        """Return this step with its commands aimed at existing files, the other writer's in the way of the first."""
        name = "old_path" if self.call["command"] == "rename" else "path"
        is_directory = self.call[name] in DIRECTORIES
        there = {above for file in files for above in file.ancestors()} if is_directory else set(files)
        call, other = self.call, self.other
        if self.aim is None or not there:
            return self
        if call["command"] != "create":
            call = {**call, name: str(picked(sorted(there), self.aim))}
        touched = sorted(file for file in files if f"{file}/".startswith(f"{call[name]}/"))
        if other is not None and touched and other["command"] in {"str_replace", "insert", "delete"}:
            other = {**other, "path": str(picked(touched, self.aim))}
        return replace(self, call=call, other=other)

    def fault(self, number: int, operation: str, clock: Clock) -> Fault | None:
        """Return what happens to a request, apart from the other writer."""
        trouble = next((one for one in self.troubles if one.first <= number <= one.last), None)
        if trouble is None:
            return None
        if trouble.kind == LATE:
            return other_writer_first(lambda: clock.pass_by(LATENCY_SECONDS))
        if trouble.kind == TOO_LATE:
            return replace(ANSWER_LOST, action=lambda: clock.pass_by(READ_TIMEOUT_SECONDS))
        # S3 answers 409 to conditional writes only.
        return FAULTS["503" if trouble.kind == "409" and operation in _READS else trouble.kind]


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """A sequence of commands, and what goes wrong with them."""

    seed: int
    name_mode: str
    steps: tuple[Step, ...]

    @classmethod
    def from_seed(cls, seed: int, *, kinds: Sequence[str] = KINDS) -> Self:
        """Draw a plan with faults of the given kinds. The same seed always gives the same plan."""
        drawn = random.Random(seed)  # noqa: S311 - a plan, no secret
        steps = tuple(_step(drawn, kinds) for _ in range(drawn.randint(3, 6)))
        return cls(seed, drawn.choice(NAME_MODES), steps)

    def __str__(self) -> str:
        lines = [f"fault plan {self.seed}, {self.name_mode} names", *map(str, self.steps)]
        return "\n  ".join(lines)


@contextmanager
def rehearsed(keys: Keys, clock: Clock, seed: int) -> Iterator[None]:
    """Let nothing but a plan decide what happens: no threads, no other randomness, no time that passes by itself."""
    state = random.getstate()
    random.seed(seed)  # botocore's back-off
    try:
        with repeatable(keys), patch("botocore.endpoint.time.sleep", clock.pass_by):
            yield
    finally:
        random.setstate(state)


def _step(drawn: random.Random, kinds: Sequence[str]) -> Step:
    has_other = drawn.random() < 0.4
    call = _call(drawn)
    # A command about a directory reads first and writes later; a command about a file makes few requests.
    numbers = range(4, 24) if call.get("path", call.get("old_path")) in DIRECTORIES else range(1, 7)
    return Step(
        call=call,
        aim=drawn.choice([None, *range(8)]),
        troubles=tuple(_trouble(drawn, kinds, numbers) for _ in range(drawn.choice([0, 1, 1, 1, 2, 2]))),
        other=_call(drawn, "create", "str_replace", "insert", "delete", "rename") if has_other else None,
        other_at=drawn.choice(numbers),
        remaining_seconds=drawn.choice([None, None, None, 2.0, 8.0]),
        again=drawn.choice(["the same command", "in trouble", "repair"]),
        is_cold=drawn.random() < 0.15,
    )


def _trouble(drawn: random.Random, kinds: Sequence[str], numbers: range) -> Trouble:
    first = drawn.choice(numbers)
    # botocore sends a request three times: it recovers from two faults in a row, and fails after three.
    return Trouble(drawn.choice(kinds), first, first + drawn.choice([0, 0, 1, 2, 2, 4, 100]))


def _call(drawn: random.Random, *likely: str) -> ToolInput:
    def path(*names: str) -> str:
        return f"{ROOT}/{drawn.choice(names)}"

    directories = sorted(DIRECTORIES)
    files = ("x", "y", "d/a", "d/b", "d/s/c", "e/a", "e/b")
    new = ("y", "z", "d/n", "e/n", "d/a")
    calls: list[tuple[int, ToolInput]] = [
        (1, {"command": "view", "path": drawn.choice([ROOT, path(*files), *directories])}),
        (2, {"command": "create", "path": path(*new), "file_text": f"new\nof {drawn.randrange(100)}"}),
        (2, {"command": "str_replace", "path": path(*files), "old_str": "one", "new_str": "uno"}),
        (1, {"command": "insert", "path": path(*files), "insert_line": 0, "insert_text": "zero"}),
        (1, {"command": "delete", "path": path(*files)}),
        (4, {"command": "delete", "path": drawn.choice(directories)}),
        (3, {"command": "rename", "old_path": path(*files), "new_path": path(*new)}),
        (7, {"command": "rename", "old_path": drawn.choice(directories), "new_path": path("e", "t", "w/e", "d/t")}),
    ]
    if likely:  # each equally likely
        calls = [(1, call) for _, call in calls if call["command"] in likely]
    weights, inputs = zip(*calls, strict=True)
    chosen: ToolInput = drawn.choices(inputs, weights)[0]
    return chosen


def _shown(call: dict[str, Any]) -> str:
    return " ".join(str(value).removeprefix(ROOT) for key, value in call.items() if "_str" not in key)
