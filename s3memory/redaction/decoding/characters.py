r"""Decodes single characters: escapes, and characters that look like others or are invisible.

Escapes are ``%41``, ``\u0041``, ``\x41``, ``\101``, ``&#65;`` and ``&quot;``, and also the signs of tokens and URLs
after a backslash, as in ``npm\_`` in Markdown and ``https:\/\/`` in JSON. Characters that look like others are
full-width characters, styled letters and other scripts' digits. Each is replaced where it is, so a value that is only
partly escaped is read as a whole.

Only replacements in ASCII count, because credentials and their labels are ASCII. The NFKC form of other characters can
be eighteen times as long, and makes no difference to any rule.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

from s3memory.redaction.decoding.view import Replacement
from s3memory.redaction.text.compiling import compiled

# The first character stands alone in front, so that `re` skips to it. JSON within JSON doubles the backslash.
_ESCAPE = (
    r"[%\\&](?:"
    r"(?<=%)(?:(?P<percent>[0-9A-Fa-f]{2}(?:%[0-9A-Fa-f]{2})*+)|u(?P<wide>[0-9A-Fa-f]{4}))"
    r"|(?<=\\)\\?(?:u(?P<short>[0-9A-Fa-f]{4})|x(?P<byte>[0-9A-Fa-f]{2})|U(?P<long>[0-9A-Fa-f]{8})"
    r"|[ux]\{(?P<braced>[0-9A-Fa-f]{1,6})\}|(?P<octal>[0-3][0-7]{2})|(?P<sign>[-_.~+=/:@$]))"
    r"|(?<=&)(?:\#(?:[xX](?P<hexadecimal>[0-9A-Fa-f]{1,64}+)|(?P<decimal>[0-9]{1,64}+));?"
    r"|(?P<name>[A-Za-z][A-Za-z0-9]{1,31}+);))"
)
_BASES = {"octal": 8, "decimal": 10}
_LAST_CHARACTER = 0x10FFFF
# HTML's names for two hyphens that are not ASCII.
_HYPHENS = {"dash": "-", "hyphen": "-"}

# A run of characters that are not printable ASCII. The first one stands alone in front, so that `re` skips to it.
_NOT_PLAIN = r"[^\t\n\r -~][^\t\n\r -~]*+"
_PLAIN_BYTES = bytes([9, 10, 13, *range(32, 127)])
# Default_Ignorable_Code_Point of https://www.unicode.org/Public/UCD/latest/ucd/DerivedCoreProperties.txt, the control
# characters that aren't shown, and the marks of interlinear annotations.
_INVISIBLE = (
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_TERMINAL_SEQUENCE = r"\x1b\[[0-9;]{0,12}[A-Za-z]"  # a terminal's escape sequence, such as that for bold
_LINE_ENDS = "\x85\u2028\u2029"
# The ellipsis and the trademark sign are frequent in prose, and in no credential.
_FREQUENT_IN_PROSE = "\u2026\u2122"
_MAX_FOLDED = 4
# Tag characters mirror ASCII and are invisible: https://www.unicode.org/charts/PDF/UE0000.pdf. Emoji flags have up to
# six.
_TAGS = r"[\U000e0020-\U000e007e]{8,}"
_TAG_OF_NUL = 0xE0000
_KEYCAP = r"[0-9#*]\ufe0f?\u20e3"  # a key as an emoji: the sign, and one or two characters that draw it as a key


def readings(text: str) -> list[Replacement]:
    """Return the escapes and disguised characters in `text`, in order, with what a reader takes them for."""
    unescaped = [(start, end, fold(character)) for start, end, character in escapes(text)]
    disguised = list(folds(text))
    return sorted(unescaped + disguised) if unescaped and disguised else unescaped or disguised


@cache
def _named_characters() -> dict[str, str]:
    """Return the characters that HTML has names for, as ASCII; those that are not read as ASCII are left out."""
    from html.entities import html5  # imported late: it has thousands of names, and most texts use none

    read = {name.removesuffix(";"): fold(characters) for name, characters in html5.items()}
    return {name: characters for name, characters in read.items() if characters.isascii()} | _HYPHENS


def escapes(text: str) -> Iterator[Replacement]:
    """Yield each escape in `text`, with the character that it stands for."""
    for found in compiled(_ESCAPE).finditer(text) if "%" in text or "\\" in text or "&" in text else ():
        group = found.lastgroup or ""
        start, end = found.span()
        if group == "percent":
            yield from _percent_encoded(found[0], start)
        elif group == "sign":
            yield start, end, found[group]
        elif group == "name":
            if (character := _named_characters().get(found[group])) is not None:
                yield start, end, character
        elif (number := int(found[group], _BASES.get(group, 16))) <= _LAST_CHARACTER:
            yield start, end, chr(number)


def _percent_encoded(run: str, start: int) -> Iterator[Replacement]:
    # Bytes that are not UTF-8 become lone surrogates, one for each byte, which no rule looks for.
    for character in bytes.fromhex(run.replace("%", "")).decode("utf-8", "surrogateescape"):
        end = start + 3 * len(character.encode("utf-8", "surrogateescape"))
        yield start, end, character
        start = end


def fold(text: str) -> str:
    """Return `text` as a reader takes it, with its disguised characters replaced."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(character if (read := _fold(character)) is None else read for character in text)


def folds(text: str) -> Iterator[Replacement]:
    """Yield the disguised characters in `text`, with what a reader takes them for: nothing, if they are invisible."""
    if text.isascii() and not text.encode("ascii").translate(None, _PLAIN_BYTES):
        return
    for run in compiled(_NOT_PLAIN).finditer(text):
        start, end = run.span()
        if key := compiled(_KEYCAP).match(text, start - 1, end):
            yield *key.span(), key[0][0]
            start = key.end()
        for tags in compiled(_TAGS).finditer(text, start, end):
            yield from _folds_of_run(text, start, tags.start())
            yield *tags.span(), "".join(chr(ord(character) - _TAG_OF_NUL) for character in tags[0])
            start = tags.end()
        yield from _folds_of_run(text, start, end)


def _folds_of_run(text: str, start: int, end: int) -> Iterator[Replacement]:
    folds = [_fold(character) for character in text[start:end]]
    if all(fold is None for fold in folds):
        return
    if all(fold is not None and len(fold) == 1 for fold in folds):
        yield start, end, "".join(fold or "" for fold in folds)
    elif any(folds) or _is_within_word(text, start, end):
        for position, fold in enumerate(folds, start):
            if fold is not None:
                terminal = compiled(_TERMINAL_SEQUENCE).match(text, position)
                yield position, terminal.end() if terminal else position + 1, fold


@lru_cache(maxsize=4096)
def _fold(character: str) -> str | None:
    """Return what a reader takes `character` for, or `None` if that is the character itself."""
    if compiled(_INVISIBLE).match(character):
        return ""
    if character in _LINE_ENDS:
        return "\n"
    folded_one = str(unicodedata.digit(character, "")) or unicodedata.normalize("NFKC", character)
    is_read_so = folded_one.isascii() and len(folded_one) <= _MAX_FOLDED and character not in _FREQUENT_IN_PROSE
    return folded_one if is_read_so and folded_one != character else None


def _is_within_word(text: str, start: int, end: int) -> bool:
    """Whether an invisible run is next to ASCII characters, and not only next to an emoji that it belongs to."""
    before, behind = text[start - 1 : start], text[end : end + 1]
    return (before.isascii() and not before.isspace() and before != "") or (behind.isascii() and behind.isalnum())
