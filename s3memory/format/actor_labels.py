"""Actor labels: who a program says has made a change, sealed beside the change. Off unless a program gives one.

A label is bound to the tenant, the path and the salt of the text that it is about, so it opens beside this one write
alone. All are of one length, so that a sealed one tells no more than that it is there. What a label proves, and what
not, is in ``docs/threat-model.md``; its bytes are in ``docs/format.md``.
"""

from __future__ import annotations

import base64
import binascii
import unicodedata

from s3memory.errors import ConfigurationError, IntegrityError
from s3memory.format.envelope import ACTOR_PURPOSE, DataKey, Place, open_sealed, salt_of, seal
from s3memory.paths import MemoryPath

MAX_ACTOR_BYTES = 128
"""With its seal in base64 a label takes 280 of the 2,048 bytes that S3 has for an object's metadata."""


def check_actor(actor: object) -> str:
    """Return `actor` if it is a label.

    Raises:
        ConfigurationError: it is no text, empty, longer than 128 bytes of UTF-8, or holds control or format characters.
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
    """Return a label as it stands in the metadata of the memory object that has this body."""
    padded = actor.encode("utf-8").ljust(MAX_ACTOR_BYTES, b"\0")
    return base64.b64encode(seal(padded, data_key=data_key, place=_place(tenant, path, body))).decode("ascii")


def sealed_actor(text: str) -> bytes:
    """Return the sealed bytes of a label.

    Raises:
        IntegrityError: the metadata holds something else.
    """
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise IntegrityError("An actor label does not open.") from None


def open_actor(sealed: bytes, *, data_key: DataKey, tenant: str, path: MemoryPath, body: bytes) -> str:
    """Return the label that was sealed beside this body.

    Raises:
        IntegrityError: it was not.
    """
    padded = open_sealed(sealed, data_key=data_key, place=_place(tenant, path, body))
    try:
        return padded.rstrip(b"\0").decode("utf-8")
    except UnicodeDecodeError:
        raise IntegrityError("An actor label does not open.") from None


def _place(tenant: str, path: MemoryPath, body: bytes) -> Place:
    return Place(ACTOR_PURPOSE, tenant, f"{salt_of(body).hex()}{path!s}")
