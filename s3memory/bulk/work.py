"""The kinds of work, each on one object of a tenant. All are idempotent: the second time, there is nothing to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from s3memory._parallel import batches
from s3memory.admin.discarding import DOCUMENTS
from s3memory.admin.keys.resealing import ResealOutcome, reseal_file
from s3memory.admin.scanning import scan_file
from s3memory.admin.verify import Kind, verify_file
from s3memory.bulk.results import Result, again, done, wrong
from s3memory.errors import ConflictError, KeyRingError, NotFoundError
from s3memory.format.object_keys import Folder
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.paths import MemoryPath
from s3memory.redaction import PatternRedactor
from s3memory.s3.versions import DELETE_PAGE_KEYS
from s3memory.store import documents
from s3memory.store.memory_store import MemoryStore

GONE = "gone"
"""There is no object: it was deleted after the manifest was made, or the work was done before."""


@dataclass(frozen=True, slots=True)
class Target:
    """One object to work on, or one version of it, and its tenant's store."""

    store: MemoryStore
    folder: Folder
    object_key: str
    version_id: str | None


Work = Callable[[Target], Result]


def verify(target: Target) -> Result:
    """Check that the object can be opened at its own place. Costs one GET."""
    store = target.store
    if target.folder is Folder.MEMORIES:
        return _with_ring(target, lambda ring: _verified_file(target, ring))
    if target.version_id is not None:
        return done("not-verified: older versions of files alone are")
    if target.folder is Folder.KEY_RINGS:
        return _verified_ring(store)
    found = documents.read(store, DOCUMENTS[target.folder], target.object_key)
    return done(GONE if found is None else "opens")


def scan(redactor: PatternRedactor) -> Work:
    """Return work that looks for text that the current rules would redact. Findings are no failures. Costs one GET."""

    def look(target: Target) -> Result:
        if target.folder is not Folder.MEMORIES:
            return done("no-text")
        return _with_path(target, lambda _, path: _scanned(target, redactor, path))

    return look


def reseal(target: Target) -> Result:
    """Seal the object under the newest data key. Costs one GET, plus a LIST and a PUT if it had an older key."""
    target.store.ensure_writable()
    if target.version_id is not None:
        return wrong("older-version: a version can't be replaced")
    kind = DOCUMENTS.get(target.folder)
    if kind is not None:
        ring = target.store.key_ring.existing()
        changed = ring is not None and documents.reseal(target.store, kind, ring, target.object_key)
        return done("resealed" if changed else "already")
    if target.folder is not Folder.MEMORIES:
        return done("nothing-to-reseal")
    return _with_path(target, lambda ring, path: _resealed(target.store, ring, path))


def erase(target: Target) -> Result:
    """Destroy the named version, or all versions and delete markers. Costs a LIST and a POST."""
    target.store.ensure_writable()
    objects = target.store.objects
    found = [
        one
        for one in objects.versions.of(target.object_key)
        if target.version_id is None or one.version_id == target.version_id
    ]
    refused: Counter[str] = Counter()
    for page in batches(found, DELETE_PAGE_KEYS):
        refused.update(objects.versions.try_to_destroy(page).values())
    if target.folder is Folder.KEY_RINGS:
        target.store.key_ring.forget()
    if refused:
        return wrong(f"refused: {_counted(refused)}")
    return done(f"erased: {len(found)}" if found else GONE)


def _with_ring(target: Target, work: Callable[[OpenKeyRing], Result]) -> Result:
    ring = target.store.key_ring.existing()
    if ring is None:
        # When the manifest was made, the object and thus the key ring existed, so the tenant is being erased.
        return done(GONE)
    try:
        return work(ring)
    except NotFoundError:
        return done(GONE)


def _with_path(target: Target, work: Callable[[OpenKeyRing, MemoryPath], Result]) -> Result:
    def on_path(ring: OpenKeyRing) -> Result:
        path = target.store.objects.path_of(ring, target.object_key)
        return wrong(str(Kind.STRAY_OBJECT)) if path is None else work(ring, path)

    return _with_ring(target, on_path)


def _verified_file(target: Target, ring: OpenKeyRing) -> Result:
    finding = verify_file(target.store, ring, target.object_key, version_id=target.version_id)
    return done("opens") if finding is None else wrong(str(finding.kind))


def _verified_ring(store: MemoryStore) -> Result:
    try:
        ring = store.key_ring.reloaded()
        if ring is None:
            return done(GONE)
        for key in ring.ring.keys:
            ring.data_key(key.generation)
    except KeyRingError:
        return wrong(str(Kind.KEY_RING_UNREADABLE))
    return done("opens")


def _scanned(target: Target, redactor: PatternRedactor, path: MemoryPath) -> Result:
    scanned = scan_file(target.store, redactor, path, version_id=target.version_id)
    if scanned.failure is not None:
        raise scanned.failure
    found = Counter(
        f"{one.kind} in path" if one.line is None else str(one.kind) for one in scanned.findings if not one.is_kept
    )
    return done(f"found: {_counted(found)}" if found else "clean")


def _resealed(store: MemoryStore, ring: OpenKeyRing, path: MemoryPath) -> Result:
    match reseal_file(store, ring, path):
        case ResealOutcome.RESEALED:
            return done("resealed")
        case ResealOutcome.ALREADY:
            return done("already")
        case ResealOutcome.GONE:
            return done(GONE)
        case ResealOutcome.LEFT:
            return again("unfinished-change: s3memory repair comes first")
        case ResealOutcome.CONTENDED:
            raise ConflictError("Other writers changed the file at every try.")


def _counted(found: Counter[str]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in sorted(found.items()))
