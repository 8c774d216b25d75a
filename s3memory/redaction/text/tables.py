"""The tables of a text, however they are written: with bars, tabs, commas or semicolons, in columns, in HTML.

A table is a head and rows below it. Whether something is one is told by its form alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate, dropwhile, takewhile
from typing import NamedTuple

from s3memory.redaction.text.compiling import compiled

Cell = tuple[int, int]
"""Where a cell starts and ends in the text, without what is drawn or marked up around it."""

_LONGEST_ROW = 2_000
_LEAST_CELLS, _MOST_CELLS, _LONGEST_HEAD = 2, 24, 40
_EDGE = " \t\r\n\"'`*_"
_MARGIN = " \t\r>"
_DRAWN = _MARGIN + "|+-=:~\u2500\u250c\u2510\u2514\u2518\u251c\u2524\u252c\u2534\u253c\u2550\u256a\u255e\u2561"
_BAR, _DRAWN_BAR, _BEFORE_NO_BAR = "|", "\u2502", "\\"
# What names a column is short, and no sentence, setting or call.
_HEAD = r"[^\W_][^\n\t.!?:=<>{}|\\]{0,39}"
_CHUNK = r"\S+(?:[ ]\S+)*"
_GAP = "  "
# A heading, or a line that ends in a colon; and an item that has a label and one word, perhaps with a remark behind it.
_MARGIN_AND_BULLET = (
    r"(?P<margin>[ \t>]{0,16})(?P<bullet>(?:[-*+\u2022\u2013]|[0-9]{1,2}[.)])[ \t]{1,4})?(?:\[[ xX]?\][ ])?"
)
_HEADING = (
    rf"{_MARGIN_AND_BULLET}(?P<mark>#{{1,6}}[ ]|\*\*|__)?(?P<head>{_HEAD}?)(?P<sign>[ ]?[:\uff1a])?[*_]{{0,2}}"
    r"[:\uff1a]?[ \t\r]*"
)
_ITEM = (
    rf"{_MARGIN_AND_BULLET}(?P<label>[^\s:=|][^\n:=|\uff1a\u2192]{{0,47}}?)[\"'`*_]{{0,3}}"
    r"(?:[ \t]{0,3}[:=\uff1a\u2192][*_]{0,2}[ \t]{1,4}|[ ](?:[-\u2013\u2014]|[-=]>)[ ]|[ ]{2,16}|\t{1,3})"
    r"(?P<value>\S{3,120})(?:[ \t]{1,4}[(#\u2013\u2014-][^\n]{0,120})?[ \t\r]*"
)
_LONGEST_HEADING = 80
_TAG = r"(?i)<(?P<end>/?)(?P<name>table|tr|t[hd])(?:[ \t\r\n][^<>]{0,200})?>"
_OPENING_TAGS = r"(?:[ \t\r\n]*<[A-Za-z][^<>]{0,200}>){0,4}"
_CLOSING_TAGS = r"(?:</[A-Za-z][A-Za-z0-9]{0,9}>[ \t\r\n]*){1,4}\Z"
_LONGEST_TAGS = 60


class Table(NamedTuple):
    """The cells of a table's head, and of each row below it as many at most."""

    heads: list[Cell]
    rows: list[list[Cell]]


class _Line(NamedTuple):
    start: int
    text: str


def tables_in(text: str) -> Iterator[Table]:
    """Yield the tables in `text`; what can be read as one in two ways, twice."""
    pieces = text.replace(_DRAWN_BAR, _BAR).split("\n")
    starts = accumulate((len(piece) + 1 for piece in pieces), initial=0)
    lines = [_Line(start, piece[:_LONGEST_ROW]) for start, piece in zip(starts, pieces, strict=False)]
    if _BAR in text or _DRAWN_BAR in text:
        yield from _with_bars(text, lines)
    for sign in "\t;,":
        if sign in text:
            yield from _with_signs(text, lines, sign)
    if _GAP in text:
        yield from _in_columns(text, lines)
    yield from _in_lists(text, lines)
    if "<t" in text or "<T" in text:
        yield from _in_tags(text)


def _with_bars(text: str, lines: Sequence[_Line]) -> Iterator[Table]:
    for those in _stretches(lines, [_BAR in line.text or _is_drawn(line.text) for line in lines]):
        rows = [*dropwhile(lambda line: _is_drawn(line.text), those)]
        # A pipeline has bars as well: a table starts with one, or has a line below its heads.
        if len(rows) > 1 and (rows[0].text.lstrip(_MARGIN).startswith(_BAR) or _is_drawn(rows[1].text)):
            yield from _table(text, [_cells(line, _BAR) for line in rows if not _is_drawn(line.text)])


def _with_signs(text: str, lines: Sequence[_Line], sign: str) -> Iterator[Table]:
    counts = [line.text.count(sign) for line in lines]
    first = 0
    while first < len(lines) - 1:
        head, count, last = lines[first].text, counts[first], first + 1
        # Code has margins, and ends its lines with a sign.
        if count and not head[:1].isspace() and not head.rstrip().endswith(sign):
            while last < len(lines) and (counts[last] == count or (counts[last] > count and '"' in lines[last].text)):
                last += 1
            if last - first > 1:
                yield from _table(text, [_cells(line, sign) for line in lines[first:last]])
        first = last


