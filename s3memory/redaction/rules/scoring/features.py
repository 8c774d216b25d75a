"""The features of a candidate's context: the words and signs around it, and the layout.

A feature has a name such as ``before:opens``, and its number is a checksum of the name. Each feature of the context
counts alone and combined with the form of the candidate: "order" means one thing before four digits, and another before
"gr33n".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import NamedTuple, Self

from s3memory.redaction.interface import PLACEHOLDER_PATTERN, PLACEHOLDER_START
from s3memory.redaction.rules.reading.candidates import is_thing
from s3memory.redaction.rules.reading.judging import is_remark_word
from s3memory.redaction.rules.reading.near import line_around, line_start
from s3memory.redaction.rules.scoring.forms import Form
from s3memory.redaction.rules.scoring.labelled_values import Label, label_before
from s3memory.redaction.rules.scoring.lexicon import PREFIX, kinds_of, split_runs, words_in
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject

_CHARACTERS_BEFORE, _CHARACTERS_AFTER = 90, 50
_CHARACTERS_NEAR = 200
_CHARACTERS_TO_HEADING = 400
_ADJACENT_CHARACTERS, _ADJACENT_SIGNS = 24, 2
_LINE_END = r"\s*\n[\s>*+\u2022-]*"
_MAX_WORDS_BEFORE, _MAX_WORDS_AFTER, _MAX_WORDS_OF_HEADING = 10, 6, 14
_WORD_OR_SIGN = (
    r"[^\W_]+(?:['\u2019][a-z]+)?|->|=>|[:=>/|,;()\"'`@#*\u2192\u2013\u2014\u201c\u201d\u201e\u00ab\u00bb.!?-]"
)
_REDACTED_SIGN = "\u00a7"
_LIST_ITEM = r"\s*(?:[-*\u2022]|[0-9]+[.)])\s"
_LABEL = r"[^:\n]{1,40}:\s*"
_CELL_SEPARATORS = ("|", "\t", ";", ",")
_CHARACTERS_OF_ROW, _CHARACTERS_TO_REPEAT, _CHARACTERS_TO_HEADER = 400, 300, 800
REACH = max(_CHARACTERS_BEFORE + _CHARACTERS_TO_HEADING, _CHARACTERS_OF_ROW + _CHARACTERS_TO_HEADER)
"""The context of a candidate begins at most this many characters before it."""
_MAX_WORDS_OF_HEADER, _MAX_WORDS_ABOVE = 3, 4
_MAX_REMARK_WORDS, _MAX_COUNTED_WORDS = 2, 5
_PUNCTUATION = "\"'`*_.,;:!?()"
_LINE_DECORATION = " \t-*>\"`'|.,;"
_QUOTE_PAIRS = frozenset(('""', "``", "''", "\u201c\u201d", "\u201e\u201c", "**", "()", "\u00ab\u00bb"))


class SharedFeatures(NamedTuple):
    """What all `ContextFeatures` of one text share: it does not depend on the spans that are noted.

    Attributes:
        lines: The feature names of what is around each line, by its start.
        labels: The label before each candidate, by its start.
    """

    lines: dict[int, list[str]]
    labels: dict[int, Label | None]

    @classmethod
    def of(cls, _subject: Subject) -> Self:
        """Return what is shared for a text, empty at first."""
        return cls({}, {})


class ContextFeatures:
    """Computes the features of candidates of one text.

    Args:
        text: The text.
        shared: What others of the same text have computed.

    Attributes:
        text: The text.
    """

    __slots__ = ("_noted", "_shared", "text")

    def __init__(self, text: str, shared: SharedFeatures | None = None) -> None:
        self.text = text
        self._shared = shared or SharedFeatures({}, {})
        self._noted: list[tuple[int, int]] = []

    def note(self, start: int, end: int) -> None:
        """Treat a span as redacted in the context of later candidates on its line.

        If spans overlap, as a phrase and its words do, the first one counts.
        """
        if not self._noted or start >= self._noted[-1][1]:
            self._noted.append((start, end))

    def found_before(self, start: int) -> tuple[int, ...]:
        """Return where the noted spans before `start` are on its line, as distances from `start`."""
        first = line_start(self.text, start, _CHARACTERS_BEFORE)
        distances: list[int] = []
        for span in reversed(self._noted):
            if span[0] < first:
                break
            distances += (start - span[0], start - span[1])
        return tuple(distances)

    def of(self, start: int, end: int, form: Form, more: Iterable[str] = ()) -> list[int]:
        """Return the feature numbers of a candidate with its context. A number may occur twice.

        Args:
            start: Where it starts.
            end: Where it ends.
            form: Its form.
            more: The names of further features.
        """
        text = self.text
        first, last = line_around(text, start, end, _CHARACTERS_BEFORE)
        label, is_below = self.label_before(start), self.is_labelled_above(start)
        if label and is_below:
            first = line_start(text, label.start, _CHARACTERS_BEFORE)
        if first not in self._shared.lines:
            self._shared.lines[first] = _of_line(text, first)
        before, signs_before = self._with_noted_redacted(first, start), text[max(0, start - _ADJACENT_SIGNS) : start]
        if is_below:  # read the label and the value as one line
            before = compiled(_LINE_END).sub(" ", before)
            signs_before = before[-_ADJACENT_SIGNS:]
        after = text[end : min(last, end + _CHARACTERS_AFTER)]
        names = [*_of_signs(signs_before, text[end : end + _ADJACENT_SIGNS]), *_of_words(before, after)]
        if label:
            word = text[start:end]
            made_of = "digits" if word.isdigit() else "letters" if word.replace(" ", "").isalpha() else "both"
            are_remarks = [is_remark_word(part.strip(_PUNCTUATION)) for part in word.split()]
            of_how_many = f"{min(sum(are_remarks), _MAX_REMARK_WORDS)} of {min(len(are_remarks), _MAX_COUNTED_WORDS)}"
            names += ["called", f"called:{label.kind}", f"called:{made_of}", f"called:said {of_how_many}"]
        return form.with_context((*names, *more, *self._shared.lines[first]))

    def label_before(self, start: int) -> Label | None:
        """Return the label before a candidate that starts at `start`."""
        labels = self._shared.labels
        if start not in labels:
            labels[start] = label_before(self.text, start)
        return labels[start]

    def is_labelled_above(self, start: int) -> bool:
        """Whether the label of a candidate that starts at `start` is on a line above."""
        label = self.label_before(start)
        return label is not None and "\n" in self.text[label.start : start]

    def _with_noted_redacted(self, start: int, end: int) -> str:
        """Return the text of a span with every noted span in it replaced by one sign."""
        text = self.text[start:end]
        for first, last in reversed(self._noted):
            if first < start:
                break
            text = f"{text[: first - start]}{_REDACTED_SIGN}{text[last - start :]}"
        return text


def adjacent_features(text: str, start: int, end: int, form: Form) -> list[int]:
    """Return the feature numbers of a candidate's form and of what is right next to it."""
    return form.with_context(adjacent_feature_names(text, start, end))


