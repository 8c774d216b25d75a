"""Reading decrypted texts and matching their lines. There is no index: files are fetched and opened side by side.

An agent's search (`searching`) and an operator's (`s3memory.admin.search`) use it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from s3memory._parallel import stream
from s3memory.contract.views import count_lines, split_lines
from s3memory.errors import BackendError, IntegrityError, LimitError, UnavailableError
from s3memory.limits import MAX_REFUSED
from s3memory.paths import MemoryPath

if TYPE_CHECKING:
    from s3memory.store.memory_store import MemoryStore


class Searchable(Protocol):
    """A file to be searched."""

    @property
    def path(self) -> MemoryPath:
        """Which one."""

    @property
    def size_bytes(self) -> int | None:
        """How large it is, as far as a listing told."""


class FileToSearch(NamedTuple):
    """A file from a listing; or, with 0 bytes, one that was asked for by its path."""

    path: MemoryPath
    size_bytes: int


T = TypeVar("T", bound=Searchable)

Pattern = Callable[[list[str]], list[int]]
"""Gives the indexes of the lines that it matches."""


class MatchedLine(NamedTuple):
    """A line that matches: its file, its 1-based number and its text."""

    path: MemoryPath
    line: int
    text: str


class ReadText(NamedTuple):
    """A file's text, `None` if it does not open, or AWS's error code if S3 does not give it."""

    path: MemoryPath
    text: str | None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Searched:
    """One file that was looked at: its lines that match, or that it does not open, or why S3 does not give it."""

    path: MemoryPath
    lines: tuple[MatchedLine, ...] = ()
    is_unreadable: bool = False
    code: str | None = None


def fixed_text(text: str, *, ignore_case: bool = False) -> Pattern:
    """Return a pattern that matches lines in which a text stands as it is."""
    sought = text.casefold() if ignore_case else text

    def matched(lines: list[str]) -> list[int]:
        return [number for number, line in enumerate(lines) if sought in (line.casefold() if ignore_case else line)]

    return matched


def search_files(
    store: MemoryStore, read: Callable[[T], ReadText], files: Iterable[T], pattern: Pattern
) -> Generator[Searched]:
    """Yield every file with its lines that match, in order; several are read at a time, few are held.

    Raises:
        LimitError: the pattern took too long for a file: it raised `TimeoutError`. And what `read` raises.
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
    """Yield the same for current files. A file that S3 refuses is left out, as long as S3 gives others.

    Raises:
        BackendError: S3 did not answer, or refused all.
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
    """Return a file's text: an empty one if it is gone by now. Raises as `MemoryStore.read`."""
    file = store.read(path)
    return "" if file is None else file.text
