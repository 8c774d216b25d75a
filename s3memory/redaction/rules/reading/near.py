"""Rules that find a name first, and then all secrets of a certain form near it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypedDict, Unpack

from s3memory.redaction.interface import PLACEHOLDER_START, Span
from s3memory.redaction.rule import Rule
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject

_MAX_KIND_LENGTH = 64

Found = list[tuple[int, int]]
Places = Iterator[tuple[int, int]]


class _Arguments(TypedDict):
    """The arguments of `Rule` that `NearRule` passes on to it."""

    kind: str
    anchors: tuple[str, ...]
    pattern: str | Callable[[str], str]
    source: str
    samples: tuple[str, ...]
    near: tuple[str, ...]


class NearRule(Rule):
    """A rule that may find several secrets near one name: `around` yields their spans for each match of the pattern.

    `around` also gets the position where the next name begins, as what follows belongs to that name. So most of a text
    is read once, however many names it has. If two names begin at the same position, the longer one counts. The kind of
    a finding inside a placeholder is no name.

    For a pattern of many words, pass a function instead, which returns the pattern for an anchor that the text has.
    """

    def __init__(self, *, around: Callable[[re.Match[str], int], Places], **others: Unpack[_Arguments]) -> None:
        """Make a rule, as `Rule` describes it. The anchors are in lower case."""
        super().__init__(fold=True, **others)
        self.around = around

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield the spans of the secrets near the names in the text of `subject`."""
        names = self._names(subject)
        if not names:
            return
        limits = [*(start for start, _, _ in names[1:]), len(subject.text)]
        seen = subject.cache_of(self)
        for (start, end, anchor), limit in zip(names, limits, strict=False):
            find = partial(self._around, subject.text, start, anchor, limit)
            for span in seen.places(subject.text, start, end, limit, find):
                yield Span(self.kind, *span)

    def _around(self, text: str, start: int, anchor: str, limit: int) -> Places:
        name = compiled(self.pattern_at(anchor)).match(text, start)
        return self.around(name, limit) if name else iter(())

    def _names(self, subject: Subject) -> list[tuple[int, int, str]]:
        """Return the start, the end and the anchor of each name: matches would outlive garbage collections."""
        found: dict[int, tuple[int, str]] = {}
        for anchor in subject.held(self.anchors):
            haystack = self._haystack(subject, anchor)
            position = subject.first(anchor, haystack)
            pattern = compiled(self.pattern_at(anchor)) if position >= 0 else None
            while pattern and position >= 0:
                match = pattern.match(subject.text, position)
                if match and (position not in found or match.end() > found[position][0]):
                    found[position] = match.end(), anchor
                position = haystack.find(anchor, match.end() if match else position + len(anchor))
        names: list[tuple[int, int, str]] = []
        for start in sorted(found):
            is_over = names and start < names[-1][1]
            if not is_over and not is_in_placeholder(subject.text, start):
                names.append((start, *found[start]))
        return names


def line_start(text: str, position: int, reach: int) -> int:
    """Return the start of the line of `position`, `reach` characters before it at most."""
    return max(text.rfind("\n", max(0, position - reach), position) + 1, position - reach, 0)


def line_around(text: str, start: int, end: int, reach: int) -> tuple[int, int]:
    """Return the span of the line around `start` to `end`, `reach` characters to each side at most."""
    stop = text.find("\n", end, end + reach)
    return line_start(text, start, reach), stop if stop >= 0 else min(len(text), end + reach)


def is_in_placeholder(text: str, position: int) -> bool:
    """Whether the word at `position` is inside a placeholder: then it does not name what follows."""
    start = text.rfind(PLACEHOLDER_START, max(0, position - _MAX_KIND_LENGTH), position)
    return start >= 0 and text.find("]", start, position) < 0
