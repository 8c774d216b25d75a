"""Sealing everything that is stored anew, under the newest data key: what follows a rotation.

Texts stay byte for byte what they are, and no redactor looks at them. Agents go on meanwhile: each object is replaced
by compare and swap, and what an agent writes is under the newest key already, or is met by the next run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from s3memory import intents
from s3memory.admin.redactions import reseal_records
from s3memory.auditing import audited
from s3memory.envelope import sealed_generation
from s3memory.errors import IntegrityError, NotFoundError
from s3memory.layout import ListedFile, ListedPage
from s3memory.open_keyring import OpenKeyRing
from s3memory.parallel import each
from s3memory.paths import MemoryPath
from s3memory.progress import NOBODY, Watcher
from s3memory.store import MemoryStore


@dataclass(slots=True)
class Resealing:
    """What a run has done.

    Attributes:
        generation: the newest one, under which everything else is now.
        resealed: how many files were sealed anew.
        already: how many files were sealed under it before, and open.
        intents: how many unfinished directory operations were sealed anew.
        records: how many records of redacted versions were.
        left: files that an unfinished directory operation is about: `repair` comes first.
        unreadable: files that do not open, also where they name the newest generation. They were left as they are.
        contended: files that other writers changed at every try.
        stray: how many objects are no memory files.
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

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left under an older generation, as far as this run has seen."""
        return not (self.left or self.unreadable or self.contended)


class _Outcome(Enum):
    RESEALED = auto()
    ALREADY = auto()
    GONE = auto()
    LEFT = auto()
    UNREADABLE = auto()
    CONTENDED = auto()


@audited("reseal")
def reseal(store: MemoryStore, *, dry_run: bool = False, watcher: Watcher = NOBODY) -> Resealing:
    """Seal every file and intent of a tenant under the newest generation. Run again, it goes on where it was left.

    A GET for each file; a LIST of the intents and a PUT for each that has to be sealed anew. What says that it is
    under the newest generation is opened as well. A bucket with versioning keeps what was there as an older version.
    Files of a directory operation that is under way are left to it.

    Args:
        store: whose files.
        dry_run: only count; nothing is written.
        watcher: is told of each page of files.

    Raises:
        NotFoundError: the tenant has no key ring. ReadOnlyError: the memory is read-only.
        KeyRingError, BackendError, OutcomeUnknownError: as for the store; run it again.
    """
    if not dry_run:
        store.ensure_writable()
    ring = store.keys.reloaded()
    if ring is None:
        raise NotFoundError("Error: The tenant has no key ring. It is made with the first file.")
    return _Run(store, ring, dry_run=dry_run).run(watcher)


class _Run:
    def __init__(self, store: MemoryStore, ring: OpenKeyRing, *, dry_run: bool) -> None:
        self._store = store
        self._ring = ring
        self._dry_run = dry_run
        self._result = Resealing(ring.newest.generation)
        # By ETag, which sealing anew changes: intents know files by it.
        self._announced: dict[str, frozenset[str]] = {}
        self._new_etags: dict[str, str] = {}

    def run(self, watcher: Watcher) -> Resealing:
        for page in self._pages():
            watcher.begins("files", len(page.files))
            self._result.stray += page.stray
            outcomes = each(self._reseal, page.files, done=watcher.advances)
            for file, outcome in zip(page.files, outcomes, strict=True):
                self._count(file.path, outcome)
        for object_key in intents.object_keys(self._store):
            if not self._dry_run and intents.reseal(self._store, self._ring, object_key, self._new_etags):
                self._result.intents += 1
        if not self._dry_run:
            self._result.records = reseal_records(self._store)
        return self._result

    def _is_announced(self, *etags: str) -> bool:
        """Whether an unfinished directory operation knows a file by its ETag, or one that it is a copy of.

        Looked up for each file, right before it is replaced: an agent may begin such an operation at any time.
        """
        for object_key in intents.object_keys(self._store):
            if object_key not in self._announced:
                unfinished = intents.opened(self._store, object_key)
                self._announced[object_key] = frozenset(unfinished.etags if unfinished is not None else ())
        return any(not known.isdisjoint(etags) for known in list(self._announced.values()))

    def _pages(self) -> Iterator[ListedPage]:
        token: str | None = None
        while True:
            page = self._store.list_page(MemoryPath(), token=token)
            yield page
            token = page.next_token
            if token is None:
                return

    def _reseal(self, file: ListedFile) -> _Outcome:
        try:
            for _ in self._store.retry.tries():
                outcome = self._try_to_reseal(file)
                if outcome is not _Outcome.CONTENDED:
                    return outcome
        except IntegrityError:
            return _Outcome.UNREADABLE
        return _Outcome.CONTENDED

    def _try_to_reseal(self, file: ListedFile) -> _Outcome:
        object_key = file.listed.object_key
        stored = self._store.bucket.get(object_key)
        if stored is None:
            return _Outcome.GONE
        etag, copied_from = stored.info.etag, stored.info.copied_from
        if sealed_generation(stored.body) >= self._ring.newest.generation:
            # The number alone is no proof: after an older key ring was put back, it may be that of another data key.
            self._store.texts.open(self._ring, file.path, stored.body)
            return _Outcome.ALREADY
        if self._is_announced(etag, f'"{copied_from}"'):
            return _Outcome.LEFT
        body, actor_seal = self._store.texts.resealed(self._ring, file.path, stored)
        if self._dry_run:
            return _Outcome.RESEALED
        new_etag = self._store.bucket.put_over(
            object_key, body, etag=etag, copied_from=copied_from, actor_seal=actor_seal
        )
        if new_etag is None:
            return _Outcome.CONTENDED
        self._new_etags[etag] = new_etag
        return _Outcome.RESEALED

    def _count(self, path: MemoryPath, outcome: _Outcome) -> None:
        result = self._result
        match outcome:
            case _Outcome.RESEALED:
                result.resealed += 1
            case _Outcome.ALREADY:
                result.already += 1
            case _Outcome.LEFT:
                result.left.append(path)
            case _Outcome.UNREADABLE:
                result.unreadable.append(path)
            case _Outcome.CONTENDED:
                result.contended.append(path)
            case _Outcome.GONE:
                pass
