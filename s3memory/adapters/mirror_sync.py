"""`Sync`: one pull or push of a mirrored folder, file by file, and `SyncReport`: what it did."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from s3memory._parallel import stream
from s3memory.adapters.mirrored_state import ERASED_OR_RETIRED, MirroredState, sha256
from s3memory.adapters.plain_folder import STATE_NAME, PlainFolder
from s3memory.contract import messages
from s3memory.errors import (
    AlreadyExistsError,
    ConfigurationError,
    ConflictError,
    IntegrityError,
    RefusedError,
    S3MemoryError,
)
from s3memory.paths import ROOT, MemoryPath
from s3memory.s3.objects import Deletion
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
        left: what is not stored, or not in the folder, each with the reason.
        unfit: the paths of `left` that are about the folder alone, which the next push looks at again.
    """

    pulled: list[str] = field(default_factory=list)
    stored: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    redacted: list[str] = field(default_factory=list)
    conflicts: list[tuple[str, str]] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)
    unfit: set[str] = field(default_factory=set)

    @property
    def is_complete(self) -> bool:
        """Whether folder and store are the same now."""
        return not self.left

    def leave(self, path: object, reason: str) -> None:
        """Note what is left, and why."""
        self.left.append((str(path), reason))


@dataclass(frozen=True, slots=True)
class Sync:
    """One pull or push.

    Attributes:
        only_here: the hashes of texts that the folder has, and the store not, unless by an older name.
        moved: files of the store that the folder has under another name, by their hashes, until they are stored there.
        left_behind: those that are stored there, and are to be deleted under the older name.
    """

    store: MemoryStore
    folder: PlainFolder
    state: MirroredState
    push_wiped: bool = False
    report: SyncReport = field(default_factory=SyncReport)
    only_here: set[str] = field(default_factory=set)
    moved: dict[str, list[MemoryPath]] = field(default_factory=dict)
    left_behind: set[MemoryPath] = field(default_factory=set)

    def pull(self) -> SyncReport:
        """Bring the folder up to what is stored, and note it there; see `MirroredFolder.pull`."""
        stored, unreadable = self._stored_files()
        for path in sorted(unreadable):
            self.report.leave(path, "it does not open; this needs an operator")
        local = self._local_files()
        seen = self.state.files | self.state.withheld
        self.report.unfit -= set(map(str, unreadable))
        if (
            seen.keys() & local.keys()
            and seen.keys().isdisjoint({*stored, *unreadable})
            and _has_lost(
                {path: one.sha256 for path, one in seen.items()},
                {path: sha256(file.text.encode("utf-8")) for path, file in stored.items()},
            )
        ):
            # As in another bucket, or on a new server: the folder may have the only copies.
            raise ConfigurationError(
                "the store has none of the files that the folder mirrors. "
                f"Remove the folder, or only {STATE_NAME} in it to store them again"
            )
        self._note_ring(stored, local)
        self.state.begin_pull(stored)
        if self.state.pulling:
            with suppress(OSError):  # if there is no room for the last one either, that is told
                self.folder.note = self.state.to_note()
        for path in _sorted({*stored, *seen, *local} - unreadable, stored):
            if path not in local and self._is_left(path):
                if path in stored:  # and so it was not pulled, whatever becomes of what is there
                    self.report.unfit -= {ROOT, str(path), *map(str, path.ancestors())}
                continue  # something is there that is not to be written over
            try:
                self._pull_file(path, stored.get(path), local.get(path))
            except OSError as error:
                self.report.leave(path, f"the folder was left as it is: {error.strerror}")
        self.state.pulling = {}
        self._note()
        return self.report

    def push(self) -> SyncReport:
        """Store what was changed in the folder, and note it there; see `MirroredFolder.push`."""
        report, local = self.report, self._local_files()
        missing = self._missing(local)
        changed = [path for path, data in local.items() if self.state.is_changed(path, data)]
        for path in self.state.withheld:
            report.leave(
                path, "the folder lost every text, so it was not deleted in the store: the next pull brings it back"
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

    def unstored(self) -> SyncReport:
        """Say what is in the folder and not stored. No request is made."""
        for path, data in self._local_files().items():
            if self.state.is_changed(path, data):
                self.report.leave(path, "it was saved after the folder was read")
        return self.report

    def _note_ring(self, stored: Mapping[MemoryPath, MemoryFile], local: Mapping[MemoryPath, bytes]) -> None:
        """Note the key ring of what is stored; refuse where it is not that of what is in the folder."""
        ended = self.state.what_ended(self.store.key_ring)
        if ended is not None:
            if local:
                way_on = f"Remove the folder, or only {STATE_NAME} in it to store them again"
                if ended == ERASED_OR_RETIRED:  # the folder may have the only copies
                    way_on = f"Remove only {STATE_NAME} in it to store them again; if it was erased, remove the folder"
                raise ConfigurationError(f"{ended}, and the folder has files from before. {way_on}")
            self.state.ring = None
        if self.state.ring is None:
            for file in islice(stored.values(), 1):
                self.state.remember_ring(file.ring)

    def _note(self) -> None:
        """Note what was seen, for the next run. Without that, it would take for a change what is none."""
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
            if _has_lost(seen, {path: sha256(data) for path, data in local.items()}):
                self.state.withhold(missing)
        return local

    def _missing(self, local: Mapping[MemoryPath, bytes]) -> list[MemoryPath]:
        """Return what was seen and is not in the folder any more, not even as what can't be read."""
        return [path for path in self.state.files.keys() - local.keys() if not self._is_left(path)]

    def _in_order(
        self, changed: Collection[MemoryPath], missing: Iterable[MemoryPath], local: Mapping[MemoryPath, bytes]
    ) -> list[MemoryPath]:
        """Return paths in the order of a push: what is deleted makes room for what is stored.

        But what was moved is stored before it is deleted under its old name, unless that is in the way: a file above
        one that is to be stored, or below one.
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

    def _stored_files(self) -> tuple[dict[MemoryPath, MemoryFile], set[MemoryPath]]:
        """Return what is stored, and which files do not open."""
        files, unreadable = {}, set()
        listed = (file.path for page in self.store.pages_below(MemoryPath()) for file in page.files)
        for path, file in stream(partial(_read, self.store), listed):
            if isinstance(file, MemoryFile):
                files[path] = file
            elif file is not None:
                unreadable.add(path)
        return files, unreadable

    def _is_left(self, path: MemoryPath) -> bool:
        """Whether something of a file may be in the folder still: as what is not a file, or in what can't be read."""
        # In NFC, as memory paths are: a file system may have decomposed the name.
        left = (unicodedata.normalize("NFC", one) for one, _ in self.report.left)
        return not {ROOT, str(path), *map(str, path.ancestors())}.isdisjoint(left)

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
            if stored is None or is_as_seen:
                return  # changed in the folder alone
            try:
                is_stored = self._has_stored(path, local, stored)
            except (RefusedError, UnicodeDecodeError):
                is_stored = False
            if not is_stored:
                self._move_aside(path, local)
                local = None
        self._take(path, stored, over=local)

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
            for _ in self.store.tries():
                if self._delete(path) if data is None else self._store(path, data):
                    return
                _, stored = _read(self.store, path)
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
            _, stored = _read(self.store, path)
            if isinstance(stored, MemoryFile) and self.state.is_as_seen(path, stored):
                return stored
        return None

    def _store_wins(self, path: MemoryPath, data: bytes | None, stored: MemoryFile | None) -> None:
        """Have the folder hold what is stored. What it held of the file is kept beside it, and stored as well."""
        beside = None
        if data is not None:
            if stored is None and self.store.has_directory(path):
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


def _has_lost(seen: Mapping[MemoryPath, str], hashes: Mapping[MemoryPath, str]) -> bool:
    """Whether a folder has nothing of what was seen in it, by hashes. A text under another name was moved, not lost."""
    # An empty file is no text: any marker has the same bytes. It counts where there was nothing else.
    texts = {path: hashed for path, hashed in seen.items() if hashed != _EMPTY} or seen
    kept = {path: hashed for path, hashed in hashes.items() if hashed != _EMPTY or texts is seen}
    return texts.keys().isdisjoint(kept) and set(texts.values()).isdisjoint(kept.values())


def _read(store: MemoryStore, path: MemoryPath) -> tuple[MemoryPath, MemoryFile | IntegrityError | None]:
    try:
        return path, store.read(path)
    except IntegrityError as error:
        return path, error


def _sorted(paths: Iterable[MemoryPath], files: Iterable[MemoryPath]) -> list[MemoryPath]:
    """Return paths in order, but first those below one of `files`: they have to go, or it can't be made."""
    made = frozenset(files)
    return sorted(paths, key=lambda path: (made.isdisjoint(path.ancestors()), path))
