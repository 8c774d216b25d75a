"""Every rule, wherever it is written down, is found in what it gives as samples and is not in what is only near them.

For tokens, `test_redaction_tokens` makes both from their shapes.
"""

from __future__ import annotations

import pytest
from support.for_each import for_each
from support.made_tokens import seeded
from support.redaction_samples import expanded, with_placeholders, without_marks

from s3memory.redaction import PatternRedactor
from s3memory.redaction.interface import placeholder
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules import RULES
from s3memory.redaction.rules.personal import personal_rules
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.tokens import Token

WITHOUT_SHAPE = [rule for rule in (*RULES, *personal_rules()) if not isinstance(rule, Token)]
MADE = 20
# Of what is made of a sample, which `make test-long` tries all.
SHARES = pytest.mark.parametrize("times", [4, pytest.param(MADE, marks=pytest.mark.long)])


def name_of(rule: Rule) -> str:
    return f"{rule.kind}:{rule.samples[:1]}"


@for_each("rule", WITHOUT_SHAPE, ids=name_of)
def test_a_rule_comes_with_samples_and_with_what_is_near_them(rule: Rule) -> None:
    assert rule.samples
    assert rule.near
    assert all("«" in sample or "marked" in sample for sample in rule.samples)


@for_each("rule", [rule for rule in WITHOUT_SHAPE if rule.fold], ids=name_of)
def test_a_name_beyond_latin_is_looked_up_where_it_begins_a_sentence_as_well(rule: Rule) -> None:
    # Georgian has capitals that nobody writes at the start of a sentence.
    beyond = [anchor for anchor in rule.anchors if not compiled("[ -~\u10a0-\u10ff]").search(anchor)]
    assert {anchor[0].upper() + anchor[1:] for anchor in beyond} <= {*rule.anchors}


@SHARES
@for_each("rule", WITHOUT_SHAPE, ids=name_of)
def test_what_a_sample_marks_is_redacted_and_the_rest_stays(rule: Rule, times: int) -> None:
    rng, redactor = seeded(rule.pattern), PatternRedactor(kinds={rule.kind})
    for sample in rule.samples:
        for _ in range(times):
            made = expanded(sample, rng)
            redacted = redactor.redact(without_marks(made)).text
            assert redacted == with_placeholders(made, placeholder(rule.kind)), made


@for_each("rule", WITHOUT_SHAPE, ids=name_of)
def test_a_rule_finds_its_samples_by_itself(rule: Rule) -> None:
    for sample in rule.samples:
        made = expanded(sample, seeded(rule.pattern))
        text = without_marks(made)
        marked = [(made.index("«"), made.index("»") - 1)]
        assert {(span.start, span.end) for span in rule.find(Subject(text))} == set(marked), text


@for_each("rule", WITHOUT_SHAPE, ids=name_of)
def test_a_rule_finds_nothing_in_what_is_near(rule: Rule) -> None:
    rng = seeded(rule.pattern)
    for sample in rule.near:
        for _ in range(MADE):
            text = expanded(sample, rng)
            assert not list(rule.find(Subject(text))), text
