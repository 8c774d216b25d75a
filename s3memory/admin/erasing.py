"""Erasing a tenant: its key ring in all versions first, then every version of all else, then a look whether it is gone.

With the key ring destroyed, what is left is noise: also what a retention rule keeps, and what an interrupted run left.
No key is needed to erase. Why the key ring goes first is in ``docs/decisions/0010-the-key-ring-goes-first.md``.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from s3memory.auditing import audited
from s3memory.errors import RefusedError, UnfinishedError
from s3memory.parallel import batches, each
from s3memory.progress import NOBODY, Watcher
from s3memory.store import MemoryStore
from s3memory.versions import DELETE_PAGE_KEYS, ListedVersion

_PARALLEL_DELETES = 8
# Whoever still writes is met by one of these, or has to be stopped.
_MAX_ROUNDS = 5

FOLDERS = ("keyrings", "intents", "redactions", "memories")
"""What a tenant has, in the order in which it is destroyed."""


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
    return {folder: Tally() for folder in FOLDERS}


@dataclass(slots=True)
class Erasure:
    """What a run has destroyed, and what it found afterwards.

    Attributes:
        begun: when it began.
        verified: when the tenant's folders were listed for the last time.
        destroyed: what was destroyed, by folder.
        destroyed_sha256: what was destroyed, as one hash: see `fingerprint`.
        left: how many versions and delete markers S3 refused to destroy.
        refusals: how often it gave which error code.
    """

    begun: datetime
    verified: datetime
    destroyed: dict[str, Tally]
    destroyed_sha256: str
    left: int
    refusals: dict[str, int]

    @property
    def found_nothing(self) -> bool:
        """Whether nothing of the tenant was there: it was erased before, or never was."""
        return not (self.left or any(tally.count for tally in self.destroyed.values()))


@audited("erase")
def survey(store: MemoryStore) -> dict[str, Tally]:
    """Count what there is to erase, by folder (``s3:ListBucketVersions``). Nothing is changed.

    Raises:
        BackendError: S3 did not answer or refused.
    """
    found = _tallies()
    for folder in FOLDERS:
        for version in _versions(store, folder):
            found[folder].add(version)
    return found


@audited("erase")
def erase(
    store: MemoryStore, *, now: Callable[[], datetime] = lambda: datetime.now(UTC), watcher: Watcher = NOBODY
) -> Erasure:
    """Destroy everything of a tenant, for good: all versions and delete markers, those of the key ring first.

    It ends when a listing shows nothing any more. Interrupted, it is run again. Agents should be stopped before: one
    that has the key ring in its cache may write what nobody can open until its cache ends.

    IAM actions: ``s3:ListBucketVersions`` and ``s3:DeleteObjectVersion``.

    Args:
        store: whose. Neither its key ring nor its key wrapper is used.
        now: the present time.
        watcher: is told of each round, and of each version.

    Raises:
        ReadOnlyError: the memory is read-only. UnfinishedError: somebody goes on writing; run it again.
        BackendError: S3 did not answer, or refused the request as a whole; run it again.
    """
    store.ensure_writable()
    run = _Run(store, watcher)
    begun = now()
    for _ in range(_MAX_ROUNDS):
        found = run.round()
        store.keys.forget()
        if found == len(run.refused):
            return Erasure(
                begun=begun,
                verified=now(),
                destroyed=run.destroyed,
                destroyed_sha256=fingerprint(run.digests),
                left=found,
                refusals=dict(Counter(run.refused.values())),
            )
    raise UnfinishedError(
        "Error: The erasure is not finished, because somebody goes on writing. The key ring is destroyed, so none of "
        "it can be read. Stop the tenant's agents and run it again."
    )


@audited("erase")
def erase_nothing(store: MemoryStore, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Erasure:
    """Look once more whether nothing of a tenant is there. Nothing is destroyed.

    For who asked nobody, since `survey` had counted nothing: a tenant that began since then has to be asked about.

    Args:
        store: whose.
        now: the present time.

    Raises:
        ReadOnlyError: the memory is read-only. RefusedError: something is there.
        BackendError: S3 did not answer or refused.
    """
    store.ensure_writable()
    begun, found = now(), survey(store)
    if any(tally.count for tally in found.values()):
        raise RefusedError(
            f"Error: Something was stored for {store.tenant} since it was counted. Nothing was changed. Run it again."
        )
    return Erasure(
        begun=begun, verified=now(), destroyed=found, destroyed_sha256=fingerprint(set()), left=0, refusals={}
    )


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
    watcher: Watcher
    destroyed: dict[str, Tally] = field(default_factory=_tallies)
    digests: set[bytes] = field(default_factory=set)
    refused: dict[ListedVersion, str] = field(default_factory=dict)

    def round(self) -> int:
        """Destroy what is listed. Return how much was."""
        found = 0
        self.refused = {}
        for folder in FOLDERS:
            pages = batches(_versions(self.store, folder), DELETE_PAGE_KEYS)
            for group in batches(pages, _PARALLEL_DELETES):
                n_listed = sum(map(len, group))
                self.watcher.begins(folder, n_listed)
                refusals = each(self.store.bucket.versions.try_to_destroy, group)
                self.watcher.advances(n_listed)
                found += n_listed
                for page, refused in zip(group, refusals, strict=True):
                    self.refused.update(refused)
                    self._count(folder, [version for version in page if version not in refused])
        return found

    def _count(self, folder: str, versions: list[ListedVersion]) -> None:
        for version in versions:
            self.destroyed[folder].add(version)
            self.digests.add(digest_of(version))


def _versions(store: MemoryStore, folder: str) -> Iterator[ListedVersion]:
    layout, versions = store.layout, store.bucket.versions
    if folder == "keyrings":  # that of `a`, and not that of `ab`
        return versions.of(layout.key_ring)
    prefixes = {
        "intents": layout.intents_prefix,
        "redactions": layout.redactions_prefix,
        "memories": layout.memories_prefix,
    }
    return versions.below(prefixes[folder])
