"""`MirroredFolder`: a tenant's memory as a folder of plain files, for programs that know nothing but files.

Three versions of each file are compared by content: what was pulled, what is in the folder, and what is stored. Every
push is a compare and swap on the version that was pulled; where both sides changed, the store wins, and the folder's
version is kept beside it, and stored as well. What is saved in the folder meanwhile is left for the next pull or push.
Plaintext is on disk until the folder is removed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import unicodedata
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Self

from s3memory._parallel import stream
from s3memory.adapters.plain_folder import STATE_NAME, PlainFolder
from s3memory.audit.recording import audited
from s3memory.errors import (
    AlreadyExistsError,
    ConfigurationError,
    IntegrityError,
    InvalidInputError,
    RefusedError,
    S3MemoryError,
)
from s3memory.paths import ROOT, MemoryPath
from s3memory.s3.objects import Deletion
from s3memory.store.files import MemoryFile
from s3memory.store.memory_store import MemoryStore

_HASH_CHARS = 8


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
    """

    pulled: list[str] = field(default_factory=list)
    stored: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    redacted: list[str] = field(default_factory=list)
    conflicts: list[tuple[str, str]] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether folder and store are the same now."""
        return not self.left

    def leave(self, path: object, reason: str) -> None:
        """Note what is left, and why."""
        self.left.append((str(path), reason))


@dataclass(frozen=True, slots=True)
class _Base:
    """A file as it was pulled or pushed last: its ETag, and the hash of its bytes."""

    etag: str
    sha256: str


class MirroredFolder:
    """A tenant's memory in a folder.

    The folder is made where it does not exist, for its owner alone. While it is pulled or pushed, or as long as the
    context is entered, it is locked, so that no other mirror uses it.

    Args:
        store: the tenant's files.
        directory: the folder. What is in it already counts as changed since the last pull: it is stored, and what is
            redacted in it is redacted in the folder too.
        push_wiped: whether a folder that has none of the texts that were pulled is pushed, as deletions of all of them.

    Raises:
        ConfigurationError: of all methods: the folder is not a directory, is a symbolic link, is or contains the home
            or the working directory, or another mirror uses it.
    """

    def __init__(self, store: MemoryStore, directory: str | os.PathLike[str], *, push_wiped: bool = False) -> None:
        self.store = store
        self.directory = Path(directory)
        self.push_wiped = push_wiped
        self._folder = PlainFolder(self.directory, max_bytes=store.limits.max_file_bytes)
        self.auditor, self.tenant, self.actor = store.auditor, store.tenant, store.actor
        self._bases: dict[MemoryPath, _Base] = {}
        self._is_ours = self._is_new = False

    def __enter__(self) -> Self:
        if not self._folder.is_locked:
            self._is_ours = self._is_new = self._folder.open()
            self._load()
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.close()

    def _locked(self) -> AbstractContextManager[object]:
        """Lock the folder, unless it is for longer already."""
        return nullcontext() if self._folder.is_locked else self

    @audited("pull")
    def pull(self) -> SyncReport:
        """Bring the folder up to what is stored. What was changed in it since the last pull or push stays.

        Raises:
            ConfigurationError: none of the files that were pulled before is stored any more: it may be another memory.
            KeyRingError: the key ring does not open. BackendError: S3 or the key wrapper could not be reached.
        """
        with self._locked():
            return self._pulled()

    def _pulled(self) -> SyncReport:
        report = SyncReport()
        stored, unreadable = self._stored_files()
        for path in sorted(unreadable):
            report.leave(path, "it does not open; this needs an operator")
        local = self._folder.files(report.leave)
        if self._bases.keys() & local.keys() and self._bases.keys().isdisjoint({*stored, *unreadable}):
            # As in another bucket, or on a new server: the folder may have the only copies.
            raise ConfigurationError(
                "the store has none of the files that the folder mirrors. "
                f"Remove the folder, or only {STATE_NAME} in it to store them again"
            )
        for path in _sorted({*stored, *self._bases, *local} - unreadable, stored):
            if path not in local and _is_left(path, report):
                continue  # something is there that is not to be written over
            try:
                self._pull_file(path, stored.get(path), local.get(path), report)
            except OSError as error:
                report.leave(path, f"the folder was left as it is: {error.strerror}")
        self._save()
        return report

    @audited("push")
    def push(self) -> SyncReport:
        """Store what was changed in the folder since it was pulled.

        What can't be stored, and what an outage prevented, is in `SyncReport.left` and stays in the folder.
        """
        with self._locked():
            return self._pushed()

    def _pushed(self) -> SyncReport:
        report = SyncReport()
        local = self._folder.files(report.leave)
        missing = [path for path in self._bases.keys() - local.keys() if not _is_left(path, report)]
        pulled = {path: base.sha256 for path, base in self._bases.items()}
        hashes = {path: _sha256(data) for path, data in local.items()}
        changed = [path for path, sha256 in hashes.items() if pulled.get(path) != sha256]
        # A text that is under another name now was moved, and not lost.
        is_wiped = bool(missing) and len(missing) == len(pulled) and set(pulled.values()).isdisjoint(hashes.values())
        outage: str | None = None
        try:
            for path in _sorted([*changed, *missing], local):
                if outage is not None:  # the others would meet the same
                    report.leave(path, "it was not tried, since the store failed before")
                    continue
                try:
                    if path in local:
                        self._push_file(path, local[path], report)
                    elif is_wiped and not self.push_wiped:
                        report.leave(path, "the folder lost every file, so none was deleted in the store")
                    else:
                        self._push_deletion(path, report)
                except S3MemoryError as error:
                    outage = str(error)
                    report.leave(path, outage)
                except OSError as error:
                    report.leave(path, f"the folder was left as it is: {error.strerror}")
        finally:
            self._save()
        return report

    def remove_if_untouched(self) -> None:
        """Remove a folder that was made by this mirror and has never been pushed from: it holds nothing of its own."""
        if self._is_new:
            self.remove()

    def remove(self) -> bool:
        """Remove the folder if a mirror made it. To be called when all of it is stored.

        Returns:
            Whether it is gone.
        """
        if self._is_ours:
            shutil.rmtree(self.directory, ignore_errors=True)
            self._folder.close()
        return not self.directory.exists()

    def _load(self) -> None:
        try:
            state = json.loads(self._folder.note or b"{}")
            if state.get("tenant", self.store.tenant) != self.store.tenant:
                raise ConfigurationError("the folder mirrors the memory of another tenant")
            self._bases = {MemoryPath.parse(path): _Base(*base) for path, base in state.get("files", {}).items()}
            self._is_ours |= state.get("is_ours") is True
        except (ValueError, TypeError, AttributeError, InvalidInputError) as error:
            self._folder.close()
            if isinstance(error, ConfigurationError):
                raise
            self._bases = {}
            raise ConfigurationError(f"{STATE_NAME} in the folder is malformed: remove it to begin anew") from None

    def _save(self) -> None:
        files = {str(path): (base.etag, base.sha256) for path, base in sorted(self._bases.items())}
        state = {"tenant": self.store.tenant, "is_ours": self._is_ours, "files": files}
        self._folder.note = json.dumps(state).encode()

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

    def _pull_file(self, path: MemoryPath, stored: MemoryFile | None, local: bytes | None, report: SyncReport) -> None:
        base = self._bases.get(path)
        data = None if stored is None else stored.text.encode("utf-8")
        if local is None and base is not None and stored is not None and stored.info.etag == base.etag:
            return  # deleted in the folder since, and not pushed yet
        if local == data:
            self._remember(path, stored)
            return
        if local is not None and (base is None or _sha256(local) != base.sha256):
            if stored is None or (base is not None and stored.info.etag == base.etag):
                return  # changed in the folder alone
            report.conflicts.append((str(path), str(self._move_aside(path, local))))
            local = None
        self._take(path, stored, report, over=local)

    def _take(self, path: MemoryPath, stored: MemoryFile | None, report: SyncReport, *, over: bytes | None) -> None:
        """Have the folder hold what is stored, in place of what it held when it was read."""
        if stored is not None:
            self._folder.write(path, stored.text.encode("utf-8"), over=over)
        elif over is not None:
            self._folder.unlink(path, over)
        report.pulled.append(str(path))
        self._remember(path, stored)

    def _push_file(self, path: MemoryPath, data: bytes, report: SyncReport) -> None:
        base = self._bases.get(path)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            report.leave(path, "it is not UTF-8 text")
            return
        try:
            if base is None:
                written = self.store.create(path, text)
            else:
                ring = self.store.key_ring.existing()
                replaced = None if ring is None else self.store.replace(path, text, etag=base.etag, read_with=ring)
                if replaced is None:
                    self._settle(path, data, report)
                    return
                written = replaced
        except RefusedError as error:
            if isinstance(error, AlreadyExistsError) and error.at == str(path):
                self._settle(path, data, report)
            else:
                report.leave(path, str(error))
            return
        report.stored.append(str(path))
        redacted = written.text.encode("utf-8")
        self._bases[path] = _Base(written.etag, _sha256(redacted))
        if redacted != data:
            self._folder.write(path, redacted, over=data)
            report.redacted.append(str(path))

    def _settle(self, path: MemoryPath, data: bytes, report: SyncReport) -> None:
        """Let the store win over a file that was changed there as well, and keep the folder's version beside it."""
        try:
            stored = self.store.read(path)
        except IntegrityError as error:
            report.leave(path, str(error))
            return
        if stored is None and self.store.has_directory(path):
            report.leave(path, "a directory is there in the store")
            return
        if stored is not None and self.store.as_stored(data.decode("utf-8"), path).text == stored.text:
            self._take(path, stored, report, over=data)  # a push that was interrupted had stored it
            return
        beside = self._move_aside(path, data)
        report.conflicts.append((str(path), str(beside)))
        if stored is None:
            self._remember(path, None)
        else:
            self._take(path, stored, report, over=None)
        self._push_file(beside, data, report)

    def _push_deletion(self, path: MemoryPath, report: SyncReport) -> None:
        try:
            deletion = self.store.delete(path, etag=self._bases[path].etag)
        except RefusedError as error:
            report.leave(path, str(error))
            return
        if deletion is Deletion.CHANGED:  # by somebody who did not know
            self._bring_back(path, report)
            return
        del self._bases[path]
        report.deleted.append(str(path))

    def _bring_back(self, path: MemoryPath, report: SyncReport) -> None:
        try:
            stored = self.store.read(path)
        except IntegrityError as error:
            report.leave(path, str(error))
            return
        if stored is None:
            self._remember(path, None)
        else:
            self._take(path, stored, report, over=None)

    def _move_aside(self, path: MemoryPath, data: bytes) -> MemoryPath:
        """Give the folder's version of a file a name of its own beside it."""
        stem, dot, suffix = path.name.rpartition(".")
        stem, suffix = (stem, dot + suffix) if stem else (path.name, "")
        name = f"{stem}.conflict-{_sha256(data)[:_HASH_CHARS]}{suffix}"
        self._folder.rename(path, name, data)
        return MemoryPath((*path.segments[:-1], name))

    def _remember(self, path: MemoryPath, stored: MemoryFile | None) -> None:
        if stored is None:
            self._bases.pop(path, None)
        else:
            self._bases[path] = _Base(stored.info.etag, _sha256(stored.text.encode("utf-8")))


def _read(store: MemoryStore, path: MemoryPath) -> tuple[MemoryPath, MemoryFile | IntegrityError | None]:
    try:
        return path, store.read(path)
    except IntegrityError as error:
        return path, error


def _sorted(paths: Iterable[MemoryPath], files: Iterable[MemoryPath]) -> list[MemoryPath]:
    """Return paths in order, but first those below one of `files`: they have to go, or it can't be made."""
    made = frozenset(files)
    return sorted(paths, key=lambda path: (made.isdisjoint(path.ancestors()), path))


def _is_left(path: MemoryPath, report: SyncReport) -> bool:
    """Whether something of a file may be in the folder still: as what is not a file, or in what can't be read."""
    # In NFC, as memory paths are: a file system may have decomposed the name.
    left = (unicodedata.normalize("NFC", one) for one, _ in report.left)
    return not {ROOT, str(path), *map(str, path.ancestors())}.isdisjoint(left)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
