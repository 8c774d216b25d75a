"""An index of anchors by what stands in a row in them: a thousand searches of each text would be read for nothing."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from sys import byteorder

# Whose an anchor is, at which place it stands there, and it.
_Entry = tuple[int, int, str]

_BETWEEN_WORDS = b"()[]{}<>,;*#`"
WITHOUT_BRACKETS = bytes(ord(" ") if code in _BETWEEN_WORDS else code for code in range(256))
_ONLY_LETTERS = bytes(code if chr(code).islower() and code < 128 else ord(" ") for code in range(256))  # noqa: PLR2004
_GRAM = 4


class AnchorIndex:
    """The anchors of several rules, and which of them may stand in a text.

    Args:
        several: Each rule's, in ASCII of any case or with letters beyond it.
    """

    __slots__ = ("_any", "_by_gram", "_by_letter", "_several")

    def __init__(self, several: Iterable[tuple[str, ...]]) -> None:
        self._several = tuple(several)
        self._any: list[_Entry] = []
        self._by_gram: dict[int, list[_Entry]] = {}
        self._by_letter: dict[str, list[_Entry]] = {}
        for owner, anchors in enumerate(self._several):
            for place, anchor in enumerate(anchors):
                entry = owner, place, anchor
                if not anchor.isascii():
                    letter = next(letter for letter in anchor if not letter.isascii())
                    self._by_letter.setdefault(letter, []).append(entry)
                elif gram := _first_gram_of(anchor):
                    self._by_gram.setdefault(gram, []).append(entry)
                else:
                    self._any.append(entry)

    def find(self, grams: set[int], beyond: frozenset[str]) -> dict[tuple[str, ...], list[str]]:
        """Return the anchors that a text may have, by those of their rule; rules without any are left out.

        Args:
            grams: What `grams_of` returns of the text.
            beyond: The text's characters beyond ASCII.
        """
        entries = self._any.copy()
        for gram in self._by_gram.keys() & grams:
            entries += [entry for entry in self._by_gram[gram] if grams.issuperset(_grams_of_anchor(entry[2]))]
        if beyond:
            for letter in self._by_letter.keys() & beyond:
                entries += [entry for entry in self._by_letter[letter] if beyond.issuperset(_beyond_ascii(entry[2]))]
        found: dict[tuple[str, ...], list[str]] = {}
        for owner, _, anchor in sorted(entries):
            found.setdefault(self._several[owner], []).append(anchor)
        return found


def grams_of(text: bytes, words: bytes) -> set[int]:
    """Return what stands in a row, as numbers: four and three letters of words without signs, two signs of words.

    Args:
        text: A text in lower case.
        words: What stands in it between spaces, brackets and the like, each once, parted by line ends.
    """
    letters = b"\n".join(set(text.translate(_ONLY_LETTERS).split())) + b"\n"
    grams: set[int] = set()
    for start in range(_GRAM):
        grams.update(_rows(letters, start, "I", _GRAM))
    grams |= {gram & 0xFFFFFF for gram in grams} if byteorder == "little" else {gram >> 8 for gram in grams}
    for start in range(2):
        grams.update(_rows(words, start, "H", 2))
    return grams


def _rows(data: bytes, start: int, width: str, size: int) -> memoryview:
    return memoryview(data)[start : start + (len(data) - start) // size * size].cast(width)  # type: ignore[call-overload, no-any-return]


def _first_gram_of(anchor: str) -> int:
    """Return the gram by which `anchor` is found, or 0 if it has none: to work out all takes longer."""
    longest = max(anchor.lower().encode("ascii").translate(_ONLY_LETTERS).split(), key=len, default=b"")
    if len(longest) >= _GRAM - 1:
        return int.from_bytes(longest[:_GRAM], byteorder)
    return next(iter(_grams_of_anchor(anchor)), 0)


@cache
def _grams_of_anchor(anchor: str) -> frozenset[int]:
    """Return those of `grams_of` that every text with `anchor` has."""
    folded = anchor.lower().encode("ascii")
    words = folded.translate(_ONLY_LETTERS).split()
    parts = [part for word in words for part in (word[:_GRAM], word[-_GRAM:]) if len(part) >= _GRAM - 1]
    others = [word for word in folded.translate(WITHOUT_BRACKETS).split() if not word.isalpha() or len(word) == 2]  # noqa: PLR2004
    parts += [word[place : place + 2] for word in others for place in range(len(word) - 1)]
    return frozenset(int.from_bytes(part, byteorder) for part in parts)


@cache
def _beyond_ascii(anchor: str) -> frozenset[str]:
    return frozenset(letter for letter in anchor if not letter.isascii())


@cache
def index_of(anchors: tuple[str, ...]) -> AnchorIndex:
    """Return the index of one rule's anchors, made once a process."""
    return AnchorIndex([anchors])
