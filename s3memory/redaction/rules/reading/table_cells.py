"""Tells whether the table cell after a name holds the value of that name."""

from __future__ import annotations

from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.text.compiling import compiled

_MAX_LINE_LENGTH = 400
_CELL_END = r"[\"'`*_]{0,3}[ ]{0,20}\|"
_PLAIN_NEXT_CELL = r"`[ ]{0,20}\|[ ]{0,20}[*_]{0,3}[^\W\d_]{2,40}(?:[ ,][^|\n]{0,80})?[*_]{0,3}[ ]{0,20}(?:\||\n|\Z)"
_RULE_BELOW_HEADER = r"\n[ \t>]{0,8}\|?[ \t]{0,3}:?-{2,400}+[-|: \t]{0,400}+(?=\r?\n|\Z)"


def next_cell_is_unrelated(text: str, start: int, end: int) -> bool:
    """Whether the name between `start` and `end` is in a table cell, and the next cell is not its value.

    A column header labels the cells below it. A name in backticks, but for the first cell of a row, has a value in
    backticks as well: a plain word after it belongs to the next column.
    """
    if not compiled(_CELL_END).match(text, end):
        return False
    stop = text.find("\n", end, end + _MAX_LINE_LENGTH)
    if stop >= 0 and compiled(_RULE_BELOW_HEADER).match(text, stop):
        return True
    line = line_start(text, start, _MAX_LINE_LENGTH)
    is_first = not text[line:start].strip(" \t>|`*")
    return not is_first and text[start - 1 : start] == "`" and compiled(_PLAIN_NEXT_CELL).match(text, end) is not None