def _in_columns(text: str, lines: Sequence[_Line]) -> Iterator[Table]:
    """Yield the tables whose cells start below one another, with two spaces or more between them."""
    for those in _stretches(lines, [_GAP in line.text.strip() or _is_drawn(line.text) for line in lines]):
        head, *rows = [line for line in those if not _is_drawn(line.text)] or [those[0]]
        starts = [chunk.start() for chunk in compiled(_CHUNK).finditer(head.text)]
        if _LEAST_CELLS <= len(starts) <= _MOST_CELLS:
            aligned = takewhile(partial(_are_apart, starts[1:]), rows)
            edges = [*zip(starts, [*starts[1:], _LONGEST_ROW], strict=True)]
            yield from _table(text, [[_cell(line, *edge) for edge in edges] for line in (head, *aligned)])


def _are_apart(starts: Sequence[int], row: _Line) -> bool:
    """Whether nothing stands right before the places in `row` where cells start."""
    return not any(row.text[start - 1 : start].strip() for start in starts)


def _in_lists(text: str, lines: Sequence[_Line]) -> Iterator[Table]:
    """Yield lists of items with a label each, below a heading: as tables of which only the values have a head."""
    first = 0
    while first < len(lines) - 1:
        line, last = lines[first], first + 1
        heading = compiled(_HEADING).fullmatch(line.text) if len(line.text) <= _LONGEST_HEADING else None
        if heading is not None and _GAP not in heading["head"]:
            last += not lines[last].text.strip()
            below = map(lines.__getitem__, range(last, len(lines)))
            items = [*takewhile(bool, map(partial(_item, margin=heading["margin"]), below))]
            last = last + len(items) if len(items) > 1 else first + 1
            if len(items) > (heading["mark"] == heading["sign"] == ""):
                head = _cell(line, *heading.span("head"))
                yield from _table(text, [[(head[0], head[0]), head], *items])
        first = last


def _item(line: _Line, margin: str) -> list[Cell]:
    """Return the label and the value of an item, or nothing: one without a bullet starts where its heading does."""
    item = compiled(_ITEM).fullmatch(line.text)
    if item is None or _GAP in item["label"] or not (item["bullet"] or item["margin"] == margin):
        return []
    return [_cell(line, *item.span("label")), _cell(line, *item.span("value"))]


def _in_tags(text: str) -> Iterator[Table]:
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


def _table(text: str, rows: list[list[Cell]]) -> Iterator[Table]:
    rows = [*dropwhile(lambda cells: not any(end > start for start, end in cells), rows)]
    if len(rows) > 1 and _LEAST_CELLS <= len(rows[0]) <= _MOST_CELLS:
        heads, count = rows[0], len(rows[0])
        if all(start == end or compiled(_HEAD).fullmatch(text, start, end) for start, end in heads):
            yield Table(heads, [cells[:count] for cells in rows[1:] if cells])


def _cells(line: _Line, sign: str) -> list[Cell]:
    """Return the cells of a row. What is between quotes in CSV is one, whatever it holds."""
    row = line.text
    edges = [-1]
    is_open, is_quoted = False, sign != _BAR and row.count('"') % 2 == 0 and '"' in row
    for place in [place for place, letter in enumerate(row) if letter in (sign, '"')]:
        if row[place] == '"':
            is_open ^= is_quoted
        elif not is_open and row[place - 1 : place] != _BEFORE_NO_BAR:
            edges.append(place)
    if sign == _BAR:
        edges = edges[1:] if row.lstrip(_MARGIN).startswith(_BAR) else edges
        edges = edges[:-1] if row.rstrip().endswith(_BAR) else edges
        edges = edges or [-1]
    stops = [*edges[1:], row.rstrip().rfind(_BAR) if sign == _BAR and row.rstrip().endswith(_BAR) else len(row)]
    return [_cell(line, edge + 1, stop) for edge, stop in zip(edges, stops, strict=True)]


def _cell(line: _Line, start: int, end: int) -> Cell:
    content = line.text[start:end]
    first = min(start + len(content) - len(content.lstrip(_EDGE)), len(line.text))
    return line.start + first, line.start + first + len(content.strip(_EDGE))


def _without_tags(text: str, start: int, end: int) -> Cell:
    start = compiled(_OPENING_TAGS).match(text, start, end).end()  # type: ignore[union-attr]  # it may be empty
    closing = compiled(_CLOSING_TAGS).search(text, max(start, end - _LONGEST_TAGS), end)
    return _cell(_Line(0, text), start, closing.start() if closing else end)


def _stretches(lines: Sequence[_Line], are_in: Sequence[bool]) -> Iterator[list[_Line]]:
    """Yield the lines of a table that may be one, for each place where two or more are in a row."""
    first = -1
    for number, is_in in enumerate((*are_in, False)):
        if is_in and first < 0:
            first = number
        elif not is_in and first >= 0:
            if number - first > 1:
                yield [*lines[first:number]]
            first = -1


def _is_drawn(line: str) -> bool:
    """Whether a line has nothing written on it."""
    return not line.strip(_DRAWN) and line.strip(_MARGIN) != ""
