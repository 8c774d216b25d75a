"""Seal and open bytes: the S3M1 envelope around a Cobblestone-256 message. No I/O.

``docs/format.md`` specifies layout, sizes and context. The cipher is C2SP's chunked encryption
(https://c2sp.org/chunked-encryption), in `s3memory.format.cobblestone`; this module adds the header and decides what a
sealed object is bound to. There is one cipher suite and no fallback.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple, NoReturn, SupportsIndex

from s3memory.errors import ConfigurationError, IntegrityError
from s3memory.format import cobblestone
from s3memory.format.cobblestone import CHUNK_BYTES, COMMITMENT_BYTES, SALT_BYTES, TAG_BYTES

MAGIC = b"S3M1"
HEADER_BYTES = 8
DATA_KEY_BYTES = 32
MAX_GENERATION = 2**32 - 1

FILE_PURPOSE = "s3memory/v1/file"
INTENT_PURPOSE = "s3memory/v1/intent"
KEY_RING_PURPOSE = "s3memory/v1/key-ring"
TAG_PURPOSE = "s3memory/v1/redaction-tag"
REDACTION_PURPOSE = "s3memory/v1/redacted-version"
ACTOR_PURPOSE = "s3memory/v1/actor"

_ID_BYTES = 16
_FIXED_BYTES = HEADER_BYTES + SALT_BYTES + COMMITMENT_BYTES

_DOES_NOT_OPEN = "What is stored here does not open: it was altered, moved, or sealed under another key."


class HoldsKeys:
    """Something that holds key bytes. It can't be pickled or copied, so no key gets into caches, queues or reports."""

    __slots__ = ()

    def __reduce_ex__(self, _protocol: SupportsIndex, /) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} holds keys: it can't be pickled or copied")


class DataKey(HoldsKeys):
    """A data key of 256 bits and its generation in the tenant's key ring. Its repr shows no key bytes.

    It is neither a tuple nor a dataclass: error reports print the fields of those, whatever their repr is. For the same
    reason, key bytes are passed around in a `DataKey` and never bare: a traceback can show local variables.
    """

    __slots__ = ("generation", "key_bytes")

    def __init__(self, generation: int, key_bytes: bytes) -> None:
        self.generation: Final = generation
        self.key_bytes: Final = key_bytes

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DataKey):
            return NotImplemented
        return (self.generation, self.key_bytes) == (other.generation, other.key_bytes)

    def __hash__(self) -> int:
        return hash((self.generation, self.key_bytes))

    def __repr__(self) -> str:
        return f"DataKey(generation={self.generation})"


class Place(NamedTuple):
    """What a sealed object is bound to, in addition to its header. Bytes sealed for one place do not open at another.

    Attributes:
        purpose: one of the ``*_PURPOSE`` constants; keeps kinds of objects apart.
        name: distinguishes objects with the same purpose: a canonical memory path, an intent's id.
    """

    purpose: str
    tenant: str
    name: str


def encode_context(*fields: bytes) -> bytes:
    """Return the fields, each prefixed by its length as 4 big-endian bytes: no two lists of fields encode alike."""
    return b"".join(struct.pack(">I", len(value)) + value for value in fields)


