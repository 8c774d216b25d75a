"""A prefilter for rules: which rules may find something in a text, and which tokens with a prefix may be in it.

Searching a text for each of some hundred prefixes would mostly be in vain. A token starts at a word in a run of
printable characters that is at least as long as the shortest token. Most runs are shorter, and hardly any word in the
longer ones starts like a token, so one pass over their words is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from s3memory.redaction.interface import Span
from s3memory.redaction.rule import Rule
from s3memory.redaction.text.anchors import AnchorIndex
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.tokens import MIN_TOKEN_CHARACTERS, Token

_KEY_LENGTH = 3
_ESCAPES = r"\\(?:[nrt]|u[0-9A-Fa-f]{4})(?=([!-~]{3}))|%[0-9A-Fa-f]{2}(?=([!-~]{3}))"

# The first characters of each word in a run. In a run with escapes, _ESCAPES finds those after each escape.
_WORD_STARTS = r"(?=([!-~]{3}))(?:[A-Za-z0-9]++|\$)[^A-Za-z0-9$]*+"


@cache
def finders(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Return rules that find the same as `rules`: those for tokens with a prefix are one `TokenTable`."""
    tokens = {
        rule: rule.prefixes
        for rule in rules
        if isinstance(rule, Token) and rule.anchors == rule.prefixes and min(map(len, rule.prefixes)) >= _KEY_LENGTH
    }
    return (TokenTable(tokens), *(rule for rule in rules if rule not in tokens)) if tokens else rules


def needed(rules: tuple[Rule, ...], subject: Subject) -> list[Rule]:
    """Return those rules that may find something in the text of `subject`: one of their anchors may occur in it."""
    index, numbers = _anchored(rules)
    needed_numbers = sorted(number for anchors in ((), *subject.look_up(index)) for number in numbers[anchors])
    return [rules[number] for number in needed_numbers]


@cache
def _anchored(rules: tuple[Rule, ...]) -> tuple[AnchorIndex, dict[tuple[str, ...], list[int]]]:
    """Return the index of all anchors, and for each tuple of anchors the numbers of the rules that have them.

    Rules without anchors are under the empty tuple. The index has the other words that rules look up, too.
    """
    numbers: dict[tuple[str, ...], list[int]] = {(): []}
    for number, finder in enumerate(rules):
        numbers.setdefault(finder.anchors, []).append(number)
        numbers.setdefault(finder.words, [])
    return AnchorIndex(filter(None, numbers)), numbers


class TokenTable(Rule):
    """A rule that runs many rules for tokens at once, which it looks up by the first characters of their prefixes."""

    def __init__(self, rules: Iterable[Token]) -> None:
        super().__init__(kind="", anchors=(), pattern="", source="")
        self._by_key: dict[str, list[tuple[str, Token]]] = {}
        for rule in rules:
            for prefix in rule.prefixes:
                self._by_key.setdefault(prefix[:_KEY_LENGTH], []).append((prefix, rule))

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield what the rules find in the text of `subject`."""
        words = "\n".join([word for word in subject.words if len(word) >= MIN_TOKEN_CHARACTERS])
        keys = self._by_key.keys() & set(compiled(_WORD_STARTS).findall(words))
        if "\\" in words or "%" in words:
            keys |= self._by_key.keys() & {key for found in compiled(_ESCAPES).findall(words) for key in found}
        for prefix, rule in (one for key in sorted(keys) for one in self._by_key[key]):
            position = subject.ascii.find(prefix)
            while position >= 0:
                after = position + len(prefix)
                if match := compiled(rule.pattern).match(subject.text, position):
                    # A run without an upper bound is read only once, as in `Rule.find`.
                    after = max(after, match.end())
                    if location := rule.locate(match):
                        yield Span(rule.kind, *location)
                position = subject.ascii.find(prefix, after)
