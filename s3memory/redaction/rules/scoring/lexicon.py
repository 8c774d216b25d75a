"""A lexicon of word kinds in many languages: what a model learns of one verb for opening, it knows of all of them.

`benchmarks/redaction/words/` holds the words. `benchmarks/redaction/lexicon.py` makes `lexicon.bin` of them: their
checksums in order, and the kinds of each.
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from pkgutil import get_data
from typing import Self
from zlib import crc32

from s3memory.redaction.rules.reading.letters import UNSPACED
from s3memory.redaction.text.caching import WordCache
from s3memory.redaction.text.compiling import compiled

PREFIX = 8
"""Words are looked up by at most this many of their first letters."""
_FILE = "lexicon.bin"
_N_WORDS = struct.Struct("<I")
_MIN_LETTERS, _MIN_EAST_ASIAN_LETTERS = 3, 2  # of a known word within a run; most Chinese words have two
_MIN_LETTERS_BETWEEN = 2  # of what is left between two known words
_RUN = r"[^\W\d_]{2,}"
_ASCII_LETTERS = bytes(code if code < 128 and chr(code).isalpha() else ord(" ") for code in range(256))  # noqa: PLR2004
_EAST_ASIAN = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"


def runs_in(text: str, start: int = 0, end: int | None = None) -> list[str]:
    """Return the runs of two or more letters in `text`, or in a part of it."""
    part = text[start:end]
    if part.isascii():  # nearly always, and splitting takes a seventh of the time that the pattern takes
        return [run for run in part.encode("ascii").translate(_ASCII_LETTERS).decode("ascii").split() if len(run) > 1]
    return compiled(_RUN).findall(part)


def words_in(text: str, start: int = 0, end: int | None = None) -> list[str]:
    """Return the words in `text`, or in a part of it; joined words are split: see `split_runs`."""
    return split_runs(runs_in(text, start, end))


def split_runs(runs: Sequence[str]) -> list[str]:
    """Split runs of letters into words, as scripts without capitals write or join words together."""
    if "".join(runs).isascii():  # nearly always
        return [*runs]
    parted = zip(runs, _words_in_run.of_all(runs), strict=True)
    return [word for run, spans in parted for word in ([run[start:end] for start, end in spans] if spans else (run,))]


class Lexicon:
    """The kinds of words.

    Args:
        kinds: The distinct sets of kinds; the kinds of a set are separated by spaces.
        checksums: The checksums of the words, in order.
        numbers: For each word, the index of its set.
    """

    def __init__(self, kinds: list[str], checksums: array[int], numbers: array[int]) -> None:
        self._kinds, self._checksums, self._numbers = kinds, checksums, numbers

    @classmethod
    def of(cls, words: Mapping[str, Iterable[str]]) -> Self:
        """Return a lexicon of the words of each kind. Only the first `PREFIX` letters of a word count."""
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
        """Read the file of this package."""
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
        """Return the content of a file that holds the lexicon."""
        arrays = (_little_endian(those).tobytes() for those in (self._checksums, self._numbers))
        return b"".join((_N_WORDS.pack(len(self._checksums)), *arrays, "\n".join(self._kinds).encode("ascii")))

    @cached_property
    def known(self) -> frozenset[int]:
        """The checksums of all words, for many look-ups."""
        return frozenset(self._checksums)

    def kinds_of(self, word: str) -> tuple[str, ...]:
        """Return the kinds of a word in lower case, cut to `PREFIX` letters."""
        checksum = _checksum(word)
        place = bisect_left(self._checksums, checksum)
        is_known = place < len(self._checksums) and self._checksums[place] == checksum
        return tuple(self._kinds[self._numbers[place]].split()) if is_known else ()


def _checksum(word: str) -> int:
    return crc32(word.encode("utf-8", "surrogatepass"))


def _little_endian(numbers: array[int]) -> array[int]:
    """Convert numbers between this machine's byte order and little-endian order."""
    if sys.byteorder == "little":
        return numbers
    turned = numbers[:]
    turned.byteswap()
    return turned


@cache
def _lexicon() -> Lexicon:
    return Lexicon.read()


_kinds = WordCache[str, tuple[str, ...]](lambda word: _lexicon().kinds_of(word))


def kinds_of(words: Iterable[str]) -> set[str]:
    """Return all kinds of `words`, which are in lower case and cut to `PREFIX` letters."""
    return set().union(*_kinds.of_all([*words]))


def has_kind(word: str, kind: str) -> bool:
    """Whether `word`, in lower case, is of a kind."""
    return kind in _kinds[word[:PREFIX]]


def names_person(text: str) -> bool:
    """Whether `text` has the first name of a person, or another word for one."""
    return "person" in kinds_of(word[:PREFIX] for word in words_in(text.lower()))


def _of_run(run: str) -> tuple[tuple[int, int], ...]:
    """Return the spans of the words in a run: the longest known ones, and what is between them. None if it is one."""
    if run.isascii() or len(run) == 1:
        return ()
    is_unspaced = compiled(f"[{UNSPACED}]").search(run, 0 if run.lower() != run.upper() else PREFIX) is not None
    is_whole = not is_unspaced and (run.lower() != run.upper() or bool(_kinds[run[:PREFIX]]))
    if is_whole:
        return ()
    letters = [letter.encode("utf-8", "surrogatepass") for letter in run]
    words: list[tuple[int, int]] = []
    begun = at = 0
    while at < len(run):
        least = _MIN_EAST_ASIAN_LETTERS if compiled(_EAST_ASIAN).match(run, at) else _MIN_LETTERS
        end = _end_of_known(letters, at, least)
        if end:
            words += [(begun, at), (at, end)]
            begun = end
        at = end or at + 1
    if not words:
        return ()
    return tuple((start, end) for start, end in (*words, (begun, len(run))) if end - start >= _MIN_LETTERS_BETWEEN)


def _end_of_known(letters: list[bytes], start: int, least: int) -> int:
    """Return the end of the longest known word that starts at `start` and has `least` letters or more, or 0."""
    known, checksum, found = _lexicon().known, 0, 0
    for end, letter in enumerate(letters[start : start + PREFIX], start + 1):
        checksum = crc32(letter, checksum)
        if end - start >= least and checksum in known:
            found = end
    return found


_words_in_run = WordCache[str, "tuple[tuple[int, int], ...]"](_of_run)
