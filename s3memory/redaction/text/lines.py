"""The lines of a text, and where each of them starts."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple


class Line(NamedTuple):
    """A line, without its line end, and where it starts in the text."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.start + len(self.text)


class Lines:
    """The lines of a text, by their number, which counts from 0.

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

    def next_nonblank(self, number: int) -> int:
        """Return the number of the first line from `number` on that isn't blank, or the number of lines if all are."""
        while number < len(self._lines) and not self._lines[number].strip():
            number += 1
        return number
