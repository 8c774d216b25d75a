"""Rows of tables and items of lists, read as settings that the heads name."""

from __future__ import annotations

from collections.abc import Iterable

from s3memory.redaction.rules.weighing.behind_names import is_named
from s3memory.redaction.searching.named_values import NamedValues
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.lines import Lines
from s3memory.redaction.text.tables import Cell, TextTable, tables_in
from s3memory.redaction.text.word_lists import word_set

# What is read of a table is at most so many times as long as it, and so much.
_MOST_TIMES, _LEAST_CHARACTERS = 6, 2_000
_LONGEST_NAME = 48
VALUES = word_set(
    "value values val wert valeur valor valore waarde wartość värde værdi verdi arvo érték значение 值 値 값"
)
"""Heads of values whose names stand beside them."""

_OF_WHAT = r"[ ](?:\(|(?:per|for|of|by|on|at|in|to|von|f\u00fcr|pro|de|des|du|pour|por|para|di|voor|van)(?![^\W_]))"


def read_rows(lines: Lines, named: Iterable[int], values: NamedValues) -> None:
    """Read the tables whose heads name a secret, and those of settings.

    Args:
        lines: The lines of the text.
        named: Which of them name a secret, or a value.
        values: What is read.
    """
    for table in tables_in(lines, named):
        heads = [lines.text[slice(*head)] for head in table.heads]
        if heads[1].lower() in VALUES:
            _read_settings(values, table.rows)
        elif any(map(is_named, heads)):
            _read(values, table, [values.new_column() if is_named(head) else None for head in heads])


def _read(values: NamedValues, table: TextTable, columns: list[int | None]) -> None:
    text, begin = values.text, values.length
    names = [_name_of(text[slice(*head)]) for head in table.heads]
    for row in table.rows:
        # What stands below no head says what the row is about.
        label = "" if names[0] else f" {text[slice(*row[0])]}"
        for name, cell, column in zip(names, row, columns, strict=False):
            values.add(f"{name}{label}" if name else "", cell, column)
        values.end_group()
        if values.length - begin > _MOST_TIMES * (row[-1][1] - table.heads[0][0]) + _LEAST_CHARACTERS:
            break
    values.end_part()


def _read_settings(values: NamedValues, rows: list[list[Cell]]) -> None:
    """Read rows of which each is a name and its value: what stands further behind says more of it."""
    for row in rows:
        name = values.text[slice(*row[0])]
        if len(row) > 1 and len(name) <= _LONGEST_NAME and is_named(name):
            values.add(name, row[1], values.new_column())
    values.end_part()


def _name_of(head: str) -> str:
    """Return what a head calls one of what is below: the password, of "Passwords per host"."""
    name = compiled(_OF_WHAT).split(head)[0]
    return name[:-1] if name.endswith("s") and is_named(name[:-1].rpartition(" ")[2]) else name
