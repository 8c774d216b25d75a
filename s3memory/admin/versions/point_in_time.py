"""Older versions of files in a bucket with versioning, by their id or by a time: read and compared.

S3's times are in seconds. A version of the same second as a moment counts as before it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from s3memory.admin.versions.tombstones import tombstones_of
from s3memory.audit.recording import audited
from s3memory.contract import messages
from s3memory.contract.views import shown_time, split_lines
from s3memory.errors import InvalidInputError, NotFoundError
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.paths import MemoryPath
from s3memory.s3.objects import StoredObject
from s3memory.s3.versions import ListedVersion
from s3memory.store.memory_store import MemoryStore


@dataclass(frozen=True, slots=True)
class Compared:
    """Two versions of a file, and what they say."""

    older: ListedVersion
    newer: ListedVersion
    older_text: str
    newer_text: str

    def unified(self, *, names: tuple[str, str], times: tuple[str, str]) -> list[str]:
        """Return the lines of a unified diff, with these names and times of the two; none where both say the same."""
        lines = _lines(self.older_text), _lines(self.newer_text)
        return list(difflib.unified_diff(*lines, names[0], names[1], times[0], times[1], lineterm=""))


def versions_of(store: MemoryStore, path: MemoryPath) -> Iterator[ListedVersion]:
    """Yield the versions of a file and the marks of its deletions, the newest first (``ListObjectVersions``).

    Raises:
        IntegrityError: the tenant's key ring does not open. BackendError: S3 did not answer or refused.
    """
    ring = store.key_ring.existing()
    if ring is None or path.is_root:
        return iter(())
    return store.objects.versions.of(store.objects.key_of(ring, path))


def file_versions(store: MemoryStore, path: MemoryPath) -> Iterator[tuple[MemoryPath, Iterator[ListedVersion]]]:
    """Yield the files at and below a path, each with what `versions_of` yields of it, which says what is raised."""
    ring = store.key_ring.existing()
    return iter(()) if ring is None else store.objects.versions_of_files(ring, path)


def older_versions(
    store: MemoryStore, path: MemoryPath, *, moment: datetime | None = None
) -> Iterator[tuple[MemoryPath, ListedVersion]]:
    """Yield the older versions of these files, deleted files included; for a moment, those that were older then.

    What was current then, or was stored since, is not among them.
    """
    for file_path, versions in file_versions(store, path):
        if moment is None:
            older = (one for one in versions if one.is_older)
        else:
            stored = (one for one in versions if one.modified <= moment)
            older = (one for one in islice(stored, 1, None) if not one.is_delete_marker)
        yield from ((file_path, one) for one in older)


def version_of(
    store: MemoryStore, path: MemoryPath, *, version_id: str | None = None, moment: datetime | None = None
) -> ListedVersion:
    """Return the version of a file that has this id, or was the current one at a moment.

    Args:
        store: the tenant's files.
        path: the file.
        version_id: which version; this, or
        moment: when: a time with a time zone.

    Raises:
        NotFoundError: there is none: it never was, was destroyed since (that it was redacted is told), or the file was
            deleted then.
        IntegrityError, BackendError: as `versions_of`.
    """
    for version in versions_of(store, path):
        if version.version_id == version_id or (moment is not None and version.modified <= moment):
            if version.is_delete_marker:
                break
            return version
    if version_id is not None:
        tombstone = tombstones_of(store, path).by_version_id.get(version_id)
        if tombstone is not None:
            raise NotFoundError(
                f"Version {version_id} of {path} was redacted at {shown_time(tombstone.redacted_at)}: "
                "its text is destroyed"
            )
    if moment is None:
        raise no_version(path, version_id)
    raise NotFoundError(f"The path {path} did not exist at {shown_time(moment)}, or that version is not kept")


def no_version(path: MemoryPath, version_id: str | None = None) -> NotFoundError:
    """Return the error of a version that is not there; without an id, of a file of which there is none any more."""
    if version_id is None:
        return NotFoundError(f"The path {path} does not exist, and no version of it is kept")
    return NotFoundError(f"There is no version {version_id} of {path}")


def tree_at(store: MemoryStore, path: MemoryPath, moment: datetime) -> Iterator[tuple[MemoryPath, ListedVersion]]:
    """Yield the files at and below a path as they were at a moment, by their object keys.

    One ``ListObjectVersions`` for 1,000 versions below the path, in bounded memory. What S3 no longer keeps is not
    there: versions that a lifecycle rule or an operator destroyed since. Of a directory that was being renamed then,
    files can be at both places.

    Args:
        store: the tenant's files.
        path: a directory or a file.
        moment: a time with a time zone.

    Raises:
        IntegrityError, BackendError: as `versions_of`.
    """
    for file_path, versions in file_versions(store, path):
        version = next((one for one in versions if one.modified <= moment), None)
        if version is not None and not version.is_delete_marker:
            yield file_path, version


@audited("cat")
def read_text(
    store: MemoryStore, path: MemoryPath, *, version_id: str | None = None, moment: datetime | None = None
) -> str:
    """Return the text of a file: its current one, that of a version, or that of a moment.

    Args:
        store: the tenant's files.
        path: the file.
        version_id: which version.
        moment: when: a time with a time zone.

    Raises:
        NotFoundError: there is no such file or version, or it is not kept any more.
        InvalidInputError: it is a directory.
        IntegrityError, KeyRingError, BackendError: as `read_version`.
    """
    if version_id is not None or moment is not None:
        version = version_of(store, path, version_id=version_id, moment=moment)
        return read_version(store, path, version.version_id)
    file = store.read(path)
    if file is None:
        if store.files.has_directory(path):
            raise InvalidInputError(f"{path} is a directory: cat prints one file. s3memory ls lists its files.")
        raise messages.not_found(path)
    return file.text


@audited("diff")
def compare(
    store: MemoryStore,
    path: MemoryPath,
    *,
    older: str | None = None,
    newer: str | None = None,
    moment: datetime | None = None,
) -> Compared:
    """Return two versions of a file.

    Args:
        store: the tenant's files.
        path: the file.
        older: the id of the one; if left out, that of the moment, or the one before the other.
        newer: the id of the other; the current one if left out.
        moment: a time with a time zone, in place of `older`.

    Raises:
        NotFoundError: one of them is not there, or not kept any more.
        InvalidInputError: it is a directory.
        IntegrityError: one does not open. BackendError: S3 or the key wrapper could not be reached.
    """
    there = [one for one in versions_of(store, path) if not one.is_delete_marker]
    if not there and store.files.has_directory(path):
        raise InvalidInputError(
            f"{path} is a directory: diff compares versions of one file. s3memory ls lists its files; "
            "s3memory restore --at TIME --dry-run tells which of them changed or are gone since."
        )
    if newer is not None:
        new = version_of(store, path, version_id=newer)
    elif there and there[0].is_latest:
        new = there[0]
    elif there:
        raise NotFoundError(
            f"The path {path} does not exist any more: name the newer version with --to. "
            "s3memory history lists the versions."
        )
    else:
        raise no_version(path)
    if older is not None or moment is not None:
        old = version_of(store, path, version_id=older, moment=moment)
    else:
        before = there[there.index(new) + 1 :]
        if not before:
            raise NotFoundError(f"No version of {path} before {new.version_id} is kept")
        old = before[0]
    return Compared(old, new, read_version(store, path, old.version_id), read_version(store, path, new.version_id))


def read_version(store: MemoryStore, path: MemoryPath, version_id: str) -> str:
    """Return the text of a version of a file.

    Raises:
        NotFoundError: it is not kept (any more).
        IntegrityError: it does not open. KeyRingError: its data key was retired.
        BackendError: S3 or the key wrapper could not be reached.
    """
    ring, stored = fetched(store, path, version_id)
    return store.texts.open(ring, path, stored.body)


def fetched(store: MemoryStore, path: MemoryPath, version_id: str) -> tuple[OpenKeyRing, StoredObject]:
    """Return a version of a file as it is stored, and the ring to open it with.

    Raises:
        NotFoundError, BackendError: as `read_version`.
    """
    ring = store.key_ring.existing()
    stored = None if ring is None else store.objects.get(store.objects.key_of(ring, path), version_id=version_id)
    if ring is None or stored is None:
        raise NotFoundError(f"Version {version_id} of {path} is not kept any more")
    return ring, stored


def _lines(text: str) -> list[str]:
    """Return the lines of a text as `count_lines` counts them, and as ``diff`` shows a last one."""
    *lines, last = split_lines(text)
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines
