"""Token formats as a table, one a line: the kind, the format, and where it is documented.

    figma-token    figd_<url:38+>            www.figma.com/developers/api
    shopify-token  (shpat|shpca)_<HEX:32>
    flyio-token    fm2_<base64:100+> !       fly.io/docs/security/tokens

A format is a prefix, or several to choose from, then literals and runs of characters: the alphabet, and how many
("32", "20-44", or "38+" for as long as it goes on). One that begins with a run is looked for by its longest literal.
Without a source of its own, the source of the table counts. An exclamation mark says that the prefix is so common that
what follows has to look random, and no other prefix to precede.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from s3memory.redaction.rule import Location
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import looks_random
from s3memory.redaction.text.wording import is_gibberish
from s3memory.redaction.tokens import Run, Token, unless_made_up

# Formats that several rule sets have in common, under the MIT licence; their documentation is the rule itself.
BETTERLEAKS = "https://github.com/betterleaks/betterleaks/blob/main/config/betterleaks.toml"

ALPHABETS = {
    "digits": "0-9",
    "hex": "0-9a-f",
    "HEX": "0-9A-Fa-f",
    "lower": "a-z0-9",
    "UPPER": "A-Z0-9",
    "base32": "A-Z2-7",
    "alnum": "A-Za-z0-9",
    "word": "A-Za-z0-9_",
    "url": "A-Za-z0-9_-",
    "slug": "a-z0-9-",
    "percent": "A-Za-z0-9%",
    "cookie": "A-Za-z0-9%+/=_-",
    "base64": "A-Za-z0-9+/=",
    "any64": "A-Za-z0-9+/=_-",
    "dotted": "A-Za-z0-9_.=-",
    "equals": "A-Za-z0-9_=-",
    "plain64": "A-Za-z0-9+/",
    "bech32": "AC-HJ-NP-Z02-9",
    "azure": "A-Za-z0-9_~.-",
    "azure-start": "A-Za-z0-9_~.",
    "azure-end": "A-Za-z0-9_~-",
}
_UUID = "<HEX:8>-<HEX:4>-<HEX:4>-<HEX:4>-<HEX:12>"
_MIXED = "!"


def table(rows: str) -> tuple[Token, ...]:
    """Return the rules of a table of token formats. What is behind a prefix is read when it is first looked for.

    Raises:
        ValueError: A row has too many words, or its format has no literal.
    """
    return tuple(_rule(*words) for row in rows.splitlines() if (words := row.split()))


def _rule(kind: str, written: str, *rest: str) -> Token:
    own = [word for word in rest if word != _MIXED]
    if len(own) > 1:
        raise ValueError(f"a row is a kind, a format and a source: {kind} has more")
    prefixes, _, runs = written.partition("<")
    opening, _, others = prefixes.partition("(")
    choices, _, ending = others.partition(")")
    literals = [] if prefixes else [part for part in _parts(runs) if isinstance(part, str)]
    return Token(
        kind,
        tuple(f"{opening}{choice}{ending}" for choice in choices.split("|") if prefixes),
        partial(_parts, runs),
        source=f"https://{own[0]}" if own else BETTERLEAKS,
        anchors=tuple(sorted(literals, key=len)[-1:]),
        locate=_if_mixed if _MIXED in rest else unless_made_up,
    )


def _parts(written: str) -> Iterator[str | Run]:
    for run in f"<{written}".replace("<uuid>", _UUID).split("<")[1:]:
        inside, _, literal = run.partition(">")
        alphabet, _, count = inside.partition(":")
        least, to, most = count.partition("-")
        if least.endswith("+"):
            yield Run(ALPHABETS[alphabet], int(least[:-1]))
        else:
            yield Run(ALPHABETS[alphabet], int(least), int(most if to else least))
        if literal:
            yield literal


def _if_mixed(match: re.Match[str]) -> Location:
    # Behind "_" so common a prefix is part of a longer one: a session's id is "cs_test_...".
    is_glued = compiled(r"[A-Za-z0-9]_\Z").search(match.string, max(0, match.start() - 2), match.start())
    body = match["body"]
    is_mixed = looks_random(body) or (not body.isalpha() and is_gibberish("".join(filter(str.isalpha, body))))
    return unless_made_up(match) if is_mixed and not is_glued else None
