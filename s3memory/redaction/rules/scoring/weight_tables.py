"""The weights of features, as `benchmarks/redaction/training.py` makes them and `tables.bin` holds them."""

from __future__ import annotations

import struct
import zlib
from array import array
from collections.abc import Iterable
from functools import cached_property
from pkgutil import get_data
from typing import NamedTuple, Self

UNITS_PER_LOG_ODD = 20
"""Weights are whole numbers: so many for each unit of the natural logarithm of the odds."""

_FILE = "tables.bin"
_OF_A_TABLE = struct.Struct("<iI")  # its bias, and the length of its weights
_OF_THRESHOLDS = struct.Struct("<3i")


class WeightTable:
    """A weight for each feature.

    Args:
        bias: What none of them comes to.
        packed: The weights, a signed byte each, compressed.
    """

    def __init__(self, bias: int, packed: bytes) -> None:
        self.bias, self.packed = bias, packed

    def __reduce__(self) -> tuple[type[WeightTable], tuple[int, bytes]]:
        return WeightTable, (self.bias, self.packed)  # as it was made, not unpacked

    @cached_property
    def weights(self) -> array[int]:
        """The weights by the numbers of the features, unpacked when the first word is weighed."""
        return array("b", zlib.decompress(self.packed))

    def sum(self, features: Iterable[int]) -> int:
        """Return what `features` come to."""
        return self.bias + sum(map(self.weights.__getitem__, features))


class PrefilterThresholds(NamedTuple):
    """What plain words have to come to.

    Attributes:
        of_words: What is told around words.
        of_phrases: What is told around phrases.
        both: A word or phrase, and what is told around it.
    """

    of_words: int
    of_phrases: int
    both: int


class WeightTables(NamedTuple):
    """All tables.

    Attributes:
        words: Of words and all their surroundings.
        words_beside: Of the shape of words and what is right beside them.
        shapes: Of the shapes of words.
        values: Of random values and all their surroundings.
        values_beside: Of the form of random values and what is right beside them.
        prefilter: Of plain words, before these are weighed.
        finds: Of what rules found and all its surroundings.
    """

    words: WeightTable
    words_beside: WeightTable
    shapes: WeightTable
    values: WeightTable
    values_beside: WeightTable
    prefilter: WeightTable
    finds: WeightTable

    def stored(self, thresholds: PrefilterThresholds) -> bytes:
        """Return the content of the file that holds these, and the thresholds of the prefilter."""
        tables = (_OF_A_TABLE.pack(table.bias, len(table.packed)) + table.packed for table in self)
        return b"".join((_OF_THRESHOLDS.pack(*thresholds), *tables))

    @classmethod
    def read(cls) -> tuple[Self, PrefilterThresholds]:
        """Return what the file of this package holds."""
        return cls.of(get_data(__package__, _FILE) or b"")

    @classmethod
    def of(cls, content: bytes) -> tuple[Self, PrefilterThresholds]:
        """Return what the content of such a file says."""
        at, tables = _OF_THRESHOLDS.size, []
        for _ in cls._fields:
            bias, n_bytes = _OF_A_TABLE.unpack_from(content, at)
            at += _OF_A_TABLE.size
            tables.append(WeightTable(bias, content[at : at + n_bytes]))
            at += n_bytes
        return cls(*tables), PrefilterThresholds(*_OF_THRESHOLDS.unpack_from(content))
