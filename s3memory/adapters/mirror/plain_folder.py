"""`PlainFolder`: a folder of plain files as memory paths, locked while it is used, with a note of what is in it.

Nothing is read or written through a symbolic link. A link in the folder, a pipe, and what has no memory path is named
and left alone. Programs write to the folder at any time: only what is still as it was read is written over.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import EEXIST, ELOOP, EMLINK, ENOTDIR
from pathlib import Path
from typing import Final

from s3memory.errors import ConfigurationError, InvalidInputError, RefusedError
from s3memory.paths import ROOT, MemoryPath, shown

STATE_NAME: Final = ".s3memory-mirror"
"""The file in the folder that says what was pulled."""
_LOCK_NAME = f"{STATE_NAME}-lock"  # a file of its own: each note is another file
_TEMPORARY_BYTES = 8
_TEMPORARY = re.compile(rf"{re.escape(STATE_NAME)}-[0-9a-f]{{{2 * _TEMPORARY_BYTES}}}")

_NOTE = MemoryPath((STATE_NAME,))
_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NO_DIRECTORY = frozenset({ELOOP, EMLINK, ENOTDIR})  # systems differ in what a link is with these flags
_CHANGED = "it was changed meanwhile"
_A_DIRECTORY = "a directory has its name there"
_TAKEN = "its name is taken there, perhaps by one that differs in case alone"

Left = Callable[[str, str, bytes | None], object]
"""Is told what is left: its path, why, and its bytes as far as they are known. Of a directory, also for each file."""

_Directory = tuple[tuple[str, ...], tuple[str, str] | None]
"""Its segments; and where it has no memory path, what is told of all that is in it: a path, and why."""


class PlainFolder:
    """A folder on the disk. Its methods raise `OSError` where it can't hold what it is to hold, and leave it as it is.

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
            folder = os.open(self.directory, _DIRECTORY_FLAGS)
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
                info = os.stat(name, dir_fd=folder, follow_symlinks=False)
                return _regular(name, folder, info, info.st_size)
        except FileNotFoundError:
            return b""
        except (OSError, RefusedError) as error:
            raise ConfigurationError(f"{STATE_NAME} in the folder can't be read: {error}") from None

    @note.setter
    def note(self, data: bytes) -> None:
        with suppress(FileNotFoundError), self._parent(_NOTE) as (folder, name), _written(data, folder) as temporary:
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)

    def files(self, left: Left) -> dict[MemoryPath, bytes]:
        """Return the regular files of the folder; none where it was removed.

        While it is locked, what a write that was killed left in it is cleared. `left` is called with each path that is
        not a file, or has no memory path, why, and the bytes of what is a file. Of a directory without a memory path,
        it is called with the directory's own path, for all that is in it as well.
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
        """Have a file hold these bytes, all at once, in place of those in `over`: `None` where there is no file."""
        if _is_the_mirrors(path.segments):
            raise OSError(0, "the mirror needs its name for itself")
        with self._parent(path, make=True) as (folder, name), _written(data, folder) as temporary:
            if over is None:
                self._ensure_holds(name, folder, None)
                _place(temporary, folder, name, folder)
            else:
                with self._taken(name, folder, over):
                    _place(temporary, folder, name, folder)

    def unlink(self, path: MemoryPath, data: bytes) -> None:
        """Remove a file that holds these bytes, and the directories that are empty without it: memories have none."""
        with self._parent(path) as (folder, name), self._taken(name, folder, data):
            pass
        with suppress(OSError):  # something else is in it
            for depth in range(len(path.segments) - 1, 0, -1):
                with self._parent(MemoryPath(path.segments[:depth])) as (folder, name):
                    os.rmdir(name, dir_fd=folder)
                self._directories.discard("/".join(path.segments[:depth]))

    def rename(self, path: MemoryPath, new_name: str, data: bytes) -> None:
        """Give a file that holds these bytes another name: one that is free, or of a file that holds them as well."""
        with self._parent(path) as (folder, name):
            is_there = self._holds(new_name, folder, data)
            if not is_there:
                self._ensure_holds(new_name, folder, None)
            with self._taken(name, folder, data) as aside:
                if not is_there:
                    _place(name, aside, new_name, folder)

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

    def _names(self, folder: int) -> list[str]:
        """Return what is in an open directory, without what a write that was killed left there."""
        if self.is_locked:
            for temporary in filter(_TEMPORARY.fullmatch, os.listdir(folder)):
                _clear(temporary, folder)
        return os.listdir(folder)

    def _add(
        self,
        segments: tuple[str, ...],
        folder: int,
        files: dict[MemoryPath, bytes],
        left: Left,
        unfit: tuple[str, str] | None,
    ) -> list[_Directory]:
        """Add a file of an open directory, or tell what keeps it from being one. Return it if it is a directory."""
        raw, name, data, is_directory = "/".join((ROOT, *segments)), segments[-1], None, False
        try:
            info = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISREG(info.st_mode):
                if _is_the_mirrors(segments):
                    return []
                data = _regular(name, folder, info, self._max_bytes)
            is_directory = stat.S_ISDIR(info.st_mode)
            path = MemoryPath.parse(raw)
            if str(path) != raw:
                raise InvalidInputError("its name is not a canonical memory path")
            if not is_directory:
                files[path] = _regular(name, folder, info, self._max_bytes) if data is None else data
        except OSError as error:
            left(*(unfit or (shown(raw), f"it can't be read: {error.strerror}")), None)
        except RefusedError as error:
            unfit = unfit or (shown(raw), str(error))
            left(*unfit, data)
        return [(segments, unfit)] if is_directory else []

    @contextmanager
    def _taken(self, name: str, folder: int, data: bytes) -> Iterator[int]:
        """Take a file that holds these bytes out of an open directory, and remove it in the end. Give where it is.

        Only there can it be looked at with nothing saved over it. If it was, just before, it goes back, as it does if
        something fails.
        """
        self._ensure_holds(name, folder, data)  # what was changed long before need not go back and forth
        temporary = _temporary()
        os.mkdir(temporary, 0o700, dir_fd=folder)
        try:
            with _below(temporary, folder) as aside:
                os.rename(name, name, src_dir_fd=folder, dst_dir_fd=aside)
                self._ensure_holds(name, aside, data)
                yield aside
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=aside)
        finally:
            _clear(temporary, folder)

    def _ensure_holds(self, name: str, folder: int, data: bytes | None) -> None:
        if not self._holds(name, folder, data):
            raise OSError(0, _CHANGED if data is not None else _A_DIRECTORY if _is_directory(name, folder) else _TAKEN)

    def _holds(self, name: str, folder: int, data: bytes | None) -> bool:
        """Whether a file of an open directory has these bytes now; with `None`, whether nothing has its name."""
        try:
            info = os.stat(name, dir_fd=folder, follow_symlinks=False)
            return data is not None and _regular(name, folder, info, self._max_bytes) == data
        except FileNotFoundError:
            return data is None
        except RefusedError:
            return False

    @contextmanager
    def _parent(self, path: MemoryPath, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """Give a descriptor of the directory of a file, through no symbolic link, and the file's name."""
        with self._opened(path.segments[:-1], make=make) as folder:
            yield folder, path.name

    @contextmanager
    def _opened(self, segments: Sequence[str], *, make: bool = False) -> Iterator[int]:
        """Give a descriptor of a directory of the folder, through no symbolic link."""
        folder = os.open(self.directory, _DIRECTORY_FLAGS)
        try:
            for depth, segment in enumerate(segments, 1):
                if make:
                    self._make("/".join(segments[:depth]), segment, folder)
                below = os.open(segment, _DIRECTORY_FLAGS, dir_fd=folder)
                os.close(folder)
                folder = below
            yield folder
        finally:
            os.close(folder)

    def _make(self, relative: str, name: str, folder: int) -> None:
        """Make a directory in an open one, if there is none that is spelled like this."""
        if relative in self._directories:
            return
        try:
            os.mkdir(name, 0o700, dir_fd=folder)
        except FileExistsError:
            if name not in os.listdir(folder):  # its files would be found by the other's spelling
                raise OSError(0, _TAKEN) from None
        self._directories.add(relative)


