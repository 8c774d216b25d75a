r"""The base class of all rules, which finds secrets in bounded time.

A rule finds its anchors, which are literals, with `str.find`, and tries its pattern only where an anchor occurs. A text
without anchors costs no more than that search, and no pattern is compiled until an anchor occurs. The time is linear
in the length of the text by construction:

- a repeat in a pattern is bounded, or it is possessive and the last thing in the pattern;
- the search resumes after a match, whether or not the match is accepted, so an unbounded last run is read only once;
- repeats are never nested, and `locate` reads the match and a window of fixed size, or on to where the secret ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import NotRequired, TypedDict, Unpack

from s3memory.redaction.interface import Span
from s3memory.redaction.text.combining_marks import marks_as_letters
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Places, Subject

Location = tuple[int, int] | None
Locate = Callable[[re.Match[str]], Location]

_CONTEXT_BEFORE = 410


def secret_in(match: re.Match[str]) -> Location:
    """Return the span of the group ``secret``, or of the whole match if the pattern has no such group."""
    return match.span("secret" if "secret" in match.re.groupindex else 0)


def if_near(words: str, before: int, behind: int) -> Locate:
    """Return a `Locate` that accepts a match only if its context matches the regular expression `words`.

    The context is the match with `before` characters before it and `behind` characters after it.
    """
    return partial(_if_near, words, before, behind)


def _if_near(words: str, before: int, behind: int, match: re.Match[str]) -> Location:
    context = match.string[max(0, match.start() - before) : match.end() + behind]
    return secret_in(match) if compiled(words).search(context) else None


def reviewed(family: str, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Return `rules` as members of `family`, so that a model judges their candidates once more.

    This is for rules that rely on a few words around a value: the wider context may show that it is no secret.
    """
    for rule in rules:
        rule.family = family
    return rules


class Rule:
    r"""A rule for one format of secret.

    A plain class because some three hundred and sixty of them are created before the first text is searched.

    Attributes:
        kind: The kind of its findings, which the placeholder names.
        anchors: Literals, one of which occurs in every text in which the rule can find something. Without anchors, it
            searches every text. An ASCII anchor is searched for in a copy of the text in which every other character
            is "?", any other anchor in the text itself.
        pattern: The regular expression to match at an anchor, starting with the anchor's first character. A rule with
            many anchors may have a function that makes it for one of them: a cached one of a module if it takes long,
            as rules are pickled and each text asks again.
        source: Where the format is documented.
        locate: Returns the span of the secret within a match, or `None` to reject the match.
        fold: Whether the anchors are lower case and are searched for in the lower-cased text.
        scan: Whether the pattern does not start at an anchor: if any anchor occurs, it is searched for everywhere.
        before: How many characters before a match `locate` may read. It may read as many after it, or 500 if that is
            more.
        samples: Texts for a test, in which the rule must find what is between « and ». ``<alnum:24>`` stands for that
            number of characters of one of the alphabets of `table`, ``{password}`` for a value that the test makes
            up. A token needs none, because its shape is enough.
        near: Similar texts in which the rule must find nothing.
        words: More literals that the rule looks up in a text, so that the shared prefilter includes them.
        family: The name under which a model judges its candidates once more, with all of their context; empty if
            their format is proof enough. See `reviewed`.
    """

    def __init__(
        self,
        *,
        kind: str,
        anchors: tuple[str, ...] = (),
        pattern: str | Callable[[str], str] = "",
        source: str,
        locate: Locate = secret_in,
        fold: bool = False,
        scan: bool = False,
        before: int = _CONTEXT_BEFORE,
        samples: tuple[str, ...] = (),
        near: tuple[str, ...] = (),
        words: tuple[str, ...] = (),
    ) -> None:
        self.kind = kind
        self.anchors = tuple(map(marks_as_letters, anchors))
        self.source = source
        self.locate = locate
        self.fold = fold
        self.scan = scan
        self.before = before
        self.samples = samples
        self.near = near
        self.words = tuple(map(marks_as_letters, words))
        self.family = ""
        self._pattern = pattern

    @property
    def pattern(self) -> str:
        """The regular expression to match at an anchor, whichever it is."""
        return self._pattern if isinstance(self._pattern, str) else "|".join(map(self._pattern, self.anchors))

    def pattern_at(self, anchor: str) -> str:
        """Return the regular expression to match at `anchor`."""
        return self.pattern if isinstance(self._pattern, str) else self._pattern(anchor)

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield a span for each secret that the rule finds in the text of `subject`."""
        text = subject.text
        anchors = subject.held(self.anchors) if self.anchors else []
        if self.scan:
            has_anchor = any(subject.first(anchor, self._haystack(subject, anchor)) >= 0 for anchor in anchors)
            for found in compiled(self.pattern).finditer(text) if has_anchor or not self.anchors else ():
                for location in self._located(found, subject):
                    yield Span(self.kind, *location)
            return
        for anchor in anchors:
            haystack = self._haystack(subject, anchor)
            position = subject.first(anchor, haystack)
            pattern = compiled(self.pattern_at(anchor)) if position >= 0 else None
            while pattern and position >= 0:
                resume = position + len(anchor)
                if match := pattern.match(text, position):
                    resume = max(resume, match.end())
                    for location in self._located(match, subject):
                        yield Span(self.kind, *location)
                        resume = max(resume, location[1])
                position = haystack.find(anchor, resume)

    def _haystack(self, subject: Subject, anchor: str) -> str:
        """Return the form of the text in which `anchor` is searched for: as it is, in ASCII or in lower case."""
        if not anchor.isascii():
            return subject.text
        return subject.folded if self.fold else subject.ascii

    def _located(self, match: re.Match[str], subject: Subject) -> Places:
        find = subject.cache_of(self).places
        return find(match.string, *match.span(), None, lambda: filter(None, (self.locate(match),)))


class _CommonArguments(TypedDict):
    """The arguments of `Rule` that `RunRule` and `ShapeRule` pass on to it."""

    kind: str
    pattern: str
    source: str
    locate: NotRequired[Locate]
    samples: tuple[str, ...]
    near: tuple[str, ...]


class RunRule(Rule):
    """A rule that searches runs of `least` to `most` letters, digits and ``+/_-`` that contain a digit."""

    def __init__(self, *, least: int, most: int | None = None, **others: Unpack[_CommonArguments]) -> None:
        super().__init__(scan=True, **others)
        self.least, self.most = least, most

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield a span for each secret that the rule finds in the text of `subject`."""
        for start, end in subject.runs:
            if end - start < self.least or (self.most and end - start > self.most) or not subject.has_digit(start, end):
                continue
            for match in compiled(self.pattern).finditer(subject.text, start, end):
                if location := self.locate(match):
                    yield Span(self.kind, *location)


class ShapeRule(Rule):
    """A rule that tries its pattern wherever the text has a given shape, such as ``0000 0000`` for two numbers.

    The shape is a regular expression over the text with every letter replaced by ``a`` and every digit by ``0``, one
    byte per character. The pattern is matched `offset` characters after the start of the shape.
    """

    def __init__(self, *, shape: bytes, offset: int = 0, **others: Unpack[_CommonArguments]) -> None:
        super().__init__(scan=True, **others)
        self.shape, self.offset = shape, offset

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield a span for each secret that the rule finds in the text of `subject`."""
        resume = 0
        for found in compiled(self.shape).finditer(subject.signs):
            start = found.start() + self.offset
            if start >= resume and (match := compiled(self.pattern).match(subject.text, start)):
                resume = match.end()
                if location := self.locate(match):
                    yield Span(self.kind, *location)
