"""Steps of a check: run, timed and reported, by several threads at once."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field


class CheckError(Exception):
    """A step found a problem; its text describes it."""


@dataclass(slots=True)
class Report:
    """The steps as they finish, and at the end what was not checked. Safe to share between threads."""

    done: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def step(self, name: str, check: Callable[[], str | None]) -> bool:
        """Run a step. Return whether it passed; its result is printed next to its name."""
        began = time.monotonic()
        try:
            detail = check()
        except CheckError as error:
            self.fail(name, error)
            return False
        self._tell(f"ok      {_since(began)}  {name}{f': {detail}' if detail else ''}")
        self.done.append(name)
        return True

    def steps(self, *steps: tuple[str, Callable[[], str | None]]) -> None:
        """Run steps that each need the one before. After a failure the others are not run."""
        for number, (name, check) in enumerate(steps):
            if not self.step(name, check):
                for later, _ in steps[number + 1 :]:
                    self.leave_out(f"{later} (what comes before it failed)")
                return

    def fail(self, name: str, error: CheckError) -> None:
        """Record that a step found a problem."""
        self._tell(f"FAILED           {name}\n{error}")
        # Long output is truncated here: Terraform's findings are repeated at the end.
        told = dict.fromkeys(line.strip("│ ") for line in str(error).splitlines() if "Error:" in line)
        self.failed.append("\n    ".join((name, *told)))

    def leave_out(self, what: str) -> None:
        """Record what is not checked, and why."""
        self.not_checked.append(what)

    def end(self) -> int:
        """Print the result. Return the exit code: 0 unless a step failed."""
        self._tell(f"\n{len(self.done)} steps found everything in order, {len(self.failed)} did not.")
        for what in self.not_checked:
            self._tell(f"NOT CHECKED: {what}")
        for name in self.failed:
            self._tell(f"FAILED: {name}")
        return 1 if self.failed else 0

    def _tell(self, text: str) -> None:
        with self._lock:
            sys.stdout.write(text + "\n")
            sys.stdout.flush()


def _since(began: float) -> str:
    return f"{time.monotonic() - began:5.1f} s"
