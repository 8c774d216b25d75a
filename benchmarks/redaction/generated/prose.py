"""Passwords as people say them in their language: a noun, what it is for, a sign or a verb, and the value."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from redaction.generated.marks import Note, Part, Secret, fill, half, note, take
from redaction.generated.places import lines_around, placed
from redaction.generated.shapes import SHAPES, SPACED
from redaction.samples import seeded

ENGLISH, OTHER_LANGUAGES = "passwords in prose, English", "passwords in prose, other languages"
LANGUAGES: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("phrases.toml").read_text("utf-8"))

_SIGNS = (": ", " = ", " -> ", ":", " \u2014 ", "=", " : ", "\t", " => ", ":\n    ")
_WRAPS = ("{}", "`{}`", "{}", "**{}**", '"{}"', "{}", "'{}'", "\u201c{}\u201d")
_QUOTES = ('"{}"', "`{}`", "'{}'", "\u201c{}\u201d")
_ACCOUNTS = ("deploy", "jo.miller", "svc_report", "admin", "ana@example.org", "backup-agent", "root", "kiosk2")
_ALL_SIGNS, _EACH, _EACH_ENGLISH = "sign", 3, 8
_SPACED_SHARE = 0.12


def notes(split: str) -> Iterator[Note]:
    """Yield notes in every language, each with every kind of phrase that the language has."""
    for language, grammar in LANGUAGES.items():
        rng = seeded(f"generated:prose:{split}:{language}")
        each = _EACH_ENGLISH if language == "en" else _EACH
        for kind in ("sign", "say", "frames", "change"):
            for _ in range(each):
                yield _note(rng, split, language, grammar, kind)
        if language == "en":
            for _ in range(_EACH_ENGLISH):
                yield from (_table(rng, split, language, grammar), _list(rng, split, language, grammar))
        else:
            yield from (_table(rng, split, language, grammar), _list(rng, split, language, grammar))


def innocent(split: str) -> Iterator[Note]:
    """Yield what is said about passwords in every language without saying one."""
    for language, grammar in LANGUAGES.items():
        rng = seeded(f"generated:innocent:{split}:{language}")
        for sentence in half(split, grammar["innocent"]):
            yield note(
                split, f"prose about passwords, {language}", lines_around(rng, split, placed(rng, split, [sentence]))
            )


def _secret(rng: random.Random, split: str, language: str, kind: str) -> list[Part]:
    is_spaced = rng.random() < _SPACED_SHARE
    shape, maker = take(rng, split, list((SPACED if is_spaced else SHAPES).items()))
    row = ENGLISH if language == "en" else OTHER_LANGUAGES
    before, _, behind = take(rng, split, _QUOTES if is_spaced else _WRAPS).partition("{}")
    return [before, Secret(row, f"{language}, {kind}, {shape}", maker(rng)), behind]


def _name(rng: random.Random, split: str, grammar: dict[str, Any]) -> str:
    noun, of = take(rng, split, grammar["nouns"]), take(rng, split, grammar["of"])
    return str(grammar["np"].format(n=noun, o=of)) if rng.random() < 0.7 else noun  # noqa: PLR2004 - mostly with a place


def _note(rng: random.Random, split: str, language: str, grammar: dict[str, Any], kind: str) -> Note:
    fields: dict[str, Any] = {
        "np": _name(rng, split, grammar),
        "u": take(rng, split, _ACCOUNTS),
        "v": _secret(rng, split, language, kind),
        "w": _secret(rng, split, language, kind),
    }
    template = "{np}" + take(rng, split, _SIGNS) + "{v}" if kind == _ALL_SIGNS else take(rng, split, grammar[kind])
    return note(split, f"{language} {kind}", lines_around(rng, split, placed(rng, split, fill(template, **fields))))


def _table(rng: random.Random, split: str, language: str, grammar: dict[str, Any]) -> Note:
    head = take(rng, split, grammar["nouns"])
    parts: list[Part] = [f"| # | {take(rng, split, ('host', 'system', 'box', 'name'))} | {head} |\n|---|---|---|\n"]
    for number in range(rng.choice((2, 3, 4))):
        secret = next(part for part in _secret(rng, split, language, "table") if isinstance(part, Secret))
        parts += [f"| {number + 1} | {take(rng, split, ('web', 'db', 'nas', 'mail'))}{number} | ", secret, " |\n"]
    return note(split, f"{language} table", lines_around(rng, split, parts))


def _list(rng: random.Random, split: str, language: str, grammar: dict[str, Any]) -> Note:
    names = [take(rng, split, grammar["of"]) for _ in range(3)]
    parts: list[Part] = [f"{take(rng, split, grammar['nouns'])}:\n"]
    for name in dict.fromkeys(names):
        parts += [f"- {name}: ", *_secret(rng, split, language, "list"), "\n"]
    return note(split, f"{language} list", lines_around(rng, split, parts))
