"""Matches a whole word against a table of patterns, each of which has an example as its key."""

from __future__ import annotations

from collections.abc import Mapping

from s3memory.redaction.text.compiling import compiled


class Forms:
    """A set of forms that a whole word can have.

    Args:
        patterns: The pattern of each form, keyed by an example that no other pattern matches.
        flags: Flags for all of them, such as "i".
    """

    def __init__(self, patterns: Mapping[str, str], *, flags: str = "") -> None:
        self.patterns = patterns
        self.flags = flags
        self._any = (f"(?{flags})" if flags else "") + "|".join(patterns.values())

    def has(self, word: str) -> bool:
        """Whether the whole `word` has one of the forms."""
        return compiled(self._any).fullmatch(word) is not None
