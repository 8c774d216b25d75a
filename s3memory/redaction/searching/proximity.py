"""What stands beside a password or a code and looks like one as well: the old one, the next door's.

Whoever writes of one writes of others in the same breath, and calls only one by its name. What is found so is not what
others are found by: each is within a line's reach of something that was called a secret.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import accumulate

from s3memory.redaction.model import Span
from s3memory.redaction.rules.codes.number_codes import is_one_of_several
from s3memory.redaction.rules.passwords.generated import is_generated
from s3memory.redaction.rules.reading.candidates import is_network, is_of_a_user, is_thing, words_with_digits
from s3memory.redaction.rules.reading.changes import is_replaced, without_case, word_and_number
from s3memory.redaction.rules.reading.judging import is_said
from s3memory.redaction.rules.reading.likeness import Likeness, is_name_of_things, is_of_things, likeness
from s3memory.redaction.rules.reading.near import Places, line_around, line_start
from s3memory.redaction.rules.reading.other_numbers import is_port
from s3memory.redaction.rules.reading.random_values import is_uuid
from s3memory.redaction.rules.reading.told_words import CHANGED
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import looks_random

_REACH = 110
_NUMBER = r"(?<![\w./:#+,$\u20ac\u00a3-])(?!(?:19|20)[0-9]{2}(?![0-9]))[#*]?[0-9]{4,8}[#*]?(?![\w/%-]|[.,:][0-9])"
_DIGITS = r"[#*]?[0-9]{4,8}[#*]?"
# From one to the other in a few words: "from v to w", "v statt w".
_WORD = r"[^\W\d_]{1,12}"
_CHANGE = (
    rf"[\"'`*\u201d\u00bb\u300d]{{0,3}}[ ]?(?:->|\u2192|=>|(?:{_WORD}[ ]?){{1,2}})[ ]?[\"'`*\u201c\u00ab\u300c]{{0,3}}"
)
# Who logs in with it: "mo42 / w", "mo42 with w".
_OF_A_USER = (
    r"(?i)[\"'`*]{0,3}(?:[ ]?[/:|,;+=&(][ ]?[^\n]{0,16}"
    r"|[ ](?:with|and|by|mit|und|avec|et|con|com|met|en|med|och|og|ile|ve)[ ](?:[^\W\d_]{1,12}[ ])?[\"'`*]{0,3})"
)
_OF_A_NAME = (
    r"(?i)[\"'`*)]{0,3}[,;]?[ ](?:for|as|of|user(?:name)?|login|f\u00fcr|als|von|pour|para|per|voor|dla|f\u00f6r)[ ]"
    r"[\"'`*]{0,3}"
)
# The one before may be any word.
_OLD = r"[\"'`*\u201c]{0,3}(?P<word>[^\W\d_A-Z][^\W\d_]{4,24}|[a-z]{3,14}(?:-[a-z]{3,14}){1,5})"
_FROM = (
    rf"(?i:from|fr\u00e5n|fra|dari|daripada|t\u1eeb)[ ]{_OLD}[\"'`*\u201d]{{0,3}}[ ]"
    rf"(?:{_WORD}[ ])?[\"'`*\u201c]{{0,3}}\Z"
)
_INSTEAD = (
    r"[\"'`*\u201d]{0,3},?[ ](?:instead of|in place of|rather than|not|no longer|statt|au lieu de|en vez de)[ ]"
    rf"{_OLD}(?![\w-]|[ ][a-z])"
)
_ARTICLE, _NOUN_BEHIND = r"(?i)\b(?:the|a|an|our|my)[ ]\Z", r"[ ][a-z]{3,14}\b"
_LONGEST_CHANGE, _LONGEST_NAME = 80, 48
_OPTION_BEHIND = r"[ ]--?[A-Za-z]"
_INITIAL = frozenset(("default", "blank", "empty", "initial", "factory", "standard", "nothing"))
_BEHIND_A_SIGN = r"(?i)(?:\w=|(?<!old)(?<!new)(?<!now)(?<!alt)(?<!neu)[^\W_]:[ ]?)[\"'`*]{0,3}\Z"


def beside(text: str, found: Iterable[Span]) -> Iterator[Span]:
    """Yield what stands on the line of a password or a code that was found, and is made as they are."""
    taken = Taken(found)
    passwords = [
        (start, end)
        for kind, start, end in taken.spans
        if kind == "password" or (kind == "secret" and is_generated(text[start:end]))
    ]
    for begin, stop in _stretches(text, passwords):
        yield from (Span("password", *word) for word in _passwords(text, begin, stop, taken))
    for place in passwords:
        yield from (Span("password", *word) for word in _replaced(text, place) if taken.is_free(*word))
    yield from codes_beside(text, taken.spans)


def codes_beside(text: str, found: Iterable[Span]) -> Iterator[Span]:
    """Yield the numbers on the line of a code that was found, or of a password of digits, that are made as it is."""
    taken = Taken(found)
    codes = [
        (start, end)
        for kind, start, end in taken.spans
        if kind == "recovery-code" or (kind == "password" and compiled(_DIGITS).fullmatch(text, start, end))
    ]
    for begin, stop in _stretches(text, codes):
        yield from (Span("recovery-code", *number) for number in _codes(text, begin, stop, taken))


class Taken:
    """Where in a text something was found, which is `spans` in order, and what is nearest to a word."""

    def __init__(self, found: Iterable[Span]) -> None:
        self.spans = sorted(found, key=lambda span: span.start)
        self._starts = [span.start for span in self.spans]
        self._ends = [*accumulate((span.end for span in self.spans), max)]

    def is_free(self, start: int, end: int) -> bool:
        """Whether nothing of what stands from `start` to `end` was found."""
        before = bisect_left(self._starts, end)
        return before == 0 or self._ends[before - 1] <= start

    def within(self, start: int, end: int) -> list[Span]:
        """Return what was found that begins from `start` to `end`."""
        return self.spans[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def n_within(self, start: int, end: int) -> int:
        """Return how much was found that begins from `start` to `end`."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)

    def around(self, end: int) -> tuple[Span | None, Span | None]:
        """Return what was found last before a word that ends at `end`, and first behind it."""
        number = bisect_left(self._starts, end)
        before = self.spans[number - 1] if number else None
        behind = self.spans[number] if number < len(self.spans) else None
        return before, behind


