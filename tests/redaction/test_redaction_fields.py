"""A line that is a name and a value is read as a setting, in whatever order they are."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import PatternRedactor

_REDACTOR = PatternRedactor()


@for_each(
    "text",
    [
        "4827 = door code",
        "4827 (garage code)",
        "- **Alarm code:** B4827",
        "| gate code | 4827# |",
        "locker code\n4827",
        "## Safe combination\n\u00ab48 27 11\u00bb",
        "4827 \u2013 K\u00f3d ke dve\u0159\u00edm",
        "4827 = \u05e7\u05d5\u05d3 \u05d4\u05e9\u05e2\u05e8",
        "ovikoodi (A4827)",
        "kX9mQ2vL = wifi password",
    ],
)
def test_a_code_before_below_and_behind_its_name_goes(text: str) -> None:
    redacted = _REDACTOR.redact(text).text
    assert "[REDACTED:" in redacted
    assert not {"4827", "48 27", "kX9mQ2vL"} & {redacted[start:end] for start in range(40) for end in range(start, 48)}


@for_each(
    "text",
    [
        "4827 = error code",
        "4827 (postal code)",
        "2024 \u2013 password policy",
        "4827 (locker number)",
        "open orders: 4827",
        "login count: 4827",
        "0.12.4 (login page)",
        "4827 = lines of code",
        "Version 3.1 of the key library: 4827",
    ],
)
def test_a_number_with_another_name_stays(text: str) -> None:
    assert _REDACTOR.redact(text).text == text
