"""The notes in `evaluation_notes/`: written one by one without a look at any rule, and no model learnt from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from redaction.generated.marks import Mark, Note
from redaction.samples import DEVELOPMENT, HELD_OUT

_FOLDER = Path(__file__).parent / "evaluation_notes"


class Topic(NamedTuple):
    """The notes of one file.

    Attributes:
        file: Its name.
        row: Its row in the report.
        is_read: Misses and false positives were looked at in all its notes, not only in every second one.
    """

    file: str
    row: str
    is_read: bool = False


TOPICS = (
    Topic("technical", "evaluation: notes of agents at work"),
    Topic("agents", "evaluation: notes of agents of all sorts"),
    Topic("harmless", "evaluation: technical notes"),
    Topic("infrastructure", "evaluation: notes on infrastructure"),
    Topic("verbs", "evaluation: introduced by a verb only", is_read=True),
)


def notes(topic: Topic) -> Iterator[Note]:
    """Yield the notes of a topic. Every second one is held out, unless all were looked at."""
    for number, line in enumerate((_FOLDER / f"{topic.file}.jsonl").read_text("utf-8").splitlines()):
        note = json.loads(line)
        split = DEVELOPMENT if topic.is_read or number % 2 == 0 else HELD_OUT
        yield Note(split, f"{topic.file}, line {number + 1}", note["text"], _marks(topic, note))


def _marks(topic: Topic, note: dict[str, str]) -> tuple[Mark, ...]:
    """Return where each secret of a note first occurs."""
    starts = [(note["text"].index(secret), secret) for secret in note["secrets"]]
    return tuple(Mark(topic.row, secret, start, start + len(secret)) for start, secret in sorted(starts))
