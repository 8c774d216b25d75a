"""Splits long texts into overlapping chunks that a service accepts, so that nothing is missed where they are cut.

Offsets are Python's, in Unicode code points. Sizes are in bytes of UTF-8, which is never less than any other measure: a
text of n bytes has at most n characters, however a service counts them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from s3memory.errors import ConfigurationError

# How far before the size limit a chunk may end in order to end with a line or word.
_LINE_SEARCH_CHARACTERS = 1_000

_JOINER = "\u200d"
_SKIN_TONES = ("\U0001f3fb", "\U0001f3ff")


def check_chunk_size(*, max_bytes: int, overlap: int) -> None:
    """Raise a `ConfigurationError` unless chunks are large enough to overlap and still make progress."""
    if overlap < 0 or max_bytes < 8 * (overlap + 1):
        raise ConfigurationError(
            f"with an overlap of {overlap} characters, a request must take {8 * (overlap + 1)} bytes or more"
        )


def chunk_bounds(text: str, *, max_bytes: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield ``(start, end)`` of the chunks of `text`, which together cover it.

    Any substring of at most `overlap` characters lies within one of the chunks. If possible, a chunk ends at the end of
    a line or word and begins at the beginning of a word, and no boundary separates CR from LF or a letter from its
    accents.

    Args:
        text: The text, without lone surrogates, so that it can be encoded.
        max_bytes: The maximum size of a chunk in UTF-8.
        overlap: The minimum number of characters that two neighbouring chunks share: see `check_chunk_size`.
    """
    check_chunk_size(max_bytes=max_bytes, overlap=overlap)
    start = 0
    while start < len(text):
        end = _furthest_end(text, start, max_bytes)
        if end < len(text):
            # A chunk has at least 2 * (overlap + 1) characters, since a character takes at most 4 bytes.
            end = _best_end(text, max(start + 2 * overlap + 1, end - _LINE_SEARCH_CHARACTERS), end)
        yield start, end
        if end == len(text):
            return
        # Starting no earlier than this, the next chunk ends after this one.
        start = _best_start(text, end - 2 * overlap, end - overlap)


def _furthest_end(text: str, start: int, max_bytes: int) -> int:
    """Return the end of the longest chunk from `start` that takes at most `max_bytes`."""
    head = text[start : start + max_bytes].encode()
    if len(head) <= max_bytes:
        return start + min(max_bytes, len(text) - start)
    cut = max_bytes
    while head[cut] & 0xC0 == 0x80:  # noqa: PLR2004 - 10xxxxxx continues a character in UTF-8
        cut -= 1
    return start + len(head[:cut].decode())


def _best_end(text: str, earliest: int, latest: int) -> int:
    """Return the last end of a line in that range, or else of a word, or else of a user-perceived character."""
    after_line = text.rfind("\n", earliest - 1, latest) + 1
    return after_line if after_line >= earliest else _best_start(text, earliest, latest)


def _best_start(text: str, earliest: int, latest: int) -> int:
    """Return the last beginning of a word in that range, or else of a user-perceived character."""
    for start in range(latest, earliest - 1, -1):
        if text[start - 1].isspace() and _is_boundary(text, start):
            return start
    return next((start for start in range(latest, earliest - 1, -1) if _is_boundary(text, start)), latest)


def _is_boundary(text: str, index: int) -> bool:
    """Whether a user-perceived character can end at `index`. This covers the common cases, not all of UAX 29."""
    before, after = text[index - 1], text[index]
    return not (
        (before == "\r" and after == "\n")
        or _JOINER in (before, after)
        or _SKIN_TONES[0] <= after <= _SKIN_TONES[1]
        or unicodedata.category(after).startswith("M")
    )
