"""Sources of imports: they yield files with their names and bytes, and with the problem of each that can't be taken."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from s3memory._arguments import naming_file
from s3memory.errors import ConfigurationError, InvalidInputError

# The last two exist only on POSIX.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

MAX_FILES = 1_000_000
"""No memory has more files."""


# The first bytes of packed files. Nothing here unpacks them.
_PACKED = {
    b"\x1f\x8b": "compressed with gzip: decompress it",
    b"\x28\xb5\x2f\xfd": "compressed with zstd: decompress it",
    b"BZh": "compressed with bzip2: decompress it",
    b"\xfd7zXZ\x00": "compressed with xz: decompress it",
    b"PK\x03\x04": "a zip file: unpack it",
    b"-----BEGIN AGE ENCRYPTED FILE-----": "encrypted with age and armored, and only binary age is read: decrypt it",
}


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of a source.

    Attributes:
        name: its path below ``/memories``.
        data: its bytes; empty if there is a problem.
        problem: why it can't be imported, as a clause; ``None`` if no problem is known.
        origin: its name in the source, if that differs from `name`.
        is_left_out: it is left out on purpose, because it is not a memory. That is not a failure.
        is_unreadable: it can't be read from the disk.
    """

    name: str
    data: bytes = b""
    problem: str | None = None
    origin: str | None = None
    is_left_out: bool = False
    is_unreadable: bool = False


class Source(Protocol):
    """A source of an import. It is read more than once: an import checks everything before it writes anything."""

    def files(self) -> Iterator[SourceFile]:
        """Yield all files.

        Raises:
            InvalidInputError: the source as a whole is damaged, or not a source of this kind.
            ConfigurationError: it can't be read.
        """


@dataclass(frozen=True)
class PathSource:
    """The base class of sources on the disk.

    Attributes:
        path: the file or folder.
        max_bytes: larger memory files are refused.
    """

    path: Path
    max_bytes: int


class FolderSource(PathSource):
    """A folder of text files, such as that of the SDK's `BetaLocalFilesystemMemoryTool`.

    It becomes ``/memories``. If it has a subfolder ``memories``, as the SDK's tool creates it, that becomes
    ``/memories``.
    """

    def files(self) -> Iterator[SourceFile]:
        """Yield all files below the folder, sorted by name. Links are not followed."""
        root = self.path / "memories"
        with naming_file(self.path):
            has_root = root.is_dir() and not root.is_symlink()
            has_others = any(entry != root for entry in self.path.iterdir())
        if not has_root:
            root = self.path
        elif has_others:
            raise InvalidInputError(
                "The folder has a subfolder memories and other files next to it. Name the folder that is to become "
                "/memories, or one that contains nothing but the subfolder."
            )
        for file in entries_below(root):
            yield read_file(file, file.relative_to(root).as_posix(), self.max_bytes)


def entries_below(root: Path, *, enters: Callable[[Path], bool] = lambda _: True) -> Iterator[Path]:
    """Yield all files and links below a folder, sorted by name. Links to folders are not followed.

    Args:
        root: the folder.
        enters: returns whether to enter a subfolder.

    Raises:
        InvalidInputError: there are too many files. ConfigurationError: a folder can't be read.
    """
    count = 0
    for directory, folders, names in os.walk(root, onerror=_raise):
        links = [name for name in folders if Path(directory, name).is_symlink()]
        folders[:] = sorted(name for name in folders if name not in links and enters(Path(directory, name)))
        for name in sorted((*names, *links)):
            count += 1
            if count > MAX_FILES:
                raise damaged("the folder has too many files")
            yield Path(directory, name)


def read_file(file: Path, name: str, max_bytes: int) -> SourceFile:
    """Return a file from the disk under its name in the memory, perhaps with a problem. A link is not followed.

    Args:
        file: the file on the disk.
        name: its path below ``/memories``.
        max_bytes: a larger file is a problem.
    """
    try:
        # A link may lead anywhere, and a pipe would block.
        descriptor = os.open(file, _OPEN_FLAGS)
        with os.fdopen(descriptor, "rb") as opened:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return SourceFile(name, problem="is not a regular file")
            data = opened.read(max_bytes + 1)
    except (OSError, ValueError):
        is_link = file.is_symlink()
        return SourceFile(name, problem="is a link" if is_link else "can't be read", is_unreadable=not is_link)
    return bounded(name, data, max_bytes)


def read_bounded(file: Path, max_bytes: int, *, follows_links: bool = True) -> bytes:
    """Return the content of a file.

    Args:
        file: the file.
        max_bytes: a larger file is refused.
        follows_links: follow a link: the user named the file, and may mean the target.

    Raises:
        InvalidInputError: it is too large, a link that is not followed, or not a regular file.
        ConfigurationError: it can't be read.
    """
    taken = read_file(file.resolve() if follows_links else file, file.name, max_bytes)
    if taken.is_unreadable:
        raise ConfigurationError(f"{file} can't be read")
    if taken.problem is not None:
        raise damaged(f"{file.name} {taken.problem}")
    return taken.data


def bounded(name: str, data: bytes, max_bytes: int) -> SourceFile:
    """Return a file. If it is too large, that is its problem."""
    if len(data) > max_bytes:
        return SourceFile(name, problem="is too large")
    return SourceFile(name, data)


def bounded_text(name: str, text: str, max_bytes: int) -> SourceFile:
    """Return a text as a file. Its problem may be that it is too large or not Unicode."""
    try:
        return bounded(name, text.encode("utf-8"), max_bytes)
    except UnicodeEncodeError:
        return SourceFile(name, problem="is not Unicode text")


def with_hash(file: SourceFile, sha256: object) -> SourceFile:
    """Return a file. If its SHA-256 in hexadecimal is not this one, that is its problem."""
    if file.problem is None and hashlib.sha256(file.data).hexdigest() != sha256:
        return SourceFile(file.name, problem="is not what was exported: its hash differs")
    return file


def refuse_packed(beginning: bytes) -> None:
    """Refuse a source whose first bytes show that it is compressed, zipped or armored.

    Raises:
        InvalidInputError: it is packed; the text says what to do first.
    """
    for magic, what in _PACKED.items():
        if beginning.startswith(magic):
            raise InvalidInputError(f"The source is {what} first. Nothing was imported.")


def damaged(why: str) -> InvalidInputError:
    """Return the error for a source that is damaged as a whole."""
    return InvalidInputError(f"The source is damaged: {why}. Nothing was imported.")


def _raise(error: OSError) -> None:
    raise ConfigurationError(f"{error.filename} can't be read: {error.strerror}") from None
