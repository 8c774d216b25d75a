"""Does everything that a tenant has stored open, and is it where it belongs? It reports findings and repairs nothing.

Every object is fetched and opened. A sealed object only opens at its own place, so one that was moved, copied or
swapped in the bucket is found as well. This can't see what is missing, nor an older version of an object that somebody
put back at its own place: see ``docs/threat-model.md``.
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
from s3memory.admin.versions import tombstones
from s3memory.admin.walks import Missed, Passes, Patience
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
"""Lambda ends what takes longer: https://docs.aws.amazon.com/lambda/latest/dg/configuration-timeout.html"""

T = TypeVar("T")


class Kind(StrEnum):
    """What is wrong."""

    KEY_RING_MISSING = "key-ring-missing"
    """Memory is there, and no key ring: nothing opens."""
    KEY_RING_UNREADABLE = "key-ring-unreadable"
    """It was altered, is malformed, or was wrapped by another key. Nothing else was looked at."""
    GENERATION_UNREADABLE = "generation-unreadable"
    """A data key of the ring can't be unwrapped."""
    DOES_NOT_OPEN = "does-not-open"
    """An object was altered, moved, cut, or sealed under another key."""
    NO_KEY = "no-key"
    """An object says that it is of a generation that the key ring does not have."""
    STRAY_OBJECT = "stray-object"
    """An object is not a file, intent or tombstone: this package makes no such name."""
    FILE_BELOW_FILE = "file-below-file"
    """A file lies below another. Both can be read, and either can be renamed or deleted."""
    STALE_INTENT = "stale-intent"
    """A directory operation was begun and not ended: ``s3memory repair`` ends it."""
    NOT_LOOKED_AT = "not-looked-at"
    """S3 or the key wrapper did not give an object: it refused, or did not answer at every try."""