def sealed_size_bytes(plaintext_bytes: int) -> int:
    """Return the size of the sealed object for a plaintext of `plaintext_bytes` bytes."""
    return _FIXED_BYTES + plaintext_bytes + TAG_BYTES * (plaintext_bytes // CHUNK_BYTES + 1)


def plaintext_size_bytes(sealed_bytes: int) -> int:
    """Return the plaintext size of a sealed object of `sealed_bytes` bytes, such as a listing reports.

    Raises:
        IntegrityError: no sealed object has this size.
    """
    plaintext_bytes = nominal_size_bytes(sealed_bytes)
    if sealed_size_bytes(plaintext_bytes) != sealed_bytes:
        raise IntegrityError(_DOES_NOT_OPEN)
    return plaintext_bytes


def nominal_size_bytes(sealed_bytes: int) -> int:
    """Return the plaintext size even for an object that was cut or extended to an impossible size, then approximately.

    Listings show damaged files with this size: they must show every file, even one that will not open.
    """
    chunked = max(0, sealed_bytes - _FIXED_BYTES)
    chunks = chunked // (CHUNK_BYTES + TAG_BYTES) + 1
    return max(0, chunked - chunks * TAG_BYTES)


def seal(plaintext: bytes, *, data_key: DataKey, place: Place) -> bytes:
    """Encrypt and authenticate `plaintext` for one place, under a fresh random salt.

    Raises:
        ConfigurationError: the data key's generation does not fit into a header.
    """
    if not 1 <= data_key.generation <= MAX_GENERATION:
        raise ConfigurationError(f"a generation is from 1 to {MAX_GENERATION}")
    header = MAGIC + struct.pack(">I", data_key.generation)
    return cobblestone.encrypt(data_key.key_bytes, _context(header, place), plaintext, header=header)


def open_sealed(sealed: bytes, *, data_key: DataKey, place: Place) -> bytes:
    """Return the plaintext of an object that was sealed under `data_key` for `place`.

    Raises:
        IntegrityError: it was not, or some of its bytes changed. The error does not say which.
    """
    if sealed_generation(sealed) != data_key.generation:
        raise IntegrityError(_DOES_NOT_OPEN)
    context = _context(sealed[:HEADER_BYTES], place)
    plaintext = cobblestone.decrypt(data_key.key_bytes, context, memoryview(sealed)[HEADER_BYTES:])
    if plaintext is None:
        raise IntegrityError(_DOES_NOT_OPEN)
    return plaintext


def sealed_generation(sealed: bytes) -> int:
    """Return the generation of the data key that an object claims to be sealed under. Only `open_sealed` verifies it.

    Raises:
        IntegrityError: the object has no S3M1 header, or an impossible size.
    """
    plaintext_size_bytes(len(sealed))
    return header_generation(sealed)


def header_generation(beginning: bytes) -> int:
    """Return the generation that the first bytes of an object claim. `HEADER_BYTES` of them are enough.

    Raises:
        IntegrityError: they are not an S3M1 header.
    """
    if not beginning.startswith(MAGIC) or len(beginning) < HEADER_BYTES:
        raise IntegrityError(_DOES_NOT_OPEN)
    (generation,) = struct.unpack_from(">I", beginning, len(MAGIC))
    if generation < 1:
        raise IntegrityError(_DOES_NOT_OPEN)
    return int(generation)


def salt_of(sealed: bytes) -> bytes:
    """Return the salt of a sealed object. It is random for every write, so it identifies this one."""
    return sealed[HEADER_BYTES : HEADER_BYTES + SALT_BYTES]


def derive_id(data_key: DataKey, purpose: str, *fields: str) -> str:
    """Return 32 hexadecimal digits, the same for equal fields, that look random without the data key.

    This is HKDF-Expand with an ``info`` that no message of the cipher has: theirs begins with ``c2sp.org/``.
    """
    info = encode_context(b"s3memory/v1/id", purpose.encode("ascii"), *(field.encode("utf-8") for field in fields))
    return _hkdf_expand(data_key, info, _ID_BYTES).hex()


def derive_key(data_key: DataKey, purpose: str) -> bytes:
    """Return a key of 32 bytes for one purpose, which looks random without the data key.

    This is HKDF-Expand with an ``info`` that neither the cipher's messages nor `derive_id` use.
    """
    info = encode_context(b"s3memory/v1/key", purpose.encode("ascii"))
    return _hkdf_expand(data_key, info, DATA_KEY_BYTES)


def _hkdf_expand(data_key: DataKey, info: bytes, length_bytes: int) -> bytes:
    from cryptography.hazmat.primitives import hashes  # not loaded by processes that only seal and open
    from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

    return HKDFExpand(hashes.SHA512(), length=length_bytes, info=info).derive(data_key.key_bytes)


def _context(header: bytes, place: Place) -> bytes:
    return encode_context(
        place.purpose.encode("ascii"), header, place.tenant.encode("ascii"), place.name.encode("utf-8")
    )
