"""What runs the rules, the built-in ones and one's own, over a text, its views and what was found before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from s3memory.redaction import turns
from s3memory.redaction.budget import Budget
from s3memory.redaction.decoding import find_in_views
from s3memory.redaction.dispatch import Finder
from s3memory.redaction.merging import without_fakes
from s3memory.redaction.model import Span
from s3memory.redaction.repeats import Repeats
from s3memory.redaction.rule import Subject
from s3memory.redaction.treatment import Treatment

if TYPE_CHECKING:
    from s3memory.redaction.custom import CustomRule


class RuleDetector:
    """The built-in rules and one's own, over a text and its views."""

    def __init__(
        self, built_in: tuple[Finder, ...], own: Sequence[CustomRule], treatment: Treatment, budget: Budget
    ) -> None:
        self._built_in = built_in
        self._own = own
        self._treatment = treatment
        self._budget = budget

    def find(self, text: str, /) -> Iterator[Span]:
        """Return what the rules find in `text`."""
        with turns.for_text(text):
            return iter([*self._find_everywhere(text)])

    def _find_everywhere(self, text: str) -> Iterator[Span]:
        repeats = Repeats()

        def find(looked_at: str) -> Iterator[Span]:
            for span in self._find(looked_at):
                repeats.note(looked_at, span)
                yield span

        def find_again(looked_at: str) -> Iterator[Span]:
            yield from find(looked_at)
            yield from repeats.find(looked_at)

        yield from find(text)
        n_values = len(repeats)
        yield from find_in_views(text, find_again if repeats else find)
        if repeats:
            yield from repeats.find(text)
        # Only what no view before could know: a value that is told where it is encoded.
        if len(repeats) > n_values:
            yield from find_in_views(text, repeats.find)

    def _find(self, text: str) -> Iterator[Span]:
        shown = without_fakes(text, self._treatment.known_kinds)
        subject = Subject(shown)
        permits = self._treatment.allow.permits
        for finder in self._built_in:
            for span in finder.find(subject):
                if not permits(text[span.start : span.end]):
                    yield span
        for rule in self._own:
            for span in rule.find(text, self._budget):
                if not permits(text[span.start : span.end]):
                    yield span
