"""Actor labels: who made a change, according to the program, sealed with the change. Off unless a program sets one.

A label is bound to the tenant, the path and the salt of its text, so it opens only together with that one write. All
labels are padded to the same length, so that a sealed one reveals only that it exists. ``docs/threat-model.md`` says
what a label proves and what it does not; ``docs/format.md`` specifies its bytes.
"""

from __future__ import annotations

import base64
import binascii
import unicodedata

from s3memory.errors import ConfigurationError, IntegrityError
from s3memory.format.envelope import ACTOR_PURPOSE, DataKey, Place, open_sealed, salt_of, seal
from s3memory.paths import MemoryPath

MAX_ACTOR_BYTES = 128
"""A sealed label in base64 takes 280 of the 2,048 bytes that S3 allows for an object's metadata."""


def check_actor(actor: object) -> str:
    """Return `actor` if it is a valid label.

    Raises:
        ConfigurationError: it is not text, blank, longer than 128 bytes of UTF-8, or has control or format characters.
    """
    is_label = (
        isinstance(actor, str)
        and bool(actor.strip())
        and not any(unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for char in actor)
        and len(actor.encode("utf-8")) <= MAX_ACTOR_BYTES
    )
    if not isinstance(actor, str) or not is_label:
        raise ConfigurationError(
            f"actor must be a text of at most {MAX_ACTOR_BYTES} bytes, without control characters, and not empty"
        )
    return actor


def seal_actor(actor: str, *, data_key: DataKey, tenant: str, path: MemoryPath, body: bytes) -> str:
    """Return the sealed label in base64, for the metadata of the memory object that has this body."""
    padded = actor.encode("utf-8").ljust(MAX_ACTOR_BYTES, b"\0")
    return base64.b64encode(seal(padded, data_key=data_key, place=_place(tenant, path, body))).decode("ascii")


def sealed_actor(text: str) -> bytes:
    """Return the sealed bytes of a label from the metadata.

    Raises:
        IntegrityError: the metadata holds something else.
    """
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise IntegrityError("An actor label does not open.") from None


def open_actor(sealed: bytes, *, data_key: DataKey, tenant: str, path: MemoryPath, body: bytes) -> str:
    """Return the label that was sealed with this body.

    Raises:
        IntegrityError: it was not sealed with this body, or was altered.
    """
    padded = open_sealed(sealed, data_key=data_key, place=_place(tenant, path, body))
    try:
        return padded.rstrip(b"\0").decode("utf-8")
    except UnicodeDecodeError:
        raise IntegrityError("An actor label does not open.") from None


def _place(tenant: str, path: MemoryPath, body: bytes) -> Place:
    return Place(ACTOR_PURPOSE, tenant, f"{salt_of(body).hex()}{path!s}")
