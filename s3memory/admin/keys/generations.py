"""The state of a tenant's key ring, and how many stored objects are sealed under each of its generations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from s3memory import progress
from s3memory._parallel import batches, each
from s3memory.admin.discarding import open_object
from s3memory.admin.keys.rotation import newest_version, stored_key_ring
from s3memory.admin.long_jobs import Missed, Patience
from s3memory.audit.recording import audited
from s3memory.errors import IntegrityError, KeyRingError
from s3memory.format.envelope import HEADER_BYTES, header_generation, plaintext_size_bytes
from s3memory.format.key_ring import KeyRing
from s3memory.format.object_keys import Folder
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.s3.versions import ListedVersion
from s3memory.store.memory_store import MemoryStore

_BATCH = 1_000


@dataclass(slots=True)
class GenerationUsage:
    """How much is sealed under each generation.

    Attributes:
        current: how many files, intents and tombstones, by generation.
        older: how many older versions of them, by generation.
        unreadable: how many objects and versions are not sealed under any generation, so no key opens them.
        missed: objects that S3 failed to return, by object key, and why. Their generation is unknown.
    """

    current: Counter[int] = field(default_factory=Counter)
    older: Counter[int] = field(default_factory=Counter)
    unreadable: int = 0
    missed: list[Missed] = field(default_factory=list)

    def of(self, generations: Collection[int]) -> tuple[int, int]:
        """Return how many current objects and how many older versions need one of these generations."""
        return sum(self.current[one] for one in generations), sum(self.older[one] for one in generations)


@dataclass(frozen=True, slots=True)
class KeyRingState:
    """A key ring as it is stored now, when it was last changed, and the usage of its generations if asked for."""

    ring: KeyRing
    changed: datetime
    usage: GenerationUsage | None


@audited("show")
def key_ring_state(store: MemoryStore, *, with_usage: bool = False) -> KeyRingState:
    """Return the state of a tenant's key ring. It is fetched past any cache.

    Args:
        store: the tenant's memory.
        with_usage: count the usage of each generation, as `usage` does, but skip objects that S3 fails to return.

    Raises:
        NotFoundError: the tenant has none.
        KeyRingError: it does not open. BackendError: S3 or the key wrapper could not be reached.
    """
    ring = stored_key_ring(store).opened.ring
    changed = newest_version(store).modified
    counted = usage(store, patience=Patience(store)) if with_usage else None
    return KeyRingState(ring, changed, counted)


def usage(
    store: MemoryStore,
    *,
    since: datetime | None = None,
    opened: Collection[int] = (),
    ring: OpenKeyRing | None = None,
    patience: Patience | None = None,
) -> GenerationUsage:
    """Count the generations of a tenant's files, intents and tombstones, older versions included.

    Costs a ``GetObject`` of 8 bytes for each version, and a listing for every 1,000. IAM actions: ``s3:GetObject``,
    ``s3:GetObjectVersion``, ``s3:ListBucketVersions``.

    Args:
        store: the tenant's memory.
        since: leave out versions stored before this time.
        opened: fetch and open all objects that name one of these generations: junk may name any generation.
        ring: the ring to open them with.
        patience: retries requests, and skips objects that S3 fails to return. Without it, a failure ends the count.

    Raises:
        BackendError: S3 did not answer or refused.
    """
    counted = GenerationUsage()

    def generation_of(version: ListedVersion) -> int | Missed | None:
        call = partial(_generation_of, store, opened, ring, version)
        name = version.object_key + (f" version {version.version_id}" if version.is_older else "")
        return call() if patience is None else patience.work(name, call)

    listed = store.objects.versions_in(Folder.MEMORIES, Folder.INTENTS, Folder.REDACTIONS)
    sealed = (one for one in listed if not one.is_delete_marker and (since is None or one.modified >= since))
    for batch in batches(sealed, _BATCH):
        progress.begin("versions", len(batch))
        for version, generation in zip(batch, each(generation_of, batch, done=progress.advance), strict=True):
            if generation is None or isinstance(generation, Missed):
                continue
            if generation == 0:
                counted.unreadable += 1
            elif version.is_latest:
                counted.current[generation] += 1
            else:
                counted.older[generation] += 1
    counted.missed = [] if patience is None else patience.missed
    return counted


def _generation_of(
    store: MemoryStore, opened: Collection[int], ring: OpenKeyRing | None, version: ListedVersion
) -> int | None:
    """Return the generation of a version, 0 if it is not a sealed object, or ``None`` if it no longer exists."""
    generation: int | None = None
    try:
        plaintext_size_bytes(version.size_bytes)
        stored = store.objects.get(version.object_key, version_id=version.version_id, first_bytes=HEADER_BYTES)
        generation = None if stored is None else header_generation(stored.body)
        if generation in opened and ring is not None:
            stored = store.objects.get(version.object_key, version_id=version.version_id)
            if stored is not None:
                open_object(store, ring, version.object_key, stored)
    except KeyRingError:  # the key is in the ring, or was a moment ago, so it may be needed
        return generation
    except IntegrityError:
        return 0
    return generation
