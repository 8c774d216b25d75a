"""Rewrites values whose label is elsewhere as settings that the rules can search: one "label: value" per line."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import count
from operator import attrgetter
from typing import NamedTuple

from s3memory.redaction.interface import Span
from s3memory.redaction.text.tables import Cell

_BETWEEN, _QUOTE, _END_OF_LINE = ": ", '"', "\n"
_END_OF_PART = "\n\ufffd\n"  # no rule finds anything across it

_start_of, _end_of = attrgetter("start"), attrgetter("end")


class NamedValue(NamedTuple):
    """A value that may be a secret by its label: its span in the settings, and in the text.

    Attributes:
        start: Where it starts in the settings.
        end: Where it ends there.
        column: The number of its column, whose values are of the same sort.
        cell: Its span in the text.
    """

    start: int
    end: int
    column: int
    cell: Cell


class NamedValues:
    """The settings written so far for one text.

    Attributes:
        text: The text.
        all: The values that have the label of a secret, in the order of the settings.
        columns_of_words: The numbers of the columns in which a plain word may be a value as well.
        length: The length of the settings so far, in characters.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.all: list[NamedValue] = []
        self.columns_of_words: set[int] = set()
        self.length = 0
        self._parts: list[str] = []
        self._columns = count()

    @property
    def settings(self) -> str:
        """The settings, as one text."""
        return "".join(self._parts)

    def new_column(self, *, is_of_words: bool = False) -> int:
        """Return the number of a new column."""
        column = next(self._columns)
        if is_of_words:
            self.columns_of_words.add(column)
        return column

    def add(self, name: str, cell: Cell, column: int | None = None) -> None:
        """Write what is in `cell` as the value of `name`.

        Args:
            name: The label; if it is empty, the value stands alone.
            cell: The span of the value in the text.
            column: The number of its column, if its label is that of a secret.
        """
        value = self.text[slice(*cell)]
        quote = _QUOTE if column in self.columns_of_words and " " in value else ""
        self._add(f"{name}{_BETWEEN}{quote}" if name else quote)
        if column is not None and value:
            self.all.append(NamedValue(self.length, self.length + len(value), column, cell))
        self._add(f"{value}{quote}{_END_OF_LINE}")

    def add_alone(self, name: str, cell: Cell, *, is_of_words: bool = False, is_quoted: bool = True) -> None:
        """Write what is in `cell` as the value of `name`, so that no rule finds anything across."""
        column = self.new_column(is_of_words=is_of_words and is_quoted)
        self.add(name, cell, column)
        self.columns_of_words |= {column} if is_of_words else set()
        self.end_part()

    def end_group(self) -> None:
        """Separate the next settings by a blank line, as one row of a table from the next."""
        self._add(_END_OF_LINE)

    def end_part(self) -> None:
        """Separate the next settings so that no rule finds anything across."""
        self._add(_END_OF_PART)

    def overlapping(self, span: Span) -> list[NamedValue]:
        """Return the values that a span in the settings overlaps."""
        first = bisect_right(self.all, span.start, key=_end_of)
        return self.all[first : bisect_left(self.all, span.end, key=_start_of)]

    def _add(self, part: str) -> None:
        self._parts.append(part)
        self.length += len(part)
