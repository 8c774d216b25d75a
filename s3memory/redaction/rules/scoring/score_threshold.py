"""What a word or a value has to weigh to be taken for a secret, by how long the text is and what is found around it."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from functools import cached_property
from math import log2

from s3memory.redaction.model import PLACEHOLDER_PATTERN, without_placeholders
from s3memory.redaction.rules.scoring.lexicon import PREFIX, kinds_of, words_in

# All in the units of the weights: see `UNITS_PER_LOG_ODD`.
# A short text has little that could say otherwise, least of all of plain words, or that a random value is an id.
# What is gone does not make it longer. A word with a digit or sign is likelier, and what has a name.
_SHORT, _LEAST_IN_SHORT, _LEAST_OF_LIKELY_IN_SHORT = 120, 30, 8
# A phrase is what somebody likes ("Anna: black coffee"), unless another word is about getting in. Names are left out:
# most are words of some other language.
_LEAST_OF_A_PHRASE_IN_SHORT, _NAMES = 60, "person"
_ABOUT_ACCESS = frozenset(
    (
        *("password", "pin", "token", "login", "enter", "open", "lock", "recovery", "confirm", "hush", "share"),
        *("ask", "accept", "say", "send", "question", "device", "net", "service", "server"),
    )
)
# Of the many words of a long one, some look like a secret by chance: more of them where nothing else around is one.
_AROUND, _LONG, _LEAST_BY_DOUBLING = 4_000, 2_000, 17

CountFindings = Callable[[int, int], int]


class ScoreThreshold:
    """What the candidates of a text have to come to, by what is found around each, now or before.

    Args:
        text: The text.
        n_found_within: How much is found now that begins from one place to another.
    """

    def __init__(self, text: str, count_findings: CountFindings) -> None:
        self._is_short = len(without_placeholders(text)) < _SHORT
        self._text, self._n_characters, self._n_found_within = text, len(text), count_findings
        # Where a placeholder starts, and what was found by weighing.
        self._known = [found.start() for found in PLACEHOLDER_PATTERN.finditer(text)]

    def note(self, start: int) -> None:
        """Count what starts at `start` and weighed enough."""
        insort(self._known, start)

    def at(self, start: int, *, is_likely: bool = False, is_phrase: bool = False) -> int:
        """Return what a candidate has to come to that starts at `start`.

        Args:
            start: Where it starts.
            is_likely: It is mixed, or called a secret: less is enough.
            is_phrase: It is several words: of a short text more is asked.
        """
        if self._is_short:
            is_liked = is_phrase and not self._is_about_access
            others = _LEAST_OF_A_PHRASE_IN_SHORT if is_liked else _LEAST_IN_SHORT
            return _LEAST_OF_LIKELY_IN_SHORT if is_likely else others
        first, last = max(0, start - _AROUND), min(self._n_characters, start + _AROUND)
        n_found = self._n_found_within(first, last) + bisect_left(self._known, last) - bisect_left(self._known, first)
        return round(_LEAST_BY_DOUBLING * log2(max(1, (last - first) / (1 + n_found) / _LONG)))

    @cached_property
    def _is_about_access(self) -> bool:
        kinds = (kinds_of([word[:PREFIX]]) for word in words_in(self._text.lower()))
        return any(_NAMES not in of_word and not _ABOUT_ACCESS.isdisjoint(of_word) for of_word in kinds)
