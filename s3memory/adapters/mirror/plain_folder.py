"""`PlainFolder`: a folder of plain files as memory paths, locked while it is used, with a note of what is in it.

Nothing is read or written through a symbolic link. A link or a pipe in the folder, and whatever has no memory path, is
reported and left alone. Programs write to the folder at any time: only a file that is still as it was read is replaced.
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
"""The file in the folder that says what was pulled."""
_LOCK_NAME = f"{OWN_NAME}-lock"  # a file of its own: each note is another file

_NOTE = MemoryPath((STATE_NAME,))
_NO_DIRECTORY = frozenset({ELOOP, EMLINK, ENOTDIR})  # systems differ in what a link is with these flags

Left = Callable[[str, str, bytes | None], object]
"""Is called with what is left: path, reason, and bytes if known; for a directory, also with each file in it."""

_Directory = tuple[tuple[str, ...], tuple[str, str] | None]
"""Its segments; and if it has no memory path, the path and reason that are reported for everything in it."""


class PlainFolder:
    """A folder on the disk. Where it can't hold what it is to hold, a method raises `OSError` and leaves it as it is.

    Args:
        directory: where it is. It is made where it does not exist, for its owner alone.
        max_bytes: a larger file is left.
    """

    def __init__(self, directory: Path, *, max_bytes: int) -> None:
        self.directory = directory
        self._max_bytes = max_bytes
        self._lock: int | None = None
        self._directories: set[str] = set()  # of those known to be there, below the folder, as they are spelled there

    @property
    def is_locked(self) -> bool:
        """Whether it is open, and so no other mirror's."""
        return self._lock is not None

    def open(self) -> bool:
        """Make the folder where there is none, and lock it. Return whether it was made.

        Raises:
            ConfigurationError: it is not a directory, is a symbolic link, is or contains the home or the working
                directory, or another mirror uses it.
        """
        is_new = self._made()
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
            raise ConfigurationError(f"the folder can't be locked: {error.strerror}") from None  # as on some networks
        self._lock = lock
        return is_new

    def close(self) -> None:
        """Let others use it."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @property
    def note(self) -> bytes:
        """What was noted last; empty in a folder that is new.

        Raises:
            ConfigurationError: on reading, what has its name is no file that can be read.
            OSError: on writing, it could not be; the note before stays. In a folder that was removed, nothing is noted.
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
        with suppress(FileNotFoundError), self._parent(_NOTE) as (folder, name), folder.written(data) as temporary:
            os.replace(temporary, name, src_dir_fd=folder.descriptor, dst_dir_fd=folder.descriptor)

    def files(self, left: Left) -> dict[MemoryPath, bytes]:
        """Return the regular files of the folder; none where it was removed.

        If it is locked, what killed writes left in it is cleared. `left` is called for whatever is not a file, or has
        no memory path: with the path, the reason, and the bytes if it is a file. For everything in a directory without
        a memory path, it is called with the directory's own path.
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
        """Replace the bytes `over` of a file by others, atomically; `None` if there is no file yet."""
        if _is_the_mirrors(path.segments):
            raise OSError(0, "the mirror needs its name for itself")
        with self._parent(path, make=True) as (folder, name), folder.written(data) as temporary:
            if over is None:
                folder.ensure_holds(name, None)
                folder.place(temporary, folder, name)
            else:
                with folder.taken(name, over):
                    folder.place(temporary, folder, name)

    def unlink(self, path: MemoryPath, data: bytes) -> None:
        """Remove a file that holds these bytes, and directories that are empty then: memories have no such."""
        with self._parent(path) as (folder, name), folder.taken(name, data):
            pass
        with suppress(OSError):  # something else is in it
            for depth in range(len(path.segments) - 1, 0, -1):
                with self._parent(MemoryPath(path.segments[:depth])) as (folder, name):
                    os.rmdir(name, dir_fd=folder.descriptor)
                self._directories.discard("/".join(path.segments[:depth]))

    def make_removable(self) -> None:
        """Let files be removed from directories that `files` has found, and that their owner may not write to."""
        for relative in self._directories:
            with suppress(OSError), self._opened(tuple(filter(None, relative.split("/")))) as folder:
                mode = stat.S_IMODE(os.fstat(folder.descriptor).st_mode)
                if not mode & stat.S_IWUSR:
                    os.fchmod(folder.descriptor, mode | stat.S_IWUSR)

    def remove(self, note: bytes) -> None:
        """Remove the folder, if directories that `files` has found are all that is in it, and let others use its place.

        Otherwise it stays with a note: the one that is given, where the one before is gone already.
        """
        for relative in sorted(self._directories - {""}, reverse=True):
            with suppress(OSError), self._parent(MemoryPath(tuple(relative.split("/")))) as (folder, name):
                os.rmdir(name, dir_fd=folder.descriptor)
        with suppress(FileNotFoundError), self._opened(()) as folder:  # unless somebody else has removed it
            if not {STATE_NAME, _LOCK_NAME}.issuperset(folder.names()):
                raise OSError(ENOTEMPTY, os.strerror(ENOTEMPTY))
            try:
                for name in (STATE_NAME, _LOCK_NAME):
                    folder.unlink(name)
                self.directory.rmdir()
            except OSError as error:  # as where something was saved in it just now
                if not isinstance(error, FileNotFoundError):
                    self.close()
                    with suppress(ConfigurationError):  # it is another mirror's by now
                        self.open()
                        self.note = note
                raise
        self.close()

    def rename(self, path: MemoryPath, new_name: str, data: bytes) -> None:
        """Give a file that holds these bytes another name: one that is free, or of a file that holds them as well."""
        with self._parent(path) as (folder, name):
            is_there = folder.holds(new_name, data)
            if not is_there:
                folder.ensure_holds(new_name, None)
            with folder.taken(name, data) as aside:
                if not is_there:
                    folder.place(name, aside, new_name)

    def _made(self) -> bool:
        """Make the folder if it is not there. Return whether it was made."""
        try:
            # Whatever is in the folder is stored, and redacted in place: nobody means that of these.
            kept_out = Path(os.path.expanduser("~")), Path()  # noqa: PTH111 - Path.home() raises where there is none
            if any(_real(place).is_relative_to(_real(self.directory)) for place in kept_out):
                raise ConfigurationError("the folder must not be, or contain, your home or the working directory")
            self.directory.mkdir(mode=0o700, parents=True)
        except FileExistsError:
            return False
        except OSError as error:
            raise ConfigurationError(f"the folder can't be made: {error.strerror}") from None
        return True

    def _names(self, folder: OpenDirectory) -> list[str]:
        """Return what is in an open directory, without what a write that was killed left there."""
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
        """Add a file of an open directory, or tell what keeps it from being one. Return it if it is a directory."""
        raw, name, data, is_directory = "/".join((ROOT, *segments)), segments[-1], None, False
        try:
            info = folder.info(name)
            if stat.S_ISREG(info.st_mode):
                if _is_the_mirrors(segments):
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
        """Give the directory of a file, and the file's name."""
        with self._opened(path.segments[:-1], make=make) as folder:
            yield folder, path.name

    @contextmanager
    def _opened(self, segments: Sequence[str], *, make: bool = False) -> Iterator[OpenDirectory]:
        """Give a directory of the folder, opened through no symbolic link."""
        with ExitStack() as opened:
            descriptor = os.open(self.directory, DIRECTORY_FLAGS)
            opened.callback(os.close, descriptor)
            folder = OpenDirectory(descriptor, max_bytes=self._max_bytes)
            for depth, segment in enumerate(segments, 1):
                if make:
                    self._make("/".join(segments[:depth]), segment, folder)
                folder = opened.enter_context(folder.below(segment))
            yield folder

    def _make(self, relative: str, name: str, folder: OpenDirectory) -> None:
        """Make a directory in an open one, if there is none that is spelled like this."""
        if relative in self._directories:
            return
        try:
            os.mkdir(name, 0o700, dir_fd=folder.descriptor)
        except FileExistsError:
            if name not in folder.names():  # its files would be found by the other's spelling
                raise OSError(0, TAKEN) from None
        self._directories.add(relative)


def _is_the_mirrors(segments: tuple[str, ...]) -> bool:
    """Whether a path is the mirror's own: that of its note, its lock, or what is there while it writes."""
    return segments in {(STATE_NAME,), (_LOCK_NAME,)} or any(map(TEMPORARY.fullmatch, segments))


def _real(place: Path) -> Path:
    return Path(os.path.realpath(place))  # Path.resolve() raises for a loop of links, in some versions of Python
