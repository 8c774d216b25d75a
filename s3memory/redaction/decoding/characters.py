r"""How a reader reads characters: those written by numbers or names, and those that look like others or like none.

Numbers and names are ``%41``, ``\u0041``, ``\x41``, ``\101``, ``&#65;`` and ``&quot;``; and so are signs behind a
backslash, as in ``npm\_`` of Markdown and ``https:\/\/`` of JSON: those that tokens and URLs have. Others are of full
width, styled letters, digits and the invisible ones. Each is replaced where it stands, so that what is partly escaped
is read together with what is not.

Only what folds to ASCII counts, since credentials and the names beside them consist of it: NFKC of other characters can
be eighteen times as long, and changes nothing that is looked for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

from s3memory.redaction.decoding.view import Replacement
from s3memory.redaction.text.compiling import compiled

# The mark comes first, so that `re` skips to it. JSON in JSON doubles the backslash.
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
# The two hyphens of HTML are not ASCII, and read as one.
_HYPHENS = {"dash": "-", "hyphen": "-"}

# The first character by itself, so that `re` skips to it.
_RUN = r"[^\t\n\r -~][^\t\n\r -~]*+"
_PLAIN = bytes([9, 10, 13, *range(32, 127)])
# Default_Ignorable_Code_Point of https://www.unicode.org/Public/UCD/latest/ucd/DerivedCoreProperties.txt, the controls
# that nothing shows, and the marks of interlinear annotations.
_INVISIBLE = (
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_OF_A_TERMINAL = r"\x1b\[[0-9;]{0,12}[A-Za-z]"  # as it is told to write in bold
_LINE_ENDS = "\x85\u2028\u2029"
# Frequent in prose, and in no credential.
_PROSE = "\u2026\u2122"
_LONGEST = 4
# Tags mirror ASCII, and are shown by nothing: https://www.unicode.org/charts/PDF/UE0000.pdf. Flags have up to six.
_TAGS = r"[\U000e0020-\U000e007e]{8,}"
_TAG_OF_NUL = 0xE0000


def readings(text: str) -> list[Replacement]:
    """Return how a reader would read the escapes and disguised characters of `text`."""
    unescaped = [(start, end, fold(character)) for start, end, character in escapes(text)]
    disguised = list(folds(text))
    return sorted(unescaped + disguised) if unescaped and disguised else unescaped or disguised


@cache
def _named() -> dict[str, str]:
    """Return the characters that HTML has names for, of those that read as ASCII, as credentials do, or as nothing."""
    from html.entities import html5  # thousands of names, which most texts have none of

    read = {name.removesuffix(";"): fold(characters) for name, characters in html5.items()}
    return {name: characters for name, characters in read.items() if characters.isascii()} | _HYPHENS


def escapes(text: str) -> Iterator[Replacement]:
    """Yield what in `text` is an escape, and the character that it stands for."""
    for found in compiled(_ESCAPE).finditer(text) if "%" in text or "\\" in text or "&" in text else ():
        group = found.lastgroup or ""
        start, end = found.span()
        if group == "percent":
            yield from _percent_encoded(found[0], start)
        elif group == "sign":
            yield start, end, found[group]
        elif group == "name":
            if (character := _named().get(found[group])) is not None:
                yield start, end, character
        elif (number := int(found[group], _BASES.get(group, 16))) <= _LAST_CHARACTER:
            yield start, end, chr(number)


def _percent_encoded(run: str, start: int) -> Iterator[Replacement]:
    # What is not UTF-8 becomes lone surrogates: one for each byte, and a part of nothing that is looked for.
    for character in bytes.fromhex(run.replace("%", "")).decode("utf-8", "surrogateescape"):
        end = start + 3 * len(character.encode("utf-8", "surrogateescape"))
        yield start, end, character
        start = end


def fold(text: str) -> str:
    """Return what `text` is read as."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(character if (read := _fold(character)) is None else read for character in text)


def folds(text: str) -> Iterator[Replacement]:
    """Yield what in `text` stands for other characters, or for none."""
    if text.isascii() and not text.encode("ascii").translate(None, _PLAIN):
        return
    for run in compiled(_RUN).finditer(text):
        start, end = run.span()
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
        for place, fold in enumerate(folds, start):
            if fold is not None:
                terminal = compiled(_OF_A_TERMINAL).match(text, place)
                yield place, terminal.end() if terminal else place + 1, fold


@lru_cache(maxsize=4096)
def _fold(character: str) -> str | None:
    """Return what `character` is read as, or `None` if that is itself."""
    if compiled(_INVISIBLE).match(character):
        return ""
    if character in _LINE_ENDS:
        return "\n"
    folded_one = str(unicodedata.decimal(character, "")) or unicodedata.normalize("NFKC", character)
    is_read_so = folded_one.isascii() and len(folded_one) <= _LONGEST and character not in _PROSE
    return folded_one if is_read_so and folded_one != character else None


def _is_within_word(text: str, start: int, end: int) -> bool:
    """Whether what nobody sees stands beside ASCII characters, and not only beside an emoji that it belongs to."""
    before, behind = text[start - 1 : start], text[end : end + 1]
    return (before.isascii() and not before.isspace() and before != "") or (behind.isascii() and behind.isalnum())
