"""The weights of the models: `benchmarks/redaction/training.py` makes them, and `tables.bin` holds them."""

from __future__ import annotations

import struct
import zlib
from array import array
from collections.abc import Iterable
from functools import cached_property
from pkgutil import get_data
from typing import NamedTuple, Self

UNITS_PER_LOG_ODD = 20
"""Weights and scores are whole numbers: this many for each unit of the natural logarithm of the odds."""

_FILE = "tables.bin"
_TABLE_HEADER = struct.Struct("<iI")  # the bias, and the length of the packed weights
_THRESHOLDS = struct.Struct("<3i")


class WeightTable:
    """The weights of one linear model.

    Args:
        bias: The score of a candidate that has no feature.
        packed: The weights, one signed byte each, compressed.
    """

    def __init__(self, bias: int, packed: bytes) -> None:
        self.bias, self.packed = bias, packed

    def __reduce__(self) -> tuple[type[WeightTable], tuple[int, bytes]]:
        return WeightTable, (self.bias, self.packed)  # pickled without the unpacked weights

    @cached_property
    def weights(self) -> array[int]:
        """The weights by feature number, unpacked on first use."""
        return array("b", zlib.decompress(self.packed))

    def sum(self, features: Iterable[int]) -> int:
        """Return the score of a candidate with these features."""
        weights = self.weights
        return self.bias + sum([weights[number] for number in features])  # half the time of `map` with `__getitem__`


class PrefilterThresholds(NamedTuple):
    """The least scores with which plain words pass the prefilter.

    Attributes:
        of_words: Of the context, for the words of a sentence to be looked at.
        of_phrases: Of the context, for its phrases to be looked at.
        both: Of a word or phrase and its context together.
    """

    of_words: int
    of_phrases: int
    both: int


class WeightTables(NamedTuple):
    """The tables of all models.

    Attributes:
        words: For words with their whole context.
        words_beside: For the shape of words and what is right next to them.
        shapes: For the shape of words alone.
        values: For random values with their whole context.
        values_beside: For the form of random values and what is right next to them.
        prefilter: For plain words, before any is scored.
        finds: For findings of rules, with their whole context.
    """

    words: WeightTable
    words_beside: WeightTable
    shapes: WeightTable
    values: WeightTable
    values_beside: WeightTable
    prefilter: WeightTable
    finds: WeightTable

    def stored(self, thresholds: PrefilterThresholds) -> bytes:
        """Return the content of a file that holds these tables and the thresholds of the prefilter."""
        tables = (_TABLE_HEADER.pack(table.bias, len(table.packed)) + table.packed for table in self)
        return b"".join((_THRESHOLDS.pack(*thresholds), *tables))

    @classmethod
    def read(cls) -> tuple[Self, PrefilterThresholds]:
        """Read the file of this package."""
        return cls.of(get_data(__package__, _FILE) or b"")

    @classmethod
    def of(cls, content: bytes) -> tuple[Self, PrefilterThresholds]:
        """Parse the content of such a file."""
        at, tables = _THRESHOLDS.size, []
        for _ in cls._fields:
            bias, n_bytes = _TABLE_HEADER.unpack_from(content, at)
            at += _TABLE_HEADER.size
            tables.append(WeightTable(bias, content[at : at + n_bytes]))
            at += n_bytes
        return cls(*tables), PrefilterThresholds(*_THRESHOLDS.unpack_from(content))
