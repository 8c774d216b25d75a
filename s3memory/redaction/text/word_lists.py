"""Lists of words and phrases, written as a text that has many on a line."""

from __future__ import annotations

from s3memory.redaction.text.marks import as_letters


def word_list(words: str, separator: str | None = None) -> tuple[str, ...]:
    """Return the words of a text in their order, which white space or `separator` keeps apart."""
    return tuple(as_letters(words).split(separator))


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text, to look others up in."""
    return frozenset(word_list(words))


def phrase_list(phrases: str) -> tuple[str, ...]:
    """Return phrases that white space keeps apart, in their order, each with a space for an underscore."""
    return tuple(phrase.replace("_", " ") for phrase in word_list(phrases))


def phrase_set(phrases: str) -> frozenset[str]:
    """Return such phrases, to look others up in."""
    return frozenset(phrase_list(phrases))
