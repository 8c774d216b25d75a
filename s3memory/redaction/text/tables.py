"""The tables of a text, however they are written: with bars, tabs, commas or semicolons, in columns, as lists, in HTML.

A table is a head and rows below it. Whether something is one is told by its form alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.lines import Line, Lines

Cell = tuple[int, int]
"""Where a cell starts and ends in the text, without what is drawn or marked up around it."""

_LEAST_CELLS, _MOST_CELLS = 2, 24
_EDGE = " \t\r\n\"'`*_"
_MARGIN = " \t\r>"
_DRAWN = _MARGIN + "|+-=:~\u2500\u2502\u250c\u2510\u2514\u2518\u251c\u2524\u252c\u2534\u253c\u2550\u256a\u255e\u2561"
_BARS, _BEFORE_NO_BAR, _SIGNS = "|\u2502", "\\", "\t;,"
# What names a column is short, and no sentence, setting or call.
_HEAD = r"(?:[^\W_]|[#\u2116])[^\n\t.!?:=<>{}|\\]{0,39}\.?"
_CHUNK = r"\S+(?:[ ]\S+)*"
_GAP = "  "
# A heading, or a line that ends in a colon; and an item of one word, perhaps with a label and with a remark behind it.
_MARGIN_AND_BULLET = (
    r"(?P<margin>[ \t>]{0,16})(?P<bullet>(?:[-*+\u2022\u2013]|[0-9]{1,2}[.)])[ \t]{1,4})?(?:\[[ xX]?\][ ])?"
)
_HEADING = (
    rf"{_MARGIN_AND_BULLET}(?P<mark>#{{1,6}}[ ]|\*\*|__)?(?P<head>{_HEAD}?)(?P<sign>[ ]?[:\uff1a])?[*_]{{0,2}}"
    r"[:\uff1a]?[ \t\r]*"
)
_ITEM = (
    rf"{_MARGIN_AND_BULLET}(?:(?P<label>[^\s:=|][^\n\t:=|\uff1a\u2192]{{0,47}}?)[\"'`*_]{{0,3}}"
    r"(?:[ \t]{0,3}[:=\uff1a\u2192][*_]{0,2}[ \t]{1,4}|[ ](?:[-\u2013\u2014]|[-=]>)[ ]|[ ]{2,16}|\t{1,3}))?"
    r"(?P<value>\S{3,120})(?:[ \t]{1,4}[(#\u2013\u2014-][^\n]{0,120})?[ \t\r]*"
)
_LONGEST_HEADING = 80
_TAG = r"(?i)<(?P<end>/?)(?P<name>table|tr|t[hd])(?:[ \t\r\n][^<>]{0,200})?>"
_OPENING_TAGS = r"(?:[ \t\r\n]*<[A-Za-z][^<>]{0,200}>){0,4}"
_CLOSING_TAGS = r"(?:</[A-Za-z][A-Za-z0-9]{0,9}>[ \t\r\n]*){1,4}\Z"
_LONGEST_TAGS = 60


class TextTable(NamedTuple):
    """A table.

    Attributes:
        heads: The cells of its head.
        rows: Those of each row below it, as many at most.
        is_sure: It could be nothing else, such as a few lines of a text with commas.
    """

    heads: list[Cell]
    rows: list[list[Cell]]
    is_sure: bool


def tables_in(lines: Lines, heads: Iterable[int]) -> Iterator[TextTable]:
    """Yield the tables of a text; what can be read as one in two ways, twice.

    Args:
        lines: The lines of the text.
        heads: Which lines may be a head, in order. Others are none; those of HTML may stand anywhere.
    """
    end_of_list = 0
    for number in heads:
        yield from _with_bars(lines, number)
        for sign in _SIGNS:
            yield from _with_signs(lines, number, sign)
        yield from _in_columns(lines, number)
        if number >= end_of_list:
            items = _items(lines, number)
            end_of_list = number + len(items)
            yield from _table(lines.text, items)
    if "<t" in lines.text or "<T" in lines.text:
        yield from _in_tags(lines.text)


def _with_bars(lines: Lines, number: int) -> Iterator[TextTable]:
    head = lines[number].text
    if not _has_bar(head) or (number and _has_bar(lines[number - 1].text) and not _is_drawn(lines[number - 1].text)):
        return
    last = number + 1
    while last < len(lines) and (_has_bar(lines[last].text) or _is_drawn(lines[last].text)):
        last += 1
    # A pipeline has bars as well: a table starts with one, or has a line below its heads.
    if last - number > 1 and (head.lstrip(_MARGIN)[:1] in _BARS or _is_drawn(lines[number + 1].text)):
        rows = (lines[row] for row in range(number, last))
        cells = [_cells(row, _BARS) for row in rows if not _is_drawn(row.text)]
        yield from _table(lines.text, cells, is_sure=_is_drawn(lines[number + 1].text))


def _with_signs(lines: Lines, number: int, sign: str) -> Iterator[TextTable]:
    head = lines[number].text
    count = head.count(sign)
    # Code has margins, and ends its lines with a sign.
    if not count or head[:1].isspace() or head.rstrip().endswith(sign):
        return
    if number and lines[number - 1].text.count(sign) == count:
        return
    last = number + 1
    while last < len(lines) and _is_row(lines[last].text, sign, count):
        last += 1
    yield from _table(lines.text, [_cells(lines[row], sign) for row in range(number, last)])


def _is_row(row: str, sign: str, count: int) -> bool:
    here = row.count(sign)
    return here == count or (here > count and '"' in row)


def _in_columns(lines: Lines, number: int) -> Iterator[TextTable]:
    """Yield a table whose cells start below one another, with two spaces or more between them."""
    head = lines[number]
    above = lines[number - 1].text if number else ""
    if not _has_gap(head.text) or (_has_gap(above) and not _is_drawn(above)):
        return
    starts = [chunk.start() for chunk in compiled(_CHUNK).finditer(head.text)]
    if not _LEAST_CELLS <= len(starts) <= _MOST_CELLS:
        return
    rows, last = [head], number + 1
    while last < len(lines) and (_is_drawn(row := lines[last].text) or (_has_gap(row) and _are_apart(starts, row))):
        rows += [] if _is_drawn(row) else [lines[last]]
        last += 1
    yield from _table(
        lines.text,
        [
            [_cell(row, start, end) for start, end in zip(starts, [*starts[1:], len(row.text)], strict=True)]
            for row in rows
        ],
    )


def _are_apart(starts: Sequence[int], row: str) -> bool:
    """Whether nothing stands right before the places in `row` where cells start, but for the first."""
    return not any(row[start - 1 : start].strip() for start in starts[1:])


def _items(lines: Lines, number: int) -> list[list[Cell]]:
    """Return a list below a heading as rows of a table: labels, or nothing, and values, of which these have a head."""
    line = lines[number]
    heading = compiled(_HEADING).fullmatch(line.text) if len(line.text) <= _LONGEST_HEADING else None
    if heading is None or _GAP in heading["head"]:
        return []
    items: list[list[Cell]] = []
    first = lines.next_written(number + 1)
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
    """Return the label and the value of an item, or nothing: one without a bullet starts where its heading does.

    One without a label has a bullet, or is quoted.
    """
    item = compiled(_ITEM).fullmatch(line.text)
    if item is None or not (item["bullet"] or (item["margin"] == margin if item["label"] else ">" in item["margin"])):
        return []
    value = _cell(line, *item.span("value"))
    if item["label"] is None:
        return [(value[0], value[0]), value]
    return [] if _GAP in item["label"] else [_cell(line, *item.span("label")), value]


def _in_tags(text: str) -> Iterator[TextTable]:
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
    rows = [row for row in rows if row]
    if len(rows) > 1 and _LEAST_CELLS <= len(rows[0]) <= _MOST_CELLS:
        heads, count = rows[0], len(rows[0])
        if all(start == end or compiled(_HEAD).fullmatch(text, start, end) for start, end in heads):
            yield TextTable(heads, [cells[:count] for cells in rows[1:]], is_sure)


def _cells(line: Line, signs: str) -> list[Cell]:
    """Return the cells of a row. What is between quotes in CSV is one, whatever it holds."""
    row, is_drawn = line.text, signs == _BARS
    edges = [-1]
    is_open, is_quoted = False, not is_drawn and row.count('"') % 2 == 0 and '"' in row
    for place in [place for place, letter in enumerate(row) if letter in signs or letter == '"']:
        if row[place] == '"':
            is_open ^= is_quoted
        elif not is_open and row[place - 1 : place] != _BEFORE_NO_BAR:
            edges.append(place)
    edges.append(len(row))
    if is_drawn and row.lstrip(_MARGIN)[:1] in _BARS:
        edges = edges[1:]
    if is_drawn and row.rstrip(_MARGIN)[-1:] in _BARS:
        edges = edges[:-1]
    return [_cell(line, start + 1, stop) for start, stop in pairwise(edges)]


def _cell(line: Line, start: int, end: int) -> Cell:
    content = line.text[start:end]
    first = min(start + len(content) - len(content.lstrip(_EDGE)), len(line.text))
    return line.start + first, line.start + first + len(content.strip(_EDGE))


def _without_tags(text: str, start: int, end: int) -> Cell:
    start = compiled(_OPENING_TAGS).match(text, start, end).end()  # type: ignore[union-attr]  # it may be empty
    closing = compiled(_CLOSING_TAGS).search(text, max(start, end - _LONGEST_TAGS), end)
    return _cell(Line(0, text), start, closing.start() if closing else end)


def _has_bar(line: str) -> bool:
    return any(map(line.__contains__, _BARS))


def _has_gap(line: str) -> bool:
    return _GAP in line.strip()


def _is_drawn(line: str) -> bool:
    """Whether a line has nothing written on it, and is not empty."""
    return not line.strip(_DRAWN) and line.strip(_MARGIN) != ""
