"""Where a text has a given piece of text."""

from __future__ import annotations

from collections.abc import Iterator


def every_occurrence(text: str, match: str) -> Iterator[tuple[int, int]]:
    """Yield ``(start, end)`` so that every occurrence of `match` is covered, those too that overlap one another."""
    start = text.find(match)
    while start >= 0:
        end = start + len(match)
        # The last one that begins within this one: all those between lie in what the two cover.
        last = text.rfind(match, start + 1, end - 1 + len(match))
        yield start, end
        start = last if last > start else text.find(match, end)


def whole_words(text: str, match: str) -> Iterator[tuple[int, int]]:
    """Yield ``(start, end)`` of each occurrence of `match` that no letter or digit continues on either side."""
    start = text.find(match)
    while start >= 0:
        end = start + len(match)
        goes_on_before = start > 0 and match[0].isalnum() and text[start - 1].isalnum()
        goes_on_after = end < len(text) and match[-1].isalnum() and text[end].isalnum()
        if not goes_on_before and not goes_on_after:
            yield start, end
        start = text.find(match, start + 1)
