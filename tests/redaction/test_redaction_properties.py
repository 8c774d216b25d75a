"""What holds for every text: redacting twice changes nothing, nothing raises, and findings point at placeholders."""

from __future__ import annotations

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.made_tokens import TOKENS, seeded
from support.made_tokens import example as token_of

from s3memory.redaction import PatternRedactor, Span
from s3memory.redaction.interface import PLACEHOLDER_PATTERN, placeholder
from s3memory.redaction.rules import RULES
from s3memory.redaction.substitution import redact_with

REDACTOR = PatternRedactor()
EXAMPLES = 150

ANCHORS = sorted({anchor for rule in RULES for anchor in rule.anchors})
BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
CARD = "-".join(["4111", *["1111"] * 3])
JOINTS = [
    " ",
    "\n",
    "=",
    ": ",
    "'",
    '"',
    "\\n",
    "/",
    ".",
    "-",
    "_",
    "|",
    "@",
    "://",
    "%3D",
    "]",
    "[",
    ", ",
    "!",
    "is ",
    "\\_",
    "\\",
]
WORDS = [
    "password",
    "secret",
    "API_KEY",
    "token",
    "Authorization",
    "Bearer",
    "x1y2z3a4b5",
    "hunter2",
    "é",
    "\U0001f600",
]
MARKS = [
    placeholder("password"),
    placeholder("github-token"),
    "[REDACTED:npm-token#0123abcd]",
    "[REDACTED:",
    "REDACTED:a]",
]


def tokens() -> st.SearchStrategy[str]:
    return st.builds(
        lambda rule, seed, shorter_by: token_of(rule, seeded(seed), shorter_by=shorter_by),
        st.sampled_from(TOKENS),
        st.integers(0, 10**6),
        st.sampled_from([0, 0, 0, 1]),
    )


def fragments() -> st.SearchStrategy[str]:
    return st.one_of(
        tokens(),
        st.sampled_from([*ANCHORS, *JOINTS, *WORDS, *MARKS, BEGIN, END, CARD, "A" * 16, "a" * 40]),
        st.sampled_from(JOINTS),
        st.sampled_from(MARKS),
        st.text(max_size=8),
    )


def texts() -> st.SearchStrategy[str]:
    return st.lists(fragments(), max_size=25).map("".join)


@settings(max_examples=EXAMPLES)
@given(texts())
@example(f"password={CARD}")
@example(f"{CARD}.{CARD}.{CARD}")
@example(f"{BEGIN}\n{'A' * 16}[REDACTED:jwt]{'A' * 16}")
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = REDACTOR.redact(text)
    twice = REDACTOR.redact(once.text)
    assert twice.text == once.text
    assert twice.findings == ()


@settings(max_examples=EXAMPLES)
@given(texts())
def test_findings_are_in_order_and_on_lines_that_hold_their_placeholders(text: str) -> None:
    redaction = REDACTOR.redact(text)
    lines = redaction.text.split("\n")
    assert [finding.line for finding in redaction.findings] == sorted(finding.line for finding in redaction.findings)
    for finding in redaction.findings:
        assert placeholder(finding.kind) in lines[finding.line - 1]


def known_placeholders(text: str) -> list[str]:
    """Return those whose kinds are known: any other one is a text like any, which may be a password."""
    marks = PLACEHOLDER_PATTERN.findall(text)
    return [
        mark for mark in marks if mark.strip("[]").removeprefix("REDACTED:").partition("#")[0] in REDACTOR.known_kinds
    ]


@settings(max_examples=EXAMPLES)
@given(texts())
@example("пароль[REDACTED:a]")
def test_every_finding_is_a_new_placeholder_and_old_ones_survive(text: str) -> None:
    before = known_placeholders(text)
    redaction = REDACTOR.redact(text)
    after = known_placeholders(redaction.text)
    assert len(after) == len(before) + len(redaction.findings)
    remaining = iter(after)
    assert all(mark in remaining for mark in before)


@settings(max_examples=EXAMPLES)
@given(st.text())
def test_any_text_at_all_can_be_redacted(text: str) -> None:
    assert isinstance(REDACTOR.redact(text).text, str)


@settings(max_examples=EXAMPLES)
@example("0000\ud800")
@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=40))
def test_lone_surrogates_can_be_redacted(text: str) -> None:
    assert REDACTOR.redact(f"{text} password: hunter2").text.endswith("password: [REDACTED:password]")


class Given:
    """Returns the spans that it was made with."""

    def __init__(self, spans: list[Span]) -> None:
        self.spans = spans

    def find(self, _text: str, /) -> list[Span]:
        return self.spans


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_merging_removes_what_is_covered_and_nothing_else(data: st.DataObject) -> None:
    text = data.draw(st.text("abc", min_size=1, max_size=30))
    bounds = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))
    ranges = data.draw(st.lists(bounds.map(sorted).filter(lambda pair: pair[0] < pair[1]), max_size=8))
    spans = [Span(data.draw(st.sampled_from(["x", "secret", "jwt"])), start, end) for start, end in ranges]
    covered = {index for span in spans for index in range(span.start, span.end)}
    redaction = redact_with([Given(spans)], text)
    kept = "".join(character for index, character in enumerate(text) if index not in covered)
    assert PLACEHOLDER_PATTERN.sub("", redaction.text) == kept
    assert re.sub(r"\[.*?\]", "_", redaction.text).count("_") == len(redaction.findings)
