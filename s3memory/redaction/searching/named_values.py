"""Values whose names stand elsewhere, read as settings are written: on each line a name, a colon and a value."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import count
from operator import attrgetter
from typing import NamedTuple

from s3memory.redaction.model import Span
from s3memory.redaction.text.tables import Cell

_BETWEEN, _QUOTE, _END_OF_LINE = ": ", '"', "\n"
_END_OF_PART = "\n\ufffd\n"  # no rule finds anything across it

_start_of, _end_of = attrgetter("start"), attrgetter("end")


class NamedValue(NamedTuple):
    """A value that may be a secret by its name: where it stands in what is read, and in the text.

    Attributes:
        start: Where it starts in what is read.
        end: Where it ends there.
        column: The number of what it is one of: those of a column are alike.
        cell: Where it stands in the text.
    """

    start: int
    end: int
    column: int
    cell: Cell


class NamedValues:
    """The values of a text, with the names that they are read behind.

    Attributes:
        text: The text.
        all: Those that have the name of a secret, in the order in which they are read.
        columns_of_words: The numbers of the columns in which plain words are values as well.
        length: How much is read so far, in characters.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.all: list[NamedValue] = []
        self.columns_of_words: set[int] = set()
        self.length = 0
        self._parts: list[str] = []
        self._columns = count()

    @property
    def read(self) -> str:
        """All that is read."""
        return "".join(self._parts)

    def new_column(self, *, is_of_words: bool = False) -> int:
        """Return the number of a column that nothing else is of."""
        column = next(self._columns)
        if is_of_words:
            self.columns_of_words.add(column)
        return column

    def add(self, name: str, cell: Cell, column: int | None = None) -> None:
        """Read what stands in `cell` as the value of `name`: as one of a column, if that may be a secret."""
        value = self.text[slice(*cell)]
        quote = _QUOTE if column in self.columns_of_words and " " in value else ""
        self._add(f"{name}{_BETWEEN}{quote}" if name else quote)
        if column is not None and value:
            self.all.append(NamedValue(self.length, self.length + len(value), column, cell))
        self._add(f"{value}{quote}{_END_OF_LINE}")

    def end_group(self) -> None:
        """Keep what was read apart from what comes, as the rows of a table are."""
        self._add(_END_OF_LINE)

    def end_part(self) -> None:
        """Let nothing that comes have to do with what was read."""
        self._add(_END_OF_PART)

    def overlapping(self, span: Span) -> list[NamedValue]:
        """Return the values that something found in what is read is in."""
        first = bisect_right(self.all, span.start, key=_end_of)
        return self.all[first : bisect_left(self.all, span.end, key=_start_of)]

    def _add(self, part: str) -> None:
        self._parts.append(part)
        self.length += len(part)
