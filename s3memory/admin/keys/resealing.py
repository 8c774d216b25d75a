"""Reseals everything that a tenant has stored under the newest data key. Run it after a rotation.

Texts stay byte for byte the same and pass no redactor. Agents can continue meanwhile: each object is replaced by
compare-and-swap, and what an agent writes is sealed under the newest key already, or resealed by the next run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from operator import attrgetter
from typing import Any

from s3memory import progress
from s3memory._parallel import MAX_HELD_BYTES, batches, each
from s3memory.admin.long_jobs import FilePasses, Missed, Patience, job
from s3memory.admin.tenants import no_key_ring_error
from s3memory.admin.versions import tombstones
from s3memory.audit.recording import audited
from s3memory.errors import ConflictError, IntegrityError
from s3memory.format.envelope import sealed_generation
from s3memory.format.object_keys import ListedFile
from s3memory.format.sealed_document import SealedDocument
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.limits import LIST_PAGE_KEYS
from s3memory.paths import MemoryPath
from s3memory.s3.objects import ObjectInfo, StoredObject, share_any
from s3memory.store import documents, intents
from s3memory.store.memory_store import MemoryStore

_GROUP_FILES = 256


@dataclass(slots=True)
class Resealing:
    """The result of a run.

    Attributes:
        generation: the newest generation. All objects that the fields below do not except are sealed under it.
        resealed: how many files were resealed.
        already: how many files were sealed under it before, and open.
        intents: how many intents of unfinished directory operations were resealed.
        records: how many tombstones of redacted versions were resealed.
        left: files of an unfinished directory operation: run `repair` first.
        unreadable: files that do not open, even if they name the newest generation. They were left as they are.
        contended: files that other writers changed at every attempt.
        stray: how many objects are not memory files.
        unreadable_objects: object keys of intents and tombstones that do not open. They were left as they are.
        contended_objects: object keys of intents that other writers changed at every attempt.
        missed: objects that S3 or the key wrapper failed to read or write, and why.
        is_settled: every file was seen, even if agents moved it. False if they kept moving files in every pass.
    """

    generation: int
    resealed: int = 0
    already: int = 0
    intents: int = 0
    records: int = 0
    left: list[MemoryPath] = field(default_factory=list)
    unreadable: list[MemoryPath] = field(default_factory=list)
    contended: list[MemoryPath] = field(default_factory=list)
    stray: int = 0
    unreadable_objects: list[str] = field(default_factory=list)
    contended_objects: list[str] = field(default_factory=list)
    missed: list[Missed] = field(default_factory=list)
    is_settled: bool = True

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left under an older generation, as far as is known."""
        files_left = self.left or self.unreadable or self.contended or self.missed
        return self.is_settled and not (files_left or self.unreadable_objects or self.contended_objects)


class Announced:
    """The files that the intents of unfinished directory operations name by their ETags. They are not resealed.

    An intent that does not open announces nothing: `repair` can't carry it out either.

    Attributes:
        own_etags: the ETags of the files that this run has resealed.
    """

    def __init__(self, store: MemoryStore) -> None:
        self.own_etags: set[str] = set()
        self._store = store
        self._etags: dict[tuple[str, str], frozenset[str]] = {}

    def look(self) -> None:
        """Read the current intents: a LIST, and a GET for each that is new or has changed.

        Call it right before files are replaced: an agent may begin a directory operation at any time.

        Raises:
            BackendError: S3 or the key wrapper could not be reached.
        """
        known = self._etags
        # The ETag matters: an operation that is repeated after a crash adds files to the existing intent.
        listed = {(one.object_key, one.etag) for one in self._store.objects.listed(intents.KIND.folder)}
        self._etags = {one: known[one] if one in known else self._etags_of(one[0]) for one in listed}

    def holds(self, info: ObjectInfo) -> bool:
        """Return whether an intent names a file, or a file that it is a copy of."""
        return any(share_any(info.etags, known) or info.is_copy_of(known) for known in self._etags.values())

    def _etags_of(self, object_key: str) -> frozenset[str]:
        try:
            unfinished = intents.opened(self._store, object_key)
        except IntegrityError:
            return frozenset()
        return frozenset() if unfinished is None else unfinished.etags


