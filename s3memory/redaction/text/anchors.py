"""A prefilter: which of some thousand anchors may occur in a text, without searching the text for each of them.

An anchor can only occur if its runs of letters are in words of the text. Texts repeat the same words, so the runs in a
word are cached by the hash of the word; no text is kept. The other characters of an anchor are checked in pairs of
neighbours: each pair in the anchor must be in the text as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache

from s3memory.redaction.text.caching import WordCache

# The number of the rule that an anchor belongs to, its number among the anchors of that rule, and the anchor.
_Entry = tuple[int, int, str]

_WORD_SEPARATORS = b"()[]{}<>,;*#`"
SEPARATORS_TO_SPACES = bytes(ord(" ") if code in _WORD_SEPARATORS else code for code in range(256))
_LETTERS_ONLY = bytes(code if chr(code).islower() and code < 128 else ord(" ") for code in range(256))  # noqa: PLR2004
_MIN_LETTERS, _NO_PAIR = 3, 0


class AnchorIndex:
    """The anchors of several rules, and a lookup of those that may occur in a text, whatever their case.

    Args:
        several: The anchors of each rule.
    """

    def __init__(self, several: Iterable[tuple[str, ...]]) -> None:
        self._anchors_by_rule = tuple(several)
        self._by_pair: dict[int, list[_Entry]] = {}
        self._by_run: dict[bytes, list[_Entry]] = {}
        self._by_letter: dict[str, list[_Entry]] = {}
        runs: set[bytes] = set()
        for owner, anchors in enumerate(self._anchors_by_rule):
            folded = "\0".join(anchors).lower().encode("ascii", "replace").split(b"\0")
            for number, (anchor, run) in enumerate(zip(anchors, folded, strict=True)):
                entry = owner, number, anchor
                if len(run) >= _MIN_LETTERS and run.isalpha():  # most are one run
                    self._by_run.setdefault(run, []).append(entry)
                    runs.add(run)
                elif not anchor.isascii():
                    self._by_letter.setdefault(max(anchor), []).append(entry)  # a letter beyond ASCII
                elif anchor_runs := _runs_of(anchor):
                    self._by_run.setdefault(anchor_runs[0], []).append(entry)
                    runs.update(anchor_runs)
                else:
                    self._by_pair.setdefault(next(iter(_pairs_of(anchor)), _NO_PAIR), []).append(entry)
        self._by_start: dict[bytes, list[bytes]] = {}
        for run in runs:
            self._by_start.setdefault(run[:_MIN_LETTERS], []).append(run)
        self._known = WordCache(self._runs_of_word)

    def find(self, words: Collection[bytes], beyond: frozenset[str]) -> dict[tuple[str, ...], list[str]]:
        """Return the anchors that may occur in a text, keyed by all anchors of their rule.

        Rules of which no anchor may occur are left out.

        Args:
            words: The words of the text in lower case, split at spaces, brackets and the like.
            beyond: Its characters that are not ASCII.
        """
        words_of_letters = [*set(b"\n".join(words).translate(_LETTERS_ONLY).split())]
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
            found.setdefault(self._anchors_by_rule[owner], []).append(anchor)
        return found

    def _runs_of_word(self, word: bytes) -> tuple[bytes, ...]:
        return tuple(
            run
            for start in range(len(word) - _MIN_LETTERS + 1)
            for run in self._by_start.get(word[start : start + _MIN_LETTERS], ())
            if word.startswith(run, start)
        )


@cache
def _runs_of(anchor: str) -> tuple[bytes, ...]:
    """Return the runs of letters in `anchor` that are long enough to be looked up, longest first."""
    folded = anchor.lower().encode("ascii")
    runs = [run for run in folded.translate(_LETTERS_ONLY).split() if len(run) >= _MIN_LETTERS]
    return tuple(sorted(runs, key=len, reverse=True))


@cache
def _pairs_of(anchor: str) -> frozenset[int]:
    """Return the pairs of characters that are in the words of every text in which `anchor` occurs."""
    words = anchor.lower().encode("ascii").translate(SEPARATORS_TO_SPACES).split()
    return frozenset(pair for word in words if not word.isalpha() for pair in _pairs(word))


def _pairs(text: bytes) -> set[int]:
    """Return all pairs of neighbouring characters, each as a number."""
    pairs: set[int] = set()
    for start in (0, 1):
        pairs.update(memoryview(text)[start : start + (len(text) - start) // 2 * 2].cast("H"))
    return pairs


@cache
def _beyond_ascii(anchor: str) -> frozenset[str]:
    return frozenset(letter for letter in anchor if not letter.isascii())


@cache
def index_of(anchors: tuple[str, ...]) -> AnchorIndex:
    """Return the index of one rule's anchors, which is built once per process."""
    return AnchorIndex([anchors])
