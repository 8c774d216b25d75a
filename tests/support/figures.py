"""Counts that tests make and that a run prints at its end, summed over its processes: orders, crash points, plans."""

from __future__ import annotations

from collections import Counter

FIGURES: Counter[str] = Counter()
"""Sentences, each with the number of times it held."""
