"""The history of a file: its versions, which operation made each, who did, and where it was moved from.

It is derived from the stored versions, so it reaches as far back as the bucket keeps them. ``docs/history.md`` has the
rules.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from itertools import islice

from s3memory._parallel import stream
from s3memory.admin.long_jobs import Missed, Patience
from s3memory.admin.versions.point_in_time import fetch_version, file_versions, no_version_error, versions_of
from s3memory.admin.versions.tombstones import Tombstone, Tombstones, tombstones_of
from s3memory.audit.recording import audited
from s3memory.errors import IntegrityError, InvalidInputError, KeyRingError, NotFoundError
from s3memory.format.envelope import sealed_generation
from s3memory.format.object_keys import text_size_bytes
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.paths import MemoryPath
from s3memory.s3.objects import StoredObject, share_any
from s3memory.s3.versions import ListedVersion
from s3memory.store.memory_store import MemoryStore

_MAX_HOPS = 100


class Operation(StrEnum):
    """The operation that made a version."""

    CREATED = "created"
    """There was no file before. The oldest version that is kept always counts as created or moved."""
    EDITED = "edited"
    MOVED_HERE = "moved-here"
    """Its metadata name another file as its source: a rename made it."""
    REWRITTEN = "rewritten"
    """It has the same sealed bytes as the version before: the file was touched, so that it does not expire."""
    RESEALED = "resealed"
    """It has the same text as the version before, under a newer data key: it was resealed after a rotation."""
    DELETED = "deleted"
    """A delete marker: the file was deleted or moved away."""


class Problem(StrEnum):
    """Why a version can't be read."""

    DOES_NOT_OPEN = "does-not-open"
    """It was altered, moved here within the bucket, or sealed under another key."""
    NO_KEY = "no-key"
    """The key ring does not have its generation, or no longer has it."""
    GONE = "gone"
    """It was destroyed while the history was read."""
    NOT_LOOKED_AT = "not-looked-at"
    """S3 or the key wrapper failed to return it."""


@dataclass(frozen=True, slots=True)
class CopySource:
    """The version that a file was moved from.

    Attributes:
        path: the former path.
        version_id: the version there that was copied.
        is_same_text: whether both hold the same text. If not, the redactor changed it on the way, or someone who can
            write to the bucket has forged the metadata.
    """

    path: MemoryPath
    version_id: str
    is_same_text: bool


@dataclass(frozen=True, slots=True)
class FileVersion:
    """One version of a file, or one deletion of it.

    Attributes:
        path: the path of the file.
        version_id: the id of the version; ``null`` if the bucket kept no versions at the time.
        modified: when it was stored, to the second.
        operation: the operation that made it.
        is_latest: it is the current version, or the current deletion.
        size_bytes: its plaintext size; `None` for a deletion, and for an object that is not sealed.
        sha256: hash of its plaintext, in hexadecimal; `None` if there is none or it does not open.
        generation: the generation of the data key that its header names.
        actor: who made it, according to the program that did.
        has_bad_actor: it has an actor label that does not open: a forged one, or that of another write.
        problem: why it can't be read.
        code: why it could not be fetched: AWS's error code, most often; `None` if it was fetched.
        same_text_as: an older version of this path with the same text, if any: perhaps the one that was restored.
        moved_from: the version that it was moved from, if that was asked for and found.
        redaction: the tombstone, if its content was destroyed on purpose.
    """

    path: MemoryPath
    version_id: str
    modified: datetime
    operation: str
    is_latest: bool = False
    size_bytes: int | None = None
    sha256: str | None = None
    generation: int | None = None
    actor: str | None = None
    has_bad_actor: bool = False
    problem: Problem | None = None
    code: str | None = None
    same_text_as: str | None = None
    moved_from: CopySource | None = None
    redaction: Tombstone | None = None


