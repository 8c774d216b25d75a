"""Passwords said in languages, spellings and habits that neither the rules nor `prose` have, split by form."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator
from pathlib import Path

from redaction.generated.marks import Note, Part, Secret, fill, half, note, take
from redaction.generated.places import lines_around, placed
from redaction.generated.shapes import SHAPES, SPACED
from redaction.samples import seeded

SAYINGS = "passwords said in unlisted ways"
_LISTED = tomllib.loads(Path(__file__).with_name("sayings.toml").read_text("utf-8"))
_HABITS = ("english-chat", "english-notes", "unaccented", "forms")
LANGUAGES = len(_LISTED) - len(_HABITS)
_KINDS = ("say", "change")
_EACH, _SPACED_SHARE = 3, 0.08
_WRAPS = ("{}", "{}", "`{}`", "{}", '"{}"', "{}", "{}", "'{}'")
_QUOTES = ('"{}"', "`{}`")
_ACCOUNTS = ("mara", "ops@example.net", "svc-batch", "root", "Lena.K", "reporter7", "admin", "pi")


def notes(split: str) -> Iterator[Note]:
    """Yield every saying of `split`, with several shapes of values."""
    for language, listed in _LISTED.items():
        rng = seeded(f"generated:sayings:{split}:{language}")
        for kind in _KINDS:
            for template in half(split, listed[kind]):
                for _ in range(_EACH):
                    parts = fill(
                        template,
                        u=take(rng, split, _ACCOUNTS),
                        v=_value(rng, split, language, kind),
                        w=_value(rng, split, language, kind),
                    )
                    yield note(split, f"{language} {kind}", _somewhere(rng, split, template, parts))


def innocent(split: str) -> Iterator[Note]:
    """Yield what is said likewise without a password."""
    for language, listed in _LISTED.items():
        rng = seeded(f"generated:sayings:innocent:{split}:{language}")
        for template in half(split, listed["innocent"]):
            yield note(split, f"said about passwords, {language}", _somewhere(rng, split, template, [template]))


def _somewhere(rng: random.Random, split: str, template: str, parts: list[Part]) -> list[Part]:
    is_block = "\n" in template
    return lines_around(rng, split, ["\n", *parts, "\n"] if is_block else placed(rng, split, parts))


def _value(rng: random.Random, split: str, language: str, kind: str) -> list[Part]:
    is_spaced = rng.random() < _SPACED_SHARE
    shape, maker = take(rng, split, list((SPACED if is_spaced else SHAPES).items()))
    before, _, behind = take(rng, split, _QUOTES if is_spaced else _WRAPS).partition("{}")
    return [before, Secret(SAYINGS, f"{language}, {kind}, {shape}", maker(rng)), behind]
