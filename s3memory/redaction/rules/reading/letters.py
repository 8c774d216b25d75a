"""Patterns for the letters of any script. The marks of most scripts count as letters: see `text.marks`."""

from __future__ import annotations

from unicodedata import category, normalize

from s3memory.redaction.text.compiling import compiled

# An accent may be a character of its own after its letter. Each character can match in one way only: with two, a
# repeated pattern would need exponential time.
LETTER = r"(?:(?![\d_])[\w\u0300-\u036f])"
"""A pattern of one letter or one accent."""

WORD = rf"(?:{LETTER}|['\u2019\u02bc\u200c-](?={LETTER})){{1,24}}"
"""A pattern of a word, also with an apostrophe or a hyphen: "l'immeuble", "під'їзду", "EC-Karte"."""

UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\u3001\u3002\uff01-\uff0f\uff1a-\uff20"
    "\u0e31-\u17d3"  # and their marks, as letters
)
"""The characters of scripts without spaces, such as Thai or Chinese, for a character class."""


def without_accents(text: str) -> str:
    """Return `text` with each letter that has an accent replaced by the letter alone."""
    return "".join(letter for letter in normalize("NFKD", text) if category(letter) != "Mn")


def is_unspaced(text: str) -> bool:
    """Whether `text` has a letter of a script that writes no spaces."""
    return not text.isascii() and compiled(f"[{UNSPACED}]").search(text) is not None
