"""Rules of one's own find what they say and can hang nothing: a pattern that could is refused before it is run."""

from __future__ import annotations

import re
import time
import traceback

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s3memory.errors import ConfigurationError
from s3memory.redaction import Allowlist, CustomRule, PatternRedactor, UncheckedTextError
from s3memory.redaction.bounds import check_bounds
from s3memory.redaction.budget import Budget
from s3memory.redaction.checks import MAX_MATCH_CHARACTERS

TICKET = CustomRule(kind="ticket", pattern=r"TICKET-[0-9]{1,9}", keywords=["TICKET-"])
UNBOUNDED = [
    r"a+",
    r"a*b",
    r"a{5,}",
    r".*",
    r"(a+)+b",
    r"(a|aa)+$",
    r"(a|a)*b",
    r"([a-z]{1,64}){1,64}x",
    r"(?:a{1,30}){1,8}b",
    r"(?:a?){60}b",
    r"a{1,200}a{1,200}b",
    r"(?=(a{1,250}){1,250}b)a",
    r"(?=.*x)a",
    r"(x{1,20}y{0,20}){1,12}z",
    r"[a-z]{1,256}[0-9]{1,256}",
    r"[0-9]{4}(?=.{0,253}x)",
    r"[0-9]{4}(?!.{100}(?=.{153}x))",
]
EMPTY = [r"", r"a?", r"a{0,5}", r"(?=a)", r"^", r"\b", r"(a|)"]
MALFORMED = [r"(", r"[a", r"a{2,1}", r"(?P<secret", r"*a", r"\8"]
BOUNDED = [
    r"TICKET-[0-9]{1,9}",
    r"[A-Z]{2,5}-\d{1,6}\b",
    r"(?i)emp(?:loyee)? ?(?:no|nr)\.? ?(?P<secret>[0-9]{5,8})",
    r"(?<![0-9])[0-9]{8}(?![0-9])",
    r"[a-z]{1,64}+@[a-z]{1,64}+\.test",
    r"(?:[A-F0-9]{2}:){5}[A-F0-9]{2}",
]


@pytest.mark.parametrize("pattern", UNBOUNDED)
def test_a_pattern_that_could_take_long_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigurationError):
        CustomRule(kind="ticket", pattern=pattern)


@pytest.mark.parametrize("pattern", EMPTY)
def test_a_pattern_that_could_match_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigurationError, match="without a character"):
        check_bounds(pattern)


@pytest.mark.parametrize("pattern", [*MALFORMED, None, b"a", 7])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigurationError):
        check_bounds(pattern)


SHOWN = "Harbor4711"


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        (rf"{SHOWN}(", "not a regular expression: missing [)], unterminated subpattern at position 10$"),
        (rf"(?P<{SHOWN}!>a)", "not a regular expression: bad character in group name at position 4$"),
        (rf"(?P<{SHOWN}'!>a)", "not a regular expression: bad character in group name at position 4$"),
        (rf"(?P={SHOWN})", "not a regular expression: unknown group name at position 4$"),
        (rf"(?P<{SHOWN}>a)(?P<{SHOWN}>b)", "not a regular expression: redefinition of group name at position"),
        (r"\N{" + SHOWN + "}", "not a regular expression: undefined character name at position 0$"),
        (rf"{SHOWN}|", "can match without a character$"),
        (rf"{SHOWN}.*", "can match more than 256 characters"),
        (rf"{SHOWN}(a?){{60}}", "can take more than 8192 steps"),
        pytest.param(f"{SHOWN}{'(' * 3000}a{')' * 3000}", "can't be shown to be bounded$", id="deep"),
    ],
)
def test_an_error_about_a_pattern_says_whose_it_is_and_what_is_wrong_and_quotes_nothing_of_it(
    pattern: str, told: str
) -> None:
    with pytest.raises(ConfigurationError, match=f"^the pattern of 'ticket' (is )?{told}") as caught:
        CustomRule(kind="ticket", pattern=pattern)
    assert SHOWN not in str(caught.value)
    with pytest.raises(ConfigurationError, match=f"^pattern 2 of the allow-list (is )?{told}") as caught:
        Allowlist(patterns=["TEST", pattern])
    assert SHOWN not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("pattern", BOUNDED)
def test_a_bounded_pattern_is_taken(pattern: str) -> None:
    check_bounds(pattern)


PARTS = st.recursive(
    st.sampled_from(["a", "b", "[ab]", ".", "a?", r"\b"]),
    lambda inside: st.one_of(
        st.tuples(inside, inside).map("".join),
        st.tuples(inside, inside).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inside, st.integers(0, 3), st.integers(3, 40)).map(
            lambda made: f"(?:{made[0]}){{{made[1]},{made[2]}}}"
        ),
        inside.map(lambda one: f"(?={one})"),
    ),
    max_leaves=6,
)


@settings(max_examples=100)
@given(PARTS)
def test_whatever_pattern_is_taken_ends_soon_on_a_text_made_of_its_letters(pattern: str) -> None:
    try:
        check_bounds(pattern)
    except ConfigurationError:
        return
    text = "ab" * 50 + "a" * 900 + "c"
    start = time.process_time()
    found = list(re.compile(pattern).finditer(text))
    assert time.process_time() - start < 1
    assert all(0 < match.end() - match.start() <= MAX_MATCH_CHARACTERS for match in found)


