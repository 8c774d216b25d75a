"""What is in the bucket, as somebody sees it who has all keys and looks at all of it at once."""

from __future__ import annotations

from dataclasses import dataclass, field

from s3memory.paths import MemoryPath
from s3memory.s3.objects import COPIED_FROM, FORMERLY
from s3memory.store.intents import StoredIntent
from s3memory.testing.machine.model import State


@dataclass(frozen=True, slots=True)
class Version:
    """An object as it once was.

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
        """The ETags, without quotes, of the file that it says it is a copy of."""
        return frozenset(self.metadata.get(COPIED_FROM, "").split(",")) - {""}

    @property
    def etags(self) -> frozenset[str]:
        """The ETags, without quotes, that its text has had here."""
        return frozenset((self.etag.strip('"'), *self.metadata.get(FORMERLY, "").split(","))) - {""}


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything below a memory's prefix, read at once by somebody who has all keys.

    Attributes:
        versions: by path, what is stored now. The text of a file that does not open is `unreadable`.
        stray: object keys among the memory's that are no file's.
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
    """Return what stands for the text of a file that does not open: as long as a listing says that it is."""
    return "\0" * size_bytes


def is_unreadable(text: str) -> bool:
    """Whether a text stands for one that can't be read."""
    return text.startswith("\0")
