"""Child processes of the demo: bounded in time, and gone when their context is left."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO

_SHOWN_STDERR_LINES = 5


class DemoError(Exception):
    """The demo could not go on. The text says why."""


@dataclass(frozen=True, slots=True)
class Child:
    """A program that is running, and the lines of its standard output."""

    pid: int
    lines: IO[str]
    _stdin: IO[str]

    def send(self, line: str) -> None:
        """Write a line to its standard input. If it has ended, leaving its context says so."""
        with suppress(BrokenPipeError):
            self._stdin.write(line + "\n")
            self._stdin.flush()


@contextmanager
def running(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    *,
    timeout_seconds: float,
    exit_codes: Sequence[int] = (0,),
) -> Iterator[Child]:
    """Run a program of this package with pipes to its standard input and output. It is killed in the end.

    Raises:
        DemoError: on leaving the context, if it ended with another exit code than those.
    """
    with (
        # A file, since nobody reads it meanwhile: a pipe would fill up.
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as stderr,
        subprocess.Popen(  # noqa: S603 - programs of this package
            [sys.executable, "-P", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=dict(environment),
            encoding="utf-8",
        ) as process,
    ):
        if process.stdin is None or process.stdout is None:
            raise DemoError("a process has no pipes")
        in_time = threading.Timer(timeout_seconds, process.kill)
        in_time.start()
        try:
            yield Child(process.pid, process.stdout, process.stdin)
            with suppress(BrokenPipeError):
                process.stdin.close()
            process.stdout.read()
            if process.wait() not in exit_codes:
                stderr.seek(0)
                said = "\n".join(stderr.read().splitlines()[-_SHOWN_STDERR_LINES:])
                raise DemoError(f"{' '.join(arguments)} ended with exit code {process.returncode}\n{said}".strip())
        finally:
            in_time.cancel()
            process.kill()
            with suppress(BrokenPipeError):  # it may have ended before it read all
                process.stdin.close()