class ResealOutcome(Enum):
    """The outcome for one file."""

    RESEALED = auto()
    ALREADY = auto()
    """It was sealed under the newest generation already, and opens."""
    GONE = auto()
    """It was deleted meanwhile."""
    LEFT = auto()
    """It belongs to an unfinished directory operation: run `repair` first."""
    CONTENDED = auto()
    """Other writers changed it at every attempt."""


def reseal_file(store: MemoryStore, ring: OpenKeyRing, path: MemoryPath, *, dry_run: bool = False) -> ResealOutcome:
    """Seal a file under the newest generation: a GET, and a LIST and a PUT if it is under an older one.

    A file that already names the newest generation is opened, since the number alone proves nothing: if an older key
    ring was put back, the number may have been given to two data keys.

    Args:
        store: the tenant's memory.
        ring: the tenant's key ring.
        path: the file.
        dry_run: write nothing.

    Raises:
        IntegrityError: it does not open, and was left as it is. KeyRingError: the ring has no key for it.
        BackendError, OutcomeUnknownError: as for the store; call it again.
    """
    return _Run(store, ring, dry_run=dry_run).file(path)


@audited("reseal")
def reseal(store: MemoryStore, *, dry_run: bool = False) -> Resealing:
    """Seal all files, intents and tombstones of a tenant under the newest generation. Run it again to continue.

    It costs a GET for each file, a PUT for each that has to be resealed, and a LIST of the intents for every 256 of
    these. Files that name the newest generation are opened as well. A bucket with versioning keeps what is replaced as
    older versions. Files of a directory operation under way are skipped.

    Args:
        store: the tenant's memory.
        dry_run: only count; nothing is written.

    Raises:
        NotFoundError: the tenant has no key ring. ReadOnlyError: the memory is read-only.
        KeyRingError, BackendError, OutcomeUnknownError: as for the store; run it again.
    """
    if not dry_run:
        store.ensure_writable()
    ring = store.key_ring.reloaded()
    if ring is None:
        raise no_key_ring_error(store)
    run = _Run(store, ring, dry_run=dry_run)
    with nullcontext() if dry_run else job(f"Re-encrypting {store.tenant}'s files"):
        return run.run()


