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
from functools import partial
from typing import NotRequired, TypedDict, Unpack

from s3memory.redaction.model import Span
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.marks import as_letters
from s3memory.redaction.text.subject import Places, Subject

Location = tuple[int, int] | None
Locate = Callable[[re.Match[str]], Location]

BEFORE = 410


def secret_in(match: re.Match[str]) -> Location:
    """Locate the secret: the group of that name, or else all that matched."""
    return match.span("secret" if "secret" in match.re.groupindex else 0)


def if_near(words: str, before: int, behind: int) -> Locate:
    """Return what locates the secret, if the expression `words` is found in so many characters before and behind."""
    return partial(_near, words, before, behind)


def _near(words: str, before: int, behind: int, match: re.Match[str]) -> Location:
    around = match.string[max(0, match.start() - before) : match.end() + behind]
    return secret_in(match) if compiled(words).search(around) else None


def weighed_again(family: str, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Return `rules`, which go by a few words around a value: what else is around it may say that it is none."""
    for rule in rules:
        rule.family = family
    return rules


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
        before: How many characters before a match `locate` looks at, and as many behind it, or 500.
        samples: Texts in which the rule finds what is between « and », for a test: ``<alnum:24>`` stands for so many
            characters of one of the alphabets of `table`, ``{password}`` for a value that the test makes. A token
            needs none: its shape says enough.
        near: Texts almost like these, in which it finds nothing.
        words: Literals that it looks up besides.
        family: What its finds are weighed as once more, with all that is around them; none: their form says enough.
            See `weighed_again`.
    """

    def __init__(
        self,
        *,
        kind: str,
        anchors: tuple[str, ...] = (),
        pattern: str = "",
        source: str,
        locate: Locate = secret_in,
        fold: bool = False,
        scan: bool = False,
        before: int = BEFORE,
        samples: tuple[str, ...] = (),
        near: tuple[str, ...] = (),
        words: tuple[str, ...] = (),
    ) -> None:
        self.kind = kind
        self.anchors = tuple(map(as_letters, anchors))
        self.source = source
        self.locate = locate
        self.fold = fold
        self.scan = scan
        self.before = before
        self.samples = samples
        self.near = near
        self.words = tuple(map(as_letters, words))
        self.family = ""
        self._pattern = pattern

    @property
    def pattern(self) -> str:
        """What has to stand at an anchor, as a regular expression."""
        return self._pattern

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield what the rule finds in the text of `subject`."""
        text = subject.text
        anchors = subject.held(self.anchors) if self.anchors else []
        if self.scan:
            is_held = any(subject.first(anchor, self._haystack(subject, anchor)) >= 0 for anchor in anchors)
            for found in compiled(self.pattern).finditer(text) if is_held or not self.anchors else ():
                for location in self._located(found, subject):
                    yield Span(self.kind, *location)
            return
        for anchor in anchors:
            haystack = self._haystack(subject, anchor)
            position = subject.first(anchor, haystack)
            pattern = compiled(self.pattern) if position >= 0 else None
            while pattern and position >= 0:
                behind = position + len(anchor)
                if match := pattern.match(text, position):
                    behind = max(behind, match.end())
                    for location in self._located(match, subject):
                        yield Span(self.kind, *location)
                        behind = max(behind, location[1])
                position = haystack.find(anchor, behind)

    def _haystack(self, subject: Subject, anchor: str) -> str:
        """Return the text as `anchor` is looked up in it."""
        if not anchor.isascii():
            return subject.text
        return subject.folded if self.fold else subject.ascii

    def _located(self, match: re.Match[str], subject: Subject) -> Places:
        find = subject.seen_by(self).places
        return find(match.string, *match.span(), None, lambda: filter(None, (self.locate(match),)))


class _Tried(TypedDict):
    """What a rule has that is tried where a text looks like it: see `Rule`."""

    kind: str
    pattern: str
    source: str
    locate: NotRequired[Locate]
    samples: tuple[str, ...]
    near: tuple[str, ...]


class RunRule(Rule):
    """A rule for runs of `least` to `most` letters, digits and ``+/_-``: it tries its pattern where one starts."""

    def __init__(self, *, least: int, most: int | None = None, **others: Unpack[_Tried]) -> None:
        super().__init__(scan=True, **others)
        self.least, self.most = least, most

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield what the rule finds in the text of `subject`."""
        for start, end in subject.runs:
            if end - start < self.least or (self.most and end - start > self.most) or not subject.has_digit(start, end):
                continue
            for match in compiled(self.pattern).finditer(subject.text, start, end):
                if location := self.locate(match):
                    yield Span(self.kind, *location)


class SignRule(Rule):
    """A rule that is tried where a text, with its letters read as ``a`` and its digits as ``0``, has a shape.

    The shape is a regular expression, a character a character; the pattern starts at the offset behind its start.
    """

    def __init__(self, *, shape: bytes, offset: int = 0, **others: Unpack[_Tried]) -> None:
        super().__init__(scan=True, **others)
        self.shape, self.offset = shape, offset

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield what the rule finds in the text of `subject`."""
        behind = 0
        for found in compiled(self.shape).finditer(subject.signs):
            start = found.start() + self.offset
            if start >= behind and (match := compiled(self.pattern).match(subject.text, start)):
                behind = match.end()
                if location := self.locate(match):
                    yield Span(self.kind, *location)
