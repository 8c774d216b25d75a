"""What stands in a table below the name of a secret: each row is read as a list of settings, named by the heads.

So whatever a rule knows to stand behind a name, it finds below it as well, in tables and lists of any form.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import NamedTuple

from s3memory.redaction.model import Span
from s3memory.redaction.rules.reading.judging import is_said
from s3memory.redaction.rules.reading.other_forms import is_other
from s3memory.redaction.rules.weighing.behind_names import is_named
from s3memory.redaction.searching.proximity import Taken
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.tables import Cell, Table, tables_in
from s3memory.redaction.text.word_lists import word_set

# What is read of a table is at most so many times as long as it, and so much.
_MOST_TIMES, _LEAST_CHARACTERS = 6, 2_000
_LEAST, _LONGEST_NAME = 4, 48
# Heads of values whose names stand beside them.
_VALUES = word_set(
    "value values val wert valeur valor valore waarde wartość värde værdi verdi arvo érték значение 值 値 값"
)
_BETWEEN_WORDS = r"[ _/'\u2019.,-]+"
_OF_WHAT = r"[ ](?:\(|(?:per|for|of|by|on|at|in|to|von|f\u00fcr|pro|de|des|du|pour|por|para|di|voor|van)(?![^\W_]))"
_END_OF_FIELD = "\n"
_END_OF_TABLE = "\n\ufffd\n"  # no rule finds anything across it


class _Column(NamedTuple):
    """A column by the numbers of its table and of its head."""

    table: int
    number: int


class _Field(NamedTuple):
    """A cell below the name of a secret: where it stands in what is read, and in the text."""

    start: int
    end: int
    column: _Column
    cell: Cell


_start_of, _end_of = attrgetter("start"), attrgetter("end")


def find_in_rows(text: str, found: Iterable[Span], find: Callable[[str], Iterable[Span]]) -> Iterator[Span]:
    """Yield what stands in the columns of tables in `text` whose heads name a secret.

    Args:
        text: The text.
        found: What was found in it before.
        find: Finds secrets in another text: here, in the rows as they are read.
    """
    rows = _Rows(text)
    if not rows.fields:
        return
    taken = Taken(found)
    kinds = {field.cell: span.kind for field in rows.fields for span in taken.within(*field.cell)}
    for span in find("".join(rows.parts)):
        for start, end, _, cell in rows.overlapping(span):
            if cell not in kinds and not _is_plain(text[slice(*cell)]):
                kinds[cell] = span.kind
                moved = cell[0] - start
                yield Span(span.kind, max(span.start, start) + moved, min(span.end, end) + moved)
    columns: dict[_Column, list[Cell]] = {}
    for field in rows.fields:
        columns.setdefault(field.column, []).append(field.cell)
    for cells in columns.values():
        among = Counter(kinds[cell] for cell in cells if cell in kinds)
        kind = among.most_common(1)[0][0] if among else ""
        rest = [cell for cell in cells if cell not in kinds and _may_be_one(text[slice(*cell)], kind)]
        # Where half of a column are secrets, the others are.
        if among.total() >= len(rest):
            yield from (Span(kind, *cell) for cell in rest)


class _Rows:
    """The rows of the tables in a text as lists of settings.

    Attributes:
        parts: What is read, in pieces.
        fields: The cells below names of secrets, in order.
    """

    def __init__(self, text: str) -> None:
        self.parts: list[str] = []
        self.fields: list[_Field] = []
        self._length = 0
        for number, table in enumerate(tables_in(text)):
            heads = [text[slice(*head)] for head in table.heads]
            if heads[1].lower() in _VALUES:
                self._read_settings(text, number, table.rows)
            elif any(map(is_named, heads)):
                self._read(text, number, table, heads)

    def overlapping(self, span: Span) -> list[_Field]:
        """Return the fields that something found in what is read is in."""
        first = bisect_right(self.fields, span.start, key=_end_of)
        return self.fields[first : bisect_left(self.fields, span.end, key=_start_of)]

    def _read(self, text: str, number: int, table: Table, heads: list[str]) -> None:
        are_named, names = [*map(is_named, heads)], [*map(_name_of, heads)]
        begin = self._length
        for row in table.rows:
            # What stands below no head says what the row is about.
            label = "" if names[0] else f" {text[slice(*row[0])]}"
            for column, cell in enumerate(row):
                content = text[slice(*cell)]
                self._add(f"{names[column]}{label}: " if names[column] else "")
                if are_named[column] and content:
                    place = self._length, self._length + len(content)
                    self.fields.append(_Field(*place, _Column(number, column), cell))
                self._add(content + _END_OF_FIELD)
            self._add(_END_OF_FIELD)
            if self._length - begin > _MOST_TIMES * (row[-1][1] - table.heads[0][0]) + _LEAST_CHARACTERS:
                break
        self._add(_END_OF_TABLE)

    def _read_settings(self, text: str, number: int, rows: list[list[Cell]]) -> None:
        """Read rows of which each is a name and its value: what stands further behind says more of it."""
        for row in rows:
            name = text[slice(*row[0])]
            value = text[slice(*row[1])] if len(row) > 1 else ""
            if value and len(name) <= _LONGEST_NAME and is_named(name):
                self._add(f"{name}: ")
                place = self._length, self._length + len(value)
                self.fields.append(_Field(*place, _Column(number, len(self.fields)), row[1]))
                self._add(value + _END_OF_FIELD)
        self._add(_END_OF_TABLE)

    def _add(self, part: str) -> None:
        self.parts.append(part)
        self._length += len(part)


def _name_of(head: str) -> str:
    """Return what a head calls one of what is below: the password, of "Passwords per host"."""
    name = compiled(_OF_WHAT).split(head)[0]
    return name[:-1] if name.endswith("s") and is_named(name[:-1].rpartition(" ")[2]) else name


def _is_plain(cell: str) -> bool:
    """Whether a cell is words, as are most below any head: which of these are secrets, rules for sentences know."""
    words = compiled(_BETWEEN_WORDS).split(cell)
    return all(word.isalpha() and (word[1:].islower() or word.isupper() or not word[1:]) for word in words)


def _may_be_one(cell: str, kind: str) -> bool:
    """Whether a cell beside secrets of a kind may be one: passwords are words, too."""
    is_one_word = len(cell) >= _LEAST and " " not in cell and not is_other(cell)
    return is_one_word and (not _is_plain(cell) or (kind == "password" and not is_said(cell)))
