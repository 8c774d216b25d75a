"""A cell stands below a head in every table that is drawn with bars, however far below and however wide."""

from __future__ import annotations

import pytest
from support.for_each import for_each

from s3memory.redaction import PatternRedactor
from s3memory.redaction.rules.secrets.columns import Columns

REDACTOR = PatternRedactor()
VALUE = "q7RtB2xKp9ZmW4sLd8Vn"
TABLES = (
    "| service | {} | owner |\n|---|---|---|\n| acme | {} | jo |\n",
    "service | {} | owner\n--- | --- | ---\nacme | {} | jo\n",
    "  | service | {} |\n  |---|---|\n  | acme | {} |\n",
    "> | service | {} |\n> |---|---|\n> | acme | {} |\n",
    "+------+------+\n| service | {} |\n+------+------+\n| acme | {} |\n+------+------+\n",
    "\u250c\u2500\u2510\n\u2502 service \u2502 {} \u2502\n\u251c\u2500\u2524\n\u2502 acme \u2502 {} \u2502\n",
    " service | {} \n---------+-------\n acme    | {}\n",
    "| pattern | {} |\n|---|---|\n| a\\|b | {} |\n",
    "For each service:\n| service | {} |\n|---|---|\n| acme | {} |\n",
    "| service | note | {} |\n|---|---|---|\n| acme | " + "long words " * 20 + "| {} |\n",
)


@for_each("table", TABLES)
def test_the_head_of_a_cell_is_what_its_column_has_in_the_first_row(table: str) -> None:
    text = table.format("token", VALUE)
    head = Columns(text).head_of(text.index(VALUE))
    assert head is not None
    assert text[slice(*head)].strip() == "token"


@for_each("end", ["\n", "\r\n"])
def test_the_first_cell_of_a_table_without_bars_at_its_edges_has_the_first_head(end: str) -> None:
    text = end.join(["token | service", "--- | ---", f"{VALUE} | acme", ""])
    head = Columns(text).head_of(text.index(VALUE))
    assert head is not None
    assert text[slice(*head)].strip() == "token"


@for_each("blank", ["", "   ", ">", "\r"])
def test_a_blank_line_ends_a_table(blank: str) -> None:
    text = f"| token |\n|---|\n| acme |\n{blank}\n| {VALUE} |\n"
    assert Columns(text).head_of(text.index(VALUE)) is None


@for_each("table", TABLES)
def test_a_cell_below_the_name_of_a_secret_goes_and_one_below_that_of_an_id_stays(table: str) -> None:
    assert REDACTOR.redact(table.format("token", VALUE)).text == table.format("token", "[REDACTED:secret]")
    assert REDACTOR.redact(table.format("commit", VALUE)).findings == ()


@for_each(
    "text",
    [
        f"cat tokens | sort\ncat {VALUE} | sort\n",
        f"| token |\n\n| {VALUE} |\n",
        f"| service\n|---|\n| acme | {VALUE} |\n",
        f"| token {VALUE}",
        f"{VALUE}\n| token |\n|---|\n",
    ],
)
def test_what_is_in_no_table_or_below_no_head_has_none(text: str) -> None:
    assert Columns(text).head_of(text.index(VALUE)) is None


def test_a_row_far_below_the_head_has_it_as_well() -> None:
    rows = "".join(f"| service {number} | {VALUE} |\n" for number in range(2_000))
    text = f"| service | token |\n|---|---|\n{rows}"
    assert VALUE not in REDACTOR.redact(text).text


@pytest.mark.parametrize("letters", ["ದಲ್ಲಿಕನ್ನಡ", "गुप्तकुंजी", "รหัสผ่าน"])
def test_a_head_in_a_script_with_marks_has_one_reading(letters: str) -> None:
    text = f"{letters * 8}%,password\nacme,12\n"
    assert REDACTOR.redact(text).text.startswith(letters)
