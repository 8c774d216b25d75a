"""Your own rules: a regular expression that is shown to be bounded, run a stretch at a time within a budget."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from s3memory.errors import ConfigurationError
from s3memory.redaction.bounds import check_bounds
from s3memory.redaction.budget import Budget
from s3memory.redaction.checks import LONGEST_MATCH_CHARACTERS, are_words, is_kind
from s3memory.redaction.model import Span, placeholder
from s3memory.redaction.text.compiling import compiled_as_written

MAX_KIND_CHARS = 64

# Between two looks at the clock.
_STRETCH_CHARACTERS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomRule:
    r"""Something that is sensitive here and nowhere else, as ``TICKET-\d{1,9}``.

    Attributes:
        kind: What it is called in a placeholder: lower-case ASCII words joined by single hyphens, 64
            characters at most.
        pattern: A regular expression. What its group ``secret`` matches is redacted, or all of a match in which that
            group is not, or is empty.
            It has to be bounded: at most 256 characters in all, look-aheads included, with few ways to match them.
        keywords: One of these stands within 256 characters of each match, in this case of letters; none: anywhere.
            With keywords, a rule costs next to nothing in texts that have none of them.

    Raises:
        ConfigurationError: One of these is malformed, or the pattern is not bounded.
    """

    kind: str
    pattern: str
    keywords: Collection[str] = ()

    def __post_init__(self) -> None:
        if not is_kind(self.kind):
            raise ConfigurationError(f"{self.kind!r} is not a kind: write lower-case ASCII words joined by hyphens")
        if len(self.kind) > MAX_KIND_CHARS:
            raise ConfigurationError(
                f"a kind has at most {MAX_KIND_CHARS} characters, and {self.kind[:16]!r}... has more"
            )
        if not are_words(self.keywords):
            raise ConfigurationError("keywords is a collection of strings, none of them empty")
        check_bounds(self.pattern, called=f"the pattern of {self.kind!r}")
        object.__setattr__(self, "keywords", tuple(self.keywords))

    def find(self, text: str, budget: Budget) -> Iterator[Span]:
        """Yield what the rule finds.

        Raises:
            UncheckedTextError: The budget is spent.
        """
        pattern, mark = compiled_as_written(self.pattern), placeholder(self.kind)
        named = pattern.groupindex.get("secret", 0)
        position = 0
        for start, end in self._stretches(text):
            budget.check()
            for match in pattern.finditer(text, max(start, position), min(len(text), end + LONGEST_MATCH_CHARACTERS)):
                if match.start() >= end:
                    break
                position = match.end()
                group, place = named if match[named] else 0, match.start(named)
                is_redacted = match[named] == "" and (text.startswith(mark, place) or text.endswith(mark, 0, place))
                if match.start(group) < match.end(group) and not is_redacted:
                    yield Span(self.kind, *match.span(group))

    def _stretches(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield, in order and without overlap, where a match may begin."""
        position = 0
        for start, end in self._windows(text) if self.keywords else [(0, len(text))]:
            position = max(position, start)
            while position < end:
                until = min(end, position + _STRETCH_CHARACTERS)
                yield position, until
                position = until

    def _windows(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield, in order and without overlap, what is near a keyword."""
        found = (one for keyword in self.keywords for one in re.finditer(re.escape(keyword), text))
        places = sorted(place for one in found for place in one.span())
        start = end = 0
        for place in places:
            if place - LONGEST_MATCH_CHARACTERS > end:
                yield start, end
                start = place - LONGEST_MATCH_CHARACTERS
            end = min(len(text), place + LONGEST_MATCH_CHARACTERS)
        yield start, end
