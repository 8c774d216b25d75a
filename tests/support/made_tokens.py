"""Generates tokens from their rules, so that nothing in the repository looks like a credential to a scanner."""

from __future__ import annotations

import functools
import random
import re

from s3memory.redaction.rules import RULES
from s3memory.redaction.tokens import Run, Token

TOKENS = [rule for rule in RULES if isinstance(rule, Token)]
PRINTABLE = [chr(code) for code in range(33, 127)]
NPM = next(rule for rule in TOKENS if rule.kind == "npm-token")


def seeded(seed: int | str) -> random.Random:
    """Return a generator that gives the same examples in every run."""
    return random.Random(seed)  # noqa: S311 - they are no secrets, they only look like some


@functools.cache
def characters(alphabet: str) -> list[str]:
    """Return the characters of a character class, given the text inside its brackets."""
    return [character for character in PRINTABLE if re.fullmatch(f"[{alphabet}]", character)]


def example(rule: Token, rng: random.Random, *, prefix: str | None = None, shorter_by: int = 0) -> str:
    """Return a token of `rule`; its last run can be made too short."""
    runs = [part for part in rule.shape if isinstance(part, Run) and part.least]
    made = prefix or (rng.choice(rule.prefixes) if rule.prefixes else "")
    for part in rule.shape:
        if isinstance(part, str):
            made += part
        else:
            length = part.least - (shorter_by if part is runs[-1] else 0)
            made += "".join(rng.choices(characters(part.alphabet), k=length))
    return made


def name_of(rule: Token) -> str:
    return f"{rule.kind}:{(rule.prefixes or rule.anchors)[0]}"


def npm_token(seed: str = "npm") -> str:
    """Return an npm token."""
    return example(NPM, seeded(seed))
