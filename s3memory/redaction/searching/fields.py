"""Reads lines that are a label and a value, in any order and with any sign: "4827 = door code", "PIN (48 27)".

Each is rewritten as a setting, which the rules search. A code whose label says that it opens something is found without
any rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from s3memory.redaction.interface import Span
from s3memory.redaction.rules.passwords.spoken.vocabulary import has_password_name
from s3memory.redaction.rules.reading.harmless_codes import is_harmless_code, last_code_name
from s3memory.redaction.rules.reading.harmless_forms import is_harmless_form
from s3memory.redaction.rules.scoring.labelled_values import has_label
from s3memory.redaction.rules.scoring.lexicon import PREFIX, has_kind, kinds_of, words_in
from s3memory.redaction.searching.settings_view import NamedValues
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.lines import Lines
from s3memory.redaction.text.tables import Cell

_BULLET = r"[ \t]*(?:(?:[-*+\u2022|]|#{1,4}|[0-9]{1,2}[.)])[ ])?[ ]*"
_EDGE = r"[*_`\"'\u201c\u201e\u201d\u00ab\u00bb]{0,3}"
_NAME = r"(?P<name>[^\W\d_][^\n0-9,:=|()\[\]{}<>\"`*]{1,47}?)"
_VALUE = r"(?P<value>[0-9]{2,6}(?:[ -][0-9]{2,6}){1,3}|[^\s()|:=/;,]{0,24}[0-9][^\s()|:=/;,]{0,24}?)"
_SIGN = r"(?:[ \t]*(?:[:=|\uff1a\uff1d\u2013\u2014\u2192]|[-=]>|-(?=[ ]))[ \t]*|[ ]?[(\uff08])"
_END = r"[)\uff09]?[.,;\u3002]?[ ]?\|?[ \t\r]*"
# As in "- garage code: 4827", "PIN (48 27)"; "4827 = door code"; and "Door code" with "4827" alone on the next line.
_NAME_FIRST = rf"{_BULLET}{_EDGE}{_NAME}(?P<sign>{_EDGE}(?:{_SIGN}|[ \t]+){_EDGE}[ ]?{_EDGE}){_VALUE}{_EDGE}{_END}"
_VALUE_FIRST = rf"{_BULLET}{_EDGE}{_VALUE}(?P<sign>{_EDGE}{_SIGN}{_EDGE}){_NAME}{_EDGE}{_END}"
_NAME_ALONE = rf"{_BULLET}{_EDGE}{_NAME}{_EDGE}[:\uff1a]?{_EDGE}[ \t\r]*"
_VALUE_ALONE = rf"[ \t]*{_EDGE}{_VALUE}{_EDGE}[ \t\r]*(?:\Z|\n[ \t\r]*(?:\n|\Z))"
_MIN_LENGTH, _MAX_LINE = 4, 100
_CODE = r"[A-Z]?[0-9]{4,8}[#*]?|[*#][0-9]{4,8}[#*]?|(?!(?:19|20)[0-9]{2}-)[0-9]{2,4}(?:[ -][0-9]{2,4}){1,3}"
_SIGNS_OF_SETTINGS = (": ", "=", " = ", "\uff1a", ":")
_KINDS_THAT_OPEN = frozenset(("lock", "open", "login"))
_PIN, _MAX_WORDS_WITH_PIN = r"(?i)(?<![^\W\d_])(?:pin|пин|пін|پین)(?![^\W\d_])|पिन", 3
_MAX_WORDS = 6


class Field(NamedTuple):
    """The label of a secret, and its value.

    Attributes:
        name: The label.
        cell: The span of the value, which is on the same line or on the next.
        sign: What is between the two.
    """

    name: str
    cell: Cell
    sign: str


def fields_in(lines: Lines, named: Iterable[int]) -> Iterator[Field]:
    """Yield the fields on lines that are only a label and its value.

    Args:
        lines: The lines of the text.
        named: The numbers of those that name a secret.
    """
    for number in named:
        line = lines[number]
        if len(line.text) <= _MAX_LINE:
            yield from _fields_of(lines, number)


def read_fields(fields: Iterable[Field], values: NamedValues) -> None:
    """Add the fields to `values`, except those that have no sign between label and value or are settings already."""
    for name, cell, sign in fields:
        if sign.strip(" ") and sign not in _SIGNS_OF_SETTINGS:
            values.add(name, cell, values.new_column())
            values.end_part()


def codes_of(fields: Iterable[Field], text: str) -> Iterator[Span]:
    """Yield the values that look like a code and whose label names one that opens something, such as "garage code"."""
    for name, cell, sign in fields:
        ends_in_name = sign.strip(" ") or _opens_something(name.split()[-1])
        if ends_in_name and compiled(_CODE).fullmatch(text, *cell) and _opens_something(name):
            yield Span("recovery-code", *cell)


def _fields_of(lines: Lines, number: int) -> Iterator[Field]:
    line, text = lines[number], lines.text
    has_digit = any(map(str.isdigit, line.text))  # as a value has, and most lines don't
    for pattern in (_NAME_FIRST, _VALUE_FIRST) if has_digit else ():
        field = compiled(pattern).fullmatch(text, line.start, line.end)
        if field and _may_be_field(field["name"], field["value"]):
            yield Field(field["name"], field.span("value"), field["sign"])
            return
    name = compiled(_NAME_ALONE).fullmatch(text, line.start, line.end)
    if name and number + 1 < len(lines):
        below = lines[number + 1]
        value = compiled(_VALUE_ALONE).match(text, below.start)
        if value and _may_be_field(name["name"], value["value"]):
            yield Field(name["name"], value.span("value"), "\n")


def _may_be_field(name: str, value: str) -> bool:
    """Whether a label names a secret, and the value may be one."""
    if (
        len(value) < _MIN_LENGTH
        or (not value.isdigit() and is_harmless_form(value))
        or not (has_label(name) or has_password_name(name))
    ):
        return False
    code = last_code_name(name)
    return code is None or not is_harmless_code(name, code)


def _opens_something(name: str) -> bool:
    """Whether a label names a code that opens something, such as "garage code", "PIN" or "Türcode"."""
    words = words_in(name.lower())
    if last_code_name(name) is None or len(words) > _MAX_WORDS:
        return False
    if len(words) <= _MAX_WORDS_WITH_PIN and compiled(_PIN).search(name):
        return True
    return not _KINDS_THAT_OPEN.isdisjoint(kinds_of({word[:PREFIX] for word in words})) or any(map(_is_compound, words))


def _is_compound(word: str) -> bool:
    """Whether a word is a compound that names a code with what it opens, as "Türcode" does and "code" doesn't."""
    code = last_code_name(word)
    return has_kind(word, "pin") and code is not None and code.start() > 0
