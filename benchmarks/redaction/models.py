"""Redaction with other models than the installed ones, such as those trained on one half of the composed notes.

The installed models are trained on both halves of the composed notes, so neither half measures how they generalise. For
that, the held-out half is measured with models that never saw it: `described.bin`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from s3memory.redaction import PatternRedactor, patterns
from s3memory.redaction.interface import Redaction
from s3memory.redaction.rules import RULES
from s3memory.redaction.rules.scoring.finding_filter import FindingFilter
from s3memory.redaction.rules.scoring.models import Model, Prefilter, ShapeModel
from s3memory.redaction.rules.scoring.scored_rules import ScoredRule, ScoredValues, ScoredWords
from s3memory.redaction.rules.scoring.weight_tables import WeightTables

DESCRIBED = Path(__file__).with_name("described.bin")


def rules_of(tables: WeightTables, prefilter: Prefilter) -> tuple[ScoredRule, ...]:
    """Return the rules that score with these tables."""
    words = ScoredWords(Model(tables.words, tables.words_beside), ShapeModel(tables.shapes), prefilter)
    return words, ScoredValues(Model(tables.values, tables.values_beside))


@contextmanager
def scoring_by(rules: tuple[ScoredRule, ...], finding_filter: FindingFilter) -> Iterator[None]:
    """Make redactors created in this context score with `rules`, and every redaction in it use `finding_filter`."""
    others = (rule for rule in RULES if not isinstance(rule, ScoredRule))
    with (
        mock.patch.object(patterns, "RULES", (*others, *rules)),
        mock.patch.object(patterns, "FINDING_FILTER", finding_filter),
    ):
        yield


class Described:
    """The redactor with the models that were trained on the described half alone."""

    def __init__(self) -> None:
        tables, thresholds = WeightTables.of(DESCRIBED.read_bytes())
        self._rules = rules_of(tables, Prefilter(tables.prefilter, thresholds))
        self._finding_filter = FindingFilter(tables.finds)
        with scoring_by(self._rules, self._finding_filter):
            self._redactor = PatternRedactor()

    def redact(self, text: str, /) -> Redaction:
        """Redact `text` with these models: see `PatternRedactor.redact`."""
        with scoring_by(self._rules, self._finding_filter):
            return self._redactor.redact(text)
