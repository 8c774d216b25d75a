"""A token that was broken at the end of a line goes with its rest, and two tokens on two lines stay two."""

from __future__ import annotations

import pytest
from support.made_tokens import TOKENS, example, seeded

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
TOKEN = example(next(rule for rule in TOKENS if "ghp_" in rule.prefixes), seeded("wraps"))
NAME = "the token that the deploy bot of the team uses for it: "


@pytest.mark.parametrize("cut", [20, 24, 28])
@pytest.mark.parametrize("joint", ["\n", "\r\n", "\n  ", " \\\n    ", "\n> "])
@pytest.mark.parametrize("behind", ["\nnext", ".\nnext", "`\n", ""])
def test_the_rest_of_a_broken_token_goes_too(cut: int, joint: str, behind: str) -> None:
    text = f"{NAME}{TOKEN[:cut]}{joint}{TOKEN[cut:]}{behind}"
    redacted = REDACTOR.redact(text).text
    assert redacted == f"{NAME}[REDACTED:github-token]{behind}"
    assert REDACTOR.redact(redacted).text == redacted


@pytest.mark.parametrize(
    "below", ["then go on", "done", "4711", "README", "glpat-is-the-other", "", "(a1b2c3)", "Version2 of it"]
)
def test_what_is_no_rest_stays_on_its_line(below: str) -> None:
    redacted = REDACTOR.redact(f"{NAME}{TOKEN}\n{below}").text
    assert redacted == f"{NAME}[REDACTED:github-token]\n{below}"


def test_two_tokens_on_two_lines_stay_two() -> None:
    redacted = REDACTOR.redact(f"{NAME}{TOKEN}\n{NAME}{TOKEN}\n{TOKEN}\n").text
    assert redacted.count("[REDACTED:github-token]") == 3
    assert len(redacted.splitlines()) == 3


LINES = [
    "FwoGZPIvYXdzEPT7k2Lm9Qw4Rt6Yp1Xs8Vb3Nc5ZdHg0JfK2aUeWq7LiOxMyTrCv",
    "LWsKWHGBuFqw4eMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEIqkPpKPikMcG",
    "QrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp7",
]


@pytest.mark.parametrize("width", [24, 40, 64])
@pytest.mark.parametrize("name", ["SessionToken", "client-secret", "ns:ApiKey", "password"])
@pytest.mark.parametrize("end", ["", "\n  "])
def test_lines_of_one_length_in_a_tag_are_one_secret(width: int, name: str, end: str) -> None:
    body = "\n    ".join(line[:width] for line in LINES)
    redacted = REDACTOR.redact(f"<a>\n  <{name}>\n    {body}{end}</{name}>\n</a>").text
    assert redacted.count("[REDACTED:") == 1
    assert not any(line[:width] in redacted for line in LINES)
    assert redacted.endswith(f"{end}</{name}>\n</a>")


@pytest.mark.parametrize("name", ["pre", "code", "ds:X509Certificate", "commits"])
def test_lines_of_one_length_in_a_tag_of_another_name_stay(name: str) -> None:
    text = f"<{name}>\n" + "\n".join(LINES) + f"\n</{name}>"
    assert REDACTOR.redact(text).text == text
