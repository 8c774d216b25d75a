"""Tokens with a format of their own are found whole wherever they stand, and what is only near the format is not.

No token is written down here: each is made from its rule's alphabets and lengths with a seeded generator, so that
nothing in the repository looks like a credential to anybody's scanner.
"""

from __future__ import annotations

import pytest
from support.for_each import for_each
from support.made_tokens import TOKENS, characters, example, name_of, seeded

from s3memory.redaction import PatternRedactor
from s3memory.redaction.interface import KIND_PATTERN, placeholder
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules import KINDS, RULES
from s3memory.redaction.rules.providers.table import table
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.tokens import Run, Token

REDACTOR = PatternRedactor()

CONTEXTS = {
    "alone": "{}",
    "prose": "We now use {} for the nightly job, see below.",
    "full stop": "The build runs with {}.",
    "end of a sentence": "Did you see {}? Or {}!",
    "table": "| name | value |\n|---|---|\n| ci | {} |\n| cd |{}|\n",
    "code fence": "```sh\nrun --with {}\n```\n",
    "backticks": "Set `{}` there.",
    "bold": "It is **{}**, for now.",
    "parentheses": "the old one ({}), the new one ({})",
    "angle brackets": "<{}>",
    "env file": "CI_USER=bot\nCI_TOKEN={}\nCI_HOST=example.org\n",
    "shell": "export CI_TOKEN='{}'; make\n",
    "json": '{{"user": "bot", "token": "{}", "n": 1}}',
    "json in json": '{{"body": "{{\\"token\\": \\"{}\\"}}"}}',
    "escaped line end": '"first\\n{}\\nlast"',
    "yaml": "ci:\n  user: bot\n  token: {}\n  list: [{}, {}]\n",
    "xml": "<token>{}</token>",
    "query": "https://example.org/hook?key={}&x=1",
    "percent-encoded": "next=%2Fhook%3Fkey%3D{}%26x%3D1",
    "colon and comma": "token:{}, and more",
    "quoted line": "> {}\n",
    "other scripts": "令牌{}。Ключ {}…",
}


@pytest.mark.long
@for_each("rule", TOKENS, ids=name_of)
def test_a_token_is_redacted_whole_wherever_it_stands(rule: Token) -> None:
    rng = seeded(rule.pattern)
    for name, context in CONTEXTS.items():
        if name == "percent-encoded" and any("%" in part.alphabet for part in rule.shape if isinstance(part, Run)):
            continue  # the token is percent-encoded itself: nothing says where it ends
        count = context.count("{}")
        made = [example(rule, rng) for _ in range(count)]
        redaction = REDACTOR.redact(context.format(*made))
        assert redaction.text == context.format(*[placeholder(rule.kind)] * count), name
        assert [finding.kind for finding in redaction.findings] == [rule.kind] * count, name


@for_each("rule", TOKENS, ids=name_of)
def test_a_token_is_found_under_each_of_its_prefixes(rule: Token) -> None:
    for prefix in rule.prefixes:
        made = example(rule, seeded(prefix), prefix=prefix)
        assert {(span.start, span.end) for span in rule.find(Subject(made))} == {(0, len(made))}


@for_each("rule", TOKENS, ids=name_of)
def test_a_token_one_character_short_is_none(rule: Token) -> None:
    rng = seeded(2)
    for context in ("{}", "We now use {} for the nightly job.", "(`{}`)"):
        assert not list(rule.find(Subject(context.format(example(rule, rng, shorter_by=1)))))


@for_each("rule", TOKENS, ids=name_of)
@for_each("stranger", ["é", "\u200b", "!", " "])
def test_a_token_with_a_character_that_is_not_in_its_alphabet_is_none(rule: Token, stranger: str) -> None:
    made = example(rule, seeded(3))
    run = next(part for part in reversed(rule.shape) if isinstance(part, Run) and part.least)
    middle = len(made) - run.least + run.least // 2
    text = made[:middle] + stranger + made[middle + 1 :]
    assert not list(rule.find(Subject(text)))


@for_each("rule", TOKENS, ids=name_of)
def test_what_goes_on_behind_a_token_of_fixed_length_is_none(rule: Token) -> None:
    rng = seeded(4)
    run = next(part for part in reversed(rule.shape) if isinstance(part, Run) and part.least)
    longer = example(rule, rng) + "".join(rng.choices(characters(run.alphabet), k=15))
    found = list(rule.find(Subject(longer)))
    if run.most is None:
        assert [(span.start, span.end) for span in found] == [(0, len(longer))]
    else:
        assert not found


@for_each("rule", [rule for rule in TOKENS if rule.prefixes], ids=name_of)
def test_a_token_in_the_middle_of_a_word_is_none(rule: Token) -> None:
    assert not list(rule.find(Subject("Q" + example(rule, seeded(5)))))


@for_each("filler", ["x", "X"])
@for_each("rule", [rule for rule in TOKENS if rule.prefixes], ids=name_of)
def test_a_token_of_x_is_documentation(rule: Token, filler: str) -> None:
    text = rule.prefixes[0] + "".join(part if isinstance(part, str) else filler * part.least for part in rule.shape)
    assert not list(rule.find(Subject(text)))


def test_the_example_keys_of_the_aws_documentation_are_left_alone() -> None:
    text = f"AKIAIOSFODNN7{'EXAMPLE'} and wJalrXUtnFEMI/K7MDENG/bPxRfiCY{'EXAMPLEKEY'}"
    assert REDACTOR.redact(text).findings == ()


@for_each("rule", RULES, ids=lambda rule: f"{rule.kind}:{rule.anchors[:1]}")
def test_every_rule_is_well_formed(rule: Rule) -> None:
    assert KIND_PATTERN.fullmatch(rule.kind)
    assert rule.source.startswith("https://")
    assert rule.anchors or rule.scan
    for anchor in rule.anchors:
        assert anchor
        assert not (rule.fold and anchor.isascii()) or anchor == anchor.lower()


@for_each(
    ("row", "problem"),
    [
        ("some-token st_<lower:3+>-<lower:30+>", "upper bound"),
        ("some-token (st_|some_token_)<lower:12+>", "16 characters"),
    ],
)
def test_a_shape_that_no_token_has_is_refused(row: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        assert table(row)[0].shape


def test_a_token_with_a_prefix_is_at_least_as_long_as_what_is_searched_for_prefixes() -> None:
    assert table("some-token (st_|some_token_)<lower:13+>")[0].shape


def test_a_token_has_no_space_in_it() -> None:
    rule = Token("some-token", ("st_",), lambda: [" ", Run("a-z", 20)], source="https://example.org")
    with pytest.raises(ValueError, match="no space"):
        assert rule.shape


def test_the_kinds_are_those_of_the_rules() -> None:
    assert {rule.kind for rule in RULES} == KINDS
