"""Merging and substitution against the plainest model of them: one character after another, whatever detectors say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from s3memory.redaction import Finding, PatternRedactor, Redaction, Span
from s3memory.redaction.interface import PLACEHOLDER_PATTERN, kind_of_placeholder, placeholder
from s3memory.redaction.policy import KNOWN_KINDS, Treatment
from s3memory.redaction.substitution import redact_with

EXAMPLES = 100
GENERAL = ["secret", "password", "authorization", "url-password", "api-key"]
KINDS = [*GENERAL, "jwt", "x"]
# A placeholder is one by its kind.
TREATMENT = Treatment(known_kinds=KNOWN_KINDS | {"x"})

FRAGMENTS = [
    "a",
    "b7",
    " ",
    ", ",
    "\n",
    '"',
    "é",
    "👩\u200d👧",
    "[",
    "]",
    "[REDACTED:",
    "[REDACTED:jwt]",
    "[REDACTED:x#0123abcd]",
]
texts = st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join)


@dataclass(frozen=True)
class Given:
    """Finds the same, whatever the text is."""

    spans: tuple[Span, ...]

    def find(self, _text: str, /) -> Iterable[Span]:
        return self.spans


@dataclass(frozen=True)
class FindsWord:
    """Finds each place of a word that has nothing but what `before` allows before it."""

    word: str
    kind: str
    before: str | None = None

    def find(self, text: str, /) -> Iterator[Span]:
        for start in range(len(text)):
            if text.startswith(self.word, start) and (self.before is None or text[:start].endswith(self.before)):
                yield Span(self.kind, start, start + len(self.word))


@st.composite
def found(draw: st.DrawFn) -> tuple[str, list[Span]]:
    text = draw(texts.filter(bool))
    bounds = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    pairs = draw(st.lists(bounds.filter(lambda pair: pair[0] < pair[1]), max_size=6))
    return text, [Span(draw(st.sampled_from(KINDS)), start, end) for start, end in pairs]


def is_placeholder(match: re.Match[str]) -> bool:
    """Whether what has the form of a placeholder is one: "[REDACTED:", "a" and "]" make none."""
    return kind_of_placeholder(match[0]) in TREATMENT.known_kinds


def rank(span: Span) -> tuple[int, int]:
    return (GENERAL.index(span.kind) if span.kind in GENERAL else len(GENERAL)), span.end - span.start


def runs_of(places: set[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for place in sorted(places):
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs


def model(text: str, spans: list[Span]) -> Redaction:
    """Return what the redaction must be, the slow way."""
    masks = [set(range(*match.span())) for match in PLACEHOLDER_PATTERN.finditer(text) if is_placeholder(match)]
    is_masked = set().union(*masks)
    groups: list[list[Span]] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end, span.kind)):
        places = set(range(span.start, span.end))
        if any(places <= mask for mask in masks):
            continue
        touched = [group for group in groups if any(one.start < span.end and span.start < one.end for one in group)]
        groups = [group for group in groups if group not in touched]
        groups.append([*(one for group in touched for one in group), span])
    kind_at: dict[int, tuple[int, str]] = {}
    for number, group in enumerate(groups):
        places = {place for span in group for place in range(span.start, span.end)}
        for run in runs_of(places - is_masked):
            if not places & is_masked or any(text[place].isalnum() for place in run):
                kind_at |= dict.fromkeys(run, (number, max(group, key=rank).kind))
    redacted, findings = "", []
    for place, character in enumerate(text):
        if place not in kind_at:
            redacted += character
        elif kind_at.get(place - 1) != kind_at[place]:
            kind = kind_at[place][1]
            findings.append(Finding(kind, redacted.count("\n") + 1))
            redacted += placeholder(kind)
    return Redaction(redacted, tuple(findings))


def letters_left(text: str, spans: list[Span]) -> str:
    redacted = redact_with([Given(tuple(spans))], text, treatment=TREATMENT).text
    without = PLACEHOLDER_PATTERN.sub(lambda match: "" if is_placeholder(match) else match[0], redacted)
    return "".join(filter(str.isalnum, without))


@settings(max_examples=EXAMPLES)
@given(found())
def test_redaction_is_what_the_model_says(case: tuple[str, list[Span]]) -> None:
    text, spans = case
    assert redact_with([Given(tuple(spans))], text, treatment=TREATMENT) == model(text, spans)


@settings(max_examples=EXAMPLES)
@given(found(), st.randoms(use_true_random=False), st.integers(1, 3))
def test_it_matters_neither_who_found_what_nor_in_which_order(
    case: tuple[str, list[Span]], random: Random, n_detectors: int
) -> None:
    text, spans = case
    shuffled = random.sample(spans, len(spans)) + spans[:2]
    detectors = [Given(tuple(shuffled[number::n_detectors])) for number in range(n_detectors)]
    assert redact_with(detectors, text, treatment=TREATMENT) == redact_with(
        [Given(tuple(spans))], text, treatment=TREATMENT
    )


@settings(max_examples=EXAMPLES)
@given(found())
def test_what_covers_more_leaves_no_more_letters_or_digits(case: tuple[str, list[Span]]) -> None:
    text, spans = case
    left = letters_left(text, spans)
    for number in range(len(spans)):
        with_fewer = iter(letters_left(text, spans[:number] + spans[number + 1 :]))
        assert all(character in with_fewer for character in left)


@settings(max_examples=EXAMPLES)
@given(st.lists(st.sampled_from(["cat", "7", "77", "8", "\n", " ", "[REDACTED:jwt]", "é"]), max_size=25).map("".join))
def test_what_a_redaction_uncovers_is_where_it_was_in_the_text(text: str) -> None:
    everywhere, after = FindsWord("cat", "pet"), FindsWord("7", "seven", before="]")
    assume("7" * 6 not in text)  # each round uncovers one more, and rounds are bounded
    redaction = redact_with([everywhere, after], text, settle=[everywhere, after])
    # The rule, spelt out: a seven goes where a placeholder, or a seven that went, is right before it.
    expected, gone = "", False
    rest = text
    while rest:
        mark = PLACEHOLDER_PATTERN.match(rest)
        if rest.startswith("cat"):
            expected, rest, gone = f"{expected}[REDACTED:pet]", rest[3:], True
        elif mark is not None:
            expected, rest, gone = expected + mark[0], rest[mark.end() :], True
        elif rest[0] == "7" and gone:
            expected, rest = f"{expected}[REDACTED:seven]", rest[1:]
        else:
            expected, rest, gone = expected + rest[0], rest[1:], rest[0] == "]"
    assert redaction.text == expected
    lines = redaction.text.split("\n")
    assert all(placeholder(finding.kind) in lines[finding.line - 1] for finding in redaction.findings)
    assert len(redaction.findings) == sum(map(expected.count, ("[REDACTED:pet]", "[REDACTED:seven]")))


@pytest.mark.parametrize("kind", ["password", "secret", "card-number", "ssn", "email"])
def test_a_tag_on_a_kind_that_has_none_is_no_placeholder(kind: str) -> None:
    mark = f"[REDACTED:{kind}#0123abcd]"
    assert PatternRedactor().redact(f"password: {mark}").text == "password: [REDACTED:password]"
    tagged = "password: [REDACTED:npm-token#0123abcd]"
    assert PatternRedactor().redact(tagged).text == tagged
