"""What stands below the name of a secret is read as if it stood behind it, in tables and lists of any form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.for_each import for_each

from s3memory.redaction import PatternRedactor
from s3memory.redaction.rules.reading.languages import LANGUAGES
from s3memory.redaction.text.lines import Lines
from s3memory.redaction.text.tables import TextTable, tables_in

REDACTOR = PatternRedactor()
VALUE = "q7RtB2xKp9ZmW4sLd8Vn"


def tables_of(text: str) -> list[TextTable]:
    """Return all that may be read as a table, whatever its head."""
    lines = Lines(text)
    return [*tables_in(lines, range(len(lines)))]


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
    "service,{},owner\nacme,{},jo\n",
    'service,note,{}\nacme,"small, old",{}\n',
    "service;{};owner\r\nacme;{};jo\r\n",
    "service\t{}\nacme\t{}\n",
    "SERVICE   {}                 OWNER\nacme      {}  jo\n",
    "service    {}\n-------    -----\nacme       {}\n",
    "<table><tr><th>service</th><th>{}</th></tr><tr><td>acme</td><td>{}</td></tr></table>",
    "<table>\n<tr>\n<th>service\n<th><b>{}</b>\n<tr class='a'>\n<td>acme\n<td><code>{}</code>\n</table>\n",
)
LISTS = (
    "{}s:\n- acme: {}\n",
    "## {}s\n\n- acme: {}\n",
    "**{}s per service**\n* acme \u2013 {}\n* none (yet)\n",
    "{}s\nacme: {}\nother: none\n",
    "- {} by service:\n  1. acme = {} (old)\n",
)
STATEMENTS = (
    "INSERT INTO t (service, {}) VALUES ('acme', '{}');\n",
    "insert into `t` (`{}`, `service`) values\n  ('{}', 'it''s (acme)'),\n  (NULL, NOW());\n",
    "REPLACE INTO t (id, {})\nVALUES (12, '{}');\n",
    "INSERT IGNORE INTO t (id, {}, made) VALUES (1, '{}', datetime('now'));\n",
    "COPY public.t (service, {}) FROM stdin;\nacme\t{}\n\\.\n",
)


@for_each("text", (*TABLES, *LISTS, *STATEMENTS))
def test_what_stands_below_the_name_of_a_secret_goes_and_what_stands_below_that_of_an_id_stays(text: str) -> None:
    assert REDACTOR.redact(text.format("token", VALUE)).text == text.format("token", "[REDACTED:secret]")
    assert REDACTOR.redact(text.format("commit", VALUE)).findings == ()


@for_each("name", ["PIN", "Passwort", "wifi key", "\u043f\u0430\u0440\u043e\u043b\u044c", "door code", "\u5bc6\u7801"])
@for_each("text", TABLES[-6:])
def test_whatever_a_rule_knows_behind_a_name_it_finds_below_it(text: str, name: str) -> None:
    value = "48219" if "PIN" in name or "code" in name else "kP7-mr2x"
    assert value not in REDACTOR.redact(text.format(name, value)).text


def test_where_half_of_a_column_are_secrets_the_others_are() -> None:
    rows = "".join(
        f"{host},{value}\n" for host, value in zip("abc", (VALUE, "Kq83nTz0pWxY", "kbxnb-DQnAeN"), strict=True)
    )
    assert "kbxnb" not in REDACTOR.redact(f"host,api key\n{rows}").text


@for_each("text", [text for text in TABLES if "owner" not in text][-3:])
def test_a_word_beside_passwords_is_one(text: str) -> None:
    head, row = text.format("password", "Zebra-Lampe-12"), text.rpartition("acme")[2].format("gulmohar")
    table = head.replace("</table>", "<tr><td>") + "acme" + row
    assert "gulmohar" not in REDACTOR.redact(table).text


SURE_TABLES = (
    "| host | {} |\n|---|---|\n| attic | {} |\n| barn | {} |\n| cellar | - |\n",
    "website,username,{}\nbank,jo,{}\nshop,mia,{}\n",
    "INSERT INTO users (name, {}) VALUES ('jo', '{}'), ('mia', '{}');",
    "COPY users (name, {}) FROM stdin;\njo\t{}\nmia\t{}\nbo\t\\N\n",
)


@for_each("text", SURE_TABLES)
@for_each("values", [("gravelpond", "Sunflower"), ("wet lamp post", "old oak tree")])
def test_a_table_that_is_nothing_else_loses_a_column_of_words(text: str, values: tuple[str, str]) -> None:
    assert REDACTOR.redact(text.format("password", *values)).text.count("[REDACTED:password]") == len(values)


@for_each("text", SURE_TABLES)
@for_each("values", [("required", "optional"), ("gravelpond", "none yet")])
def test_a_column_in_which_a_word_is_no_password_keeps_its_words(text: str, values: tuple[str, str]) -> None:
    assert REDACTOR.redact(text.format("password", *values)).findings == ()


@for_each(
    "name", sorted({name.strip("*").replace("_", " ") for row in LANGUAGES.values() for name in row.names.split()})
)
def test_a_column_is_named_in_any_language(name: str) -> None:
    redacted = REDACTOR.redact(f"host,user,{name}\nattic,jo,Harbor!4711x\nbarn,mia,Quay?2280y\n").text
    assert "4711" not in redacted
    assert "2280" not in redacted


@for_each("label", ["commit", "order", "owner", "rotation"])
def test_a_label_says_that_what_is_below_a_name_is_another_thing(label: str) -> None:
    assert REDACTOR.redact(f"Keys:\n- {label}: kP7mr2xQ81\n- jo: in the vault\n").findings == ()


def test_a_number_of_another_column_stays() -> None:
    table = "PIN required\tcard\tlimit\nyes\tdebit\t2000\nno\tcredit\t5000\n"
    assert REDACTOR.redact(table).findings == ()


@for_each(
    "text",
    [
        "key,value\nregion,eu-1\ndb_password,{}\n",
        "setting;value;note\nregion;eu-1;near\ndb_password;{};old\n",
        "name\tvalue\nregion\teu-1\ndb_password\t{}\n",
        "| variable | Wert |\n|---|---|\n| region | eu-1 |\n| db_password | {} |\n",
    ],
)
def test_a_row_of_a_table_of_settings_is_one(text: str) -> None:
    assert REDACTOR.redact(text.format("kP7mr2x")).text == text.format("[REDACTED:password]")


@for_each("item", ["ttl: 3600", "type: bearer2", "count: 1204", "key: F5", "created: 2025-03-04", "env: DB_TOKEN2"])
def test_what_a_setting_of_a_secret_says_is_none(item: str) -> None:
    assert REDACTOR.redact(f"API tokens:\n- {item}\n").findings == ()


@for_each("indent", ["  ", "    "])
def test_settings_in_yaml_are_no_list(indent: str) -> None:
    assert REDACTOR.redact(f"password:\n{indent}length: 4821\n{indent}secret: db-creds-v2\n").findings == ()


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
def test_what_is_in_no_table_has_no_head(text: str) -> None:
    assert not any(text[slice(*head)] == "token" for table in tables_of(text) for head in table.heads)


@for_each("blank", ["", "   ", ">", "\r"])
def test_a_blank_line_ends_a_table(blank: str) -> None:
    text = f"| token | a |\n|---|---|\n| acme | b |\n{blank}\n| {VALUE} | c |\n"
    assert VALUE not in {text[slice(*row[0])] for table in tables_of(text) for row in table.rows}


@for_each("sign", [" | ", ",", "\t"])
def test_a_row_far_below_the_head_has_it_as_well(sign: str) -> None:
    rows = "".join(f"service {number}{sign}{VALUE[:-4]}{number:04}\n" for number in range(1_000))
    text = f"service{sign}token\n{'---|---' if '|' in sign else ''}\n{rows}".replace("\n\n", "\n")
    assert VALUE[:-4] not in REDACTOR.redact(text).text


@given(
    st.lists(
        st.sampled_from(["|", "\u2502", "\t", ",", ";", "\n", "  ", '"', ": ", "-", "<td>", "</td>", "<tr>", "a1"])
    )
)
def test_the_cells_of_any_text_stand_in_it_each_in_its_row(pieces: list[str]) -> None:
    text = "".join(pieces)
    for table in tables_of(text):
        assert table.rows
        for row in (table.heads, *table.rows):
            assert 0 < len(row) <= len(table.heads)
            places = [place for cell in row for place in cell]
            assert places == sorted(places)
            assert places[-1] <= len(text)


@pytest.mark.parametrize("letters", ["ದಲ್ಲಿಕನ್ನಡ", "गुप्तकुंजी", "รหัสผ่าน"])
def test_a_head_in_a_script_with_marks_has_one_reading(letters: str) -> None:
    text = f"{letters * 8}%,password\nacme,12\n"
    assert REDACTOR.redact(text).text.startswith(letters)


@for_each("head", ["Where the password lives", "Password location", "password vault", "Wo das Passwort liegt"])
def test_a_column_of_where_passwords_are_kept_stays(head: str) -> None:
    text = f'| Account | {head} |\n|---|---|\n| Energy | 1Password, "Home" vault |\n| Vet | drawer-2b |\n'
    assert PatternRedactor().redact(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "nøgle \u2013 kundenr, fx 20881\nkode \u2013 varekode, fx KP-3310\nhemmelig \u2013 ja/nej",
        "klucz - nr klienta\nkod - kod towaru, np. KP-3310\ntajne - tak/nie",
        "\u0422\u0430\u0443\u0430\u0440 коды \u2013 атауы\n30518 \u2013 кілт жасаушы\n30519 \u2013 есік тұтқасы",
        "código: descripción\n30518: cerradura\n30519: bisagra",
        "| Producto | Clave SAT |\n|---|---|\n| Tornillo | 31161500 |\n| Tuerca | 31161700 |",
        "Clave del artículo: 31161500",
        "| Kode | Navn |\n|---|---|\n| KP-3310 | lås |\n| 5518 | hængsel |",
        "Name;Sort key\nbolt;KP-3310\nnut;5518",
        "| Miro | password | 1Password \u203a Design | Marco |",
        "Miro \u2013 password \u2013 KeePassXC \u2013 Marco",
        "Anna Holm 4471\nPeter Berg 4472\nFront desk 4400",
        "| Name | Ext |\n|---|---|\n| Anna Holm | 5518 |\n| Jo | 8102 |",
    ],
)
def test_what_explains_a_column_or_is_the_key_of_a_table_is_no_secret(text: str) -> None:
    assert PatternRedactor().redact(text).findings == ()


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("| Dør | Kode |\n|---|---|\n| port | 4471 |\n| garage | 7782 |", "7782"),
        ("| Kode | Dør |\n|---|---|\n| 4471 | port |\n| 7782 | garage |", "7782"),
        ("| Name | Clave wifi |\n|---|---|\n| casa | Harbor!4711x |\n| oficina | Gravel!5122y |", "Gravel!5122y"),
        ("| Miro | password | Harbor!4711x | Marco |", "Harbor!4711x"),
        ("| Code | Name |\n|---|---|\n| 4471 | Anna |\n| 7782 | Wim |", "7782"),
        ("PINs: Anna 4471, Wim 4482", "4482"),
        ("kode \u2013 hest-4471", "hest-4471"),
    ],
)
def test_a_column_of_codes_that_open_something_is_secret(text: str, secret: str) -> None:
    assert secret not in PatternRedactor().redact(text).text


def test_a_column_with_passwords_needs_no_name_in_a_table_of_accounts() -> None:
    rows = "| Priya | priya | {} |\n| Tom | tom | {} |\n| backup | bk | {} |"
    table = f"| who | login | magic |\n|---|---|---|\n{rows}"
    redacted = table.format(*["[REDACTED:password]"] * 3)
    assert REDACTOR.redact(table.format("mangoLassi9", "blue door", "x7!Wq2@pL")).text == redacted
    harmless = table.format("active", "on leave", "x7!Wq2@pL")
    assert "on leave" in REDACTOR.redact(harmless).text
