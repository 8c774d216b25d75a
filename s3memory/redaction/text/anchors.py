"""Which anchors of a thousand may stand in a text: to search it for each of them would take longest of all.

The words of letters in an anchor stand in words of the text. Texts are made of the same words: what is in one is known
again by its hash, and no text is kept. The signs of an anchor stand beside the same characters in the text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache

from s3memory.redaction.text.judged import KnownWords

# Whose an anchor is, at which place it stands there, and it.
_Entry = tuple[int, int, str]

_BETWEEN_WORDS = b"()[]{}<>,;*#`"
WITHOUT_BRACKETS = bytes(ord(" ") if code in _BETWEEN_WORDS else code for code in range(256))
_ONLY_LETTERS = bytes(code if chr(code).islower() and code < 128 else ord(" ") for code in range(256))  # noqa: PLR2004
_LEAST_LETTERS, _NO_PAIR = 3, 0


class AnchorIndex:
    """The anchors of several rules, in ASCII of any case or with letters beyond it, and which may stand in a text."""

    def __init__(self, several: Iterable[tuple[str, ...]]) -> None:
        self._several = tuple(several)
        self._by_pair: dict[int, list[_Entry]] = {}
        self._by_run: dict[bytes, list[_Entry]] = {}
        self._by_letter: dict[str, list[_Entry]] = {}
        runs: set[bytes] = set()
        for owner, anchors in enumerate(self._several):
            for place, anchor in enumerate(anchors):
                entry = owner, place, anchor
                if not anchor.isascii():
                    letter = next(letter for letter in anchor if not letter.isascii())
                    self._by_letter.setdefault(letter, []).append(entry)
                elif those := _runs_of(anchor):
                    self._by_run.setdefault(those[0], []).append(entry)
                    runs.update(those)
                else:
                    self._by_pair.setdefault(next(iter(_pairs_of(anchor)), _NO_PAIR), []).append(entry)
        self._by_start: dict[bytes, list[bytes]] = {}
        for run in runs:
            self._by_start.setdefault(run[:_LEAST_LETTERS], []).append(run)
        self._known = KnownWords(self._runs_of_word)

    def find(self, words: Collection[bytes], beyond: frozenset[str]) -> dict[tuple[str, ...], list[str]]:
        """Return the anchors that a text may have, by those of their rule; rules without any are left out.

        `words` are what stands in the text between spaces, brackets and the like, in small letters, and `beyond` its
        characters beyond ASCII.
        """
        words_of_letters = [*set(b"\n".join(words).translate(_ONLY_LETTERS).split())]
        runs = {run for runs in self._known.of_all(words_of_letters) for run in runs}
        pairs = _pairs(b"\n".join([word for word in words if not word.isalpha()])) | {_NO_PAIR}
        entries: list[_Entry] = []
        for pair in self._by_pair.keys() & pairs:
            entries += [entry for entry in self._by_pair[pair] if pairs.issuperset(_pairs_of(entry[2]))]
        for run in self._by_run.keys() & runs:
            entries += [
                entry
                for entry in self._by_run[run]
                if entry[2].isalpha() or (runs.issuperset(_runs_of(entry[2])) and pairs.issuperset(_pairs_of(entry[2])))
            ]
        for letter in self._by_letter.keys() & beyond:
            entries += [entry for entry in self._by_letter[letter] if beyond.issuperset(_beyond_ascii(entry[2]))]
        found: dict[tuple[str, ...], list[str]] = {}
        for owner, _, anchor in sorted(entries):
            found.setdefault(self._several[owner], []).append(anchor)
        return found

    def _runs_of_word(self, word: bytes) -> tuple[bytes, ...]:
        return tuple(
            run
            for start in range(len(word) - _LEAST_LETTERS + 1)
            for run in self._by_start.get(word[start : start + _LEAST_LETTERS], ())
            if word.startswith(run, start)
        )


@cache
def _runs_of(anchor: str) -> tuple[bytes, ...]:
    """Return the runs of letters in `anchor` that are long enough to be looked up, the longest first."""
    folded = anchor.lower().encode("ascii")
    if folded.isalpha():  # most are
        return (folded,) if len(folded) >= _LEAST_LETTERS else ()
    runs = [run for run in folded.translate(_ONLY_LETTERS).split() if len(run) >= _LEAST_LETTERS]
    return tuple(sorted(runs, key=len, reverse=True))


@cache
def _pairs_of(anchor: str) -> frozenset[int]:
    """Return the pairs that stand in the words of every text with `anchor`."""
    words = anchor.lower().encode("ascii").translate(WITHOUT_BRACKETS).split()
    return frozenset(pair for word in words if not word.isalpha() for pair in _pairs(word))


def _pairs(text: bytes) -> set[int]:
    """Return each two characters in a row, as numbers."""
    pairs: set[int] = set()
    for start in (0, 1):
        pairs.update(memoryview(text)[start : start + (len(text) - start) // 2 * 2].cast("H"))
    return pairs


@cache
def _beyond_ascii(anchor: str) -> frozenset[str]:
    return frozenset(letter for letter in anchor if not letter.isascii())


@cache
def index_of(anchors: tuple[str, ...]) -> AnchorIndex:
    """Return the index of one rule's anchors, made once a process."""
    return AnchorIndex([anchors])
