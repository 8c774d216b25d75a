"""The score that a candidate needs to be taken for a secret: it depends on the text's length and its other findings."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from functools import cached_property
from math import log2

from s3memory.redaction.interface import PLACEHOLDER_PATTERN, without_placeholders
from s3memory.redaction.rules.scoring.lexicon import PREFIX, kinds_of, words_in

# All thresholds are in the units of the weights: see `UNITS_PER_LOG_ODD`.
# A short text has little context that could speak against a secret, so it needs a higher score. Less is enough for a
# word with a digit or a sign, or with a label. Placeholders do not make a text longer.
_SHORT_CHARACTERS, _MIN_IN_SHORT, _MIN_OF_LIKELY_IN_SHORT = 120, 30, 8
# A phrase in a short text is most often what somebody likes ("Anna: black coffee"), so it needs more unless another
# word is about access. Words that are also a name do not count: most names are words of some other language.
_MIN_OF_PHRASE_IN_SHORT, _PERSON = 60, "person"
_ABOUT_ACCESS = frozenset(
    (
        *("password", "pin", "token", "login", "enter", "open", "lock", "recovery", "confirm", "hush", "share"),
        *("ask", "accept", "say", "send", "question", "device", "net", "service", "server"),
    )
)
# In a long text some of many words look like a secret by chance, so the threshold rises with each doubling of the
# characters per finding.
_REACH, _LONG_CHARACTERS, _PER_DOUBLING = 4_000, 2_000, 17

CountFindings = Callable[[int, int], int]


class ScoreThreshold:
    """The threshold for each candidate of one text.

    Args:
        text: The text.
        count_findings: Returns how many findings of other rules start in a range.
    """

    def __init__(self, text: str, count_findings: CountFindings) -> None:
        self._is_short = len(without_placeholders(text)) < _SHORT_CHARACTERS
        self._text, self._n_characters, self._count_findings = text, len(text), count_findings
        # Where placeholders start, and what the models found.
        self._known = [found.start() for found in PLACEHOLDER_PATTERN.finditer(text)]

    def note(self, start: int) -> None:
        """Count a finding of the models that starts at `start`."""
        insort(self._known, start)

    def at(self, start: int, *, is_likely: bool = False, is_phrase: bool = False) -> int:
        """Return the score that the candidate at `start` has to exceed.

        Args:
            start: Where it starts.
            is_likely: It has a digit or a sign, or a label.
            is_phrase: It is several words.
        """
        if self._is_short:
            is_liked = is_phrase and not self._is_about_access
            others = _MIN_OF_PHRASE_IN_SHORT if is_liked else _MIN_IN_SHORT
            return _MIN_OF_LIKELY_IN_SHORT if is_likely else others
        first, last = max(0, start - _REACH), min(self._n_characters, start + _REACH)
        n_found = self._count_findings(first, last) + bisect_left(self._known, last) - bisect_left(self._known, first)
        return round(_PER_DOUBLING * log2(max(1, (last - first) / (1 + n_found) / _LONG_CHARACTERS)))

    @cached_property
    def _is_about_access(self) -> bool:
        kinds = (kinds_of([word[:PREFIX]]) for word in words_in(self._text.lower()))
        return any(_PERSON not in of_word and not _ABOUT_ACCESS.isdisjoint(of_word) for of_word in kinds)
