"""What a word and its surroundings are told by: numbers of features, each of which has a weight.

A feature is a name such as ``before:opens``, and its number a checksum of that. Each feature of the surroundings counts
by itself and together with the form of the word: "order" before four digits says another thing than before "gr33n".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile

from s3memory.redaction.model import PLACEHOLDER_PATTERN, PLACEHOLDER_START
from s3memory.redaction.rules.reading.candidates import is_thing
from s3memory.redaction.rules.reading.judging import is_said
from s3memory.redaction.rules.reading.near import line_around, line_start
from s3memory.redaction.rules.scoring.forms import Form
from s3memory.redaction.rules.scoring.labelled_values import Label, label_before
from s3memory.redaction.rules.scoring.lexicon import PREFIX, kinds_of, split_runs, words_in
from s3memory.redaction.text.compiling import compiled

_BEFORE, _BEHIND = 90, 50
_NEAR = 200
_TOP = 400
_BESIDE, _SIGNS_BESIDE = 24, 2
_LINE_END = r"\s*\n[\s>*+\u2022-]*"
_WORDS_BEFORE, _WORDS_BEHIND, _WORDS_OF_TOP = 10, 6, 14
_PART = r"[^\W_]+(?:['\u2019][a-z]+)?|->|=>|[:=>/|,;()\"'`@#*\u2192\u2013\u2014\u201c\u201d\u201e\u00ab\u00bb.!?-]"
_REDACTED = "\u00a7"
_ITEM = r"\s*(?:[-*\u2022]|[0-9]+[.)])\s"
_LABEL = r"[^:\n]{1,40}:\s*"
_CELLS = ("|", "\t", ";", ",")
_BLOCK, _AGAIN, _TO_HEAD = 400, 300, 800
REACH = max(_BEFORE + _TOP, _BLOCK + _TO_HEAD)
"""How far before a word its surroundings begin."""
_WORDS_OF_A_CELL, _WORDS_ABOVE = 3, 4
_MOST_SAID, _MOST_COUNTED = 2, 5
_AROUND_A_WORD = "\"'`*_.,;:!?()"
_NO_WORDS = " \t-*>\"`'|.,;"
_QUOTES = frozenset(('""', "``", "''", "\u201c\u201d", "\u201e\u201c", "**", "()", "\u00ab\u00bb"))


class ContextFeatures:
    """The numbers of the features of words of one text.

    Attributes:
        text: The text.
    """

    __slots__ = ("_found", "_lines", "_names", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines: dict[int, list[str]] = {}
        self._found: list[tuple[int, int]] = []
        self._names: dict[int, Label | None] = {}

    def note(self, start: int, end: int) -> None:
        """Read what stands from `start` to `end` as redacted where it is before another word on its line.

        Of a phrase and the words in it, which come one after the other, the first counts.
        """
        if not self._found or start >= self._found[-1][1]:
            self._found.append((start, end))

    def found_before(self, start: int) -> tuple[int, ...]:
        """Return where what was noted stands before `start` on its line, seen from there."""
        first = line_start(self.text, start, _BEFORE)
        places: list[int] = []
        for place in reversed(self._found):
            if place[0] < first:
                break
            places += (start - place[0], start - place[1])
        return tuple(places)

    def of(self, start: int, end: int, form: Form, told: Iterable[str] = ()) -> list[int]:
        """Return the numbers of the features of what stands from `start` to `end`; some may be there twice.

        Args:
            start: Where it starts.
            end: Where it ends.
            form: Its form.
            told: The names of what tells of it besides the words and signs around it.
        """
        text = self.text
        first, last = line_around(text, start, end, _BEFORE)
        name, is_below = self.label_before(start), self.is_named_above(start)
        if name and is_below:
            first = line_start(text, name.start, _BEFORE)
        if first not in self._lines:
            self._lines[first] = _of_line(text, first)
        before, signs_before = self._with_found_redacted(first, start), text[max(0, start - _SIGNS_BESIDE) : start]
        if is_below:  # as it reads behind its name
            before = compiled(_LINE_END).sub(" ", before)
            signs_before = before[-_SIGNS_BESIDE:]
        signs_behind = text[end : end + _SIGNS_BESIDE]
        names = [*_beside(signs_before, signs_behind), *_of_words(before, text[end : min(last, end + _BEHIND)])]
        if name:
            word = text[start:end]
            made_of = "digits" if word.isdigit() else "letters" if word.replace(" ", "").isalpha() else "both"
            said = [is_said(part.strip(_AROUND_A_WORD)) for part in word.split()]
            of_how_many = f"{min(sum(said), _MOST_SAID)} of {min(len(said), _MOST_COUNTED)}"
            names += ["called", f"called:{name.kind}", f"called:{made_of}", f"called:said {of_how_many}"]
        return form.with_context((*names, *told, *self._lines[first]))

    def label_before(self, start: int) -> Label | None:
        """Return the name of a secret that stands before what starts at `start`."""
        if start not in self._names:
            self._names[start] = label_before(self.text, start)
        return self._names[start]

    def is_named_above(self, start: int) -> bool:
        """Whether what starts at `start` has the name of a secret on a line above."""
        name = self.label_before(start)
        return name is not None and "\n" in self.text[name.start : start]

    def _with_found_redacted(self, start: int, end: int) -> str:
        text = self.text[start:end]
        for first, last in reversed(self._found):
            if first < start:
                break
            text = f"{text[: first - start]}{_REDACTED}{text[last - start :]}"
        return text


def adjacent_features(text: str, start: int, end: int, form: Form) -> list[int]:
    """Return the numbers of the features of a form and of what is right beside it."""
    return form.with_context(adjacent_feature_names(text, start, end))


def adjacent_feature_names(text: str, start: int, end: int) -> tuple[str, ...]:
    """Return the names of what is right beside what stands from `start` to `end`."""
    before, behind = text[max(0, start - _BESIDE) : start], text[end : end + _BESIDE]
    return (
        f"before:{_last(before)}",
        f"behind:{_first(behind)}",
        f"signs before:{_signs(before[-2:])}",
        f"signs behind:{_signs(behind[:2])}",
    )


def layout_feature_names(text: str, start: int, end: int) -> Iterator[str]:
    """Yield the names of what the head of its column or the line above tells of a word, and whether it comes again."""
    line, stop = line_around(text, start, end, _BLOCK)
    before = text[line:start]
    yield from (f"column:{word}" for word in _words(column_header(text, start, end))[:_WORDS_OF_A_CELL])
    if line and not before.strip(_NO_WORDS):
        above = text[max(0, line - _BEFORE) : line - 1].rpartition("\n")[2]
        yield f"above ends:{above[-1:]}"
        yield from (f"above:{word}" for word in _words(above)[-_WORDS_ABOVE:])
        if not text[end:stop].strip(_NO_WORDS):
            yield "alone"
    word = text[start:end].lower()
    if word in text[max(0, start - _AGAIN) : start].lower() or word in text[end : end + _AGAIN].lower():
        yield "again"


def column_header(text: str, start: int, end: int) -> str:
    """Return the head of the column of what stands from `start` to `end`: of the rows above, that of the first."""
    line, stop = line_around(text, start, end, _BLOCK)
    before = text[line:start].lstrip("\t")
    above = text[max(0, line - _TO_HEAD) : line].split("\n")[:-1]
    above = [row.lstrip("\t") for row in above]  # tabs that indent part nothing
    for sign in _CELLS:
        if sign in before:
            n_signs = text[line:stop].lstrip("\t").count(sign)
            rows = [*takewhile(lambda row: row.count(sign) == n_signs, reversed(above))]  # noqa: B023 - used up here
            if rows and (len(rows) < len(above) or line <= _TO_HEAD):
                return rows[-1].split(sign)[before.count(sign)]
    return ""


def _last(text: str) -> str:
    """Return the last piece of a line between spaces."""
    pieces = text.rpartition("\n")[2].lower().split()
    return pieces[-1] if pieces else ""


def _first(text: str) -> str:
    pieces = text.partition("\n")[0].lower().split()
    return pieces[0] if pieces else ""


def _beside(before: str, behind: str) -> Iterator[str]:
    """Yield the names of what the signs right beside a word tell."""
    yield f"signs before:{_signs(before)}"
    yield f"signs behind:{_signs(behind)}"
    if (quotes := before[-1:] + behind[:1]) in _QUOTES:
        yield f"quotes:{quotes}"


def _of_words(before: str, behind: str) -> Iterator[str]:
    """Yield the names of what the rest of the line tells, before a word and behind it."""
    parts_before, parts_behind = _parts(before), _parts(behind)
    words_before = [part for part in parts_before if part[0].isalnum()]
    words_behind = [part for part in parts_behind if part[0].isalnum()]
    yield f"part before:{parts_before[-1] if parts_before else ''}"
    yield f"part behind:{parts_behind[0] if parts_behind else ''}"
    yield f"words before:{min(len(words_before), 4)}"
    yield f"words behind:{min(len(words_behind), 2)}"
    if compiled(_ITEM).match(before):
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
        ("before", set(words_before[-_WORDS_BEFORE:])),
        ("behind", set(words_behind[:_WORDS_BEHIND])),
    ):
        yield from (f"{place}:{word}" for word in words)
        yield from (f"kind {place}:{kind}" for kind in kinds_of(words))


def _of_line(text: str, first: int) -> list[str]:
    """Return the names of what is around a line that starts at `first`."""
    top = _top(text, first)
    near = set(_words(text[max(0, first - _NEAR) : first + 2 * _NEAR]))
    return [
        *(f"top:{word}" for word in top),
        *(f"kind of top:{kind}" for kind in kinds_of(top)),
        *(f"near:{kind}" for kind in kinds_of(near)),
    ]


def _parts(text: str) -> list[str]:
    """Return words and signs, numbers as ``0`` and words with a digit as ``a0``: which they are, says nothing."""
    if PLACEHOLDER_START in text:
        text = PLACEHOLDER_PATTERN.sub(_REDACTED, text)
    return [
        ("0" if part.isdigit() else "a0") if any(map(str.isdigit, part)) else part[:PREFIX]
        for part in split_runs(compiled(rf"{_PART}|{_REDACTED}").findall(text.lower()))
    ]


def _signs(text: str) -> str:
    return compiled(r"\w").sub("a", text)


def _top(text: str, line: int) -> set[str]:
    """Return words of the heading, or of the first line if there is none, above the line that starts at `line`."""
    above = text[max(0, line - _TOP) : line]
    start = above.rfind("\n#") + 1
    if not start and line > _TOP:
        return set()
    return set(_words(above[start : above.find("\n", start)])[:_WORDS_OF_TOP])


def _words(text: str) -> list[str]:
    return [word[:PREFIX] for word in words_in(text.lower())]
