"""Erases a tenant: all versions of its key ring, then all versions of everything else, then checks what is left.

Without the key ring, the rest is noise, even if a retention rule keeps it or a run was interrupted. Erasing needs no
key. ``docs/decisions/0010-the-key-ring-goes-first.md`` explains why the key ring goes first.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from s3memory import progress
from s3memory._parallel import batches, each
from s3memory.admin.erasure.bulk_documents import Naming, documents_naming
from s3memory.admin.long_jobs import job
from s3memory.audit.recording import audited
from s3memory.errors import AccessDeniedError, BackendError, RefusedError, UnfinishedError
from s3memory.format.object_keys import FOLDERS, Folder
from s3memory.s3.versions import DELETE_PAGE_KEYS, ListedVersion, Upload
from s3memory.store.memory_store import MemoryStore

# All tenants share the bucket's request rate, and each version counts: see `DELETE_PAGE_KEYS`.
_PARALLEL_DELETES = 2
# If a process still writes after so many rounds, it has to be stopped first.
_MAX_ROUNDS = 5

# Intents twice: one may have been stored while the files were destroyed, and the next tenant of that name could not
# repair it.
_ORDER = (*FOLDERS, Folder.INTENTS)

R = TypeVar("R")


@dataclass(slots=True)
class Tally:
    """The versions in one folder.

    Attributes:
        versions: how many versions of objects, the current ones included.
        delete_markers: how many delete markers.
        stored_bytes: the sealed size of the versions.
    """

    versions: int = 0
    delete_markers: int = 0
    stored_bytes: int = 0

    @property
    def count(self) -> int:
        """Versions and delete markers together."""
        return self.versions + self.delete_markers

    def add(self, version: ListedVersion) -> None:
        """Add a version or a delete marker."""
        self.versions += not version.is_delete_marker
        self.delete_markers += version.is_delete_marker
        self.stored_bytes += version.size_bytes


def _tallies() -> dict[str, Tally]:
    return {str(folder): Tally() for folder in FOLDERS}


@dataclass(frozen=True, slots=True)
class Erasure:
    """What a run has destroyed, and what is left.

    Attributes:
        begun: when the run began.
        verified: when the tenant's folders were listed for the last time.
        destroyed: counts of what was destroyed, by folder.
        destroyed_sha256: a hash over everything that was destroyed: see `fingerprint`.
        left: how many versions and delete markers S3 refused to destroy.
        refusals: how often S3 refused, by error code.
        uploads_aborted: how many unfinished multipart uploads of the tenant were aborted.
        uploads_unlisted: S3 refused to list multipart uploads, so some may be left.
        naming: manifests and reports that name the tenant's objects; ``None`` if they could not be searched. They are
            kept.
        is_recorded: the erasure is recorded in the register of key rings, or there is none. If false, run it again.
    """

    begun: datetime
    verified: datetime
    destroyed: dict[str, Tally]
    destroyed_sha256: str
    left: int
    refusals: dict[str, int]
    uploads_aborted: int
    uploads_unlisted: bool
    naming: Naming | None
    is_recorded: bool

    @property
    def found_nothing(self) -> bool:
        """Whether there was nothing to erase. False if S3 refused to list something."""
        is_any = any(tally.count for tally in self.destroyed.values())
        return not (is_any or self.left or self.uploads_aborted or self.uploads_unlisted)


@audited("erase")
def survey(store: MemoryStore) -> dict[str, Tally]:
    """Count the versions to erase, by folder (``s3:ListBucketVersions``). Nothing is changed.

    Raises:
        BackendError: S3 did not answer or refused.
    """
    found = _tallies()
    for folder in FOLDERS:
        for version in store.objects.versions_in(folder):
            found[folder].add(version)
    return found


@audited("erase")
def count_uploads(store: MemoryStore) -> int | None:
    """Count a tenant's unfinished multipart uploads (``s3:ListBucketMultipartUploads``); ``None`` if S3 refuses.

    Raises:
        BackendError: S3 did not answer.
    """
    try:
        return sum(1 for _ in store.objects.uploads())
    except AccessDeniedError:
        return None


@audited("erase")
def erase(store: MemoryStore) -> Erasure:
    """Destroy everything of a tenant, for good: all versions and delete markers, those of the key ring first.

    Rounds of listing and destroying go on until a round finds nothing. Each also aborts unfinished multipart uploads.
    Then the manifests and reports of bulk jobs are searched for the names of the tenant's objects. If it is
    interrupted, run it again. Stop the tenant's agents first: one with a cached key ring can still write files that
    nobody can open, until its cache expires.

    IAM actions: ``s3:ListBucketVersions``, ``s3:DeleteObjectVersion``, ``s3:ListBucketMultipartUploads`` and
    ``s3:AbortMultipartUpload``; ``s3:GetObjectVersion`` below ``batch/``.

    Args:
        store: the tenant's memory. Neither its key ring nor its key wrapper is used.

    Raises:
        ReadOnlyError: the memory is read-only.
        UnfinishedError: someone keeps writing, S3 refused to destroy the key ring, or a request got no response or was
            refused as a whole; run it again.
        BackendError, ConfigurationError: the register could not be read, and nothing was destroyed.
    """
    store.ensure_writable()
    run = _Run(store)
    known = store.key_ring.register.recorded()
    for _ in range(_MAX_ROUNDS):
        with job(f"The erasure of {store.tenant}"):
            run.round()
        store.key_ring.forget()
        # If everything is destroyed, that has to be reported, even if the register can't be reached.
        is_recorded = _unless_refused(partial(store.key_ring.record_erasure, known)) if run.is_done else False
        if run.is_done and is_recorded is not False:
            return run.concluded(is_recorded=is_recorded is True)
        with job(f"The erasure of {store.tenant}"):
            known = store.key_ring.register.recorded()
    raise UnfinishedError(
        "The erasure is not finished, because someone keeps writing. The key ring from before is destroyed, so nothing "
        "under it can be read. What was written since may be readable, under a new one. Stop the tenant's agents and "
        "run it again."
    )


@audited("erase")
def erase_nothing(store: MemoryStore) -> Erasure:
    """Return the erasure of a tenant that has no data, after checking that again. Nothing is destroyed.

    It is for callers that did not ask for confirmation, because `survey` had counted nothing. If there is data by now,
    they have to ask.

    Raises:
        ReadOnlyError: the memory is read-only. RefusedError: there is data by now.
        BackendError: S3 did not answer or refused.
    """
    store.ensure_writable()
    known = store.key_ring.register.recorded()
    run = _Run(store)
    run.destroyed = survey(store)
    n_uploads = count_uploads(store)
    run.uploads_unlisted = n_uploads is None
    is_any = any(tally.count for tally in run.destroyed.values()) or n_uploads
    is_recorded = False if is_any else _unless_refused(partial(store.key_ring.record_erasure, known))
    if is_recorded is False:
        raise RefusedError(
            f"Something was stored for {store.tenant} since it was counted. Nothing was changed. Run it again."
        )
    return run.concluded(is_recorded=is_recorded is True)


def digest_of(version: ListedVersion) -> bytes:
    """Return the SHA-256 of what identifies a version: ``[object key, version id, ETag]`` as JSON."""
    fields = [version.object_key, version.version_id, version.etag]
    return hashlib.sha256(json.dumps(fields, separators=(",", ":")).encode("ascii")).digest()


def fingerprint(digests: set[bytes]) -> str:
    """Return the SHA-256 of the sorted, concatenated digests. It does not depend on the order of the versions."""
    return hashlib.sha256(b"".join(sorted(digests))).hexdigest()


@dataclass(slots=True)
class _Run:
    store: MemoryStore
    begun: datetime = field(default_factory=lambda: datetime.now(UTC))
    destroyed: dict[str, Tally] = field(default_factory=_tallies)
    digests: set[bytes] = field(default_factory=set)
    refused: dict[ListedVersion, str] = field(default_factory=dict)
    aborted: set[Upload] = field(default_factory=set)
    uploads_unlisted: bool = False
    is_done: bool = False
    slowed: threading.Event = field(default_factory=threading.Event)

    def round(self) -> None:
        """Destroy all that a listing shows, and abort uploads. `is_done` if there was nothing."""
        self.refused = {}
        self.is_done = True
        destroy = partial(self.store.objects.versions.try_to_destroy, slowed=self.slowed.set)
        for folder in _ORDER:
            for page in batches(self.store.objects.versions_in(folder), DELETE_PAGE_KEYS * _PARALLEL_DELETES):
                progress.begin(folder, len(page))
                # After S3 has throttled a request, they are sent one at a time, with pauses before retries.
                n_parts = 1 if self.slowed.is_set() else _PARALLEL_DELETES
                for group in batches(batches(page, DELETE_PAGE_KEYS), n_parts):
                    for part, refused in zip(group, each(destroy, group), strict=True):
                        self.refused.update(refused)
                        self._count(folder, [version for version in part if version not in refused])
                progress.advance(len(page))
            if folder == Folder.KEY_RINGS and self.refused:
                codes = ", ".join(sorted(set(self.refused.values())))
                raise UnfinishedError(
                    f"The erasure of {self.store.tenant} is not finished, because S3 refused to destroy the key "
                    f"ring ({codes}). What opens with it was left as it is. If a legal hold or a retention rule keeps "
                    "it, end that, and run it again."
                )
        self._abort_uploads()

    def concluded(self, *, is_recorded: bool) -> Erasure:
        return Erasure(
            begun=self.begun,
            verified=datetime.now(UTC),
            destroyed=self.destroyed,
            destroyed_sha256=fingerprint(self.digests),
            left=len(self.refused),
            refusals=dict(Counter(self.refused.values())),
            uploads_aborted=len(self.aborted),
            uploads_unlisted=self.uploads_unlisted,
            naming=_unless_refused(partial(documents_naming, self.store)),
            is_recorded=is_recorded,
        )

    def _abort_uploads(self) -> None:
        try:
            for upload in self.store.objects.uploads():
                self.store.objects.versions.abort(upload)
                self.aborted.add(upload)
                self.is_done = False
        except AccessDeniedError:
            self.uploads_unlisted = True

    def _count(self, folder: str, versions: list[ListedVersion]) -> None:
        for version in versions:
            self.is_done = False
            self.destroyed[folder].add(version)
            self.digests.add(digest_of(version))


def _unless_refused(ask: Callable[[], R]) -> R | None:
    try:
        return ask()
    except BackendError:
        return None
