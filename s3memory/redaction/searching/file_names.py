"""Searches a file that has only values, such as "door-code.txt": its name is read as the label of each value."""

from __future__ import annotations

from collections.abc import Iterator

from s3memory.redaction.detector import Detector
from s3memory.redaction.interface import Span
from s3memory.redaction.text.combining_marks import marks_as_letters
from s3memory.redaction.text.compiling import compiled

_MAX_CHARACTERS, _MAX_VALUES = 2_000, 40
_BETWEEN_WORDS = r"(?<=[a-z])(?=[A-Z])|[_.-]+"
# A line with one value, perhaps in groups: "- 4827", "abcd efgh ijkl mnop".
_LINE = (
    r"[ \t>]*(?:(?:[-*+\u2022]|\[[ xX]?\]|[0-9]{1,2}[.)])[ \t]+)?"
    r"(?P<value>\S+|[A-Za-z0-9]{2,10}(?:[ ][A-Za-z0-9]{2,10}){1,23})\s*"
)


class FileNameDetector:
    """A detector for one file: runs `detector` with the file's name before each value, and as a heading above them all.

    Args:
        path: The memory path of the file. The name of its folder is part of the label.
        detector: What searches the values with their label.
    """

    def __init__(self, path: str, detector: Detector) -> None:
        *above, last = path.removeprefix("/memories/").rsplit("/", 2)[-2:]
        names = (*above, last.rpartition(".")[0] or last)
        self._name = " ".join(compiled(_BETWEEN_WORDS).sub(" ", name).strip() for name in names)
        self._detector = detector

    def find(self, text: str, /) -> Iterator[Span]:
        """Yield what is found if the text is one value, or has one on each line."""
        if len(text) > _MAX_CHARACTERS:
            return
        lines = compiled(r"[^\n]*\S[^\n]*").finditer(text)
        values = [compiled(_LINE).fullmatch(text, *line.span()) for line in lines]
        if None in values or not 0 < len(values) <= _MAX_VALUES:
            return
        cells = [value.span("value") for value in values if value is not None]
        is_list = len(cells) > 1
        if is_list:
            yield from self._found_after(f"{self._name}:\n", text, 0, len(text))
        for start, end in cells:
            # The words in a list may be the places that have a password, and not passwords.
            if not (is_list and marks_as_letters(text[start:end]).isalpha()):
                yield from self._found_after(f"{self._name}: ", text, start, end)

    def _found_after(self, name: str, text: str, start: int, end: int) -> Iterator[Span]:
        """Yield what is found in ``text[start:end]`` with `name` in front, as spans in `text`."""
        for span in self._detector.find(name + text[start:end]):
            if span.start >= len(name):
                moved = start - len(name)
                yield Span(span.kind, span.start + moved, span.end + moved)
