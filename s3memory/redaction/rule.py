r"""What a rule is, and how it is run in bounded time.

A rule looks for a literal, its anchor, with `str.find`, and tries its pattern only where the anchor stands: no text
without anchors costs more than the search for them, and nothing is compiled until an anchor turns up. The time is
linear in the text by construction:

- a repeat in a pattern is bounded, or it is possessive and the last thing in the pattern;
- the search goes on behind a match, whether the match is taken or not, so that such a last run is read once;
- no repeat is inside another, and `locate` reads the match and a window of fixed size, or on to where the secret ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from sys import byteorder

from s3memory.redaction.compiling import compiled
from s3memory.redaction.fruitless import Fruitless
from s3memory.redaction.model import Span

Location = tuple[int, int] | None

_SIGNS = bytes(ord("0") if chr(code).isdigit() else ord("a") if chr(code).isalpha() else code for code in range(128))
_SIGNS += bytes(range(128, 256))
_BETWEEN_WORDS = b"()[]{}<>,;*#`"
_WITHOUT_BRACKETS = bytes(ord(" ") if code in _BETWEEN_WORDS else code for code in range(256))
BEYOND_ASCII = b"\xff"

_GRAM = 4

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


def whole(match: re.Match[str]) -> Location:
    """Locate the secret: all that matched."""
    return match.span()


def secret_group(match: re.Match[str]) -> Location:
    """Locate the secret: the group of that name."""
    return match.span("secret")


class Subject:
    """A text to search, and what is looked up in it first: most rules find nothing in most texts.

    Attributes:
        text: The text.
        ascii: As long as the text, with "?" for all beyond ASCII.
        folded: The same in lower case.
    """

    __slots__ = ("_folded_words", "_grams", "_runs", "_signs", "_words", "ascii", "folded", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.ascii = text if text.isascii() else text.encode("ascii", "replace").decode("ascii")
        self.folded = self.ascii.lower()
        self._words: list[str] | None = None
        self._folded_words = ""
        self._grams: set[int] | None = None
        self._signs: bytes | None = None
        self._runs: list[tuple[int, int]] | None = None

    @property
    def words(self) -> list[str]:
        """What stands between spaces, brackets, commas and the like in `ascii`, each once."""
        if self._words is None:
            words = b"\n".join(set(self.ascii.encode("ascii").translate(_WITHOUT_BRACKETS).split()))
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

    def may_hold(self, anchor: str) -> bool:
        """Whether `anchor` could stand in the text: its longest word does, whatever its case.

        A text has each of its words many times. Once is enough to tell, and a fraction of the text to search.
        """
        if self._grams is None:
            self._folded_words = "\n".join(self.words).lower()
            self._grams = _grams_of(self._folded_words)
        word, gram = _longest_word(anchor)
        return (gram is None or gram in self._grams) and word in self._folded_words

    @property
    def signs(self) -> bytes:
        """The text with its letters read as ``a`` and its digits as ``0``, a byte a character."""
        if self._signs is None:
            self._signs = self.ascii.encode("ascii").translate(_SIGNS)
        return self._signs

    def has_signs(self, signs: tuple[bytes, ...]) -> bool:
        r"""Whether one of `signs` stands in the text, with its letters read as ``a`` and its digits as ``0``.

        With other characters than ASCII in it, the text has the sign ``\xff``.
        """
        found = self.signs
        return any(sign in found for sign in signs if sign != BEYOND_ASCII) or (
            BEYOND_ASCII in signs and not self.text.isascii()
        )


def _grams_of(text: str) -> set[int]:
    """Return all that stands in four characters of `text` in a row, each as a number."""
    data = text.encode("ascii")
    grams: set[int] = set()
    for start in range(_GRAM):
        length = (len(data) - start) // _GRAM * _GRAM
        grams.update(memoryview(data)[start : start + length].cast("I"))
    return grams


@cache
def _longest_word(anchor: str) -> tuple[str, int | None]:
    """Return the longest word of `anchor`, and four characters of it as a number if it has as many."""
    word = max(anchor.lower().encode("ascii").translate(_WITHOUT_BRACKETS).decode("ascii").split(), key=len, default="")
    return word, int.from_bytes(word[-_GRAM:].encode("ascii"), byteorder) if len(word) >= _GRAM else None


class Rule:
    r"""One format of something sensitive.

    A plain class: some three hundred and sixty of them are made before the first text is looked at.

    Attributes:
        kind: What is found, as it stands in the placeholder.
        anchors: ASCII literals, one of which stands in every text that the rule finds something in; none: any may.
        pattern: What has to stand at an anchor, from its first character on.
        source: Where the format is documented.
        locate: Says where in a match the secret stands, or that there is none after all.
        fold: The anchors are lower case and are looked up in the lower-cased text.
        scan: The pattern does not start at an anchor: it is searched for wherever an anchor stands in the text.
        signs: One of these stands in every text that the rule finds something in: see `Subject.has_signs`.
        samples: Texts in which the rule finds what is between « and », for a test: ``<alnum:24>`` stands for so many
            characters of one of the alphabets of `table`, ``{password}`` for a value that the test makes. A token
            needs none: its shape says enough.
        near: Texts almost like these, in which it finds nothing.
    """

    __slots__ = ("_pattern", "anchors", "fold", "kind", "locate", "near", "samples", "scan", "signs", "source")

    def __init__(
        self,
        *,
        kind: str,
        anchors: tuple[str, ...],
        pattern: str,
        source: str,
        locate: Callable[[re.Match[str]], Location] = whole,
        fold: bool = False,
        scan: bool = False,
        signs: tuple[bytes, ...] = (),
        samples: tuple[str, ...] = (),
        near: tuple[str, ...] = (),
    ) -> None:
        self.kind = kind
        self.anchors = anchors
        self.source = source
        self.locate = locate
        self.fold = fold
        self.scan = scan
        self.signs = signs
        self.samples = samples
        self.near = near
        self._pattern = pattern

    @property
    def pattern(self) -> str:
        """What has to stand at an anchor, as a regular expression."""
        return self._pattern

    def __repr__(self) -> str:
        return f"{type(self).__name__}(kind={self.kind!r}, anchors={self.anchors!r})"

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield what the rule finds in the text of `subject`."""
        text, haystack = subject.text, subject.folded if self.fold else subject.ascii
        anchors = [anchor for anchor in self.anchors if subject.may_hold(anchor)]
        if (self.anchors and not anchors) or (self.signs and not subject.has_signs(self.signs)):
            return
        fruitless = Fruitless(text)
        if self.scan:
            if not anchors or any(anchor in haystack for anchor in anchors):
                for found in compiled(self.pattern).finditer(text):
                    if location := self._located(found, fruitless):
                        yield Span(self.kind, *location)
            return
        for anchor in anchors:
            position = haystack.find(anchor)
            while position >= 0:
                behind = position + len(anchor)
                if match := compiled(self.pattern).match(text, position):
                    behind = max(behind, match.end())
                    if location := self._located(match, fruitless):
                        yield Span(self.kind, *location)
                        behind = max(behind, location[1])
                position = haystack.find(anchor, behind)

    def _located(self, match: re.Match[str], fruitless: Fruitless) -> Location:
        around = fruitless.around(*match.span())
        if around in fruitless:
            return None
        location = self.locate(match)
        if location is None:
            fruitless.add(around)
        return location


class SignRule(Rule):
    r"""A rule that is tried where a text, with its letters read as ``a`` and its digits as ``0``, has a shape.

    Attributes:
        shape: The shape as a regular expression, a character a character.
        offset: How far behind the start of the shape the pattern starts.
    """

    __slots__ = ("offset", "shape")

    def __init__(
        self,
        *,
        kind: str,
        shape: bytes,
        pattern: str,
        source: str,
        locate: Callable[[re.Match[str]], Location],
        offset: int = 0,
        samples: tuple[str, ...],
        near: tuple[str, ...],
    ) -> None:
        super().__init__(
            kind=kind, anchors=(), pattern=pattern, source=source, locate=locate, scan=True, samples=samples, near=near
        )
        self.shape = shape
        self.offset = offset

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield what the rule finds in the text of `subject`."""
        behind = 0
        for found in compiled(self.shape).finditer(subject.signs):
            start = found.start() + self.offset
            if start >= behind and (match := compiled(self.pattern).match(subject.text, start)):
                behind = match.end()
                if location := self.locate(match):
                    yield Span(self.kind, *location)
