"""What stands below a name: the lines of a list under a heading, the rows of a table or CSV whose head has it."""

from __future__ import annotations

import re

from s3memory.redaction.rules.reading.judging import (
    are_plain_words,
    is_candidate,
    is_chosen,
    is_mixed,
    is_rare_slug,
    is_said,
    is_typical,
)
from s3memory.redaction.rules.reading.letters import MARKS
from s3memory.redaction.rules.reading.near import Found, line_around
from s3memory.redaction.rules.reading.other_forms import is_other
from s3memory.redaction.text.compiling import compiled

_LONGEST_LINE = 400
_MOST_ROWS = 500
_LEAST, _LEAST_DIGITS = 4, 6

# A heading: nothing but a remark and a colon behind the name, and the list below.
_HEADING_END = r"[\"'`*_\]]{0,3}(?:(?:[ ][^\W\d_][\w'\u2019-]{0,20}){1,4}(?=[ ]?[:\uff1a]))?(?:[ ]?[(\uff08][^()\n]{1,40}[)\uff09])?[ ]?[:\uff1a]?[\"'`*_]{0,3}[ \t]{0,9}\r?\n(?:[=-]{3,60}+\r?\n)?(?:[ \t>]{0,9}\r?\n)?"
_ROW = (
    r"(?P<bullet>[ \t>]{0,16}(?:(?:[-*+\u2022\u2013]|[0-9]{1,2}[.)])[ \t]{1,4})?(?:\[[ xX]?\][ ]{1,2})?)"
    r"(?:(?P<label>[^\n:=|\uff1a]{1,48}?)[\"'`*_]{0,3}(?:[ \t]{0,3}(?:[:=\uff1a\u2192|]|[-=]{1,2}>)[ \t]{0,4}|[ ][-\u2013\u2014][ ]|[ ]{2,16}|\t{1,3})"
    r"(?:[\w.@-]{2,32}[ ]?/[ ]?)?)?"
    r"(?P<open>[\"'`*_\u201c\u201e\u00ab\u300c]{0,3})(?P<value>[^\s\"'`\u201c\u201d\u00bb\u300d]{4,80}|[^\n\"'`]{4,60}(?=[\"'`]))"
    r"[\"'`*_\u201d\u00bb\u300d]{0,3}[.,;]?(?:[ \t]{1,4}[(#\u2013\u2014-][^\n]{0,80})?[ \t]{0,9}(?:\r?\n|\Z)"
)
_CELL_BEHIND = r"(?:(?:[ ]\(?[^\W\d_][\w'\u2019-]{0,20}\)?){0,3}(?=[\"'`*_]{0,3}[ ]{0,20}[|\t]))?[\"'`*_]{0,3}[ ]{0,20}(?P<sign>[|,;\t\n]|\Z)"
_CELL_END = r"[\"'`*_]{0,3}[ ]{0,20}\|"
_WORD_IN_NEXT_CELL = r"`[ ]{0,20}\|[ ]{0,20}[*_]{0,3}[^\W\d_]{2,40}(?:[ ,][^|\n]{0,80})?[*_]{0,3}[ ]{0,20}(?:\||\n|\Z)"
_LINE_BELOW_HEAD = r"[ \t|:-]{3,400}+"
_RULE_LINE = r"\n[ \t>]{0,8}\|?[ \t]{0,3}:?-{2,400}+[-|: \t]{0,400}+(?=\r?\n|\Z)"
_CELL_EDGE = " \t\r\"'`*_"
_LONGEST_HEAD_CELL = 30
# In a head without a line below it, as passwords are exported.
_ACCOUNT = r"(?i)(?<![a-z])(?:user(?:[ _-]?name)?|login|url|uri|e-?mail|account|website|site|konto|benutzer|usuario|utilisateur)(?![a-z])"
_HEAD_CELL = rf"[ \t`*_\"]{{0,6}}(?:[\w#\u2116][\w{MARKS} .#/'\u2019-]{{0,30}})?[ \t`*_\"]{{0,20}}"
_LEAST_CELLS, _MOST_CELLS = 2, 24
_OF_A_PASSWORD = r"[A-Z!@#$%^&*]|[0-9]{6}"
_VAGUE = ("pass", "pin")


