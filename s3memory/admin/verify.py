"""Verifies that everything a tenant has stored opens and is where it belongs. It reports findings and repairs nothing.

Every object is fetched and opened. A sealed object opens only under its own object key, so objects that were moved,
copied or swapped in the bucket are found as well. Missing objects are not noticed, nor an older version of an object
that someone put back under its own key: see ``docs/threat-model.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar

from s3memory import progress
from s3memory._parallel import stream
from s3memory.admin.long_jobs import Missed, Passes, Patience
from s3memory.admin.versions import tombstones
from s3memory.audit.recording import audited
from s3memory.errors import AccessDeniedError, ConfigurationError, IntegrityError, KeyRingError, NotFoundError
from s3memory.format.envelope import sealed_generation
from s3memory.format.object_keys import Folder
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.s3.objects import ListedObject
from s3memory.s3.versions import ListedVersion
from s3memory.store import documents, intents
from s3memory.store.memory_store import MemoryStore

STALE_AFTER_SECONDS = 900.0
"""Lambda's longest timeout: https://docs.aws.amazon.com/lambda/latest/dg/configuration-timeout.html"""

T = TypeVar("T")


class Kind(StrEnum):
    """The kinds of defects."""

    KEY_RING_MISSING = "key-ring-missing"
    """There are memory objects but no key ring, so nothing opens."""
    KEY_RING_UNREADABLE = "key-ring-unreadable"
    """The key ring was altered, is malformed, or was wrapped by another key. Nothing else was verified."""
    GENERATION_UNREADABLE = "generation-unreadable"
    """A data key of the ring can't be unwrapped."""
    DOES_NOT_OPEN = "does-not-open"
    """An object was altered, moved, truncated, or sealed under another key."""
    NO_KEY = "no-key"
    """An object names a generation that the key ring does not have."""
    STRAY_OBJECT = "stray-object"
    """An object is not a file, intent or tombstone: this package makes no such object keys."""
    FILE_BELOW_FILE = "file-below-file"
    """A file is below another. Both can be read, and either can be renamed or deleted."""
    STALE_INTENT = "stale-intent"
    """A directory operation was begun and never finished: ``s3memory repair`` finishes it."""
    NOT_LOOKED_AT = "not-looked-at"
    """An object could not be read: S3 or the key wrapper refused, or did not respond to any attempt."""


@dataclass(frozen=True, slots=True)
class Defect:
    """A finding: something that is wrong with an object.

    Attributes:
        tenant: the tenant; `None` if the object belongs to none.
        kind: what is wrong.
        object_key: the object's key in the bucket.
        path: the memory path, if it has one.
        version_id: the older version of the object; `None` for the current one.
        generation: the data key concerned, if any.
        modified: when the object was stored, if known.
        code: why an object could not be read: AWS's error code, most often.
        reason: why a key ring does not open, as a sentence.
    """

    tenant: str | None
    kind: Kind
    object_key: str
    path: str | None = None
    version_id: str | None = None
    generation: int | None = None
    modified: datetime | None = None
    code: str | None = None
    reason: str | None = None


@dataclass(slots=True)
class Verified:
    """How much was verified. Stray objects, and objects that could not be read, are counted in `findings` only.

    Attributes:
        tenant: the tenant.
        files: how many current files.
        versions: how many older versions of files.
        intents_under_way: how many directory operations began less than `stale_after_seconds` ago.
        records: how many tombstones of redacted versions.
        findings: how many findings.
        is_settled: every file was verified, even if agents moved it. False if they kept moving files in every pass.
    """

    tenant: str
    files: int = 0
    versions: int = 0
    intents_under_way: int = 0
    records: int = 0
    findings: int = 0
    is_settled: bool = True


