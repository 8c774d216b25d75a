"""Finds passwords and codes on the same line as one that was found: the old password, the code of the next door.

A note that has one of them often has others in the same sentence, and labels only the first: "the PIN is 4827, for the
cellar 9913". Each must be on the same line as a finding, and close to it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import accumulate

from s3memory.redaction.interface import Span
from s3memory.redaction.rules.codes.number_codes import is_one_of_several
from s3memory.redaction.rules.passwords.generated import is_generated
from s3memory.redaction.rules.reading.candidates import is_network, is_of_a_user, is_thing, words_with_digits
from s3memory.redaction.rules.reading.changed_passwords import is_replaced, numbered_word_at, without_case_ending
from s3memory.redaction.rules.reading.harmless_numbers import is_in_telephone_number, is_port
from s3memory.redaction.rules.reading.judging import is_remark_word
from s3memory.redaction.rules.reading.likeness import Likeness, has_name_of_things, likeness, names_things
from s3memory.redaction.rules.reading.near import Places, line_around, line_start
from s3memory.redaction.rules.reading.random_values import is_uuid
from s3memory.redaction.rules.reading.stated_words import CHANGED
from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.values import looks_random

_REACH = 110
_NUMBER = r"(?<![\w./:#+,$\u20ac\u00a3-])(?!(?:19|20)[0-9]{2}(?![0-9]))[#*]?[0-9]{4,8}[#*]?(?![\w/%-]|[.,:][0-9])"
_DIGITS = r"[#*]?[0-9]{4,8}[#*]?"
# What is between an old and a new password: an arrow or one or two words, as in "hunter2 to hunter3".
_WORD = r"[^\W\d_]{1,12}"
_CHANGE = (
    rf"[\"'`*\u201d\u00bb\u300d]{{0,3}}[ ]?(?:->|\u2192|=>|(?:{_WORD}[ ]?){{1,2}})[ ]?[\"'`*\u201c\u00ab\u300c]{{0,3}}"
)
# What is between a user and their password: "mo42 / hunter2", "mo42 with hunter2".
_AFTER_A_USER = (
    r"(?i)[\"'`*]{0,3}(?:[ ]?[/:|,;+=&(][ ]?[^\n]{0,16}"
    r"|[ ](?:with|and|by|mit|und|avec|et|con|com|met|en|med|och|og|ile|ve)[ ](?:[^\W\d_]{1,12}[ ])?[\"'`*]{0,3})"
)
# What is between a password and its user: "hunter2 for mo42", "hunter2, user mo42".
_BEFORE_A_USER = (
    r"(?i)[\"'`*)]{0,3}[,;]?[ ](?:for|as|of|user(?:name)?|login|f\u00fcr|als|von|pour|para|per|voor|dla|f\u00f6r)[ ]"
    r"[\"'`*]{0,3}"
)
# The old password, which may be any word: "from swordfish to hunter2", "hunter2 instead of swordfish".
_OLD = r"[\"'`*\u201c]{0,3}(?P<word>[^\W\d_A-Z][^\W\d_]{4,24}|[a-z]{3,14}(?:-[a-z]{3,14}){1,5})"
_CHANGED_FROM = (
    rf"(?i:from|fr\u00e5n|fra|dari|daripada|t\u1eeb)[ ]{_OLD}[\"'`*\u201d]{{0,3}}[ ]"
    rf"(?:{_WORD}[ ])?[\"'`*\u201c]{{0,3}}\Z"
)
_INSTEAD_OF = (
    r"[\"'`*\u201d]{0,3},?[ ](?:instead of|in place of|rather than|not|no longer|statt|au lieu de|en vez de)[ ]"
    rf"{_OLD}(?![\w-]|[ ][a-z])"
)
_NOW_WITH_ARROW = (  # "now swordfish -> hunter2"
    r"(?i:(?<![^\W\d_])(?:now|jetzt|nun|ahora|agora|maintenant|désormais|adesso|ora|nu|nå|nyt|teraz|teď|acum|sada|теперь))"
    rf":?[ ]{_OLD}[\"'`*\u201d]{{0,3}}[ ]?(?:[-=]{{1,2}}>|[\u2192\u21d2])[ ]?[\"'`*\u201c]{{0,3}}\Z"
)
_ARTICLE, _NOUN_AFTER = r"(?i)\b(?:the|a|an|our|my)[ ]\Z", r"[ ][a-z]{3,14}\b"
_MAX_CHANGE, _MAX_NAME = 80, 48
_OPTION_AFTER = r"[ ]--?[A-Za-z]"
_INITIAL = frozenset(("default", "blank", "empty", "initial", "factory", "standard", "nothing"))
_AFTER_A_LABEL = (
    r"(?i)(?:\w=|[^\W_](?<!old)(?<!new)(?<!now)(?<!alt)(?<!neu)(?<!ated)(?<!nged)[\"']?:[ ]?)[\"'`*]{0,3}\Z"
)


def secrets_nearby(text: str, found: Iterable[Span]) -> Iterator[Span]:
    """Yield the words and numbers on the line of a password or a code in `found` that look like one as well."""
    taken = FoundSpans(found)
    passwords = [
        (start, end)
        for kind, start, end in taken.spans
        if kind == "password" or (kind == "secret" and is_generated(text[start:end]))
    ]
    for begin, stop in _stretches(text, passwords):
        yield from (Span("password", *word) for word in _passwords(text, begin, stop, taken))
    yield from codes_nearby(text, taken.spans)


def replaced_words(text: str, found: Iterable[Span]) -> Iterator[Span]:
    """Yield the words that the passwords in `found` replaced, which may be any: "from swordfish to hunter2"."""
    taken = FoundSpans(found)
    for password in [(start, end) for kind, start, end in taken.spans if kind == "password"]:
        yield from (Span("password", *word) for word in _replaced(text, password) if taken.is_free(*word))


def codes_nearby(text: str, found: Iterable[Span]) -> Iterator[Span]:
    """Yield the numbers on the line of a code in `found`, or of a password of digits, that are codes as well."""
    taken = FoundSpans(found)
    codes = [
        (start, end)
        for kind, start, end in taken.spans
        if kind == "recovery-code" or (kind == "password" and compiled(_DIGITS).fullmatch(text, start, end))
    ]
    for begin, stop in _stretches(text, codes):
        yield from (Span("recovery-code", *number) for number in _codes(text, begin, stop, taken))


class FoundSpans:
    """The spans found in a text, which can be looked up by where they are.

    Attributes:
        spans: The spans, in the order of their starts.
    """

    def __init__(self, found: Iterable[Span]) -> None:
        self.spans = sorted(found, key=lambda span: span.start)
        self._starts = [span.start for span in self.spans]
        self._ends = [*accumulate((span.end for span in self.spans), max)]

    def is_free(self, start: int, end: int) -> bool:
        """Whether no found span overlaps ``text[start:end]``."""
        before = bisect_left(self._starts, end)
        return before == 0 or self._ends[before - 1] <= start

    def within(self, start: int, end: int) -> list[Span]:
        """Return the spans that start in ``text[start:end]``."""
        return self.spans[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def n_within(self, start: int, end: int) -> int:
        """Return how many spans start in ``text[start:end]``."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)

    def around(self, end: int) -> tuple[Span | None, Span | None]:
        """Return the last span that starts before `end`, and the first one from there on."""
        number = bisect_left(self._starts, end)
        before = self.spans[number - 1] if number else None
        behind = self.spans[number] if number < len(self.spans) else None
        return before, behind


