"""Rules that start at a name and take what has a certain shape near it, however many there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from s3memory.redaction.compiling import compiled
from s3memory.redaction.model import Span
from s3memory.redaction.rule import Rule, Subject

Places = Iterator[tuple[int, int]]
Around = Callable[[re.Match[str]], Places]


class NearRule(Rule):
    """A rule that may find several secrets near one name: `around` yields them for each match of the pattern.

    Without anchors it is for names beyond ASCII, all of which the pattern searches for.
    """

    __slots__ = ("around",)

    def __init__(
        self,
        *,
        kind: str,
        pattern: str,
        around: Around,
        source: str,
        samples: tuple[str, ...],
        near: tuple[str, ...],
        anchors: tuple[str, ...] = (),
    ) -> None:
        """See `Rule`. The anchors are in lower case."""
        super().__init__(
            kind=kind,
            anchors=anchors,
            pattern=pattern,
            source=source,
            fold=True,
            scan=not anchors,
            signs=() if anchors else (b"\xff",),
            samples=samples,
            near=near,
        )
        self.around = around

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield what is near the names in the text of `subject`."""
        if self.signs and not subject.has_signs(self.signs):
            return
        for match in self._names(subject):
            for start, end in self.around(match):
                yield Span(self.kind, start, end)

    def _names(self, subject: Subject) -> Iterator[re.Match[str]]:
        if not self.anchors:
            yield from compiled(self.pattern).finditer(subject.text)
            return
        for anchor in filter(subject.may_hold, self.anchors):
            position = subject.folded.find(anchor)
            while position >= 0:
                match = compiled(self.pattern).match(subject.text, position)
                if match:
                    yield match
                position = subject.folded.find(anchor, match.end() if match else position + len(anchor))