@dataclass(frozen=True, slots=True)
class Defect:
    """One thing that is wrong.

    Attributes:
        tenant: whose it is; `None` for what is nobody's.
        kind: what is wrong.
        object_key: the object, as S3 knows it.
        path: the memory path, where it has one.
        version_id: which older version of the object; `None` for the current one.
        generation: which data key is meant, where one is.
        modified: when the object was stored, where that is known.
        code: why an object could not be looked at: AWS's error code, most often.
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
    """How much was looked at. What is no file, or what S3 or the key wrapper did not give, only findings count.

    Attributes:
        tenant: whose memory.
        files: current files.
        versions: older versions of them.
        intents_under_way: directory operations that began a moment ago.
        records: tombstones of versions that were redacted.
        findings: how many findings there were.
        is_settled: every file was looked at, also those that agents moved meanwhile; not if they went on at every pass.
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
    """Look at everything that a tenant has stored: a GET for each object, side by side, in bounded memory.

    What is deleted or changed meanwhile is not a finding. What S3 does not give is one, and does not hold up the rest.
    The key ring is read again, past the cache, and each of its generations is unwrapped.

    Args:
        store: the tenant's memory.
        found: is called with each finding, in this thread, as soon as it is known.
        with_versions: look at older versions, too.
        stale_after_seconds: how old an intent is that nobody works on any more.

    Raises:
        ConfigurationError: no time is `stale_after_seconds` ago.
        BackendError: S3 or the key wrapper could not be reached, or refused to list, or to give anything. The findings
            until then hold.
    """
    try:
        stale_before = datetime.now(UTC) - timedelta(seconds=stale_after_seconds)
    except (OverflowError, ValueError):  # before anything is read
        raise ConfigurationError("an intent can't be stale after so many seconds: there is no such time") from None
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
    """Look at one object of memories, or at one version of it: a GET. Return what is wrong with it, if anything is.

    Args:
        store: the tenant's memory.
        ring: its key ring.
        object_key: the object.
        version_id: which version; the current one if left out.
        missing_generations: those that the ring is known not to have: it is not read again for them.

    Raises:
        NotFoundError: the object, or that version, is not there.
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


class Above:
    """Tells of each object key, in the order of a listing, whether it lies below one that came before.

    What lies below ``a`` is listed after it, perhaps after other keys that begin with ``a``. So ``a`` is remembered as
    long as keys begin with it. Each remembered key begins with the one before it, so they are few.
    """

    def __init__(self) -> None:
        self._keys: list[str] = []

    def holds(self, object_key: str) -> bool:
        """Whether this key is that of a file below an object that came before. It is remembered from now on."""
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
            self._tell(Kind.KEY_RING_UNREADABLE if is_there else Kind.KEY_RING_MISSING, object_key, reason=str(error))
            return None
        if ring is None:  # then there are no memories; whatever else there is opens for nobody
            for listed in self._store.objects.listed(Folder.INTENTS, Folder.REDACTIONS):
                self._tell(Kind.NO_KEY, listed.object_key, modified=listed.modified)
        return ring

    def generations(self, ring: OpenKeyRing) -> None:
        for key in ring.ring.keys:
            try:
                ring.data_key(key.generation)
            except (KeyRingError, AccessDeniedError):  # a KMS key that is disabled, or not for these credentials
                self._missing_generations.add(key.generation)
                self._tell(Kind.GENERATION_UNREADABLE, self._store.key_ring.object_key, generation=key.generation)

    def files(self, ring: OpenKeyRing) -> None:
        progress.begins(f"{self._store.tenant}: files", None)
        for number, items in enumerate(self._passes):
            listed = items if number else self._with_those_above(ring, items)
            self.result.files += self._look_at_all(ring, listed)
        self.result.is_settled = self._passes.is_settled

    def versions(self, ring: OpenKeyRing) -> None:
        progress.begins(f"{self._store.tenant}: older versions", None)
        older = (one for one in self._store.objects.versions_in(Folder.MEMORIES) if one.is_older)
        self.result.versions = self._look_at_all(ring, older)

    def intents(self, stale_before: datetime) -> None:
        for listed in self._store.objects.listed(Folder.INTENTS):
            object_key, modified = listed.object_key, listed.modified
            stored = self._document(object_key, partial(intents.opened, self._store, object_key), modified=modified)
            if stored is None or isinstance(stored, Missed):  # or it was carried out since it was listed
                continue
            if modified < stale_before:
                self._tell(Kind.STALE_INTENT, object_key, path=str(stored.intent.path), modified=modified)
            else:
                self.result.intents_under_way += 1

    def tombstones(self) -> None:
        for object_key in documents.object_keys(self._store, tombstones.KIND):
            read = self._document(object_key, partial(documents.read, self._store, tombstones.KIND, object_key))
            self.result.records += not isinstance(read, Missed)

    def _document(
        self, object_key: str, read: Callable[[], T], *, modified: datetime | None = None
    ) -> T | Missed | None:
        """Return an intent or a tombstone. What does not open or is not given is told."""
        try:
            document = self._patience.work(object_key, read)
        except IntegrityError:
            self._tell(Kind.DOES_NOT_OPEN, object_key, modified=modified)
            return None
        if isinstance(document, Missed):
            self._tell(Kind.NOT_LOOKED_AT, object_key, code=document.code)
        return document

    def _with_those_above(self, ring: OpenKeyRing, items: Iterator[ListedObject]) -> Iterator[ListedObject]:
        """Yield the objects of memories, telling of each that lies below another."""
        above = Above()
        for listed in items:
            path = self._shown(ring, listed) if above.holds(listed.object_key) else None
            if path is not None:  # a stray object is reported as one, once
                self._tell(Kind.FILE_BELOW_FILE, listed.object_key, path=path, modified=listed.modified)
            yield listed

    def _shown(self, ring: OpenKeyRing, listed: ListedObject | ListedVersion) -> str | None:
        path = self._store.objects.path_of(ring, listed.object_key)
        return None if path is None else str(path)

    def _look_at_all(self, ring: OpenKeyRing, items: Iterator[ListedObject | ListedVersion]) -> int:
        n_items = 0
        at_once = self._store.objects.requests_at_once
        look_at = partial(self._file, ring)
        for finding in stream(look_at, items, at_once=at_once, size_bytes=attrgetter("size_bytes")):
            n_items += finding is None or finding.kind not in {Kind.NOT_LOOKED_AT, Kind.STRAY_OBJECT}
            progress.advances()
            if finding is not None:
                self._hand_over(finding)
        return n_items

    def _file(self, ring: OpenKeyRing, listed: ListedObject | ListedVersion) -> Defect | None:
        """Return what is wrong with an object of memories. Runs in a thread of the pool."""
        object_key, missing = listed.object_key, self._missing_generations
        version_id = listed.version_id if isinstance(listed, ListedVersion) else None
        look = partial(verify_file, self._store, ring, object_key, version_id=version_id, missing_generations=missing)
        try:
            finding = self._patience.work((object_key, version_id), look)
        except NotFoundError:  # it was deleted, or moved, since it was listed
            self._passes.gone()
            return None
        if isinstance(finding, Missed):
            path, code = self._shown(ring, listed), finding.code
            finding = Defect(self._store.tenant, Kind.NOT_LOOKED_AT, object_key, path, version_id, code=code)
        if finding is None:
            return None
        if finding.kind is Kind.NO_KEY and finding.generation is not None:
            missing.add(finding.generation)  # so that not every such object has the ring read again
        return replace(finding, modified=listed.modified)

    def _tell(self, kind: Kind, object_key: str, **about: Any) -> None:
        self._hand_over(Defect(self._store.tenant, kind, object_key, **about))

    def _hand_over(self, finding: Defect) -> None:
        self.result.findings += 1
        self._found(finding)
