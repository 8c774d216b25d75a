"""Samples that documentation publishes stay where the text says that they are some, and go elsewhere."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
CARD = " ".join(["4242"] * 4)
DECLINED = "4000 0000 0000 0002"
IBAN = "GB29 NWBK 6016 1331 9268 19"
KEY = "sk_" + "test_4eC39HqLyjWDarjtT1zdp7dc"
SEED = "JBSWY3DPEHPK3PXP"
HEAD = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
CLAIMS = "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ"
SIGNED = f"{HEAD}.{CLAIMS}.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"


@for_each("sample", [CARD, DECLINED, IBAN, KEY, SIGNED])
@for_each(
    "told", ["the sample in the docs is {}", "{} (for tests)", "Beispiel aus der Anleitung: {}", "文档里的示例 {}"]
)
def test_a_published_sample_stays_where_it_is_told_to_be_one(sample: str, told: str) -> None:
    text = told.format(sample)
    assert REDACTOR.redact(text).text == text


@for_each("sample", [CARD, IBAN, KEY, SIGNED])
def test_it_goes_where_nobody_says_so(sample: str) -> None:
    assert sample not in REDACTOR.redact(f"Anna pays with card or key {sample}").text


def test_what_is_no_published_sample_goes_whatever_is_said_of_it() -> None:
    assert "REDACTED" in REDACTOR.redact("the sample card in the docs is 4539 1488 0343 6467").text


@for_each(
    ("told", "secret"),
    [
        ("test DATABASE_PASSWORD={}", f"{SEED}q7Zt9Lw2"),
        ("test DATABASE_PASSWORD={}", f"q7Zt9Lw2{SEED}"),
        ("test password: {}", "4eC39HqLyjWDarjtT1zdp7dcaB3dE6gH9jK2mN5p"),
        ("the sample key in the docs is {}", f"{KEY}aB3dE6gH9jK2"),
        ("the sample in the docs is password: {}", f"Harbor.4711.{SIGNED.rpartition('.')[2]}"),
    ],
)
def test_a_secret_that_holds_a_published_sample_goes(told: str, secret: str) -> None:
    assert secret not in REDACTOR.redact(told.format(secret)).text


def test_a_private_key_goes_with_a_published_sample_below() -> None:
    line = "xcLYBGXq4lkBCADDk2Wv7hTnq8ZpM1sYcR5uJfA9oGbKe3VtLw6XdNiQy0PzBhSm"
    block = f"-----BEGIN PGP PRIVATE KEY {'BLOCK'}-----\n\n{line}\nthe docs use {SEED}\n"
    assert line not in REDACTOR.redact(block).text


def test_a_value_does_not_say_of_itself_that_it_is_a_sample() -> None:
    signed = f"{HEAD}.eyJ-docs-example.{SIGNED.rpartition('.')[2]}"
    assert signed not in REDACTOR.redact(f"Authorization: Bearer {signed}").text


@for_each("key", ["AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"])
def test_a_key_of_aws_that_says_that_it_is_an_example_is_left_alone(key: str) -> None:
    assert PatternRedactor().redact(f"Doc example uses {key} \u2014 that is AWS's published sample").findings == ()