def adjacent_feature_names(text: str, start: int, end: int) -> tuple[str, ...]:
    """Return the feature names of what is right next to a candidate."""
    before, after = text[max(0, start - _ADJACENT_CHARACTERS) : start], text[end : end + _ADJACENT_CHARACTERS]
    return (
        f"before:{_last(before)}",
        f"behind:{_first(after)}",
        f"signs before:{_signs(before[-2:])}",
        f"signs behind:{_signs(after[:2])}",
    )


def layout_feature_names(text: str, start: int, end: int) -> Iterator[str]:
    """Yield the feature names of a word's column header and the line above it, and whether the word occurs again."""
    line, stop = line_around(text, start, end, _CHARACTERS_OF_ROW)
    before = text[line:start]
    yield from (f"column:{word}" for word in _words(column_header(text, start, end))[:_MAX_WORDS_OF_HEADER])
    if line and not before.strip(_LINE_DECORATION):
        above = text[max(0, line - _CHARACTERS_BEFORE) : line - 1].rpartition("\n")[2]
        yield f"above ends:{above[-1:]}"
        yield from (f"above:{word}" for word in _words(above)[-_MAX_WORDS_ABOVE:])
        if not text[end:stop].strip(_LINE_DECORATION):
            yield "alone"
    word = text[start:end].lower()
    nearby = text[max(0, start - _CHARACTERS_TO_REPEAT) : start], text[end : end + _CHARACTERS_TO_REPEAT]
    if any(word in part.lower() for part in nearby):
        yield "again"


def column_header(text: str, start: int, end: int) -> str:
    """Return the header of a candidate's column, its cell in the first of the rows above, or "" if there is none."""
    cells, number = column_headers(text, start, end)
    return cells[number] if cells else ""


