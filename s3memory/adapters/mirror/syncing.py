"""`Sync`: what a pull, a push and a removal of a mirrored folder share, and `SyncReport`: what one did."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

from s3memory.adapters.mirror.plain_folder import STATE_NAME, PlainFolder
from s3memory.adapters.mirror.state import MirroredState, sha256
from s3memory.errors import IntegrityError
from s3memory.paths import ROOT, MemoryPath
from s3memory.store.files import MemoryFile
from s3memory.store.memory_store import MemoryStore

_HASH_CHARS = 8
_MAX_NAME_BYTES = 255  # of most file systems
_EMPTY = sha256(b"")


@dataclass(slots=True)
class SyncReport:
    """What a pull or a push did.

    Attributes:
        pulled: files that were written to the folder, or removed there.
        stored: files that were made or changed in the store.
        deleted: files that were deleted in the store.
        redacted: files of which something was redacted; the folder has the redacted text.
        conflicts: files that both sides changed, each with where the folder's version is now.
        left: what is not stored, not in the folder, or could not be removed with it, each with the reason.
        unfit: the paths of `left` that are about the folder alone, which the next push looks at again.
        unstored: files that a pull found changed in the folder alone, new ones too: the next push stores them.
    """

    pulled: list[str] = field(default_factory=list)
    stored: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    redacted: list[str] = field(default_factory=list)
    conflicts: list[tuple[str, str]] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)
    unfit: set[str] = field(default_factory=set)
    unstored: list[str] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether folder and store are the same now."""
        return not self.left

    def leave(self, path: object, reason: str) -> None:
        """Note what is left, and why."""
        self.left.append((str(path), reason))


@dataclass(frozen=True, slots=True)
class Sync:
    """A pull, a push or a removal: what is in the folder, and what is noted about it.

    Attributes:
        only_here: the hashes of texts that the folder has, and the store not, unless by an older name.
    """

    store: MemoryStore
    folder: PlainFolder
    state: MirroredState
    push_wiped: bool = False
    report: SyncReport = field(default_factory=SyncReport)
    only_here: set[str] = field(default_factory=set)

    def _note(self) -> None:
        """Note what was seen. Without the note, the next run would take unchanged files for changed ones."""
        try:
            self.folder.note = self.state.to_note()
        except OSError as error:
            self.report.leave(f"{ROOT}/{STATE_NAME}", f"what was done could not be noted: {error.strerror}")

    def _local_files(self) -> dict[MemoryPath, bytes]:
        """Return what is in the folder. What could not be read is left, and what a wiped folder lost is withheld."""

        def left(path: str, reason: str, data: bytes | None) -> None:
            if path not in self.report.unfit:
                self.report.leave(path, reason)
                self.report.unfit.add(path)
            if data is not None:
                self.only_here.add(sha256(data))

        local = self.folder.files(left)
        self.state.end_pull(local)
        self.state.release(self.state.withheld if self.push_wiped else self.state.withheld.keys() & local.keys())
        missing = self._missing(local)
        if missing and not self.push_wiped:
            seen = {path: file.sha256 for path, file in self.state.files.items()}
            if has_lost(seen, {path: sha256(data) for path, data in local.items()}):
                self.state.withhold(missing)
        return local

    def _missing(self, local: Mapping[MemoryPath, bytes]) -> list[MemoryPath]:
        """Return what was seen and is not in the folder any more, not even as what can't be read."""
        return [path for path in self.state.files.keys() - local.keys() if not self._is_left(path)]

    def _is_left(self, path: MemoryPath) -> bool:
        """Whether something of a file may still be in the folder, as something else or where it can't be read."""
        # In NFC, as memory paths are: a file system may have decomposed the name.
        left = (unicodedata.normalize("NFC", one) for one, _ in self.report.left)
        return not {ROOT, str(path), *map(str, path.ancestors())}.isdisjoint(left)

    def _has_stored(self, path: MemoryPath, data: bytes, stored: MemoryFile) -> bool:
        """Whether a push that was interrupted had stored this, redacted, and only the folder has it as it was."""
        return self.store.texts.redact(data.decode("utf-8"), path).text == stored.text

    def _take(self, path: MemoryPath, stored: MemoryFile | None, *, over: bytes | None) -> None:
        """Have the folder hold what is stored, in place of what it held when it was read."""
        if stored is not None:
            self.folder.write(path, stored.text.encode("utf-8"), over=over)
        elif over is not None:
            self.folder.unlink(path, over)
        self.report.pulled.append(str(path))
        self.state.remember(path, stored)

    def _move_aside(self, path: MemoryPath, data: bytes) -> MemoryPath:
        """Give the folder's version of a file a name of its own beside it."""
        stem, dot, suffix = path.name.rpartition(".")
        stem, suffix = (stem, dot + suffix) if stem else (path.name, "")
        tag = f".conflict-{sha256(data)[:_HASH_CHARS]}"
        name = f"{stem}{tag}{suffix}"
        if len(name.encode("utf-8")) > _MAX_NAME_BYTES:
            name = path.name.encode("utf-8")[: _MAX_NAME_BYTES - len(tag)].decode("utf-8", "ignore") + tag
        self.folder.rename(path, name, data)
        beside = MemoryPath((*path.segments[:-1], name))
        self.report.conflicts.append((str(path), str(beside)))
        return beside


def has_lost(seen: Mapping[MemoryPath, str], hashes: Mapping[MemoryPath, str]) -> bool:
    """Whether a folder has nothing left of what was seen in it, by hashes. A text with another name was not lost."""
    # An empty file is not a text, since any marker has the same bytes. It counts only if there was nothing else.
    texts = {path: hashed for path, hashed in seen.items() if hashed != _EMPTY} or seen
    kept = {path: hashed for path, hashed in hashes.items() if hashed != _EMPTY or texts is seen}
    return texts.keys().isdisjoint(kept) and set(texts.values()).isdisjoint(kept.values())


def read_file(store: MemoryStore, path: MemoryPath) -> tuple[MemoryPath, MemoryFile | IntegrityError | None]:
    """Return what is stored at a path, or the error if it does not open."""
    try:
        return path, store.read(path)
    except IntegrityError as error:
        return path, error
