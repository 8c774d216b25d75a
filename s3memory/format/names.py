"""Path segments in object keys: readable, or sealed with AES-SIV.

AES-SIV (RFC 5297) is deterministic, so that a file is found by encoding its path; the associated data is the path
of the parent, so that equal names in two directories do not look alike. A directory's key prefix is what its
files' keys begin with, so that prefix listing works. The encoding is specified in ``docs/format.md``.
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
"""Not a mode of a ring, but a setting that refuses rings with plain names."""
NAME_KEY_BYTES = 64

_NAME_PURPOSE = b"s3memory/v1/name"


class NameCodec(Protocol):
    """Turns the segments of a memory path into those of an object key, and back."""

    keeps_order: bool
    """Whether a listing by object key is a listing by name."""

    def encode(self, path: MemoryPath) -> str:
        """Return the part of the object key below the tenant's folder; empty for the root."""

    def decode(self, parent: MemoryPath, encoded: str) -> MemoryPath:
        """Return the path below `parent` that an encoded ``a/b`` stands for.

        Raises:
            IntegrityError: no path of this key ring is encoded like this: the object does not belong here.
        """


class PlainNames:
    """Segments stand in the object key as they are: readable for whoever may list the bucket."""

    keeps_order = True

    def encode(self, path: MemoryPath) -> str:
        """Join the segments."""
        return "/".join(path.segments)

    def decode(self, parent: MemoryPath, encoded: str) -> MemoryPath:
        """Split into segments; only canonical ones belong here."""
        return _canonical(parent.child(*encoded.split("/")))


class EncryptedNames:
    """Each segment is sealed with AES-256-SIV under the 64 bytes of a ring's name key, and base64url-coded unpadded."""

    keeps_order = False

    def __init__(self, name_key: bytes, *, tenant: str) -> None:
        if len(name_key) != NAME_KEY_BYTES:
            raise ConfigurationError(f"a name key has {NAME_KEY_BYTES} bytes")
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV  # where names are not encrypted

        self._siv = AESSIV(name_key)
        self._tenant = tenant.encode("ascii")

    def encode(self, path: MemoryPath) -> str:
        """Seal each segment under the path above it."""
        parents = [MemoryPath(path.segments[:depth]) for depth in range(len(path.segments))]
        return "/".join(
            _to_base64url(self._siv.encrypt(segment.encode("utf-8"), self._associated(parent)))
            for parent, segment in zip(parents, path.segments, strict=True)
        )

    def decode(self, parent: MemoryPath, encoded: str) -> MemoryPath:
        """Open each segment under the path above it."""
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
    """Return a path that was read from an object key, if it is one that could have been written."""
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
    if _to_base64url(data) != text:  # several texts would stand for the same bytes
        raise binascii.Error
    return data
