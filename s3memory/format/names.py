"""Path segments in object keys: readable, or encrypted with AES-SIV.

AES-SIV (RFC 5297) is deterministic, so that a file can be found by encoding its path. The parent's path is part of the
associated data, so that equal names in two directories look different. A directory's encoded path is a prefix of its
files' object keys, so that prefix listing works. ``docs/format.md`` specifies the encoding.
"""

from __future__ import annotations

import base64
import binascii
from typing import Protocol

from cryptography.exceptions import InvalidTag

from s3memory.errors import ConfigurationError, IntegrityError, InvalidInputError
from s3memory.paths import MemoryPath

PLAIN = "plain"
ENCRYPTED = "encrypted"
NAME_MODES = (PLAIN, ENCRYPTED)
ENCRYPTED_REQUIRED = "encrypted-required"
"""A setting that refuses rings with plain names. It is not a mode of a ring."""
NAME_KEY_BYTES = 64

_NAME_PURPOSE = b"s3memory/v1/name"


class NameCodec(Protocol):
    """Encodes the segments of a memory path as those of an object key, and decodes them."""

    keeps_order: bool
    """Whether sorting by object key is sorting by name."""

    def encode(self, path: MemoryPath) -> str:
        """Return the part of the object key below the tenant's folder; empty for the root."""

    def decode(self, parent: MemoryPath, encoded: str) -> MemoryPath:
        """Return the path below `parent` that an encoded relative path such as ``a/b`` stands for.

        Raises:
            IntegrityError: no path is encoded like this under this key ring: the object does not belong here.
        """


class PlainNames:
    """Segments appear in the object key as they are: anyone who may list the bucket can read them."""

    keeps_order = True

    def encode(self, path: MemoryPath) -> str:
        """Join the segments."""
        return "/".join(path.segments)

    def decode(self, parent: MemoryPath, encoded: str) -> MemoryPath:
        """Split into segments; refuse any that are not canonical."""
        return _canonical(parent.child(*encoded.split("/")))


class EncryptedNames:
    """Each segment is encrypted with AES-256-SIV under a ring's 64-byte name key, then base64url-encoded, unpadded."""

    keeps_order = False

    def __init__(self, name_key: bytes, *, tenant: str) -> None:
        if len(name_key) != NAME_KEY_BYTES:
            raise ConfigurationError(f"a name key has {NAME_KEY_BYTES} bytes")
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV  # not loaded if names are plain

        self._siv = AESSIV(name_key)
        self._tenant = tenant.encode("ascii")

    def encode(self, path: MemoryPath) -> str:
        """Encrypt each segment with its parent's path as associated data."""
        parents = [MemoryPath(path.segments[:depth]) for depth in range(len(path.segments))]
        return "/".join(
            _to_base64url(self._siv.encrypt(segment.encode("utf-8"), self._associated(parent)))
            for parent, segment in zip(parents, path.segments, strict=True)
        )

    def decode(self, parent: MemoryPath, encoded: str) -> MemoryPath:
        """Decrypt each segment with its parent's path as associated data."""
        path = parent
        try:
            for part in encoded.split("/"):
                segment = self._siv.decrypt(_from_base64url(part), self._associated(path))
                path = path.child(segment.decode("utf-8"))
        except (InvalidTag, ValueError):
            raise IntegrityError("An object's name does not open.") from None
        return _canonical(path)

    def _associated(self, parent: MemoryPath) -> list[bytes]:
        return [_NAME_PURPOSE, self._tenant, str(parent).encode("utf-8")]


def _canonical(path: MemoryPath) -> MemoryPath:
    """Return a path that was read from an object key if it is canonical: only such paths are ever written."""
    try:
        if MemoryPath.parse(str(path)) == path:
            return path
    except InvalidInputError:
        pass
    raise IntegrityError("An object's name is not a canonical path.")


def _to_base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _from_base64url(text: str) -> bytes:
    padded = text.encode("ascii") + b"=" * (-len(text) % 4)
    data = base64.b64decode(padded, altchars=b"-_", validate=True)
    if _to_base64url(data) != text:  # otherwise several texts would stand for the same bytes
        raise binascii.Error
    return data
