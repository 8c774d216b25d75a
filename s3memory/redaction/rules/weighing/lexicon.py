"""Words by what they say, in many languages: a model learns from "says that something is opened" at once.

`benchmarks/redaction/lexicon/` holds the words, and `lexicon.bin` what `benchmarks/redaction/lexicon.py` makes of them:
their checksums in order, and the kinds of each.
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import cache
from pkgutil import get_data
from typing import Self
from zlib import crc32

from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.judged import KnownWords

PREFIX = 8
"""Words are told by so many of their first letters."""
_FILE = "lexicon.bin"
_N_WORDS = struct.Struct("<I")
# Marks are no part of a word, neither here nor in a text. Vowels in the scripts of India are some: of a word that is
# written with them, what stands between two of them counts.
_WORD = r"[^\W\d_]{2,}"


def words_in(text: str, start: int = 0, end: int | None = None) -> list[str]:
    """Return the words of letters in `text`, or in a part of it."""
    return compiled(_WORD).findall(text, start, len(text) if end is None else end)


class Lexicon:
    """What kinds words are of.

    Args:
        kinds: The sets of kinds that there are, each with a space between its kinds.
        checksums: Of the words, in order.
        numbers: Which of the sets each word has.
    """

    def __init__(self, kinds: list[str], checksums: array[int], numbers: array[int]) -> None:
        self._kinds, self._checksums, self._numbers = kinds, checksums, numbers

    @classmethod
    def of(cls, words: Mapping[str, Iterable[str]]) -> Self:
        """Return the lexicon of `words` by kind; each counts by its first `PREFIX` letters."""
        by_word: dict[int, set[str]] = {}
        for kind, those in words.items():
            for word in those:
                by_word.setdefault(_checksum(word[:PREFIX]), set()).add(kind)
        sets = {checksum: " ".join(sorted(by_word[checksum])) for checksum in sorted(by_word)}
        kinds = sorted(set(sets.values()))
        numbers = {those: number for number, those in enumerate(kinds)}
        return cls(kinds, array("I", sets), array("H", (numbers[those] for those in sets.values())))

    @classmethod
    def read(cls) -> Self:
        """Return what the file of this package holds."""
        content = memoryview(get_data(__package__, _FILE) or b"")
        checksums, numbers = array("I"), array("H")
        (n_words,) = _N_WORDS.unpack_from(content)
        at = _N_WORDS.size
        for those in (checksums, numbers):
            n_bytes = n_words * those.itemsize
            those.frombytes(content[at : at + n_bytes])
            at += n_bytes
        return cls(str(content[at:], "ascii").split("\n"), _little_endian(checksums), _little_endian(numbers))

    def stored(self) -> bytes:
        """Return the content of the file that holds it."""
        arrays = (_little_endian(those).tobytes() for those in (self._checksums, self._numbers))
        return b"".join((_N_WORDS.pack(len(self._checksums)), *arrays, "\n".join(self._kinds).encode("ascii")))

    def kinds_of(self, word: str) -> tuple[str, ...]:
        """Return the kinds of a word in small letters, cut to `PREFIX` of them."""
        checksum = _checksum(word)
        place = bisect_left(self._checksums, checksum)
        is_known = place < len(self._checksums) and self._checksums[place] == checksum
        return tuple(self._kinds[self._numbers[place]].split()) if is_known else ()


def _checksum(word: str) -> int:
    return crc32(word.encode("utf-8", "surrogatepass"))


def _little_endian(numbers: array[int]) -> array[int]:
    """Return numbers as a little-endian machine has them in memory, or such numbers as this machine has them."""
    if sys.byteorder == "little":
        return numbers
    turned = numbers[:]
    turned.byteswap()
    return turned


@cache
def _lexicon() -> Lexicon:
    return Lexicon.read()


_kinds = KnownWords[str, tuple[str, ...]](lambda word: _lexicon().kinds_of(word))


def kinds_of(words: set[str]) -> set[str]:
    """Return what `words`, in small letters and no longer than `PREFIX`, say of what is near them."""
    return set().union(*_kinds.of_all([*with_pairs(words)]))


def has_kind(word: str, kind: str) -> bool:
    """Whether `word`, in small letters, is of a kind."""
    return kind in _kinds[word[:PREFIX]]


def with_pairs(words: set[str]) -> set[str]:
    """Return words, and the pairs of letters of those in scripts that write words together, or join others to them."""
    if "".join(words).isascii():  # nearly always
        return words
    told = set(words)
    for word in words:
        if not word.isascii() and word.lower() == word.upper():
            told.update(word[place : place + 2] for place in range(len(word) - 1))
    return told
