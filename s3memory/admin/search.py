"""Searches all files of a tenant for a text or a regular expression, now or as of a moment."""

from __future__ import annotations

import re
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from types import FrameType

from s3memory import progress
from s3memory.admin.listing_files import FileEntry, list_files
from s3memory.admin.long_jobs import Missed, Patience
from s3memory.admin.versions.point_in_time import read_version
from s3memory.audit.recording import audited
from s3memory.contract import messages
from s3memory.errors import ConfigurationError, IntegrityError, NotFoundError
from s3memory.paths import MemoryPath
from s3memory.store.matching import Pattern, ReadText, Searched, search_files, text_of
from s3memory.store.memory_store import MemoryStore

FILE_SECONDS = 2.0
"""How long an expression may run over one file."""


def expression(pattern: str, *, ignore_case: bool = False) -> Pattern:
    """Return a pattern that matches the lines in which a Python regular expression matches.

    Some expressions would run for years. A timer of the process stops them, and the search ends with a `LimitError`.
    So this works only in the main thread of a Unix process.

    Args:
        pattern: the expression.
        ignore_case: whether upper and lower case match each other.

    Raises:
        ConfigurationError: it is not a regular expression, or no timer is available.
    """
    if not hasattr(signal, "setitimer"):
        raise ConfigurationError("regular expressions need a timer, which this platform does not have")
    if threading.current_thread() is not threading.main_thread():
        raise ConfigurationError("regular expressions need a timer, which works only in the main thread")
    try:
        with warnings.catch_warnings(action="ignore"):  # a FutureWarning would quote this line of the source
            compiled = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise ConfigurationError(f"that is not a regular expression: {error}") from None

    def matched(lines: list[str]) -> list[int]:
        with _time_limit(FILE_SECONDS):
            return [number for number, line in enumerate(lines) if compiled.search(line)]

    return matched


@audited("grep")
def search(
    store: MemoryStore, path: MemoryPath, pattern: Pattern, *, moment: datetime | None = None
) -> Iterator[Searched]:
    """Yield every file at and below a path with its matching lines. Files are fetched in parallel, in bounded memory.

    A file that S3 fails to return has an error code instead of lines.

    Args:
        store: the tenant's files.
        path: a directory or a file.
        pattern: from `matching.fixed_text` or `expression`, or your own.
        moment: search the files as of this moment; as of now by default.

    Raises:
        NotFoundError: nothing is at the path; the root always exists.
        LimitError: an expression took too long.
        BackendError: S3 or the key wrapper could not be reached, or refused too many files.
    """
    progress.begin("files", None)
    n_files = 0
    read = partial(_read, store, Patience(store))
    for searched in search_files(store, read, list_files(store, path, moment=moment), pattern):
        n_files += 1
        progress.advance()
        yield searched
    if not (n_files or path.is_root):
        raise messages.not_found(path)


def _read(store: MemoryStore, patience: Patience, entry: FileEntry) -> ReadText:
    read = partial(text_of, store, entry.path)
    if entry.version_id is not None:
        read = partial(read_version, store, entry.path, entry.version_id)
    try:
        text = patience.work(entry.path, read)
    except NotFoundError:  # the version was destroyed since the listing
        return ReadText(entry.path, "")
    except IntegrityError:
        return ReadText(entry.path, None)
    return ReadText(entry.path, None, text.code) if isinstance(text, Missed) else ReadText(entry.path, text)


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeoutError` in this context after some seconds. Python's matcher checks for signals as it goes."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
