"""A link around a value, an emoji or a line end before it: a reader reads past these, and so do all rules."""

from __future__ import annotations

import pytest
from support.for_each import for_each

from s3memory.redaction import PatternRedactor
from s3memory.redaction.decoding.layout import layout

REDACTOR = PatternRedactor()
PASSWORD = "[REDACTED:password]"


def read(text: str) -> str:
    """Return `text` as a reader reads it."""
    for start, end, inside in reversed(layout(text)):
        text = text[:start] + inside + text[end:]
    return text


@for_each(
    "text",
    [
        "the password is [{}](https://example.org/where)",
        "the password is \U0001f511 {} \U0001f512",
        "\u26a0\ufe0f password \U0001f449 {}",
        "the password of the till is\n{}\n",
        "Password:\n\n{}\n",
        "### Password\n{}\n",
        "- password\n  - {}\n",
        "use the following password:\r\n{}\r\n",
    ],
)
def test_a_value_goes_whatever_it_is_laid_out_in(text: str) -> None:
    assert REDACTOR.redact(text.format("Harbor!4711x")).text == text.format(PASSWORD)


@for_each(
    "text",
    [
        "the password policy is in [rfc-8265](https://example.org/rfc8265)",
        "\U0001f511 the password is in the vault \U0001f512",
        "the password is\nrequired-since-2024.\n",
        "Password:\n- min8chars\n- upper1\n",
        "Password\n\nhttps://example.org/a1b2c3\n",
        "passwords:\nrotate()\n",
    ],
)
def test_what_is_no_password_stays_in_its_layout(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see [a-12](https://example.org) there", "see a-12 there"),
        ("[https://example.org](https://example.org)", "[https://example.org](https://example.org)"),
        ("a\U0001f511b", "a b"),
        ("is \U0001f511 x1", "is x1"),
        ("a list:\nx1y2\nz3w4\n", "a list: x1y2\nz3w4\n"),
        ("x1y2\nz3w4\n", "x1y2\nz3w4\n"),
        ("jo;x1y2\nan;z3w4\n", "jo;x1y2\nan;z3w4\n"),
    ],
)
def test_a_text_is_read_without_its_layout(text: str, shown: str) -> None:
    assert read(text) == shown
