"""Payment card numbers are told from other numbers by range, length, grouping and check digit together."""

from __future__ import annotations

import string

import pytest
from support.for_each import for_each
from support.made_tokens import seeded

from s3memory.redaction import PatternRedactor
from s3memory.redaction.rules.cards import has_valid_luhn_digit

REDACTOR = PatternRedactor()
RNG = seeded("cards")


def redacted(text: str) -> str:
    return REDACTOR.redact(text).text


def is_left_alone(text: str) -> bool:
    return REDACTOR.redact(text).findings == ()


# Issuer's number, length, and where the groups end.
CARDS = [
    ("4", 16, (4, 8, 12)),
    ("51", 16, (4, 8, 12)),
    ("2221", 16, (4, 8, 12)),
    ("34", 15, (4, 10)),
    ("37", 15, (4, 10)),
    ("6011", 16, (4, 8, 12)),
    ("36", 14, (4, 10)),
    ("3528", 16, (4, 8, 12)),
    ("62", 16, (4, 8, 12)),
    ("2204", 16, (4, 8, 12)),
]


def card_number(issuer: str, length: int) -> str:
    digits = issuer + "".join(RNG.choices(string.digits, k=length - len(issuer) - 1))
    return next(digits + check for check in string.digits if has_valid_luhn_digit(digits + check))


def grouped(digits: str, ends: tuple[int, ...], separator: str) -> str:
    starts = (0, *ends)
    return separator.join(digits[start:end] for start, end in zip(starts, (*ends, len(digits)), strict=True))


@for_each(("issuer", "length", "ends"), CARDS)
@for_each("separator", ["", " ", "-", ".", "\u2011", "\u2013"])
@for_each("context", ["{}", "card {}, exp 12/29", "{} 12/29 123", "| {} |", '"{}"', "pan={}."])
def test_a_card_number_is_redacted(
    issuer: str, length: int, ends: tuple[int, ...], separator: str, context: str
) -> None:
    number = grouped(card_number(issuer, length), ends, separator)
    assert redacted(context.format(number)) == context.format("[REDACTED:card-number]")


@pytest.mark.parametrize("name", ["card", "Visa card:", "pan =", "Karte"])
def test_columns_and_long_numbers_are_a_card_only_beside_its_name(name: str) -> None:
    columns = grouped(card_number("4", 16), (4, 8, 12), "  ")
    for number in (columns, card_number("4", 19)):
        assert redacted(f"{name} {number}, exp 12/29") == f"{name} [REDACTED:card-number], exp 12/29"
        assert is_left_alone(f"measured {number}, then")


def test_the_code_behind_a_card_number_does_not_hide_it() -> None:
    for _ in range(20):
        number = grouped(card_number("4", 16), (4, 8, 12), " ")
        # It may go as well: some card numbers have nineteen digits.
        assert redacted(f"{number} 123") in ("[REDACTED:card-number] 123", "[REDACTED:card-number]")


@pytest.mark.parametrize(("issuer", "length", "ends"), CARDS)
def test_a_number_with_a_wrong_check_digit_is_no_card(issuer: str, length: int, ends: tuple[int, ...]) -> None:
    number = card_number(issuer, length)
    wrong = number[:-1] + str((int(number[-1]) + 1) % 10)
    assert is_left_alone(wrong)
    assert is_left_alone(grouped(wrong, ends, " "))


@pytest.mark.parametrize(
    "context",
    [
        "0.{}",
        "{}.5",
        "1{}",
        "a{}",
        "{}a",
        "order #{}",
        "https://example.org/posts/{}",
        "12345678-{}",
        "{}-0001",
        "x_{}",
        "{}0000",
    ],
)
def test_digits_that_are_part_of_something_longer_are_no_card(context: str) -> None:
    for _ in range(10):
        assert is_left_alone(context.format(card_number("4", 16)))


def test_columns_of_numbers_are_no_card() -> None:
    number = grouped(card_number("4", 16), (4, 8, 12), " ")
    assert is_left_alone(f"0000 {number}")
    assert is_left_alone(f"{number} 9999")
    assert is_left_alone("card " + grouped(card_number("4", 16) + "9999", (4, 8, 12, 16), "  "))


def test_lengths_and_ranges_that_no_issuer_has_are_no_card() -> None:
    for issuer, length in [("1", 16), ("9", 16), ("4", 15), ("4", 18), ("34", 16), ("5", 13), ("7", 16)]:
        assert is_left_alone(card_number(issuer, length))