@audited("verify")
def verify(
    store: MemoryStore,
    found: Callable[[Defect], object],
    *,
    with_versions: bool = False,
    stale_after_seconds: float = STALE_AFTER_SECONDS,
) -> Verified:
    """Verify everything that a tenant has stored: one GET per object, in parallel and in bounded memory.

    Objects that are deleted or changed meanwhile are not findings. An object that S3 fails to return is one, and the
    others are still verified. The key ring is fetched past the cache, and each of its generations is unwrapped.

    Args:
        store: the tenant's memory.
        found: called with each finding as soon as it is known, in the calling thread.
        with_versions: verify older versions too.
        stale_after_seconds: an intent that is older counts as stale: no process works on it any more.

    Raises:
        ConfigurationError: `stale_after_seconds` is out of the range of times.
        BackendError: S3 or the key wrapper could not be reached, or refused the listing or every object. Findings
            reported before are valid.
    """
    try:
        stale_before = datetime.now(UTC) - timedelta(seconds=stale_after_seconds)
    except (OverflowError, ValueError):  # before anything is read
        raise ConfigurationError("no intent can be that old: the number of seconds is out of range") from None
    run = _Run(store, found)
    ring = run.key_ring()
    if ring is not None:
        run.generations(ring)
        run.files(ring)
        if with_versions:
            run.versions(ring)
        run.intents(stale_before)
        run.tombstones()
    return run.result


def verify_file(
    store: MemoryStore,
    ring: OpenKeyRing,
    object_key: str,
    *,
    version_id: str | None = None,
    missing_generations: Collection[int] = (),
) -> Defect | None:
    """Verify one memory object, or one version of it. Return what is wrong with it, if anything. Costs one GET.

    Args:
        store: the tenant's memory.
        ring: its key ring.
        object_key: the object.
        version_id: the version; the current one by default.
        missing_generations: generations that the ring is known to lack. The ring is not fetched again for them.

    Raises:
        NotFoundError: the object or the version does not exist.
        BackendError: S3 or the key wrapper could not be reached, or refused.
    """
    path = store.objects.path_of(ring, object_key)
    finding = partial(
        Defect, store.tenant, object_key=object_key, path=None if path is None else str(path), version_id=version_id
    )
    if path is None:
        return finding(Kind.STRAY_OBJECT)
    try:
        stored = store.objects.get(object_key, version_id=version_id)
        if stored is None:
            raise NotFoundError("The object no longer exists.")
        generation = sealed_generation(stored.body)
        if generation in missing_generations:
            return finding(Kind.NO_KEY, generation=generation)
        try:
            store.texts.open(ring, path, stored.body)
        except KeyRingError:
            return finding(Kind.NO_KEY, generation=generation)
    except IntegrityError:
        return finding(Kind.DOES_NOT_OPEN)
    return None


class FileBelowFileFinder:
    """Finds, among object keys in listing order, those below an earlier key.

    The keys below ``a`` are listed after it, perhaps after other keys that begin with ``a``. So ``a`` is remembered as
    long as keys begin with it. Each remembered key begins with the one before it, so there are few.
    """

    def __init__(self) -> None:
        self._keys: list[str] = []

    def is_below_earlier(self, object_key: str) -> bool:
        """Remember a key, and return whether it is below one that was remembered before."""
        while self._keys and not object_key.startswith(self._keys[-1]):
            self._keys.pop()
        is_below = any(object_key[len(one)] == "/" for one in self._keys)
        self._keys.append(object_key)
        return is_below


