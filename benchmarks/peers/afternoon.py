"""The version that most teams write in an afternoon: boto3, AES-GCM, and a KMS data key for each object."""

from __future__ import annotations

import os
from typing import Any, Final

import boto3
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from peers.objects import ObjectFiles
from peers.texts import PeerTool

_KEY_ID: Final = "alias/benchmark"
_NONCE_BYTES: Final = 12
_LENGTH_BYTES: Final = 2


class AfternoonFiles(ObjectFiles):
    """An object is the length of the wrapped data key, the wrapped data key, a nonce, and the ciphertext."""

    def __init__(self, bucket: str, s3: Any, kms: Any) -> None:
        super().__init__(bucket, s3)
        self._kms = kms

    def seal(self, text: str) -> bytes:
        """Encrypt under a new data key."""
        data_key = self._kms.generate_data_key(KeyId=_KEY_ID, KeySpec="AES_256")
        wrapped: bytes = data_key["CiphertextBlob"]
        nonce = os.urandom(_NONCE_BYTES)
        ciphertext = AESGCM(data_key["Plaintext"]).encrypt(nonce, text.encode(), None)
        return len(wrapped).to_bytes(_LENGTH_BYTES, "big") + wrapped + nonce + ciphertext

    def open(self, body: bytes) -> str:
        """Let KMS decrypt the data key, and decrypt with it."""
        end = _LENGTH_BYTES + int.from_bytes(body[:_LENGTH_BYTES], "big")
        data_key = self._kms.decrypt(CiphertextBlob=body[_LENGTH_BYTES:end], KeyId=_KEY_ID)["Plaintext"]
        nonce, ciphertext = body[end : end + _NONCE_BYTES], body[end + _NONCE_BYTES :]
        return AESGCM(data_key).decrypt(nonce, ciphertext, None).decode()


def make() -> PeerTool:
    """Return the tool."""
    return PeerTool(AfternoonFiles(os.environ["BENCH_BUCKET"], boto3.client("s3"), boto3.client("kms")))
