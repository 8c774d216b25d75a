"""Runs the built-in rules and your own over a text and its views, and looks for more secrets near the findings."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

from s3memory._forks import OfOneProcess
from s3memory.redaction.budget import Budget
from s3memory.redaction.decoding import find_in_views
from s3memory.redaction.interface import Span
from s3memory.redaction.merging import without_fake_placeholders
from s3memory.redaction.policy import Treatment
from s3memory.redaction.refusals import UncheckedTextError
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules.reading.code_fragments import is_source_code
from s3memory.redaction.rules.reading.harmless_numbers import (
    is_harmless_number,
    is_in_telephone_number,
    is_number_of_address_or_payment,
)
from s3memory.redaction.rules.reading.interface_texts import is_interface_text
from s3memory.redaction.rules.reading.near import is_in_placeholder
from s3memory.redaction.rules.reading.references import is_reference_at
from s3memory.redaction.rules.scoring.features import ContextFeatures
from s3memory.redaction.rules.scoring.finding_filter import FindingFilter
from s3memory.redaction.rules.scoring.labelled_values import label_before
from s3memory.redaction.rules.scoring.remarks import is_password_remark
from s3memory.redaction.rules.scoring.scored_rules import ScoredRule
from s3memory.redaction.searching.answers import is_no_answer
from s3memory.redaction.searching.checked_blocks import Checked, blocks_of
from s3memory.redaction.searching.labelled_elsewhere import find_named_elsewhere
from s3memory.redaction.searching.published import is_published
from s3memory.redaction.searching.repeats import Repeats
from s3memory.redaction.searching.rule_selection import needed
from s3memory.redaction.searching.secrets_nearby import FoundSpans, codes_nearby, secrets_nearby
from s3memory.redaction.searching.sibling_keys import siblings
from s3memory.redaction.searching.similar_items import similar_items
from s3memory.redaction.searching.similar_lines import similar_lines
from s3memory.redaction.searching.trimming import Edges
from s3memory.redaction.text.combining_marks import marks_as_letters
from s3memory.redaction.text.subject import Seen, Subject

if TYPE_CHECKING:
    from s3memory.redaction.custom import CustomRule

_MIN_IN_LIST, _LIST_REACH = 50, 2_500
"""This many findings of one rule within this many characters are a list of secrets."""

_MAY_BE_A_NUMBER = frozenset(("password", "recovery-code"))
_MAY_BE_WORDS = frozenset(("password", "secret"))
_NO_PASSWORDS = (is_source_code, is_password_remark, is_no_answer)
_MAY_BE_REFERENCE = _MAY_BE_WORDS | {"url-password"}

# A shorter text is searched within the time that the interpreter gives a thread before it switches to another.
_LONG_CHARS = 8_192


class _Turns(OfOneProcess):
    """A lock for long texts: they are searched one after another, so that other threads don't have to wait.

    Python runs one thread at a time, so several searches at once would not be faster. But a thread with little to do,
    such as an event loop, has to wait for each of them before its next turn: 50 texts of 90 kB at once kept one waiting
    for seconds.
    """

    def reset_after_fork(self) -> None:
        self.lock = threading.RLock()  # a custom rule may itself redact


_turns = _Turns()


class RuleDetector(NamedTuple):
    """A detector that runs the built-in rules and your own over a text and its views.

    Attributes:
        built_in: The built-in rules, other than the scored ones.
        scored: The rules that score candidates with a model, for what no other built-in rule finds.
        own: The custom rules, which see the text as it was written.
        treatment: What becomes of each kind, and which values are allowed.
        budget: The time that the custom rules may take.
        finding_filter: The model that may reject findings of built-in rules.
        checked: The parts of earlier texts in which nothing was found: they are not searched again.
        seen: The caches of the built-in rules.
    """

    built_in: tuple[Rule, ...]
    scored: tuple[ScoredRule, ...]
    own: Sequence[CustomRule]
    treatment: Treatment
    budget: Budget
    finding_filter: FindingFilter
    checked: Checked
    seen: dict[Rule, Seen]

    def find(self, text: str, /) -> Iterator[Span]:
        """Return the spans that the rules find in `text`."""
        with _turns.lock if len(text) > _LONG_CHARS else nullcontext():
            return iter(self._found(text))

    def _found(self, text: str) -> list[Span]:
        blocks = [*blocks_of(text)]
        unknown = self.checked.unknown(blocks)
        is_whole = unknown == [(0, len(text))]
        # The unknown parts alone can only show that nothing is in them. If anything is, the whole text is searched.
        found = [*self._find_everywhere(text)] if is_whole or self._holds_any(text, unknown) else []
        self.checked.note(blocks, found)
        return found

    def _holds_any(self, text: str, parts: Iterable[tuple[int, int]]) -> bool:
        try:
            return any(True for start, end in parts for _ in self._find_everywhere(text[start:end]))
        except UncheckedTextError:  # a part may have more that is encoded than its length allows
            return True

    def _find_everywhere(self, written: str) -> Iterator[Span]:
        """Yield what is found in a text by all rules, near other findings, in its views and as repeats of a finding."""
        text = marks_as_letters(written)
        repeats, subject, edges = Repeats(), self._subject(text), Edges(text)
        found: list[Span] = []
        rejected: list[Span] = []

        def find(looked_at: str) -> Iterator[Span]:
            for span in self._find_by_itself(looked_at):
                repeats.note(looked_at, span)
                yield span
            yield from repeats.find(looked_at)

        # These are generators: each starts with what those before it have found.
        for spans in (
            self._find(written, text, subject, rejected),
            secrets_nearby(text, found),
            siblings(text, found),
            self._score(written, text, subject, found, rejected),
            similar_items(text, found),
            similar_lines(text, found),
            codes_nearby(text, found),
            self._find_elsewhere(written, text, subject, found),
        ):
            for untrimmed in spans:
                span = edges.within(untrimmed)
                repeats.note(text, span)
                found.append(span)
                yield span
        n_values = len(repeats.by_core)
        # What a view decodes may be part of a reference: in percent-encoding, "%DB_PASSWORD%" begins with a character.
        in_views = (span for span in find_in_views(written, find) if not _is_text_or_reference(text, span))
        yield from map(edges.within, in_views)
        yield from map(edges.within, repeats.find(text))
        # Values that are described only where they are encoded: they may be repeated in the views before that one.
        if len(repeats.by_core) > n_values:
            yield from map(edges.within, find_in_views(written, repeats.find))

    def _find_elsewhere(self, written: str, text: str, subject: Subject, found: list[Span]) -> Iterator[Span]:
        """Yield the secrets whose label is elsewhere, and what is near them."""
        named: list[Span] = []
        for span in find_named_elsewhere(subject, found, self._find_by_itself, self._find_and_score):
            if not self._is_exempt(written, text, span):
                named.append(span)
                yield span
        yield from secrets_nearby(text, named)

    def _find_by_itself(self, written: str) -> Iterator[Span]:
        text = marks_as_letters(written)
        return self._find(written, text, self._subject(text), [])

    def _find_and_score(self, written: str) -> Iterator[Span]:
        text, rejected = marks_as_letters(written), list[Span]()
        subject = self._subject(text)
        found = [*self._find(written, text, subject, rejected)]
        yield from found
        yield from self._score(written, text, subject, found, rejected)

    def _subject(self, text: str) -> Subject:
        return Subject(without_fake_placeholders(text, self.treatment.known_kinds), self.seen)

    def _find(self, written: str, text: str, subject: Subject, rejected: list[Span]) -> Iterator[Span]:
        """Yield what the rules find, other than the scored ones. Add to `rejected` what the finding filter rejects."""
        finders = needed(self.built_in, subject)
        proposed = {finder: [*dict.fromkeys(finder.find(subject))] for finder in finders if finder.family}
        by_form = (span for finder in finders if not finder.family for span in finder.find(subject))
        for span in (*by_form, *self._not_rejected(text, proposed, rejected)):
            if not self._is_exempt(written, text, span):
                yield span
        for span in (span for rule in self.own for span in rule.find(written, self.budget)):
            if not self.treatment.allow.permits(written[span.start : span.end]):
                yield span

    def _is_exempt(self, written: str, text: str, span: Span) -> bool:
        """Whether a finding is allowed, published, part of code or prose, elsewhere, or a number of another sort."""
        return (
            self.treatment.allow.permits(written[span.start : span.end])
            or is_published(text, span)
            or (
                span.kind in _MAY_BE_WORDS and any(rules_out(text, span.start, span.end) for rules_out in _NO_PASSWORDS)
            )
            or _is_text_or_reference(text, span)
            or (span.kind in _MAY_BE_A_NUMBER and _is_another_number(text, span))
        )

    def _not_rejected(self, text: str, proposed: dict[Rule, list[Span]], rejected: list[Span]) -> Iterator[Span]:
        """Yield those of the proposed spans that the finding filter does not reject, each once.

        It isn't asked about the secrets in a long list. Only the spans close to one another decide whether they are
        such a list, so that the answer doesn't depend on the rest of the text.
        """
        features = ContextFeatures(text)
        listed: set[Span] = set()
        families: dict[tuple[int, int], set[str]] = {}
        for rule, spans in proposed.items():
            listed.update(_in_lists(spans))
            for span in spans:
                families.setdefault((span.start, span.end), set()).add(rule.family)
        for span in dict.fromkeys(span for spans in proposed.values() for span in spans):
            at = span.start, span.end
            if span in listed or not self.finding_filter.rejects(features, *at, families[at]):
                yield span
            else:
                rejected.append(span)

    def _score(
        self, written: str, text: str, subject: Subject, found: list[Span], rejected: list[Span]
    ) -> Iterator[Span]:
        """Yield the candidates with a high enough score, other than what another rule found, whose span is exact."""
        taken, may_be = FoundSpans(found), FoundSpans(rejected).is_free
        for rule in self.scored:
            for span in rule.score(subject, taken.n_within, taken.is_free, may_be):
                if not (is_in_placeholder(text, span.start) or self._is_exempt(written, text, span)):
                    yield span


def _is_text_or_reference(text: str, span: Span) -> bool:
    """Whether a finding is a text of a user interface, or stands for a secret that is elsewhere."""
    return (span.kind in _MAY_BE_REFERENCE and is_reference_at(text, span.start, span.end)) or (
        span.kind in _MAY_BE_WORDS and is_interface_text(text, span.start, span.end)
    )


def _is_another_number(text: str, span: Span) -> bool:
    """Whether the context shows that a number is something else, whatever its label, or has no label of a secret."""
    at = text, span.start, span.end
    if is_in_telephone_number(*at) or is_number_of_address_or_payment(*at):
        return True
    return is_harmless_number(*at) and label_before(text, span.start) is None


def _in_lists(spans: list[Span]) -> set[Span]:
    """Return those of one rule's spans that are part of a list: many of them start close together."""
    starts = sorted({span.start for span in spans})
    listed = {
        start
        for number, (first, last) in enumerate(zip(starts, starts[_MIN_IN_LIST - 1 :], strict=False))
        if last - first < _LIST_REACH
        for start in starts[number : number + _MIN_IN_LIST]
    }
    return {span for span in spans if span.start in listed}
