"""The models that redaction weighs by, and those that learnt the described half of the composed notes alone.

What is installed learnt from both halves. What it finds of the other half says nothing of notes that it never saw: that
half is measured with tables of its own, `described.bin`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from s3memory.redaction import PatternRedactor, patterns
from s3memory.redaction.model import Redaction
from s3memory.redaction.rules import RULES
from s3memory.redaction.rules.weighing.second_look import SecondLook
from s3memory.redaction.rules.weighing.tables import Tables
from s3memory.redaction.rules.weighing.weighed import WeighedRule, WeighedValues, WeighedWords
from s3memory.redaction.rules.weighing.weights import Prefilter, Shapes, Weights

DESCRIBED = Path(__file__).with_name("described.bin")


def rules_of(tables: Tables, prefilter: Prefilter) -> tuple[WeighedRule, ...]:
    """Return the rules that weigh by these tables."""
    words = WeighedWords(Weights(tables.words, tables.words_beside), Shapes(tables.shapes), prefilter)
    return words, WeighedValues(Weights(tables.values, tables.values_beside))


@contextmanager
def weighing_by(rules: tuple[WeighedRule, ...], second_look: SecondLook) -> Iterator[None]:
    """Have redactors that are made meanwhile weigh by `rules`, and all that redact meanwhile look again so."""
    others = (rule for rule in RULES if not isinstance(rule, WeighedRule))
    with (
        mock.patch.object(patterns, "RULES", (*others, *rules)),
        mock.patch.object(patterns, "SECOND_LOOK", second_look),
    ):
        yield


class Described:
    """The redactor with the tables that learnt the described half alone."""

    def __init__(self) -> None:
        tables, thresholds = Tables.of(DESCRIBED.read_bytes())
        self._rules = rules_of(tables, Prefilter(tables.prefilter, thresholds))
        self._second_look = SecondLook(tables.finds)
        with weighing_by(self._rules, self._second_look):
            self._redactor = PatternRedactor()

    def redact(self, text: str, /) -> Redaction:
        """Return `text` as these tables leave it: see `PatternRedactor.redact`."""
        with weighing_by(self._rules, self._second_look):
            return self._redactor.redact(text)
