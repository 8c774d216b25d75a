"""What the benchmark is made of: texts in which it is known where the secret stands, all generated from one seed."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

SEED = 20261120
DEVELOPMENT, HELD_OUT = "development", "held out"

ALNUM = string.ascii_letters + string.digits
LOWER_ALNUM = string.ascii_lowercase + string.digits
BASE64URL = ALNUM + "-_"
HEX = "0123456789abcdef"

Maker = Callable[[random.Random], str]


class Sample(NamedTuple):
    """A text with one secret in it.

    Attributes:
        split: `DEVELOPMENT`, whose misses were looked at while rules were written, or `HELD_OUT`, whose were not.
        row: The class of secret, which is a row of the report.
        name: Which format and which context, to find a miss by.
        text: The whole text.
        start: Where the secret starts, in characters.
        end: Where it ends.
    """

    split: str
    row: str
    name: str
    text: str
    start: int
    end: int


def seeded(name: str) -> random.Random:
    """Return a generator of its own for each part, so that a new part changes no other."""
    return random.Random(f"{SEED}:{name}")  # noqa: S311 - they are no secrets, they only look like some


def made_of(rng: random.Random, alphabet: str, length: int) -> str:
    """Return `length` characters of `alphabet`."""
    return "".join(rng.choices(alphabet, k=length))


def filled(split: str, row: str, name: str, template: str, secret: str) -> Sample:
    """Return the sample of `template` with `secret` at its first "{}"; doubled braces are single ones."""
    before, _, behind = template.partition("{}")
    before, behind = (part.replace("{{", "{").replace("}}", "}").replace("{}", secret) for part in (before, behind))
    return Sample(split, row, name, before + secret + behind, len(before), len(before) + len(secret))


def crossed(split: str, row: str, contexts: dict[str, str], makers: dict[str, Maker], *, each: int) -> Iterator[Sample]:
    """Yield every maker's secret in `each` of the contexts, taken in turn so that all are used as often."""
    names = list(contexts)
    turn = 0
    for label, maker in makers.items():
        rng = seeded(f"{split}:{row}:{label}")
        for _ in range(min(each, len(names))):
            context = names[turn % len(names)]
            turn += 1
            yield filled(split, row, f"{label} in {context}", contexts[context], maker(rng))


def picked(rng: random.Random, *choices: Sequence[str]) -> str:
    """Return one of each of `choices`, joined."""
    return "".join(rng.choice(choice) for choice in choices)
