"""What the weights of features come to: above zero, a word or a random value is taken for a secret.

Most are none by their shape, or by what is right beside them: what else is around these is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from s3memory.redaction.rules.scoring.forms import feature_numbers, form_of_plain, form_of_shape
from s3memory.redaction.rules.scoring.lexicon import PREFIX, kinds_of
from s3memory.redaction.rules.scoring.weight_tables import PrefilterThresholds, WeightTable, WeightTables
from s3memory.redaction.text.judged import KnownWords


class ShapeModel:
    """What a table says of the shapes of words, each asked about once.

    Args:
        table: For a shape alone: see `shape_of`.
    """

    def __init__(self, table: WeightTable) -> None:
        self._table = table
        self._known = KnownWords[str, bool](lambda shape: table.sum(form_of_shape(shape).numbers) > 0)

    def __reduce__(self) -> tuple[type[ShapeModel], tuple[WeightTable]]:
        # What is known is by hashes, which are others in another process.
        return ShapeModel, (self._table,)

    def may_have(self, shape: str) -> bool:
        """Whether a password or a code may have a shape."""
        return self._known[shape]


class Model:
    """What two tables say of words, or of random values.

    Args:
        full: For one and all its surroundings.
        beside: For its shape and what is right beside it.
    """

    def __init__(self, full: WeightTable, beside: WeightTable) -> None:
        self._full, self._beside = full, beside

    def may_be_enough(self, adjacent_features: Iterable[int]) -> bool:
        """Whether something may be a secret, by the features of its form and of what is right beside it."""
        return self._beside.sum(adjacent_features) > 0

    def of(self, features: Iterable[int]) -> int:
        """Return what the features of it and of its surroundings come to."""
        return self._full.sum(features)


class SentenceScore(NamedTuple):
    """What the words of a sentence come to, by where it stands seen from a word that is asked about.

    Attributes:
        here: The word is in it.
        above: The word is in the one behind it.
        top: It is the first of the word's block.
    """

    here: int
    above: int
    top: int


_BITS = 20
_HALF, _MASK = 1 << _BITS - 1, (1 << _BITS) - 1


def word_feature_endings(word: str) -> list[str]:
    """Return what the names of the features of a word of letters end in, behind its place: the word, and its kinds."""
    begins = word.lower()[:PREFIX]
    return [f":{begins}", *(f" of kind:{kind}" for kind in kinds_of([begins]))]


class Prefilter:
    """What a table says of plain words before they are weighed: of one with its sentence, and with what is beside it.

    Args:
        table: For all three.
        thresholds: What they have to come to.
    """

    def __init__(self, table: WeightTable, thresholds: PrefilterThresholds) -> None:
        self.table, self.thresholds = table, thresholds
        self._words = KnownWords[str, int](lambda word: table.sum(form_of_plain(word).numbers))
        self._said = KnownWords[str, int](lambda word: sum(self._in_places.of_all(word_feature_endings(word))))
        self._in_places = KnownWords[str, int](self._weights_in_places)

    def __reduce__(self) -> tuple[type[Prefilter], tuple[WeightTable, PrefilterThresholds]]:
        return Prefilter, (self.table, self.thresholds)

    def _weights_in_places(self, ending: str) -> int:
        """Return what a feature weighs in each place, as one number: those of many words are added at once."""
        numbers = feature_numbers(f"{place}{ending}" for place in SentenceScore._fields)
        return sum(self.table.weights[number] << _BITS * place for place, number in enumerate(numbers))

    def words(self, words: Sequence[str]) -> list[int]:
        """Return what each of `words` comes to."""
        return self._words.of_all(words)

    def phrase(self, text: str) -> int:
        """Return what a phrase comes to."""
        return self.table.sum(form_of_plain(text).numbers)

    def said(self, words: Sequence[str]) -> SentenceScore:
        """Return what the words of a sentence come to."""
        told = sum(self._said.of_all(words))
        here = (told + _HALF & _MASK) - _HALF
        told = told - here >> _BITS
        above = (told + _HALF & _MASK) - _HALF
        return SentenceScore(here, above, told - above >> _BITS)

    def has_words(self, around: int) -> bool:
        """Whether a sentence may have words that are looked at, by what is told around them."""
        return around >= self.thresholds.of_words

    def has_phrases(self, around: int) -> bool:
        """Whether it may have phrases."""
        return around >= self.thresholds.of_phrases

    def is_near(self, word: int, around: int) -> bool:
        """Whether what is beside a word is looked at, by what it and its sentence come to."""
        return word + around >= self.thresholds.both

    def may_be(self, word: int, around: int, beside: Iterable[int]) -> bool:
        """Whether a word may be one, by what it comes to, its sentence, and the features of what is beside it."""
        return word + around + self.table.sum(beside) - self.table.bias > 0


_TABLES, _THRESHOLDS = WeightTables.read()
WORD_MODEL = Model(_TABLES.words, _TABLES.words_beside)
SHAPE_MODEL = ShapeModel(_TABLES.shapes)
VALUE_MODEL = Model(_TABLES.values, _TABLES.values_beside)
PREFILTER = Prefilter(_TABLES.prefilter, _THRESHOLDS)
FINDING_TABLE = _TABLES.finds
