"""Examples that others published, from a folder that is no part of the repository: see `rows`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from redaction.generated.marks import Mark, Note
from redaction.samples import DEVELOPMENT, HELD_OUT

PUBLIC = "published examples"
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\"}


def rows(folder: Path) -> Iterator[Note]:
    r"""Yield the rows of every file ``*.rows`` in `folder`, each of which is a source.

    A line is a row: a text in which what is secret stands between « and », or nothing is. ``\n``, ``\t`` and ``\\``
    stand for a line end, a tab and a backslash. Half of the rows of a source, at random, are held out.
    """
    for path in sorted(folder.glob("*.rows")):
        for line in filter(None, path.read_text("utf-8").splitlines()):
            is_held_out = crc32(line.encode()) % 2 == 0
            yield _row(HELD_OUT if is_held_out else DEVELOPMENT, path.stem, line)


def _row(split: str, source: str, line: str) -> Note:
    written = re.sub(r"\\([nt\\])", lambda found: _ESCAPES[found[1]], line)
    text = ""
    marks: list[Mark] = []
    for number, piece in enumerate(re.split("[«»]", written)):
        if number % 2:
            marks.append(Mark(PUBLIC, source, len(text), len(text) + len(piece)))
        text += piece
    return Note(split, source, text, tuple(marks))
