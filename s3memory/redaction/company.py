"""What stands beside a password or a code and looks like one as well: the old one, the next door's.

Whoever writes of one writes of others in the same breath, and calls only one by its name. What is found so is not what
others are found by: each is within a line's reach of something that was called a secret.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import accumulate

from s3memory.redaction.compiling import compiled
from s3memory.redaction.model import Span
from s3memory.redaction.rules.access import is_named_as_a_thing, is_of_a_user, words_with_digits
from s3memory.redaction.rules.judging import is_said
from s3memory.redaction.rules.likeness import Likeness, is_name_of_things, is_of_things, likeness
from s3memory.redaction.rules.near import Places, line_around
from s3memory.redaction.rules.number_codes import is_one_of_several
from s3memory.redaction.rules.told_words import CHANGED
from s3memory.redaction.values import looks_random

_REACH = 110
_NUMBER = r"(?<![\w./:#+,$\u20ac\u00a3-])(?!(?:19|20)[0-9]{2}(?![0-9]))[#*]?[0-9]{4,8}[#*]?(?![\w/%-]|[.,:][0-9])"
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
_LONGEST_CHANGE = 80
_INITIAL = frozenset(("default", "blank", "empty", "initial", "factory", "standard", "nothing"))
_BEHIND_A_SIGN = r"(?i)(?:\w=|(?<!old)(?<!new)(?<!now)(?<!alt)(?<!neu)[^\W_]:[ ]?)[\"'`*]{0,3}\Z"


def company(text: str, found: Iterable[Span]) -> Iterator[Span]:
    """Yield what stands on the line of a password or a code that was found, and is made as they are.

    Args:
        text: The text.
        found: What was found in it.
    """
    places = sorted(found, key=lambda span: span.start)
    starts = [span.start for span in places]
    ends = [*accumulate((span.end for span in places), max)]
    for kind, start, end in places:
        if kind not in _FINDERS:
            continue
        line = line_around(text, start, end, _REACH)
        for first, last in _FINDERS[kind](text, line, (start, end)):
            n_before = bisect_left(starts, last)
            if n_before == 0 or ends[n_before - 1] <= first:  # nothing of it was found
                yield Span(kind, first, last)


def _passwords(text: str, line: tuple[int, int], place: tuple[int, int]) -> Places:
    (begin, stop), (start, end) = line, place
    for opening, first, last in words_with_digits(text, begin, stop):
        is_something_else = (
            is_named_as_a_thing(text[begin:opening])
            or is_of_a_user(text, text[begin:opening], last)
            or _is_linked_to_it(text, (first, last), place)
            or _is_thing(text, begin, first, last)
        )
        if not is_something_else and _is_made_as_one(text[first:last], _between(text, (first, last), place)):
            yield first, last
    changes = (
        compiled(_FROM).search(text, max(begin, start - _LONGEST_CHANGE), start),
        compiled(_INSTEAD).match(text, end, stop),
    )
    for change in filter(None, changes):
        word = change["word"]
        if not (is_said(word) or is_of_things(word) or word in _INITIAL):
            yield change.span("word")


def _between(text: str, word: tuple[int, int], place: tuple[int, int]) -> str:
    return text[place[1] : word[0]] if word[0] >= place[1] else text[word[1] : place[0]]


def _is_linked_to_it(text: str, word: tuple[int, int], place: tuple[int, int]) -> bool:
    """Whether a word is whose password it is: "mo42 / w", "w for mo42"."""
    between = _between(text, word, place)
    if word[0] < place[1]:
        return compiled(_OF_A_USER).fullmatch(between) is not None
    is_swapped = compiled(CHANGED).search(text, max(0, place[0] - _REACH), place[0]) is not None  # "swapped v for w"
    return not is_swapped and compiled(_OF_A_NAME).fullmatch(between) is not None


def _is_thing(text: str, begin: int, first: int, last: int) -> bool:
    """Whether a word is the value of another name, a name in code, or of something that is told behind it."""
    is_called = compiled(_ARTICLE).search(text, begin, first) and compiled(_NOUN_BEHIND).match(text, last)
    is_value = compiled(_BEHIND_A_SIGN).search(text, begin, first)
    return text[last : last + 1] in ("(", "=", "[") or bool(is_called or is_value)


def _is_made_as_one(word: str, between: str) -> bool:
    """Whether a word looks like a password plainly enough for what stands between it and one."""
    found = likeness(word)
    if found == Likeness.NONE or word.isdigit() or is_name_of_things(word):
        return False
    if compiled(_CHANGE).fullmatch(between):
        return True
    return (found >= Likeness.RARE or word.isalnum()) and not _is_drawn(word)


def _is_drawn(word: str) -> bool:
    return word.isalnum() and looks_random(word) and (word.islower() or word.isupper())


def _codes(text: str, line: tuple[int, int], _place: tuple[int, int]) -> Places:
    for number in compiled(_NUMBER).finditer(text, *line):
        if is_one_of_several(text, line[0], *number.span()):
            yield number.span()


_FINDERS = {"password": _passwords, "recovery-code": _codes}
