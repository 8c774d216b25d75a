"""The version that most teams would write in an afternoon: boto3, AES-GCM, and a KMS data key for each object."""

from __future__ import annotations

import os
from typing import Any, Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from peers.objects import ObjectFiles, client
from peers.texts import PeerTool

_KEY_ID: Final = "alias/benchmark"
_NONCE_BYTES: Final = 12
_LENGTH_BYTES: Final = 2


class AfternoonFiles(ObjectFiles):
    """Encrypted files. An object is the wrapped data key with its length in front, a nonce, and the ciphertext."""

    def __init__(self, bucket: str, s3: Any, kms: Any) -> None:
        super().__init__(bucket, s3)
        self._kms = kms

    def data_key(self) -> tuple[bytes, bytes]:
        """Return a new data key to encrypt with, wrapped and plain."""
        made = self._kms.generate_data_key(KeyId=_KEY_ID, KeySpec="AES_256")
        return made["CiphertextBlob"], made["Plaintext"]

    def unwrapped(self, wrapped: bytes) -> bytes:
        """Return a data key that KMS has decrypted."""
        plain: bytes = self._kms.decrypt(CiphertextBlob=wrapped, KeyId=_KEY_ID)["Plaintext"]
        return plain

    def seal(self, text: str) -> bytes:
        """Return the encrypted text."""
        wrapped, plain = self.data_key()
        nonce = os.urandom(_NONCE_BYTES)
        ciphertext = AESGCM(plain).encrypt(nonce, text.encode(), None)
        return len(wrapped).to_bytes(_LENGTH_BYTES, "big") + wrapped + nonce + ciphertext

    def open(self, body: bytes) -> str:
        """Return the decrypted text."""
        end = _LENGTH_BYTES + int.from_bytes(body[:_LENGTH_BYTES], "big")
        nonce, ciphertext = body[end : end + _NONCE_BYTES], body[end + _NONCE_BYTES :]
        return AESGCM(self.unwrapped(body[_LENGTH_BYTES:end])).decrypt(nonce, ciphertext, None).decode()


def make() -> PeerTool:
    """Return the tool."""
    return PeerTool(AfternoonFiles(os.environ["BENCH_BUCKET"], client("s3"), client("kms")))
