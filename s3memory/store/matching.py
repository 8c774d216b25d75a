"""Read files and match their lines. There is no index: files are fetched and decrypted in parallel.

Both the agent's search (`searching`) and the operator's (`s3memory.admin.search`) use it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar
from unicodedata import normalize

from s3memory._parallel import stream
from s3memory.contract.views import count_lines, split_lines
from s3memory.errors import BackendError, IntegrityError, LimitError, UnavailableError
from s3memory.limits import MAX_REFUSED
from s3memory.paths import MemoryPath

if TYPE_CHECKING:
    from s3memory.store.memory_store import MemoryStore


class Searchable(Protocol):
    """A file to search."""

    @property
    def path(self) -> MemoryPath:
        """The file's path."""

    @property
    def size_bytes(self) -> int | None:
        """The file's size according to a listing, if known."""


class FileToSearch(NamedTuple):
    """A file from a listing, or with a size of 0, one that was requested by its path."""

    path: MemoryPath
    size_bytes: int


T = TypeVar("T", bound=Searchable)

Pattern = Callable[[list[str]], list[int]]
"""Returns the indexes of the lines that match."""


class MatchedLine(NamedTuple):
    """A matching line: its file, its 1-based number and its text."""

    path: MemoryPath
    line: int
    text: str


class ReadText(NamedTuple):
    """A file's text; the text is `None` if the file does not open, or if S3 refuses it with an error `code`."""

    path: MemoryPath
    text: str | None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Searched:
    """A file that was searched: its matching lines, or that it does not open, or the code with which S3 refuses it."""

    path: MemoryPath
    lines: tuple[MatchedLine, ...] = ()
    is_unreadable: bool = False
    code: str | None = None


def comparable(line: str, *, ignore_case: bool) -> str:
    """Return a line for comparison: in NFC, since "é" may be one character or two, and case-folded on demand."""
    line = normalize("NFC", line)
    return line.casefold() if ignore_case else line


def fixed_text(text: str, *, ignore_case: bool = False) -> Pattern:
    """Return a pattern that matches lines containing a literal text, composed or decomposed."""
    sought = comparable(text, ignore_case=ignore_case)

    def matched(lines: list[str]) -> list[int]:
        return [number for number, line in enumerate(lines) if sought in comparable(line, ignore_case=ignore_case)]

    return matched


def search_files(
    store: MemoryStore, read: Callable[[T], ReadText], files: Iterable[T], pattern: Pattern
) -> Generator[Searched]:
    """Yield every file with its matching lines, in order. Files are read in parallel, but few are held in memory.

    Raises:
        LimitError: the pattern took too long for a file: it raised `TimeoutError`. Also whatever `read` raises.
    """
    at_once = store.objects.requests_at_once
    for path, text, code in stream(read, files, at_once=at_once, size_bytes=lambda file: file.size_bytes or 0):
        lines = [] if text is None else split_lines(text)[: count_lines(text)]
        try:
            numbers = pattern(lines)
        except TimeoutError:
            raise LimitError(f"The expression takes too long for {path}. Use a simpler one.") from None
        found = tuple(MatchedLine(path, number + 1, lines[number]) for number in numbers)
        yield Searched(path, found, is_unreadable=text is None and code is None, code=code)


def search_for_agent(store: MemoryStore, files: Iterable[T], pattern: Pattern) -> Generator[Searched]:
    """Search the current version of files, as `search_files` does. A refused file is skipped if S3 returns any others.

    Raises:
        BackendError: S3 did not respond, or refused all files.
    """
    refusals: list[BackendError] = []

    def read(file: T) -> ReadText:
        try:
            return ReadText(file.path, text_of(store, file.path))
        except IntegrityError:
            return ReadText(file.path, None)
        except UnavailableError:
            raise
        except BackendError as error:
            refusals.append(error)
            return ReadText(file.path, None, error.code or "refused")

    n_refused, is_any_given = 0, False
    with closing(search_files(store, read, files, pattern)) as found:
        for searched in found:
            n_refused += searched.code is not None
            is_any_given |= searched.code is None
            if n_refused == MAX_REFUSED and not is_any_given:
                break
            yield searched
    if n_refused and not is_any_given:
        raise refusals[0]


def text_of(store: MemoryStore, path: MemoryPath) -> str:
    """Return a file's text, or an empty one if the file is gone. Raises as `MemoryStore.read`."""
    file = store.read(path)
    return "" if file is None else file.text
