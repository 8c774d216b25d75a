"""What a redactor is given and what it gives back: the protocol, its values and the placeholder grammar.

A placeholder is ``[REDACTED:kind]`` or ``[REDACTED:kind#tag]``, with ``kind`` as in `KIND_PATTERN` and ``tag``
8 lower-case hexadecimal digits: plain ASCII, closed, and never itself redacted, so that redacting twice changes
nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

KIND_PATTERN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
PLACEHOLDER_PATTERN = re.compile(r"\[REDACTED:[a-z0-9]+(?:-[a-z0-9]+)*(?:#[0-9a-f]{8})?\]", re.ASCII)


def placeholder(kind: str) -> str:
    """Return the text that stands where something of `kind` was.

    Raises:
        ValueError: `kind` is not lower-case ASCII words and digits joined by single hyphens.
    """
    if not KIND_PATTERN.fullmatch(kind):
        raise ValueError("a kind is lower-case ASCII words joined by single hyphens")
    return f"[REDACTED:{kind}]"


@dataclass(frozen=True, slots=True)
class Span:
    """Where something sensitive stands in a text: ``text[start:end]``, in characters. It holds no text."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was redacted: its kind, and the 1-based line of the redacted text where its placeholder is."""

    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text that may be stored, and what was taken out of it, in the order of the text."""

    text: str
    findings: tuple[Finding, ...] = ()


@runtime_checkable
class Redactor(Protocol):
    """Filters one whole text before it is stored.

    Every write passes it: the whole resulting file text, not only the part that is new, and each memory path,
    where any finding refuses the command. It must be safe to call from several threads at once. If it raises or
    returns anything but a `Redaction`, nothing is written.
    """

    def redact(self, text: str, /) -> Redaction:
        """Return `text` without what is sensitive. Redacting the result again must change nothing."""
        ...
