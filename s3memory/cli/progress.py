"""The progress of long work: a bar on stderr, if that is a terminal, and a note on how far it got if interrupted."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from s3memory.progress import Watcher, watched_by

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@contextmanager
def progress_bar() -> Iterator[Watcher]:
    """Show a bar for each piece of work, if stderr is a terminal. Add a note on the progress to a Ctrl-C."""
    counter = _Counter()
    try:
        with watched_by(counter), _bars() if sys.stderr.isatty() else nullcontext() as counter.bars:
            yield counter
    except KeyboardInterrupt as interrupt:
        if counter.what:
            of = "" if counter.steps is None else f" of {counter.steps}"
            interrupt.add_note(f"Progress: {counter.done}{of} ({counter.what}).")
        raise


def _bars() -> Progress:
    from rich import progress  # not loaded where there is no terminal
    from rich.console import Console

    return progress.Progress(
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),  # so that output is above the bar; data for a file or pipe is untouched
    )


class _Counter:
    """Counts the steps, and moves the bar if there is one."""

    def __init__(self) -> None:
        self.what, self.done = "", 0
        self.steps: int | None = None
        self.bars: Progress | None = None
        self._bar: TaskID | None = None
        self._lock = threading.Lock()

    def begin(self, what: str, steps: int | None, /) -> None:
        self.what, self.steps, self.done = what, steps, 0
        if self.bars is not None:
            self._bar = self.bars.add_task(what, total=steps)

    def advance(self, steps: int = 1, /) -> None:
        with self._lock:
            self.done += steps
        if self.bars is not None and self._bar is not None:
            self.bars.advance(self._bar, steps)
