"""Tokens with a format: for development from our own rules, held out from the patterns of other scanners."""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TypedDict
from zlib import crc32

from redaction import contexts
from redaction.held_out import contexts as held_out_contexts
from redaction.samples import DEVELOPMENT, HELD_OUT, Maker, Sample, crossed, filled, seeded
from s3memory.redaction.rules import RULES
from s3memory.redaction.tokens import Token

_PRINTABLE = [chr(code) for code in range(33, 127)]
_LONGER = 12

# How the scanners' own tests write a token that only the provider's name beside it gives away.
_BESIDE_A_NAME = (
    '{name}_api_token = "{{}}"',
    "{name}_token: {{}}",
    "{NAME}_API_KEY={{}}",
    '"{name}Secret": "{{}}",',
    'const {name}Key = "{{}}";',
    '{name}Token := "{{}}"',
)


class _Format(TypedDict):
    """A format of another scanner; `name` is the provider's where the format alone is not enough."""

    rule: str
    name: str
    examples: list[str]


def _characters(alphabet: str) -> list[str]:
    return [character for character in _PRINTABLE if re.fullmatch(f"[{alphabet}]", character)]


def maker_of(rule: Token) -> Maker:
    """Return what makes tokens of the form of `rule`."""

    def make(rng: random.Random) -> str:
        made = rng.choice(rule.prefixes) if rule.prefixes else ""
        for part in rule.shape:
            if isinstance(part, str):
                made += part
            else:
                most = part.least + _LONGER if part.most is None else min(part.most, part.least + _LONGER)
                made += "".join(rng.choices(_characters(part.alphabet), k=rng.randint(part.least, most)))
        return made

    return make


def development(formats: Path) -> Iterator[Sample]:
    """Yield tokens of each of our formats and of one half of the scanners', in code and in prose."""
    number = count()
    makers = {f"{rule.kind} {next(number)}": maker_of(rule) for rule in RULES if isinstance(rule, Token)}
    yield from crossed(DEVELOPMENT, "provider tokens", contexts.CODE, makers, each=3)
    yield from crossed(DEVELOPMENT, "tokens in prose and Markdown", contexts.PROSE, makers, each=3)
    yield from _of_scanners(DEVELOPMENT, _half(formats, 0), contexts.CODE, contexts.PROSE)


def held_out(formats: Path) -> Iterator[Sample]:
    """Yield tokens of the other half of the scanners' formats."""
    yield from _of_scanners(HELD_OUT, _half(formats, 1), held_out_contexts.CODE, held_out_contexts.PROSE)


def _half(formats: Path, remainder: int) -> list[_Format]:
    """Return every second of the formats in `formats`, which `scanners.py` wrote."""
    listed: list[_Format] = json.loads(formats.read_text())
    return [entry for entry in listed if crc32(entry["rule"].encode()) % 2 == remainder]


def _of_scanners(split: str, listed: list[_Format], code: dict[str, str], prose: dict[str, str]) -> Iterator[Sample]:
    for row, places in (("provider tokens", code), ("tokens in prose and Markdown", prose)):
        turn = count()
        for entry in (entry for entry in listed if not entry["name"]):
            for secret in entry["examples"]:
                context = list(places)[next(turn) % len(places)]
                yield filled(split, row, f"{entry['rule']} in {context}", places[context], secret)
    for entry in (entry for entry in listed if entry["name"]):
        rng = seeded(f"name:{entry['rule']}")
        for secret in entry["examples"][:3]:
            name = entry["name"].translate(str.maketrans("", "", string.punctuation))
            template = rng.choice(_BESIDE_A_NAME).format(name=name, NAME=name.upper())
            yield filled(split, "named secrets", f"{entry['rule']} beside its name", template, secret)
