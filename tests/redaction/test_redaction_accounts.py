"""IBANs are told by country, length and check digits, social security numbers by their separators or their name."""

from __future__ import annotations

import pytest
from redaction.personal import IBANS, SSNS
from support.for_each import for_each
from support.made_tokens import seeded

from s3memory.redaction import PatternRedactor
from s3memory.redaction.rules.accounts import has_valid_iban_check_digits

REDACTOR = PatternRedactor()


def redacted(text: str) -> str:
    return REDACTOR.redact(text).text


def is_left_alone(text: str) -> bool:
    return REDACTOR.redact(text).findings == ()


@for_each("name", IBANS)
@for_each("context", ["{}", "IBAN: {}, BIC COBADEFFXXX", "| {} |", '"{}"', "pay to {}.", "({})", "{}\n"])
def test_an_iban_is_redacted(name: str, context: str) -> None:
    number = IBANS[name](seeded(name))
    assert redacted(context.format(number)) == context.format("[REDACTED:iban]")


def test_an_iban_in_small_letters_is_redacted_and_one_in_mixed_ones_is_none() -> None:
    number = IBANS["GB plain"](seeded("small"))
    assert redacted(number.lower()) == "[REDACTED:iban]"
    assert is_left_alone(number[:6].lower() + number[6:])


@for_each("name", IBANS)
def test_a_number_with_a_wrong_check_digit_is_no_iban(name: str) -> None:
    number = IBANS[name](seeded(name))
    wrong = number[:2] + str((int(number[2]) + 1) % 10) + number[3:]
    assert not has_valid_iban_check_digits(wrong.replace(" ", ""))
    assert is_left_alone(wrong)


def test_words_behind_an_iban_are_left() -> None:
    number = IBANS["DE spaces"](seeded("words"))
    assert redacted(f"{number} paid last week") == "[REDACTED:iban] paid last week"


@pytest.mark.parametrize("context", ["{}0", "X{}", "{}X"])
def test_what_goes_on_is_no_iban(context: str) -> None:
    assert is_left_alone(context.format(IBANS["DE plain"](seeded("longer"))))


SSN = "219-45-6789"


@pytest.mark.parametrize("context", ["{}", "SSN: {}", "| Jo | {} |", "({})", '{{"ssn": "{}"}}', "is {}."])
def test_a_social_security_number_is_redacted(context: str) -> None:
    for name in SSNS:
        number = SSNS[name](seeded(name))
        assert redacted(context.format(number)) == context.format("[REDACTED:ssn]")


@pytest.mark.parametrize("joint", ["\u2010", "\u2011", "\u2013"])
def test_a_social_security_number_with_other_hyphens_is_redacted(joint: str) -> None:
    assert redacted(f"it is {SSN.replace('-', joint)}.") == "it is [REDACTED:ssn]."


def test_a_number_with_dots_is_a_social_security_number_only_beside_the_name() -> None:
    dotted = SSN.replace("-", ".")
    assert redacted(f"SSN {dotted}") == "SSN [REDACTED:ssn]"
    assert is_left_alone(f"build {dotted}")


@pytest.mark.parametrize("joint", [".", "-", "  ", "\u2011"])
def test_an_iban_in_groups_is_redacted_whatever_joins_them(joint: str) -> None:
    for name in ("DE spaces", "GB spaces", "FR spaces"):
        number = IBANS[name](seeded(name)).replace(" ", joint)
        assert redacted(f"pay to {number}, today") == "pay to [REDACTED:iban], today"


def test_bare_digits_are_a_social_security_number_only_beside_the_name() -> None:
    bare = SSN.replace("-", "")
    assert redacted(f"her SSN is {bare}") == "her SSN is [REDACTED:ssn]"
    assert is_left_alone(f"order {bare}")


@pytest.mark.parametrize("number", ["000-12-3456", "666-12-3456", "900-12-3456", "219-00-6789", "219-45-0000"])
def test_numbers_that_were_never_issued_are_none(number: str) -> None:
    assert is_left_alone(number)


@pytest.mark.parametrize(
    "text", [f"A-{SSN}", f"{SSN}-1", f"v1.{SSN}", f"{SSN}.7", f"#{SSN}", "2019 45 6789", f"1{SSN}"]
)
def test_digits_that_are_part_of_something_longer_are_no_social_security_number(text: str) -> None:
    assert is_left_alone(text)