@dataclass(frozen=True, slots=True)
class History:
    """The history of a file.

    Attributes:
        versions: its versions and deletions, newest first.
        unreadable_tombstones: object keys of all of the tenant's tombstones that do not open. Their files are unknown,
            so versions of this file may have been redacted without being listed here.
    """

    versions: tuple[FileVersion, ...]
    unreadable_tombstones: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Fetched:
    """A version, and the traces that show which operation made it."""

    version: FileVersion
    sealed_sha256: bytes | None = None
    copied_from: tuple[str, ...] = ()


@audited("history")
def history(store: MemoryStore, path: MemoryPath, *, follow: bool = False, newest: int | None = None) -> History:
    """Return the versions of a file: a LIST, a LIST for tombstones, and a GET for each version and tombstone.

    Args:
        store: the tenant's files.
        path: the file; it may be deleted by now.
        follow: continue with the file that it was moved from, and so on. Each move costs a listing of all the tenant's
            versions. `FileVersion.moved_from` names that file. If S3 or the key wrapper fails to return a version that
            may be the source, the history ends with that version.
        newest: the maximum number of versions of each path, the newest ones.

    Raises:
        NotFoundError: no version of such a file is kept.
        InvalidInputError: it is a directory.
        KeyRingError: the key ring does not open.
        BackendError: S3 or the key wrapper could not be reached, or refused.
    """
    found, unreadable = _history_of(store, path, newest=newest)
    if not found:
        if store.files.has_directory(path):
            raise InvalidInputError(f"{path} is a directory: history shows one file")
        raise no_version_error(path)
    versions = [one.version for one in found]
    followed: set[tuple[MemoryPath, str]] = set()
    while follow and len(followed) < _MAX_HOPS:
        moved = next((one for one in found if one.version.operation == Operation.MOVED_HERE), None)
        if moved is None or _place(moved.version) in followed:  # two versions name each other as their source
            break
        followed.add(_place(moved.version))
        source = _source_of(store, moved)
        if source is None:
            break
        if source.problem is Problem.NOT_LOOKED_AT:
            versions.append(source)
            break
        is_same_text = source.sha256 == moved.version.sha256
        moved_from = CopySource(source.path, source.version_id, is_same_text=is_same_text)
        places = [_place(one) for one in versions]
        versions[places.index(_place(moved.version))] = replace(moved.version, moved_from=moved_from)
        before, _ = _history_of(store, source.path, newest=None)
        ids = [one.version.version_id for one in before]
        if source.version_id not in ids:  # it was destroyed meanwhile
            break
        found = before[ids.index(source.version_id) :][:newest]
        # If the file was moved back, some of these are listed already, and it is followed further from them.
        versions += [one.version for one in found if _place(one.version) not in places]
    return History(tuple(versions), unreadable)


def _place(version: FileVersion) -> tuple[MemoryPath, str]:
    return version.path, version.version_id


def _history_of(store: MemoryStore, path: MemoryPath, *, newest: int | None) -> tuple[list[_Fetched], tuple[str, ...]]:
    """Return the versions of one path, and the object keys of tombstones that do not open."""
    # One more than is asked for: the operation that made a version shows only next to the version before it.
    listed = list(islice(versions_of(store, path), None if newest is None else min(newest + 1, sys.maxsize)))
    versions = list(stream(partial(_fetch, store, Patience(store), path), listed))
    tombstones = Tombstones({}, ()) if store.key_ring.existing() is None else tombstones_of(store, path)
    listed_ids = {one.version_id for one in listed}
    oldest = listed[-1].modified if newest is not None and len(listed) > newest else None
    versions += [
        _Fetched(FileVersion(one.path, one.version_id, one.modified, one.operation, actor=one.actor, redaction=one))
        for one in tombstones.by_version_id.values()
        if one.version_id not in listed_ids and (oldest is None or one.modified >= oldest)
    ]
    versions.sort(key=lambda one: one.version.modified, reverse=True)  # stable: S3's order within a second stays
    return _with_operations(versions)[:newest], tombstones.unreadable


