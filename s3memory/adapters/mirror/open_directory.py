"""`OpenDirectory`: the files of a directory on disk, accessed by its descriptor and never through a symbolic link.

Programs may write there at any time, so a file is overwritten or removed only if it is unchanged since it was read.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EEXIST
from typing import Final

from s3memory.errors import InvalidInputError, RefusedError

OWN_NAME: Final = ".s3memory-mirror"
"""The prefix of the names of a mirror's own files."""

DIRECTORY_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
TAKEN: Final = "its name is taken there, perhaps by one that differs only in case"

_TEMPORARY_BYTES = 8
TEMPORARY: Final = re.compile(rf"{re.escape(OWN_NAME)}-[0-9a-f]{{{2 * _TEMPORARY_BYTES}}}")
"""The name of a temporary file, or of a directory for a file that is set aside."""
_CHANGED = "it was changed meanwhile"
_A_DIRECTORY = "a directory has its name there"


class OpenDirectory:
    """An open directory. Its methods raise `OSError` if they fail.

    Args:
        descriptor: the directory's descriptor. Whoever opened it closes it.
        max_bytes: larger files are refused.
    """

    def __init__(self, descriptor: int, *, max_bytes: int) -> None:
        self.descriptor = descriptor
        self._max_bytes = max_bytes

    @contextmanager
    def below(self, name: str) -> Iterator[OpenDirectory]:
        """Open a subdirectory."""
        descriptor = os.open(name, DIRECTORY_FLAGS, dir_fd=self.descriptor)
        try:
            yield OpenDirectory(descriptor, max_bytes=self._max_bytes)
        finally:
            os.close(descriptor)

    def names(self) -> list[str]:
        """Return the names of its entries."""
        return os.listdir(self.descriptor)  # noqa: PTH208 - a descriptor

    def info(self, name: str) -> os.stat_result:
        """Return the status of an entry; of a link itself, not of its target."""
        return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)

    def is_directory(self, name: str) -> bool:
        """Whether an entry is a directory."""
        return stat.S_ISDIR(self.info(name).st_mode)

    def read(self, name: str, info: os.stat_result, *, max_bytes: int | None = None) -> bytes:
        """Return the bytes of a regular file with this status; raise `RefusedError` if it is not one, or too large.

        `max_bytes` defaults to the directory's.
        """
        max_bytes = self._max_bytes if max_bytes is None else max_bytes
        if stat.S_ISLNK(info.st_mode):
            raise InvalidInputError("it is a symbolic link")
        if not stat.S_ISREG(info.st_mode):
            raise InvalidInputError("it is not a regular file")
        # It may have been replaced meanwhile: opening a pipe would block, and a link would lead elsewhere.
        opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=self.descriptor)
        with open(opened, "rb") as file:  # noqa: PTH123 - a descriptor
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise InvalidInputError("it is not a regular file")
            data = file.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise InvalidInputError(f"it is larger than {max_bytes} bytes, which is the limit")
        return data

    def holds(self, name: str, data: bytes | None) -> bool:
        """Whether a file has these bytes now; with `None`, whether there is no entry of that name."""
        try:
            info = self.info(name)
            return data is not None and self.read(name, info) == data
        except FileNotFoundError:
            return data is None
        except RefusedError:
            return False

    def ensure_holds(self, name: str, data: bytes | None) -> None:
        """Raise `OSError` unless `holds` is true."""
        if not self.holds(name, data):
            raise OSError(0, _CHANGED if data is not None else _A_DIRECTORY if self.is_directory(name) else TAKEN)

    @contextmanager
    def new_file(self, data: bytes) -> Iterator[str]:
        """Write these bytes to a temporary file, and yield its name. The caller moves the file to its place."""
        temporary = _temporary()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        opened = os.open(temporary, flags, 0o600, dir_fd=self.descriptor)
        try:
            with open(opened, "wb") as file:  # noqa: PTH123 - a descriptor
                file.write(data)
            yield temporary
        finally:
            self.unlink(temporary)

    @contextmanager
    def set_aside(self, name: str, data: bytes) -> Iterator[OpenDirectory]:
        """Move a file with these bytes to a temporary directory, yield that, and remove the file at the end.

        Only there can the file be checked without being overwritten meanwhile. If it was changed just before the move,
        or something fails, it is moved back.
        """
        self.ensure_holds(name, data)  # so that a file that was changed earlier is not moved at all
        temporary = _temporary()
        os.mkdir(temporary, 0o700, dir_fd=self.descriptor)
        try:
            with self.below(temporary) as aside:
                os.rename(name, name, src_dir_fd=self.descriptor, dst_dir_fd=aside.descriptor)
                aside.ensure_holds(name, data)
                yield aside
                aside.unlink(name)
        finally:
            self.clear(temporary)

    def place(self, name: str, of: OpenDirectory, new_name: str) -> None:
        """Link or move a file of another directory to a free name in this one.

        `os.replace` would overwrite a file that has got that name meanwhile.
        """
        old, new = of.descriptor, self.descriptor
        try:
            os.link(name, new_name, src_dir_fd=old, dst_dir_fd=new, follow_symlinks=False)
        except FileExistsError:
            raise FileExistsError(EEXIST, _CHANGED) from None
        except OSError:  # it is a directory, or the file system has no hard links, whose errors differ
            with suppress(FileNotFoundError):
                self.info(new_name)
                raise FileExistsError(EEXIST, _CHANGED) from None
            os.rename(name, new_name, src_dir_fd=old, dst_dir_fd=new)

    def clear(self, temporary: str) -> None:
        """Clean up an unfinished write: remove a new file, or move a set-aside file back, if needed to another name."""
        if not self.is_directory(temporary):
            os.unlink(temporary, dir_fd=self.descriptor)
            return
        with self.below(temporary) as aside:
            for name in aside.names():
                try:
                    self.place(name, aside, name)
                except FileExistsError:
                    self.place(name, aside, temporary.replace(OWN_NAME, "conflict"))
                aside.unlink(name)
        os.rmdir(temporary, dir_fd=self.descriptor)

    def unlink(self, name: str) -> None:
        """Remove a file, unless it is already gone."""
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self.descriptor)


def _temporary() -> str:
    return f"{OWN_NAME}-{os.urandom(_TEMPORARY_BYTES).hex()}"
