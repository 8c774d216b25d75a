"""What words look like: tables of patterns, each with an example."""

from __future__ import annotations

from collections.abc import Mapping

from s3memory.redaction.text.compiling import compiled


class Forms:
    """Forms that a whole word can have: patterns by an example, which no other takes, and their flags."""

    def __init__(self, patterns: Mapping[str, str], *, flags: str = "") -> None:
        self.patterns = patterns
        self.flags = flags
        self._any = (f"(?{flags})" if flags else "") + "|".join(patterns.values())

    def has(self, word: str) -> bool:
        """Whether `word` as a whole has one of the forms."""
        return compiled(self._any).fullmatch(word) is not None
