"""Finds a value that was found once wherever else it occurs in the same text, whatever the context is there."""

from __future__ import annotations

from collections.abc import Iterator

from s3memory.redaction.interface import Span
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_identifier, is_strong, looks_random

# A value is looked up by its longest run of letters and digits, so that one pass over the text finds all values.
_CORE = r"[A-Za-z0-9]{4,}+"
_MIN_LENGTH, _MIN_LENGTH_OF_A_PIECE = 8, 16
_MIN_DIGITS = 12
_NAME_AND_NUMBER = r"[a-z]+[0-9]{1,6}"
# Ten or more characters with upper and lower case, a digit and a symbol, as no ordinary name has.
_MIXED = r"(?=.{10})(?=.*[A-Z])(?=.*[a-z])(?=.*[0-9])(?=.*[_!@#$%^&*+=?~])"
_NOT_JUDGED = "\"'`,;:.()[]{}<>"
_MAX_PER_CORE = 4
_ESCAPED = ("\\n", "\\r", "\\t")


class Repeats:
    """The values that were found in one text.

    Attributes:
        by_core: The values, by their longest run: of each, its kind, the value, and where the run starts in it.
    """

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self.by_core: dict[str, list[tuple[str, str, int]]] = {}

    def note(self, text: str, span: Span) -> None:
        """Add the value at `span` in `text`, if it is distinctive enough that no ordinary word is equal to it."""
        pieces = text[span.start : span.end].split()
        least = _MIN_LENGTH if len(pieces) == 1 else _MIN_LENGTH_OF_A_PIECE
        for piece in pieces:
            value = piece.strip(_NOT_JUDGED)
            if value in self._seen:
                continue
            self._seen.add(value)
            cores = compiled(_CORE).finditer(value) if _is_distinctive(value, least) else ()
            if core := max(cores, key=lambda found: found.end() - found.start(), default=None):
                alike = self.by_core.setdefault(core[0], [])
                if len(alike) < _MAX_PER_CORE:
                    alike.append((span.kind, value, core.start()))

    def find(self, text: str) -> Iterator[Span]:
        """Yield where the values occur in `text` as whole words."""
        for run in compiled(_CORE).finditer(text) if self.by_core else ():
            start = run.start()
            yield from self._at(text, run[0], start)
            if text[start - 1 : start + 1] in _ESCAPED:  # the letter of "\n" is not part of the run
                yield from self._at(text, run[0][1:], start + 1)

    def _at(self, text: str, core: str, position: int) -> Iterator[Span]:
        for kind, value, offset in self.by_core.get(core, ()):
            start = position - offset
            if start >= 0 and text.startswith(value, start):
                yield Span(kind, start, start + len(value))


def _is_distinctive(value: str, least: int) -> bool:
    """Whether `value` has at least `least` characters and is mixed enough that it can't be an ordinary word or name."""
    if len(value) < least or not value.isascii():
        return False
    if value.isdigit():
        return len(value) >= _MIN_DIGITS
    if compiled(_MIXED).match(value):
        return True
    if compiled(_NAME_AND_NUMBER).fullmatch(value) or is_identifier(value):
        return False
    return looks_random(value) or (is_strong(value) and least == _MIN_LENGTH)
