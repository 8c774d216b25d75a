"""Passwords of plain words, called so outright in many languages, and what is said in place of one.

Every second language is held out: of a language, what passwords are called is known, and not what is said of them here.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator
from pathlib import Path

from redaction.generated.marks import Note, Part, Secret, fill, half, note
from redaction.generated.places import lines_around, placed
from redaction.samples import Maker, seeded

PLAINLY = "plain words called passwords"
_LANGUAGES = tomllib.loads(Path(__file__).with_name("plainly.toml").read_text("utf-8"))
_EACH_VALUE, _EACH_SAID = 90, 4
_FORMS = (
    *(
        "{n}: {v}",
        "{n} {is} {v}",
        "{n} \u2013 {v}",
        "{n} ({v})",
        "- {n}: {v}",
        "**{n}:** {v}",
        "{n} = {v}",
        "| {n} | {v} |",
    ),
    *("{n} {is} {v}", "{n}: {v}", "{n} \u2014 {v}", "{n} {is}: {v}"),
)


def notes(split: str) -> Iterator[Note]:
    """Yield notes with a password of plain words."""
    for language, listed in half(split, [*_LANGUAGES.items()]):
        rng = seeded(f"generated:plainly:{split}:{language}")
        makers = [*_makers(listed["words"]).items()]
        for _ in range(_EACH_VALUE):
            shape, maker = rng.choice(makers)
            secret = Secret(PLAINLY, f"{language}, {shape}", maker(rng))
            yield _note(rng, split, language, secret, rng.choice(listed["behind"]))


def innocent(split: str) -> Iterator[Note]:
    """Yield notes in which something is said of a password in its place."""
    for language, listed in half(split, [*_LANGUAGES.items()]):
        rng = seeded(f"generated:plainly:innocent:{split}:{language}")
        for said in listed["said"]:
            for _ in range(_EACH_SAID):
                yield _note(rng, split, language, said, rng.choice(("", ".")))


def _makers(words: list[str]) -> dict[str, Maker]:
    def of(rng: random.Random, count: int, joint: str = " ") -> str:
        return joint.join(rng.sample(words, count))

    return {
        "word": lambda rng: of(rng, 1),
        "two words": lambda rng: of(rng, 2),
        "three words": lambda rng: of(rng, 3),
        "four words": lambda rng: of(rng, 4),
        "word and number": lambda rng: f"{of(rng, 1)} {rng.randrange(2, 99)}",
        "two words and number": lambda rng: f"{of(rng, 2)} {rng.randrange(2, 99)}",
        "joined": lambda rng: of(rng, 2, ""),
        "hyphens": lambda rng: of(rng, rng.choice((2, 3)), "-").title(),
        "dots": lambda rng: of(rng, 3, "."),
        "called out": lambda rng: of(rng, 2).capitalize() + "!",
    }


def _note(rng: random.Random, split: str, language: str, value: Part, behind: str) -> Note:
    listed = _LANGUAGES[language]
    name = rng.choice(listed["names"])
    name = name[0].title() + name[1:] if rng.random() < 0.5 else name  # noqa: PLR2004 - as often as not
    parts = [*fill(rng.choice(_FORMS), n=name, **{"is": rng.choice(listed["is"])}, v=value), behind]
    on_line = placed(rng, split, parts) if rng.random() < 0.3 else parts  # noqa: PLR2004 - most stand by themselves
    return note(split, f"plainly, {language}", lines_around(rng, split, on_line))
