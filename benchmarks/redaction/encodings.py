"""The eight ways in which a secret may be written so that only its reader's decoder sees it."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator

from redaction.samples import DEVELOPMENT, Sample, seeded

_INVISIBLE = ("\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad")
_FULL_WIDTH = 0xFEE0


def _every(count: int, mark: Callable[[int], str], text: str) -> str:
    return "".join(
        character + (mark(number) if number % count == count - 1 else "") for number, character in enumerate(text)
    )


ENCODINGS: dict[str, Callable[[str], str]] = {
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 for URLs": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base64 of a line": lambda text: base64.b64encode(f"token = {text}\n".encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "percent": lambda text: "".join(f"%{code:02X}" for code in text.encode()),
    "backslash u": lambda text: "".join(f"\\u{ord(character):04x}" for character in text),
    "entities": lambda text: "".join(f"&#{ord(character)};" for character in text),
    "invisible characters": lambda text: _every(3, lambda number: _INVISIBLE[number % len(_INVISIBLE)], text),
    "full width": lambda text: "".join(chr(ord(character) + _FULL_WIDTH) for character in text),
}

CONTEXTS = {
    "alone": "{}",
    "sentence": "The value is {} as far as I know.",
    "json": '{{"value": "{}"}}',
    "env file": "VALUE={}\n",
    "table": "| value | {} |\n",
}
HELD_OUT_CONTEXTS = {
    "code": "Decode `{}` first.",
    "yaml": "data:\n  value: {}\n",
    "log": "2026-03-04 got {} from upstream\n",
    "parentheses": "see ({})",
    "list": "- {}\n- other\n",
}


def encoded(samples: list[Sample], *, each: int) -> Iterator[Sample]:
    """Yield the secrets of `samples` in every encoding: what has to go is the encoded text, whole.

    Only what is known by its own form takes part: an encoded password has no name beside it that is encoded too.
    """
    for name, encode in ENCODINGS.items():
        rng = seeded(f"encodings:{name}")
        for sample in rng.sample(samples, min(each, len(samples))):
            contexts = CONTEXTS if sample.split == DEVELOPMENT else HELD_OUT_CONTEXTS
            context = rng.choice(list(contexts))
            secret = encode(sample.text[sample.start : sample.end])
            before, _, behind = contexts[context].replace("{{", "{").replace("}}", "}").partition("{}")
            start = len(before)
            yield Sample(
                sample.split,
                "eight encodings",
                f"{name}: {sample.name} in {context}",
                before + secret + behind,
                start,
                start + len(secret),
            )
