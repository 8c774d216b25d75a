"""Lists a tenant's files with sizes and times, now or as of a moment, and sums up the usage of directories."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from s3memory.admin.versions.point_in_time import older_versions, tree_at
from s3memory.audit.recording import audited
from s3memory.contract import messages
from s3memory.contract.views import count_lines
from s3memory.format.envelope import sealed_generation
from s3memory.format.object_keys import text_size_bytes
from s3memory.paths import MemoryPath
from s3memory.store.memory_store import MemoryStore


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file in a listing.

    Attributes:
        path: the file.
        size_bytes: its plaintext size; `None` for an object of a size that no file has.
        modified: when it was stored.
        version_id: its version; `None` in a listing of current files, since S3 does not include it there.
    """

    path: MemoryPath
    size_bytes: int | None
    modified: datetime
    version_id: str | None = None


@dataclass(frozen=True, slots=True)
class FileStatus:
    """All that is known about a file.

    Attributes:
        path: the file.
        size_bytes: its plaintext size.
        lines: the number of lines, as an editor counts them.
        sha256: hash of its plaintext, in hexadecimal.
        modified: when it was stored.
        version_id: its version, if the server reports one.
        generation: the generation of the data key that it is sealed under.
        actor: who stored it, according to the program that did.
        has_bad_actor: it has an actor label that does not open.
    """

    path: MemoryPath
    size_bytes: int
    lines: int
    sha256: str
    modified: datetime
    version_id: str | None
    generation: int
    actor: str | None
    has_bad_actor: bool


@dataclass(slots=True)
class FolderUsage:
    """How much is stored at and below a path.

    Attributes:
        path: a directory or a file.
        files: how many files.
        size_bytes: their plaintext size.
        versions: how many older versions, those of deleted files included; 0 unless they were asked for.
        versions_bytes: their plaintext size.
        newest: when the newest of the files was stored.
    """

    path: MemoryPath
    files: int = 0
    size_bytes: int = 0
    versions: int = 0
    versions_bytes: int = 0
    newest: datetime | None = None


@audited("ls")
def list_files(store: MemoryStore, path: MemoryPath, *, moment: datetime | None = None) -> Iterator[FileEntry]:
    """Yield the files at and below a path, in the order of their object keys: one LIST per 1,000, in bounded memory.

    Objects that are not files are left out: `verify` reports them.

    Args:
        store: the tenant's files.
        path: a directory or a file.
        moment: list the files as of this moment, as far as the bucket keeps versions; as of now by default.

    Raises:
        IntegrityError: the key ring does not open. BackendError: S3 or the key wrapper could not be reached.
    """
    if moment is not None:
        for file_path, version in tree_at(store, path, moment):
            yield FileEntry(file_path, text_size_bytes(version.size_bytes), version.modified, version.version_id)
        return
    ring = store.key_ring.existing()
    for file_path, listed in () if ring is None else store.objects.listed_files(ring, path):
        yield FileEntry(file_path, text_size_bytes(listed.size_bytes), listed.modified)


@audited("stat")
def file_status(store: MemoryStore, path: MemoryPath) -> FileStatus | None:
    """Return all that is known about a file, or `None` if there is no file (a directory is not one). Costs one GET.

    Raises:
        IntegrityError: it does not open. BackendError: S3 or the key wrapper could not be reached.
    """
    ring = store.key_ring.existing()
    if ring is None or path.is_root:
        return None
    stored = store.objects.get(store.objects.key_of(ring, path))
    if stored is None:
        return None
    text = store.texts.open(ring, path, stored.body)
    data = text.encode("utf-8")
    actor, has_bad_actor = store.texts.open_actor(ring, path, stored)
    return FileStatus(
        path=path,
        size_bytes=len(data),
        lines=count_lines(text),
        sha256=hashlib.sha256(data).hexdigest(),
        modified=stored.info.modified,
        version_id=stored.info.version_id,
        generation=sealed_generation(stored.body),
        actor=actor,
        has_bad_actor=has_bad_actor,
    )


@audited("stat")
def status(store: MemoryStore, path: MemoryPath) -> FileStatus | FolderUsage:
    """Return all that is known about a file, or the usage of a directory.

    Raises:
        NotFoundError: there is nothing at the path.
        IntegrityError, BackendError: as `file_status`.
    """
    return file_status(store, path) or usage(store, path)[0]


@audited("du")
def usage(
    store: MemoryStore, path: MemoryPath, *, depth: int = 0, with_versions: bool = False, moment: datetime | None = None
) -> list[FolderUsage]:
    """Return how much is stored at and below a path, and in the directories below it.

    Args:
        store: the tenant's files.
        path: a directory or a file.
        depth: how many levels of directories get an entry of their own.
        with_versions: count older versions as well: one ``ListObjectVersions`` per 1,000.
        moment: the usage as of this moment; as of now by default.

    Returns:
        The path itself, then the directories below it, sorted by path.

    Raises:
        NotFoundError: there is nothing at the path.
        IntegrityError, BackendError: as `list_files`.
    """
    total = FolderUsage(path)
    by_path = {path: total}
    for entry in list_files(store, path, moment=moment):
        for one in _entries_for(by_path, path, entry.path, depth):
            one.files += 1
            one.size_bytes += entry.size_bytes or 0
            one.newest = entry.modified if one.newest is None else max(one.newest, entry.modified)
    for file_path, version in older_versions(store, path, moment=moment) if with_versions else ():
        for one in _entries_for(by_path, path, file_path, depth):
            one.versions += 1
            one.versions_bytes += text_size_bytes(version.size_bytes) or 0
    if not (total.files or total.versions or path.is_root):
        raise messages.not_found(path)
    return [by_path[one] for one in sorted(by_path)]


def _entries_for(
    by_path: dict[MemoryPath, FolderUsage], root: MemoryPath, path: MemoryPath, depth: int
) -> Iterator[FolderUsage]:
    """Yield the entries in which a file counts: `root`, and the directories above the file down to `depth`."""
    n_above = len(root.segments)
    for length in range(n_above, max(n_above + 1, min(len(path.segments), n_above + depth + 1))):
        directory = MemoryPath(path.segments[:length])
        yield by_path.setdefault(directory, FolderUsage(directory))
