"""`Sync`: the shared part of a pull, a push and a removal of a mirrored folder, and `SyncReport`: the result of one."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_hex

from s3memory.adapters.mirror.plain_folder import STATE_NAME, PlainFolder
from s3memory.adapters.mirror.state import MirroredState, sha256
from s3memory.errors import IntegrityError
from s3memory.paths import ROOT, MemoryPath
from s3memory.store.files import MemoryFile
from s3memory.store.memory_store import MemoryStore

_MAX_NAME_BYTES = 255  # of most file systems
_EMPTY = sha256(b"")


@dataclass(slots=True)
class SyncReport:
    """The result of a pull, a push or a removal.

    Attributes:
        pulled: files that were written to the folder, or removed there.
        stored: files that were created or changed in the store.
        deleted: files that were deleted in the store.
        redacted: files that were redacted; the folder has the redacted text.
        conflicts: files that both sides changed, each with the new path of the folder's version.
        left: files that were not stored, not pulled, or not removed, each with the reason.
        unfit: the paths of `left` whose problem is in the folder alone, which the next push checks again.
        unstored: files that a pull found new or changed in the folder alone: the next push stores them.
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
        """Whether no file was left."""
        return not self.left

    def leave(self, path: object, reason: str) -> None:
        """Report a file that is left, and why."""
        self.left.append((str(path), reason))


@dataclass(frozen=True, slots=True)
class Sync:
    """A pull, a push or a removal.

    Attributes:
        only_in_folder: the hashes of texts that the store lacks, or has only under an old name.
    """

    store: MemoryStore
    folder: PlainFolder
    state: MirroredState
    push_wiped: bool = False
    report: SyncReport = field(default_factory=SyncReport)
    only_in_folder: set[str] = field(default_factory=set)

    def _save_note(self) -> None:
        """Save the state in the folder. Without it, the next run would take unchanged files for changed ones."""
        try:
            self.folder.note = self.state.to_note()
        except OSError as error:
            self.report.leave(f"{ROOT}/{STATE_NAME}", f"the mirror's state could not be saved: {error.strerror}")

    def _local_files(self) -> dict[MemoryPath, bytes]:
        """Return the files of the folder. Report unreadable entries as left, and withhold what a wiped folder lost."""

        def left(path: str, reason: str, data: bytes | None) -> None:
            if path not in self.report.unfit:
                self.report.leave(path, reason)
                self.report.unfit.add(path)
            if data is not None:
                self.only_in_folder.add(sha256(data))

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
        """Return files that were seen and are not in the folder any more, not even as unreadable entries."""
        return [path for path in self.state.files.keys() - local.keys() if not self._is_left(path)]

    def _is_left(self, path: MemoryPath) -> bool:
        """Whether a file may still be in the folder, as an entry of another kind or in an unreadable place."""
        # In NFC, like memory paths: a file system may have decomposed the name.
        left = (unicodedata.normalize("NFC", one) for one, _ in self.report.left)
        return not {ROOT, str(path), *map(str, path.ancestors())}.isdisjoint(left)

    def _has_stored(self, path: MemoryPath, data: bytes, stored: MemoryFile) -> bool:
        """Whether the stored text is this one after redaction, as when a push was interrupted after storing it."""
        return self.store.texts.redact(data.decode("utf-8"), path).text == stored.text

    def _update_folder(self, path: MemoryPath, stored: MemoryFile | None, *, over: bytes | None) -> None:
        """Write the stored file to the folder, or remove it there, in place of the bytes that were read."""
        if stored is not None:
            self.folder.write(path, stored.text.encode("utf-8"), over=over)
        elif over is not None:
            self.folder.unlink(path, over)
        self.report.pulled.append(str(path))
        self.state.remember(path, stored)

    def _move_aside(self, path: MemoryPath, data: bytes) -> MemoryPath:
        """Rename the folder's version of a file, within its directory. Return its new path."""
        stem, dot, suffix = path.name.rpartition(".")
        stem, suffix = (stem, dot + suffix) if stem else (path.name, "")
        tag = f".conflict-{token_hex(4)}"  # random: a hash of what the redactor will remove could be tested for guesses
        name = f"{stem}{tag}{suffix}"
        if len(name.encode("utf-8")) > _MAX_NAME_BYTES:
            name = path.name.encode("utf-8")[: _MAX_NAME_BYTES - len(tag)].decode("utf-8", "ignore") + tag
        self.folder.rename(path, name, data)
        conflict_path = MemoryPath((*path.segments[:-1], name))
        self.report.conflicts.append((str(path), str(conflict_path)))
        return conflict_path


def has_lost(seen: Mapping[MemoryPath, str], hashes: Mapping[MemoryPath, str]) -> bool:
    """Whether a folder has lost all files that were seen in it. A text under another name, by its hash, is not lost."""
    # An empty file is not a text, since any marker file has the same bytes. It counts only if there was nothing else.
    texts = {path: hashed for path, hashed in seen.items() if hashed != _EMPTY} or seen
    kept = {path: hashed for path, hashed in hashes.items() if hashed != _EMPTY or texts is seen}
    return texts.keys().isdisjoint(kept) and set(texts.values()).isdisjoint(kept.values())


def read_file(store: MemoryStore, path: MemoryPath) -> tuple[MemoryPath, MemoryFile | IntegrityError | None]:
    """Return a path and the file stored there, or the error if it does not open."""
    try:
        return path, store.read(path)
    except IntegrityError as error:
        return path, error
