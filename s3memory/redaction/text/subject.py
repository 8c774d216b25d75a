"""A text to search, and what is looked up in it first: most rules find nothing in most texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar, cast

from s3memory.redaction.text.anchors import WITHOUT_BRACKETS, AnchorIndex, index_of
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.marks import as_letters

if TYPE_CHECKING:
    from s3memory.redaction.rule import Rule

_SIGNS = bytes(ord("0") if chr(code).isdigit() else ord("a") if chr(code).isalpha() else code for code in range(128))
_SIGNS += bytes(range(128, 256))
_ASCII = r"[\x00-\x7f]+"
_OTHER_DIGIT = r"[^\D0-9]"
_BEHIND = 500
_MOST_REMEMBERED = 4_000

Places = tuple[tuple[int, int], ...]
T = TypeVar("T")

LEAST_RUN = 12
"""No value that is judged by how random it is has fewer characters."""

_RUN_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
_IS_IN_RUN = bytes(ord("a") if code in _RUN_ALPHABET else ord(" ") for code in range(256))


def runs_of(text: str, least: int = LEAST_RUN) -> list[tuple[int, int]]:
    """Return where runs of letters, digits and ``+/_-`` stand in `text` that have at least so many characters."""
    marks, long_enough = text.encode("latin-1", "replace").translate(_IS_IN_RUN), b"a" * least
    runs = []
    start = marks.find(long_enough)
    while start >= 0:
        end = marks.find(b" ", start + least)
        end = end if end >= 0 else len(marks)
        runs.append((start, end))
        start = marks.find(long_enough, end)
    return runs


class Seen:
    """What one rule found around its matches, or what a match weighs: the same surroundings are judged once.

    A text and its views, and a text before and after something was cut out of it, are the same nearly everywhere.
    """

    def __init__(self, before: int) -> None:
        self._before, self._behind = before, max(before, _BEHIND)
        # By the hash of what is around: to keep that itself would cost more than to judge it again. Starts and ends by
        # turns, in one tuple: of numbers alone, the garbage collector lets it be.
        self._told: dict[tuple[int, int, int, int | None], tuple[int, ...]] = {}

    def places(
        self, text: str, start: int, end: int, limit: int | None, find: Callable[[], Iterable[tuple[int, int]]]
    ) -> Places:
        """Return what `find` finds near a match from `start` to `end`, if it stops at `limit`, or else anywhere."""
        begin, stop = max(0, start - self._before), end + self._behind
        around = hash(text[begin:stop]), start - begin, stop - begin, limit and min(limit - end, self._behind)
        known = self._told.get(around)
        if known is not None:
            places = (begin + place for place in known)
            return tuple(zip(places, places, strict=True)) if known else ()
        found = tuple(find())
        # What is further away may be another thing where the same surroundings come again.
        if all(first >= begin and last <= stop for first, last in found):
            self._remember(around, tuple(place - begin for places in found for place in places))
        return found

    def weight(self, text: str, start: int, end: int, beside: tuple[int, ...], weigh: Callable[[], int]) -> int:
        """Return what `weigh` says of what stands from `start` to `end`, if `beside` says what else was found there."""
        begin, stop = max(0, start - self._before), end + self._behind
        around = hash((text[begin:stop], beside)), start - begin, stop - begin, None
        known = self._told.get(around)
        if known is None:
            known = (weigh(),)
            self._remember(around, known)
        return known[0]

    def _remember(self, around: tuple[int, int, int, int | None], told: tuple[int, ...]) -> None:
        if len(self._told) >= _MOST_REMEMBERED:
            self._told.clear()
        self._told[around] = told


class Subject:
    """A text to search, and what is looked up in it first: most rules find nothing in most texts.

    What rules found in texts that this one has parts of is in `seen`, by the rule, and is added to.

    Attributes:
        text: The text as rules read it: see `as_letters`.
        ascii: As long as the text, with "?" for all beyond ASCII.
        folded: The same in lower case.
        words: What stands between spaces, brackets, commas and the like in `ascii`, each once.
    """

    def __init__(self, written: str, seen: dict[Rule, Seen] | None = None) -> None:
        text = self.text = as_letters(written)
        is_ascii = text.isascii()
        self.ascii = text if is_ascii else text.encode("ascii", "replace").decode("ascii")
        self.folded = self.ascii.lower()
        words = b"\n".join(set(self.ascii.encode("ascii").translate(WITHOUT_BRACKETS).split()))
        self.words = words.decode("ascii").split("\n")
        self._runs: list[tuple[int, int]] | None = None
        self._signs: bytes | None = None
        beyond = "" if is_ascii else compiled(_ASCII).sub("", text)
        self._beyond = frozenset(beyond + beyond.lower())
        self._folded_words = words.lower().split(b"\n")
        self._seen = {} if seen is None else seen
        self._held: dict[tuple[str, ...], list[str]] = {}
        self._first: dict[tuple[str, bool], int] = {}
        self._once: dict[Callable[[Subject], object], object] = {}

    @property
    def runs(self) -> list[tuple[int, int]]:
        """Where runs of letters, digits and ``+/_-`` stand that are `LEAST_RUN` characters long or longer."""
        if self._runs is None:
            self._runs = runs_of(self.text)
        return self._runs

    @property
    def signs(self) -> bytes:
        """The text with its letters read as ``a`` and the digits of all scripts as ``0``, a byte a character."""
        if self._signs is None:
            text = self.text if self.text.isascii() else compiled(_OTHER_DIGIT).sub("0", self.text)
            self._signs = text.encode("ascii", "replace").translate(_SIGNS)
        return self._signs

    def has_digit(self, start: int, end: int) -> bool:
        """Whether there is a digit from `start` to `end`."""
        return b"0" in self.signs[start:end]

    def once(self, make: Callable[[Subject], T]) -> T:
        """Return what `make` makes of this text, which it is asked for once."""
        if make not in self._once:
            self._once[make] = make(self)
        return cast("T", self._once[make])

    def seen_by(self, rule: Rule) -> Seen:
        """Return what `rule` has seen so far."""
        seen = self._seen.get(rule)
        if seen is None:
            seen = self._seen[rule] = Seen(rule.before)
        return seen

    def look_up(self, index: AnchorIndex) -> Iterable[tuple[str, ...]]:
        """Look up the anchors of several rules at once. Return whose may stand in the text: `held` tells which."""
        self._held = index.find(self._folded_words, self._beyond)
        return self._held

    def held(self, anchors: tuple[str, ...]) -> list[str]:
        """Return those of `anchors` that may stand in the text: everything in their words does, whatever its case.

        A text has each of its words many times. Once is enough to tell, and a fraction of the text to search. Of an
        anchor beyond ASCII, all letters have to be there.
        """
        if (found := self._held.get(anchors)) is not None:
            return found
        return index_of(anchors).find(self._folded_words, self._beyond).get(anchors, [])

    def first(self, anchor: str, haystack: str) -> int:
        """Return where `anchor` first stands in the text, as one of the attributes has it, or -1."""
        looked_up = anchor, haystack is self.folded
        if looked_up not in self._first:
            self._first[looked_up] = haystack.find(anchor)
        return self._first[looked_up]
