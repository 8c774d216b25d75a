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
from typing import NamedTuple

from s3memory.redaction.compiling import compiled
from s3memory.redaction.model import Span
from s3memory.redaction.seen import Places, Seen

Location = tuple[int, int] | None

_SIGNS = bytes(ord("0") if chr(code).isdigit() else ord("a") if chr(code).isalpha() else code for code in range(128))
_SIGNS += bytes(range(128, 256))
_BETWEEN_WORDS = b"()[]{}<>,;*#`"
_WITHOUT_BRACKETS = bytes(ord(" ") if code in _BETWEEN_WORDS else code for code in range(256))
_ONLY_LETTERS = bytes(code if chr(code).islower() and code < 128 else ord(" ") for code in range(256))  # noqa: PLR2004
_GRAM = 4
# In a shorter text anchors are found faster one by one, and nothing is made ready for it.
_LEAST_INDEXED = 250

BEFORE = 410
_ASCII = r"[\x00-\x7f]+"

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
        "_grams",
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
        self._grams: set[int] | None = None
        self._held: dict[tuple[str, ...], list[str]] = {}
        self._first: dict[tuple[str, bool], int] = {}
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

    def seen_by(self, rule: Rule) -> Seen:
        """Return what `rule` has seen so far."""
        seen = self._seen.get(rule)
        if seen is None:
            seen = self._seen[rule] = Seen(rule.before)
        return seen

    @property
    def beyond(self) -> frozenset[str]:
        """The characters of the text beyond ASCII."""
        if self._beyond is None:
            self._beyond = frozenset(() if self.text.isascii() else compiled(_ASCII).sub("", self.text))
        return self._beyond

    def look_up(self, several: tuple[tuple[str, ...], ...]) -> None:
        """Look up the anchors of several rules at once, each of which `held` returns then."""
        if len(self.text) < _LEAST_INDEXED:
            return
        self._held = {anchors: [] for anchors in several}
        every = _joined(several)
        for place in self._places(every):
            anchors, anchor = every.owners[place]
            self._held[anchors].append(anchor)

    def held(self, anchors: tuple[str, ...]) -> list[str]:
        """Return those of `anchors` that may stand in the text: all that is in their words does, whatever its case.

        A text has each of its words many times. Once is enough to tell, and a fraction of the text to search. Of an
        anchor beyond ASCII, all letters have to be there.
        """
        if len(self.text) < _LEAST_INDEXED:
            return [anchor for anchor in anchors if anchor in self.folded or anchor in self.text]
        found = self._held.get(anchors)
        return [anchors[place] for place in self._places(_joined((anchors,)))] if found is None else found

    def first(self, anchor: str, haystack: str) -> int:
        """Return where `anchor` first stands in the text, as one of the attributes has it, or -1."""
        looked_up = anchor, haystack is self.folded
        position = self._first.get(looked_up)
        if position is None:
            position = self._first[looked_up] = haystack.find(anchor)
        return position

    def _places(self, index: _Anchors) -> list[int]:
        if self._grams is None:
            self._grams = _grams_of(self.folded.encode("ascii"), "\n".join(self.words).lower().encode("ascii"))
        grams, beyond = self._grams, self.beyond
        found = index.short.copy()
        for gram in index.by_gram.keys() & grams:
            found += [place for place, others in index.by_gram[gram] if grams.issuperset(others)]
        if beyond:
            for letter in index.by_letter.keys() & beyond:
                found += [place for place, letters in index.by_letter[letter] if beyond.issuperset(letters)]
        return sorted(found)

    @property
    def signs(self) -> bytes:
        """The text with its letters read as ``a`` and its digits as ``0``, a byte a character."""
        if self._signs is None:
            self._signs = self.ascii.encode("ascii").translate(_SIGNS)
        return self._signs


def _grams_of(text: bytes, words: bytes) -> set[int]:
    """Return what stands in a row, as numbers: four and three letters of words without signs, two signs of words."""
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


def _grams_of_anchor(anchor: str) -> list[int]:
    """Return what tells an anchor, of `_grams_of`: the rarest last."""
    folded = anchor.lower().encode("ascii")
    words = folded.translate(_ONLY_LETTERS).split()
    parts = [part for word in words for part in (word[:_GRAM], word[-_GRAM:]) if len(part) >= _GRAM - 1]
    others = [word for word in folded.translate(_WITHOUT_BRACKETS).split() if not word.isalpha() or len(word) == 2]  # noqa: PLR2004
    parts += [word[place : place + 2] for word in others for place in range(len(word) - 1)]
    return [int.from_bytes(part, byteorder) for part in sorted(parts, key=len)]


