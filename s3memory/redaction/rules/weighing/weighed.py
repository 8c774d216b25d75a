"""Passwords and codes that nothing calls one: what they look like, weighed together with what is around them.

The rules beside this one know names and phrases. People leave the name out: "Anna is back to v", "tablet: v", "the
second one is v". A linear model of some hundred features a word weighs such words; it was trained on notes of many
people and trades: see `benchmarks/redaction/training.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from s3memory.redaction.model import Span, without_placeholders
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules.reading.candidates import is_network, is_of_a_user
from s3memory.redaction.rules.reading.in_code import is_of_code
from s3memory.redaction.rules.reading.near import Places, line_start
from s3memory.redaction.rules.reading.nouns import HARMLESS, meaning, words_of
from s3memory.redaction.rules.weighing.features import REACH, Features
from s3memory.redaction.rules.weighing.weights import TRAINED, Weights
from s3memory.redaction.rules.weighing.words import is_random_and_long, weighed_words
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject

_LONGEST_NAME = 48
# So many candidates on each side, in so many characters of a line, are a list of data.
_MANY, _DENSE = 4, 280
_COUNTED = r"[ ](?:(?:possible|different|more|other)?[ ]?[a-z]{3,16}s|[mµn]?s|sec|min|px|rpm|[kKMGT]i?[bB])\b"
_COUNTING = r"(?i)\b(?:pid|port|uid|used|left|spent|remaining|total|so far|budget|limit|count|usage)[:=]?[ ]\Z"
_OF_A_PACKAGE = r"(?i)\b(?:requires?|provides|depends|install|package)(?:-[a-z]+)?:?[ ]\Z"
_YEAR = r"(?:19|20)[0-9]{2}"
_IN_A_YEAR = (
    r"(?i)(?<![^\W\d_])(?:in|since|from|until|till|before|after|by|late|early|mid|vom?|seit|im|en|depuis|del?|nel|od"
    r"|sedan)[ ]\Z"
)
_SAMPLES = (
    "Bob never changed it: «Harbour!4711»",
    "till screen locks, Jo is back to «Marmalade_6347»",
    "- Disney+ mum@mail.example, «Gravel5111!»",
)
_NEAR = (
    "Harbour!4711",
    "the safe was bought in 2019",
    "A PIN has 10000 possible values.",
    "login node is hpc-login2, batch on hpc-batch7",
    "SSID is Hotel-Lobby-5G",
)


class WeighedRule(Rule):
    """A rule that weighs words.

    Args:
        weights: What they are weighed by.
    """

    __slots__ = ("_weights",)

    def __init__(self, weights: Weights) -> None:
        super().__init__(
            kind="password",
            anchors=(),
            scan=True,
            pattern="",
            before=REACH,
            source="https://cwe.mitre.org/data/definitions/256.html",
            samples=_SAMPLES,
            near=_NEAR,
        )
        self._weights = weights

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield the words that weigh enough."""
        text, weights = subject.text, self._weights
        if len(subject.words) == 1:  # nothing is said of it
            return
        features, seen = Features(text), subject.seen_by(self)
        candidates = [
            (start, end)
            for start, end in weighed_words(subject, weights.may_have)
            if weights.may_be_one(text, start, end) and not is_random_and_long(text[start:end])
        ]
        for number, (start, end) in enumerate(candidates):
            if _is_of_data(text, candidates[max(0, number - _MANY) : number + _MANY + 1]):
                continue
            for place in seen.places(text, start, end, None, partial(self._weighed, features, start, end)):
                features.note(*place)
                yield Span(self.kind, *place)

    def _weighed(self, features: Features, start: int, end: int) -> Places:
        if self._weights.weigh_enough(features.of(start, end)) and not _is_something_else(features.text, start, end):
            yield start, end


def _is_of_data(text: str, words: list[tuple[int, int]]) -> bool:
    """Whether a word stands among so many of its kind on its line that nothing is said of any."""
    around = text[words[0][0] : words[-1][1]]
    return len(words) > 2 * _MANY and "\n" not in around and len(without_placeholders(around)) < _DENSE


def _is_something_else(text: str, start: int, end: int) -> bool:
    """Whether a word is a network, a user whose password follows, an id, a count, a package, or a year."""
    before = text[line_start(text, start, _LONGEST_NAME) : start]
    is_counted = text[start:end].isdigit() and (
        compiled(_COUNTED).match(text, end) or compiled(_COUNTING).search(before)
    )
    is_year = compiled(_YEAR).fullmatch(text, start, end) and compiled(_IN_A_YEAR).search(before)
    is_package = compiled(_OF_A_PACKAGE).search(before)
    words = words_of(before)
    is_harmless = bool(words) and meaning(words, len(words) - 1, is_beside=False) == HARMLESS
    is_named = is_network(before) or is_of_a_user(text, before, end)
    return is_named or is_harmless or bool(is_counted or is_package or is_year) or is_of_code(text, start, end)


RULES = (WeighedRule(TRAINED),)
