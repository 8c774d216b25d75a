"""Searching decrypted texts, line by line. Nothing is indexed: every file is fetched and opened."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from types import FrameType

from s3memory.admin.listing_files import FileEntry, list_files
from s3memory.admin.past import read_version
from s3memory.auditing import audited
from s3memory.errors import ConfigurationError, IntegrityError, LimitError, NotFoundError
from s3memory.parallel import stream
from s3memory.paths import MemoryPath
from s3memory.progress import NOBODY, Watcher
from s3memory.store import MemoryStore
from s3memory.views import split_lines

DEFAULT_FILE_SECONDS = 2.0
"""How long one file may keep an expression busy."""

Pattern = Callable[[list[str]], list[int]]
"""Gives the indexes of the lines that it matches."""


@dataclass(frozen=True, slots=True)
class MatchedLine:
    """A line that matches: its file, its 1-based number and its text."""

    path: MemoryPath
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Searched:
    """One file that was looked at: its lines that match, and whether it could not be opened."""

    path: MemoryPath
    lines: tuple[MatchedLine, ...] = ()
    is_unreadable: bool = False


def fixed_text(text: str, *, ignore_case: bool = False) -> Pattern:
    """Return a pattern that matches lines in which a text stands as it is."""
    sought = text.casefold() if ignore_case else text

    def matched(lines: list[str]) -> list[int]:
        return [number for number, line in enumerate(lines) if sought in (line.casefold() if ignore_case else line)]

    return matched


def expression(pattern: str, *, ignore_case: bool = False, file_seconds: float = DEFAULT_FILE_SECONDS) -> Pattern:
    """Return a pattern that matches lines in which a regular expression of Python's matches.

    Some expressions take longer than anybody waits. A timer of the process ends those, so it works in the main thread
    of a Unix process alone.

    Args:
        pattern: the expression.
        ignore_case: whether case makes no difference.
        file_seconds: how long it may take for one file; beyond, the search ends with a `LimitError`.

    Raises:
        ConfigurationError: it is no expression, or there is no such timer here.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        raise ConfigurationError("regular expressions are bounded by a timer, which is not to be had here")
    try:
        compiled = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise ConfigurationError(f"that is no regular expression: {error}") from None

    def matched(lines: list[str]) -> list[int]:
        with _within(file_seconds):
            return [number for number, line in enumerate(lines) if compiled.search(line)]

    return matched


@audited("grep")
def search(
    store: MemoryStore,
    path: MemoryPath,
    pattern: Pattern,
    *,
    moment: datetime | None = None,
    watcher: Watcher = NOBODY,
) -> Iterator[Searched]:
    """Yield every file at and below a path with its lines that match; several are fetched at a time, few are held.

    Args:
        store: the tenant's files.
        path: a directory or a file.
        pattern: of `fixed_text` or `expression`, or one's own.
        moment: as the files were then.
        watcher: is told of every file.

    Raises:
        NotFoundError: nothing is at the path; the root always exists.
        LimitError: an expression took too long.
        BackendError: S3 or the key wrapper could not be reached.
    """
    watcher.begins("files", None)
    n_files = 0
    for file_path, text in stream(partial(_read, store), list_files(store, path, moment=moment)):
        n_files += 1
        watcher.advances()
        if text is None:
            yield Searched(file_path, is_unreadable=True)
            continue
        lines = split_lines(text)
        try:
            numbers = pattern(lines)
        except _TimeUpError:
            raise LimitError(f"Error: The expression takes too long for {file_path}. Use a simpler one.") from None
        yield Searched(file_path, tuple(MatchedLine(file_path, number + 1, lines[number]) for number in numbers))
    if not (n_files or path.is_root):
        raise NotFoundError(f"Error: The path {path} does not exist")


def _read(store: MemoryStore, entry: FileEntry) -> tuple[MemoryPath, str | None]:
    try:
        if entry.version_id is not None:
            return entry.path, read_version(store, entry.path, entry.version_id)
        file = store.read(entry.path)
    except NotFoundError:
        return entry.path, ""
    except IntegrityError:
        return entry.path, None
    return entry.path, "" if file is None else file.text  # it was deleted since it was listed


class _TimeUpError(Exception):
    """An expression took too long."""


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """End what goes on in this thread after so many seconds. Python's matcher looks for signals as it goes."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise _TimeUpError

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
