"""Rules that start at a name and take what has a certain shape near it, however many there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from s3memory.redaction.compiling import compiled
from s3memory.redaction.fruitless import Fruitless
from s3memory.redaction.model import Span
from s3memory.redaction.rule import Rule, Subject

Places = Iterator[tuple[int, int]]
Around = Callable[[re.Match[str], int], Places]


class NearRule(Rule):
    """A rule that may find several secrets near one name: `around` yields them for each match of the pattern.

    It is told where the next name begins as well: what is behind that is the next one's, so that most of a text is read
    once, however many names it has.

    Without anchors it is for names beyond ASCII, all of which the pattern searches for. A pattern of many
    words is given by what makes it, for each anchor that a text has.
    """

    __slots__ = ("_make", "around")

    def __init__(
        self,
        *,
        kind: str,
        pattern: str | Callable[[str], str],
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
            pattern=pattern if isinstance(pattern, str) else "",
            source=source,
            fold=True,
            scan=not anchors,
            signs=() if anchors else (b"\xff",),
            samples=samples,
            near=near,
        )
        self.around = around
        self._make = None if isinstance(pattern, str) else pattern

    @property
    def pattern(self) -> str:
        """What has to stand at an anchor, as a regular expression."""
        return "|".join(map(self._pattern_at, self.anchors or ("",)))

    def _pattern_at(self, anchor: str) -> str:
        return self._pattern if self._make is None else self._make(anchor)

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield what is near the names in the text of `subject`."""
        if self.signs and not subject.has_signs(self.signs):
            return
        names = self._names(subject)
        limits = [*(name.start() for name in names[1:]), len(subject.text)]
        fruitless = Fruitless(subject.text)
        for name, limit in zip(names, limits, strict=bool(names)):
            around = fruitless.around(*name.span(), limit)
            if around in fruitless:
                continue
            is_fruitless = True
            for place in self.around(name, limit):
                is_fruitless = False
                yield Span(self.kind, *place)
            if is_fruitless:
                fruitless.add(around)

    def _names(self, subject: Subject) -> list[re.Match[str]]:
        if not self.anchors:
            return list(compiled(self._pattern_at("")).finditer(subject.text))
        found: dict[int, re.Match[str]] = {}
        for anchor in filter(subject.may_hold, self.anchors):
            position = subject.folded.find(anchor)
            while position >= 0:
                match = compiled(self._pattern_at(anchor)).match(subject.text, position)
                if match:
                    found[position] = match
                position = subject.folded.find(anchor, match.end() if match else position + len(anchor))
        names: list[re.Match[str]] = []
        for start in sorted(found):
            if not names or start >= names[-1].end():
                names.append(found[start])
        return names
