"""An agent's search, bounded in files, time and length. The result says what was left out.

Operators search without these bounds: see `s3memory.admin.search`. `matching` reads and matches the files.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING
from unicodedata import normalize

from s3memory._parallel import Beside, together
from s3memory.contract.inputs import checked_string
from s3memory.contract.views import count_of
from s3memory.errors import InvalidInputError
from s3memory.limits import LIST_PAGE_KEYS, Limits
from s3memory.paths import MemoryPath
from s3memory.store.listing import is_hidden
from s3memory.store.matching import FileToSearch, Searched, comparable, fixed_text, search_for_agent

if TYPE_CHECKING:
    from s3memory.format.object_keys import ListedPage
    from s3memory.store.memory_store import MemoryStore


_MAX_LINE_CHARS = 500
# How many more pages a search may list than its files fill: to count files, or to get past hidden ones.
_FURTHER_PAGES = 16
# No file is opened in this last share of the time left: it is for the reads that are already in progress.
_RESERVED_SHARE = 0.25
_MAX_RESERVED_SECONDS = 1.0


class Search:
    """One search by an agent, through one memory or several. It is literal and ignores case.

    Args:
        query: the text that a line must contain.
        limits: how many files may be opened, and how long the result may be.
        remaining_seconds: returns how much time the caller has left.

    Raises:
        InvalidInputError: the query is not text, is empty, or has more than one line.
    """

    def __init__(self, query: object, *, limits: Limits, remaining_seconds: Callable[[], float] | None = None) -> None:
        text = checked_string(query, "query")
        if not text:
            raise InvalidInputError.of("query", "it must not be empty")
        if "\n" in text:
            raise InvalidInputError.of("query", "it must be one line, since lines are searched")
        self._query = text
        self._limits = limits
        self._remaining_seconds = remaining_seconds
        seconds = 0.0 if remaining_seconds is None else remaining_seconds()
        self._reserved_seconds = min(_MAX_RESERVED_SECONDS, seconds * _RESERVED_SHARE)
        self._n_openable = limits.max_search_files
        self._room_chars = limits.max_view_chars
        self._lines: list[str] = []
        self._unreadable: list[str] = []
        self._refused: list[str] = []
        self._hidden_memories: list[str] = []
        self._n_hidden = self._n_stray = self._n_unsearched = 0
        self._has_more = self._has_cut_lines = False

    def run(
        self, store: MemoryStore, path: MemoryPath, *, is_elsewhere: Callable[[MemoryPath], bool] = lambda _: False
    ) -> bool:
        """Search the files at and below a path, in path order, as far as the bounds allow.

        Hidden files and ``node_modules`` below the path are left out, as in views. No file is touched.

        Args:
            store: the tenant's memory.
            path: a file or a directory.
            is_elsewhere: whether a path belongs to another mounted memory: this store's files there are left out.

        Returns:
            Whether there is anything at the path.

        Raises:
            KeyRingError: the key ring does not open. BackendError: S3 or the key wrapper could not be reached.
        """
        files, is_there = self._files(store, path, is_elsewhere)
        taken = sorted(files[: self._n_openable])
        self._n_openable -= len(taken)
        n_done = 0
        pattern = fixed_text(self._query, ignore_case=True)
        in_time = takewhile(lambda _: self._has_time() and not self._is_full(), taken)
        with closing(search_for_agent(store, in_time, pattern)) as found:
            for searched in found:
                n_done += 1
                self._add(searched)
                if self._is_full():
                    break
        self._n_unsearched += len(files) - n_done
        return is_there

    def leave_out(self, mount: MemoryPath) -> None:
        """Record that a whole memory was left out because its mount point is hidden."""
        self._hidden_memories.append(str(mount))

    def text(self, path: object) -> str:
        """Return the text for the model: what was found at and below `path`, and what was left out."""
        lines, is_cut = self._lines or [f"No matches in {path}."], self._is_full()
        while True:
            text = "\n".join((*lines, *self._notes(n_shown=len(lines) if is_cut else None)))
            if len(text) <= self._limits.max_view_chars or not lines:
                return text
            lines, is_cut = lines[:-1], True

    def _files(
        self, store: MemoryStore, path: MemoryPath, is_elsewhere: Callable[[MemoryPath], bool]
    ) -> tuple[list[FileToSearch], bool]:
        """Return the files to search, and whether there is anything at the path."""
        files: list[FileToSearch] = []
        if path.is_root:
            first = store.files.list_page(path)
        elif store.key_ring.existing() is None:  # loaded here, so that the parallel requests don't both load it
            return files, False
        else:
            info, first = together(partial(store.files.info, path), partial(store.files.list_page, path))
            files += [] if info is None else [FileToSearch(path, 0)]
        depth = len(path.segments)
        n_stray = n_hidden = n_elsewhere = 0
        for page in self._pages(store, path, first):
            n_stray += page.stray
            for file in page.files:
                if is_elsewhere(file.path):
                    n_elsewhere += 1
                elif any(map(is_hidden, file.path.segments[depth:])):
                    n_hidden += 1
                else:
                    files.append(FileToSearch(file.path, file.listed.size_bytes))
        self._n_stray += n_stray
        self._n_hidden += n_hidden
        return files, path.is_root or bool(files or n_stray or n_hidden or n_elsewhere)

    def _pages(self, store: MemoryStore, path: MemoryPath, page: ListedPage) -> Iterator[ListedPage]:
        for _ in range(self._limits.max_search_files // LIST_PAGE_KEYS + _FURTHER_PAGES - 1):
            if page.next_token is None or not self._has_time():
                break
            with Beside(partial(store.files.list_page, path, token=page.next_token)) as following:
                yield page
            page = following.results[0]()
        yield page
        self._has_more |= page.next_token is not None

    def _has_time(self) -> bool:
        return self._remaining_seconds is None or self._remaining_seconds() > self._reserved_seconds

    def _is_full(self) -> bool:
        return self._room_chars < 0

    def _add(self, searched: Searched) -> None:
        if searched.is_unreadable:
            self._unreadable.append(f"{searched.path}")
        if searched.code is not None:
            self._refused.append(f"{searched.path}")
        for path, number, text in searched.lines:
            shown = self._around_match(text)
            self._has_cut_lines |= shown is not text
            self._lines.append(f"{path}:{number}: {shown}")
            self._room_chars -= len(self._lines[-1]) + 1
            if self._is_full():
                return

    def _around_match(self, line: str) -> str:
        """Return a line, or if it is very long, the part around its first match, composed."""
        if len(line) <= _MAX_LINE_CHARS:
            return line
        line = normalize("NFC", line)
        folded = comparable(line, ignore_case=True)
        position = folded.index(comparable(self._query, ignore_case=True))
        if len(folded) != len(line):  # some characters fold to several
            ends = list(accumulate(len(char.casefold()) for char in line))
            position = bisect_right(ends, position)
        start = max(0, min(position - _MAX_LINE_CHARS // 4, len(line) - _MAX_LINE_CHARS))
        end = start + _MAX_LINE_CHARS
        return f"{'...' if start else ''}{line[start:end]}{'...' if end < len(line) else ''}"

    def _notes(self, *, n_shown: int | None) -> list[str]:
        """Return a note for each kind of thing that was left out, and why. A cut result shows `n_shown` lines."""
        notes = []
        left = count_of(self._n_unsearched, "more file")
        if self._has_more:  # files that were not listed are not counted
            left = f"more than {count_of(self._n_unsearched, 'file')}" if self._n_unsearched else "more files"
        narrower = "Search a directory further down, or a single file."
        if n_shown is not None:
            were = f", and {left} not looked at" if self._n_unsearched or self._has_more else ""
            notes.append(f"The result is cut after {count_of(n_shown, 'line')}{were}. Use a longer query. {narrower}")
        elif (self._n_unsearched or self._has_more) and not self._has_time():
            notes.append(f"Time ran out: {left} not looked at. {narrower}")
        elif self._n_unsearched or self._has_more:
            most = count_of(self._limits.max_search_files, "file")
            notes.append(f"{left[0].upper()}{left[1:]} not looked at: one search opens {most} at most. {narrower}")
        for paths, why, advice in (
            (self._unreadable, "they do not open", "This needs an operator."),
            (self._refused, "the memory store refuses them", "This needs an operator."),
            (self._hidden_memories, "hidden or in node_modules", "Search each by its own path."),
        ):
            if paths:
                notes.append(f"Not searched, because {why}: {self._joined(paths)}. {advice}")
        if self._n_hidden:
            notes.append(
                f"{count_of(self._n_hidden, 'file')} left out: hidden, or in hidden directories or node_modules. "
                "Search them by their own path."
            )
        if self._n_stray:
            notes.append(f"{count_of(self._n_stray, 'stored object')} left out: no memory files. An operator can tell.")
        if self._has_cut_lines:
            notes.append(f"Lines of more than {_MAX_LINE_CHARS} characters are shown around the match.")
        return [f"[{note}]" for note in notes]

    def _joined(self, paths: list[str]) -> str:
        room = self._limits.max_view_chars // 4
        named: list[str] = []
        for path in paths:
            room -= len(path) + 2
            if room < 0 and named:
                return f"{', '.join(named)} and {len(paths) - len(named)} more"
            named.append(path)
        return ", ".join(named)
