"""`MirroredFolder`: a tenant's memory as a folder of plain files, for programs that know nothing but files.

Three versions of each file are compared by content: what was pulled, what is in the folder, and what is stored. Every
push is a compare and swap on the version that was pulled; where both sides changed, the store wins, and the folder's
version is kept beside it, and stored as well. Plaintext is on disk until the folder is removed.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, Self

from s3memory._parallel import stream
from s3memory.audit.recording import audited
from s3memory.aws import request_counts
from s3memory.errors import (
    AlreadyExistsError,
    ConfigurationError,
    IntegrityError,
    InvalidInputError,
    RefusedError,
    S3MemoryError,
)
from s3memory.paths import ROOT, MemoryPath, shown
from s3memory.s3.objects import Deletion
from s3memory.store.files import MemoryFile
from s3memory.store.memory_store import MemoryStore

STATE_NAME: Final = ".s3memory-mirror"
"""The file in the folder that says what was pulled. Its lock keeps a second mirror out."""

_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
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
        push_wiped: whether a folder that lost every file that was pulled is pushed, as deletions of all of them.

    Raises:
        ConfigurationError: of all methods: the folder is not a directory, is a symbolic link, is or contains the home
            or the working directory, or another mirror uses it.
    """

    def __init__(self, store: MemoryStore, directory: str | os.PathLike[str], *, push_wiped: bool = False) -> None:
        self.store = store
        self.directory = Path(directory)
        self.push_wiped = push_wiped
        self.auditor, self.tenant, self.actor = store.auditor, store.tenant, store.actor
        self._bases: dict[MemoryPath, _Base] = {}
        self._is_ours = self._is_new = False
        self._lock: int | None = None

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the folder, unless it is for longer already."""
        if self._lock is not None:
            yield
            return
        with self:
            yield

    def _close(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

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
        report.left += [(str(path), "it does not open; this needs an operator") for path in sorted(unreadable)]
        local = self._local_files(report)
        if self._bases.keys() & local.keys() and self._bases.keys().isdisjoint({*stored, *unreadable}):
            # As in another bucket, or on a new server: the folder may have the only copies.
            raise ConfigurationError(
                "the store has none of the files that the folder mirrors. "
                f"Remove the folder, or only {STATE_NAME} in it to store them again"
            )
        for path in sorted({*stored, *self._bases, *local} - unreadable):
            if path not in local and _is_left(path, report):
                continue  # something is there that is not to be written over
            try:
                self._pull_file(path, stored.get(path), local.get(path), report)
            except OSError as error:
                report.left.append((str(path), f"the folder can't hold it: {error.strerror}"))
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
        local = self._local_files(report)
        missing = [path for path in self._bases.keys() - local.keys() if not _is_left(path, report)]
        is_wiped = bool(missing) and len(missing) == len(self._bases)
        changed = [path for path, data in local.items() if not self._is_as_pulled(path, data)]
        outage: str | None = None
        try:
            for path in sorted([*changed, *missing]):
                if outage is not None:  # the others would meet the same
                    report.left.append((str(path), "it was not tried, since the store failed before"))
                    continue
                try:
                    if path in local:
                        self._push_file(path, local[path], report)
                    elif is_wiped and not self.push_wiped:
                        report.left.append((str(path), "the folder lost every file, so none was deleted in the store"))
                    else:
                        self._push_deletion(path, report)
                except S3MemoryError as error:
                    outage = error.detail
                    report.left.append((str(path), outage))
                except OSError as error:
                    report.left.append((str(path), f"the folder can't hold it: {error.strerror}"))
        finally:
            self._save()
        return report

    def _is_as_pulled(self, path: MemoryPath, data: bytes) -> bool:
        base = self._bases.get(path)
        return base is not None and base.sha256 == _sha256(data)

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
            self._close()
        return not self.directory.exists()

    def _open(self) -> None:
        if self._lock is not None:
            return
        is_new = False
        try:
            # Whatever is in the folder is stored, and redacted in place: nobody means that of these.
            kept_out = Path(os.path.expanduser("~")), Path()  # noqa: PTH111 - Path.home() raises where there is none
            if any(_real(place).is_relative_to(_real(self.directory)) for place in kept_out):
                raise ConfigurationError("the folder must not be, or contain, your home or the working directory")
            self.directory.mkdir(mode=0o700, parents=True)
            is_new = True
        except FileExistsError:
            pass
        except OSError as error:
            raise ConfigurationError(f"the folder can't be made: {error.strerror}") from None
        try:
            folder = os.open(self.directory, _DIRECTORY_FLAGS)
        except OSError:
            raise ConfigurationError("the folder must be a directory, not a file or a symbolic link") from None
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
            lock = os.open(STATE_NAME, flags, 0o600, dir_fd=folder)
        except OSError as error:
            raise ConfigurationError(f"the folder can't be written to: {error.strerror}") from None
        finally:
            os.close(folder)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            raise ConfigurationError("another mirror uses this folder") from None
        self._lock = lock
        self._is_ours = self._is_new = is_new
        self._load()

    def _load(self) -> None:
        assert self._lock is not None  # noqa: S101 - for the type checker
        text = os.pread(self._lock, os.fstat(self._lock).st_size, 0)
        try:
            state = json.loads(text) if text else {}
            if state.get("tenant", self.store.tenant) != self.store.tenant:
                raise ConfigurationError("the folder mirrors the memory of another tenant")
            self._bases = {MemoryPath.parse(path): _Base(*base) for path, base in state.get("files", {}).items()}
            self._is_ours |= state.get("is_ours") is True
        except (ValueError, TypeError, AttributeError, InvalidInputError) as error:
            self._close()
            if isinstance(error, ConfigurationError):
                raise
            self._bases = {}
            raise ConfigurationError(f"{STATE_NAME} in the folder is malformed: remove it to begin anew") from None

    def _save(self) -> None:
        if self._lock is None:
            return
        files = {str(path): (base.etag, base.sha256) for path, base in sorted(self._bases.items())}
        data = json.dumps({"tenant": self.store.tenant, "is_ours": self._is_ours, "files": files}).encode()
        os.pwrite(self._lock, data, 0)
        os.ftruncate(self._lock, len(data))

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

    def _local_files(self, report: SyncReport) -> dict[MemoryPath, bytes]:
        """Return the regular files of the folder. What is none, and what has no memory path, is left."""
        files: dict[MemoryPath, bytes] = {}
        if not self.directory.is_dir():  # it is wiped as a whole
            return files

        def unreadable(error: OSError) -> None:
            report.left.append((ROOT, f"a directory in the folder can't be read: {error.strerror}"))

        walk = os.fwalk(self.directory, onerror=unreadable, follow_symlinks=False)
        try:
            for parent, directories, names, folder in walk:
                inside = os.path.relpath(parent, self.directory)
                for name in (*directories, *names):
                    relative = name if inside == os.curdir else f"{inside}/{name}"
                    if relative != STATE_NAME and not name.startswith(f"{STATE_NAME}-"):
                        self._add_local(f"{ROOT}/{relative}", name, folder, files, report)
        except OSError as error:
            unreadable(error)
        return files

    def _add_local(self, raw: str, name: str, folder: int, files: dict[MemoryPath, bytes], report: SyncReport) -> None:
        try:
            info = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISDIR(info.st_mode):
                return
            path = MemoryPath.parse(raw)
            if str(path) != raw:
                raise InvalidInputError("its name is not a canonical memory path")
            files[path] = _regular(name, folder, info, self.store.limits.max_file_bytes)
        except OSError as error:
            report.left.append((shown(raw), f"it can't be read: {error.strerror}"))
        except RefusedError as error:
            report.left.append((shown(raw), error.detail))

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
        self._take(path, stored, report)

    def _take(self, path: MemoryPath, stored: MemoryFile | None, report: SyncReport) -> None:
        """Have the folder hold what is stored."""
        if stored is None:
            with suppress(FileNotFoundError), self._parent(path) as (folder, name):
                os.unlink(name, dir_fd=folder)
        else:
            self._write(path, stored.text.encode("utf-8"))
        report.pulled.append(str(path))
        self._remember(path, stored)

    def _push_file(self, path: MemoryPath, data: bytes, report: SyncReport) -> None:
        base = self._bases.get(path)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            report.left.append((str(path), "it is not UTF-8 text"))
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
        except AlreadyExistsError as error:
            if error.at == str(path):
                self._settle(path, data, report)
            else:
                report.left.append((str(path), error.detail))
            return
        except RefusedError as error:
            report.left.append((str(path), error.detail))
            return
        report.stored.append(str(path))
        request_counts.redacted(finding.kind for finding in written.findings if not finding.is_kept)
        redacted = written.text.encode("utf-8")
        if redacted != data:
            report.redacted.append(str(path))
            if self._holds(path, data):  # and was not written to meanwhile
                self._write(path, redacted)
        self._bases[path] = _Base(written.etag, _sha256(redacted))

    def _settle(self, path: MemoryPath, data: bytes, report: SyncReport) -> None:
        """Let the store win over a file that was changed there as well, and keep the folder's version beside it."""
        try:
            stored = self.store.read(path)
        except IntegrityError as error:
            report.left.append((str(path), error.detail))
            return
        if stored is None and self.store.has_directory(path):
            report.left.append((str(path), "a directory is there in the store"))
            return
        if stored is not None and self.store.as_stored(data.decode("utf-8"), path).text == stored.text:
            self._take(path, stored, report)  # a push that was interrupted had stored it
            return
        beside = self._move_aside(path, data)
        report.conflicts.append((str(path), str(beside)))
        if stored is None:
            self._bases.pop(path, None)
        else:
            self._take(path, stored, report)
        self._push_file(beside, data, report)

    def _push_deletion(self, path: MemoryPath, report: SyncReport) -> None:
        try:
            deletion = self.store.delete(path, etag=self._bases[path].etag)
        except RefusedError as error:
            report.left.append((str(path), error.detail))
            return
        if deletion is Deletion.CHANGED:  # by somebody who did not know
            stored = self.store.read(path)
            self._take(path, stored, report) if stored is not None else self._bases.pop(path)
            return
        del self._bases[path]
        report.deleted.append(str(path))

    def _move_aside(self, path: MemoryPath, data: bytes) -> MemoryPath:
        """Give the folder's version of a file a name of its own beside it."""
        stem, dot, suffix = path.name.rpartition(".")
        stem, suffix = (stem, dot + suffix) if stem else (path.name, "")
        beside = MemoryPath((*path.segments[:-1], f"{stem}.conflict-{_sha256(data)[:_HASH_CHARS]}{suffix}"))
        self._write(beside, data)
        with self._parent(path) as (folder, name):
            os.unlink(name, dir_fd=folder)
        return beside

    def _remember(self, path: MemoryPath, stored: MemoryFile | None) -> None:
        if stored is None:
            self._bases.pop(path, None)
        else:
            self._bases[path] = _Base(stored.info.etag, _sha256(stored.text.encode("utf-8")))

    def _holds(self, path: MemoryPath, data: bytes) -> bool:
        files: dict[MemoryPath, bytes] = {}
        with self._parent(path) as (folder, name):
            self._add_local(str(path), name, folder, files, SyncReport())
        return files.get(path) == data

    def _write(self, path: MemoryPath, data: bytes) -> None:
        if str(path) == f"{ROOT}/{STATE_NAME}":
            raise OSError(0, "the mirror needs its name for itself")
        with self._parent(path, make=True) as (folder, name):
            temporary = f"{STATE_NAME}-{os.urandom(8).hex()}"
            opened = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
            try:
                with open(opened, "wb") as file:  # noqa: PTH123 - a descriptor
                    file.write(data)
                os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                os.unlink(temporary, dir_fd=folder)
                raise

    @contextmanager
    def _parent(self, path: MemoryPath, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """Give a descriptor of the directory of a file, through no symbolic link, and the file's name."""
        folder = os.open(self.directory, _DIRECTORY_FLAGS)
        try:
            for segment in path.segments[:-1]:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(segment, 0o700, dir_fd=folder)
                below = os.open(segment, _DIRECTORY_FLAGS, dir_fd=folder)
                os.close(folder)
                folder = below
            yield folder, path.name
        finally:
            os.close(folder)


def _read(store: MemoryStore, path: MemoryPath) -> tuple[MemoryPath, MemoryFile | IntegrityError | None]:
    try:
        return path, store.read(path)
    except IntegrityError as error:
        return path, error


def _is_left(path: MemoryPath, report: SyncReport) -> bool:
    """Whether something of a file may be in the folder still: as what is no file, or in what can't be read."""
    return not {ROOT, str(path), *map(str, path.ancestors())}.isdisjoint(one for one, _ in report.left)


def _regular(name: str, folder: int, info: os.stat_result, max_bytes: int) -> bytes:
    """Return the bytes of a regular file, or raise what keeps it from being one that can be stored."""
    if stat.S_ISLNK(info.st_mode):
        raise InvalidInputError("it is a symbolic link")
    if not stat.S_ISREG(info.st_mode):
        raise InvalidInputError("it is not a regular file")
    # Whatever it is by now: a pipe would keep the reader waiting, and a link lead elsewhere.
    opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    with open(opened, "rb") as file:  # noqa: PTH123 - a descriptor
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise InvalidInputError("it is not a regular file")
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise InvalidInputError(f"it is larger than {max_bytes} bytes, which is the limit")
    return data


def _real(place: Path) -> Path:
    return Path(os.path.realpath(place))  # Path.resolve() raises for a loop of links, in some versions of Python


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