def _stretches(text: str, places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield what is within reach of `places` on their lines, nothing of it twice."""
    last = 0
    for place in places:
        begin, stop = line_around(text, *place, _REACH)
        if stop > last:
            yield max(begin, last), stop
            last = stop


def _passwords(text: str, begin: int, stop: int, taken: Taken) -> Places:
    for opening, first, last in words_with_digits(text, begin, stop):
        word = text[first:last]
        if is_uuid(word):
            continue
        if taken.is_free(first, last) and (twin := _twin(text, (begin, stop), first, last, taken)):
            yield twin
            continue
        is_one = taken.is_free(first, last) and not word.isdigit() and likeness(word) != Likeness.NONE
        if not is_one or is_name_of_things(word) or _is_something_else(text, opening, first, last):
            continue
        before, behind = taken.around(last)
        to_it = _within_reach(text, before.end, first) if before else ""
        from_it = _within_reach(text, last, behind.start) if behind else ""
        is_its_name = before is not None and _is_told_to_be_for(text, before, to_it)
        if is_its_name or compiled(_OF_A_USER).fullmatch(from_it):
            continue
        is_changed = any(map(compiled(_CHANGE).fullmatch, (to_it, from_it)))
        if is_changed or ((likeness(word) >= Likeness.RARE or word.isalnum()) and not _is_id(word)):
            yield first, last


def _twin(text: str, line: tuple[int, int], first: int, last: int, taken: Taken) -> tuple[int, int] | None:
    """Return where a word stands if a password beside it has its letters, or took its place, or the other way round."""
    if (word := word_and_number(text, first, last)) is None:
        return None
    place = word.start, word.end
    before, behind = (
        without_case(text, other.start, other.end) if other and other.kind == "password" else None
        for other in taken.around(last)
    )
    for old, new, password in ((before, place, before), (place, behind, behind)):
        if old is None or new is None or password is None or not _within_reach(text, old[1], new[0]):
            continue
        if text[slice(*password)].lower().startswith(word.stem) or is_replaced(text, line, old, new):
            return place
    return None


def _within_reach(text: str, start: int, end: int) -> str:
    return text[start:end] if end - start <= _REACH else ""


def _is_told_to_be_for(text: str, password: Span, between: str) -> bool:
    """Whether what follows a password is whose it is: "w for mo42", and not "swapped v for w"."""
    is_swapped = compiled(CHANGED).search(text, max(0, password.start - _REACH), password.start) is not None
    return not is_swapped and compiled(_OF_A_NAME).fullmatch(between) is not None


def _is_something_else(text: str, opening: int, first: int, last: int) -> bool:
    """Whether a word is a user or a thing, the value of another name, a name in code, or a program with options."""
    begin = line_start(text, opening, _LONGEST_NAME)
    before = text[begin:opening]
    is_called = compiled(_ARTICLE).search(before) and compiled(_NOUN_BEHIND).match(text, last)
    is_value = compiled(_BEHIND_A_SIGN).search(text, begin, first)
    return (
        is_thing(before)
        or is_network(before)
        or is_of_a_user(text, before, last)
        or text[last : last + 1] in ("(", "=", "[")
        or compiled(_OPTION_BEHIND).match(text, last) is not None
        or bool(is_called or is_value)
    )


def _replaced(text: str, place: tuple[int, int]) -> Places:
    """Yield the word, whichever it is, that a password is told to replace: "from v to w", "w instead of v"."""
    start, end = place
    begin, stop = line_around(text, start, end, _LONGEST_CHANGE)
    for change in (compiled(_FROM).search(text, begin, start), compiled(_INSTEAD).match(text, end, stop)):
        if change and not (is_said(change["word"]) or is_of_things(change["word"]) or change["word"] in _INITIAL):
            yield change.span("word")


def _is_id(word: str) -> bool:
    """Whether `word` is random letters of one case and digits, as ids are more often than passwords."""
    return is_uuid(word) or (word.isalnum() and looks_random(word) and (word.islower() or word.isupper()))


def _codes(text: str, begin: int, stop: int, taken: Taken) -> Places:
    for number in compiled(_NUMBER).finditer(text, begin, stop):
        first, last = number.span()
        if is_port(text, first):
            continue
        if taken.is_free(first, last) and is_one_of_several(text, line_start(text, first, _REACH), first, last):
            yield first, last
