"""A text to search, with what the rules look up in it: most rules find nothing in most texts, and see so at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar, cast

from s3memory.redaction.text.anchors import SEPARATORS_TO_SPACES, AnchorIndex, index_of
from s3memory.redaction.text.combining_marks import marks_as_letters
from s3memory.redaction.text.compiling import compiled

if TYPE_CHECKING:
    from s3memory.redaction.rule import Rule

_CLASSES = bytes(ord("0") if chr(code).isdigit() else ord("a") if chr(code).isalpha() else code for code in range(128))
_CLASSES += bytes(range(128, 256))
_ASCII = r"[\x00-\x7f]+"
_NON_ASCII_DIGIT = r"[^\D0-9]"
_MIN_BEHIND = 500
_MAX_CACHED = 4_000

Places = tuple[tuple[int, int], ...]
T = TypeVar("T")

MIN_RUN = 12
"""The length of the shortest value that is judged by whether it looks random."""

_RUN_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
_RUN_MARKS = bytes(ord("a") if code in _RUN_ALPHABET else ord(" ") for code in range(256))


def runs_of(text: str, least: int = MIN_RUN) -> list[tuple[int, int]]:
    """Return the spans of the runs of ASCII letters, digits and ``+/_-`` in `text` that are `least` long or longer."""
    marks, long_enough = text.encode("latin-1", "replace").translate(_RUN_MARKS), b"a" * least
    runs = []
    start = marks.find(long_enough)
    while start >= 0:
        end = marks.find(b" ", start + least)
        end = end if end >= 0 else len(marks)
        runs.append((start, end))
        start = marks.find(long_enough, end)
    return runs


class Seen:
    """A cache of one rule's results for a match, keyed by the hash of the text around the match.

    A text and its views are the same nearly everywhere, and so is a text before and after an edit: the same match in
    the same context is judged once.

    Args:
        before: How many characters before a match its result may depend on.
    """

    def __init__(self, before: int) -> None:
        self._before, self._behind = before, max(before, _MIN_BEHIND)
        # The key has the hash of the context only: keeping the context would cost more than judging it again. A value
        # is one flat tuple of starts and ends: the garbage collector doesn't track tuples of numbers.
        self._results: dict[tuple[int, int, int, int | None], tuple[int, ...]] = {}

    def places(
        self, text: str, start: int, end: int, limit: int | None, find: Callable[[], Iterable[tuple[int, int]]]
    ) -> Places:
        """Return the spans that `find` finds near the match from `start` to `end`.

        Args:
            text: The text.
            start: Where the match starts.
            end: Where it ends.
            limit: Where `find` stops looking; `None` if nothing but the context limits it.
            find: Is called if the result isn't cached.
        """
        begin, stop = max(0, start - self._before), end + self._behind
        around = hash(text[begin:stop]), start - begin, stop - begin, limit and min(limit - end, self._behind)
        known = self._results.get(around)
        if known is not None:
            edges = (begin + edge for edge in known)
            return tuple(zip(edges, edges, strict=True)) if known else ()
        found = tuple(find())
        # A span outside the context may be something else where the same context comes again.
        if all(first >= begin and last <= stop for first, last in found):
            self._remember(around, tuple(edge - begin for span in found for edge in span))
        return found

    def weight(self, text: str, start: int, end: int, beside: tuple[int, ...], weigh: Callable[[], int]) -> int:
        """Return the score that `weigh` gives to the candidate from `start` to `end`.

        Args:
            text: The text.
            start: Where the candidate starts.
            end: Where it ends.
            beside: Where the findings before it on its line are, on which the score depends as well.
            weigh: Is called if the score isn't cached.
        """
        begin, stop = max(0, start - self._before), end + self._behind
        around = hash((text[begin:stop], beside)), start - begin, stop - begin, None
        known = self._results.get(around)
        if known is None:
            known = (weigh(),)
            self._remember(around, known)
        return known[0]

    def _remember(self, around: tuple[int, int, int, int | None], result: tuple[int, ...]) -> None:
        """Cache a result; when there are too many, the cache starts over."""
        if len(self._results) >= _MAX_CACHED:
            self._results.clear()
        self._results[around] = result


class Subject:
    """A text to search, with what the rules look up in it, each computed once.

    Args:
        written: The text as it was written.
        seen: The caches of the rules, which texts with parts in common share; this text adds to them.

    Attributes:
        text: The text as rules read it: see `marks_as_letters`.
        ascii: The text with "?" for each character that is not ASCII, so it is as long as the text.
        folded: The same in lower case.
        words: The words of `ascii`, split at spaces, brackets, commas and the like, each once.
    """

    def __init__(self, written: str, seen: dict[Rule, Seen] | None = None) -> None:
        text = self.text = marks_as_letters(written)
        is_ascii = text.isascii()
        self.ascii = text if is_ascii else text.encode("ascii", "replace").decode("ascii")
        self.folded = self.ascii.lower()
        words = b"\n".join(set(self.ascii.encode("ascii").translate(SEPARATORS_TO_SPACES).split()))
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
        """The spans of the runs of ASCII letters, digits and ``+/_-`` that are `MIN_RUN` characters long or longer."""
        if self._runs is None:
            self._runs = runs_of(self.text)
        return self._runs

    @property
    def signs(self) -> bytes:
        """The text with ``a`` for each ASCII letter and ``0`` for each digit of any script, one byte per character."""
        if self._signs is None:
            text = self.text if self.text.isascii() else compiled(_NON_ASCII_DIGIT).sub("0", self.text)
            self._signs = text.encode("ascii", "replace").translate(_CLASSES)
        return self._signs

    def has_digit(self, start: int, end: int) -> bool:
        """Whether there is a digit of any script from `start` to `end`."""
        return b"0" in self.signs[start:end]

    def once(self, make: Callable[[Subject], T]) -> T:
        """Return what `make` returns for this text; it is called the first time only."""
        if make not in self._once:
            self._once[make] = make(self)
        return cast("T", self._once[make])

    def cache_of(self, rule: Rule) -> Seen:
        """Return the cache of `rule`."""
        seen = self._seen.get(rule)
        if seen is None:
            seen = self._seen[rule] = Seen(rule.before)
        return seen

    def look_up(self, index: AnchorIndex) -> Iterable[tuple[str, ...]]:
        """Look up the anchors of several rules at once. Return those rules' anchors of which one may occur in the text.

        `held` then returns from this lookup.
        """
        self._held = index.find(self._folded_words, self._beyond)
        return self._held

    def held(self, anchors: tuple[str, ...]) -> list[str]:
        """Return those of `anchors`, all of one rule, that may occur in the text, whatever their case.

        This is a prefilter: it looks at each distinct word once, which is a fraction of the text, and it may return
        anchors that don't occur. For an anchor that isn't ASCII, it checks that its non-ASCII letters occur.
        """
        if (found := self._held.get(anchors)) is not None:
            return found
        return index_of(anchors).find(self._folded_words, self._beyond).get(anchors, [])

    def first(self, anchor: str, haystack: str) -> int:
        """Return where `anchor` first occurs in `haystack`, which is one of the attributes, or -1."""
        looked_up = anchor, haystack is self.folded
        if looked_up not in self._first:
            self._first[looked_up] = haystack.find(anchor)
        return self._first[looked_up]
