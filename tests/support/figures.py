"""What tests count and the end of a run prints: orders, crash points, plans, steps. All processes of a run together."""

from __future__ import annotations

from collections import Counter

FIGURES: Counter[str] = Counter()
"""Sentences, each with how often it held."""
