"""A text in which several secrets stand, and what it is composed of."""

from __future__ import annotations

import random
import string
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from redaction.samples import DEVELOPMENT

_Some = TypeVar("_Some")


class Secret(NamedTuple):
    """Something that has to go: its row in the report, what it is, to find a miss by, and the text."""

    row: str
    name: str
    value: str


class Mark(NamedTuple):
    """Where a secret stands in a note."""

    row: str
    name: str
    start: int
    end: int


class Note(NamedTuple):
    """A text, and where each of its secrets stands; without any, the text is innocent.

    Attributes:
        split: `DEVELOPMENT` or `HELD_OUT`, as for a sample.
        name: What it was composed of.
        text: The whole text.
        marks: Its secrets, in order.
    """

    split: str
    name: str
    text: str
    marks: tuple[Mark, ...]


Part = str | Secret


def half(split: str, listed: Sequence[_Some]) -> Sequence[_Some]:
    """Return every second of `listed`: the ones of development, or the ones held out; of a single one, that one."""
    return listed if len(listed) == 1 else listed[0 if split == DEVELOPMENT else 1 :: 2]


def fill(template: str, **fields: Part | Sequence[Part]) -> list[Part]:
    """Return the parts of `template` with `fields` in it."""
    parts: list[Part] = []
    for literal, name, _, _ in string.Formatter().parse(template):
        parts.append(literal)
        if name is not None:
            field = fields[name]
            parts += [field] if isinstance(field, str | Secret) else field
    return parts


def note(split: str, name: str, parts: Iterable[Part]) -> Note:
    """Return the note that `parts` make."""
    text = ""
    marks: list[Mark] = []
    for part in parts:
        if isinstance(part, str):
            text += part
        else:
            marks.append(Mark(part.row, part.name, len(text), len(text) + len(part.value)))
            text += part.value
    return Note(split, name, text, tuple(marks))


def take(rng: random.Random, split: str, listed: Sequence[_Some]) -> _Some:
    """Return one of the half of `listed` that `split` has."""
    return rng.choice(half(split, listed))
