"""The search of one text: by the rules, by the scored rules, near what they found, in views, and for repeats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from s3memory.redaction.budget import Budget
from s3memory.redaction.decoding import find_in_views
from s3memory.redaction.interface import Span
from s3memory.redaction.merging import without_fake_placeholders
from s3memory.redaction.policy import Treatment
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules.reading.code_fragments import is_source_code
from s3memory.redaction.rules.reading.harmless_codes import has_harmless_label
from s3memory.redaction.rules.reading.harmless_numbers import (
    is_harmless_number,
    is_in_telephone_number,
    is_number_of_address_or_payment,
    is_size,
)
from s3memory.redaction.rules.reading.harmless_statements import is_open_number
from s3memory.redaction.rules.reading.interface_texts import is_interface_text
from s3memory.redaction.rules.reading.near import is_in_placeholder
from s3memory.redaction.rules.reading.reference_numbers import is_ticket_of_queue
from s3memory.redaction.rules.reading.references import is_reference_at
from s3memory.redaction.rules.scoring.features import ContextFeatures, SharedFeatures
from s3memory.redaction.rules.scoring.finding_filter import FindingFilter
from s3memory.redaction.rules.scoring.labelled_values import label_before
from s3memory.redaction.rules.scoring.remarks import is_password_remark
from s3memory.redaction.rules.scoring.scored_rules import ScoredRule
from s3memory.redaction.searching.labelled_elsewhere import find_named_elsewhere
from s3memory.redaction.searching.published import is_published
from s3memory.redaction.searching.repeats import Repeats
from s3memory.redaction.searching.replies import is_no_answer
from s3memory.redaction.searching.rule_selection import needed
from s3memory.redaction.searching.secrets_nearby import FoundSpans, codes_nearby, replaced_words, secrets_nearby
from s3memory.redaction.searching.sibling_keys import siblings
from s3memory.redaction.searching.similar_items import similar_items
from s3memory.redaction.searching.similar_lines import similar_lines
from s3memory.redaction.searching.trimming import Edges
from s3memory.redaction.text.combining_marks import marks_as_letters
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Seen, Subject

if TYPE_CHECKING:
    from s3memory.redaction.custom import CustomRule

_MIN_IN_LIST, _LIST_REACH = 50, 2_500
"""This many findings of one rule within this many characters are a list of secrets."""

_KEYCAPS = r"\u20e3[ ]?[0-9]\ufe0f?\u20e3"  # digits as emoji of keys, which are only read in a view

_MAY_BE_A_NUMBER = frozenset(("password", "recovery-code"))
_MAY_BE_WORDS = frozenset(("password", "secret"))
_NO_PASSWORDS = (is_source_code, is_password_remark, is_no_answer)
_MAY_BE_REFERENCE = _MAY_BE_WORDS | {"url-password"}


class Rules(NamedTuple):
    """The rules of a redactor, and what decides about their findings.

    Attributes:
        built_in: The built-in rules, other than the scored ones.
        scored: The rules that score candidates with a model, for what no other built-in rule finds.
        own: The custom rules, which see the text as it was written.
        treatment: What becomes of each kind, and which values are allowed.
        budget: The time that the custom rules may take.
        finding_filter: The model that may reject findings of built-in rules.
        seen: The caches of the built-in rules.
    """

    built_in: tuple[Rule, ...]
    scored: tuple[ScoredRule, ...]
    own: Sequence[CustomRule]
    treatment: Treatment
    budget: Budget
    finding_filter: FindingFilter
    seen: dict[Rule, Seen]


class TextSearch:
    """The search of one text, of a view of it, or of the settings that were read from it.

    Args:
        rules: The rules.
        written: The text, as it was written.
    """

    def __init__(self, rules: Rules, written: str) -> None:
        self._rules = rules
        self._written = written
        shown = without_fake_placeholders(written, rules.treatment.known_kinds)
        self._subject = Subject(shown, rules.seen)
        self._text = self._subject.text if shown is written else marks_as_letters(written)
        self._found: list[Span] = []
        self._rejected: list[Span] = []

    def everywhere(self) -> Iterator[Span]:
        """Yield what is found by all rules, near other findings, in the text's views, and as repeats of a finding."""
        text, found, edges, repeats = self._text, self._found, Edges(self._text), Repeats()
        for look in (
            self.by_rules,
            partial(secrets_nearby, text, found),
            partial(siblings, text, found),
            self._by_scores,
            partial(similar_items, text, found),
            partial(similar_lines, text, found),
            partial(codes_nearby, text, found),
            self._by_labels_elsewhere,
            partial(replaced_words, text, found),
        ):
            for untrimmed in look():  # each starts with what those before it have found
                span = edges.within(untrimmed)
                repeats.note(text, span)
                found.append(span)
                yield span
        n_values = len(repeats.by_core)
        # What a view decodes may be part of a reference: in percent-encoding, "%DB_PASSWORD%" begins with a character.
        in_views = find_in_views(self._written, partial(self._in_view, repeats))
        yield from (edges.within(span) for span in in_views if not _is_text_or_reference(text, span))
        yield from map(edges.within, repeats.find(text))
        # Values that are described only where they are encoded: they may be repeated in the views before that one.
        if len(repeats.by_core) > n_values:
            yield from map(edges.within, find_in_views(self._written, repeats.find))

    def by_rules(self) -> Iterator[Span]:
        """Yield what the rules find, other than the scored ones."""
        finders = needed(self._rules.built_in, self._subject)
        proposed = {finder: [*dict.fromkeys(finder.find(self._subject))] for finder in finders if finder.family}
        by_form = (span for finder in finders if not finder.family for span in finder.find(self._subject))
        for span in (*by_form, *self._not_rejected(proposed)):
            if not self._is_exempt(span):
                yield span
        for span in (span for rule in self._rules.own for span in rule.find(self._written, self._rules.budget)):
            if not self._is_allowed(span):
                yield span

    def by_all_rules(self) -> Iterator[Span]:
        """Yield what the rules find, the scored ones included."""
        self._found.extend(self.by_rules())
        yield from self._found
        yield from self._by_scores()

    def _by_scores(self) -> Iterator[Span]:
        """Yield the candidates with a high enough score, other than what another rule found, whose span is exact."""
        taken, may_be = FoundSpans(self._found), FoundSpans(self._rejected).is_free
        for rule in self._rules.scored:
            for span in rule.score(self._subject, taken.n_within, taken.is_free, may_be):
                if not (is_in_placeholder(self._text, span.start) or self._is_exempt(span)):
                    yield span

    def _by_labels_elsewhere(self) -> Iterator[Span]:
        """Yield the secrets whose label is elsewhere, and what is near them."""
        named: list[Span] = []
        search = partial(TextSearch, self._rules)
        for span in find_named_elsewhere(
            self._subject,
            self._found,
            find=lambda settings: search(settings).by_rules(),
            score=lambda settings: search(settings).by_all_rules(),
        ):
            if not self._is_exempt(span):
                named.append(span)
                yield span
        yield from secrets_nearby(self._text, named)

    def _in_view(self, repeats: Repeats, view: str) -> Iterator[Span]:
        search = TextSearch(self._rules, view)
        for span in search.by_all_rules() if compiled(_KEYCAPS).search(self._written) else search.by_rules():
            repeats.note(view, span)
            yield span
        yield from repeats.find(view)

    def _not_rejected(self, proposed: dict[Rule, list[Span]]) -> Iterator[Span]:
        """Yield those of the proposed spans that the finding filter does not reject, each once.

        It isn't asked about the secrets in a long list. Only the spans close to one another decide whether they are
        such a list, so that the answer doesn't depend on the rest of the text.
        """
        is_same = self._text is self._subject.text
        features = ContextFeatures(self._text, self._subject.once(SharedFeatures.of) if is_same else None)
        listed: set[Span] = set()
        families: dict[tuple[int, int], set[str]] = {}
        for rule, spans in proposed.items():
            listed.update(_in_lists(spans))
            for span in spans:
                families.setdefault((span.start, span.end), set()).add(rule.family)
        for span in dict.fromkeys(span for spans in proposed.values() for span in spans):
            at = span.start, span.end
            if span in listed or not self._rules.finding_filter.rejects(features, *at, families[at]):
                yield span
            else:
                self._rejected.append(span)

    def _is_allowed(self, span: Span) -> bool:
        return self._rules.treatment.allow.permits(self._written[span.start : span.end])

    def _is_exempt(self, span: Span) -> bool:
        """Whether a finding is allowed, published, part of code or prose, elsewhere, or a number of another sort."""
        text, start, end = self._text, span.start, span.end
        return (
            self._is_allowed(span)
            or is_published(text, span)
            or (span.kind in _MAY_BE_WORDS and any(rules_out(text, start, end) for rules_out in _NO_PASSWORDS))
            or _is_text_or_reference(text, span)
            or (span.kind in _MAY_BE_A_NUMBER and _is_another_number(text, span))
        )


def _is_text_or_reference(text: str, span: Span) -> bool:
    """Whether a finding is a text of a user interface, or stands for a secret that is elsewhere."""
    return (span.kind in _MAY_BE_REFERENCE and is_reference_at(text, span.start, span.end)) or (
        span.kind in _MAY_BE_WORDS and is_interface_text(text, span.start, span.end)
    )


def _is_another_number(text: str, span: Span) -> bool:
    """Whether the context shows that a number is something else, whatever its label, or has no label of a secret."""
    at = text, span.start, span.end
    if (
        is_in_telephone_number(*at)
        or is_number_of_address_or_payment(*at)
        or is_size(*at)
        or has_harmless_label(*at[:2])
        or is_ticket_of_queue(*at[:2])
        or is_open_number(*at)
    ):
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
