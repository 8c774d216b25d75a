"""Looks words up in the lists of seed words of BIP-39, in ten languages: a Bloom filter, loaded when first needed."""

from __future__ import annotations

from base64 import b64decode
from functools import cache
from zlib import crc32

from s3memory.redaction.rules.reading.letters import without_accents
from s3memory.redaction.text.caching import cached_until_forgotten

TABLE_BITS = 2**17


def folded(word: str) -> str:
    """Return `word` in lower case and without accents, as people write it down."""
    return word.lower() if word.isascii() else without_accents(word.lower())


def places(word: str) -> tuple[int, int]:
    """Return the two bits of the table that stand for a folded word."""
    number = crc32(word.encode("utf-8", "surrogatepass"))
    return number % TABLE_BITS, (number * 0x9E3779B1 >> 15) % TABLE_BITS


@cache
def _table() -> bytes:
    from s3memory.redaction.rules.reading.seed_word_table import TABLE  # few texts need it

    return b64decode(TABLE)


@cached_until_forgotten
def is_seed_word(word: str) -> bool:
    """Whether `word` is in one of the lists; one other word in sixteen is a false positive."""
    table = _table()
    first, second = places(word.lower() if word.isascii() else folded(word))
    return bool(table[first >> 3] >> (first & 7) & 1 and table[second >> 3] >> (second & 7) & 1)