class _Run:
    def __init__(self, store: MemoryStore, found: Callable[[Defect], object]) -> None:
        self.result = Verified(store.tenant)
        self._store = store
        self._found = found
        self._missing_generations: set[int] = set()
        self._patience = Patience(store)
        self._passes = Passes(partial(store.objects.listed, Folder.MEMORIES), lambda listed: listed)

    def key_ring(self) -> OpenKeyRing | None:
        object_key = self._store.key_ring.object_key
        try:
            ring = self._store.key_ring.reloaded()
        except KeyRingError as error:
            is_there = self._store.objects.head(object_key) is not None
            self._report(Kind.KEY_RING_UNREADABLE if is_there else Kind.KEY_RING_MISSING, object_key, reason=str(error))
            return None
        if ring is None:  # then there are no memories, and nobody can open what else there is
            for listed in self._store.objects.listed(Folder.INTENTS, Folder.REDACTIONS):
                self._report(Kind.NO_KEY, listed.object_key, modified=listed.modified)
        return ring

    def generations(self, ring: OpenKeyRing) -> None:
        for key in ring.ring.keys:
            try:
                ring.data_key(key.generation)
            except (KeyRingError, AccessDeniedError):  # the KMS key is disabled, or these credentials may not use it
                self._missing_generations.add(key.generation)
                self._report(Kind.GENERATION_UNREADABLE, self._store.key_ring.object_key, generation=key.generation)

    def files(self, ring: OpenKeyRing) -> None:
        progress.begin(f"{self._store.tenant}: files", None)
        for number, items in enumerate(self._passes):
            listed = items if number else self._reporting_files_below_files(ring, items)
            self.result.files += self._verify_all(ring, listed)
        self.result.is_settled = self._passes.is_settled

    def versions(self, ring: OpenKeyRing) -> None:
        progress.begin(f"{self._store.tenant}: older versions", None)
        older = (one for one in self._store.objects.versions_in(Folder.MEMORIES) if one.is_older)
        self.result.versions = self._verify_all(ring, older)

    def intents(self, stale_before: datetime) -> None:
        for listed in self._store.objects.listed(Folder.INTENTS):
            object_key, modified = listed.object_key, listed.modified
            stored = self._document(object_key, partial(intents.opened, self._store, object_key), modified=modified)
            if stored is None or isinstance(stored, Missed):  # unreadable, or carried out since the listing
                continue
            if modified < stale_before:
                self._report(Kind.STALE_INTENT, object_key, path=str(stored.intent.path), modified=modified)
            else:
                self.result.intents_under_way += 1

    def tombstones(self) -> None:
        for object_key in documents.object_keys(self._store, tombstones.KIND):
            read = self._document(object_key, partial(documents.read, self._store, tombstones.KIND, object_key))
            self.result.records += not isinstance(read, Missed)

    def _document(
        self, object_key: str, read: Callable[[], T], *, modified: datetime | None = None
    ) -> T | Missed | None:
        """Return an intent or a tombstone. Report it if it does not open or can't be read."""
        try:
            document = self._patience.work(object_key, read)
        except IntegrityError:
            self._report(Kind.DOES_NOT_OPEN, object_key, modified=modified)
            return None
        if isinstance(document, Missed):
            self._report(Kind.NOT_LOOKED_AT, object_key, code=document.code)
        return document

    def _reporting_files_below_files(self, ring: OpenKeyRing, items: Iterator[ListedObject]) -> Iterator[ListedObject]:
        """Yield the memory objects, and report each that is below another."""
        finder = FileBelowFileFinder()
        for listed in items:
            path = self._shown(ring, listed) if finder.is_below_earlier(listed.object_key) else None
            if path is not None:  # a stray object has no path, and is reported elsewhere
                self._report(Kind.FILE_BELOW_FILE, listed.object_key, path=path, modified=listed.modified)
            yield listed

    def _shown(self, ring: OpenKeyRing, listed: ListedObject | ListedVersion) -> str | None:
        path = self._store.objects.path_of(ring, listed.object_key)
        return None if path is None else str(path)

    def _verify_all(self, ring: OpenKeyRing, items: Iterator[ListedObject | ListedVersion]) -> int:
        n_items = 0
        at_once = self._store.objects.requests_at_once
        verify_one = partial(self._verified, ring)
        for finding in stream(verify_one, items, at_once=at_once, size_bytes=attrgetter("size_bytes")):
            n_items += finding is None or finding.kind not in {Kind.NOT_LOOKED_AT, Kind.STRAY_OBJECT}
            progress.advance()
            if finding is not None:
                self._add(finding)
        return n_items

    def _verified(self, ring: OpenKeyRing, listed: ListedObject | ListedVersion) -> Defect | None:
        """Return what is wrong with a memory object. Runs in a thread of the pool."""
        object_key, missing = listed.object_key, self._missing_generations
        version_id = listed.version_id if isinstance(listed, ListedVersion) else None
        call = partial(verify_file, self._store, ring, object_key, version_id=version_id, missing_generations=missing)
        try:
            finding = self._patience.work((object_key, version_id), call)
        except NotFoundError:  # it was deleted or moved since the listing
            self._passes.note_gone()
            return None
        if isinstance(finding, Missed):
            path, code = self._shown(ring, listed), finding.code
            finding = Defect(self._store.tenant, Kind.NOT_LOOKED_AT, object_key, path, version_id, code=code)
        if finding is None:
            return None
        if finding.kind is Kind.NO_KEY and finding.generation is not None:
            missing.add(finding.generation)  # the ring is not fetched again for every such object
        return replace(finding, modified=listed.modified)

    def _report(self, kind: Kind, object_key: str, **about: Any) -> None:
        self._add(Defect(self._store.tenant, kind, object_key, **about))

    def _add(self, finding: Defect) -> None:
        self.result.findings += 1
        self._found(finding)
