"""`MirroredState`: the last state of each file that a mirror saw, as saved in its folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Self

from s3memory.adapters.mirror.plain_folder import STATE_NAME
from s3memory.errors import ConfigurationError, InvalidInputError
from s3memory.format.envelope import DataKey, derive_id
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.keys.tenant_keys import TenantKeys
from s3memory.paths import MemoryPath
from s3memory.store.files import MemoryFile, WrittenFile

ERASED: Final = "the memory was erased after it was pulled"
ERASED_OR_RETIRED: Final = f"{ERASED}, or the key that it had then was retired"

_RING_PURPOSE = "mirrored-folder"
_SEEN = "files", "pulling", "withheld"


class SeenFile(NamedTuple):
    """A file as last pulled or pushed: its ETag, and the hash of its bytes."""

    etag: str
    sha256: str

    @classmethod
    def of(cls, file: MemoryFile | WrittenFile) -> Self:
        """Return the record of a file that was just read or written."""
        etag = file.etag if isinstance(file, WrittenFile) else file.info.etag
        return cls(etag, sha256(file.text.encode("utf-8")))

    @classmethod
    def noted(cls, etag: str, hashed: str) -> Self:
        """Return the record from a note; raise `ValueError` if no request can carry it."""
        if not (etag + hashed).isprintable():
            raise ValueError("it is not an ETag")
        return cls(etag, hashed)


class SeenRing(NamedTuple):
    """A key ring: the generation of its newest data key, and an id of that key that reveals nothing about it."""

    generation: int
    key_id: str


@dataclass(slots=True)
class MirroredState:
    """The state of a mirrored folder.

    Attributes:
        tenant: the tenant whose memory is in it.
        is_ours: whether a mirror created it.
        ring: the key ring that opened the files; `None` as long as there are none.
        files: the last seen state of each file.
        pulling: files that a pull is about to write, or a removal to remove. After an interruption, each counts as seen
            if the folder has it.
        withheld: the last seen state of files that a wiped folder lost. They count as not pulled yet.
    """

    tenant: str
    is_ours: bool = False
    ring: SeenRing | None = None
    files: dict[MemoryPath, SeenFile] = field(default_factory=dict)
    pulling: dict[MemoryPath, SeenFile] = field(default_factory=dict)
    withheld: dict[MemoryPath, SeenFile] = field(default_factory=dict)

    def load(self, note: bytes) -> None:
        """Load a folder's note, if any; raise `ConfigurationError` if it is another tenant's, or malformed."""
        try:
            state = json.loads(note or b"{}")
            if state.get("tenant", self.tenant) != self.tenant:
                raise ConfigurationError("the folder mirrors the memory of another tenant")
            self.files, self.pulling, self.withheld = (
                {MemoryPath.parse(path): SeenFile.noted(*seen) for path, seen in state.get(name, {}).items()}
                for name in _SEEN
            )
            if state.get("ring") is not None:
                generation, key_id = state["ring"]
                self.ring = SeenRing(int(generation), key_id)
            self.is_ours |= state.get("is_ours") is True
        except (ValueError, TypeError, AttributeError, OverflowError, RecursionError, InvalidInputError) as error:
            if isinstance(error, ConfigurationError):
                raise
            raise ConfigurationError(f"{STATE_NAME} in the folder is malformed: remove it to start over") from None

    def to_note(self) -> bytes:
        """Return the state as a note for the folder."""
        seen = {name: {str(path): seen for path, seen in sorted(getattr(self, name).items())} for name in _SEEN}
        return json.dumps({"tenant": self.tenant, "is_ours": self.is_ours, "ring": self.ring, **seen}).encode()

    def begin_pull(self, stored: Mapping[MemoryPath, MemoryFile]) -> None:
        """Note the stored files that were not seen yet, before any of them is written to the folder."""
        files = {path: SeenFile.of(file) for path, file in stored.items()}
        self.pulling = {path: seen for path, seen in files.items() if self.files.get(path) != seen}

    def end_pull(self, local: Mapping[MemoryPath, bytes]) -> None:
        """Count files that an interrupted pull wrote, or a removal left, as seen if the folder still has them."""
        for path, seen in self.pulling.items():
            if path in local and sha256(local[path]) == seen.sha256:
                self.files[path] = seen
        self.pulling = {}

    def begin_removal(self, paths: Iterable[MemoryPath]) -> None:
        """Count files as seen only if the folder still has them: the user did not delete the others."""
        self.pulling = {path: self.files.pop(path) for path in paths}

    def withhold(self, paths: Iterable[MemoryPath]) -> None:
        """Count files as not pulled yet, so that the next pull brings them back, and no push deletes them."""
        self.withheld |= {path: self.files.pop(path) for path in paths}

    def release(self, paths: Iterable[MemoryPath]) -> None:
        """Count withheld files as pulled again."""
        self.files |= {path: self.withheld.pop(path) for path in [*paths]}

    def is_as_seen(self, path: MemoryPath, file: MemoryFile | None) -> bool:
        """Whether a stored file has the text that was seen last, perhaps with another ETag, as after a reseal."""
        return file is not None and not self.is_changed(path, file.text.encode("utf-8"))

    def is_changed(self, path: MemoryPath, data: bytes) -> bool:
        """Whether a file's bytes differ from those that were seen last, or none were seen."""
        seen = self.files.get(path)
        return seen is None or sha256(data) != seen.sha256

    def remember_ring(self, ring: OpenKeyRing) -> None:
        """Note the tenant's key ring."""
        self.ring = SeenRing(ring.newest.generation, self._id_of(ring.newest))

    def why_ring_is_gone(self, keys: TenantKeys) -> str | None:
        """Check whether the tenant still has the noted key ring. If so, note its newest generation.

        The ring is recognized by the generation that was its newest then, which may be retired by now.

        Returns:
            `ERASED`; `ERASED_OR_RETIRED` if it may be either; `None` if the tenant still has the ring.

        Raises:
            As `TenantKeys.existing`.
        """
        if self.ring is None:
            return None
        ring = keys.existing()
        if ring is not None and ring.newest.generation < self.ring.generation:
            ring = keys.refreshed()  # another process has rotated it
        if ring is None or ring.newest.generation < self.ring.generation:
            return ERASED
        key = ring.data_key(self.ring.generation)
        if key is None:
            return ERASED_OR_RETIRED
        if self._id_of(key) != self.ring.key_id:
            return ERASED
        self.remember_ring(ring)
        return None

    def remember(self, path: MemoryPath, file: MemoryFile | WrittenFile | None) -> None:
        """Note the state of a file in both folder and store; ``None`` if it is in neither."""
        self.withheld.pop(path, None)
        if file is None:
            self.files.pop(path, None)
        else:
            self.files[path] = SeenFile.of(file)

    def _id_of(self, key: DataKey) -> str:
        return derive_id(key, _RING_PURPOSE, self.tenant)


def sha256(data: bytes) -> str:
    """Return the hash that is used to compare the bytes of files."""
    return hashlib.sha256(data).hexdigest()
