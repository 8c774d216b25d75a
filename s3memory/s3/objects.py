"""What S3 says about an object, a page of a listing, or a delete. No I/O."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from enum import Enum, auto
from typing import Any, NamedTuple, Self
from urllib.parse import quote, unquote

# The metadata names of the notes, which are hints and never trusted alone.
COPIED_FROM = "s3memory-copied-from"
FORMERLY = "s3memory-formerly"
_ACTOR = "s3memory-actor"
_MAX_ETAGS_CHARS = 768  # in each of the two lists: 17 ETags that are MD5 sums take 560
_MAX_ACTOR_SEAL_CHARS = 280


class Noted(NamedTuple):
    """Notes in an object's metadata. Anyone with write access can put anything there.

    Attributes:
        copied_from: the ETags, without quotes, that the text had at its source's key, that of the copied object first.
        formerly: the ETags, without quotes, that this text had at this key before it was stored again unchanged:
            resealed under a newer key, or touched.
        actor_seal: the sealed label of who stored it.
    """

    copied_from: tuple[str, ...] = ()
    formerly: tuple[str, ...] = ()
    actor_seal: str | None = None

    @classmethod
    def of(cls, metadata: Mapping[str, str]) -> Self:
        """Return the notes in an object's metadata."""
        # boto3 leaves the names' case as it came, and servers and proxies written in Go capitalize them.
        notes = {name.lower(): value for name, value in metadata.items()}
        return cls(_etags(notes.get(COPIED_FROM)), _etags(notes.get(FORMERLY)), notes.get(_ACTOR))

    def as_metadata(self) -> dict[str, str]:
        """Return the metadata to send, cut to fit S3's 2,048 bytes: notes that were read may be of any length."""
        seal = self.actor_seal or ""
        if not seal.isascii() or len(seal) > _MAX_ACTOR_SEAL_CHARS:
            seal = ""
        metadata = {COPIED_FROM: _listed(self.copied_from), FORMERLY: _listed(self.formerly), _ACTOR: seal}
        return {name: value for name, value in metadata.items() if value}


NOTHING_NOTED = Noted()

_MAX_FORMER_ETAGS = 16


class ObjectInfo(NamedTuple):
    """What a HEAD returns about an object.

    Attributes:
        etag: distinguishes the object from earlier and later ones at its key. It is opaque, and keeps its quotes.
        modified: when it was stored.
        version_id: the version's id; ``null`` if stored while versioning was off, `None` if the server did not say.
        noted: the notes in its metadata.
    """

    etag: str
    modified: datetime
    version_id: str | None = None
    noted: Noted = NOTHING_NOTED

    @classmethod
    def of(cls, answer: Any, *, etag: str) -> Self:
        """Return the information in a response to a GET or HEAD, whose ETag has been checked."""
        noted = Noted.of(answer.get("Metadata", {}))
        return cls(etag, answer["LastModified"], answer.get("VersionId"), noted)

    @property
    def etags(self) -> tuple[str, ...]:
        """The ETags, without quotes, that this text has had at this key, the current one first."""
        return tuple(dict.fromkeys((self.etag.strip('"'), *self.noted.formerly)))

    @property
    def noted_again(self) -> Noted:
        """The notes for storing the same text again unchanged."""
        return self.noted._replace(formerly=self.etags[:_MAX_FORMER_ETAGS])

    def is_copy_of(self, etags: Collection[str]) -> bool:
        """Whether its notes say it was copied from an object with one of these ETags. Any writer can claim that."""
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
    """One page of a listing: objects, common prefixes, and the token of the next page, if there is one."""

    objects: tuple[ListedObject, ...]
    prefixes: tuple[str, ...]
    next_token: str | None


class Deletion(Enum):
    """The result of a conditional delete."""

    DONE = auto()
    CHANGED = auto()
    """The object was edited or recreated meanwhile, and was left alone."""
    MISSING = auto()
    """There is no object."""
    UNKNOWN = auto()
    """As `CHANGED`, but an earlier attempt may have deleted the right object, and this one may be newer than that."""
    GONE = auto()
    """As `MISSING`, but an earlier attempt may have deleted it."""


def share_any(some: Iterable[str], etags: Collection[str]) -> bool:
    """Whether the two collections share an ETag. Quotes are ignored: notes have none, and some servers send none."""
    return any(etag in etags or f'"{etag}"' in etags for etag in (one.strip('"') for one in some))


def _listed(etags: tuple[str, ...]) -> str:
    """Return the first ETags, as many as fit, percent-encoded: a server's may hold commas, and what no header can."""
    listed = ""
    for etag in etags:
        longer = f"{listed},{quote(etag)}".removeprefix(",")
        if len(longer) > _MAX_ETAGS_CHARS:
            break
        listed = longer
    return listed


def _etags(value: str | None) -> tuple[str, ...]:
    return tuple(map(unquote, value.split(","))) if value else ()
