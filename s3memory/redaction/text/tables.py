"""Finds tables in a text, however they are written: with bars, tabs, commas or semicolons, aligned, as lists, in HTML.

A table is a row of column headers and the rows below it. Only its form decides whether something is a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.lines import Line, Lines

Cell = tuple[int, int]
"""The span of a cell's content in the text, without the quotes, markup and white space around it."""

_MIN_CELLS, _MAX_CELLS = 2, 24
_EDGES = " \t\r\n\"'`*_"
_MARGIN = " \t\r>"
_DRAWN = _MARGIN + "|+-=:~\u2500\u2502\u250c\u2510\u2514\u2518\u251c\u2524\u252c\u2534\u253c\u2550\u256a\u255e\u2561"
_BARS, _ESCAPE, _DELIMITERS = "|\u2502", "\\", "\t;,"
# A column header is short, and isn't a sentence, a setting or a call.
_HEAD = r"(?:[^\W_]|[#\u2116])[^\n\t.!?:=<>{}|\\]{0,39}\.?"
_OPENED = r"[^,;\t\n]{0,100}(?:`|\"{3}|'{3})(?=[^,;\t\n]{1,40}[,;\t]\S)"  # a string in code, which starts with headers
_CHUNK = r"\S+(?:[ ]\S+)*"
_GAP = "  "
_MARGIN_AND_BULLET = (
    r"(?P<margin>[ \t>]{0,16})(?P<bullet>(?:[-*+\u2022\u2013]|[0-9]{1,2}[.)])[ \t]{1,4})?(?:\[[ xX]?\][ ])?"
)
# A heading above a list: "## Passwords", "**Passwords**", "Passwords:".
_HEADING = (
    rf"{_MARGIN_AND_BULLET}(?P<mark>#{{1,6}}[ ]|\*\*|__)?(?P<head>{_HEAD}?)(?P<sign>[ ]?[:\uff1a])?[*_]{{0,2}}"
    r"[:\uff1a]?[ \t\r]*"
)
# An item of that list, with one word as its value: "- hunter2", "- wiki: hunter2 (old)", "wiki -> hunter2".
_ITEM = (
    rf"{_MARGIN_AND_BULLET}(?:(?P<label>[^\s:=|][^\n\t:=|\uff1a\u2192]{{0,47}}?)[\"'`*_]{{0,3}}"
    r"(?:[ \t]{0,3}[:=\uff1a\u2192][*_]{0,2}[ \t]{1,4}|[ ](?:[-\u2013\u2014]|[-=]>)[ ]|[ ]{2,16}|\t{1,3}))?"
    r"(?P<value>\S{3,120})(?:[ \t]{1,4}[(#\u2013\u2014-][^\n]{0,120})?[ \t\r]*"
)
_MAX_HEADING = 80
_TAG = r"(?i)<(?P<end>/?)(?P<name>table|tr|t[hd])(?:[ \t\r\n][^<>]{0,200})?>"
_OPENING_TAGS = r"(?:[ \t\r\n]*<[A-Za-z][^<>]{0,200}>){0,4}"
_CLOSING_TAGS = r"(?:</[A-Za-z][A-Za-z0-9]{0,9}>[ \t\r\n]*){1,4}\Z"
_MAX_TAGS = 60


class TextTable(NamedTuple):
    """A table.

    Attributes:
        heads: The cells of its column headers.
        rows: The cells of each row below them, no more than there are headers.
        is_sure: It can't be anything else, as a few lines of prose with commas could.
    """

    heads: list[Cell]
    rows: list[list[Cell]]
    is_sure: bool


def tables_in(lines: Lines, heads: Iterable[int]) -> Iterator[TextTable]:
    """Yield the tables of a text. Lines that can be read as a table in two ways are yielded twice.

    Args:
        lines: The lines of the text.
        heads: The numbers of the lines that may be column headers, in order. HTML tables are found anywhere.
    """
    end_of_list = 0
    for number in heads:
        yield from _with_bars(lines, number)
        for delimiter in _DELIMITERS:
            yield from _with_delimiters(lines, number, delimiter)
        yield from _with_aligned_columns(lines, number)
        if number >= end_of_list:
            items = _items(lines, number)
            end_of_list = number + len(items)
            yield from _table(lines.text, items)
    if "<t" in lines.text or "<T" in lines.text:
        yield from _in_tags(lines.text)


