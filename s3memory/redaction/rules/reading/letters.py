"""Letters of any script: those of many are written with marks, which Python counts as no part of a word."""

from __future__ import annotations

MARKS = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u109f\u1780-\u17d3"
)
"""Marks, for a class of characters, with the letters and digits of the scripts that have most of them."""

# One way to match each character: two would be two to the power of their number for a pattern that repeats it.
LETTER = rf"(?:(?![\d_])[\w{MARKS}])"
"""A pattern of one letter or mark."""

WORD = rf"(?:{LETTER}|['\u2019\u02bc\u200c-](?={LETTER})){{1,24}}"
"""A pattern of a word, with what joins its parts: "l'immeuble", "під'їзду", "EC-Karte"."""