def _stretches(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of text within reach of `spans` on their lines, without overlaps."""
    last = 0
    for span in spans:
        begin, stop = line_around(text, *span, _REACH)
        if stop > last:
            yield max(begin, last), stop
            last = stop


def _passwords(text: str, begin: int, stop: int, taken: FoundSpans) -> Places:
    """Yield the words from `begin` to `stop` that may be passwords, as there is one nearby."""
    for opening, first, last in words_with_digits(text, begin, stop):
        word = text[first:last]
        if is_uuid(word):
            continue
        if taken.is_free(first, last) and (twin := _twin(text, (begin, stop), first, last, taken)):
            yield twin
            continue
        is_one = taken.is_free(first, last) and not word.isdigit() and likeness(word) != Likeness.NONE
        if not is_one or has_name_of_things(word) or _is_something_else(text, opening, first, last):
            continue
        before, behind = taken.around(last)
        to_it = _within_reach(text, before.end, first) if before else ""
        from_it = _within_reach(text, last, behind.start) if behind else ""
        is_its_user = before is not None and _is_user_of(text, before, to_it)
        if is_its_user or compiled(_AFTER_A_USER).fullmatch(from_it):
            continue
        is_changed = any(map(compiled(_CHANGE).fullmatch, (to_it, from_it)))
        if is_changed or ((likeness(word) >= Likeness.RARE or word.isalnum()) and not _is_id(word)):
            yield first, last


def _twin(text: str, line: tuple[int, int], first: int, last: int, taken: FoundSpans) -> tuple[int, int] | None:
    """Return the span of a word that is another version of a password next to it.

    It has the letters of the password and another number, or one of the two replaced the other.
    """
    if (word := numbered_word_at(text, first, last)) is None:
        return None
    twin = word.start, word.end
    before, behind = (
        without_case_ending(text, other.start, other.end) if other and other.kind == "password" else None
        for other in taken.around(last)
    )
    for old, new, password in ((before, twin, before), (twin, behind, behind)):
        if old is None or new is None or password is None or not _within_reach(text, old[1], new[0]):
            continue
        if text[slice(*password)].lower().startswith(word.stem) or is_replaced(text, line, old, new):
            return twin
    return None


def _within_reach(text: str, start: int, end: int) -> str:
    return text[start:end] if end - start <= _REACH else ""


def _is_user_of(text: str, password: Span, between: str) -> bool:
    """Whether the word after a password is its user: "hunter2 for mo42", but not "swapped hunter2 for hunter3"."""
    is_swapped = occurs(CHANGED, text, max(0, password.start - _REACH), password.start)
    return not is_swapped and compiled(_BEFORE_A_USER).fullmatch(between) is not None


def _is_something_else(text: str, opening: int, first: int, last: int) -> bool:
    """Whether a word is a user or a thing, the value of another label, a name in code, or a program with options."""
    begin = line_start(text, opening, _MAX_NAME)
    before = text[begin:opening]
    is_called = compiled(_ARTICLE).search(before) and compiled(_NOUN_AFTER).match(text, last)
    is_value = compiled(_AFTER_A_LABEL).search(text, begin, first)
    return (
        is_thing(before)
        or is_network(before)
        or is_of_a_user(text, before, last)
        or text[last : last + 1] in ("(", "=", "[")
        or compiled(_OPTION_AFTER).match(text, last) is not None
        or bool(is_called or is_value)
    )


def _replaced(text: str, password: tuple[int, int]) -> Places:
    """Yield the word that a password replaced: "from swordfish to hunter2", "now swordfish -> hunter2"."""
    start, end = password
    begin, stop = line_around(text, start, end, _MAX_CHANGE)
    before = (compiled(pattern).search(text, begin, start) for pattern in (_CHANGED_FROM, _NOW_WITH_ARROW))
    for change in (*before, compiled(_INSTEAD_OF).match(text, end, stop)):
        if change and not (
            is_remark_word(change["word"]) or names_things(change["word"]) or change["word"] in _INITIAL
        ):
            yield change.span("word")


def _is_id(word: str) -> bool:
    """Whether `word` is a UUID, or random letters of one case and digits: more often an identifier than a password."""
    return is_uuid(word) or (word.isalnum() and looks_random(word) and (word.islower() or word.isupper()))


def _codes(text: str, begin: int, stop: int, taken: FoundSpans) -> Places:
    """Yield the numbers from `begin` to `stop` that may be codes, as there is one nearby."""
    for number in compiled(_NUMBER).finditer(text, begin, stop):
        first, last = number.span()
        if is_port(text, first) or is_in_telephone_number(text, first, last):
            continue
        if taken.is_free(first, last) and is_one_of_several(text, line_start(text, first, _REACH), first, last):
            yield first, last
