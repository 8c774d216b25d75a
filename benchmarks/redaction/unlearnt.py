"""Notes that were written one by one without a look at rules, and that no model learnt from: see `written/`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from redaction.generated.marks import Mark, Note
from redaction.samples import DEVELOPMENT, HELD_OUT

_FOLDER = Path(__file__).parent / "written"


class Topic(NamedTuple):
    """What the notes of a file are about.

    Attributes:
        file: Its name.
        row: Its row in the report.
        is_read: What is missed or flagged was looked at in all of it, not only in every second note.
    """

    file: str
    row: str
    is_read: bool = False


TOPICS = (
    Topic("technical", "written: notes of agents at work"),
    Topic("agents", "written: notes of agents of all sorts"),
    Topic("harmless", "written: technical notes"),
    Topic("infrastructure", "written: notes on infrastructure"),
    Topic("verbs", "written: told by a verb alone", is_read=True),
)


def notes(topic: Topic) -> Iterator[Note]:
    """Yield the notes on a topic, every second of them held out."""
    for number, line in enumerate((_FOLDER / f"{topic.file}.jsonl").read_text("utf-8").splitlines()):
        note = json.loads(line)
        split = DEVELOPMENT if topic.is_read or number % 2 == 0 else HELD_OUT
        yield Note(split, f"{topic.file}, line {number + 1}", note["text"], _marks(topic, note))


def _marks(topic: Topic, note: dict[str, str]) -> tuple[Mark, ...]:
    """Return where each secret of a note first stands."""
    starts = [(note["text"].index(secret), secret) for secret in note["secrets"]]
    return tuple(Mark(topic.row, secret, start, start + len(secret)) for start, secret in sorted(starts))
