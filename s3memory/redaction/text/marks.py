r"""Marks of vowels and tones, read as the letters that they are part of.

`\w` leaves them out, so words of Hindi, Thai and a dozen other scripts would fall into pieces. In all that rules look
through, and in the rules themselves, each is a letter of Yi, which nothing else is written with here. A text keeps its
length, so what is found in it stands at the same place in the text as it was written.
"""

from __future__ import annotations

import re
from functools import cache
from unicodedata import category

_FIRST, _LAST = 0x0483, 0x1BFF
_FIRST_LETTER = 0xA000  # of Yi: https://www.unicode.org/charts/PDF/UA000.pdf
# Nothing is seen of them: see `decoding.characters`.
_INVISIBLE = frozenset((0x17B4, 0x17B5, *range(0x180B, 0x1810)))
_MAY_HAVE_MARKS = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}]")


@cache
def _letters() -> dict[int, int]:
    """Return which letter each mark is read as: in the order of the marks, so that a range of them stays one."""
    marks = [
        code for code in range(_FIRST, _LAST + 1) if category(chr(code)) in ("Mn", "Mc") and code not in _INVISIBLE
    ]
    return {code: _FIRST_LETTER + number for number, code in enumerate(marks)}


def as_letters(text: str) -> str:
    """Return `text` with its marks read as letters: as long as it was, and the same if it has none."""
    return text if text.isascii() or _MAY_HAVE_MARKS.search(text) is None else text.translate(_letters())
