"""A file whose name says what it holds, and whose text is only that: the name is read as if it stood before it."""

from __future__ import annotations

from collections.abc import Iterator

from s3memory.redaction.detector import Detector
from s3memory.redaction.model import Span
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.marks import as_letters

_MOST_CHARACTERS, _MOST_VALUES = 2_000, 40
_BETWEEN_WORDS = r"(?<=[a-z])(?=[A-Z])|[_.-]+"
# A value alone on its line, or in groups.
_LINE = (
    r"[ \t>]*(?:(?:[-*+\u2022]|\[[ xX]?\]|[0-9]{1,2}[.)])[ \t]+)?"
    r"(?P<value>\S+|[A-Za-z0-9]{2,10}(?:[ ][A-Za-z0-9]{2,10}){1,23})\s*"
)


class NamedFile:
    """A detector for one file: finds what `detector` does where the name stands before each value, or above them all.

    Args:
        path: The memory path of the file.
        detector: What looks through the values with their name.
    """

    def __init__(self, path: str, detector: Detector) -> None:
        *above, last = path.removeprefix("/memories/").rsplit("/", 2)[-2:]
        names = (*above, last.rpartition(".")[0] or last)
        self._name = " ".join(compiled(_BETWEEN_WORDS).sub(" ", name).strip() for name in names)
        self._detector = detector

    def find(self, text: str, /) -> Iterator[Span]:
        """Yield what is found of a text that is one value, or has one on each line."""
        if len(text) > _MOST_CHARACTERS:
            return
        lines = compiled(r"[^\n]*\S[^\n]*").finditer(text)
        values = [compiled(_LINE).fullmatch(text, *line.span()) for line in lines]
        if None in values or not 0 < len(values) <= _MOST_VALUES:
            return
        places = [value.span("value") for value in values if value is not None]
        is_list = len(places) > 1
        if is_list:
            yield from self._behind(f"{self._name}:\n", text, 0, len(text))
        for start, end in places:
            # A list of words may be of where there are passwords.
            if not (is_list and as_letters(text[start:end]).isalpha()):
                yield from self._behind(f"{self._name}: ", text, start, end)

    def _behind(self, name: str, text: str, start: int, end: int) -> Iterator[Span]:
        for span in self._detector.find(name + text[start:end]):
            if span.start >= len(name):
                moved = start - len(name)
                yield Span(span.kind, span.start + moved, span.end + moved)
