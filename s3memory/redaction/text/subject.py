"""A text to search, and what is looked up in it first: most rules find nothing in most texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from s3memory.redaction.text.anchors import WITHOUT_BRACKETS, AnchorIndex, index_of
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.seen import Seen

if TYPE_CHECKING:
    from s3memory.redaction.rule import Rule

_SIGNS = bytes(ord("0") if chr(code).isdigit() else ord("a") if chr(code).isalpha() else code for code in range(128))
_SIGNS += bytes(range(128, 256))
_ASCII = r"[\x00-\x7f]+"
_OTHER_DIGIT = r"[^\D0-9]"

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


class Subject:
    """A text to search, and what is looked up in it first: most rules find nothing in most texts.

    Args:
        text: The text.
        seen: What rules found in texts that this one has parts of, by the rule: it is added to.

    Attributes:
        text: The text.
        ascii: As long as the text, with "?" for all beyond ASCII.
        folded: The same in lower case.
    """

    __slots__ = (
        "_beyond",
        "_first",
        "_folded_words",
        "_held",
        "_runs",
        "_seen",
        "_signs",
        "_words",
        "ascii",
        "folded",
        "text",
    )

    def __init__(self, text: str, seen: dict[Rule, Seen] | None = None) -> None:
        self.text = text
        self._seen = {} if seen is None else seen
        self._beyond: frozenset[str] | None = None
        self.ascii = text if text.isascii() else text.encode("ascii", "replace").decode("ascii")
        self.folded = self.ascii.lower()
        self._words: list[str] | None = None
        self._folded_words: list[bytes] | None = None
        self._held: dict[tuple[str, ...], list[str]] = {}
        self._first: dict[tuple[str, bool], int] = {}
        self._signs: bytes | None = None
        self._runs: list[tuple[int, int]] | None = None

    @property
    def words(self) -> list[str]:
        """What stands between spaces, brackets, commas and the like in `ascii`, each once."""
        if self._words is None:
            words = b"\n".join(set(self.ascii.encode("ascii").translate(WITHOUT_BRACKETS).split()))
            self._words = words.decode("ascii").split("\n")
        return self._words

    @property
    def runs(self) -> list[tuple[int, int]]:
        """Where runs of letters, digits and ``+/_-`` stand that are `LEAST_RUN` characters long or longer."""
        if self._runs is None:
            self._runs = runs_of(self.text)
        return self._runs

    def has_digit(self, start: int, end: int) -> bool:
        """Whether there is a digit from `start` to `end`."""
        return b"0" in self.signs[start:end]

    def seen_by(self, rule: Rule) -> Seen:
        """Return what `rule` has seen so far."""
        seen = self._seen.get(rule)
        if seen is None:
            seen = self._seen[rule] = Seen(rule.before)
        return seen

    @property
    def beyond(self) -> frozenset[str]:
        """The characters of the text beyond ASCII, and their small letters."""
        if self._beyond is None:
            beyond = "" if self.text.isascii() else compiled(_ASCII).sub("", self.text)
            self._beyond = frozenset(beyond + beyond.lower())
        return self._beyond

    def look_up(self, index: AnchorIndex) -> Iterable[tuple[str, ...]]:
        """Look up the anchors of several rules at once. Return whose may stand in the text: `held` tells which."""
        self._held = self._find(index)
        return self._held

    def held(self, anchors: tuple[str, ...]) -> list[str]:
        """Return those of `anchors` that may stand in the text: everything in their words does, whatever its case.

        A text has each of its words many times. Once is enough to tell, and a fraction of the text to search. Of an
        anchor beyond ASCII, all letters have to be there.
        """
        found = self._held.get(anchors)
        return self._find(index_of(anchors)).get(anchors, []) if found is None else found

    def first(self, anchor: str, haystack: str) -> int:
        """Return where `anchor` first stands in the text, as one of the attributes has it, or -1."""
        looked_up = anchor, haystack is self.folded
        position = self._first.get(looked_up)
        if position is None:
            position = self._first[looked_up] = haystack.find(anchor)
        return position

    def _find(self, index: AnchorIndex) -> dict[tuple[str, ...], list[str]]:
        if self._folded_words is None:
            self._folded_words = "\n".join(self.words).lower().encode("ascii").split(b"\n")
        return index.find(self._folded_words, self.beyond)

    @property
    def signs(self) -> bytes:
        """The text with its letters read as ``a`` and the digits of all scripts as ``0``, a byte a character."""
        if self._signs is None:
            text = self.text if self.text.isascii() else compiled(_OTHER_DIGIT).sub("0", self.text)
            self._signs = text.encode("ascii", "replace").translate(_SIGNS)
        return self._signs
