"""The models: a score above zero means that a candidate may be a secret.

Most candidates are ruled out by their shape, or by what is right next to them. The rest of the context is only read for
the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from s3memory.redaction.rules.scoring.forms import feature_numbers, form_of_plain, form_of_shape
from s3memory.redaction.rules.scoring.lexicon import PREFIX, kinds_of
from s3memory.redaction.rules.scoring.weight_tables import PrefilterThresholds, WeightTable, WeightTables
from s3memory.redaction.text.caching import WordCache


class ShapeModel:
    """Scores the shapes of words; each shape is scored once.

    Args:
        table: The weights of shapes: see `shape_of`.
    """

    def __init__(self, table: WeightTable) -> None:
        self._table = table
        self._known = WordCache[str, bool](lambda shape: table.sum(form_of_shape(shape).numbers) > 0)

    def __reduce__(self) -> tuple[type[ShapeModel], tuple[WeightTable]]:
        # What is known is stored by hash, and hashes differ between processes.
        return ShapeModel, (self._table,)

    def may_have(self, shape: str) -> bool:
        """Whether a password or a code may have this shape."""
        return self._known[shape]


class Model:
    """Scores words, or random values, in two steps.

    Args:
        full: The weights for a candidate with its whole context.
        adjacent: The weights for its form and what is right next to it.
    """

    def __init__(self, full: WeightTable, adjacent: WeightTable) -> None:
        self._full, self._adjacent = full, adjacent

    def may_be_enough(self, adjacent_features: Iterable[int]) -> bool:
        """Whether a candidate may be a secret, by its form and what is right next to it."""
        return self._adjacent.sum(adjacent_features) > 0

    def of(self, features: Iterable[int]) -> int:
        """Return the score of a candidate by all its features."""
        return self._full.sum(features)


class SentenceScore(NamedTuple):
    """What the words of a sentence add to the score of a candidate, by where the candidate is.

    Attributes:
        here: It is in this sentence.
        above: It is in the next one.
        top: This is the first sentence of its block.
    """

    here: int
    above: int
    top: int


# The three scores of a word are packed into one number, so that those of many words are added at once.
_BITS = 20
_HALF, _MASK = 1 << _BITS - 1, (1 << _BITS) - 1


def word_feature_endings(word: str) -> list[str]:
    """Return what follows the position in the names of a word's features: the word itself, and its kinds."""
    begins = word.lower()[:PREFIX]
    return [f":{begins}", *(f" of kind:{kind}" for kind in kinds_of([begins]))]


class Prefilter:
    """Decides which plain words are scored at all: first by their sentence, then by what is right next to them.

    Args:
        table: The weights for both.
        thresholds: The scores that are needed.
    """

    def __init__(self, table: WeightTable, thresholds: PrefilterThresholds) -> None:
        self.table, self.thresholds = table, thresholds
        self._words = WordCache[str, int](lambda word: table.sum(form_of_plain(word).numbers))
        self._in_sentences = WordCache[str, int](lambda word: sum(self._packed.of_all(word_feature_endings(word))))
        self._packed = WordCache[str, int](self._packed_weights)

    def __reduce__(self) -> tuple[type[Prefilter], tuple[WeightTable, PrefilterThresholds]]:
        return Prefilter, (self.table, self.thresholds)

    def _packed_weights(self, ending: str) -> int:
        """Return the weights of a feature in each position, packed into one number."""
        numbers = feature_numbers(f"{position}{ending}" for position in SentenceScore._fields)
        return sum(self.table.weights[number] << _BITS * at for at, number in enumerate(numbers))

    def words(self, words: Sequence[str]) -> list[int]:
        """Return the score of each word by its form alone."""
        return self._words.of_all(words)

    def phrase(self, text: str) -> int:
        """Return the score of a phrase by its form alone."""
        return self.table.sum(form_of_plain(text).numbers)

    def sentence(self, words: Sequence[str]) -> SentenceScore:
        """Return what the words of a sentence add to the score of a candidate."""
        packed = sum(self._in_sentences.of_all(words))
        here = (packed + _HALF & _MASK) - _HALF
        packed = packed - here >> _BITS
        above = (packed + _HALF & _MASK) - _HALF
        return SentenceScore(here, above, packed - above >> _BITS)

    def has_words(self, context: int) -> bool:
        """Whether the words of a sentence are looked at, by the score of their context."""
        return context >= self.thresholds.of_words

    def has_phrases(self, context: int) -> bool:
        """Whether the phrases of a sentence are looked at, by the score of their context."""
        return context >= self.thresholds.of_phrases

    def is_near(self, word: int, context: int) -> bool:
        """Whether what is next to a word is looked at, by the scores of the word and its context."""
        return word + context >= self.thresholds.both

    def may_be(self, word: int, context: int, adjacent_features: Iterable[int]) -> bool:
        """Whether a word is scored, by the scores of the word, its context and what is right next to it."""
        return word + context + self.table.sum(adjacent_features) - self.table.bias > 0


_TABLES, _THRESHOLDS = WeightTables.read()
WORD_MODEL = Model(_TABLES.words, _TABLES.words_beside)
SHAPE_MODEL = ShapeModel(_TABLES.shapes)
VALUE_MODEL = Model(_TABLES.values, _TABLES.values_beside)
PREFILTER = Prefilter(_TABLES.prefilter, _THRESHOLDS)
FINDING_TABLE = _TABLES.finds