class _Anchors(NamedTuple):
    """Anchors by one part of each, characters in a row or a letter beyond ASCII, with the others that it has."""

    owners: list[tuple[tuple[str, ...], str]]
    short: list[int]
    by_gram: dict[int, list[tuple[int, list[int]]]]
    by_letter: dict[str, list[tuple[int, str]]]


@cache
def _joined(several: tuple[tuple[str, ...], ...]) -> _Anchors:
    index = _Anchors([(anchors, anchor) for anchors in dict.fromkeys(several) for anchor in anchors], [], {}, {})
    for place, (_, anchor) in enumerate(index.owners):
        if letters := compiled(_ASCII).sub("", anchor):
            index.by_letter.setdefault(letters[0], []).append((place, letters))
        elif grams := _grams_of_anchor(anchor):
            index.by_gram.setdefault(grams.pop(), []).append((place, grams))
        else:
            index.short.append(place)
    return index


class Rule:
    r"""One format of something sensitive.

    A plain class: some three hundred and sixty of them are made before the first text is looked at.

    Attributes:
        kind: What is found, as it stands in the placeholder.
        anchors: Literals, one of which stands in every text that the rule finds something in; none: any may. One in
            ASCII is looked up in the text with "?" for all beyond it, another one in the text as it is.
        pattern: What has to stand at an anchor, from its first character on.
        source: Where the format is documented.
        locate: Says where in a match the secret stands, or that there is none after all.
        fold: The anchors are lower case and are looked up in the lower-cased text.
        scan: The pattern does not start at an anchor: it is searched for wherever an anchor stands in the text.
        before: How many characters before a match `locate` looks at.
        samples: Texts in which the rule finds what is between « and », for a test: ``<alnum:24>`` stands for so many
            characters of one of the alphabets of `table`, ``{password}`` for a value that the test makes. A token
            needs none: its shape says enough.
        near: Texts almost like these, in which it finds nothing.
    """

    __slots__ = ("_pattern", "anchors", "before", "fold", "kind", "locate", "near", "samples", "scan", "source")

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
        before: int = BEFORE,
        samples: tuple[str, ...] = (),
        near: tuple[str, ...] = (),
    ) -> None:
        self.kind = kind
        self.anchors = anchors
        self.source = source
        self.locate = locate
        self.fold = fold
        self.scan = scan
        self.before = before
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
        text = subject.text
        anchors = subject.held(self.anchors) if self.anchors else []
        if self.anchors and not anchors:
            return
        seen = subject.seen_by(self)
        if self.scan:
            if not anchors or any(subject.first(anchor, self._haystack(subject, anchor)) >= 0 for anchor in anchors):
                for found in compiled(self.pattern).finditer(text):
                    for location in self._located(found, seen):
                        yield Span(self.kind, *location)
            return
        for anchor in anchors:
            haystack = self._haystack(subject, anchor)
            position = subject.first(anchor, haystack)
            while position >= 0:
                behind = position + len(anchor)
                if match := compiled(self.pattern).match(text, position):
                    behind = max(behind, match.end())
                    for location in self._located(match, seen):
                        yield Span(self.kind, *location)
                        behind = max(behind, location[1])
                position = haystack.find(anchor, behind)

    def _haystack(self, subject: Subject, anchor: str) -> str:
        """Return the text as `anchor` is looked up in it."""
        if not anchor.isascii():
            return subject.text
        return subject.folded if self.fold else subject.ascii

    def _located(self, match: re.Match[str], seen: Seen) -> Places:
        def find() -> Places:
            location = self.locate(match)
            return () if location is None else (location,)

        return seen.places(match, None, find)


class RunRule(Rule):
    """A rule for runs of letters, digits and ``+/_-``: it tries its pattern where one of them starts.

    Attributes:
        least: How many characters such a run has at least, and `most` at most.
    """

    __slots__ = ("least", "most")

    def __init__(
        self,
        *,
        kind: str,
        least: int,
        most: int | None = None,
        pattern: str,
        source: str,
        locate: Callable[[re.Match[str]], Location],
        samples: tuple[str, ...],
        near: tuple[str, ...],
    ) -> None:
        super().__init__(
            kind=kind, anchors=(), pattern=pattern, source=source, locate=locate, scan=True, samples=samples, near=near
        )
        self.least = least
        self.most = most

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield what the rule finds in the text of `subject`."""
        for start, end in subject.runs:
            if end - start < self.least or (self.most and end - start > self.most) or not subject.has_digit(start, end):
                continue
            for match in compiled(self.pattern).finditer(subject.text, start, end):
                if location := self.locate(match):
                    yield Span(self.kind, *location)


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