def list_below(text: str, end: int, limit: int) -> Found:
    """Return the values of the lines below a name that is a heading; none reaches `limit`, where the next name is."""
    heading = compiled(_HEADING_END).match(text, end)
    is_vague = text[max(0, end - 4) : end].lower().endswith(_VAGUE)
    if heading is None or (is_vague and not compiled(r"[:\uff1a]").search(heading[0])):
        return []
    rows: list[re.Match[str]] = []
    position = heading.end()
    for _ in range(_MOST_ROWS):
        row = compiled(_ROW).match(text, position)
        if row is None or row.start("value") >= limit or not (row["label"] or row["bullet"]):
            break
        rows.append(row)
        position = row.end()
    # One that could hardly be anything else tells what the others are.
    values = [row["value"].rstrip(".,;") for row in rows]
    is_sure = any(_is_sure(row["value"]) for row in rows) or _are_words(values)
    # Without labels it may be a list of what is demanded.
    if not any(row["label"] or compiled(_OF_A_PASSWORD).search(row["value"]) for row in rows):
        return []
    starts = [row.start("value") for row in rows]
    return [
        (start, start + len(one)) for start, one in zip(starts, values, strict=True) if _is_value(one, is_sure=is_sure)
    ]


def _is_sure(value: str) -> bool:
    return is_typical(value) or (value.isdigit() and len(value) >= _LEAST_DIGITS)


def _are_words(values: list[str]) -> bool:
    """Whether all are passwords, and some words in a row or joined, as whole columns of passphrases are."""
    return bool(values) and all(
        is_candidate(value) or is_rare_slug(value, is_english=False) or are_plain_words(value) for value in values
    )


def _is_value(value: str, *, is_sure: bool) -> bool:
    if is_typical(value) or (is_sure and is_chosen(value)):
        return True
    if value.isdigit():
        return len(value) >= (_LEAST if is_sure else _LEAST_DIGITS)
    if len(value) < _LEAST or is_other(value) or any(map(is_said, value.lower().replace("-", " ").split())):
        return False
    return is_candidate(value) or is_sure


def table_below(text: str, start: int, end: int) -> Found:
    """Return the cells below the name between `start` and `end` that look like passwords, if that is a cell of a head.

    Args:
        text: The text.
        start: Where the name starts.
        end: Where it ends.
    """
    behind = compiled(_CELL_BEHIND).match(text, end)
    begin = text.rfind("\n", max(0, start - _LONGEST_LINE), start) + 1
    if behind is None or not compiled(r"[|,;\t]").search(text, begin, end + _LONGEST_HEAD_CELL):
        return []
    stop = text.find("\n", end, begin + _LONGEST_LINE)
    if stop < 0 or (begin and text[begin - 1] != "\n"):
        return []
    head = text[begin:stop]
    sign = next((sign for sign in "|\t;," if sign in head), "")
    before = text[begin:start].rpartition(sign)[2] if sign else ""
    cells = head.split(sign) if sign else []
    is_cell = len(before) <= _LONGEST_HEAD_CELL and behind["sign"] in (sign, "\n", "")
    if not is_cell or not _LEAST_CELLS <= len(cells) <= _MOST_CELLS:
        return []
    is_underlined = sign == "|" and compiled(_RULE_LINE).match(text, stop) is not None
    if not is_underlined and not _is_head(text, begin, cells, sign):
        return []
    is_of_accounts = sign != "|" and any(compiled(_ACCOUNT).search(cell) for cell in cells)
    found, has_line = _column(text, stop, sign, text.count(sign, begin, start), len(cells))
    return _passwords_of(text, found, has_line=has_line, is_of_accounts=is_of_accounts)


