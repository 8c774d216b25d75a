"""What no rule was written for: published examples, composed notes, awkward borders, and what is none of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from redaction import evaluation, sources
from redaction.generated import afresh, borders, corpus, one_time, outright, plainly, prose, sayings, tokens
from redaction.generated.marks import Note
from redaction.measure import Ranges, is_gone
from redaction.samples import DEVELOPMENT, HELD_OUT

_AIMS = {
    tokens.KNOWN: "97",
    tokens.UNSEEN: "97",
    one_time.ONE_TIME: "85",
    one_time.COOKIES: "85",
    prose.ENGLISH: "80",
    prose.OTHER_LANGUAGES: "70",
    sayings.SAYINGS: "70",
    afresh.ENGLISH: "80",
    afresh.TOKENS: "97",
    afresh.COOKIES: "85",
    outright.PASSWORDS: "80",
    outright.TOKENS: "97",
    plainly.PLAINLY: "80",
}
LANGUAGES = len(prose.LANGUAGES) + sayings.LANGUAGES
_PERCENT = 100

Judge = Callable[[Note, Ranges], tuple[int, int]]
"""How many there are of what is counted in a note, and of how many, by what is gone from it."""


class Part(NamedTuple):
    """A row of the report.

    Attributes:
        label: Its name.
        aim: In percent.
        judge: What is counted.
        notes: In what, of both halves.
    """

    label: str
    aim: str
    judge: Judge
    notes: list[Note]


def parts(phrases: Path, folder: Path | None) -> list[Part]:
    """Return the rows; `phrases` is what `mnemonics.py` wrote, `folder` has published examples: see `sources`."""
    halves = (DEVELOPMENT, HELD_OUT)
    published = list(sources.rows(folder)) if folder else []
    composed = [note for split in halves for note in corpus.notes(split, phrases)]
    found = [
        Part("published examples of secrets", "92", gone, [note for note in published if note.marks]),
        *(
            Part(f"- of {source}", "", gone, [note for note in published if note.marks and note.name == source])
            for source in dict.fromkeys(note.name for note in published)
        ),
        Part(
            "published examples of what is none: flagged", "", flagged, [note for note in published if not note.marks]
        ),
        *(
            Part(f"notes: {row}", _AIMS.get(row, "92"), gone, [note for note in composed if note.marks[0].row == row])
            for row in corpus.ROWS
        ),
        *(
            Part(topic.row, "92", gone, [note for note in evaluation.notes(topic) if note.marks])
            for topic in evaluation.TOPICS
        ),
        Part("innocent notes: flagged", "1", flagged, [note for one in halves for note in corpus.innocent_notes(one)]),
        Part("afresh, innocent: flagged", "1", flagged, [note for one in halves for note in afresh.innocent(one)]),
        Part("called otherwise: flagged", "1", flagged, [note for one in halves for note in outright.innocent(one)]),
        Part("said of passwords: flagged", "1", flagged, [note for one in halves for note in plainly.innocent(one)]),
        *(
            Part(f"{topic.row}, innocent: flagged", "1", flagged, [n for n in evaluation.notes(topic) if not n.marks])
            for topic in evaluation.TOPICS
        ),
        Part("awkward borders: cut right", "65", exact, [note for one in halves for note in borders.notes(one)]),
        Part(
            "ordinary lines like them: flagged",
            "8",
            flagged,
            [note for one in halves for note in borders.ordinary(one)],
        ),
    ]
    return [part for part in found if part.notes]


def gone(note: Note, removed: Ranges) -> tuple[int, int]:
    """Count the secrets of which at least 80% of the characters are gone."""
    return sum(is_gone(mark, removed) for mark in note.marks), len(note.marks)


def exact(note: Note, removed: Ranges) -> tuple[int, int]:
    """Count a note in which all of its secrets is gone, and nothing else."""
    places = {place for start, end in removed for place in range(start, end)}
    return int(places == {place for mark in note.marks for place in range(mark.start, mark.end)}), 1


def flagged(_: Note, removed: Ranges) -> tuple[int, int]:
    """Count a note from which anything is gone."""
    return int(bool(removed)), 1


def percent(part: Part, removed: list[Ranges], split: str) -> str:
    """Return the figure of a row for one half of its notes, if it has any; `removed` is in the order of all of them."""
    counted = [
        part.judge(note, ranges) for note, ranges in zip(part.notes, removed, strict=True) if note.split == split
    ]
    if not counted:
        return ""
    count, total = (sum(column) for column in zip(*counted, strict=True))
    return f"{_PERCENT * count / total:.1f}"


def missed(part: Part, remove: Callable[[str], Ranges]) -> Iterator[str]:
    """Yield the notes of development in which something is not as it should be, with « and » around the secrets."""
    for note in part.notes:
        if note.split == DEVELOPMENT:
            count, total = part.judge(note, remove(note.text))
            if count != (0 if part.judge is flagged else total):
                yield f"{note.name}: {_marked(note)!r}"


def _marked(note: Note) -> str:
    text = note.text
    for mark in reversed(note.marks):
        text = f"{text[: mark.start]}«{text[mark.start : mark.end]}»{text[mark.end :]}"
    return text
