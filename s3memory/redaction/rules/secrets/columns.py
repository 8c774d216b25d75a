"""Tables drawn with bars, as in Markdown and on terminals: what the first row has above a cell."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import dropwhile, pairwise
from typing import NamedTuple

from s3memory.redaction.text.compiling import compiled

_LONGEST_ROW = 2_000
_BARS = ("|", "\u2502")
_BAR = r"(?<!\\)[|\u2502]"
_AROUND_ROWS = " \t\r>"
_AROUND_AND_DRAWN = (
    _AROUND_ROWS + "|+-=:\u2500\u2502\u250c\u2510\u2514\u2518\u251c\u2524\u252c\u2534\u253c\u2550\u256a\u255e\u2561"
)

_Places = list[tuple[int, int]]


class _Table(NamedTuple):
    """Where a table's first row starts and its last one ends, and where the cells of the first row stand."""

    start: int
    end: int
    heads: _Places


class Columns:
    """The columns of a text's tables.

    Args:
        text: The text.
    """

    __slots__ = ("_starts", "_tables", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._tables = [*_tables(text)] if any(bar in text for bar in _BARS) else []
        self._starts = [table.start for table in self._tables]

    def head_of(self, position: int) -> tuple[int, int] | None:
        """Return where the head of the column stands in which `position` is, or `None` where that is below none."""
        place = bisect_right(self._starts, position) - 1
        if place < 0 or position >= self._tables[place].end:
            return None
        start, _, heads = self._tables[place]
        row = self._text.rfind("\n", max(start, position - _LONGEST_ROW), position) + 1
        before = self._text[row:position]
        column = len(compiled(_BAR).findall(before)) - _starts_with_bar(before)
        return heads[column] if row and column < len(heads) else None


def _tables(text: str) -> Iterator[_Table]:
    rows: list[tuple[int, str]] = []
    start = 0
    for line in [*text.split("\n"), ""]:
        if "|" in line or "\u2502" in line or _is_rule(line):  # a loop over both would take most of the time
            rows.append((start, line))
        elif rows:
            yield from _table(rows, start)
            rows = []
        start += len(line) + 1


def _table(rows: list[tuple[int, str]], end: int) -> Iterator[_Table]:
    rows = [*dropwhile(lambda row: _is_rule(row[1]), rows)]
    # A pipeline has bars as well: a table starts with one, or has a line below its heads.
    if len(rows) > 1 and (_starts_with_bar(rows[0][1]) or _is_rule(rows[1][1])):
        start, head = rows[0]
        edges = [start + bar.start() for bar in compiled(_BAR).finditer(head, 0, _LONGEST_ROW)]
        if not _starts_with_bar(head):
            edges.insert(0, start - 1)
        if not head.rstrip().endswith(_BARS):
            edges.append(start + len(head))
        heads = [(edge + 1, behind) for edge, behind in pairwise(edges)]
        yield _Table(start, end, heads)


def _is_rule(line: str) -> bool:
    """Whether a line is drawn, and has nothing written on it."""
    return not line.strip(_AROUND_AND_DRAWN) and line.strip(_AROUND_ROWS) != ""


def _starts_with_bar(row: str) -> bool:
    return row.lstrip(_AROUND_ROWS).startswith(_BARS)
