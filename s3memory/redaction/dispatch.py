"""All tokens with a prefix in one pass: some hundred searches, one for each prefix, would be read for nothing.

A token stands in a run of printable characters at least as long as the shortest token is, at the start of a word. Most
of a text is in shorter runs, and of the words in long ones, hardly any starts as a token does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Protocol

from s3memory.redaction.compiling import compiled
from s3memory.redaction.model import Span
from s3memory.redaction.rule import Rule, Subject
from s3memory.redaction.tokens import LEAST_CHARACTERS, Token

_KEY = 3
_RUN = rf"[!-~]{{{LEAST_CHARACTERS},}}+"
_ESCAPES = r"\\(?:[nrt]|u[0-9A-Fa-f]{4})(?=([!-~]{3}))|%[0-9A-Fa-f]{2}(?=([!-~]{3}))"

# The first characters of each word of a run; where a run has escapes, of what stands behind these as well.
_KEYS = r"(?=([!-~]{3}))(?:[A-Za-z0-9]++|\$)[^A-Za-z0-9$]*+"
_KEYS_BEHIND_ESCAPES = rf"(?<![A-Za-z0-9])(?=([!-~]{{3}}))|{_ESCAPES}"


class Finder(Protocol):
    """What looks for something in a text: a rule, or several at once."""

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield what is found in the text of `subject`."""
        ...


@cache
def finders(rules: tuple[Rule, ...]) -> tuple[Finder, ...]:
    """Return what finds the same as `rules` do one by one."""
    tokens: list[Token] = []
    others: list[Rule] = []
    for rule in rules:
        if isinstance(rule, Token) and rule.anchors == rule.prefixes and min(map(len, rule.prefixes)) >= _KEY:
            tokens.append(rule)
        else:
            others.append(rule)
    return (TokenTable(tokens), *others) if tokens else rules


class TokenTable:
    """Rules for tokens, by the first characters of their prefixes."""

    __slots__ = ("_by_key",)

    def __init__(self, rules: Iterable[Token]) -> None:
        """Take `rules`, each of which has prefixes."""
        self._by_key: dict[str, list[tuple[str, Token]]] = {}
        for rule in rules:
            for prefix in rule.prefixes:
                self._by_key.setdefault(prefix[:_KEY], []).append((prefix, rule))

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield what the rules find in the text of `subject`."""
        plain, known = subject.ascii, self._by_key.keys()
        behind: dict[tuple[str, int], int] = {}
        for run in compiled(_RUN).finditer(plain):
            words = run[0]
            if "\\" in words or "%" in words:
                keys = {key for found in compiled(_KEYS_BEHIND_ESCAPES).findall(words) for key in found}
            else:
                keys = set(compiled(_KEYS).findall(words))
            for key in known & keys:
                yield from self._at(key, run.span(), subject, behind)

    def _at(
        self, key: str, run: tuple[int, int], subject: Subject, behind: dict[tuple[str, int], int]
    ) -> Iterator[Span]:
        """Yield the tokens of a run whose prefix starts with `key`."""
        start, end = run
        for prefix, rule in self._by_key[key]:
            place = (prefix, id(rule))
            position = subject.ascii.find(prefix, max(start, behind.get(place, 0)), end)
            while position >= 0:
                after = position + len(prefix)
                if match := compiled(rule.pattern).match(subject.text, position):
                    # A run without an upper bound is read once, as when the rule goes through the text alone.
                    after = max(after, match.end())
                    if location := rule.locate(match):
                        yield Span(rule.kind, *location)
                behind[place] = after
                position = subject.ascii.find(prefix, after, end)
