"""What a second factor starts from and what stands in for it goes, and what only looks like it stays."""

from __future__ import annotations

import pytest
from support.for_each import for_each

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
ENGLISH = "legal winner thank year wave sausage worth useful abandon wealth ticket yellow"
SPANISH = "ábaco zurdo abeja abierto abogado abono aborto abrazo abrir abuelo abuso acabar"


def numbered(words: str, form: str) -> str:
    return "\n".join(form.format(number, word) for number, word in enumerate(words.split(), 1))


@for_each(
    "text",
    [
        "GitHub recovery codes:\n1. {}\n2. {}\n",
        "Backup codes (google): {}, {}\n",
        "Wiederherstellungscodes: `{}`, `{}`",
        "Códigos de recuperación: {} {}",
        "резервные коды: {}, {}",
        "Scratch codes\n\n```\n{}\n{}\n```",
    ],
)
@for_each(("first", "second"), [("3f9ab-77c2e", "91bcd-0f3ae"), ("83920112", "11390023"), ("1a2b-3c4d", "9z8y-7x6w")])
def test_each_of_a_list_of_codes_goes(text: str, first: str, second: str) -> None:
    mark = "[REDACTED:recovery-code]"
    assert REDACTOR.redact(text.format(first, second)).text == text.format(mark, mark)


@for_each("text", ["Backup codes: {}, {}, {}", "Notfallcodes:\n- {}\n- {}\n- {}\n", "Steam backup codes: {} / {} / {}"])
def test_three_short_codes_are_a_list_of_them(text: str) -> None:
    codes = ("5FQ2K", "R7KQT", "HMPYW")
    assert not [code for code in codes if code in REDACTOR.redact(text.format(*codes)).text]


@for_each("name", ["Verification", "SMS", "OTP", "Confirmation", "MFA"])
@for_each("sender", [" by mail: {}. Used already", " from the bank: {}", " via phone - {}"])
def test_a_number_goes_behind_what_sends_codes_and_how_it_came(name: str, sender: str) -> None:
    assert "152911" not in REDACTOR.redact(name + sender.format("152911")).text


@for_each(
    "text", ["Verification by mail: 152911 letters", "SMS from the shop: case 152911", "Confirmation of order: 152911"]
)
def test_a_number_of_another_thing_stays_behind_what_sends_codes(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each("text", ["codes of the backup tapes: TP001, TP002, TP003", "error codes on backup: E4711, E4712, E4713"])
def test_short_names_with_a_number_are_no_codes(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each("text", ["seed phrase: {}", "my words are {}.", "{}", "wallet backup\n{}\n"])
@for_each("words", [ENGLISH, SPANISH])
@for_each("joint", [" ", ", ", "\n", " - "])
def test_the_words_of_a_wallet_go(text: str, words: str, joint: str) -> None:
    phrase = joint.join(words.split())
    assert REDACTOR.redact(text.format(phrase)).text == text.format("[REDACTED:seed-phrase]")


@pytest.mark.parametrize("form", ["{}. {}", "{}) {}", "| {} | {} |", "- {}: {}"])
def test_numbered_words_of_a_wallet_go(form: str) -> None:
    text = REDACTOR.redact(numbered(ENGLISH, form)).text
    assert not any(word in text for word in ENGLISH.split()[1:])


def test_a_sentence_and_a_list_of_keywords_are_no_phrase() -> None:
    for text in (
        "the legal winner may thank us this year for a wave of useful sausage that is worth it",
        " ".join(sorted(ENGLISH.split())),
    ):
        assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        "recovery codes are stored in the vault. See ABC-1234",
        "backup 2024-11-03 has the code of release 12345678",
        "recovery key id 1b4e28ba-2fa1-11d2-883f-0016d3cca427",
        "the MFA device is AIDAQ4X7N2MKTZ3TPWAB",
        "two-factor codes have 6 digits (RFC 6238)",
    ],
)
def test_what_only_talks_of_codes_is_left_alone(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    ("text", "code"),
    [
        ("Bestätigungscode {}", "482913"),
        ("enter key manually: {}", "GEHY 75FV ENW2 SK7F SBPO 3DRO"),
        ("backup code for github {}", "8e81c-ddb3d"),
        ("the bank says {} is the code", "482913"),
    ],
)
def test_a_code_goes_right_behind_its_name_and_before_it(text: str, code: str) -> None:
    redaction = REDACTOR.redact(text.format(code))
    assert len(redaction.findings) == 1
    assert code not in redaction.text


@for_each("answer", ["its {}", "it's {}", "{}", "{} thanks", "I got {}", "sure, {}", "it says {}."])
def test_the_code_that_somebody_answers_with_in_a_chat_goes(answer: str) -> None:
    text = f"Agent: I've sent a verification code to your phone\nCustomer: {answer}\nAgent: thanks"
    assert REDACTOR.redact(text.format("884013")).text == text.format("[REDACTED:recovery-code]")


@for_each("answer", ["ticket {} opened", "my order number is {}", "call me at {}"])
def test_another_number_in_a_chat_about_codes_stays(answer: str) -> None:
    text = f"Agent: I've sent a verification code to your phone\nCustomer: {answer.format('884013')}\n"
    assert REDACTOR.redact(text).text == text


def test_the_nearest_name_says_what_a_value_is() -> None:
    assert REDACTOR.redact("RECOVER:KEY password: hunter2").text == "RECOVER:KEY password: [REDACTED:password]"


def test_a_code_that_is_added_to_a_list_of_redacted_ones_goes() -> None:
    listed = "- [REDACTED:recovery-code]\n" * 12
    text = f"recovery codes:\n{listed}- a1b2c-d3e4f\n- k7b2c-m3e4f\n"
    assert REDACTOR.redact(text).text == f"recovery codes:\n{listed}" + "- [REDACTED:recovery-code]\n" * 2


def test_a_list_of_codes_goes_on_over_one_without_a_digit() -> None:
    codes = ("k3fj29dk1x", "hqzwmvkxpt", "p0x8jw2mzq")
    text = "recovery codes: " + ", ".join(codes)
    assert REDACTOR.redact(text).text == "recovery codes: " + ", ".join(["[REDACTED:recovery-code]"] * 3)


@for_each(
    "text",
    [
        "[REDACTED:recovery-code]\na1b2c-d3e4f\n",
        "recovery codes: [REDACTED:recovery-code]\n\nThe build is k7b2c-m3e4f.\n",
        "[REDACTED:recovery-code] 2FA a1b2c-d3e4f",
        "[REDACTED:password]: blue house 12\n",
        "the nas has [REDACTED:password] : copper kettle 53",
    ],
)
def test_a_placeholder_names_nothing_that_stands_behind_it(text: str) -> None:
    assert REDACTOR.redact(text).text == text
