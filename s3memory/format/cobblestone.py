"""Cobblestone-256 messages with salts drawn from the kernel. No I/O.

This is C2SP's chunked encryption (https://c2sp.org/chunked-encryption) with AES-256-GCM and HKDF-Expand-SHA-512. The
``cryptography`` package ships all of it, but its encryptor draws the salt from OpenSSL's generator, which keeps its
state in the process and detects a fork only by the process id: clones of a process, such as a snapshot that is resumed
twice, would draw the same salts. `os.urandom` asks the kernel each time. So this module assembles messages from that
package's HKDF and AES-GCM, and opens them with its decryptor, which draws no random bytes.
"""

from __future__ import annotations

import functools
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from cryptography.cobblestone import Cobblestone256Decryptor
from cryptography.exceptions import InvalidTag

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA512
    from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

SALT_BYTES = 24
COMMITMENT_BYTES = 32
TAG_BYTES = 16
CHUNK_BYTES = 16 * 1024

_KEY_BYTES = 32
_NONCE_BYTES = 12
_LABEL = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0"


def encrypt(key: bytes, context: bytes, plaintext: bytes, *, header: bytes = b"") -> bytes:
    """Encrypt `plaintext` under a fresh salt and return the message.

    Args:
        key: 32 bytes.
        context: what the message is bound to: it does not open with another context.
        plaintext: the bytes to encrypt.
        header: put in front of the message. It is authenticated only if the context contains it.

    Raises:
        ValueError: the key has another size.
    """
    if len(key) != _KEY_BYTES:
        raise ValueError(f"a key has {_KEY_BYTES} bytes")
    expand, sha512, aes_gcm = _primitives()
    salt = os.urandom(SALT_BYTES)
    derived = expand(sha512, _KEY_BYTES + _NONCE_BYTES + COMMITMENT_BYTES, _LABEL + salt + context).derive(key)
    cipher = aes_gcm(derived[:_KEY_BYTES])
    base_nonce = int.from_bytes(derived[_KEY_BYTES : _KEY_BYTES + _NONCE_BYTES])
    source = memoryview(plaintext)
    chunks = (
        cipher.encrypt(
            (base_nonce ^ number).to_bytes(_NONCE_BYTES),
            source[number * CHUNK_BYTES : (number + 1) * CHUNK_BYTES],
            None,
        )
        # The last chunk is always shorter than a full one; it may be empty.
        for number in range(len(plaintext) // CHUNK_BYTES + 1)
    )
    return b"".join((header, salt, derived[_KEY_BYTES + _NONCE_BYTES :], *chunks))


def decrypt(key: bytes, context: bytes, message: bytes | memoryview) -> bytes | None:
    """Return the plaintext of a message, or ``None`` if the key or context is wrong, or the message was changed.

    It does not raise an error then, because the frames of its traceback would hold the key.
    """
    decryptor = Cobblestone256Decryptor(key, context)
    with suppress(InvalidTag):
        return decryptor.update(message) + decryptor.finalize()
    return None


@functools.cache
def _primitives() -> tuple[type[HKDFExpand], SHA512, type[AESGCM]]:
    # Imported here so that processes that only read do not load them.
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA512
    from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

    return HKDFExpand, SHA512(), AESGCM
