"""Texts, versions and matches as the screen shows them: escaped, never read as markup, redactions marked."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from s3memory.admin.versions.history import FileVersion
from s3memory.admin.versions.point_in_time import Compared
from s3memory.cli.output import counted, printable
from s3memory.contract.views import count_of, human_size, shown_time, split_lines
from s3memory.store.matching import MatchedLine

MAX_LINES = 20_000
"""How many lines of a text or a diff are shown."""

MAX_LINE_CHARS = 2_000
"""How many characters of a line are shown; the rest is counted."""

REDACTED = "bold white on dark_red"
_NUMBER = "dim"
_DIFF = {"+": "green", "-": "red", "@": "cyan"}


def text_lines(text: str, redacted: list[tuple[int, int]]) -> Iterator[Text]:
    """Yield the numbered lines of a text; `redacted` are the spans of its redactions, in order."""
    at = 0
    lines = split_lines(text)
    for number, line in enumerate(lines[:MAX_LINES], 1):
        end = at + len(line)
        spans = [(max(start, at) - at, min(stop, end) - at) for start, stop in redacted if start < end and stop > at]
        yield Text(f"{number:>6} ", _NUMBER) + _marked(line, spans)
        at = end + 1
    if len(lines) > MAX_LINES:
        yield Text(
            f"({counted(len(lines) - MAX_LINES, 'more line is', 'more lines are')} not shown: use s3memory cat)",
            _NUMBER,
        )


def diff_lines(compared: Compared) -> Iterator[Text]:
    """Yield the lines of a unified diff."""
    lines = compared.unified(
        names=(compared.older.version_id, compared.newer.version_id),
        times=(shown_time(compared.older.modified), shown_time(compared.newer.modified)),
    )
    if not lines:
        yield Text("Both versions have the same text.")
    for line in lines[:MAX_LINES]:
        yield Text(_cut(printable(line)), _DIFF.get(line[:1], ""))
    if len(lines) > MAX_LINES:
        yield Text(
            f"({counted(len(lines) - MAX_LINES, 'more line is', 'more lines are')} not shown: use s3memory diff)",
            _NUMBER,
        )


def version_row(version: FileVersion) -> tuple[Text, ...]:
    """Return the cells of a version: its time, the change that made it, its size, its actor, and notes."""
    notes = ["latest"] if version.is_latest else []
    if version.same_text_as is not None:
        notes.append("same as an older text")
    if version.problem is not None:
        notes.append(str(version.problem))
    if version.code is not None:
        notes.append(printable(version.code))
    if version.has_bad_actor:
        notes.append("an actor label that does not open")
    note = Text(", ".join(notes))
    if version.redaction is not None:
        note = Text(f"redacted {shown_time(version.redaction.redacted_at)}", REDACTED)
    size = "" if version.size_bytes is None else human_size(version.size_bytes)
    cells = (shown_time(version.modified), str(version.operation), size, printable(version.actor or ""))
    return (*map(Text, cells), note)


def match_row(match: MatchedLine) -> tuple[Text, Text, Text]:
    """Return the cells of a matching line."""
    return name_of(str(match.path)), Text(str(match.line)), Text(_cut(printable(match.text)))


def name_of(name: str, size_bytes: int | None = None) -> Text:
    """Return a path or a part of one, followed by its size."""
    size = "" if size_bytes is None else f"  {human_size(size_bytes)}"
    return Text(printable(name)) + Text(size, _NUMBER)


def _marked(line: str, spans: list[tuple[int, int]]) -> Text:
    marked, at = Text(), 0
    for start, stop in spans:
        marked.append(printable(line[at:start])).append(printable(line[start:stop]), REDACTED)
        at = stop
    marked.append(_cut(printable(line[at:])))
    return marked


def _cut(line: str) -> str:
    if len(line) <= MAX_LINE_CHARS:
        return line
    return f"{line[:MAX_LINE_CHARS]} ({count_of(len(line) - MAX_LINE_CHARS, 'more character')})"
