"""What runs the rules, the built-in ones and your own, over a text, its views and what was found before."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

from s3memory._forks import OfOneProcess
from s3memory.redaction.budget import Budget
from s3memory.redaction.decoding import find_in_views
from s3memory.redaction.merging import without_fakes
from s3memory.redaction.model import Span
from s3memory.redaction.policy import Treatment
from s3memory.redaction.refusals import UncheckedTextError
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules.reading.in_code import is_of_sources
from s3memory.redaction.rules.reading.near import is_in_placeholder
from s3memory.redaction.rules.reading.other_numbers import is_another_number
from s3memory.redaction.rules.reading.said_of_it import is_said_of_it
from s3memory.redaction.rules.scoring.features import ContextFeatures
from s3memory.redaction.rules.scoring.finding_filter import FindingFilter
from s3memory.redaction.rules.scoring.labelled_values import label_before
from s3memory.redaction.rules.scoring.scored_rules import ScoredRule
from s3memory.redaction.searching.alike_items import alike_items
from s3memory.redaction.searching.checked import Checked, blocks_of
from s3memory.redaction.searching.dispatch import needed
from s3memory.redaction.searching.edges import Edges
from s3memory.redaction.searching.lines_alike import lines_alike
from s3memory.redaction.searching.named_elsewhere import find_named_elsewhere
from s3memory.redaction.searching.proximity import Taken, beside, codes_beside
from s3memory.redaction.searching.published import is_published
from s3memory.redaction.searching.repeats import Repeats
from s3memory.redaction.searching.siblings import siblings
from s3memory.redaction.text.marks import as_letters
from s3memory.redaction.text.subject import Seen, Subject

if TYPE_CHECKING:
    from s3memory.redaction.custom import CustomRule

_MANY, _CLOSE = 50, 2_500
"""So many finds of one rule within so many characters are a list of secrets."""

_MAY_BE_A_NUMBER = frozenset(("password", "recovery-code"))
_MAY_BE_WORDS = frozenset(("password", "secret"))

# A shorter text is looked through in the time that a thread has anyway before another's turn.
_LONG_CHARS = 8_192


class _Turns(OfOneProcess):
    """Long texts are looked through one after another: side by side they would take as long, and keep others waiting.

    Python runs one thread at a time. With many that compute, a thread with little to do, such as an event loop, waits
    for each of them before it is its turn again: 50 texts of 90 kB at once kept one waiting for seconds.
    """

    def begin_anew(self) -> None:
        self.lock = threading.RLock()  # one's own rule may itself redact


_turns = _Turns()


class RuleDetector(NamedTuple):
    """The built-in rules and your own, over a text and its views.

    Those that weigh are asked about what no other built-in rule finds. The budget is for your own, which see the text
    as it is written. What the same rules have checked before, they are not run over again.
    """

    built_in: tuple[Rule, ...]
    weighed: tuple[ScoredRule, ...]
    own: Sequence[CustomRule]
    treatment: Treatment
    budget: Budget
    finding_filter: FindingFilter
    checked: Checked
    seen: dict[Rule, Seen]

    def find(self, text: str, /) -> Iterator[Span]:
        """Return what the rules find in `text`."""
        with _turns.lock if len(text) > _LONG_CHARS else nullcontext():
            return iter(self._found(text))

    def _found(self, text: str) -> list[Span]:
        blocks = [*blocks_of(text)]
        unknown = self.checked.unknown(blocks)
        is_whole = unknown == [(0, len(text))]
        # What a part says by itself is not what the text says: only that there is nothing.
        found = [*self._find_everywhere(text)] if is_whole or self._holds_any(text, unknown) else []
        self.checked.note(blocks, found)
        return found

    def _holds_any(self, text: str, parts: Iterable[tuple[int, int]]) -> bool:
        try:
            return any(True for start, end in parts for _ in self._find_everywhere(text[start:end]))
        except UncheckedTextError:  # a part may be encoded more than a text may be
            return True

    def _find_everywhere(self, written: str) -> Iterator[Span]:
        text = as_letters(written)
        repeats, subject, edges = Repeats(), self._subject(text), Edges(text)
        found: list[Span] = []
        refused: list[Span] = []

        def find(looked_at: str) -> Iterator[Span]:
            for span in self._find_by_itself(looked_at):
                repeats.note(looked_at, span)
                yield span
            yield from repeats.find(looked_at)

        # Each begins with what those before it found.
        weighed, codes = self._weigh(written, text, subject, found, refused), codes_beside(text, found)
        beside_them, alike = beside(text, found), siblings(text, found)
        items, lines = alike_items(text, found), lines_alike(text, found)
        elsewhere = (
            span
            for span in find_named_elsewhere(subject, found, self._find_by_itself, self._find_and_weigh)
            if not self.treatment.allow.permits(written[span.start : span.end])
        )
        for spans in (
            self._find(written, text, subject, refused),
            beside_them,
            alike,
            weighed,
            items,
            lines,
            codes,
            elsewhere,
        ):
            for taken in spans:
                span = edges.within(taken)
                repeats.note(text, span)
                found.append(span)
                yield span
        n_values = len(repeats.by_core)
        yield from map(edges.within, find_in_views(written, find))
        yield from map(edges.within, repeats.find(text))
        # Only what no view before could know: a value that is told where it is encoded.
        if len(repeats.by_core) > n_values:
            yield from map(edges.within, find_in_views(written, repeats.find))

    def _find_by_itself(self, written: str) -> Iterator[Span]:
        text = as_letters(written)
        return self._find(written, text, self._subject(text), [])

    def _find_and_weigh(self, written: str) -> Iterator[Span]:
        text, refused = as_letters(written), list[Span]()
        subject = self._subject(text)
        found = [*self._find(written, text, subject, refused)]
        yield from found
        yield from self._weigh(written, text, subject, found, refused)

    def _subject(self, text: str) -> Subject:
        return Subject(without_fakes(text, self.treatment.known_kinds), self.seen)

    def _find(self, written: str, text: str, subject: Subject, refused: list[Span]) -> Iterator[Span]:
        """Yield what the rules but those that weigh find, and add to `refused` what a second look says is none."""
        finders = needed(self.built_in, subject)
        proposed = {finder: [*dict.fromkeys(finder.find(subject))] for finder in finders if finder.family}
        by_form = (span for finder in finders if not finder.family for span in finder.find(subject))
        for span in (*by_form, *self._looked_at_again(text, proposed, refused)):
            if not self._is_let_through(written, text, span):
                yield span
        for span in (span for rule in self.own for span in rule.find(written, self.budget)):
            if not self.treatment.allow.permits(written[span.start : span.end]):
                yield span

    def _is_let_through(self, written: str, text: str, span: Span) -> bool:
        return (
            self.treatment.allow.permits(written[span.start : span.end])
            or is_published(text, span)
            or (
                span.kind in _MAY_BE_WORDS
                and (is_of_sources(text, span.start, span.end) or is_said_of_it(text, span.start, span.end))
            )
            or (span.kind in _MAY_BE_A_NUMBER and _is_another_number(text, span))
        )

    def _looked_at_again(self, text: str, proposed: dict[Rule, list[Span]], refused: list[Span]) -> Iterator[Span]:
        """Yield what the second look does not refuse of what rules propose, each once.

        Nothing of a list of secrets is asked about. What is one is told by what is close: it is the same wherever the
        list stands, and whatever else is in the text.
        """
        features = ContextFeatures(text)
        listed: set[Span] = set()
        families: dict[tuple[int, int], set[str]] = {}
        for rule, spans in proposed.items():
            listed.update(_listed(spans))
            for span in spans:
                families.setdefault((span.start, span.end), set()).add(rule.family)
        for span in dict.fromkeys(span for spans in proposed.values() for span in spans):
            place = span.start, span.end
            if span in listed or not self.finding_filter.rejects(features, *place, families[place]):
                yield span
            else:
                refused.append(span)

    def _weigh(
        self, written: str, text: str, subject: Subject, found: list[Span], refused: list[Span]
    ) -> Iterator[Span]:
        """Yield what weighs enough of what no other rule found: where that starts and ends, they know better."""
        taken, may_be = Taken(found), Taken(refused).is_free
        for rule in self.weighed:
            for span in rule.score(subject, taken.n_within, taken.is_free, may_be):
                if not (is_in_placeholder(text, span.start) or self._is_let_through(written, text, span)):
                    yield span


def _is_another_number(text: str, span: Span) -> bool:
    """Whether a number says that it is something else, and no name before it that it is a secret whatever it is."""
    return is_another_number(text, span.start, span.end) and label_before(text, span.start) is None


def _listed(spans: list[Span]) -> set[Span]:
    """Return those of what one rule found that start where many start close together."""
    starts = sorted({span.start for span in spans})
    listed = {
        start
        for number, (first, last) in enumerate(zip(starts, starts[_MANY - 1 :], strict=False))
        if last - first < _CLOSE
        for start in starts[number : number + _MANY]
    }
    return {span for span in spans if span.start in listed}