def _with_bars(lines: Lines, number: int) -> Iterator[TextTable]:
    """Yield the table with bars between its cells whose column headers are on a line."""
    head = lines[number].text
    if not _has_bar(head) or (number and _has_bar(lines[number - 1].text) and not _is_drawn(lines[number - 1].text)):
        return
    last = number + 1
    while last < len(lines) and (_has_bar(lines[last].text) or _is_drawn(lines[last].text)):
        last += 1
    # A shell pipeline has bars, too: a table starts with one, or has a drawn line below its headers.
    if last - number > 1 and (head.lstrip(_MARGIN)[:1] in _BARS or _is_drawn(lines[number + 1].text)):
        rows = (lines[row] for row in range(number, last))
        cells = [_cells(row, _BARS) for row in rows if not _is_drawn(row.text)]
        yield from _table(lines.text, cells, is_sure=_is_drawn(lines[number + 1].text))


def _with_delimiters(lines: Lines, number: int, delimiter: str) -> Iterator[TextTable]:
    """Yield the table with a delimiter between its cells, such as CSV, whose column headers are on a line."""
    line = lines[number]
    if opened := compiled(_OPENED).match(line.text):
        line = Line(line.start + opened.end(), line.text[opened.end() :])
    head = line.text
    count = head.count(delimiter)
    # Lines of code are indented, or end with such a character.
    if not count or head[:1].isspace() or head.rstrip().endswith(delimiter):
        return
    if number and lines[number - 1].text.count(delimiter) == count:
        return
    last = number + 1
    while last < len(lines) and _is_row(lines[last].text, delimiter, count):
        last += 1
    rows = (line, *(lines[row] for row in range(number + 1, last)))
    yield from _table(lines.text, [_cells(row, delimiter) for row in rows])


def _is_row(row: str, delimiter: str, count: int) -> bool:
    here = row.count(delimiter)
    return here == count or (here > count and '"' in row)


def _with_aligned_columns(lines: Lines, number: int) -> Iterator[TextTable]:
    """Yield the table with aligned columns, two or more spaces apart, whose column headers are on a line."""
    head = lines[number]
    above = lines[number - 1].text if number else ""
    if not _has_gap(head.text) or (_has_gap(above) and not _is_drawn(above)):
        return
    starts = [chunk.start() for chunk in compiled(_CHUNK).finditer(head.text)]
    if not _MIN_CELLS <= len(starts) <= _MAX_CELLS:
        return
    rows, last = [head], number + 1
    while last < len(lines) and (_is_drawn(row := lines[last].text) or (_has_gap(row) and _has_gaps_at(starts, row))):
        rows += [] if _is_drawn(row) else [lines[last]]
        last += 1
    yield from _table(
        lines.text,
        [
            [_cell(row, start, end) for start, end in zip(starts, [*starts[1:], len(row.text)], strict=True)]
            for row in rows
        ],
    )


def _has_gaps_at(starts: Sequence[int], row: str) -> bool:
    """Whether there is a space in `row` before each column's start, other than the first."""
    return not any(row[start - 1 : start].strip() for start in starts[1:])


def _items(lines: Lines, number: int) -> list[list[Cell]]:
    """Return the list below a heading as the rows of a table: labels, which may be empty, and values.

    The first row is the header: an empty cell, and the heading above the values.
    """
    line = lines[number]
    heading = compiled(_HEADING).fullmatch(line.text) if len(line.text) <= _MAX_HEADING else None
    if heading is None or _GAP in heading["head"]:
        return []
    items: list[list[Cell]] = []
    first = lines.next_nonblank(number + 1)
    # One blank line at most, as in Markdown.
    for row in range(first, len(lines)) if first <= number + 2 else ():
        item = _item(lines[row], heading["margin"])
        if not item:
            break
        items.append(item)
    if len(items) > (heading["mark"] is None and heading["sign"] is None):
        head = _cell(line, *heading.span("head"))
        return [[(head[0], head[0]), head], *items]
    return []


