"""Reads tables from SQL: the rows of an INSERT statement, and of COPY in a PostgreSQL dump."""

from __future__ import annotations

import re
from collections.abc import Iterator

from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.tables import Cell, TextTable

_COLUMNS = r"[ ]{0,3}[\w.`\"\[\]]{1,80}[ ]?\((?P<columns>[^()\n]{1,1000})\)"
# As in "INSERT INTO users (id, password) VALUES" and "COPY users (id, password) FROM stdin;".
_STATEMENT = (
    rf"(?:(?:INSERT|insert|Insert|REPLACE|replace)[ ][A-Za-z ]{{0,12}}?(?i:into)[ ]|(?P<copy>COPY|copy)[ ]){_COLUMNS}"
    r"(?(copy)[ ](?i:from[ ]stdin)\b[^\n]{0,80}\n|\s{1,20}(?i:values)\s{0,20}(?=\())"
)
_COLUMN = r"[^\s,`\"\[\]][^,`\"\[\]]{0,63}"
_NEXT_ROW = r"[ \t]{0,9},?[ \t]{0,20}(?:\r?\n[ \t]{0,20})?\("
# A value and what ends it: a string such as "'hunter2',", another literal such as "NULL,", or a call such as "now())".
_VALUE = (
    r"\s{0,20}(?:[NE]?'(?P<string>(?:[^'\n]|''){0,2000})'|(?P<other>[^,()'\n]{0,80}|[\w.]{1,40}\([^()\n]{0,120}\)))"
    r"\s{0,20}(?P<end>[,)])"
)
_KEYWORDS = ("INTO ", "into ", "Into ", "STDIN", "stdin")
_VERBS = ("INSERT ", "insert ", "Insert ", "REPLACE ", "replace ", "COPY ", "copy ")
_MAX_VALUES, _MAX_ROW = 4_000, 4_000


def tables_of_sql(text: str) -> Iterator[TextTable]:
    """Yield the rows that the SQL in `text` inserts, as tables whose heads are the column names."""
    # Hardly any text has both, and this check is fast.
    if not (any(map(text.__contains__, _KEYWORDS)) and any(map(text.__contains__, _VERBS))):
        return
    for statement in compiled(_STATEMENT).finditer(text):
        columns = compiled(_COLUMN).finditer(text, *statement.span("columns"))
        heads = [(column.start(), column.start() + len(column[0].rstrip())) for column in columns]
        rows = _copied(text, statement.end()) if statement["copy"] else _inserted(text, statement.end())
        yield TextTable(heads, [row[: len(heads)] for row in rows], is_sure=True)


def _inserted(text: str, position: int) -> Iterator[list[Cell]]:
    """Yield the rows in parentheses that start at `position`: "(1, 'hunter2'), (2, 'swordfish')"."""
    row: list[Cell] = []
    opening = compiled(_NEXT_ROW).match(text, position)
    value = compiled(_VALUE).match(text, opening.end()) if opening else None
    for _ in range(_MAX_VALUES):
        if value is None:
            return
        row.append(value.span("string" if value["string"] is not None else "other"))
        after: re.Match[str] | None = value
        if value["end"] == ")":
            yield row
            row, after = [], compiled(_NEXT_ROW).match(text, value.end())
        value = compiled(_VALUE).match(text, after.end()) if after else None


def _copied(text: str, position: int) -> Iterator[list[Cell]]:
    """Yield the rows on the lines that start at `position`, whose cells are separated by tabs."""
    for _ in range(_MAX_VALUES):
        end = text.find("\n", position, position + _MAX_ROW)
        line = text[position:end].removesuffix("\r") if end >= 0 else ""
        if "\t" not in line:
            return
        row: list[Cell] = []
        for cell in line.split("\t"):
            row.append((position, position + len(cell)))
            position += len(cell) + 1
        yield row
        position = end + 1
