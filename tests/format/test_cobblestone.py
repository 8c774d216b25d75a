"""Our Cobblestone-256 messages: those of the published vectors byte for byte, in every size class."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from cryptography.cobblestone import Cobblestone256Decryptor
from hypothesis import given
from hypothesis import strategies as st
from support.for_each import for_each

from s3memory.format import cobblestone

PUBLISHED = json.loads((Path(__file__).parent / "vectors" / "cobblestone256.json").read_text())["tests"]
VALID = [vector for vector in PUBLISHED if vector["result"] == "valid"]
CHUNK_BYTES = 16_384
KEY = bytes(range(32))

# Around the ends of chunks, where bugs are likely.
SIZES = [0, 1, 2, 16_382, 16_383, 16_384, 16_385, 32_767, 32_768, 32_769, 49_152, 100_000, 1_048_576]


def opened_by_cryptography(key: bytes, context: bytes, message: bytes) -> bytes:
    decryptor = Cobblestone256Decryptor(key, context)
    return decryptor.update(message) + decryptor.finalize()


@pytest.mark.parametrize("vector", VALID, ids=lambda vector: vector["comment"])
def test_a_published_message_is_reproduced_byte_for_byte(
    vector: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    key, context = bytes.fromhex(vector["key"]), bytes.fromhex(vector["ctx"])
    published = zlib.decompress(bytes.fromhex(vector["ct"]))
    plaintext = opened_by_cryptography(key, context, published)
    drawn: list[int] = []

    def salt(n_bytes: int) -> bytes:
        drawn.append(n_bytes)
        return published[:n_bytes]

    monkeypatch.setattr("s3memory.format.cobblestone.os.urandom", salt)
    assert cobblestone.encrypt(key, context, plaintext) == published
    assert drawn == [24]


@for_each("size", SIZES)
def test_a_message_of_any_size_opens_with_cryptography(size: int) -> None:
    plaintext = bytes(number % 251 for number in range(size))
    message = cobblestone.encrypt(KEY, b"context", plaintext)
    assert len(message) == 56 + size + 16 * (size // CHUNK_BYTES + 1)
    assert opened_by_cryptography(KEY, b"context", message) == plaintext
    assert cobblestone.decrypt(KEY, b"context", message) == plaintext


@given(
    key=st.binary(min_size=32, max_size=32),
    context=st.binary(max_size=200),
    beginning=st.binary(max_size=50),
    size=st.integers(0, 2 * CHUNK_BYTES + 50),
)
def test_any_encrypted_message_opens_with_cryptography(key: bytes, context: bytes, beginning: bytes, size: int) -> None:
    plaintext = beginning.ljust(size, b"x")
    assert opened_by_cryptography(key, context, cobblestone.encrypt(key, context, plaintext)) == plaintext


@pytest.mark.parametrize("size", [0, 16, 31, 33, 64])
def test_a_key_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="has 32 bytes"):
        cobblestone.encrypt(bytes(size), b"", b"")
