"""Candidates with a digit, with a sign inside or of several joined words, and digits in groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from string import ascii_lowercase, ascii_uppercase, digits

from s3memory.redaction.interface import PLACEHOLDER_START
from s3memory.redaction.rules.reading.candidates import STRIPPED, token_start
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.text.values import POD, looks_random

# In a text with letters read as "a" and digits as "0": a digit, a sign within a word, or two hyphens.
_START = rb"[0!@#$%^&*+=?~-](?:(?<=0)|(?<=a[^-])(?=a)|(?<=a-)(?=a+-a))"
_REST = rb"[^ \t\r\n]*+"
_MAX_TOKEN = 96
_MAX_WORD, _MIN_WORD, _MAX_NUMBER, _MIN_WITHOUT_DIGIT = 40, 4, 10, 7
# A longer random word is more often an id.
_MAX_RANDOM = 15
_ADDRESS_OR_ARGUMENT = r"[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}|[\w.-]{2,}=.*|.*%[0-9A-Fa-f]{2}.*"
_PUNYCODE = "xn--"
_SIGNS_OF_ADDRESS_OR_ARGUMENT = frozenset("@=%")
_CASED_RUN = r"[!-~\d\u00c0-\u024f\u0370-\u052f\u1e00-\u1eff]+"
# A run up to the next punctuation: scripts without two cases join words to their neighbours.
_CASELESS_RUN = (
    r"[^\s,;:()\"'`=|/<>\[\]{}\u3000-\u303f\uff01-\uff0f\uff1a-\uff1f\u2018-\u201d\u00ab\u00bb\u060c\u061b]+"
)
_CASELESS_LETTER = r"[^\W\d_\u0000-\u024f\u0370-\u052f\u1e00-\u1eff]"
_GROUPS = rb"0(?<![0a.,:/+#-]0)0{0,3}( (?:[?-] )?|\?)0{1,4}(?:\1(?=0)0{1,4}){0,6}(?![0a]|[.,:/-]0| 0)"
# "5, 1, 9, 3", but no list in code.
_ONE_BY_ONE = rb"0(?<![0a.,:/+#\[({=-]0)(?<![.,:/] 0)(, ?|/)0(?:\1(?=0)0){1,6}(?![0a]|[.,:/-] ?0)"
_MAX_GROUPED_DIGITS, _MIN_DIGITS_OF_TWO_GROUPS, _MIN_DIGITS_OF_MORE_GROUPS = 16, 4, 3
_NAME_BEFORE_WORD = r"[a-zA-Z][\w.@-]{1,30}[/|](?![a-z/])|[^=:]{1,64}[=:]"
_SIGNS_AFTER_NAME = frozenset("/|=:")
_BETWEEN_ESCAPES = r"(?<=\\[nrt])[^\\]+|(?<!\\)[^\\]+(?=\\[nrt])"
_PUNCTUATION = f"{STRIPPED}*_/\\"
_AS_SHAPE = str.maketrans(
    dict.fromkeys(ascii_lowercase, "a") | dict.fromkeys(ascii_uppercase, "A") | dict.fromkeys(digits, "0")
)


def shape_of(word: str) -> str:
    """Return `word` with its letters read as ``a`` and ``A`` and its digits as ``0``."""
    if word.isascii():
        return word.translate(_AS_SHAPE)
    return "".join(
        "A" if sign.isupper() else "a" if sign.isalpha() else "0" if sign.isdigit() else sign for sign in word
    )


def has_joined_words(word: str) -> bool:
    """Whether `word` has letters of a script that joins words to their neighbours."""
    return compiled(_CASELESS_LETTER).search(word) is not None


def is_random_and_long(word: str) -> bool:
    """Whether the rules for random values judge `word`: it is long and random."""
    return len(word) > _MAX_RANDOM and looks_random(word)


def word_candidates(subject: Subject, may_have: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the words that are scored.

    Args:
        subject: The text.
        may_have: Whether a password or a code may have a shape: see `shape_of`.
    """
    text, signs, behind = subject.text, subject.signs, 0
    is_ascii = text.isascii()
    for sign in compiled(_START).finditer(signs):
        if sign.start() < behind:
            continue
        start = token_start(signs, sign.start(), _MAX_TOKEN)
        behind = compiled(_REST).match(signs, sign.end()).end()  # type: ignore[union-attr]  # it may be empty
        if not _MIN_WORD <= behind - start <= _MAX_TOKEN or PLACEHOLDER_START in text[start:behind]:
            continue
        if is_ascii:
            yield from _within(text, start, behind, may_have)
        else:
            for part in compiled(_CASED_RUN).finditer(text, start, behind):
                yield from _within(text, *part.span(), may_have)
            for part in compiled(_CASELESS_RUN).finditer(text, start, behind):
                if has_joined_words(part[0]):
                    yield from _within(text, *part.span(), may_have)


def grouped_digit_candidates(subject: Subject, may_have: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Yield the spans of digits in groups: "7 2 0 5", "93 14", "18 \u2013 05 \u2013 31", "5, 1, 9, 3"."""
    for groups in compiled(_GROUPS).finditer(subject.signs):
        start, end = groups.span()
        n_digits, shape = groups[0].count(b"0"), shape_of(subject.text[start:end])
        has_enough = n_digits >= (
            _MIN_DIGITS_OF_TWO_GROUPS if groups[0].count(groups[1]) == 1 else _MIN_DIGITS_OF_MORE_GROUPS
        )
        if has_enough and n_digits <= _MAX_GROUPED_DIGITS and may_have(shape):
            yield start, end
    for one_by_one in compiled(_ONE_BY_ONE).finditer(subject.signs):
        if may_have(shape_of(subject.text[slice(*one_by_one.span())])):
            yield one_by_one.span()


def _within(text: str, start: int, end: int, may_have: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Yield the span of the word in a token, without a name or user before it and the punctuation around it.

    A token with JSON escapes for line ends and tabs has a word between each two of them.
    """
    token = text[start:end]
    if "\\" in token and len(lines := [*compiled(_BETWEEN_ESCAPES).finditer(token)]) > 1:
        for line in lines:
            yield from _within(text, start + line.start(), start + line.end(), may_have)
        return
    if not _SIGNS_AFTER_NAME.isdisjoint(token) and (name := compiled(_NAME_BEFORE_WORD).match(token)):
        start += name.end()
        token = token[name.end() :]
    word = token.strip(_PUNCTUATION)
    if not _MIN_WORD <= len(word) <= _MAX_WORD or word[: len(_PUNYCODE)].lower() == _PUNYCODE:
        return
    if word.isdigit():
        is_candidate = len(word) <= _MAX_NUMBER
    else:
        is_candidate = (
            (any(map(str.isdigit, word)) or (len(word) >= _MIN_WITHOUT_DIGIT and not word.isidentifier()))
            and may_have(shape_of(word))
            and not compiled(
                _ADDRESS_OR_ARGUMENT if not _SIGNS_OF_ADDRESS_OR_ARGUMENT.isdisjoint(word) else POD
            ).fullmatch(word)
        )
    if is_candidate:
        first = start + token.find(word)
        yield first, first + len(word)
