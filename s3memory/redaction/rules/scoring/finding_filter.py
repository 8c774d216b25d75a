"""A model that rejects false positives of rules which go by a few words around a value.

The value of "Password: Sehnsucht" is a title if the line is about a radio play, and "123456" may be an example on a
slide. Only the rest of the context can tell.
"""

from __future__ import annotations

from collections.abc import Iterable

from s3memory.redaction.interface import PLACEHOLDER_START
from s3memory.redaction.rules.scoring.features import ContextFeatures, layout_feature_names
from s3memory.redaction.rules.scoring.forms import form_of_plain, form_of_word
from s3memory.redaction.rules.scoring.models import FINDING_TABLE
from s3memory.redaction.rules.scoring.plain_candidates import has_plain_form
from s3memory.redaction.rules.scoring.weight_tables import WeightTable

MIN_CONTEXT_CHARACTERS = 100
"""Findings are reviewed in texts of at least this length."""


class FindingFilter:
    """Reviews the findings of rules.

    Args:
        table: The weights of findings with their whole context.
    """

    def __init__(self, table: WeightTable) -> None:
        self._table = table

    def rejects(self, features: ContextFeatures, start: int, end: int, families: Iterable[str]) -> bool:
        """Whether a finding is a false positive. In a short text none is rejected: there is too little context.

        Args:
            features: The features of its text.
            start: Where it starts.
            end: Where it ends.
            families: The families of the rules that found it.
        """
        text = features.text
        return (
            len(text) >= MIN_CONTEXT_CHARACTERS
            and PLACEHOLDER_START not in text[start:end]
            and self._table.sum(features_of_finding(features, start, end, families)) <= 0
        )


def features_of_word(features: ContextFeatures, start: int, end: int, *more: str) -> list[int]:
    """Return the feature numbers of a word or phrase with its whole context, and those of `more` feature names."""
    word = features.text[start:end]
    form = form_of_plain(word) if has_plain_form(word) else form_of_word(word)
    layout = () if features.is_labelled_above(start) else layout_feature_names(features.text, start, end)
    return features.of(start, end, form, (*layout, *more))


def features_of_finding(features: ContextFeatures, start: int, end: int, families: Iterable[str]) -> list[int]:
    """Return the feature numbers of a finding of rules of these families, with its whole context."""
    return features_of_word(features, start, end, *(f"found by:{family}" for family in families))


FINDING_FILTER = FindingFilter(FINDING_TABLE)
