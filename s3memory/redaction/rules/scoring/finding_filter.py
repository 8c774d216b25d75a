"""A second look at what rules found that go by a few words around a value: all that is around it may say otherwise.

"Password: Sehnsucht" is a title where the line tells of a radio play, and "123456" an example on a slide.
"""

from __future__ import annotations

from collections.abc import Iterable

from s3memory.redaction.model import PLACEHOLDER_START
from s3memory.redaction.rules.scoring.features import ContextFeatures, layout_feature_names
from s3memory.redaction.rules.scoring.forms import form_of_plain, form_of_word
from s3memory.redaction.rules.scoring.models import FINDING_TABLE
from s3memory.redaction.rules.scoring.plain_candidates import has_plain_form
from s3memory.redaction.rules.scoring.weight_tables import WeightTable

MIN_CONTEXT_CHARACTERS = 100
"""So many characters a text has in which finds are looked at again."""


class FindingFilter:
    """What a table says of the finds of rules.

    Args:
        table: Of finds, with all their surroundings.
    """

    def __init__(self, table: WeightTable) -> None:
        self._table = table

    def rejects(self, features: ContextFeatures, start: int, end: int, families: Iterable[str]) -> bool:
        """Whether what rules of those families found is no secret; where little else is said, nothing says so."""
        text = features.text
        return (
            len(text) >= MIN_CONTEXT_CHARACTERS
            and PLACEHOLDER_START not in text[start:end]
            and self._table.sum(features_of_finding(features, start, end, families)) <= 0
        )


def features_of_word(features: ContextFeatures, start: int, end: int, *told: str) -> list[int]:
    """Return the numbers of all features of a word or phrase, and of what else is told of it."""
    word = features.text[start:end]
    form = form_of_plain(word) if has_plain_form(word) else form_of_word(word)
    place = () if features.is_named_above(start) else layout_feature_names(features.text, start, end)
    return features.of(start, end, form, (*place, *told))


def features_of_finding(features: ContextFeatures, start: int, end: int, families: Iterable[str]) -> list[int]:
    """Return the numbers of all features of what rules of those families found."""
    return features_of_word(features, start, end, *(f"found by:{family}" for family in families))


FINDING_FILTER = FindingFilter(FINDING_TABLE)
