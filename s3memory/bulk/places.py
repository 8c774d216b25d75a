"""Whose an object is, by its key. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from s3memory.errors import ConfigurationError
from s3memory.paths import check_tenant

MEMORIES, INTENTS, KEY_RINGS, REDACTIONS = "memories", "intents", "keyrings", "redactions"
FOLDERS = (KEY_RINGS, INTENTS, REDACTIONS, MEMORIES)
"""In the order in which they are destroyed."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an object lies.

    Attributes:
        folder: one of `FOLDERS`.
        tenant: whose it is.
        rest: what its key has behind the tenant and a slash; empty for a key ring.
    """

    folder: str
    tenant: str
    rest: str


def place_of(prefix: str, object_key: str) -> Place | None:
    """Return where an object lies, or ``None`` if it is nobody's: no key that this package makes.

    Args:
        prefix: what all object keys of the deployment begin with.
        object_key: the object's key.
    """
    if not object_key.startswith(prefix):
        return None
    folder, _, behind = object_key.removeprefix(prefix).partition("/")
    tenant, slash, rest = behind.partition("/")
    has_rest = bool(slash and rest)
    if folder not in FOLDERS or has_rest is (folder == KEY_RINGS) or (folder == KEY_RINGS and slash):
        return None
    try:
        return Place(folder, check_tenant(tenant), rest)
    except ConfigurationError:
        return None