class _Run:
    def __init__(self, store: MemoryStore, ring: OpenKeyRing, *, dry_run: bool) -> None:
        self._store = store
        self._ring = ring
        self._announced = Announced(store)
        self._dry_run = dry_run
        self._result = Resealing(ring.newest.generation)
        self._patience = Patience(store)

    def file(self, path: MemoryPath) -> ResealOutcome:
        for _ in self._store.retry.attempts():
            stored = self._under_older_key(path)
            if isinstance(stored, ResealOutcome):
                return stored
            self._announced.look()
            outcome = self._replace(path, stored)
            if outcome is not ResealOutcome.CONTENDED:
                return outcome
        return ResealOutcome.CONTENDED

    def _under_older_key(self, path: MemoryPath) -> StoredObject | ResealOutcome:
        """Return a file that has to be resealed, or the outcome if it does not have to be."""
        stored = self._store.objects.get(self._store.objects.key_of(self._ring, path))
        if stored is None:
            return ResealOutcome.GONE
        if sealed_generation(stored.body) < self._ring.newest.generation:
            return stored
        self._store.texts.open(self._ring, path, stored.body)
        return ResealOutcome.ALREADY

    def _replace(self, path: MemoryPath, stored: StoredObject) -> ResealOutcome:
        """Replace a fetched file, unless an intent names it: `CONTENDED` if it has changed since it was fetched."""
        if self._announced.holds(stored.info):
            return ResealOutcome.LEFT
        body, noted = self._store.texts.resealed(self._ring, path, stored)
        if self._dry_run:
            return ResealOutcome.RESEALED
        object_key = self._store.objects.key_of(self._ring, path)
        new_etag = self._store.objects.put(object_key, body, over=stored.info.etag, noted=noted)
        if new_etag is None:
            return ResealOutcome.CONTENDED
        self._announced.own_etags.add(new_etag)
        return ResealOutcome.RESEALED

    def run(self) -> Resealing:
        passes = FilePasses(self._store)
        for number, items in enumerate(passes):
            own = frozenset(self._announced.own_etags)
            for files in batches((file for file in items if file.listed.etag not in own), LIST_PAGE_KEYS):
                progress.begin("files", len(files))
                for file, outcome in self._resealed(files):
                    if outcome is ResealOutcome.GONE:
                        passes.note_gone()
                    # In later passes, a file under the newest key may have been counted before, at another path or as
                    # resealed.
                    if not (number and outcome is ResealOutcome.ALREADY):
                        self._count(file.path, outcome)
        self._result.stray, self._result.is_settled = passes.stray, passes.is_settled
        self._result.intents = self._reseal_documents(intents.KIND)
        self._result.records = self._reseal_documents(tombstones.KIND)
        self._result.missed = self._patience.missed
        return self._result

    def _reseal_documents(self, kind: SealedDocument[Any]) -> int:
        """Reseal intents or tombstones, and note those that can't be resealed. Return how many were resealed."""
        n_resealed = 0
        for object_key in documents.object_keys(self._store, kind):
            reseal_one = partial(documents.reseal, self._store, kind, self._ring, object_key, dry_run=self._dry_run)
            try:
                n_resealed += self._patience.work(object_key, reseal_one) is True
            except IntegrityError:
                self._result.unreadable_objects.append(object_key)
            except ConflictError:
                self._result.contended_objects.append(object_key)
        return n_resealed

    def _resealed(self, files: list[ListedFile]) -> Iterator[tuple[ListedFile, ResealOutcome | Missed | None]]:
        """Yield each file with its outcome; `None` if it does not open."""
        # Each group of files is held in memory while the intents are read.
        size_bytes = attrgetter("listed.size_bytes")
        for group in batches(files, _GROUP_FILES, n_bytes=size_bytes, max_bytes=MAX_HELD_BYTES):
            fetched = each(self._fetch, group)
            if any(isinstance(one, StoredObject) for one in fetched):
                self._announced.look()
            found = zip(group, fetched, strict=True)
            yield from zip(group, each(self._reseal, found, done=progress.advance), strict=True)

    def _fetch(self, file: ListedFile) -> StoredObject | ResealOutcome | Missed | None:
        with suppress(IntegrityError):
            return self._patience.work(file.path, partial(self._under_older_key, file.path))
        return None

    def _reseal(
        self, found: tuple[ListedFile, StoredObject | ResealOutcome | Missed | None]
    ) -> ResealOutcome | Missed | None:
        file, stored = found
        if not isinstance(stored, StoredObject):
            return stored

        def replace() -> ResealOutcome:
            outcome = self._replace(file.path, stored)
            return self.file(file.path) if outcome is ResealOutcome.CONTENDED else outcome

        with suppress(IntegrityError):
            return self._patience.work(file.path, replace)
        return None

    def _count(self, path: MemoryPath, outcome: ResealOutcome | Missed | None) -> None:
        result = self._result
        result.resealed += outcome is ResealOutcome.RESEALED
        result.already += outcome is ResealOutcome.ALREADY
        listed = {ResealOutcome.LEFT: result.left, ResealOutcome.CONTENDED: result.contended, None: result.unreadable}
        if not isinstance(outcome, Missed) and outcome in listed:
            listed[outcome].append(path)
