"""`Pull`: updates a mirrored folder from the store, file by file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice

from s3memory._parallel import stream
from s3memory.adapters.mirror.plain_folder import STATE_NAME
from s3memory.adapters.mirror.state import ERASED_OR_RETIRED, sha256
from s3memory.adapters.mirror.syncing import Sync, SyncReport, has_lost, read_file
from s3memory.errors import ConfigurationError, RefusedError
from s3memory.paths import ROOT, MemoryPath
from s3memory.store.files import MemoryFile


@dataclass(frozen=True, slots=True)
class Pull(Sync):
    """One pull."""

    def run(self) -> SyncReport:
        """Update the folder from the store, and save the new state in it; see `MirroredFolder.pull`."""
        stored, unreadable = self._stored_files()
        for path in sorted(unreadable):
            self.report.leave(path, "it does not open; this needs an operator")
        local = self._local_files()
        seen = self.state.files | self.state.withheld
        self.report.unfit -= set(map(str, unreadable))
        if (
            seen.keys() & local.keys()
            and seen.keys().isdisjoint({*stored, *unreadable})
            and has_lost(
                {path: one.sha256 for path, one in seen.items()},
                {path: sha256(file.text.encode("utf-8")) for path, file in stored.items()},
            )
        ):
            # The settings may now name another bucket, or a new server: the folder may have the only copies.
            raise ConfigurationError(
                "the store has none of the files that the folder mirrors. "
                f"Remove the folder, or only {STATE_NAME} in it to store them again"
            )
        self._note_ring(stored, local)
        self.state.begin_pull(stored)
        if self.state.pulling:
            with suppress(OSError):  # a full disk is reported when the last note can't be written either
                self.folder.note = self.state.to_note()
        for path in _sorted({*stored, *seen, *local} - unreadable, stored):
            if path not in local and self._is_left(path):
                if path in stored:  # it was not pulled, so the problem is not about the folder alone
                    self.report.unfit -= {ROOT, str(path), *map(str, path.ancestors())}
                continue  # an entry that must not be overwritten is there
            try:
                self._pull_file(path, stored.get(path), local.get(path))
            except OSError as error:
                self.report.leave(path, f"it was not changed in the folder: {error.strerror}")
        self.state.pulling = {}
        self._save_note()
        return self.report

    def _note_ring(self, stored: Mapping[MemoryPath, MemoryFile], local: Mapping[MemoryPath, bytes]) -> None:
        """Note the key ring of the stored files; refuse if the folder has files from a previous key ring."""
        reason = self.state.why_ring_is_gone(self.store.key_ring)
        if reason is not None:
            if local:
                advice = f"Remove the folder, or only {STATE_NAME} in it to store them again"
                if reason == ERASED_OR_RETIRED:  # the folder may have the only copies
                    advice = f"Remove only {STATE_NAME} in it to store them again; if it was erased, remove the folder"
                raise ConfigurationError(f"{reason}, and the folder has files from before. {advice}")
            self.state.ring = None
        if self.state.ring is None:
            for file in islice(stored.values(), 1):
                self.state.remember_ring(file.ring)

    def _stored_files(self) -> tuple[dict[MemoryPath, MemoryFile], set[MemoryPath]]:
        """Return the stored files, and the paths of those that do not open."""
        files, unreadable = {}, set()
        listed = (file.path for page in self.store.files.pages_below(MemoryPath()) for file in page.files)
        for path, file in stream(partial(read_file, self.store), listed):
            if isinstance(file, MemoryFile):
                files[path] = file
            elif file is not None:
                unreadable.add(path)
        return files, unreadable

    def _pull_file(self, path: MemoryPath, stored: MemoryFile | None, local: bytes | None) -> None:
        is_as_seen = self.state.is_as_seen(path, stored)
        if is_as_seen:
            self.state.remember(path, stored)
        if local is None and is_as_seen:
            return  # deleted in the folder since, and not pushed yet
        if local == (None if stored is None else stored.text.encode("utf-8")):
            self.state.remember(path, stored)
            return
        if local is not None and self.state.is_changed(path, local):
            if stored is None or is_as_seen:  # changed only in the folder
                self.report.unstored.append(str(path))
                return
            try:
                is_stored = self._has_stored(path, local, stored)
            except (RefusedError, UnicodeDecodeError):
                is_stored = False
            if not is_stored:
                self._move_aside(path, local)
                local = None
        self._update_folder(path, stored, over=local)


def _sorted(paths: Iterable[MemoryPath], files: Iterable[MemoryPath]) -> list[MemoryPath]:
    """Return paths in order, but first those below one of `files`, which must be removed before it can be created."""
    created = frozenset(files)
    return sorted(paths, key=lambda path: (created.isdisjoint(path.ancestors()), path))
