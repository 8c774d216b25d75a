"""Of a list of logins that is written alike, all passwords go where one was found."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()


@for_each("value", ["tinsel48", "Quarry-Moss", "plum_basket"])
@for_each(
    "text",
    [
        "- wiki: mo / Gravel!5111x\n- board: mo / {}\n",
        "* shop -> mo / {}\n* wiki -> mo / Gravel!5111x\n",
        "wiki: mo / Gravel!5111x\nboard: mo / {}\nshop: lee / harvest_4!k\n",
    ],
)
def test_what_stands_in_the_place_of_a_password_goes_as_well(text: str, value: str) -> None:
    assert value not in REDACTOR.redact(text.format(value)).text


@for_each(
    "rest",
    [
        "- board: mo / viewer",
        "- branch: mo / fix_login",
        "- board: mo / none",
        "board: mo / plum_basket is the branch",
        "- board = mo / plum_basket",
        "\n\nboard, mo / plum_basket",
    ],
)
def test_a_line_that_is_written_otherwise_or_has_a_plain_word_stays(rest: str) -> None:
    assert REDACTOR.redact(f"- wiki: mo / Gravel!5111x\n{rest}\n").text.endswith(f"\n{rest}\n")
