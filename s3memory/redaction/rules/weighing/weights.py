"""What the weights of features come to: above zero, a word or a random value is taken for a secret.

Most are none by their shape, or by what is right beside them: what else is around these is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from s3memory.redaction.rules.weighing.forms import form_of_plain, form_of_shape, numbers_of
from s3memory.redaction.rules.weighing.tables import Table, Tables, Thresholds
from s3memory.redaction.text.judged import KnownWords


class Shapes:
    """What a table says of the shapes of words, each asked about once.

    Args:
        table: For a shape alone: see `shape_of`.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._known = KnownWords[str, bool](lambda shape: table.sum(form_of_shape(shape).numbers) > 0)

    def __reduce__(self) -> tuple[type[Shapes], tuple[Table]]:
        # What is known is by hashes, which are others in another process.
        return Shapes, (self._table,)

    def may_have(self, shape: str) -> bool:
        """Whether a password or a code may have a shape."""
        return self._known[shape]


class Weights:
    """What two tables say of words, or of random values.

    Args:
        full: For one and all its surroundings.
        beside: For its shape and what is right beside it.
    """

    def __init__(self, full: Table, beside: Table) -> None:
        self._full, self._beside = full, beside

    def may_be_enough(self, features_beside: Iterable[int]) -> bool:
        """Whether something may be a secret, by the features of its form and of what is right beside it."""
        return self._beside.sum(features_beside) > 0

    def are_enough(self, features: Iterable[int]) -> bool:
        """Whether it is one, by the features of it and of its surroundings."""
        return self._full.sum(features) > 0


PLACES = ("here", "above", "top")
"""Where the words of a sentence stand, seen from a word: in its own, the one before it, or the first of its block."""


def names_said(place: str, words: Iterable[str]) -> Iterator[str]:
    """Yield the names of features of words that stand in a place."""
    return (f"{place}:{word}" for word in words)


class Prefilter:
    """What a table says of plain words before they are weighed: of one alone, its sentence, and what is beside it.

    Args:
        table: For all three.
        thresholds: What they have to come to.
    """

    def __init__(self, table: Table, thresholds: Thresholds) -> None:
        self.table, self.thresholds = table, thresholds
        self._known = KnownWords[str, int](lambda word: table.sum(form_of_plain(word).numbers))
        self._said = KnownWords[str, tuple[int, ...]](lambda word: self._in_places("", word))
        self._kinds = KnownWords[str, tuple[int, ...]](lambda kind: self._in_places("kind ", kind))

    def __reduce__(self) -> tuple[type[Prefilter], tuple[Table, Thresholds]]:
        return Prefilter, (self.table, self.thresholds)

    def _in_places(self, sort: str, word: str) -> tuple[int, ...]:
        names = ([*names_said(f"{sort}{place}", (word,))] for place in PLACES)
        return tuple(self.table.sum(numbers_of(those)) - self.table.bias for those in names)

    def words(self, words: Iterable[str]) -> dict[str, int]:
        """Return those of `words` that may be one, and what each comes to."""
        known = ((word, self._known[word]) for word in words)
        return {word: weight for word, weight in known if weight >= self.thresholds.alone}

    def phrase(self, text: str) -> int:
        """Return what a phrase comes to."""
        return self.table.sum(form_of_plain(text).numbers)

    def said(self, words: Iterable[str], kinds: Iterable[str]) -> tuple[int, ...]:
        """Return what words of a sentence, and what these say by their kinds, come to in each of `PLACES`."""
        told = [*map(self._said.__getitem__, words), *map(self._kinds.__getitem__, kinds)]
        return tuple(map(sum, zip(*told, strict=True))) if told else (0,) * len(PLACES)

    def are_phrases(self, around: int) -> bool:
        """Whether a sentence of that weight may have phrases."""
        return around >= self.thresholds.around

    def is_near(self, word: int, around: int) -> bool:
        """Whether what is beside a word is looked at, by what it and its sentence come to."""
        return word + around >= self.thresholds.both

    def may_be(self, word: int, around: int, beside: Iterable[int]) -> bool:
        """Whether a word may be one, by what it comes to, its sentence, and the features of what is beside it."""
        return word + around + self.table.sum(beside) - self.table.bias > 0


_TABLES, _THRESHOLDS = Tables.read()
OF_WORDS = Weights(_TABLES.words, _TABLES.words_beside)
OF_SHAPES = Shapes(_TABLES.shapes)
OF_VALUES = Weights(_TABLES.values, _TABLES.values_beside)
PREFILTER = Prefilter(_TABLES.prefilter, _THRESHOLDS)
