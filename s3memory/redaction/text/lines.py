"""The lines of a text, and where each starts."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple


class Line(NamedTuple):
    """A line without its end, and where in the text it starts."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """Where in the text it ends."""
        return self.start + len(self.text)


class Lines:
    """The lines of a text.

    Attributes:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, number: int) -> Line:
        return Line(self._starts[number], self._lines[number])

    def number_of(self, position: int) -> int:
        """Return the number of the line that `position` is in."""
        return bisect_right(self._starts, position) - 1

    def next_written(self, number: int) -> int:
        """Return the number of the first line from a number on that has anything on it, or how many lines there are."""
        while number < len(self._lines) and not self._lines[number].strip():
            number += 1
        return number
