"""Whether the cell of a table behind a name is what it names."""

from __future__ import annotations

from s3memory.redaction.text.compiling import compiled

_LONGEST_LINE = 400
_CELL_END = r"[\"'`*_]{0,3}[ ]{0,20}\|"
_WORD_IN_NEXT_CELL = r"`[ ]{0,20}\|[ ]{0,20}[*_]{0,3}[^\W\d_]{2,40}(?:[ ,][^|\n]{0,80})?[*_]{0,3}[ ]{0,20}(?:\||\n|\Z)"
_LINE_BELOW_HEAD = r"\n[ \t>]{0,8}\|?[ \t]{0,3}:?-{2,400}+[-|: \t]{0,400}+(?=\r?\n|\Z)"


def names_none_of_its_row(text: str, start: int, end: int) -> bool:
    """Whether a cell follows the name between `start` and `end` that is not its value.

    A head names what is below it. A name in backticks names what is written alike: a plain word behind it is the next
    column's.
    """
    if not compiled(_CELL_END).match(text, end):
        return False
    stop = text.find("\n", end, end + _LONGEST_LINE)
    if stop >= 0 and compiled(_LINE_BELOW_HEAD).match(text, stop):
        return True
    line = text.rfind("\n", max(0, start - _LONGEST_LINE), start) + 1
    is_first = not text[line:start].strip(" \t>|`*")
    return not is_first and text[start - 1 : start] == "`" and compiled(_WORD_IN_NEXT_CELL).match(text, end) is not None
