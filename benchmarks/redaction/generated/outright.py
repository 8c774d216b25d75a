"""What is called outright what it is, in many languages, and looks like anything: its name and a sign tell.

The innocent ones have other names, or a name of a secret and something that is said of it.
"""

from __future__ import annotations

import random
import string
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from redaction.generated.marks import Note, Part, Secret, fill, half, note, take
from redaction.generated.places import lines_around, placed
from redaction.samples import ALNUM, HEX, LOWER_ALNUM, Maker, made_of, picked, seeded

_LISTED = tomllib.loads(Path(__file__).with_name("outright.toml").read_text("utf-8"))
PASSWORDS, TOKENS = "called outright: passwords", "called outright: keys and tokens"
_EACH_PASSWORD, _EACH_TOKEN, _EACH_HARMLESS, _EACH_SAID = 14, 12, 7, 7
_UPPER_ALNUM = string.ascii_uppercase + string.digits


def _grouped(joint: str, alphabet: str, n_groups: int, n_characters: int) -> Maker:
    return lambda rng: joint.join(made_of(rng, alphabet, n_characters) for _ in range(n_groups))


def _words(rng: random.Random, count: int) -> list[str]:
    return rng.sample(_LISTED["words"], count)


_CHOSEN: dict[str, Maker] = {
    "words and dots": lambda rng: ".".join(_words(rng, rng.choice((3, 4)))),
    "words and lines": lambda rng: "_".join(_words(rng, rng.choice((2, 3)))),
    "phrase": lambda rng: " ".join(_words(rng, rng.choice((3, 4, 5)))),
    "one word": lambda rng: _words(rng, 1)[0],
    "sentence": lambda rng: f"the {_words(rng, 1)[0]} sat on {rng.randrange(3, 99)} {_words(rng, 1)[0]}s",
    "another script": lambda rng: picked(rng, _LISTED["other_scripts"]),
    "small letters": lambda rng: made_of(rng, string.ascii_lowercase, rng.choice((8, 10, 12))),
    "capitals": lambda rng: made_of(rng, string.ascii_uppercase, rng.choice((8, 10, 12))),
    "apostrophe": lambda rng: f"{_words(rng, 1)[0]}_d'{_words(rng, 1)[0]}",
    "digits": lambda rng: made_of(rng, string.digits, rng.choice((6, 8, 10))),
    "two words": lambda rng: ".".join(_words(rng, 2)),
    "humps": lambda rng: "".join(word.title() for word in _words(rng, 3)),
    "mixed": lambda rng: made_of(rng, ALNUM + "!@#$%&*", 12),
    "word and number": lambda rng: f"{_words(rng, 1)[0]}{rng.randrange(10, 9999)}",
    "words, spaces, sign": lambda rng: " ".join(_words(rng, 2)).title() + picked(rng, "!?") + " " + _words(rng, 1)[0],
    "words and hyphens": lambda rng: "-".join(_words(rng, 3)) + picked(rng, ("", "-7", "!")),
    "date": lambda rng: f"{rng.randrange(1, 28)}.{rng.randrange(1, 12)}.{rng.randrange(1950, 2015)}",
    "joined words": lambda rng: "".join(_words(rng, 2)).lower(),
    "word, sign, word": lambda rng: picked(rng, "&+/%").join(_words(rng, 2)),
    "words and a number": lambda rng: f"{rng.randrange(2, 99)} " + " ".join(_words(rng, 3)),
    "another script and number": lambda rng: picked(rng, _LISTED["other_scripts"]) + str(rng.randrange(10, 999)),
    "initials": lambda rng: made_of(rng, string.ascii_letters, 9) + picked(rng, ".!,"),
}
_MADE: dict[str, Maker] = {
    "groups and dots": _grouped(".", _UPPER_ALNUM, 3, 4),
    "groups and spaces": _grouped(" ", _UPPER_ALNUM, 4, 6),
    "groups and hyphens": _grouped("-", _UPPER_ALNUM, 4, 5),
    "groups and colons": _grouped(":", string.hexdigits[:10] + "ABCDEF", 4, 4),
    "small groups and spaces": _grouped(" ", LOWER_ALNUM, 5, 4),
    "small groups and dots": _grouped(".", string.ascii_lowercase, 4, 7),
    "16 hexadecimal": lambda rng: made_of(rng, HEX, 16),
    "24 hexadecimal": lambda rng: made_of(rng, HEX, 24),
    "20 small letters": lambda rng: made_of(rng, string.ascii_lowercase, 20),
    "20 capitals": lambda rng: made_of(rng, string.ascii_uppercase, 20),
    "12 mixed": lambda rng: made_of(rng, ALNUM, 12),
    "base64": lambda rng: made_of(rng, ALNUM + "+/", 27) + "=",
    "26 small": lambda rng: made_of(rng, LOWER_ALNUM, 26),
    "parts": lambda rng: "-".join(
        ("AB", made_of(rng, string.digits, 4), made_of(rng, string.ascii_lowercase, 6), made_of(rng, string.digits, 4))
    ),
    "with signs": lambda rng: made_of(rng, ALNUM + "$&*#", 16),
    "digits": lambda rng: made_of(rng, string.digits, rng.choice((12, 16, 20))),
    "prefix": lambda rng: f"{made_of(rng, string.ascii_lowercase, 3)}_{made_of(rng, ALNUM, 22)}",
    "digits and hyphens": _grouped("-", string.digits, 4, 4),
    "groups and slashes": _grouped("/", LOWER_ALNUM, 3, 5),
    "small pairs and colons": _grouped(":", HEX, 8, 2),
    "groups and underscores": _grouped("_", _UPPER_ALNUM, 3, 5),
    "32 small letters": lambda rng: made_of(rng, string.ascii_lowercase, 32),
    "in braces": lambda rng: "{" + made_of(rng, ALNUM, 18) + "}",
    "8 mixed": lambda rng: made_of(rng, ALNUM, 8),
    "tilde": lambda rng: f"{made_of(rng, ALNUM, 8)}~{made_of(rng, ALNUM, 12)}",
    "capital groups and hyphens": _grouped("-", string.ascii_uppercase, 4, 4),
}


