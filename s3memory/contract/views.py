"""The texts of views: numbered lines, snippets, listings, sizes, and the notes after them. Pure: no I/O.

The formats are those of the documentation of Claude's memory tool.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from s3memory.paths import MemoryPath
from s3memory.redaction import Finding

SNIPPET_CONTEXT_LINES = 2

_LINE_NUMBER_WIDTH = 6
_UNITS = "BKMG"
_STEP = 1024
_NOTED_FILES = 20
_NOTED_LINES = 50
_CUT = " [{} more characters]"


class DirectoryItem(NamedTuple):
    """One line of a directory view: a file or a directory.

    Attributes:
        size_bytes: plaintext bytes; for a directory, the sum of everything below it.
        at_least: there is more below it than was counted.
    """

    path: MemoryPath
    is_directory: bool
    size_bytes: int
    at_least: bool = False


def split_lines(text: str) -> list[str]:
    r"""Split only on ``\n``: ``\r``, U+2028 and the like are content."""
    return text.split("\n")


def count_lines(text: str) -> int:
    """Return how many lines an editor would count: a trailing newline ends the last line and does not begin another."""
    return text.count("\n") + (not text.endswith("\n") and bool(text))


def numbered(lines: Iterable[str], *, first: int) -> Iterator[str]:
    """Yield each line prefixed with its number, right-aligned in six columns, and a tab."""
    return (f"{number:>{_LINE_NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, first))


def file_view(path: MemoryPath, text: str, *, first: int, last: int, max_chars: int) -> str:
    """Return lines `first` to `last` (1-based, inclusive) of a file, as many as fit into `max_chars`.

    If not all fit, the last line says what was shown and which ``view_range`` to ask for next.
    """
    lines = split_lines(text)
    asked = lines[first - 1 : last]
    header = f"Here's the content of {path} with line numbers:"
    # If a file is much too long, number only the lines that are shown.
    if len(header) + sum(map(len, asked)) + len(asked) * (_LINE_NUMBER_WIDTH + 2) <= max_chars:
        whole = "\n".join((header, *numbered(asked, first=first)))
        if len(whole) <= max_chars:
            return whole
    longest_note = _paging_line(len(lines), len(lines), len(lines) + 1, len(lines))
    room = max_chars - len(header) - 1 - len(f"[{longest_note}]")
    shown: list[str] = []
    for line in numbered(asked, first=first):
        if len(line) + 1 > room:
            break
        room -= len(line) + 1
        shown.append(line)
    if shown:
        until = first + len(shown) - 1
        return "\n".join((header, *shown, f"[{_paging_line(first, until, last, len(lines))}]"))
    # Even the first line is too long: there is no line boundary to cut at, so say how much is missing. No view begins
    # within a line, but an edit can end it within what is shown.
    (long_line,) = numbered(asked[:1], first=first)
    cut = "Line {} is cut: {} more characters. To see them, put a line break into the line with str_replace. "
    kept = long_line[: room - len(cut.format(first, len(long_line))) - 1]
    note = cut.format(first, len(long_line) - len(kept))
    return "\n".join((header, kept, f"[{note}{_paging_line(first, first, last, len(lines))}]"))


def snippet(text: str, *, changed_line: int, max_chars: int) -> str:
    """Return the changed line (1-based) of the new text, with two lines of context on each side.

    If they do not fit into `max_chars`, each line gets an equal share, and a longer one says how much is missing.
    """
    lines = split_lines(text)
    first = max(1, min(changed_line, len(lines)) - SNIPPET_CONTEXT_LINES)
    last = changed_line + SNIPPET_CONTEXT_LINES
    shown = list(numbered(lines[first - 1 : last], first=first))
    if sum(map(len, shown)) + len(shown) > max_chars:
        share = max_chars // len(shown) - len(_CUT.format(len(text))) - 1
        shown = [line if len(line) <= share else line[:share] + _CUT.format(len(line) - share) for line in shown]
    return "\n".join(shown)


def human_size(size_bytes: int, *, at_least: bool = False) -> str:
    """Return ``512B``, ``4.0K``, ``1.2M``: plain bytes below 1 KiB, else one decimal; a ``+`` for "at least"."""
    size = float(size_bytes)
    unit = 0
    while size >= _STEP and unit < len(_UNITS) - 1:
        size /= _STEP
        unit += 1
    # Otherwise, 1023.96K would become 1024.0K.
    if unit and round(size, 1) >= _STEP and unit < len(_UNITS) - 1:
        size /= _STEP
        unit += 1
    text = f"{size:.1f}{_UNITS[unit]}" if unit else f"{size_bytes}B"
    return f"{text}+" if at_least else text


def directory_view(items: Iterable[DirectoryItem], *, more: bool, max_chars: int) -> str:
    """Return the listing of a directory, itself first.

    Args:
        items: the directory and what is below it, in display order. At most one more is read than fit.
        more: there is more to show than `items`.
        max_chars: the longest result. If not all items fit, the last line says how many were shown.
    """
    remaining = iter(items)
    directory = next(remaining)
    header = (
        f"Here're the files and directories up to 2 levels deep in {directory.path}, "
        "excluding hidden items and node_modules:"
    )
    lines = [header, item_line(directory, is_top=True)]
    n_chars = len(lines[0]) + 1 + len(lines[1])
    for item in remaining:
        lines.append(item_line(item))
        n_chars += 1 + len(lines[-1])
        if n_chars > max_chars:
            break
    if n_chars <= max_chars and not more:
        return "\n".join(lines)
    while n_chars + 1 + len(_cut_line(len(lines) - 2)) > max_chars and len(lines) > 1:
        n_chars -= 1 + len(lines.pop())
    return "\n".join((*lines, _cut_line(max(0, len(lines) - 2))))


def _cut_line(n_items: int) -> str:
    # A range is for lines of files. Moving files is the one way to see more of a directory that has no subdirectories.
    shown = f"The listing is cut after {count_of(n_items, 'item')}."
    return f"[{shown} For more, view a subdirectory, or move shown files into one.]"


def item_line(item: DirectoryItem, *, is_top: bool = False) -> str:
    """Return one line of a listing; a subdirectory ends in ``/``, the viewed directory itself does not."""
    slash = "/" if item.is_directory and not is_top else ""
    return f"{human_size(item.size_bytes, at_least=item.at_least)}\t{item.path}{slash}"


def redaction_notes(files: Sequence[tuple[str, Sequence[Finding]]]) -> str:
    """Return notes that tell the agent what the redactor found: kinds, counts and lines, but none of the text itself.

    Args:
        files: the path and findings of each file; the path is empty if the agent knows which file it is.
    """
    redacted = [(path, [finding for finding in findings if not finding.is_kept]) for path, findings in files]
    kept = [(path, [finding for finding in findings if finding.is_kept]) for path, findings in files]
    return _note("Redacted before it was stored", redacted) + _note(
        "Stored as it is, although it looks sensitive", kept
    )


def _note(what: str, files: Sequence[tuple[str, Sequence[Finding]]]) -> str:
    parts = [f"in {path} {_counts(findings)}" if path else _counts(findings) for path, findings in files if findings]
    if len(parts) > _NOTED_FILES:
        parts[_NOTED_FILES:] = [f"and in {len(parts) - _NOTED_FILES} more files"]
    return f"\n{what}: {'; '.join(parts)}." if parts else ""


def _counts(findings: Sequence[Finding]) -> str:
    by_kind: dict[str, list[int]] = {}
    for finding in findings:
        by_kind.setdefault(finding.kind, []).append(finding.line)
    return ", ".join(
        f"{len(lines)} {kind} ({'line' if len(set(lines)) == 1 else 'lines'} {_numbers(lines)})"
        for kind, lines in by_kind.items()
    )


def _numbers(lines: Iterable[int]) -> str:
    numbers = [str(line) for line in dict.fromkeys(lines)]
    return ", ".join([*numbers[:_NOTED_LINES], *(["..."] if len(numbers) > _NOTED_LINES else [])])


def _paging_line(first: int, until: int, last: int, n_lines: int) -> str:
    shown = f"Lines {first}-{until} of {n_lines} shown."
    return f"{shown} For more, view with view_range [{until + 1}, {last}]." if until < last else shown


def count_of(number: int, noun: str) -> str:
    """Return ``1 file``, ``2 files``: for nouns that take an "s"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def shown_time(moment: datetime) -> str:
    """Return a time in the format that operators see everywhere: UTC, to the second."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
