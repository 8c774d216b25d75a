"""What is plain words, where a secret may stand."""

from __future__ import annotations

from s3memory.redaction.text.compiling import compiled

_BETWEEN_WORDS = r"[ _/'\u2019.,-]+"


def is_plain(cell: str) -> bool:
    """Whether `cell` is words, as most are below any head: which of these are secrets, rules for sentences know."""
    words = compiled(_BETWEEN_WORDS).split(cell)
    return all(word.isalpha() and (word[1:].islower() or word.isupper() or not word[1:]) for word in words)
