"""Finds secrets whose label is not right before them: it is after them, in a column header, a question or a footnote.

Each such value is rewritten as a setting, "label: value", and the rules search these settings. So a rule that finds a
value after its label finds it here as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from s3memory.redaction.interface import Span
from s3memory.redaction.rules.passwords.spoken.vocabulary import ANCHORS
from s3memory.redaction.rules.reading.harmless_forms import is_harmless_form
from s3memory.redaction.rules.reading.judging import is_remark_word
from s3memory.redaction.rules.scoring.labelled_values import label_positions
from s3memory.redaction.searching.answers import read_answers
from s3memory.redaction.searching.collections_of_secrets import read_collections
from s3memory.redaction.searching.fields import codes_of, fields_in, read_fields
from s3memory.redaction.searching.footnotes import read_footnotes
from s3memory.redaction.searching.labels_after_values import read_labels_after
from s3memory.redaction.searching.name_value_pairs import read_name_value_pairs
from s3memory.redaction.searching.rows import VALUES, read_rows
from s3memory.redaction.searching.secrets_nearby import FoundSpans
from s3memory.redaction.searching.settings_view import NamedValue, NamedValues
from s3memory.redaction.text.lines import Lines
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.text.tables import Cell
from s3memory.redaction.text.wording import is_plain

_MIN_LENGTH = 4


def find_named_elsewhere(
    subject: Subject,
    found: Iterable[Span],
    find: Callable[[str], Iterable[Span]],
    score: Callable[[str], Iterable[Span]],
) -> Iterator[Span]:
    """Yield the secrets whose label is elsewhere.

    Args:
        subject: The text.
        found: What was found in it so far.
        find: Finds secrets in a text by the rules without a model: here, in the settings.
        score: Finds secrets in a text by all rules: here, in the settings that come from sentences, footnotes and
            answers of several words.
    """
    lines, taken = Lines(subject.text), FoundSpans(found)
    from_tables, from_sentences = NamedValues(subject.text), NamedValues(subject.text)
    named = {lines.number_of(position) for position, _ in label_positions(subject)}
    heads = {lines.number_of(position) for position in _starts_of(subject, (*VALUES, *subject.held(ANCHORS)))}
    read_rows(lines, sorted(named | heads), taken, from_tables)
    read_answers(lines, sorted(named), from_tables, from_sentences)
    read_collections(subject.text, label_positions(subject), from_tables)
    read_name_value_pairs(subject.text, label_positions(subject), from_tables)
    read_footnotes(lines, sorted(named), from_sentences)
    read_labels_after(subject.text, label_positions(subject), from_sentences)
    fields = [*fields_in(lines, sorted(named | heads))]
    yield from (span for span in codes_of(fields, subject.text) if taken.is_free(span.start, span.end))
    read_fields(fields, from_tables)
    if from_tables.all:
        yield from _found(from_tables, taken, find)
    if from_sentences.all:
        yield from _found(from_sentences, taken, score)


def _starts_of(subject: Subject, words: Iterable[str]) -> Iterator[int]:
    """Yield where any of `words` starts in a text."""
    for word in words:
        haystack = subject.folded if word.isascii() else subject.text
        at = haystack.find(word)
        while at >= 0:
            yield at
            at = haystack.find(word, at + len(word))


def _found(values: NamedValues, taken: FoundSpans, find: Callable[[str], Iterable[Span]]) -> Iterator[Span]:
    """Yield the values in which `find` finds secrets, and the other values of a column of which enough are secrets."""
    text = values.text
    kinds = {value.cell: span.kind for value in values.all for span in taken.within(*value.cell)}
    words: dict[Cell, str] = {}
    for span in find(values.settings):
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
        # If at least half of the values of a column are secrets, the others are, too.
        if among.total() >= len(rest):
            yield from (Span(kind, *cell) for cell in rest)
        if column in values.columns_of_words and all(
            cell in kinds or cell in words or _is_empty(text[slice(*cell)]) for cell in cells
        ):
            yield from (Span(words[cell], *cell) for cell in cells if cell in words)


def _columns(named: Iterable[NamedValue]) -> dict[int, list[Cell]]:
    """Return the cells of each column, by its number."""
    columns: dict[int, list[Cell]] = {}
    for value in named:
        columns.setdefault(value.column, []).append(value.cell)
    return columns


def _may_be_one(cell: str, kind: str) -> bool:
    """Whether a cell in a column of secrets may be one as well. A plain word may only be a password."""
    is_one_word = len(cell) >= _MIN_LENGTH and " " not in cell and not is_harmless_form(cell)
    return is_one_word and (not is_plain(cell) or (kind == "password" and not is_remark_word(cell)))


def _is_empty(cell: str) -> bool:
    """Whether a cell is as good as empty, such as "-" or "n/a"."""
    return sum(map(str.isalnum, cell)) < _MIN_LENGTH - 1
