"""Erasing a tenant: all versions of its key ring, then all versions of everything else, then a look at what is left.

Without the key ring, the rest is noise, even if a retention rule keeps it or a run was interrupted. No key is needed to
erase. Why the key ring goes first is in ``docs/decisions/0010-the-key-ring-goes-first.md``.
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
from s3memory.admin.walks import job
from s3memory.audit.recording import audited
from s3memory.errors import AccessDeniedError, BackendError, RefusedError, UnfinishedError
from s3memory.format.object_keys import FOLDERS, Folder
from s3memory.s3.versions import DELETE_PAGE_KEYS, ListedVersion, Upload
from s3memory.store.memory_store import MemoryStore

# All tenants share the requests that the bucket takes in a second, and each version counts: see `DELETE_PAGE_KEYS`.
_PARALLEL_DELETES = 2
# What a process still writes is destroyed in one of these rounds, or the process has to be stopped.
_MAX_ROUNDS = 5

# A change may have been announced while the files were destroyed: the next tenant of that name could not repair it.
_ORDER = (*FOLDERS, Folder.INTENTS)

R = TypeVar("R")


@dataclass(slots=True)
class Tally:
    """What was counted in one folder.

    Attributes:
        versions: how many versions of objects, the current ones included.
        delete_markers: how many marks that an object was deleted.
        stored_bytes: the size of the versions, sealed.
    """

    versions: int = 0
    delete_markers: int = 0
    stored_bytes: int = 0

    @property
    def count(self) -> int:
        """Versions and delete markers together."""
        return self.versions + self.delete_markers

    def add(self, version: ListedVersion) -> None:
        """Count one."""
        self.versions += not version.is_delete_marker
        self.delete_markers += version.is_delete_marker
        self.stored_bytes += version.size_bytes


def _tallies() -> dict[str, Tally]:
    return {str(folder): Tally() for folder in FOLDERS}


@dataclass(frozen=True, slots=True)
class Erasure:
    """What a run has destroyed, and what it found afterwards.

    Attributes:
        begun: when it began.
        verified: when the tenant's folders were listed for the last time.
        destroyed: what was destroyed, by folder.
        destroyed_sha256: what was destroyed, as one hash: see `fingerprint`.
        left: how many versions and delete markers S3 refused to destroy.
        refusals: how often it gave which error code.
        uploads_aborted: how many multipart uploads of the tenant's were unfinished.
        uploads_unlisted: whether S3 refused to list those: some may be left.
        naming: manifests and reports that name the tenant's objects; ``None`` if they could not be looked through. They
            stay.
        is_recorded: whether the register of key rings, if there is one, knows. If it did not answer, run it again.
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
        """Whether nothing was there: the tenant was erased before, or never was. False if S3 refused to list some."""
        is_any = any(tally.count for tally in self.destroyed.values())
        return not (is_any or self.left or self.uploads_aborted or self.uploads_unlisted)


@audited("erase")
def survey(store: MemoryStore) -> dict[str, Tally]:
    """Count what there is to erase, by folder (``s3:ListBucketVersions``). Nothing is changed.

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

    It ends when a listing shows nothing any more. Then its unfinished multipart uploads are aborted, and manifests and
    reports of bulk jobs are looked through for its objects' names. Interrupted, it is run again. Agents should be
    stopped before: one that has the key ring in its cache may write what nobody can open until its cache ends.

    IAM actions: ``s3:ListBucketVersions``, ``s3:DeleteObjectVersion``, ``s3:ListBucketMultipartUploads`` and
    ``s3:AbortMultipartUpload``; ``s3:GetObjectVersion`` below ``batch/``.

    Args:
        store: whose. Neither its key ring nor its key wrapper is used.

    Raises:
        ReadOnlyError: the memory is read-only. UnfinishedError: somebody goes on writing; run it again.
            Or S3 keeps the key ring, or did not answer, or refused a request as a whole.
        BackendError, ConfigurationError: the register could not be read, and nothing was destroyed.
    """
    store.ensure_writable()
    run = _Run(store)
    known = store.key_ring.register.recorded()
    for _ in range(_MAX_ROUNDS):
        with job(f"The erasure of {store.tenant}"):
            run.round()
        store.key_ring.forget()
        # Everything is destroyed. That has to be reported, even if the register can't be reached.
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
    """Check once more that nothing of a tenant is there. Nothing is destroyed.

    For a caller that did not ask, because `survey` had counted nothing: about a tenant that began since, it has to ask.

    Raises:
        ReadOnlyError: the memory is read-only. RefusedError: something is there.
        BackendError: S3 did not answer or refused.
    """
    store.ensure_writable()
    known = store.key_ring.register.recorded()
    run = _Run(store)
    run.destroyed = survey(store)
    n_uploads = count_uploads(store)
    run.uploads_unlisted = n_uploads is None
    is_any = any(tally.count for tally in run.destroyed.values()) or n_uploads
    if is_any or not store.key_ring.record_erasure(known):
        raise RefusedError(
            f"Something was stored for {store.tenant} since it was counted. Nothing was changed. Run it again."
        )
    return run.concluded(is_recorded=True)


def digest_of(version: ListedVersion) -> bytes:
    """Return the SHA-256 of what tells a version from all others: ``[object key, version id, ETag]`` as JSON."""
    fields = [version.object_key, version.version_id, version.etag]
    return hashlib.sha256(json.dumps(fields, separators=(",", ":")).encode("ascii")).digest()


def fingerprint(digests: set[bytes]) -> str:
    """Return the SHA-256 of the digests, sorted and put together: the same in whatever order versions came."""
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
        """Destroy what is listed. If that was nothing, all is done."""
        self.refused = {}
        self.is_done = True
        destroy = partial(self.store.objects.versions.try_to_destroy, slowed=self.slowed.set)
        for folder in _ORDER:
            for page in batches(self.store.objects.versions_in(folder), DELETE_PAGE_KEYS * _PARALLEL_DELETES):
                progress.begins(folder, len(page))
                # Once S3 wanted fewer requests, one is sent at a time, and each waits before it is sent again.
                n_parts = 1 if self.slowed.is_set() else _PARALLEL_DELETES
                for group in batches(batches(page, DELETE_PAGE_KEYS), n_parts):
                    for part, refused in zip(group, each(destroy, group), strict=True):
                        self.refused.update(refused)
                        self._count(folder, [version for version in part if version not in refused])
                progress.advances(len(page))
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
