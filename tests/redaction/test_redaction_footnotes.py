"""A footnote of one word is read as the value of what the line names that refers to it."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()


@for_each("value", ["thistlebrook", "Umber-417", "pewter_jug", "704418"])
@for_each(
    "text",
    [
        "The router password[^2] was renewed.\n\n[^2]: {}\n",
        "The admin password [1] was renewed.\n\n[1] `{}`\n",
        "the passphrase\u00b9 of the archive\n\n\u00b9 {}\n",
        "The wifi password is in footnote 4.\n\n[4] {}.\n",
        "Das Passwort steht in Fu\u00dfnote 3.\n\n[^3]: {}\n",
    ],
)
def test_a_footnote_of_one_word_goes_whose_mark_stands_behind_a_name(text: str, value: str) -> None:
    assert value not in REDACTOR.redact(text.format(value)).text


@for_each(
    "text",
    [
        "The password policy[^1] was renewed.\n\n[^1]: unchanged\n",
        "The router[^1] was renewed, with its password.\n\n[^1]: Speedbox\n",
        "The password[^1] was renewed.\n\n[^2]: Speedbox\n",
        "The password[^1] was renewed.\n\n[^1]: OPS-4821\n",
        "The password[^1] was renewed.\n\n[^1]: 2024-11-02\n",
        "The password[^1] was renewed.\n\n[^1]: see the vault\n",
    ],
)
def test_a_footnote_to_something_else_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text
