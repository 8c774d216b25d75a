"""Ratios with their spread over rounds."""

from __future__ import annotations

import statistics
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """The median, lowest and highest ratio over rounds, and the ratio of the fastest rounds."""

    middle: float
    least: float
    most: float
    rounds: int
    of_the_fastest: float

    @classmethod
    def of(cls, above: list[float], below: list[float]) -> Spread:
        """Divide two lists of times round by round. If one was timed only once, there is one round."""
        ratios = [one / other for one, other in zip(above, below, strict=False)]
        fastest = min(above) / min(below)
        return cls(statistics.median(ratios), min(ratios), max(ratios), len(ratios), fastest)

    def __str__(self) -> str:
        """Return the cell of a table."""
        spread = f" ({self.least:.2f}-{self.most:.2f})" if self.rounds > 1 else ""
        return f"{self.middle:.2f}{spread}"