def _item(line: Line, margin: str) -> list[Cell]:
    """Return the label and the value of an item, or nothing if the line isn't one.

    An item with a label has a bullet or the margin of its heading. One without a label has a bullet or is quoted, as
    "> hunter2" is.
    """
    item = compiled(_ITEM).fullmatch(line.text)
    if item is None or not (item["bullet"] or (item["margin"] == margin if item["label"] else ">" in item["margin"])):
        return []
    value = _cell(line, *item.span("value"))
    if item["label"] is None:
        return [(value[0], value[0]), value]
    return [] if _GAP in item["label"] else [_cell(line, *item.span("label")), value]


def _in_tags(text: str) -> Iterator[TextTable]:
    """Yield the tables in HTML."""
    rows: list[list[Cell]] = []
    start = -1
    for tag in compiled(_TAG).finditer(text):
        name, is_end = tag["name"].lower(), tag["end"] != ""
        if start >= 0 and rows:
            rows[-1].append(_without_tags(text, start, tag.start()))
        start = tag.end() if name in ("td", "th") and not is_end else -1
        if name == "table":
            yield from _table(text, rows)
            rows = []
        elif name == "tr" and not is_end:
            rows.append([])
    yield from _table(text, rows)


def _table(text: str, rows: list[list[Cell]], *, is_sure: bool = False) -> Iterator[TextTable]:
    """Yield the table of `rows`, the first of which is its header, if they can be one."""
    rows = [row for row in rows if row]
    if len(rows) > 1 and _MIN_CELLS <= len(rows[0]) <= _MAX_CELLS:
        heads, count = rows[0], len(rows[0])
        if all(start == end or compiled(_HEAD).fullmatch(text, start, end) for start, end in heads):
            yield TextTable(heads, [cells[:count] for cells in rows[1:]], is_sure)


def _cells(line: Line, delimiters: str) -> list[Cell]:
    """Return the cells of a row, split at any of `signs`. In CSV, quoted text is one cell, whatever it holds."""
    row, is_drawn = line.text, delimiters == _BARS
    edges = [-1]
    is_open, is_quoted = False, not is_drawn and row.count('"') % 2 == 0 and '"' in row
    for index in [index for index, character in enumerate(row) if character in delimiters or character == '"']:
        if row[index] == '"':
            is_open ^= is_quoted
        elif not is_open and row[index - 1 : index] != _ESCAPE:
            edges.append(index)
    edges.append(len(row))
    if is_drawn and row.lstrip(_MARGIN)[:1] in _BARS:
        edges = edges[1:]
    if is_drawn and row.rstrip(_MARGIN)[-1:] in _BARS:
        edges = edges[:-1]
    return [_cell(line, start + 1, stop) for start, stop in pairwise(edges)]


def _cell(line: Line, start: int, end: int) -> Cell:
    """Return the span in the text of what is on a line from `start` to `end`, without its edges."""
    content = line.text[start:end]
    first = min(start + len(content) - len(content.lstrip(_EDGES)), len(line.text))
    return line.start + first, line.start + first + len(content.strip(_EDGES))


def _without_tags(text: str, start: int, end: int) -> Cell:
    """Return the span of what is from `start` to `end`, without the tags around it."""
    start = compiled(_OPENING_TAGS).match(text, start, end).end()  # type: ignore[union-attr]  # it may be empty
    closing = compiled(_CLOSING_TAGS).search(text, max(start, end - _MAX_TAGS), end)
    return _cell(Line(0, text), start, closing.start() if closing else end)


def _has_bar(line: str) -> bool:
    return any(map(line.__contains__, _BARS))


def _has_gap(line: str) -> bool:
    return _GAP in line.strip()


def _is_drawn(line: str) -> bool:
    """Whether a line is only drawn, such as "|---|---|"."""
    return not line.strip(_DRAWN) and line.strip(_MARGIN) != ""
