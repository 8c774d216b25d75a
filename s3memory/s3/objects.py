"""What S3 says about objects: about one, a page of a listing, or a delete. No I/O."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from enum import Enum, auto
from typing import Any, NamedTuple, Self
from urllib.parse import quote, unquote

# The names of what is noted beside an object. Hints, that are never trusted alone.
COPIED_FROM = "s3memory-copied-from"
FORMERLY = "s3memory-formerly"
_ACTOR = "s3memory-actor"
_MAX_ETAGS_CHARS = 768  # of one of the two lists: 17 ETags that are MD5 sums take 560
_MAX_ACTOR_SEAL_CHARS = 280


class Noted(NamedTuple):
    """Notes beside an object, in its metadata. Anyone who may write can note anything.

    Attributes:
        copied_from: the ETags, without quotes, that the text had where it was copied from, the copied one first.
        formerly: the ETags, without quotes, that the text had here before it was stored again unchanged: sealed under
            a newer key, or touched.
        actor_seal: who stored it, sealed.
    """

    copied_from: tuple[str, ...] = ()
    formerly: tuple[str, ...] = ()
    actor_seal: str | None = None

    @classmethod
    def of(cls, metadata: Mapping[str, str]) -> Self:
        """Return what an object's metadata says."""
        # boto3 has the names as they came, and servers and proxies that are written in Go capitalize them.
        told = {name.lower(): value for name, value in metadata.items()}
        return cls(_etags(told.get(COPIED_FROM)), _etags(told.get(FORMERLY)), told.get(_ACTOR))

    def as_metadata(self) -> dict[str, str]:
        """Return it as it is sent. S3 takes 2,048 bytes, and what was read may be anybody's: it has to fit."""
        seal = self.actor_seal or ""
        if not seal.isascii() or len(seal) > _MAX_ACTOR_SEAL_CHARS:
            seal = ""
        metadata = {COPIED_FROM: _listed(self.copied_from), FORMERLY: _listed(self.formerly), _ACTOR: seal}
        return {name: value for name, value in metadata.items() if value}


NOTHING_NOTED = Noted()

_MAX_FORMER_ETAGS = 16


class ObjectInfo(NamedTuple):
    """What a HEAD tells of an object. The ETag is opaque and keeps its quotes.

    Attributes:
        etag: tells the object from what was and will be at its key.
        modified: when it was stored.
        version_id: which version of the object this is; ``null`` where the bucket kept none then, and `None` where the
            server did not say.
    """

    etag: str
    modified: datetime
    version_id: str | None = None
    noted: Noted = NOTHING_NOTED

    @classmethod
    def of(cls, answer: Any, *, etag: str) -> Self:
        """Return what an answer to a GET or HEAD with this ETag tells."""
        noted = Noted.of(answer.get("Metadata", {}))
        return cls(etag, answer["LastModified"], answer.get("VersionId"), noted)

    @property
    def etags(self) -> tuple[str, ...]:
        """The ETags, without quotes, that this text has had here, the present one first."""
        return tuple(dict.fromkeys((self.etag.strip('"'), *self.noted.formerly)))

    @property
    def noted_again(self) -> Noted:
        """What is to be noted beside the same text when it is stored again as it is."""
        return self.noted._replace(formerly=self.etags[:_MAX_FORMER_ETAGS])

    def is_copy_of(self, etags: Collection[str]) -> bool:
        """Whether it says that it was copied from what had one of these ETags. Anybody who may write could say so."""
        return share_any(self.noted.copied_from, etags)


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
    """It is another object by now, edited or recreated, and was left alone."""
    MISSING = auto()
    """There is none."""
    UNKNOWN = auto()
    """As `CHANGED`, but an earlier try may have deleted the right one, and this one may have been made since."""
    GONE = auto()
    """As `MISSING`, but an earlier try may have deleted it."""


def share_any(some: Iterable[str], etags: Collection[str]) -> bool:
    """Whether any of some ETags is among others. Quotes make no difference: a note has none, a server may have none."""
    return any(etag in etags or f'"{etag}"' in etags for etag in (one.strip('"') for one in some))


def _listed(etags: tuple[str, ...]) -> str:
    """Return ETags, as many of the first as there is room for. A server's may hold commas, and what no header can."""
    listed = ""
    for etag in etags:
        longer = f"{listed},{quote(etag)}".removeprefix(",")
        if len(longer) > _MAX_ETAGS_CHARS:
            break
        listed = longer
    return listed


def _etags(value: str | None) -> tuple[str, ...]:
    return tuple(map(unquote, value.split(","))) if value else ()
