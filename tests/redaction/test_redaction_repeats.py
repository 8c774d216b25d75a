"""A value that a text gives away once is gone from all of it: bare, glued to punctuation, and encoded."""

from __future__ import annotations

import base64

import pytest

from s3memory.redaction import CustomRule, PatternRedactor
from s3memory.redaction.interface import placeholder

REDACTOR = PatternRedactor()
PASSWORD, KEY = "Harbor!4711x", "k3J9xQ2m7Lp4Rt8vW1zBq0Za"
NAME_AND_SIGN = "Harbor_4711x"  # no name of code has capitals, a sign and digits
NAMED = {NAME_AND_SIGN: f"password: {NAME_AND_SIGN}", PASSWORD: f"password: {PASSWORD}", KEY: f"api_key={KEY}"}


@pytest.mark.parametrize("value", NAMED)
@pytest.mark.parametrize(
    "again",
    ["then {} there", "({})", "x={};", "| a | {} |", "say\\n{}\\n", "{}-a", "- **{}**", "https://example.org/{}/x"],
)
def test_a_value_goes_wherever_it_stands_again(value: str, again: str) -> None:
    for text in (
        f"{NAMED[value]}\n\nlater\n{again.format(value)}\n",
        f"{again.format(value)}\n\nfirst\n{NAMED[value]}\n",
    ):
        redacted = REDACTOR.redact(text)
        assert value not in redacted.text
        assert len(redacted.findings) == 2
        assert REDACTOR.redact(redacted.text).text == redacted.text


@pytest.mark.parametrize("value", NAMED)
@pytest.mark.parametrize(
    "encoded",
    [
        lambda value: base64.b64encode(f"jo at {value} again".encode()).decode(),
        lambda value: value.encode().hex(),
        lambda value: "".join(f"%{byte:02x}" for byte in value.encode()),
        lambda value: "".join(f"\\u{byte:04x}" for byte in value.encode()),
        lambda value: "".join(f"&#{byte};" for byte in value.encode()),
    ],
)
def test_a_value_goes_in_its_encodings_and_from_them(value: str, encoded: object) -> None:
    assert callable(encoded)
    made = encoded(value)
    assert made not in REDACTOR.redact(f"{NAMED[value]}\n\nand {made} there\n").text
    # The other way round: what only the encoded text names is gone where it stands bare.
    hidden = base64.b64encode(f"it says {NAMED[value]} here".encode()).decode()
    assert value not in REDACTOR.redact(f"{hidden}\n\nand {value} there\n").text


def test_a_word_and_a_part_of_a_longer_one_stay() -> None:
    for text, kept in (
        ('password = "harbor"\nthe harbor is old\n', "the harbor is old"),
        ("password: hunter2\nhunter2 logged in\n", "hunter2 logged in"),
        (f"api_key={KEY}\nlast commit: x{KEY}y\n", f"x{KEY}y"),
        ("PIN: 471147\n471147 rows\n", "471147 rows"),
    ):
        assert kept in REDACTOR.redact(text).text


def test_lines_of_a_key_go_elsewhere_too() -> None:
    lines = [f"MIIEvQIBADANBgkqhkiG9w0B{KEY}{number}aZ" for number in range(3)]
    key = "\n".join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----"])
    assert lines[1] not in REDACTOR.redact(f"{key}\n\nthe second line is {lines[1]}\n").text


def test_the_kind_is_that_of_where_it_was_found_and_the_policy_counts() -> None:
    text = f"password: {PASSWORD}\n{PASSWORD}"
    assert REDACTOR.redact(text).text.splitlines()[1] == placeholder("password")
    assert PatternRedactor(policy={"password": "off"}).redact(text).text == text
    reported = PatternRedactor(policy={"password": "report"}).redact(text)
    assert [finding.line for finding in reported.findings] == [1, 2]
    assert reported.text == text


def test_what_a_rule_of_ones_own_finds_counts() -> None:
    rule = CustomRule(kind="ticket", pattern=r"ticket (?P<secret>[A-Za-z0-9]{8,32})")
    redacted = PatternRedactor(rules=[rule]).redact("ticket a9K3mQ7x2Lp\nsee a9K3mQ7x2Lp")
    assert redacted.text.splitlines()[1] == f"see {placeholder('ticket')}"
