"""The bucket as a reader with all keys sees it, all of it at once."""

from __future__ import annotations

from dataclasses import dataclass, field

from s3memory.paths import MemoryPath
from s3memory.s3.objects import COPIED_FROM, FORMERLY
from s3memory.store.intents import StoredIntent
from s3memory.testing.machine.model import State


@dataclass(frozen=True, slots=True)
class Version:
    """A version of an object.

    Attributes:
        path: the file's path.
        text: the file's text.
        body: the object's bytes.
        metadata: its user metadata.
        etag: its ETag.
    """

    path: MemoryPath
    text: str
    body: bytes = field(repr=False)
    metadata: dict[str, str]
    etag: str

    @property
    def copied_from(self) -> frozenset[str]:
        """The ETags, without quotes, of the file that this object claims to be a copy of."""
        return frozenset(self.metadata.get(COPIED_FROM, "").split(",")) - {""}

    @property
    def etags(self) -> frozenset[str]:
        """The ETags, without quotes, that this text has had at this path."""
        return frozenset((self.etag.strip('"'), *self.metadata.get(FORMERLY, "").split(","))) - {""}


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything below a memory's prefix, read at once with all keys.

    Attributes:
        versions: by path, what is stored now. The text of a file that does not decrypt is `unreadable`.
        stray: object keys in the memory that belong to no file.
        pending: intents.
    """

    versions: dict[MemoryPath, Version] = field(default_factory=dict)
    stray: frozenset[str] = frozenset()
    pending: tuple[StoredIntent, ...] = ()

    @property
    def files(self) -> State:
        """Texts by path."""
        return {path: version.text for path, version in self.versions.items()}


def unreadable(size_bytes: int) -> str:
    """Return the stand-in for the text of a file that does not decrypt: as long as its listed size."""
    return "\0" * size_bytes


def is_unreadable(text: str) -> bool:
    """Whether a text is a stand-in for an unreadable one."""
    return text.startswith("\0")
