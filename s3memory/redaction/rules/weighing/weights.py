"""The weights of features, and what they come to: above zero, a word is taken for a password or a code.

Most words are none by their shape, or by what is right beside them: what else is around these is not looked at.
"""

from __future__ import annotations

import base64
import zlib
from array import array
from collections.abc import Iterable
from functools import cached_property

from s3memory.redaction.rules.weighing import table
from s3memory.redaction.rules.weighing.features import features_beside, features_of_shape
from s3memory.redaction.text.judged import KnownWords


class Table:
    """A weight for each feature.

    Args:
        bias: What none of them comes to.
        packed: The weights, a signed byte each, compressed and in base64, which is read at once.
    """

    def __init__(self, bias: int, packed: str) -> None:
        self._bias, self._packed = bias, packed

    def __reduce__(self) -> tuple[type[Table], tuple[int, str]]:
        return Table, (self._bias, self._packed)  # as it was made, not unpacked

    @cached_property
    def weights(self) -> array[int]:
        """The weights by the numbers of the features, unpacked when the first word is weighed."""
        return array("b", zlib.decompress(base64.b64decode(self._packed)))

    def sum(self, features: Iterable[int]) -> int:
        """Return what `features` come to."""
        return self._bias + sum(map(self.weights.__getitem__, features))


class Weights:
    """What three tables say of words.

    Args:
        full: For a word and all its surroundings.
        beside: For the shape of a word and what is right beside it.
        of_shape: For a shape alone.
    """

    def __init__(self, full: Table, beside: Table, of_shape: Table) -> None:
        self._tables = full, beside, of_shape
        self._full, self._beside = full, beside
        self._shapes = KnownWords[str, bool](lambda shape: of_shape.sum(features_of_shape(shape)) > 0)

    def __reduce__(self) -> tuple[type[Weights], tuple[Table, Table, Table]]:
        # What is known of shapes is by hashes, which are others in another process.
        return Weights, self._tables

    def may_have(self, shape: str) -> bool:
        """Whether a password or a code may have a shape: see `shape_of`."""
        return self._shapes[shape]

    def may_be_one(self, text: str, start: int, end: int) -> bool:
        """Whether a word may be a password or a code, by its shape and what is right beside it."""
        return self._beside.sum(features_beside(text, start, end)) > 0

    def weigh_enough(self, features: Iterable[int]) -> bool:
        """Whether a word is one, by the features of it and of its surroundings."""
        return self._full.sum(features) > 0


TRAINED = Weights(
    Table(table.BIAS, table.WEIGHTS),
    Table(table.BIAS_BESIDE, table.WEIGHTS_BESIDE),
    Table(table.BIAS_OF_SHAPE, table.WEIGHTS_OF_SHAPE),
)
"""Those of `table`."""
