"""All samples, in two splits: one to develop rules on, one that only gives figures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from redaction import contexts, encodings, passwords, personal, structured, tokens
from redaction.held_out import contexts as held_out_contexts
from redaction.held_out import passwords as held_out_passwords
from redaction.samples import DEVELOPMENT, HELD_OUT, Maker, Sample, crossed

# The rows of the report that are secrets; the other rows are personal data and encodings.
SECRETS = (
    "provider tokens",
    "tokens in prose and Markdown",
    "passwords in prose",
    "private keys",
    "signed tokens",
    "passwords in settings and code",
    "named secrets",
    "URLs and headers",
)
PERSONAL = ("card numbers", "IBANs", "social security numbers")
ENCODED = "eight encodings"
_JWT: dict[str, Maker] = {"jwt": structured.json_web_token}
_ALL = 1000


def samples(formats: Path) -> list[Sample]:
    """Return the samples of both splits; `formats` is what `scanners.py` wrote."""
    found = [*tokens.development(formats), *tokens.held_out(formats), *_development(), *_held_out()]
    secrets = [sample for sample in found if sample.row in SECRETS[:2]]
    for split in (DEVELOPMENT, HELD_OUT):
        found += encodings.encoded([sample for sample in secrets if sample.split == split], each=40)
    return found


def _development() -> Iterator[Sample]:
    def rows() -> Iterator[Iterator[Sample]]:
        split = DEVELOPMENT
        yield crossed(split, "passwords in prose", passwords.PROSE, passwords.MAKERS, each=_ALL)
        yield crossed(split, "passwords in settings and code", passwords.SETTINGS, passwords.MAKERS, each=_ALL)
        yield crossed(split, "private keys", structured.KEY_CONTEXTS, structured.KEYS, each=_ALL)
        yield crossed(split, "signed tokens", contexts.PROSE | contexts.CODE, _JWT, each=_ALL)
        yield crossed(split, "URLs and headers", structured.URLS, structured.URL_SECRETS, each=_ALL)
        yield crossed(split, "named secrets", structured.NAMED, structured.NAMED_SECRETS, each=_ALL)
        yield crossed(split, "card numbers", personal.CARD_CONTEXTS, personal.CARDS, each=_ALL)
        yield crossed(split, "IBANs", personal.IBAN_CONTEXTS, personal.IBANS, each=_ALL)
        for makers, places in (
            (personal.SSNS, personal.SSN_CONTEXTS),
            (personal.BARE_SSNS, personal.BARE_SSN_CONTEXTS),
        ):
            yield crossed(split, "social security numbers", places, makers, each=_ALL)

    for row in rows():
        yield from row


def _held_out() -> Iterator[Sample]:
    def rows() -> Iterator[Iterator[Sample]]:
        split, places = HELD_OUT, held_out_contexts
        makers = held_out_passwords.MAKERS
        yield crossed(split, "passwords in prose", held_out_passwords.PROSE, makers, each=_ALL)
        yield crossed(split, "passwords in settings and code", held_out_passwords.SETTINGS, makers, each=_ALL)
        yield crossed(split, "private keys", structured.HELD_OUT_KEY_CONTEXTS, structured.HELD_OUT_KEYS, each=_ALL)
        yield crossed(split, "signed tokens", places.PROSE | places.CODE, _JWT, each=_ALL)
        yield crossed(split, "URLs and headers", structured.HELD_OUT_URLS, structured.URL_SECRETS, each=_ALL)
        yield crossed(split, "named secrets", structured.HELD_OUT_NAMED, structured.NAMED_SECRETS, each=_ALL)
        yield crossed(split, "card numbers", personal.HELD_OUT_CARD_CONTEXTS, personal.CARDS, each=_ALL)
        yield crossed(split, "IBANs", personal.HELD_OUT_IBAN_CONTEXTS, personal.HELD_OUT_IBANS, each=_ALL)
        for numbers, forms in (
            (personal.SSNS, personal.HELD_OUT_SSN_CONTEXTS),
            (personal.BARE_SSNS, personal.HELD_OUT_BARE_SSN_CONTEXTS),
        ):
            yield crossed(split, "social security numbers", forms, numbers, each=_ALL)

    for row in rows():
        yield from row