def names_none_of_its_row(text: str, start: int, end: int) -> bool:
    """Whether a cell follows the name between `start` and `end` that is not its value.

    A head names what is below it. A name in backticks names what is written alike: a plain word behind it is the next
    column's.
    """
    if not compiled(_CELL_END).match(text, end):
        return False
    stop = text.find("\n", end, end + _LONGEST_LINE)
    is_head = stop >= 0 and compiled(_RULE_LINE).match(text, stop) is not None
    if is_head or table_below(text, start, end):
        return True
    line = text.rfind("\n", max(0, start - _LONGEST_LINE), start) + 1
    is_first = not text[line:start].strip(" \t>|`*")
    return not is_first and text[start - 1 : start] == "`" and compiled(_WORD_IN_NEXT_CELL).match(text, end) is not None


def _is_head(text: str, begin: int, cells: list[str], sign: str) -> bool:
    """Whether the line at `begin` is a head that no line of hyphens is below: the first of its table, and no code."""
    above = text[max(text.rfind("\n", max(0, begin - _LONGEST_LINE), max(0, begin - 1)), 0) : begin]
    if above.count(sign) == len(cells) - 1:
        return False
    # Code has commas and bars, too. A head has words between them, and CSV no margin and no empty end.
    is_bare = sign != "|" and (cells[0][:1].isspace() or not cells[-1].strip())
    return not is_bare and all(compiled(_HEAD_CELL).fullmatch(cell.strip("\r")) for cell in cells)


def _column(text: str, position: int, sign: str, number: int, count: int) -> tuple[Found, bool]:
    """Return the cells of a column, and whether there is a line below its head."""
    found: Found = []
    has_line = False
    for _ in range(_MOST_ROWS):
        begin = position + 1
        _, position = line_around(text, begin, begin, _LONGEST_LINE)
        row = text[begin:position]
        if sign not in row or begin >= len(text):
            break
        if compiled(_LINE_BELOW_HEAD).fullmatch(row):
            if has_line:
                break  # the next table's
            has_line = True
            continue
        cells = _cells(row, sign)
        if len(cells) <= number or (sign != "|" and len(cells) != count):
            break
        cell = cells[number]
        if is_said(cell.strip(_CELL_EDGE)) and not has_line:
            break  # another head
        start = begin + sum(map(len, cells[:number])) + number + len(cell) - len(cell.lstrip(_CELL_EDGE))
        if any(map(str.isalnum, value := cell.strip(_CELL_EDGE))):
            found.append((start, start + len(value)))
    return found, has_line


def _cells(row: str, sign: str) -> list[str]:
    """Return the cells of a row, as they are written. What is between quotes in CSV is one, whatever it holds."""
    pieces = row.split(sign)
    if '"' not in row or sign == "|":
        return pieces
    cells: list[str] = []
    is_open = False
    for piece in pieces:
        if is_open:
            cells[-1] += sign + piece
        else:
            cells.append(piece)
        is_open ^= piece.count('"') % 2 == 1
    return pieces if is_open else cells


def _passwords_of(text: str, found: Found, *, has_line: bool, is_of_accounts: bool) -> Found:
    values = [text[slice(*place)] for place in found]
    sure = [value for value in values if _is_sure(value) or is_mixed(value)]
    are_numbers = has_line and all(value.isdigit() and len(value) >= _LEAST for value in values)
    are_alike = are_numbers or (
        (has_line or is_of_accounts) and (sure != [] or _are_words(values) or all(map(_may_be_one, values)))
    )
    is_sure = any(map(_is_sure, values)) or are_alike or 2 * len(sure) >= len(values) > 1
    return [
        place
        for place, value in zip(found, values, strict=True)
        if (is_sure or " " not in value) and _is_value(value, is_sure=is_sure)
    ]


def _may_be_one(value: str) -> bool:
    """Whether `value` is one word that says nothing about a password and is nothing else."""
    return (
        len(value) >= _LEAST and " " not in value and not is_said(value) and (is_chosen(value) or not is_other(value))
    )
