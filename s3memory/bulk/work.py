"""The kinds of work, each on one object of a tenant's. All can be done twice: the second time finds nothing to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from s3memory import intents
from s3memory.admin.findings import Kind
from s3memory.admin.redactions import read_record
from s3memory.admin.resealing import Announced
from s3memory.bulk.places import INTENTS, KEY_RINGS, MEMORIES, Place
from s3memory.bulk.results import Result, again, done, wrong
from s3memory.envelope import sealed_generation
from s3memory.errors import ConflictError, IntegrityError, KeyRingError
from s3memory.objects import StoredObject
from s3memory.open_keyring import OpenKeyRing
from s3memory.paths import MemoryPath
from s3memory.redaction import PatternRedactor
from s3memory.redaction.funnel import kinds_in_path
from s3memory.store import MemoryStore
from s3memory.versions import DELETE_PAGE_KEYS

GONE = "gone"
"""There is nothing: it was deleted since the manifest was made, or this was done before."""


@dataclass(frozen=True, slots=True)
class Target:
    """One object to work on.

    Attributes:
        store: the memory of its tenant.
        place: where it lies.
        object_key: its key.
        version_id: which version of it; ``None`` for the current one.
    """

    store: MemoryStore
    place: Place
    object_key: str
    version_id: str | None

    def path(self, ring: OpenKeyRing) -> MemoryPath | None:
        """Return its memory path, or ``None`` if its key has none."""
        try:
            return ring.names.decode(MemoryPath(), self.place.rest)
        except IntegrityError:
            return None

    def stored(self) -> StoredObject | None:
        """Fetch it."""
        return self.store.bucket.get(self.object_key, version_id=self.version_id)


Work = Callable[[Target], Result]


def verify(target: Target) -> Result:
    """Does it open, at its own place? One GET."""
    if target.place.folder == MEMORIES:
        return _with_file(target, lambda ring, path, stored: _opened(target.store, ring, path, stored))
    if target.version_id is not None:
        return done("not-verified: older versions of files alone are")
    if target.place.folder == KEY_RINGS:
        return _verified_ring(target.store)
    if target.place.folder == INTENTS:
        is_there = intents.opened(target.store, target.object_key) is not None
    else:
        is_there = read_record(target.store, target.object_key) is not None
    return done("opens" if is_there else GONE)


def scan(redactor: PatternRedactor) -> Work:
    """Does it hold what today's rules would redact? One GET. A finding is no failure: it is in the result's text."""

    def look(target: Target) -> Result:
        if target.place.folder != MEMORIES:
            return done("no-text")
        return _with_file(target, lambda ring, path, stored: _scanned(target.store, redactor, ring, path, stored))

    return look


def reseal(target: Target) -> Result:
    """Seal it under the newest data key. One GET; a LIST and a PUT more where it was sealed under an older one."""
    target.store.ensure_writable()
    if target.version_id is not None:
        return wrong("older-version: a version can't be replaced")
    if target.place.folder == INTENTS:
        ring = target.store.keys.existing()
        changed = ring is not None and intents.reseal(target.store, ring, target.object_key, {})
        return done("resealed" if changed else "already")
    if target.place.folder != MEMORIES:
        return done("nothing-to-reseal")
    for _ in target.store.retry.tries():
        result = _with_file(target, lambda ring, path, stored: _resealed(target, ring, path, stored))
        if result.text != "contended":
            return result
    raise ConflictError("Error: Other writers changed the file at every try.")


def erase(target: Target) -> Result:
    """Destroy it: one version where one is named, else all, with their delete markers. A LIST and a POST."""
    target.store.ensure_writable()
    versions = target.store.bucket.versions
    found = [
        one
        for one in versions.of(target.object_key)
        if target.version_id is None or one.version_id == target.version_id
    ]
    refused: Counter[str] = Counter()
    for start in range(0, len(found), DELETE_PAGE_KEYS):
        refused.update(versions.try_to_destroy(found[start : start + DELETE_PAGE_KEYS]).values())
    if target.place.folder == KEY_RINGS:
        target.store.keys.forget()
    if refused:
        return wrong(f"refused: {_counted(refused)}")
    return done(f"erased: {len(found)}" if found else GONE)


def _with_file(target: Target, work: Callable[[OpenKeyRing, MemoryPath, StoredObject], Result]) -> Result:
    stored = target.stored()
    if stored is None:
        return done(GONE)
    ring = target.store.keys.existing()
    if ring is None:
        # It was there a moment ago, and so was its key ring: the tenant is being erased.
        return done(GONE)
    path = target.path(ring)
    return wrong(str(Kind.STRAY_OBJECT)) if path is None else work(ring, path, stored)


def _opened(store: MemoryStore, ring: OpenKeyRing, path: MemoryPath, stored: StoredObject) -> Result:
    store.texts.open(ring, path, stored.body)
    return done("opens")


def _verified_ring(store: MemoryStore) -> Result:
    try:
        ring = store.keys.reloaded()
        if ring is None:
            return done(GONE)
        for key in ring.ring.keys:
            ring.data_key(key.generation)
    except KeyRingError:
        return wrong(str(Kind.KEY_RING_UNREADABLE))
    return done("opens")


def _scanned(
    store: MemoryStore, redactor: PatternRedactor, ring: OpenKeyRing, path: MemoryPath, stored: StoredObject
) -> Result:
    text = store.texts.open(ring, path, stored.body)
    found = Counter(str(one.kind) for one in redactor.findings(text, path=str(path)) if not one.is_kept)
    found.update(f"{kind} in path" for kind in kinds_in_path(redactor, str(path), path.segments))
    return done(f"found: {_counted(found)}" if found else "clean")


def _resealed(target: Target, ring: OpenKeyRing, path: MemoryPath, stored: StoredObject) -> Result:
    store = target.store
    newest = ring.newest.generation
    if sealed_generation(stored.body) > newest:  # sealed since this process read the ring
        ring = store.keys.reloaded() or ring
        newest = ring.newest.generation
    if sealed_generation(stored.body) >= newest:
        store.texts.open(ring, path, stored.body)
        return done("already")
    if Announced(store).holds(stored.info):
        return again("unfinished-change: s3memory repair comes first")
    body, actor_seal = store.texts.resealed(ring, path, stored)
    etag = store.bucket.put_over(
        target.object_key,
        body,
        etag=stored.info.etag,
        copied_from=stored.info.copied_from,
        actor_seal=actor_seal,
    )
    return again("contended") if etag is None else done("resealed")


def _counted(found: Counter[str]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in sorted(found.items()))
