"""Reads the cells of tables and the items of lists as values whose label is the column header."""

from __future__ import annotations

from collections.abc import Iterable

from s3memory.redaction.rules.passwords.spoken.vocabulary import has_password_name
from s3memory.redaction.rules.reading.harmless_codes import is_harmless_label, is_key_of_table
from s3memory.redaction.rules.reading.nouns import HARMLESS, meaning, words_of
from s3memory.redaction.rules.scoring.labelled_values import has_label
from s3memory.redaction.rules.scoring.lexicon import names_person
from s3memory.redaction.searching.secrets_nearby import FoundSpans
from s3memory.redaction.searching.settings_view import NamedValues
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.lines import Lines
from s3memory.redaction.text.sql import tables_of_sql
from s3memory.redaction.text.tables import Cell, TextTable, tables_in
from s3memory.redaction.text.word_lists import word_set

# The settings made of a table are at most this many times as long as the table, plus this many characters.
_MAX_TIMES, _MAX_MORE_CHARACTERS = 6, 2_000
_MAX_NAME = 48
_CELLS_OF_AN_ITEM, _ROWS_OF_PEOPLE, _MIN_PASSWORDS = 2, 9, 2
# A capital, a symbol or six digits, which passwords have and words don't.
_NO_WORD = r"[A-Z!@#$%^&*]|[0-9]{6}"
# A column header of an account, as in exported passwords.
_ACCOUNT = (
    r"(?i)(?<![a-z])(?:user(?:[ _-]?name)?|login|url|uri|e-?mail|account|website|site|konto|benutzer|usuario"
    r"|utilisateur)(?![a-z])"
)
# Labels of what describes a secret, in lists below its name.
_ABOUT = word_set(
    "provider issuer audience owner owners flow rotation rotated lifetime ttl scope scopes algorithm storage store "
    "stored where manager vault reset policy minimum maximum min max age history lockout mode method header realm "
    "contact updated expired changed status note notes usage used metric metrics step docs documentation link see"
)
VALUES = word_set(
    "value values val wert valeur valor valore waarde wartość värde værdi verdi arvo érték значение 值 値 값"
)
"""Column headers of values whose labels are in the column before: "setting | value"."""

# A column header that says where a secret is kept, or what describes it: "password location".
_WHERE = (
    r"(?i)\W{0,3}(?:where|wo|où|dónde|dove|waar|onde|gdzie|kde|var|hvor|\u0433\u0434\u0435|\u0434\u0435|πού)(?![^\W\d_])"
    r"|.*[ _-](?:location|manager|vault|reference|store|hint|policy)\W{0,3}\Z"
)
_PREPOSITION = r"[ ](?:\(|(?:per|for|of|by|on|at|in|to|von|f\u00fcr|pro|de|des|du|pour|por|para|di|voor|van)[ ])"


def read_rows(lines: Lines, named: Iterable[int], taken: FoundSpans, values: NamedValues) -> None:
    """Add the cells of the tables that have a column header for a secret, and those of tables of settings, to `values`.

    In a table of accounts, a column with enough passwords needs no such header.

    Args:
        lines: The lines of the text.
        named: The numbers of those that name a secret, or a value.
        taken: What was found in the text so far.
        values: Where each cell is added, with its column header.
    """
    for table in (*tables_in(lines, named), *tables_of_sql(lines.text)):
        heads = [lines.text[slice(*head)] for head in table.heads]
        if heads[1:] and heads[1].lower() in VALUES:
            _read_settings(values, table.rows)
        elif any(map(_is_named, heads)) and not _are_requirements(lines.text, table):
            are_words = table.is_sure or any(map(compiled(_ACCOUNT).search, heads))
            is_named = [_is_named(head) for head in heads]
            if is_named[0] and is_key_of_table(heads):  # but the codes of people are secret
                is_named[0] = any(
                    names_person(lines.text[row[0][0] : row[-1][1]]) for row in table.rows[:_ROWS_OF_PEOPLE]
                )
            columns = [values.new_column(is_of_words=are_words) if named else None for named in is_named]
            _read(values, table, columns)
        if any(map(compiled(_ACCOUNT).search, heads)) and not any(map(has_password_name, heads)):
            _read_unnamed(values, table, taken)


def _read_unnamed(values: NamedValues, table: TextTable, taken: FoundSpans) -> None:
    """Add the cells of each column in which at least two cells, and half of them, were found to be passwords."""
    for number, head in enumerate(values.text[slice(*head)] for head in table.heads):
        cells = [row[number] for row in table.rows if number < len(row)]
        passwords = [span for cell in cells for span in taken.within(*cell) if span == ("password", *cell)]
        is_unnamed = not _is_named(head) and _ABOUT.isdisjoint(words_of(head))
        if len(passwords) >= max(_MIN_PASSWORDS, len(cells) / 2) and is_unnamed:
            column = values.new_column(is_of_words=True)
            for cell in cells:
                values.add("password", cell, column)
            values.end_part()


def _read(values: NamedValues, table: TextTable, columns: list[int | None]) -> None:
    """Add the rows of a table. Only the cells that have the number of a column may be secrets."""
    text, begin = values.text, values.length
    names = [_name_of(text[slice(*head)]) for head in table.heads]
    for row in table.rows:
        # A cell in a first column without a header is the label of the row.
        label = "" if names[0] else label_of_row(text[slice(*row[0])])
        for name, cell, column in zip(names, row, columns, strict=False):
            values.add(f"{name}{label}" if name else "", cell, column)
        values.end_group()
        if values.length - begin > _MAX_TIMES * (row[-1][1] - table.heads[0][0]) + _MAX_MORE_CHARACTERS:
            break
    values.end_part()


def _are_requirements(text: str, table: TextTable) -> bool:
    """Whether a list may be the requirements for passwords: it has no labels, and no value that looks like one."""
    is_list = len(table.heads) == _CELLS_OF_AN_ITEM and table.heads[0][0] == table.heads[0][1]
    return is_list and not any(row[0][0] < row[0][1] or compiled(_NO_WORD).search(text, *row[-1]) for row in table.rows)


def _read_settings(values: NamedValues, rows: list[list[Cell]]) -> None:
    """Add rows that start with a label and its value. The other cells are remarks."""
    for row in rows:
        name = values.text[slice(*row[0])]
        if len(row) > 1 and len(name) <= _MAX_NAME and _is_named(name):
            values.add(name, row[1], values.new_column())
    values.end_part()


def _is_named(head: str) -> bool:
    """Whether a column header names a secret, and not where it is kept."""
    is_label = has_label(head) or has_password_name(head)
    return is_label and not is_harmless_label(head) and compiled(_WHERE).match(head) is None


def label_of_row(cell: str) -> str:
    """Return the label of a row, to be added to the column header, if it says that the value is something else."""
    words = words_of(cell)
    is_telling = not _ABOUT.isdisjoint(words) or any(meaning(words, index) == HARMLESS for index in range(len(words)))
    return f" {cell}" if is_telling else ""


def _name_of(head: str) -> str:
    """Return what a column header calls one of its values: "Password", of "Passwords per host"."""
    # "Mot de passe" is one name, "passwords per host" is not.
    names = (head[: of.start()] for of in compiled(_PREPOSITION).finditer(head))
    name = next(
        (name for name in names if _is_named(name) and has_password_name(name) == has_password_name(head)), head
    )
    is_plural = name.endswith("s") and not has_password_name(name) and has_label(name[:-1].rpartition(" ")[2])
    return name[:-1] if is_plural else name
