"""A progress bar on stderr for long work, where stderr is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from s3memory.progress import NOBODY, Watcher

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@contextmanager
def progress_bar() -> Iterator[Watcher]:
    """Show a bar for each piece of work while it goes on; show nothing where nobody looks."""
    if not sys.stderr.isatty():
        yield NOBODY
        return
    from rich.console import Console  # noqa: PLC0415 - see the package's docstring
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield _Bar(progress)


class _Bar:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None

    def begins(self, what: str, steps: int | None, /) -> None:
        self._task = self._progress.add_task(what, total=steps)

    def advances(self, steps: int = 1, /) -> None:
        if self._task is not None:
            self._progress.advance(self._task, steps)