def column_headers(text: str, start: int, end: int) -> tuple[list[str], int]:
    """Return the headers of a candidate's table, none if it is in no table, and the number of its column."""
    line, stop = line_around(text, start, end, _CHARACTERS_OF_ROW)
    before = text[line:start].lstrip("\t")
    above = text[max(0, line - _CHARACTERS_TO_HEADER) : line].split("\n")[:-1]
    above = [row.lstrip("\t") for row in above]  # tabs that indent are no separators
    for sign in _CELL_SEPARATORS:
        if sign in before:
            n_signs = text[line:stop].lstrip("\t").count(sign)
            rows = [*takewhile(lambda row: row.count(sign) == n_signs, reversed(above))]  # noqa: B023 - used up here
            if rows and (len(rows) < len(above) or line <= _CHARACTERS_TO_HEADER):
                return rows[-1].split(sign), before.count(sign)
    return [], 0


def _last(text: str) -> str:
    """Return the last word of the last line, cut at spaces."""
    pieces = text.rpartition("\n")[2].lower().split()
    return pieces[-1] if pieces else ""


def _first(text: str) -> str:
    """Return the first word of the first line, cut at spaces."""
    pieces = text.partition("\n")[0].lower().split()
    return pieces[0] if pieces else ""


def _of_signs(before: str, behind: str) -> Iterator[str]:
    """Yield the feature names of the signs right next to a word."""
    yield f"signs before:{_signs(before)}"
    yield f"signs behind:{_signs(behind)}"
    if (quotes := before[-1:] + behind[:1]) in _QUOTE_PAIRS:
        yield f"quotes:{quotes}"


def _of_words(before: str, behind: str) -> Iterator[str]:
    """Yield the feature names of the rest of the line."""
    parts_before, parts_behind = _parts(before), _parts(behind)
    words_before = [part for part in parts_before if part[0].isalnum()]
    words_behind = [part for part in parts_behind if part[0].isalnum()]
    yield f"part before:{parts_before[-1] if parts_before else ''}"
    yield f"part behind:{parts_behind[0] if parts_behind else ''}"
    yield f"words before:{min(len(words_before), 4)}"
    yield f"words behind:{min(len(words_behind), 2)}"
    if compiled(_LIST_ITEM).match(before):
        yield "item"
    if "|" in before:
        yield "row"
    if is_thing(before):
        yield "of a thing"
    if compiled(_LABEL).fullmatch(before):
        yield "label"
    for distance, word in enumerate(reversed(words_before[-3:])):
        yield f"word {distance} before:{word}"
        yield from (f"kind {distance} before:{kind}" for kind in kinds_of({word}))
    if words_behind:
        yield f"word behind:{words_behind[0]}"
    for place, words in (
        ("before", set(words_before[-_MAX_WORDS_BEFORE:])),
        ("behind", set(words_behind[:_MAX_WORDS_AFTER])),
    ):
        yield from (f"{place}:{word}" for word in words)
        yield from (f"kind {place}:{kind}" for kind in kinds_of(words))


def _of_line(text: str, first: int) -> list[str]:
    """Return the feature names of what is around a line: its heading, and the kinds of words nearby."""
    top = _top(text, first)
    near = set(_words(text[max(0, first - _CHARACTERS_NEAR) : first + 2 * _CHARACTERS_NEAR]))
    return [
        *(f"top:{word}" for word in top),
        *(f"kind of top:{kind}" for kind in kinds_of(top)),
        *(f"near:{kind}" for kind in kinds_of(near)),
    ]


def _parts(text: str) -> list[str]:
    """Return words and signs. Numbers become ``0`` and words with a digit ``a0``: which ones does not matter."""
    if PLACEHOLDER_START in text:
        text = PLACEHOLDER_PATTERN.sub(_REDACTED_SIGN, text)
    return [
        ("0" if part.isdigit() else "a0") if any(map(str.isdigit, part)) else part[:PREFIX]
        for part in split_runs(compiled(rf"{_WORD_OR_SIGN}|{_REDACTED_SIGN}").findall(text.lower()))
    ]


def _signs(text: str) -> str:
    """Return a short text with each letter and digit read as ``a``."""
    return compiled(r"\w").sub("a", text)


def _top(text: str, line: int) -> set[str]:
    """Return the words of the heading above a line, or of the text's first line if there is none."""
    above = text[max(0, line - _CHARACTERS_TO_HEADING) : line]
    start = above.rfind("\n#") + 1
    if not start and line > _CHARACTERS_TO_HEADING:
        return set()
    return set(_words(above[start : above.find("\n", start)])[:_MAX_WORDS_OF_HEADING])


def _words(text: str) -> list[str]:
    return [word[:PREFIX] for word in words_in(text.lower())]
