"""`Push`: stores the changes in a mirrored folder, file by file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from s3memory.adapters.mirror.state import sha256
from s3memory.adapters.mirror.syncing import Sync, SyncReport, read_file
from s3memory.contract import messages
from s3memory.errors import AlreadyExistsError, ConflictError, IntegrityError, RefusedError, S3MemoryError
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.paths import MemoryPath
from s3memory.s3.objects import Deletion
from s3memory.store.files import MemoryFile


@dataclass(frozen=True, slots=True)
class Push(Sync):
    """One push.

    Attributes:
        moved: stored files that the folder has under another name, by their hashes, until they are stored by that name.
        superseded: old paths of moved files that are now stored under the new name: they are to be deleted.
    """

    moved: dict[str, list[MemoryPath]] = field(default_factory=dict)
    superseded: set[MemoryPath] = field(default_factory=set)

    def run(self) -> SyncReport:
        """Store the changes in the folder, and save the new state in it; see `MirroredFolder.push`."""
        report, local = self.report, self._local_files()
        missing = self._missing(local)
        changed = [path for path, data in local.items() if self.state.is_changed(path, data)]
        for path in self.state.withheld:
            report.leave(
                path,
                "the folder lost every text, so it was not deleted in the store: the next pull brings it back. "
                "To delete it, run with --push-wiped",
            )
        outage: str | None = None
        ring: OpenKeyRing | None = None
        is_ring_fresh = self.state.ring is None
        try:
            for path in self._in_order(changed, missing, local):
                data, n_left = local.get(path), len(report.left)
                if outage is not None:  # the other files would fail, too
                    report.leave(path, "it was not tried, since the store failed before")
                    continue
                try:
                    if not is_ring_fresh:  # the memory may have been erased since its ring was cached
                        ring, is_ring_fresh = self.store.key_ring.refreshed(), True
                    self._push_file(path, data)
                    if ring is None and report.stored:
                        ring = self.store.key_ring.existing()
                except S3MemoryError as error:
                    outage = str(error)
                    report.leave(path, outage)
                except OSError as error:
                    report.leave(path, f"it was not changed in the folder: {error.strerror}")
                if data is not None and len(report.left) > n_left:
                    self.only_in_folder.add(sha256(data))
            if report.stored and ring is not None:
                self._leave_if_erased(since=ring)
        finally:
            self._save_note()
        return report

    def _leave_if_erased(self, *, since: OpenKeyRing) -> None:
        """Count no file as stored if the memory was erased meanwhile: nobody can open what was stored since."""
        try:
            self.store.key_ring.ensure_not_erased(since=since)
        except S3MemoryError as error:
            for path in map(MemoryPath.parse, self.report.stored):
                self.state.files.pop(path, None)
                self.report.leave(path, str(error))
            self.report.stored.clear()

    def _in_order(
        self, changed: Collection[MemoryPath], missing: Iterable[MemoryPath], local: Mapping[MemoryPath, bytes]
    ) -> list[MemoryPath]:
        """Return paths in the order of a push: deletes come first, to make room for new files.

        A moved file is stored before it is deleted under its old name, unless the old path is an obstacle, which it is
        above or below a file that is to be stored.
        """
        made, above = frozenset(changed), {directory for path in changed for directory in path.ancestors()}
        hashes = {sha256(local[path]) for path in changed}
        moved = {
            path
            for path in missing
            if self.state.files[path].sha256 in hashes and path not in above and made.isdisjoint(path.ancestors())
        }
        for path in sorted(moved, reverse=True):
            self.moved.setdefault(self.state.files[path].sha256, []).append(path)
        return [*sorted(path for path in missing if path not in moved), *sorted(changed), *sorted(moved)]

    def _push_file(self, path: MemoryPath, data: bytes | None) -> None:
        # Under whatever name, a file in the folder may contain texts that an erasure has destroyed.
        reason = self.state.why_ring_is_gone(self.store.key_ring)
        if reason is not None:
            self.report.leave(path, f"{reason}, so none of it is stored again")
            return
        if data is None and self.state.files[path].sha256 in self.only_in_folder and path not in self.superseded:
            self.report.leave(
                path, "it was not deleted in the store, because it could not be stored under its new name"
            )
            return
        try:
            for _ in self.store.retry.attempts():
                if self._delete(path) if data is None else self._store(path, data):
                    return
                _, stored = read_file(self.store, path)
                if isinstance(stored, IntegrityError):
                    self.report.leave(path, str(stored))
                    return
                if not self.state.is_as_seen(path, stored):
                    self._store_wins(path, data, stored)
                    return
                self.state.remember(path, stored)
            raise messages.changed_during_every_attempt(path)
        except UnicodeDecodeError:
            self.report.leave(path, "it is not UTF-8 text")
        except (ConflictError, RefusedError) as error:
            self.report.leave(path, str(error))

    def _delete(self, path: MemoryPath) -> bool:
        """Delete a file in the store. Return false if somebody else has changed it, which keeps it."""
        if self.store.delete(path, etag=self.state.files[path].etag) is Deletion.CHANGED:
            return False
        self.state.remember(path, None)
        self.report.deleted.append(str(path))
        return True

    def _store(self, path: MemoryPath, data: bytes) -> bool:
        """Store the folder's file over the version that was seen last. Return false if another version is stored."""
        seen, text, written = self.state.files.get(path), data.decode("utf-8"), None
        if seen is None:
            source = self._moved_from(data)
            try:
                ring = None if self.state.ring is None else self.store.key_ring.existing()
                written = self.store.create(path, text, read_with=ring, in_place_of=source)
            except AlreadyExistsError as error:
                if error.at != str(path):
                    raise
            if written is not None and source is not None:
                self.moved[sha256(data)].remove(source.path)
                self.superseded.add(source.path)
        elif (ring := self.store.key_ring.existing()) is not None:
            written = self.store.replace(path, text, etag=seen.etag, read_with=ring)
        if written is None:
            return False
        if self.state.ring is None and (ring := self.store.key_ring.existing()) is not None:
            self.state.remember_ring(ring)
        self.report.stored.append(str(path))
        self.state.remember(path, written)
        redacted = written.text.encode("utf-8")
        if redacted != data:
            self.folder.write(path, redacted, over=data)
            self.report.redacted.append(str(path))
        return True

    def _moved_from(self, data: bytes) -> MemoryFile | None:
        """Return an unchanged stored file with this content, which the folder now has under another name."""
        for path in self.moved.get(sha256(data), ()):
            _, stored = read_file(self.store, path)
            if isinstance(stored, MemoryFile) and self.state.is_as_seen(path, stored):
                return stored
        return None

    def _store_wins(self, path: MemoryPath, data: bytes | None, stored: MemoryFile | None) -> None:
        """Replace the folder's file by the stored one. The folder's version is renamed, and stored under that name."""
        conflict_path = None
        if data is not None:
            if stored is None and self.store.files.has_directory(path):
                self.report.leave(path, "it is a directory in the store")
                return
            if stored is not None and self._has_stored(path, data, stored):
                self._update_folder(path, stored, over=data)
                return
            conflict_path = self._move_aside(path, data)
        if stored is None:
            self.state.remember(path, None)
        else:
            self._update_folder(path, stored, over=None)
        if conflict_path is not None:
            self._push_file(conflict_path, data)
