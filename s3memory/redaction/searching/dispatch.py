"""All tokens with a prefix in one pass: some hundred searches, one for each prefix, would be read for nothing.

A token stands in a run of printable characters at least as long as the shortest token is, at the start of a word. Most
of a text is in shorter runs, and of the words in long ones, hardly any starts as a token does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from s3memory.redaction.model import Span
from s3memory.redaction.rule import Rule
from s3memory.redaction.text.anchors import AnchorIndex
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.tokens import LEAST_CHARACTERS, Token

_KEY = 3
_ESCAPES = r"\\(?:[nrt]|u[0-9A-Fa-f]{4})(?=([!-~]{3}))|%[0-9A-Fa-f]{2}(?=([!-~]{3}))"

# The first characters of each word of a run; where there are escapes, of what stands behind these as well.
_KEYS = r"(?=([!-~]{3}))(?:[A-Za-z0-9]++|\$)[^A-Za-z0-9$]*+"


@cache
def finders(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Return what finds the same as `rules` do one by one."""
    tokens = {
        rule: rule.prefixes
        for rule in rules
        if isinstance(rule, Token) and rule.anchors == rule.prefixes and min(map(len, rule.prefixes)) >= _KEY
    }
    return (TokenTable(tokens), *(rule for rule in rules if rule not in tokens)) if tokens else rules


def needed(those: tuple[Rule, ...], subject: Subject) -> list[Rule]:
    """Return those finders that may find something in the text of `subject`: one of their anchors may stand there."""
    index, places = _anchored(those)
    at = sorted(place for anchors in ((), *subject.look_up(index)) for place in places[anchors])
    return [those[place] for place in at]


@cache
def _anchored(those: tuple[Rule, ...]) -> tuple[AnchorIndex, dict[tuple[str, ...], list[int]]]:
    """Return the index of all anchors, and by a rule's anchors where in `those` it is; by none whoever has none.

    What rules look up besides is in the index, too.
    """
    places: dict[tuple[str, ...], list[int]] = {(): []}
    for place, finder in enumerate(those):
        places.setdefault(finder.anchors, []).append(place)
        places.setdefault(finder.words, [])
    return AnchorIndex(filter(None, places)), places


class TokenTable(Rule):
    """Rules for tokens, each with prefixes, by the first characters of these."""

    def __init__(self, rules: Iterable[Token]) -> None:
        super().__init__(kind="", anchors=(), pattern="", source="")
        self._by_key: dict[str, list[tuple[str, Token]]] = {}
        for rule in rules:
            for prefix in rule.prefixes:
                self._by_key.setdefault(prefix[:_KEY], []).append((prefix, rule))

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield what the rules find in the text of `subject`."""
        words = "\n".join([word for word in subject.words if len(word) >= LEAST_CHARACTERS])
        keys = self._by_key.keys() & set(compiled(_KEYS).findall(words))
        if "\\" in words or "%" in words:
            keys |= self._by_key.keys() & {key for found in compiled(_ESCAPES).findall(words) for key in found}
        for prefix, rule in (one for key in sorted(keys) for one in self._by_key[key]):
            position = subject.ascii.find(prefix)
            while position >= 0:
                after = position + len(prefix)
                if match := compiled(rule.pattern).match(subject.text, position):
                    # A run without an upper bound is read once, as when the rule goes through the text alone.
                    after = max(after, match.end())
                    if location := rule.locate(match):
                        yield Span(rule.kind, *location)
                position = subject.ascii.find(prefix, after)
