"""Finds, reads and compares older versions of files in a bucket with versioning, by version id or by time.

S3's times are whole seconds. A version that was stored in the second of a moment counts as stored before it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, takewhile
from operator import eq

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

_MAX_COMPARED_LINES = 4_000
# What makes all lines of two texts differ: no line starts with a newline.
_OLDER, _NEWER = "\n-", "\n+"


@dataclass(frozen=True, slots=True)
class Compared:
    """Two versions of a file, with their texts."""

    older: ListedVersion
    newer: ListedVersion
    older_text: str
    newer_text: str

    def unified(self, *, names: tuple[str, str], times: tuple[str, str]) -> list[str]:
        """Return the lines of a unified diff with these names and times; none if both texts are the same.

        difflib takes minutes for some texts of 40 kB. So if very many lines in a row may differ, all of them count as
        different.
        """
        older, newer = _lines(self.older_text), _lines(self.newer_text)
        start = _n_same(older, newer)
        end = _n_same(older[start:][::-1], newer[start:][::-1])
        if len(older) + len(newer) - 2 * (start + end) > _MAX_COMPARED_LINES:
            for lines, mark in ((older, _OLDER), (newer, _NEWER)):
                lines[start : len(lines) - end] = [mark + line for line in lines[start : len(lines) - end]]
        diff = difflib.unified_diff(older, newer, names[0], names[1], times[0], times[1], lineterm="")
        return [line[:1] + line[1:].removeprefix(_OLDER).removeprefix(_NEWER) for line in diff]


def versions_of(store: MemoryStore, path: MemoryPath) -> Iterator[ListedVersion]:
    """Yield the versions and delete markers of a file, newest first (``ListObjectVersions``).

    Raises:
        IntegrityError: the tenant's key ring does not open. BackendError: S3 did not answer or refused.
    """
    ring = store.key_ring.existing()
    if ring is None or path.is_root:
        return iter(())
    return store.objects.versions.of(store.objects.key_of(ring, path))


def file_versions(store: MemoryStore, path: MemoryPath) -> Iterator[tuple[MemoryPath, Iterator[ListedVersion]]]:
    """Yield the files at and below a path, each with its versions and delete markers. Raises as `versions_of`."""
    ring = store.key_ring.existing()
    return iter(()) if ring is None else store.objects.versions_of_files(ring, path)


def older_versions(
    store: MemoryStore, path: MemoryPath, *, moment: datetime | None = None
) -> Iterator[tuple[MemoryPath, ListedVersion]]:
    """Yield the older versions of the files at and below a path, deleted files included.

    With a `moment`, yield the versions that were older ones at that moment already.
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
    """Return the version of a file that has this id, or that was current at a moment.

    Args:
        store: the tenant's files.
        path: the file.
        version_id: the id of the version.
        moment: a time with a time zone, instead of `version_id`.

    Raises:
        NotFoundError: there is no such version, it was destroyed (the text says so if it was redacted), or the file did
            not exist at that moment.
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
        raise no_version_error(path, version_id)
    raise NotFoundError(f"The path {path} did not exist at {shown_time(moment)}, or that version is not kept")


def no_version_error(path: MemoryPath, version_id: str | None = None) -> NotFoundError:
    """Return the error for a version that does not exist; without an id, for a file of which no version is kept."""
    if version_id is None:
        return NotFoundError(f"The path {path} does not exist, and no version of it is kept")
    return NotFoundError(f"There is no version {version_id} of {path}")


def tree_at(store: MemoryStore, path: MemoryPath, moment: datetime) -> Iterator[tuple[MemoryPath, ListedVersion]]:
    """Yield the files at and below a path as they were at a moment, in the order of their object keys.

    It costs one ``ListObjectVersions`` per 1,000 versions below the path, and runs in bounded memory. Versions that a
    lifecycle rule or an operator has destroyed since are missing. If a directory was being renamed at that moment, its
    files may appear at both places.

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
    """Return the text of a file: the current one, that of a version, or that of a moment.

    Args:
        store: the tenant's files.
        path: the file.
        version_id: the version.
        moment: a time with a time zone.

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
            raise InvalidInputError(f"{path} is a directory: cat prints one file. `s3memory ls` lists its files.")
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
    """Return two versions of a file with their texts.

    Args:
        store: the tenant's files.
        path: the file.
        older: the id of the older version; by default the one of `moment`, or else the one before `newer`.
        newer: the id of the newer version; the current one by default.
        moment: a time with a time zone, instead of `older`.

    Raises:
        NotFoundError: one of them does not exist, or is not kept any more.
        InvalidInputError: it is a directory.
        IntegrityError: one does not open. BackendError: S3 or the key wrapper could not be reached.
    """
    kept = [one for one in versions_of(store, path) if not one.is_delete_marker]
    if not kept and store.files.has_directory(path):
        raise InvalidInputError(
            f"{path} is a directory: diff compares versions of one file. `s3memory ls` lists its files; "
            "`s3memory restore --at TIME --dry-run` shows which of them have changed or disappeared since."
        )
    if newer is not None:
        new = version_of(store, path, version_id=newer)
    elif kept and kept[0].is_latest:
        new = kept[0]
    elif kept:
        raise NotFoundError(
            f"The path {path} does not exist any more: name the newer version with --to. "
            "`s3memory history` lists the versions."
        )
    else:
        raise no_version_error(path)
    if older is not None or moment is not None:
        old = version_of(store, path, version_id=older, moment=moment)
    else:
        before = kept[kept.index(new) + 1 :]
        if not before:
            raise NotFoundError(f"No version of {path} before {new.version_id} is kept")
        old = before[0]
    return Compared(old, new, read_version(store, path, old.version_id), read_version(store, path, new.version_id))


def read_version(store: MemoryStore, path: MemoryPath, version_id: str) -> str:
    """Return the text of a version of a file.

    Raises:
        NotFoundError: it is not kept.
        IntegrityError: it does not open. KeyRingError: its data key was retired.
        BackendError: S3 or the key wrapper could not be reached.
    """
    ring, stored = fetch_version(store, path, version_id)
    return store.texts.open(ring, path, stored.body)


def fetch_version(store: MemoryStore, path: MemoryPath, version_id: str) -> tuple[OpenKeyRing, StoredObject]:
    """Return a version of a file as it is stored, and the key ring to open it with.

    Raises:
        NotFoundError, BackendError: as `read_version`.
    """
    ring = store.key_ring.existing()
    stored = None if ring is None else store.objects.get(store.objects.key_of(ring, path), version_id=version_id)
    if ring is None or stored is None:
        raise NotFoundError(f"Version {version_id} of {path} is not kept any more")
    return ring, stored


def _lines(text: str) -> list[str]:
    """Return the lines of a text as `count_lines` counts them; a last one without a newline marked as in ``diff``."""
    *lines, last = split_lines(text)
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines


def _n_same(some: list[str], others: list[str]) -> int:
    """Return how many lines are the same at the start of both lists."""
    return sum(takewhile(bool, map(eq, some, others)))