def test_the_group_secret_says_what_goes() -> None:
    rule = CustomRule(kind="employee", pattern=r"(?i)employee (?P<secret>[0-9]{5,8})")
    assert PatternRedactor(rules=[rule]).redact("see Employee 47114711").text == "see Employee [REDACTED:employee]"


def test_a_keyword_may_stand_anywhere_near_the_match() -> None:
    rule = CustomRule(kind="badge", pattern=r"\b[0-9]{6}\b", keywords=["badge"])
    redactor = PatternRedactor(rules=[rule])
    assert redactor.redact("the badge of Jo is 471147").text == "the badge of Jo is [REDACTED:badge]"
    assert redactor.redact("471147 is Jo's badge").text == "[REDACTED:badge] is Jo's badge"
    far = " and so on" * MAX_MATCH_CHARACTERS
    assert redactor.redact(f"badge{far} 471147").text == f"badge{far} 471147"
    assert redactor.redact("471147 is Jo's number").findings == ()


@settings(max_examples=100)
@given(st.lists(st.sampled_from(["TICKET-1", "TICKET-123456789", " ", "x" * 97, "TICKET-", "\n"]), max_size=40))
def test_a_rule_finds_the_same_a_stretch_at_a_time_as_at_once(parts: list[str]) -> None:
    text = "".join(parts)
    spans = [(span.start, span.end) for span in TICKET.find(text, Budget(60))]
    assert spans == [match.span() for match in re.finditer(TICKET.pattern, text)]


@settings(max_examples=100)
@given(st.integers(0, 700), st.integers(0, 260))
def test_what_a_rule_looks_ahead_at_counts_wherever_the_match_stands(before: int, between: int) -> None:
    rule = CustomRule(kind="ticket", pattern=r"[0-9]{4}(?=.{0,251}x)")
    text = f"{'-' * before}4711{'-' * between}x"
    assert [span.start for span in rule.find(text, Budget(60))] == ([before] if between <= 251 else [])


def test_a_budget_that_is_spent_refuses_the_text_at_the_next_stretch() -> None:
    ticks = iter(range(10_000))
    with pytest.raises(UncheckedTextError, match="in the time"):
        list(CustomRule(kind="x", pattern="xyz").find("a" * 100_000, Budget(5, clock=lambda: float(next(ticks)))))
    assert next(ticks) < 10


def test_a_text_of_keywords_alone_takes_linear_time() -> None:
    rule = CustomRule(kind="ticket", pattern=r"TICKET-[0-9]{1,9}", keywords=["TICKET-", "T", "ICK"])
    for text in ("TICKET-" * 15_000, "T" * 100_000):
        start = time.process_time()
        PatternRedactor(rules=[rule]).redact(text)
        assert time.process_time() - start < 2


@pytest.mark.parametrize("kind", ["", "Ticket", "a--b", "-a", "a b", "tick\u00e9t", 7, None])
def test_a_kind_is_lower_case_words_joined_by_hyphens(kind: str) -> None:
    with pytest.raises(ConfigurationError, match="not a kind"):
        CustomRule(kind=kind, pattern="abc")


@pytest.mark.parametrize("keywords", ["TICKET", [""], [7], None])
def test_keywords_are_words(keywords: list[str]) -> None:
    with pytest.raises(ConfigurationError, match="keywords"):
        CustomRule(kind="ticket", pattern="abc", keywords=keywords)


def test_what_is_no_rule_is_a_configuration_error() -> None:
    for wrong in ({"rules": ["TICKET"]}, {"rules": [re.compile("a")]}, {"allow": {"values": ["x"]}}):
        with pytest.raises(ConfigurationError):
            PatternRedactor(**wrong)


def test_a_match_in_which_the_group_takes_no_part_goes_whole() -> None:
    rule = CustomRule(kind="badge", pattern=r"badge (?P<secret>[0-9]{4})|staff-[0-9]{4}")
    redacted = PatternRedactor(rules=[rule]).redact("badge 4711, staff-4711")
    assert redacted.text == "badge [REDACTED:badge], [REDACTED:badge]"


def test_a_match_in_which_the_group_is_empty_goes_whole() -> None:
    rule = CustomRule(kind="badge", pattern=r"badge (?P<secret>[0-9]{0,4})")
    redactor = PatternRedactor(rules=[rule])
    redacted = redactor.redact("badge 4711, badge x").text
    assert redacted == "badge [REDACTED:badge], [REDACTED:badge]x"
    assert redactor.redact(redacted).text == redacted


def test_an_empty_group_beside_what_was_redacted_leaves_the_words_around_it() -> None:
    rule = CustomRule(kind="badge", pattern=r"(?P<secret>[0-9]{0,4}) badge")
    assert (
        PatternRedactor(rules=[rule]).redact("4711 badge, no badge").text
        == "[REDACTED:badge] badge, no[REDACTED:badge]"
    )


def test_a_kind_has_at_most_64_characters() -> None:
    CustomRule(kind="k" * 64, pattern="secret")
    with pytest.raises(ConfigurationError, match="at most 64 characters"):
        CustomRule(kind="k" * 65, pattern="secret")


@pytest.mark.parametrize("pattern", ["x[[a]", "x[a--b]", "x[a&&b]", "x[a~~b]", "x[a||b]"])
def test_a_set_that_python_warns_of_is_refused_and_not_warned_of(
    pattern: str, recwarn: pytest.WarningsRecorder
) -> None:
    with pytest.raises(ConfigurationError, match="later Python"):
        CustomRule(kind="k", pattern=pattern)
    assert not recwarn.list