@contextmanager
def _written(data: bytes, folder: int) -> Iterator[str]:
    """Give the name of a new file of an open directory that holds these bytes, for it to take the place of another."""
    temporary = _temporary()
    opened = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
    try:
        with open(opened, "wb") as file:  # noqa: PTH123 - a descriptor
            file.write(data)
        yield temporary
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=folder)


@contextmanager
def _below(name: str, folder: int) -> Iterator[int]:
    """Give a descriptor of a directory of an open one."""
    below = os.open(name, _DIRECTORY_FLAGS, dir_fd=folder)
    try:
        yield below
    finally:
        os.close(below)


def _place(name: str, folder: int, new_name: str, new_folder: int) -> None:
    """Give a file a name that is free, beside its own or in place of it. `os.replace` would drop what has it by now."""
    try:
        os.link(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder, follow_symlinks=False)
    except FileExistsError:
        raise FileExistsError(EEXIST, _CHANGED) from None
    except OSError:  # it is a directory, or the file system has no hard links, which each says in its own way
        with suppress(FileNotFoundError):
            os.stat(new_name, dir_fd=new_folder, follow_symlinks=False)
            raise FileExistsError(EEXIST, _CHANGED) from None
        os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder)


def _clear(temporary: str, folder: int) -> None:
    """Clear what was not finished: a new text goes; a file that was taken goes back, or beside what has its name."""
    if not _is_directory(temporary, folder):
        os.unlink(temporary, dir_fd=folder)
        return
    with _below(temporary, folder) as aside:
        for name in os.listdir(aside):  # noqa: PTH208 - a descriptor
            try:
                _place(name, aside, name, folder)
            except FileExistsError:
                _place(name, aside, temporary.replace(STATE_NAME, "conflict"), folder)
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=aside)
    os.rmdir(temporary, dir_fd=folder)


def _temporary() -> str:
    return f"{STATE_NAME}-{os.urandom(_TEMPORARY_BYTES).hex()}"


def _is_directory(name: str, folder: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _is_the_mirrors(segments: tuple[str, ...]) -> bool:
    """Whether a path is the mirror's own: that of its note, its lock, or what is there while it writes."""
    return segments in {(STATE_NAME,), (_LOCK_NAME,)} or any(map(_TEMPORARY.fullmatch, segments))


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