def notes(split: str) -> Iterator[Note]:
    """Yield notes with a secret that is called one."""
    for listed, row, makers, each in (
        ("password", PASSWORDS, _CHOSEN, _EACH_PASSWORD),
        ("token", TOKENS, _MADE, _EACH_TOKEN),
    ):
        for named in half(split, _LISTED[listed]):
            rng = seeded(f"generated:outright:{split}:{named}")
            name, _, verb = named.partition("|")
            for _ in range(each):
                shape, maker = take(rng, split, list(makers.items()))
                yield _note(rng, split, name, verb, Secret(row, f"{shape} behind {name}", maker(rng)))


def innocent(split: str) -> Iterator[Note]:
    """Yield notes that look like these and have no secret."""
    makers: Sequence[Maker] = [*_CHOSEN.values(), *_MADE.values()]
    for name in half(split, _LISTED["harmless"]):
        rng = seeded(f"generated:outright:{split}:{name}")
        for _ in range(_EACH_HARMLESS):
            yield _note(rng, split, name, "is", take(rng, split, makers)(rng))
    names = [*_LISTED["password"], *_LISTED["token"]]
    for said in half(split, _LISTED["said"]):
        rng = seeded(f"generated:outright:{split}:{said}")
        for _ in range(_EACH_SAID):
            name, _, verb = take(rng, split, names).partition("|")
            yield _note(rng, split, name, verb, said)


def _note(rng: random.Random, split: str, name: str, verb: str, value: Part) -> Note:
    parts = fill(take(rng, split, _LISTED["sign"]), n=name, **{"is": verb}, v=value)
    parts.append(take(rng, split, _LISTED["behind"]))
    on_line = placed(rng, split, parts) if rng.random() < 0.5 else parts  # noqa: PLR2004 - as often as not
    return note(split, f"called {name}", lines_around(rng, split, on_line))
