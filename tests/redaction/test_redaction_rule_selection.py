"""One pass over the text finds what every token's rule finds by itself, and a table's row says what its rule is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.made_tokens import TOKENS, example, seeded

from s3memory.redaction.rules import RULES
from s3memory.redaction.rules.providers.table import BETTERLEAKS, table
from s3memory.redaction.rules.scoring.scored_rules import ScoredRule
from s3memory.redaction.searching.rule_selection import TokenTable, finders, needed
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.tokens import Run, Token

PREFIXES = sorted({prefix for rule in TOKENS for prefix in rule.prefixes})
JOINTS = [" ", "\n", "\\n", "%3D", "\\u003d", '"', "=", "_", "-", ".", "/", "a", "1", "\u00e9", "\u200b", "\U0001f600"]


def tokens() -> st.SearchStrategy[str]:
    return st.builds(lambda rule, seed: example(rule, seeded(seed)), st.sampled_from(TOKENS), st.integers(0, 999))


@settings(max_examples=200)
@given(st.lists(st.one_of(tokens(), st.sampled_from(PREFIXES), st.sampled_from(JOINTS)), max_size=12).map("".join))
def test_all_tokens_together_are_what_each_rule_finds_alone(text: str) -> None:
    subject = Subject(text)
    together = {span for finder in finders(tuple(TOKENS)) for span in finder.find(subject)}
    alone = {span for rule in TOKENS for span in rule.find(subject)}
    assert together == alone


def test_each_other_rule_is_a_finder_as_it_is() -> None:
    assert set(RULES) - set(TOKENS) <= set(finders(RULES))


def test_almost_all_tokens_are_found_in_one_pass() -> None:
    assert isinstance(finders(RULES)[0], TokenTable)
    alone = [finder for finder in finders(RULES) if isinstance(finder, Token)]
    assert len(alone) < 12
    assert 20 * len(alone) < len(TOKENS)
    # What is no token is looked for by itself, at a cost in every text; what is weighed is what the others leave.
    others = [finder for finder in finders(RULES) if not isinstance(finder, TokenTable | ScoredRule)]
    assert len(others) < 175 < len(RULES)


def test_without_tokens_there_is_nothing_to_dispatch() -> None:
    others = tuple(rule for rule in RULES if not isinstance(rule, Token))
    assert finders(others) == others


def test_a_row_is_a_kind_a_format_and_where_it_is_documented() -> None:
    (rule,) = table("acme-key  (ac_live_|ac_test_)<alnum:20-24>-<HEX:8+>  docs.example.org/keys")
    assert (rule.kind, rule.prefixes) == ("acme-key", ("ac_live_", "ac_test_"))
    assert rule.shape == (Run("A-Za-z0-9", 20, 24), "-", Run("0-9A-Fa-f", 8))
    assert rule.source == "https://docs.example.org/keys"
    assert table("acme-key ac_<lower:20>")[0].source == BETTERLEAKS


def test_a_row_with_an_exclamation_mark_wants_something_random() -> None:
    (rule,) = table("acme-key ac_<alnum:20+> !")
    assert not list(rule.find(Subject("ac_" + "configurationOptions")))
    assert list(rule.find(Subject("ac_" + "k3J9xQ2m7Lp4Rt8vW1zB")))


def test_a_row_with_too_many_words_is_refused() -> None:
    with pytest.raises(ValueError, match="acme-key has more"):
        table("acme-key ac_<lower:20> docs.example.org and more")


def test_a_format_that_begins_with_a_run_is_looked_for_by_its_longest_literal() -> None:
    (rule,) = table("acme-key <lower:6>_<lower:20>_acme docs.example.org")
    assert (rule.prefixes, rule.anchors) == ((), ("_acme",))


def test_a_format_without_a_literal_is_refused() -> None:
    with pytest.raises(ValueError, match="prefix or anchors"):
        table("acme-key <hex:40> docs.example.org")


ANCHORS = sorted({anchor for rule in RULES if not rule.fold for anchor in rule.anchors})
FOLDED_ANCHORS = sorted({anchor for rule in RULES if rule.fold for anchor in rule.anchors})
WRITTEN = [
    *((anchor, anchor) for anchor in ANCHORS),
    *((anchor, anchor.upper() if anchor.isascii() else anchor) for anchor in FOLDED_ANCHORS),
]
BESIDE = st.text("aZ9 \t\n\x1c\u00a0é.:/-", max_size=6)


@settings(max_examples=300)
@given(st.sampled_from(WRITTEN), BESIDE, BESIDE, st.sampled_from(["", " and other words" * 20]))
def test_no_anchor_is_missed_by_looking_at_words_first(
    case: tuple[str, str], before: str, behind: str, others: str
) -> None:
    anchor, written = case
    assert Subject(f"{before}{written}{behind}{others}").held((anchor,)) == [anchor]


def test_anchors_that_are_looked_up_together_are_those_that_are_looked_up_alone() -> None:
    text = "the wifi password of the Büro, пароль, AKIA, session=, " * 20
    together = Subject(text)
    finders_needed = needed(finders(RULES), together)
    for rule in finders(RULES):
        if rule.anchors:
            held = Subject(text).held(rule.anchors)
            assert together.held(rule.anchors) == held
            assert (rule in finders_needed) == bool(held)
