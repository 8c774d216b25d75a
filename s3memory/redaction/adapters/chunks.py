"""Long texts in pieces that a service takes, cut so that nothing is lost at a seam.

Offsets are Python's: Unicode code points. Sizes are bytes of UTF-8, the measure that is never less than another: a
text of n bytes has at most n characters, however those are counted.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from s3memory.errors import ConfigurationError

# How far a cut moves to get to the end of a line.
_LINE_SEARCH_CHARACTERS = 1_000

_JOINER = "\u200d"
_SKIN_TONES = ("\U0001f3fb", "\U0001f3ff")


def check_chunk_size(*, max_bytes: int, overlap: int) -> None:
    """Raise a `ConfigurationError` unless chunks are large enough to overlap and still get on."""
    if overlap < 0 or max_bytes < 8 * (overlap + 1):
        raise ConfigurationError(
            f"with an overlap of {overlap} characters, a request must take {8 * (overlap + 1)} bytes or more"
        )


def chunk_bounds(text: str, *, max_bytes: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield ``(start, end)`` of pieces of `text` that together cover it.

    Every stretch of at most `overlap` characters lies in one of the pieces as a whole. A piece ends at the end of a
    line or word, and begins at the beginning of a word, where there is one near; neither parts CR from LF or a
    letter from its accents, where it need not.

    Args:
        text: what can be encoded: no lone surrogates.
        max_bytes: the size of a piece at most, as UTF-8.
        overlap: how many characters, at least, two neighbours have in common: see `check_chunk_size`.
    """
    check_chunk_size(max_bytes=max_bytes, overlap=overlap)
    start = 0
    while start < len(text):
        end = _furthest_end(text, start, max_bytes)
        if end < len(text):
            # A chunk has 2 * (overlap + 1) characters or more, since none takes more than 4 bytes.
            end = _sensible_end(text, max(start + 2 * overlap + 1, end - _LINE_SEARCH_CHARACTERS), end)
        yield start, end
        if end == len(text):
            return
        # Going back no further than that, the next one ends after this one.
        start = _sensible_start(text, end - 2 * overlap, end - overlap)


def _furthest_end(text: str, start: int, max_bytes: int) -> int:
    head = text[start : start + max_bytes].encode()
    if len(head) <= max_bytes:
        return start + min(max_bytes, len(text) - start)
    cut = max_bytes
    while head[cut] & 0xC0 == 0x80:  # noqa: PLR2004 - 10xxxxxx goes on with a character in UTF-8
        cut -= 1
    return start + len(head[:cut].decode())


def _sensible_end(text: str, earliest: int, latest: int) -> int:
    """Return the last end of a line, or else of a word, or else of a character as people see it, in that range."""
    after_line = text.rfind("\n", earliest - 1, latest) + 1
    return after_line if after_line >= earliest else _sensible_start(text, earliest, latest)


def _sensible_start(text: str, earliest: int, latest: int) -> int:
    """Return the last beginning of a word, or else of a character as people see it, in that range."""
    for start in range(latest, earliest - 1, -1):
        if text[start - 1].isspace() and _is_seam(text, start):
            return start
    return next((start for start in range(latest, earliest - 1, -1) if _is_seam(text, start)), latest)


def _is_seam(text: str, index: int) -> bool:
    """Whether no two characters that make one are on both sides of `index`: the common cases, not all of UAX 29."""
    before, after = text[index - 1], text[index]
    return not (
        (before == "\r" and after == "\n")
        or _JOINER in (before, after)
        or _SKIN_TONES[0] <= after <= _SKIN_TONES[1]
        or unicodedata.category(after).startswith("M")
    )
