"""Token formats as a table. Each row has a kind, a format and the page that documents it.

    figma-token    figd_<url:38+>            www.figma.com/developers/api
    shopify-token  (shpat|shpca)_<HEX:32>
    flyio-token    fm2_<base64:100+> !       fly.io/docs/security/tokens

A format is a prefix, or a choice of several, then literals and runs of characters. A run has an alphabet and a length:
"32", "20-44", or "38+" for 38 or more. The rule for a format without a prefix searches for the longest literal of it.
A row without a source has that of the common rule set, `BETTERLEAKS`. An exclamation mark is for a common prefix: what
follows it must look random, and it must not be the end of a longer prefix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from s3memory.redaction.rule import Location
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import looks_random
from s3memory.redaction.text.wording import is_gibberish
from s3memory.redaction.tokens import Run, Token, unless_example

# A rule set under the MIT licence: the source of formats that their provider does not document.
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
_RANDOM = "!"


def table(rows: str) -> tuple[Token, ...]:
    """Return the rules of a table of token formats. The part after a prefix is parsed when a text first has that prefix.

    Raises:
        ValueError: A row has too many words, or its format has no literal.
    """
    return tuple(_rule(*words) for row in rows.splitlines() if (words := row.split()))


def _rule(kind: str, token_format: str, *rest: str) -> Token:
    sources = [word for word in rest if word != _RANDOM]
    if len(sources) > 1:
        raise ValueError(f"a row is a kind, a format and a source: {kind} has more")
    prefixes, _, runs = token_format.partition("<")
    opening, _, others = prefixes.partition("(")
    choices, _, ending = others.partition(")")
    literals = [] if prefixes else [part for part in _parts(runs) if isinstance(part, str)]
    return Token(
        kind,
        tuple(f"{opening}{choice}{ending}" for choice in choices.split("|") if prefixes),
        partial(_parts, runs),
        source=f"https://{sources[0]}" if sources else BETTERLEAKS,
        anchors=tuple(sorted(literals, key=len)[-1:]),
        locate=_if_random if _RANDOM in rest else unless_example,
    )


def _parts(token_format: str) -> Iterator[str | Run]:
    for run in f"<{token_format}".replace("<uuid>", _UUID).split("<")[1:]:
        inside, _, literal = run.partition(">")
        alphabet, _, count = inside.partition(":")
        least, to, most = count.partition("-")
        if least.endswith("+"):
            yield Run(ALPHABETS[alphabet], int(least[:-1]))
        else:
            yield Run(ALPHABETS[alphabet], int(least), int(most if to else least))
        if literal:
            yield literal


def _if_random(match: re.Match[str]) -> Location:
    # After "_" such a common prefix is part of a longer one, as in the id of a session, "cs_test_...".
    has_longer_prefix = compiled(r"[A-Za-z0-9]_\Z").search(match.string, max(0, match.start() - 2), match.start())
    body = match["body"]
    is_random = looks_random(body) or (not body.isalpha() and is_gibberish("".join(filter(str.isalpha, body))))
    return unless_example(match) if is_random and not has_longer_prefix else None
