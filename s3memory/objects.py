"""What S3 tells of objects: one of them, one page of a listing, and what became of a delete. No I/O."""

from __future__ import annotations

from datetime import datetime
from enum import Enum, auto
from typing import NamedTuple


class ObjectInfo(NamedTuple):
    """What a HEAD tells of an object. The ETag is opaque and keeps its quotes.

    Attributes:
        etag: tells the object from what was and will be at its key.
        modified: when it was stored.
        version_id: which version of the object this is; ``null`` where the bucket kept none then, and `None` where the
            server did not say.
        copied_from: the ETag of what it was copied from, if it says so.
        actor_seal: who stored it, sealed, if that was noted.
    """

    etag: str
    modified: datetime
    version_id: str | None = None
    copied_from: str | None = None
    actor_seal: str | None = None

    def is_copy_of(self, source: ObjectInfo) -> bool:
        """Whether the object says that it was copied from `source`. Anybody who may write could say so."""
        return self.copied_from is not None and self.copied_from == source.etag.strip('"')


class StoredObject(NamedTuple):
    """An object and its bytes."""

    body: bytes
    info: ObjectInfo


class ListedObject(NamedTuple):
    """One object of a listing."""

    object_key: str
    size_bytes: int
    etag: str
    modified: datetime


class ListPage(NamedTuple):
    """One page of a listing: objects, common prefixes, and where the next page begins, if there is one."""

    objects: tuple[ListedObject, ...]
    prefixes: tuple[str, ...]
    next_token: str | None


class Deletion(Enum):
    """What became of a conditional delete."""

    DONE = auto()
    CHANGED = auto()
    """The object is another than the one that was to be deleted, edited or made anew; it was left alone."""
    MISSING = auto()
