r"""Characters written by their numbers or names: ``%41``, ``\u0041``, ``\x41``, ``\101``, ``&#65;`` and ``&quot;``.

And signs behind a backslash, as in ``npm\_`` of Markdown and ``https:\/\/`` of JSON: those that tokens and URLs have.

Each is replaced where it stands, so that what is partly escaped is read together with what is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from s3memory.redaction.decoding.folding import fold
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


@cache
def _named() -> dict[str, str]:
    """Return the characters that HTML has names for, of those that read as ASCII, as credentials do, or as nothing."""
    from html.entities import html5  # noqa: PLC0415 - thousands of names, which most texts have none of

    read = {name.removesuffix(";"): fold(characters) for name, characters in html5.items()}
    return {name: characters for name, characters in read.items() if characters.isascii()} | _HYPHENS


def escapes(text: str) -> Iterator[Replacement]:
    """Yield what in `text` is an escape, and the character that it stands for."""
    if not ("%" in text or "\\" in text or "&" in text):
        return
    for found in compiled(_ESCAPE).finditer(text):
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
