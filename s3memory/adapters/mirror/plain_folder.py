"""`PlainFolder`: a folder of plain files by their memory paths, locked while in use, with a note of the mirror's state.

Nothing is read or written through a symbolic link. Links, pipes and files without a valid memory path are reported and
left alone. Programs may write to the folder at any time: a file is replaced only while it has the bytes that were read.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from errno import ELOOP, EMLINK, ENOTDIR, ENOTEMPTY
from pathlib import Path
from typing import Final

from s3memory.adapters.mirror.open_directory import DIRECTORY_FLAGS, OWN_NAME, TAKEN, TEMPORARY, OpenDirectory
from s3memory.errors import ConfigurationError, InvalidInputError, RefusedError
from s3memory.paths import ROOT, MemoryPath, shown

STATE_NAME: Final = OWN_NAME
"""The file in the folder that records what was pulled."""
_LOCK_NAME = f"{OWN_NAME}-lock"  # a separate file, since each note replaces the file before

_NOTE = MemoryPath((STATE_NAME,))
_NO_DIRECTORY = frozenset({ELOOP, EMLINK, ENOTDIR})  # systems differ in the error for a link with these flags

Left = Callable[[str, str, bytes | None], object]
"""Called for each entry that is left alone, and each file below it: path, reason, and bytes if known."""

_Directory = tuple[tuple[str, ...], tuple[str, str] | None]
"""Its segments; if it has no valid memory path, also the path and reason that are reported for everything in it."""


class PlainFolder:
    """A folder on disk. A method that fails raises `OSError`, and leaves the folder as it was.

    Args:
        directory: its path. The folder is created if it does not exist, accessible to its owner only.
        max_bytes: larger files are left alone.
    """

    def __init__(self, directory: Path, *, max_bytes: int) -> None:
        self.directory = directory
        self._max_bytes = max_bytes
        self._lock: int | None = None
        self._directories: set[str] = set()  # relative paths of directories known to exist, as spelled on disk

    @property
    def is_locked(self) -> bool:
        """Whether this mirror has it open, so that no other mirror uses it."""
        return self._lock is not None

    def open(self) -> bool:
        """Lock the folder, and create it if it does not exist. Return whether it was created.

        Raises:
            ConfigurationError: it is not a directory, is a symbolic link, is or contains the home or the working
                directory, or another mirror uses it.
        """
        is_new = self._create()
        try:
            folder = os.open(self.directory, DIRECTORY_FLAGS)
        except OSError as error:
            if error.errno in _NO_DIRECTORY:
                raise ConfigurationError("the folder must be a directory, not a file or a symbolic link") from None
            raise ConfigurationError(f"the folder can't be opened: {error.strerror}") from None
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
            lock = os.open(_LOCK_NAME, flags, 0o600, dir_fd=folder)
        except OSError as error:
            raise ConfigurationError(f"the folder can't be written to: {error.strerror}") from None
        finally:
            os.close(folder)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(lock)
            if isinstance(error, BlockingIOError):
                raise ConfigurationError("another mirror uses this folder") from None
            raise ConfigurationError(f"the folder can't be locked: {error.strerror}") from None  # on network mounts
        self._lock = lock
        return is_new

    def close(self) -> None:
        """Release the lock."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @property
    def note(self) -> bytes:
        """The mirror's state, as last saved in the folder; empty in a new folder.

        Raises:
            ConfigurationError: on reading, its file can't be read.
            OSError: on writing, it failed, and the previous note stays. In a removed folder, nothing is written.
        """
        try:
            with self._parent(_NOTE) as (folder, name):
                info = folder.info(name)
                return folder.read(name, info, max_bytes=info.st_size)
        except FileNotFoundError:
            return b""
        except (OSError, RefusedError) as error:
            raise ConfigurationError(f"{STATE_NAME} in the folder can't be read: {error}") from None

    @note.setter
    def note(self, data: bytes) -> None:
        with suppress(FileNotFoundError), self._parent(_NOTE) as (folder, name), folder.new_file(data) as temporary:
            os.replace(temporary, name, src_dir_fd=folder.descriptor, dst_dir_fd=folder.descriptor)

    def files(self, left: Left) -> dict[MemoryPath, bytes]:
        """Return the regular files of the folder; none if it was removed.

        If it is locked, leftovers of killed writes are cleaned up. `left` is called for every entry that is not a file
        or has no valid memory path: with the path, the reason, and the bytes if it is a file. For everything in a
        directory without a valid memory path, it is called with the directory's path.
        """
        files: dict[MemoryPath, bytes] = {}
        self._directories.clear()
        if not self.directory.is_dir():
            return files

        waiting: list[_Directory] = [((), None)]
        while waiting:
            inside, unfit = waiting.pop()
            try:
                with self._opened(inside) as folder:
                    self._directories.add("/".join(inside))
                    for name in self._names(folder):
                        waiting += self._add((*inside, name), folder, files, left, unfit)
            except OSError as error:
                left(ROOT, f"a directory in the folder can't be read: {error.strerror}", None)
        return files

    def write(self, path: MemoryPath, data: bytes, *, over: bytes | None) -> None:
        """Replace a file with the bytes `over` atomically; if that is `None`, create it."""
        if _is_own(path.segments):
            raise OSError(0, "its name is reserved for the mirror")
        with self._parent(path, make=True) as (folder, name), folder.new_file(data) as temporary:
            if over is None:
                folder.ensure_holds(name, None)
                folder.place(temporary, folder, name)
            else:
                with folder.set_aside(name, over):
                    folder.place(temporary, folder, name)

    def unlink(self, path: MemoryPath, data: bytes) -> None:
        """Remove a file with these bytes, and directories that are then empty: memories have no empty directories."""
        with self._parent(path) as (folder, name), folder.set_aside(name, data):
            pass
        with suppress(OSError):  # a directory is not empty
            for depth in range(len(path.segments) - 1, 0, -1):
                with self._parent(MemoryPath(path.segments[:depth])) as (folder, name):
                    os.rmdir(name, dir_fd=folder.descriptor)
                self._directories.discard("/".join(path.segments[:depth]))

    def make_removable(self) -> None:
        """Make directories that `files` has found writable for their owner, so that files in them can be removed."""
        for relative in self._directories:
            with suppress(OSError), self._opened(tuple(filter(None, relative.split("/")))) as folder:
                mode = stat.S_IMODE(os.fstat(folder.descriptor).st_mode)
                if not mode & stat.S_IWUSR:
                    os.fchmod(folder.descriptor, mode | stat.S_IWUSR)

    def remove(self, note: bytes) -> None:
        """Remove the folder if it contains only directories that `files` has found, and release the lock.

        Otherwise the folder stays, with a note: if its note was already removed, `note` is written.
        """
        for relative in sorted(self._directories - {""}, reverse=True):
            with suppress(OSError), self._parent(MemoryPath(tuple(relative.split("/")))) as (folder, name):
                os.rmdir(name, dir_fd=folder.descriptor)
        with suppress(FileNotFoundError), self._opened(()) as folder:  # suppressed if somebody else has removed it
            if not {STATE_NAME, _LOCK_NAME}.issuperset(folder.names()):
                raise OSError(ENOTEMPTY, os.strerror(ENOTEMPTY))
            try:
                for name in (STATE_NAME, _LOCK_NAME):
                    folder.unlink(name)
                self.directory.rmdir()
            except OSError as error:  # such as if a file was saved in it just now
                if not isinstance(error, FileNotFoundError):
                    self.close()
                    with suppress(ConfigurationError):  # another mirror has opened it meanwhile
                        self.open()
                        self.note = note
                raise
        self.close()

    def rename(self, path: MemoryPath, new_name: str, data: bytes) -> None:
        """Rename a file with these bytes to a free name."""
        with self._parent(path) as (folder, name):
            folder.ensure_holds(new_name, None)
            with folder.set_aside(name, data) as aside:
                folder.place(name, aside, new_name)

    def _create(self) -> bool:
        """Create the folder if it does not exist. Return whether it was created."""
        try:
            # All files in the folder are stored, and redacted in place, which nobody wants for these two.
            kept_out = Path(os.path.expanduser("~")), Path()  # noqa: PTH111 - Path.home() raises where there is none
            if any(_real(place).is_relative_to(_real(self.directory)) for place in kept_out):
                raise ConfigurationError("the folder must not be, or contain, your home or the working directory")
            self.directory.mkdir(mode=0o700, parents=True)
        except FileExistsError:
            return False
        except OSError as error:
            raise ConfigurationError(f"the folder can't be created: {error.strerror}") from None
        return True

    def _names(self, folder: OpenDirectory) -> list[str]:
        """Return the names in an open directory, after cleaning up leftovers of killed writes."""
        if self.is_locked:
            for temporary in filter(TEMPORARY.fullmatch, folder.names()):
                folder.clear(temporary)
        return folder.names()

    def _add(
        self,
        segments: tuple[str, ...],
        folder: OpenDirectory,
        files: dict[MemoryPath, bytes],
        left: Left,
        unfit: tuple[str, str] | None,
    ) -> list[_Directory]:
        """Add a file of an open directory to `files`, or report why not. Return the entry if it is a directory."""
        raw, name, data, is_directory = "/".join((ROOT, *segments)), segments[-1], None, False
        try:
            info = folder.info(name)
            if stat.S_ISREG(info.st_mode):
                if _is_own(segments):
                    return []
                data = folder.read(name, info)
            is_directory = stat.S_ISDIR(info.st_mode)
            path = MemoryPath.parse(raw)
            if str(path) != raw:
                raise InvalidInputError("its name is not a canonical memory path")
            if not is_directory:
                files[path] = folder.read(name, info) if data is None else data
        except OSError as error:
            left(*(unfit or (shown(raw), f"it can't be read: {error.strerror}")), None)
        except RefusedError as error:
            unfit = unfit or (shown(raw), str(error))
            left(*unfit, data)
        return [(segments, unfit)] if is_directory else []

    @contextmanager
    def _parent(self, path: MemoryPath, *, make: bool = False) -> Iterator[tuple[OpenDirectory, str]]:
        """Open the directory of a file, and yield it with the file's name."""
        with self._opened(path.segments[:-1], make=make) as folder:
            yield folder, path.name

    @contextmanager
    def _opened(self, segments: Sequence[str], *, make: bool = False) -> Iterator[OpenDirectory]:
        """Open a directory of the folder, without following symbolic links."""
        with ExitStack() as opened:
            descriptor = os.open(self.directory, DIRECTORY_FLAGS)
            opened.callback(os.close, descriptor)
            folder = OpenDirectory(descriptor, max_bytes=self._max_bytes)
            for depth, segment in enumerate(segments, 1):
                if make:
                    self._make_directory("/".join(segments[:depth]), segment, folder)
                folder = opened.enter_context(folder.below(segment))
            yield folder

    def _make_directory(self, relative: str, name: str, folder: OpenDirectory) -> None:
        """Create a directory in an open one, unless one with exactly this spelling exists."""
        if relative in self._directories:
            return
        try:
            os.mkdir(name, 0o700, dir_fd=folder.descriptor)
        except FileExistsError:
            if name not in folder.names():  # the existing one differs in spelling, so files would get other paths
                raise OSError(0, TAKEN) from None
        self._directories.add(relative)


def _is_own(segments: tuple[str, ...]) -> bool:
    """Whether a path is one of the mirror's own: its note, its lock, or a temporary file."""
    return segments in {(STATE_NAME,), (_LOCK_NAME,)} or any(map(TEMPORARY.fullmatch, segments))


def _real(place: Path) -> Path:
    return Path(os.path.realpath(place))  # Path.resolve() raises on a loop of links in some versions of Python
