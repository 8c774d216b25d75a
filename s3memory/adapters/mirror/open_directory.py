"""`OpenDirectory`: the files of a directory on the disk, reached by its descriptor and through no symbolic link.

Programs write there at any time: only what is still as it was read is written over or removed.
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
"""What the names of a mirror's own files begin with."""

DIRECTORY_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
TAKEN: Final = "its name is taken there, perhaps by one that differs in case alone"

_TEMPORARY_BYTES = 8
TEMPORARY: Final = re.compile(rf"{re.escape(OWN_NAME)}-[0-9a-f]{{{2 * _TEMPORARY_BYTES}}}")
"""The name of what is there while something is written or taken."""
_CHANGED = "it was changed meanwhile"
_A_DIRECTORY = "a directory has its name there"


class OpenDirectory:
    """A directory that is open. Its methods raise `OSError` where they can't do what they are to do.

    Args:
        descriptor: the directory's. Whoever opened it closes it.
        max_bytes: a larger file is not read.
    """

    def __init__(self, descriptor: int, *, max_bytes: int) -> None:
        self.descriptor = descriptor
        self._max_bytes = max_bytes

    @contextmanager
    def below(self, name: str) -> Iterator[OpenDirectory]:
        """Give a directory in this one."""
        descriptor = os.open(name, DIRECTORY_FLAGS, dir_fd=self.descriptor)
        try:
            yield OpenDirectory(descriptor, max_bytes=self._max_bytes)
        finally:
            os.close(descriptor)

    def names(self) -> list[str]:
        """Return the names of what is in it."""
        return os.listdir(self.descriptor)  # noqa: PTH208 - a descriptor

    def info(self, name: str) -> os.stat_result:
        """Return what the disk says of something in it; of a link, not of what that leads to."""
        return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)

    def is_directory(self, name: str) -> bool:
        """Whether something in it is a directory."""
        return stat.S_ISDIR(self.info(name).st_mode)

    def read(self, name: str, info: os.stat_result, *, max_bytes: int | None = None) -> bytes:
        """Return the bytes of a regular file of which this was said; raise `RefusedError` if it is none, or too large.

        `max_bytes` is the directory's if left out.
        """
        max_bytes = self._max_bytes if max_bytes is None else max_bytes
        if stat.S_ISLNK(info.st_mode):
            raise InvalidInputError("it is a symbolic link")
        if not stat.S_ISREG(info.st_mode):
            raise InvalidInputError("it is not a regular file")
        # Whatever it is by now: a pipe would keep the reader waiting, and a link lead elsewhere.
        opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=self.descriptor)
        with open(opened, "rb") as file:  # noqa: PTH123 - a descriptor
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise InvalidInputError("it is not a regular file")
            data = file.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise InvalidInputError(f"it is larger than {max_bytes} bytes, which is the limit")
        return data

    def holds(self, name: str, data: bytes | None) -> bool:
        """Whether a file in it has these bytes now; with `None`, whether nothing has its name."""
        try:
            info = self.info(name)
            return data is not None and self.read(name, info) == data
        except FileNotFoundError:
            return data is None
        except RefusedError:
            return False

    def ensure_holds(self, name: str, data: bytes | None) -> None:
        """Raise where `holds` says no."""
        if not self.holds(name, data):
            raise OSError(0, _CHANGED if data is not None else _A_DIRECTORY if self.is_directory(name) else TAKEN)

    @contextmanager
    def written(self, data: bytes) -> Iterator[str]:
        """Give the name of a new file in it that holds these bytes, for it to take the place of another."""
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
    def taken(self, name: str, data: bytes) -> Iterator[OpenDirectory]:
        """Take a file that holds these bytes out of it, and remove it in the end. Give the directory where it is.

        Only there can it be looked at with nothing saved over it. If it was, just before, it goes back, as it does if
        something fails.
        """
        self.ensure_holds(name, data)  # what was changed long before need not go back and forth
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
        """Give a file of a directory a free name in this one, beside its own or in place of it.

        `os.replace` would drop what has that name by now.
        """
        old, new = of.descriptor, self.descriptor
        try:
            os.link(name, new_name, src_dir_fd=old, dst_dir_fd=new, follow_symlinks=False)
        except FileExistsError:
            raise FileExistsError(EEXIST, _CHANGED) from None
        except OSError:  # it is a directory, or the file system has no hard links, which each says in its own way
            with suppress(FileNotFoundError):
                self.info(new_name)
                raise FileExistsError(EEXIST, _CHANGED) from None
            os.rename(name, new_name, src_dir_fd=old, dst_dir_fd=new)

    def clear(self, temporary: str) -> None:
        """Clear what was not finished: a new text goes; a taken file goes back, or beside what has its name by now."""
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
        """Remove a file, unless somebody was faster."""
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self.descriptor)


def _temporary() -> str:
    return f"{OWN_NAME}-{os.urandom(_TEMPORARY_BYTES).hex()}"
