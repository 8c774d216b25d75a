"""The weights of features, and what they come to: above zero, a word is taken for a password or a code.

Most words are none by their shape, or by what is right beside them: what else is around these is not looked at.
"""

from __future__ import annotations

import base64
import zlib
from array import array
from collections.abc import Iterable
from functools import cache

from s3memory.redaction.judged import KnownWords
from s3memory.redaction.rules.weighing.features import features_beside, features_of_shape
from s3memory.redaction.rules.weighing.table import (
    BIAS,
    BIAS_BESIDE,
    BIAS_OF_SHAPE,
    WEIGHTS,
    WEIGHTS_BESIDE,
    WEIGHTS_OF_SHAPE,
)


def weigh(features: Iterable[int]) -> int:
    """Return what the features of a word and its surroundings come to."""
    return _sum(BIAS, WEIGHTS, features)


def may_have(shape: str) -> bool:
    """Whether a password or a code may have a shape: see `shape_of`."""
    return _shapes[shape]


def may_be_one(text: str, start: int, end: int) -> bool:
    """Whether a word may be a password or a code, by its shape and what is right beside it."""
    return _sum(BIAS_BESIDE, WEIGHTS_BESIDE, features_beside(text, start, end)) > 0


def _may_have(shape: str) -> bool:
    return _sum(BIAS_OF_SHAPE, WEIGHTS_OF_SHAPE, features_of_shape(shape)) > 0


def _sum(bias: int, weights: str, features: Iterable[int]) -> int:
    return bias + sum(map(unpacked(weights).__getitem__, features))


@cache
def unpacked(table: str) -> array[int]:
    """Return the weights of a table, a whole number for each feature."""
    return array("b", zlib.decompress(base64.b85decode(table)))


_shapes = KnownWords(_may_have)


def forget() -> None:
    """Forget what shapes were found to be: the weights are others now."""
    global _shapes  # noqa: PLW0603 - for training alone
    _shapes = KnownWords(_may_have)
