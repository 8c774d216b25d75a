"""Four times the text takes about four times as long, whatever the text: no rule can be made to hang."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from test_redaction_tokens import TOKENS, example, name_of, seeded

from s3memory.redaction import PatternRedactor
from s3memory.redaction.rule import Rule, Subject
from s3memory.redaction.rules import RULES

SMALL, LARGE = 40_000, 160_000
QUADRATIC = (LARGE // SMALL) ** 2
# Between linear and quadratic. Below the floor the clock of a busy machine is all that is measured.
MOST_GROWTH = 12
FLOOR_SECONDS = 0.1
MOST_SECONDS = 20


def seconds(work: Callable[[str], object], unit: str, size: int) -> float:
    text = (unit * (size // len(unit) + 1))[:size]
    start = time.perf_counter()
    work(text)
    return time.perf_counter() - start


def assert_grows_with_the_text(work: Callable[[str], object], unit: str) -> None:
    small = seconds(work, unit, SMALL)
    if small * QUADRATIC < FLOOR_SECONDS:
        return
    large = seconds(work, unit, LARGE)
    for _ in range(2):
        if large < max(FLOOR_SECONDS, MOST_GROWTH * small):
            break
        small = max(small, seconds(work, unit, SMALL))
        large = min(large, seconds(work, unit, LARGE))
    assert large < max(FLOOR_SECONDS, MOST_GROWTH * small), repr(unit[:60])
    assert large < MOST_SECONDS


def run(rule: Rule) -> Callable[[str], object]:
    return lambda text: sum(1 for _ in rule.find(Subject.of(text)))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.kind}:{rule.anchors[:1]}")
def test_anchors_over_and_over_take_linear_time(rule: Rule) -> None:
    for anchor in rule.anchors[:1] or ("4", "MTEx"):
        for unit in (anchor, f"{anchor}a", f"-{anchor}-", f'{anchor}="'):
            assert_grows_with_the_text(run(rule), unit)


@pytest.mark.parametrize("rule", TOKENS, ids=name_of)
def test_tokens_that_are_almost_right_take_linear_time(rule: Rule) -> None:
    near = example(rule, seeded("near"), shorter_by=1)
    for unit in (near, f"-{near}-", near[: len(near) // 2]):
        assert_grows_with_the_text(run(rule), unit)


HOSTILE = [
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAA!",
    "-----BEGIN A A A A ",
    "-eyJaaaaaaaa-",
    ".eyJaaaaaaaa.eyJ",
    "://a:",
    "://a:@@@@/",
    "://a:b@c",
    "password=",
    "password=,a",
    'password="',
    'password=\\"',
    "password is ",
    "password for a ",
    "password                    ",
    "password=${a",
    "password=a(",
    "PASSWORD=;",
    "identified by '",
    "api_key=",
    "auth=",
    "secret:",
    "secret,\n value",
    "passphrase: aa bb cc dd ",
    "authorization: a ",
    "bearer a",
    "curl -u a:",
    "4111 ",
    "4111-1111-1111-1111-",
    "41",
    "AKIA" + "A" * 16 + "/",
    "sig=" + "a" * 50 + "%3Dse=",
    "MTEx" * 6,
    "[REDACTED:a]",
    "password=[REDACTED:a]",
    "password: hunter2\n",
    "\\",
    "a",
    "é",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_the_whole_redactor_takes_linear_time(unit: str) -> None:
    assert_grows_with_the_text(PatternRedactor().redact, unit)


def test_many_spans_over_many_placeholders_take_linear_time() -> None:
    def work(text: str) -> None:
        PatternRedactor().redact(f"password = '{text}'\n" + text)

    assert_grows_with_the_text(work, "password=a1b2c3d4 [REDACTED:a] ")
