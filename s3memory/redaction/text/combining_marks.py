r"""Replaces combining marks (vowel signs, tones) by letters, so that regular expressions see whole words.

`\w` doesn't match combining marks, so the words of Hindi, Thai and a dozen other scripts would fall into pieces. The
texts that rules search, and the rules themselves, have a letter of the Yi script for each mark: no rule uses that
script. A text keeps its length, so a span in it is the same in the text as it was written.
"""

from __future__ import annotations

import re
from functools import cache
from unicodedata import category

_FIRST, _LAST = 0x0483, 0x1BFF
_FIRST_LETTER = 0xA000  # of Yi: https://www.unicode.org/charts/PDF/UA000.pdf
# Marks that are not shown at all: see `decoding.characters`.
_INVISIBLE = frozenset((0x17B4, 0x17B5, *range(0x180B, 0x1810)))
_MAY_HAVE_MARKS = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}]")


@cache
def _letters() -> dict[int, int]:
    """Return the letter for each mark. Letters are in the order of the marks, so a range in a pattern stays a range."""
    marks = [
        code for code in range(_FIRST, _LAST + 1) if category(chr(code)) in ("Mn", "Mc") and code not in _INVISIBLE
    ]
    return {code: _FIRST_LETTER + number for number, code in enumerate(marks)}


def marks_as_letters(text: str) -> str:
    """Return `text` with each combining mark replaced by a letter; its length stays the same."""
    return text if text.isascii() or _MAY_HAVE_MARKS.search(text) is None else text.translate(_letters())
