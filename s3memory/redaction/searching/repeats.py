"""A value that was found once goes wherever it stands again in the same text, whatever stands beside it there."""

from __future__ import annotations

from collections.abc import Iterator

from s3memory.redaction.model import Span
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_identifier, is_strong, looks_random

# A value is looked up by its longest run of letters and digits: one pass over the text finds all values at once.
_CORE = r"[A-Za-z0-9]{4,}+"
_LEAST, _LEAST_OF_A_LINE = 8, 16
_DIGITS_ALONE = 12
_NAME_AND_NUMBER = r"[a-z]+[0-9]{1,6}"
# Capital and small letters, digits and a sign: no name that a text has besides.
_MIXED = r"(?=.{10})(?=.*[A-Z])(?=.*[a-z])(?=.*[0-9])(?=.*[_!@#$%^&*+=?~])"
_NOT_JUDGED = "\"'`,;:.()[]{}<>"
_MOST_OF_A_CORE = 4
_ESCAPED = ("\\n", "\\r", "\\t")


class Repeats:
    """The values that were found in one text, and where else they stand."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        # By the longest run of a value: its kind, the value, and where in it the run starts.
        self.by_core: dict[str, list[tuple[str, str, int]]] = {}

    def note(self, text: str, span: Span) -> None:
        """Take what stands at `span` in `text`, if it is random enough to be no word of the text."""
        pieces = text[span.start : span.end].split()
        least = _LEAST if len(pieces) == 1 else _LEAST_OF_A_LINE
        for piece in pieces:
            value = piece.strip(_NOT_JUDGED)
            if value in self._seen:
                continue
            self._seen.add(value)
            cores = compiled(_CORE).finditer(value) if _is_telling(value, least) else ()
            if core := max(cores, key=lambda found: found.end() - found.start(), default=None):
                alike = self.by_core.setdefault(core[0], [])
                if len(alike) < _MOST_OF_A_CORE:
                    alike.append((span.kind, value, core.start()))

    def find(self, text: str) -> Iterator[Span]:
        """Yield where values stand in `text`, as words of their own."""
        for run in compiled(_CORE).finditer(text) if self.by_core else ():
            start = run.start()
            yield from self._at(text, run[0], start)
            if text[start - 1 : start + 1] in _ESCAPED:  # the letter is not part of the run
                yield from self._at(text, run[0][1:], start + 1)

    def _at(self, text: str, core: str, position: int) -> Iterator[Span]:
        for kind, value, offset in self.by_core.get(core, ()):
            start = position - offset
            if start >= 0 and text.startswith(value, start):
                yield Span(kind, start, start + len(value))


def _is_telling(value: str, least: int) -> bool:
    if len(value) < least or not value.isascii():
        return False
    if value.isdigit():
        return len(value) >= _DIGITS_ALONE
    if compiled(_MIXED).match(value):
        return True
    if compiled(_NAME_AND_NUMBER).fullmatch(value) or is_identifier(value):
        return False
    return looks_random(value) or (is_strong(value) and least == _LEAST)
