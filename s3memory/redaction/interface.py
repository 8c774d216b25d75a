"""The interface of redactors: the protocols, the values that they return, and the syntax of placeholders.

A placeholder is ``[REDACTED:kind]`` or ``[REDACTED:kind#tag]``, where ``kind`` matches `KIND_PATTERN` and ``tag`` is
8 lower-case hexadecimal digits. It is plain ASCII, has an end, and is never itself redacted, so that redacting twice
changes nothing.
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
    """Return `text` without its placeholders, whatever their kinds."""
    return PLACEHOLDER_PATTERN.sub("", text) if PLACEHOLDER_START in text else text


def after_last_placeholder(text: str) -> str:
    """Return the part of `text` after its last placeholder: the words before one are no label for what follows it."""
    return PLACEHOLDER_PATTERN.split(text)[-1] if PLACEHOLDER_START in text else text


def placeholder(kind: str, tag: str = "") -> str:
    """Return the placeholder for something of `kind`.

    Args:
        kind: The kind of what was redacted.
        tag: 8 lower-case hexadecimal digits, the same in all placeholders for the same value; empty for no tag.

    Raises:
        ValueError: `kind` is not lower-case ASCII words and digits joined by single hyphens, or the tag is malformed.
    """
    mark = f"{PLACEHOLDER_START}{kind}#{tag}]" if tag else f"{PLACEHOLDER_START}{kind}]"
    if not KIND_PATTERN.fullmatch(kind) or not PLACEHOLDER_PATTERN.fullmatch(mark):
        raise ValueError("a kind is lower-case ASCII words joined by single hyphens, and a tag 8 hexadecimal digits")
    return mark


def kind_of_placeholder(mark: str) -> str:
    """Return the kind in a placeholder, a text that matches `PLACEHOLDER_PATTERN`."""
    return mark[len(PLACEHOLDER_START) : -1].partition("#")[0]


class Span(NamedTuple):
    """The start and end of something sensitive, ``text[start:end]``, in characters. It contains no text itself."""

    kind: str
    start: int
    end: int


class Finding(NamedTuple):
    """One thing that was found: its kind, and the 1-based line of the redacted text that contains its placeholder.

    If `is_kept`, the finding is only reported: the line contains the text itself, unchanged.
    """

    kind: str
    line: int
    is_kept: bool = False


class Redaction(NamedTuple):
    """A text that may be stored, and the findings in it, in the order of the text."""

    text: str
    findings: tuple[Finding, ...] = ()


@runtime_checkable
class Redactor(Protocol):
    """Filters one whole text before it is stored.

    Every write goes through it: the whole resulting text of the file, not only the new part, and each memory path. Any
    finding in a path refuses the command. A redactor must be safe to call from several threads at once. If it raises,
    or returns anything but a `Redaction`, nothing is written.
    """

    def redact(self, text: str, /) -> Redaction:
        """Return `text` without anything sensitive. Redacting the result again must change nothing."""
        ...


@runtime_checkable
class WriteRedactor(Redactor, Protocol):
    """A redactor whose result depends on the file or the tenant of a write. Your own redactors need not be one."""

    def for_write(self, path: str | None, tag_key: Callable[[], bytes] | None, /) -> Redactor:
        """Return the redactor for one write.

        Args:
            path: The memory path of the file; `None` if the text is not that of a file.
            tag_key: Returns the tenant's 32-byte key for tags in placeholders, and may make requests to get it.
        """
        ...
