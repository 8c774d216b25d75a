"""`Removal`: removes a mirrored folder, file by file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from s3memory.adapters.mirror.syncing import Sync, SyncReport
from s3memory.paths import ROOT, MemoryPath

_STAYS = "it could not be removed, so its plaintext stays on this disk. The next mirror of the folder tries again"


@dataclass(frozen=True, slots=True)
class Removal(Sync):
    """One removal."""

    def run(self) -> SyncReport:
        """Remove the folder if a mirror created it and all files are stored; see `MirroredFolder.remove`."""
        local = self._local_files()
        self._leave_unstored(local)
        if not self.report.is_complete or not self.state.is_ours:
            return self.report
        # If this is interrupted, removed files must not count as deleted, and the remaining ones must stay known.
        self.state.begin_removal(local)
        self._save_note()
        if self.report.is_complete:
            self._remove(local)
        return self.report

    def _remove(self, local: Mapping[MemoryPath, bytes]) -> None:
        self.folder.make_removable()
        kept: dict[MemoryPath, OSError] = {}
        for path, data in local.items():
            try:
                self.folder.unlink(path, data)
            except OSError as error:
                kept[path] = error
        try:
            self.folder.remove(self.state.to_note())
        except OSError as error:
            remaining = self._local_files()
            self._leave_unstored(remaining)
            for path in kept.keys() & remaining.keys():
                if not self.state.is_changed(path, remaining[path]):
                    self.report.leave(path, f"{_STAYS} ({kept[path].strerror})")
            if self.report.is_complete:
                self.report.leave(ROOT, f"the folder could not be removed: {error.strerror}")

    def _leave_unstored(self, local: Mapping[MemoryPath, bytes]) -> None:
        for path, data in local.items():
            if self.state.is_changed(path, data):
                self.report.leave(path, "it was saved after the folder was read")
