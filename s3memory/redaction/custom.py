"""Your own rules: regular expressions that are checked to be bounded, and run in small steps within a time budget."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from s3memory.errors import ConfigurationError
from s3memory.redaction.bounds import check_bounds
from s3memory.redaction.budget import Budget
from s3memory.redaction.checks import MAX_MATCH_CHARACTERS, is_collection_of_strings, is_kind
from s3memory.redaction.interface import Span, placeholder
from s3memory.redaction.text.compiling import compiled_as_written

MAX_KIND_CHARS = 64

# How much text is searched between two checks of the budget.
_STEP_CHARACTERS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomRule:
    r"""A rule for something that is sensitive only in your texts, such as ``TICKET-\d{1,9}``.

    Attributes:
        kind: The kind that placeholders name: lower-case ASCII words joined by single hyphens, 64 characters at most.
        pattern: A regular expression. The part that its group ``secret`` matches is redacted, or the whole match if
            that group is missing or empty. The pattern must be bounded: it may match 256 characters at most,
            look-aheads included, with few ways to match them.
        keywords: One of these must occur within 256 characters of a match, in the same case. Without keywords,
            everything is searched. With keywords, the rule costs next to nothing in texts without any of them.

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
        if not is_collection_of_strings(self.keywords):
            raise ConfigurationError("keywords is a collection of strings, none of them empty")
        check_bounds(self.pattern, called=f"the pattern of {self.kind!r}")
        object.__setattr__(self, "keywords", tuple(self.keywords))

    def find(self, text: str, budget: Budget) -> Iterator[Span]:
        """Yield a span for each match in `text`.

        Raises:
            UncheckedTextError: The budget is spent.
        """
        pattern, mark = compiled_as_written(self.pattern), placeholder(self.kind)
        secret = pattern.groupindex.get("secret", 0)
        position = 0
        for start, end in self._steps(text):
            budget.check()
            for match in pattern.finditer(text, max(start, position), min(len(text), end + MAX_MATCH_CHARACTERS)):
                if match.start() >= end:
                    break
                position = match.end()
                group, at = secret if match[secret] else 0, match.start(secret)
                # An empty group next to a placeholder of this rule: the secret is redacted already.
                is_redacted = match[secret] == "" and (text.startswith(mark, at) or text.endswith(mark, 0, at))
                if match.start(group) < match.end(group) and not is_redacted:
                    yield Span(self.kind, *match.span(group))

    def _steps(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the ranges in which a match may begin, each at most `_STEP_CHARACTERS` long, in order."""
        position = 0
        for start, end in self._windows(text) if self.keywords else [(0, len(text))]:
            position = max(position, start)
            while position < end:
                step_end = min(end, position + _STEP_CHARACTERS)
                yield position, step_end
                position = step_end

    def _windows(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the ranges of text near a keyword, in order and without overlap."""
        matches = (match for keyword in self.keywords for match in re.finditer(re.escape(keyword), text))
        start = end = 0
        for edge in sorted(edge for match in matches for edge in match.span()):
            if edge - MAX_MATCH_CHARACTERS > end:
                yield start, end
                start = edge - MAX_MATCH_CHARACTERS
            end = min(len(text), edge + MAX_MATCH_CHARACTERS)
        yield start, end
