"""All generated notes, of both halves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from redaction.generated import afresh, connections, innocent, one_time, outright, plainly, prose, sayings, tokens
from redaction.generated.marks import Note

ROWS = (
    tokens.KNOWN,
    tokens.UNSEEN,
    connections.URLS,
    connections.KEYS,
    one_time.ONE_TIME,
    one_time.COOKIES,
    prose.ENGLISH,
    prose.OTHER_LANGUAGES,
    sayings.SAYINGS,
    *afresh.ROWS.values(),
    outright.PASSWORDS,
    outright.TOKENS,
    plainly.PLAINLY,
)


def notes(split: str, phrases: Path) -> Iterator[Note]:
    """Yield the notes with secrets; `phrases` is what `mnemonics.py` wrote."""
    yield from tokens.notes(split)
    yield from connections.notes(split)
    yield from one_time.notes(split, phrases)
    yield from prose.notes(split)
    yield from sayings.notes(split)
    yield from afresh.notes(split)
    yield from outright.notes(split)
    yield from plainly.notes(split)


def innocent_notes(split: str) -> Iterator[Note]:
    """Yield the notes without."""
    yield from innocent.notes(split)
    yield from sayings.innocent(split)
