"""What is named elsewhere than before it: behind it, above it, in the question, at a footnote's mark.

Each is read as a setting of that name. So whatever a rule knows to stand behind a name, it finds there as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from s3memory.redaction.model import Span
from s3memory.redaction.rules.passwords.spoken.words import ANCHORS
from s3memory.redaction.rules.reading.judging import is_said
from s3memory.redaction.rules.reading.other_forms import is_other
from s3memory.redaction.rules.scoring.labelled_values import label_positions
from s3memory.redaction.searching.answers import read_answers
from s3memory.redaction.searching.fields import codes_of, fields_in, read_fields
from s3memory.redaction.searching.footnotes import read_footnotes
from s3memory.redaction.searching.named_values import NamedValue, NamedValues
from s3memory.redaction.searching.names_behind import read_names_behind
from s3memory.redaction.searching.proximity import Taken
from s3memory.redaction.searching.rows import VALUES, read_rows
from s3memory.redaction.text.lines import Lines
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.text.tables import Cell
from s3memory.redaction.text.wording import is_plain

_LEAST = 4


def find_named_elsewhere(
    subject: Subject,
    found: Iterable[Span],
    find: Callable[[str], Iterable[Span]],
    weigh: Callable[[str], Iterable[Span]],
) -> Iterator[Span]:
    """Yield what is a secret by a name that stands elsewhere.

    Args:
        subject: The text.
        found: What was found in it before.
        find: Finds secrets in another text: here, in what is read.
        weigh: Finds those as well that are weighed: here, of what a sentence tells, and no table.
    """
    lines, taken = Lines(subject.text), Taken(found)
    values, told = NamedValues(subject.text), NamedValues(subject.text)
    named = {lines.number_of(place) for place, _ in label_positions(subject)}
    heads = {lines.number_of(place) for place in _places_of(subject, (*VALUES, *subject.held(ANCHORS)))}
    read_rows(lines, sorted(named | heads), values)
    read_answers(lines, sorted(named), values)
    read_footnotes(lines, sorted(named), told)
    read_names_behind(subject.text, label_positions(subject), told)
    fields = [*fields_in(lines, sorted(named | heads))]
    yield from (span for span in codes_of(fields, subject.text) if taken.is_free(span.start, span.end))
    read_fields(fields, values)
    if values.all:
        yield from _found(values, taken, find)
    if told.all:
        yield from _found(told, taken, weigh)


def _places_of(subject: Subject, words: Iterable[str]) -> Iterator[int]:
    """Yield where `words` stand in a text."""
    for word in words:
        haystack = subject.folded if word.isascii() else subject.text
        at = haystack.find(word)
        while at >= 0:
            yield at
            at = haystack.find(word, at + len(word))


def _found(values: NamedValues, taken: Taken, find: Callable[[str], Iterable[Span]]) -> Iterator[Span]:
    text = values.text
    kinds = {value.cell: span.kind for value in values.all for span in taken.within(*value.cell)}
    words: dict[Cell, str] = {}
    for span in find(values.read):
        for start, end, _, cell in values.overlapping(span):
            if is_plain(text[slice(*cell)]):
                words[cell] = span.kind
            elif cell not in kinds:
                kinds[cell] = span.kind
                moved = cell[0] - start
                yield Span(span.kind, max(span.start, start) + moved, min(span.end, end) + moved)
    for column, cells in _columns(values.all).items():
        among = Counter(kinds[cell] for cell in cells if cell in kinds)
        kind = among.most_common(1)[0][0] if among else ""
        rest = [cell for cell in cells if cell not in kinds and _may_be_one(text[slice(*cell)], kind)]
        # Where half of a column are secrets, the others are.
        if among.total() >= len(rest):
            yield from (Span(kind, *cell) for cell in rest)
        if column in values.columns_of_words and all(
            cell in kinds or cell in words or _is_empty(text[slice(*cell)]) for cell in cells
        ):
            yield from (Span(words[cell], *cell) for cell in cells if cell in words)


def _columns(named: Iterable[NamedValue]) -> dict[int, list[Cell]]:
    columns: dict[int, list[Cell]] = {}
    for value in named:
        columns.setdefault(value.column, []).append(value.cell)
    return columns


def _may_be_one(cell: str, kind: str) -> bool:
    """Whether a cell beside secrets of a kind may be one: passwords are words, too."""
    is_one_word = len(cell) >= _LEAST and " " not in cell and not is_other(cell)
    return is_one_word and (not is_plain(cell) or (kind == "password" and not is_said(cell)))


def _is_empty(cell: str) -> bool:
    """Whether a cell says no more than that there is none."""
    return sum(map(str.isalnum, cell)) < _LEAST - 1
