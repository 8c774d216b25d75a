"""Lists of words, written as a text that has many on a line."""

from __future__ import annotations


def word_list(words: str, separator: str | None = None) -> tuple[str, ...]:
    """Return the words of a text in their order, which white space or `separator` keeps apart."""
    return tuple(words.split(separator))


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text, to look others up in."""
    return frozenset(words.split())
