"""What a redactor is given and what it gives back: the protocols, their values and the placeholder grammar.

A placeholder is ``[REDACTED:kind]`` or ``[REDACTED:kind#tag]``, with ``kind`` as in `KIND_PATTERN` and ``tag``
8 lower-case hexadecimal digits: plain ASCII, closed, and never itself redacted, so that redacting twice changes
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

_KIND = "[a-z0-9]+(?:-[a-z0-9]+)*"
_TAG = "[0-9a-f]{8}"
KIND_PATTERN = re.compile(_KIND)
PLACEHOLDER_PATTERN = re.compile(rf"\[REDACTED:{_KIND}(?:#{_TAG})?\]")
PLACEHOLDER_START = "[REDACTED:"


def without_placeholders(text: str) -> str:
    """Return what is left of `text` beside its placeholders, whatever their kinds."""
    return PLACEHOLDER_PATTERN.sub("", text) if PLACEHOLDER_START in text else text


def behind_placeholders(text: str) -> str:
    """Return what stands behind the last placeholder of `text`: what was redacted names nothing behind it."""
    return PLACEHOLDER_PATTERN.split(text)[-1] if PLACEHOLDER_START in text else text


def placeholder(kind: str, tag: str = "") -> str:
    """Return the text that stands where something of `kind` was.

    Args:
        kind: What was there.
        tag: 8 lower-case hexadecimal digits that are equal in placeholders for the same text, or none.

    Raises:
        ValueError: `kind` is not lower-case ASCII words and digits joined by single hyphens, or the tag is malformed.
    """
    mark = f"{PLACEHOLDER_START}{kind}#{tag}]" if tag else f"{PLACEHOLDER_START}{kind}]"
    if not KIND_PATTERN.fullmatch(kind) or not PLACEHOLDER_PATTERN.fullmatch(mark):
        raise ValueError("a kind is lower-case ASCII words joined by single hyphens, and a tag 8 hexadecimal digits")
    return mark


def kind_of_placeholder(mark: str) -> str:
    """Return the kind in what matches `PLACEHOLDER_PATTERN`."""
    return mark[len(PLACEHOLDER_START) : -1].partition("#")[0]


class Span(NamedTuple):
    """Where something sensitive stands in a text: ``text[start:end]``, in characters. It holds no text."""

    kind: str
    start: int
    end: int


class Finding(NamedTuple):
    """One thing that was found: its kind, and the 1-based line of the redacted text where it or its placeholder is.

    What `is_kept` is only reported: the text there is as it was.
    """

    kind: str
    line: int
    is_kept: bool = False


class Redaction(NamedTuple):
    """A text that may be stored, and what was found in it, in the order of the text."""

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


@runtime_checkable
class WriteRedactor(Redactor, Protocol):
    """A redactor that treats a write by its file or its tenant. Your own redactors need not."""

    def for_write(self, path: str | None, tag_key: Callable[[], bytes] | None, /) -> Redactor:
        """Return the redactor for one write.

        Args:
            path: The memory path of the file; `None` for what is not the text of a file.
            tag_key: Gives 32 bytes of the tenant's, for tags in placeholders, and may make requests for them.
        """
        ...