def _fetch(store: MemoryStore, patience: Patience, path: MemoryPath, listed: ListedVersion) -> _Fetched:
    """Fetch and open one version. Its text is dropped at once: only its hash is kept."""
    size_bytes = None if listed.is_delete_marker else text_size_bytes(listed.size_bytes)
    version = FileVersion(path, listed.version_id, listed.modified, Operation.DELETED, listed.is_latest, size_bytes)
    if listed.is_delete_marker:
        return _Fetched(version)
    version = replace(version, operation=Operation.EDITED)

    def fetch() -> _Fetched:
        ring, stored = fetch_version(store, path, listed.version_id)
        sealed_sha256 = hashlib.sha256(stored.body).digest()
        return _Fetched(_opened(store, ring, version, stored), sealed_sha256, stored.info.noted.copied_from)

    try:
        result = patience.work((path, listed.version_id), fetch)
    except NotFoundError:
        return _Fetched(replace(version, problem=Problem.GONE))
    except IntegrityError:  # larger than any object that is stored here
        return _Fetched(replace(version, problem=Problem.DOES_NOT_OPEN))
    if isinstance(result, Missed):
        return _Fetched(replace(version, problem=Problem.NOT_LOOKED_AT, code=result.code))
    return result


def _opened(store: MemoryStore, ring: OpenKeyRing, version: FileVersion, stored: StoredObject) -> FileVersion:
    try:
        version = replace(version, generation=sealed_generation(stored.body))
        text = store.texts.open(ring, version.path, stored.body)
    except KeyRingError:
        return replace(version, problem=Problem.NO_KEY)
    except IntegrityError:
        return replace(version, problem=Problem.DOES_NOT_OPEN)
    actor, has_bad_actor = store.texts.open_actor(ring, version.path, stored)
    sha256 = hashlib.sha256(text.encode("utf-8")).hexdigest()
    return replace(version, sha256=sha256, actor=actor, has_bad_actor=has_bad_actor)


def _with_operations(versions: Sequence[_Fetched]) -> list[_Fetched]:
    """Return versions, newest first, each with its operation, as the comparison with the version before it shows."""
    result: list[_Fetched] = []
    by_text: dict[str, str] = {}
    before: _Fetched | None = None
    for one in reversed(versions):
        version = one.version
        if version.operation != Operation.DELETED and version.redaction is None:
            same = None if version.sha256 is None else by_text.get(version.sha256)
            version = replace(version, operation=_operation_of(one, before), same_text_as=same)
        if version.sha256 is not None:
            by_text[version.sha256] = version.version_id
        before = replace(one, version=version)
        result.append(before)
    return result[::-1]


def _operation_of(one: _Fetched, before: _Fetched | None) -> Operation:
    # All bytes are compared: a version that was altered in the bucket may still begin with the same salt.
    if before is not None and one.sealed_sha256 is not None and one.sealed_sha256 == before.sealed_sha256:
        return Operation.REWRITTEN
    if before is not None and _is_resealed(one, before):
        return Operation.RESEALED
    if one.copied_from:
        return Operation.MOVED_HERE
    is_first = before is None or before.version.operation == Operation.DELETED
    return Operation.CREATED if is_first else Operation.EDITED


def _is_resealed(one: _Fetched, before: _Fetched) -> bool:
    new, old = one.version, before.version
    is_newer_key = new.generation is not None and old.generation is not None and new.generation > old.generation
    is_same_text = new.sha256 is not None and new.sha256 == old.sha256
    return is_newer_key and is_same_text and one.copied_from == before.copied_from


def _source_of(store: MemoryStore, moved: _Fetched) -> FileVersion | None:
    """Return the version that a file was copied from, according to its metadata, if that is still kept.

    It is the newest version with that ETag that opens. A version that could not be fetched may be it, and is returned
    as well.
    """
    patience = Patience(store)
    for path, versions in file_versions(store, MemoryPath()):
        for listed in versions if path != moved.version.path else ():
            if not listed.is_delete_marker and share_any([listed.etag], moved.copied_from):
                version = _fetch(store, patience, path, listed).version
                if version.sha256 is not None or version.problem is Problem.NOT_LOOKED_AT:
                    return version
    return None
