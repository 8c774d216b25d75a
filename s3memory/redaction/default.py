"""The default redactor: `PatternRedactor` with all defaults, whose rules are loaded by the first write."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from s3memory.redaction.interface import Redaction, Redactor

if TYPE_CHECKING:
    from s3memory.redaction.patterns import PatternRedactor


class DefaultRedactor:
    """`PatternRedactor()`, created when it is first needed: a process that only reads never loads the rules."""

    @property
    def known_kinds(self) -> frozenset[str]:
        """The kinds whose placeholders are left alone."""
        return _redactor().known_kinds

    def redact(self, text: str, /) -> Redaction:
        """Return `text` with a placeholder for everything found in it: see `PatternRedactor.redact`."""
        return _redactor().redact(text)

    def for_write(self, path: str | None, tag_key: Callable[[], bytes] | None, /) -> Redactor:
        """Return the redactor for one write: see `WriteRedactor`."""
        return _redactor().for_write(path, tag_key)

    def __repr__(self) -> str:
        return "PatternRedactor()"


@cache
def _redactor() -> PatternRedactor:
    from s3memory.redaction.patterns import PatternRedactor  # loads all rules

    return PatternRedactor()


DEFAULT_REDACTOR = DefaultRedactor()
