"""Lists and sets of words and phrases, which the source code writes as one string with many on a line."""

from __future__ import annotations

from s3memory.redaction.text.combining_marks import marks_as_letters


def word_list(words: str, separator: str | None = None) -> tuple[str, ...]:
    """Return the words in `words`, in order, split at white space or at `separator`."""
    return tuple(marks_as_letters(words).split(separator))


def word_set(words: str) -> frozenset[str]:
    """Return the words in `words`, which white space separates, as a set."""
    return frozenset(word_list(words))


def phrase_list(phrases: str) -> tuple[str, ...]:
    """Return the phrases in `phrases`, in order. White space separates them, and "_" stands for a space inside one."""
    return tuple(phrase.replace("_", " ") for phrase in word_list(phrases))


def phrase_set(phrases: str) -> frozenset[str]:
    """Return the phrases in `phrases` as a set: see `phrase_list`."""
    return frozenset(phrase_list(phrases))
