"""Seed phrases of wallets with their checksums, in every language there is: run in their library's environment."""

from __future__ import annotations

import json
import random
import sys

from mnemonic import Mnemonic

_SEED = 20261122
_BYTES = (16, 32, 16, 24, 20, 28)


def _phrases(language: str) -> list[str]:
    rng = random.Random(f"{_SEED}:{language}")  # noqa: S311 - they only look like secrets
    return [Mnemonic(language).to_mnemonic(rng.randbytes(count)) for count in _BYTES]


if __name__ == "__main__":
    json.dump({language: _phrases(language) for language in Mnemonic.list_languages()}, sys.stdout)
