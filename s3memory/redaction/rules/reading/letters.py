"""Letters of any script. Marks of most are letters: see `text.marks`."""

from __future__ import annotations

# Accents may be typed behind their letter. One way to match each character: two would be two to the power of their
# number for a pattern that repeats it.
LETTER = r"(?:(?![\d_])[\w\u0300-\u036f])"
"""A pattern of one letter, or of an accent."""

WORD = rf"(?:{LETTER}|['\u2019\u02bc\u200c-](?={LETTER})){{1,24}}"
"""A pattern of a word, with what joins its parts: "l'immeuble", "під'їзду", "EC-Karte"."""

UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\u3001\u3002\uff01-\uff0f\uff1a-\uff20"
    "\u0e31-\u17d3"  # and their marks, as letters
)
"""What scripts are written with that write no spaces, for a class of characters."""
