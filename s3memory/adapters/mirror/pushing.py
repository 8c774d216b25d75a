"""`Push`: stores what was changed in a mirrored folder, file by file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from s3memory.adapters.mirror.state import sha256
from s3memory.adapters.mirror.syncing import Sync, SyncReport, read_file
from s3memory.contract import messages
from s3memory.errors import AlreadyExistsError, ConflictError, IntegrityError, RefusedError, S3MemoryError
from s3memory.paths import MemoryPath
from s3memory.s3.objects import Deletion
from s3memory.store.files import MemoryFile


@dataclass(frozen=True, slots=True)
class Push(Sync):
    """One push.

    Attributes:
        moved: files of the store that the folder has under another name, by their hashes, until they are stored there.
        left_behind: those that are stored there, and are to be deleted under the older name.
    """

    moved: dict[str, list[MemoryPath]] = field(default_factory=dict)
    left_behind: set[MemoryPath] = field(default_factory=set)

    def run(self) -> SyncReport:
        """Store what was changed in the folder, and note it there; see `MirroredFolder.push`."""
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
        is_ring_fresh = self.state.ring is None
        try:
            for path in self._in_order(changed, missing, local):
                data, n_left = local.get(path), len(report.left)
                if outage is not None:  # the others would meet the same
                    report.leave(path, "it was not tried, since the store failed before")
                    continue
                try:
                    if not is_ring_fresh:  # the cached one's memory may have been erased while a command ran
                        self.store.key_ring.refreshed()
                        is_ring_fresh = True
                    self._push_file(path, data)
                except S3MemoryError as error:
                    outage = str(error)
                    report.leave(path, outage)
                except OSError as error:
                    report.leave(path, f"the folder was left as it is: {error.strerror}")
                if data is not None and len(report.left) > n_left:
                    self.only_here.add(sha256(data))
        finally:
            self._note()
        return report

    def _in_order(
        self, changed: Collection[MemoryPath], missing: Iterable[MemoryPath], local: Mapping[MemoryPath, bytes]
    ) -> list[MemoryPath]:
        """Return paths in the order of a push: deletes come first, and make room for what is stored.

        A moved file is stored before it is deleted under its old name, unless the old one is in the way: above or below
        a file that is to be stored.
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
        # Whatever the file is called by now, its text may be made of what the erasure has destroyed.
        ended = self.state.what_ended(self.store.key_ring)
        if ended is not None:
            self.report.leave(path, f"{ended}, so none of it is stored again")
            return
        if data is None and self.state.files[path].sha256 in self.only_here and path not in self.left_behind:
            self.report.leave(path, "it was not deleted in the store: under its new name, it could not be stored")
            return
        try:
            for _ in self.store.retry.tries():
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
            raise messages.changed_at_every_try(path)
        except UnicodeDecodeError:
            self.report.leave(path, "it is not UTF-8 text")
        except (ConflictError, RefusedError) as error:
            self.report.leave(path, str(error))

    def _delete(self, path: MemoryPath) -> bool:
        """Delete a file in the store. Return whether it is gone, and was not changed by somebody who did not know."""
        if self.store.delete(path, etag=self.state.files[path].etag) is Deletion.CHANGED:
            return False
        self.state.remember(path, None)
        self.report.deleted.append(str(path))
        return True

    def _store(self, path: MemoryPath, data: bytes) -> bool:
        """Store what is in the folder, over what was seen last. Return whether it is stored, and nothing else there."""
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
                self.left_behind.add(source.path)
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
        """Return a file that the store has still as it was seen, and that the folder has under another name by now."""
        for path in self.moved.get(sha256(data), ()):
            _, stored = read_file(self.store, path)
            if isinstance(stored, MemoryFile) and self.state.is_as_seen(path, stored):
                return stored
        return None

    def _store_wins(self, path: MemoryPath, data: bytes | None, stored: MemoryFile | None) -> None:
        """Have the folder hold what is stored. What it held of the file is kept beside it, and stored as well."""
        beside = None
        if data is not None:
            if stored is None and self.store.files.has_directory(path):
                self.report.leave(path, "a directory is there in the store")
                return
            if stored is not None and self._has_stored(path, data, stored):
                self._take(path, stored, over=data)
                return
            beside = self._move_aside(path, data)
        if stored is None:
            self.state.remember(path, None)
        else:
            self._take(path, stored, over=None)
        if beside is not None:
            self._push_file(beside, data)
