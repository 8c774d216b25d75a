"""What the policy lets stay does stay, although a kind that tells less of it matches there as well."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable

import pytest
from support.for_each import for_each
from support.made_tokens import TOKENS, example, name_of, seeded
from test_redaction_tokens import CONTEXTS

from s3memory.redaction import CustomRule, Finding, PatternRedactor, Span
from s3memory.redaction.tokens import Token

pytestmark = pytest.mark.long

NAMED = {
    **CONTEXTS,
    "password": "password: {}",
    "token": "token={}!",
    "user": "https://bob:{}@example.org/x",
    "header": "Authorization: Bearer {}",
}
GITHUB = next(rule for rule in TOKENS if rule.kind == "github-token")
NPM = next(rule for rule in TOKENS if rule.kind == "npm-token")
TICKET = "TICKET-4711x"


def github_token() -> str:
    return example(GITHUB, seeded("github"))


def npm_token() -> str:
    return example(NPM, seeded("npm"))


class Matches:
    """A detector of one's own, for what matches a pattern."""

    def __init__(self, kind: str, pattern: str) -> None:
        self.kind, self.pattern = kind, pattern

    def find(self, text: str, /) -> Iterable[Span]:
        return [Span(self.kind, *match.span()) for match in re.finditer(self.pattern, text)]


@pytest.mark.parametrize("mode", ["off", "report"])
@for_each("rule", TOKENS, ids=name_of)
def test_a_token_that_may_stay_does_wherever_it_stands(rule: Token, mode: str) -> None:
    redactor, token = PatternRedactor(policy={rule.kind: mode}), example(rule, seeded(rule.pattern))
    for context in NAMED.values():
        text = context.format(*[token] * 3)
        redaction = redactor.redact(text)
        assert redaction.text == text
        assert {(one.kind, one.is_kept) for one in redaction.findings} == (
            {(rule.kind, True)} if mode == "report" else set()
        )


def test_what_may_stay_is_not_blocked_or_tagged_under_another_kind() -> None:
    text = f"token={github_token()}"
    for policy in ({"secret": "block"}, {"secret": "report"}, {"*": "block"}):
        assert PatternRedactor(policy={**policy, "github-token": "off"}).redact(text).findings == ()
    blocked = PatternRedactor(policy={"secret": "block", "github-token": "report"})
    assert blocked.redact(text).findings == (Finding("github-token", 1, is_kept=True),)


def test_what_may_stay_does_when_it_is_encoded() -> None:
    text = f"token={base64.b64encode(github_token().encode()).decode()}"
    assert PatternRedactor().redact(text).text == "token=[REDACTED:github-token]"
    assert PatternRedactor(policy={"github-token": "off"}).redact(text).text == text


def test_what_is_around_it_does_not_stay() -> None:
    redactor = PatternRedactor(policy={"github-token": "off"})
    text = f'password: "{github_token()} x1", then {npm_token()} and password: Harbor!4711x'
    assert redactor.redact(text).text == (
        'password: "[REDACTED:password]", then [REDACTED:npm-token] and password: [REDACTED:password]'
    )


def test_a_general_kind_that_may_stay_shields_nothing_more_specific() -> None:
    text = f"token={github_token()}, password: Harbor!4711x"
    assert PatternRedactor(policy={"secret": "off", "password": "report"}).redact(text).text == (
        "token=[REDACTED:github-token], password: Harbor!4711x"
    )


def test_a_private_key_that_may_stay_does_not_shield_what_is_below_it() -> None:
    begin = "-----BEGIN PRIVATE KEY-----\n" + "A" * 64
    text = f"{begin}\n\npassword: Harbor!4711x\n{npm_token()}\n"
    assert PatternRedactor(policy={"private-key": "off"}).redact(text).text == (
        f"{begin}\n\npassword: [REDACTED:password]\n[REDACTED:npm-token]\n"
    )


@pytest.mark.parametrize("mode", ["off", "report"])
def test_personal_data_that_may_stay_shields_nothing(mode: str) -> None:
    redactor = PatternRedactor(policy={"phone": mode, "location": mode}, detectors=[Matches("location", r"\S+")])
    text = f"PIN: 301828374, {npm_token()}"
    assert redactor.redact(text).text == "PIN: [REDACTED:password], [REDACTED:npm-token]"


def test_a_kind_of_one_s_own_that_may_stay_shields_no_more_than_itself() -> None:
    ticket = CustomRule(kind="ticket", pattern=r"TICKET-[0-9x]{1,9}", keywords=["TICKET-"])
    line = CustomRule(kind="line", pattern=r"line: [^\n]{1,99}", keywords=["line: "])
    redactor = PatternRedactor(rules=[ticket, line], policy={"ticket": "report", "line": "off"})
    assert redactor.redact(f"password: {TICKET}").text == f"password: {TICKET}"
    assert redactor.redact(f"line: {npm_token()}").text == "line: [REDACTED:npm-token]"


def test_what_a_detector_lets_stay_does_after_others_were_cut_out() -> None:
    redactor = PatternRedactor(detectors=[Matches("ticket", r"TICKET-[0-9x]+")], policy={"ticket": "off"})
    assert redactor.redact(f"{npm_token()}, password: {TICKET}").text == f"[REDACTED:npm-token], password: {TICKET}"


def test_what_the_rules_let_stay_does_whatever_a_service_calls_it() -> None:
    service = Matches("password", r"ghp_\w+|TICKET\S+")
    redactor = PatternRedactor(then=[service], policy={"github-token": "off"})
    token = example(GITHUB, seeded("service"), prefix="ghp_")
    assert redactor.redact(f"{npm_token()} {token} {TICKET}").text == (
        f"[REDACTED:npm-token] {token} [REDACTED:password]"
    )


def test_redacting_twice_changes_nothing_where_something_stays() -> None:
    redactor = PatternRedactor(policy={"github-token": "report", "npm-token": "off"})
    text = f"token={github_token()} password: {npm_token()} secret: {npm_token()}x, password: Harbor!4711x"
    once = redactor.redact(text).text
    assert redactor.redact(once).text == once


def test_a_rule_that_is_off_is_run_only_where_it_shields_something() -> None:
    only = PatternRedactor(policy={"*": "off", "private-key": "redact"})
    assert only.redact(f"password: Harbor!4711x {github_token()}").findings == ()
    assert PatternRedactor(policy={"*": "off"})._finders == ()
