"""Imports files into a tenant's memory. The redactor and the limits apply, as if an agent wrote them.

All files are checked before any is written. If one can't be imported, none is, unless the caller allows it. A file
that already exists with the same text counts as done, so an interrupted import can be run again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from s3memory import progress
from s3memory._parallel import stream
from s3memory.admin.long_jobs import Missed, Patience, job
from s3memory.admin.transfer.import_sources import Source, SourceFile
from s3memory.audit.recording import audited
from s3memory.errors import (
    AlreadyExistsError,
    ConfigurationError,
    ConflictError,
    IntegrityError,
    InvalidInputError,
    LimitError,
    NotFoundError,
    ReadOnlyError,
    RedactionError,
    RefusedError,
    S3MemoryError,
)
from s3memory.paths import ROOT, MemoryPath, shown
from s3memory.store import obstacles
from s3memory.store.memory_store import MemoryStore


class Existing(StrEnum):
    """What to do with a file if its path already holds a different text."""

    REFUSE = "refuse"
    SKIP = "skip"
    OVERWRITE = "overwrite"


class ImportOutcome(StrEnum):
    """The outcome for a file, or the expected one."""

    CREATED = "created"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    REFUSED = "refused"
    MISSED = "missed"
    """S3 or the key wrapper refused or did not answer: the file was not written, or it is unknown whether it was."""


_HIDDEN = "[REDACTED]"
WRITTEN = frozenset({ImportOutcome.CREATED, ImportOutcome.REPLACED})
"""The outcomes for files that are stored."""


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """One file of an import.

    Attributes:
        path: its memory path, or its name in the source if that does not make a memory path.
        outcome: the outcome.
        kinds: the kinds of values that were redacted.
        reason: why it was refused, missed or left out.
        origin: its name in the source, if that differs.
        is_hidden: `path` does not show the path, because that contains something sensitive.
        added_bytes: how much the file adds to the size of the tenant's texts, as planned.
    """

    path: str
    outcome: ImportOutcome
    kinds: tuple[str, ...] = ()
    reason: str | None = None
    origin: str | None = None
    is_hidden: bool = False
    added_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Import:
    """The result of an import, or its plan.

    Attributes:
        files: the files, in the order of the source.
        is_done: files were written. If false, nothing was changed.
    """

    files: tuple[ImportedFile, ...]
    is_done: bool

    def count(self, outcome: ImportOutcome) -> int:
        """Return how many files had this outcome."""
        return sum(file.outcome is outcome for file in self.files)

    @property
    def is_refused(self) -> bool:
        """Whether a file can't be imported. Then none is, unless a partial import is wanted."""
        return any(file.outcome in {ImportOutcome.REFUSED, ImportOutcome.MISSED} for file in self.files)


@audited("import")
def plan(store: MemoryStore, source: Source, *, existing: Existing = Existing.REFUSE) -> Import:
    """Return what `import_files` would do. Nothing is changed.

    Args:
        store: the tenant's memory.
        source: the source of the files.
        existing: what to do with files whose path already holds a different text.

    Raises:
        ReadOnlyError: the tenant is archived.
        InvalidInputError, ConfigurationError: the source is damaged, or can't be read.
        KeyRingError, BackendError: as for the store.
    """
    reading = store.refusing_writes()
    reading.key_ring.ensure_not_archived()
    progress.begin("checking files", None)
    planned = []
    for one in stream(partial(_planned, reading, Patience(store), existing), _sorted_out(source)):
        progress.advance()
        planned.append(one)
    return Import(tuple(_with_room(reading, planned)), is_done=False)


@audited("import")
def import_files(
    store: MemoryStore,
    source: Source,
    *,
    existing: Existing = Existing.REFUSE,
    partial_: bool = False,
    planned: Import | None = None,
) -> Import:
    """Write the files of a source into a memory. Agents can continue meanwhile.

    What agents write between the check and the write is kept, unless `existing` is to overwrite.

    Args:
        store: the tenant's memory. Its redactor and limits apply.
        source: the source of the files.
        existing: what to do with files whose path already holds a different text.
        partial_: import the other files if some can't be imported.
        planned: the result of `plan` for this source, if there is one.

    Raises:
        ReadOnlyError: the memory is read-only, or the tenant is archived.
        InvalidInputError, ConfigurationError: the source is damaged, or can't be read.
        KeyRingError: the tenant was erased meanwhile, or its key ring does not open.
        UnfinishedError: S3 or the key wrapper failed, unless it concerns a single file; run it again.
    """
    store.ensure_writable()
    planned = planned or plan(store, source, existing=existing)
    if planned.is_refused and not partial_:
        return planned
    wanted = {file.path: file.outcome for file in planned.files if file.outcome in WRITTEN}
    ring = store.key_ring.existing()
    progress.begin("writing files", len(wanted))
    patience = Patience(store)

    def write(given: tuple[MemoryPath, SourceFile]) -> ImportedFile:
        path, file = given
        is_new = wanted[str(path)] is ImportOutcome.CREATED
        written = patience.work(path, partial(_written, store, path, file, existing, is_new=is_new))
        progress.advance()
        return _missed(written) if isinstance(written, Missed) else written

    to_write = (
        (path, file) for path, file in _sorted_out(source) if isinstance(path, MemoryPath) and str(path) in wanted
    )
    try:
        with job(f"The import into {store.tenant}"):
            done = {file.path: file for file in stream(write, to_write)}
            ring = ring or store.key_ring.cached()
            if done and ring is not None:
                store.key_ring.ensure_not_erased(since=ring)
    except (InvalidInputError, ConfigurationError):  # the source was in order when it was checked
        raise ConfigurationError(
            "the source changed while it was imported, and some of its files may be in the memory: run it again"
        ) from None
    return Import(tuple(_as_done(file, done) for file in planned.files), is_done=True)


def _as_done(planned: ImportedFile, done: dict[str, ImportedFile]) -> ImportedFile:
    """Return the result for a planned file. Files that were not to be written keep their plan."""
    if planned.outcome not in WRITTEN:
        return planned
    gone = ImportedFile(
        planned.path, ImportOutcome.REFUSED, reason="it has disappeared from the source since the check"
    )
    return replace(done.get(planned.path, gone), origin=planned.origin)


def _sorted_out(source: Source) -> Iterator[tuple[MemoryPath | ImportedFile, SourceFile]]:
    """Yield each file with its path, or with a refusal if it has none."""
    files: set[MemoryPath] = set()
    directories: set[MemoryPath] = set()
    for file in source.files():
        path = _path_of(file)
        if isinstance(path, MemoryPath):
            ancestors = path.ancestors()
            if path in files:
                path = _refused(path, "two files have this path")
            elif path in directories or not files.isdisjoint(ancestors):
                path = _refused(path, "a file can't be below a file")
            else:
                files.add(path)
                directories.update(ancestors)
        yield path, file


def _path_of(file: SourceFile) -> MemoryPath | ImportedFile:
    name = shown(f"{ROOT}/{file.name}")
    if file.is_left_out:
        return ImportedFile(shown(file.origin or file.name), ImportOutcome.SKIPPED, reason=f"it {file.problem}")
    if file.problem is not None:
        return ImportedFile(name, ImportOutcome.REFUSED, reason=f"it {file.problem}")
    # A path that needs normalizing may be an attempt to escape from the folder, so it is refused.
    if not file.name or any(part in {"", ".", ".."} for part in file.name.split("/")):
        return ImportedFile(name, ImportOutcome.REFUSED, reason="it has no path that is allowed in a memory")
    try:
        return MemoryPath.parse(f"{ROOT}/{file.name}")
    except InvalidInputError as error:
        return ImportedFile(name, ImportOutcome.REFUSED, reason=_clause(error))


def _planned(
    store: MemoryStore, patience: Patience, existing: Existing, given: tuple[MemoryPath | ImportedFile, SourceFile]
) -> ImportedFile:
    path, file = given
    # If the original name is not its path, the check of the path does not cover what is sensitive in the name.
    if file.origin is not None or isinstance(path, ImportedFile):
        try:
            store.texts.refuse_sensitive_path(MemoryPath((file.origin or file.name,)))
        except RedactionError as error:
            outcome = ImportOutcome.SKIPPED if file.is_left_out else ImportOutcome.REFUSED
            return replace(_hidden(error), outcome=outcome, origin=_HIDDEN)
    planned = path if isinstance(path, ImportedFile) else _checked(store, patience, existing, path, file)
    if file.origin is None:
        return planned
    # Hiding only one of the two names would give the sensitive part away.
    return replace(planned, origin=_HIDDEN if planned.is_hidden else shown(file.origin))


def _checked(
    store: MemoryStore, patience: Patience, existing: Existing, path: MemoryPath, file: SourceFile
) -> ImportedFile:
    try:
        store.texts.refuse_sensitive_path(path)
    except RedactionError as error:
        return _hidden(error)
    try:
        sent = file.data.decode("utf-8")
        compared = patience.work(path, partial(_compared, store, path, sent, existing))
    except UnicodeDecodeError:
        return _refused(path, "it is not UTF-8 text")
    except (RedactionError, LimitError, InvalidInputError, IntegrityError) as error:
        return _refused(path, _clause(error))
    return _missed(compared) if isinstance(compared, Missed) else compared


def _with_room(store: MemoryStore, planned: list[ImportedFile]) -> Iterator[ImportedFile]:
    """Yield the planned files, and refuse those for which the tenant's quotas have no room after the files before."""
    room = store.quotas.room() if any(file.outcome in WRITTEN for file in planned) else None
    for file in planned:
        n_new = int(file.outcome is ImportOutcome.CREATED)
        if room is None or file.outcome not in WRITTEN or room.take(files=n_new, size_bytes=file.added_bytes):
            yield file
        else:
            reason = "the tenant's quota has no room for it"
            yield ImportedFile(file.path, ImportOutcome.REFUSED, reason=reason, origin=file.origin)


def _compared(store: MemoryStore, path: MemoryPath, text: str, existing: Existing) -> ImportedFile:
    """Redact a text and compare it with the file at its path. Return the expected outcome."""
    kinds: tuple[str, ...] = ()
    try:
        redaction = store.texts.redact(text, path)
    except ReadOnlyError:  # tags need the key ring, which the first write makes: without one, there are no files
        pass
    else:
        text, kinds = redaction.text, tuple(sorted({finding.kind for finding in redaction.findings}))
    n_bytes = len(text.encode("utf-8"))
    # Without a key ring, there is no file and no obstacle, and each request for one would look for the ring again.
    has_memory = store.key_ring.existing() is not None
    current = store.read(path) if has_memory else None
    if current is None:
        obstacle = obstacles.find(store, path) if has_memory else None
        if obstacle is None:
            return ImportedFile(str(path), ImportOutcome.CREATED, kinds, added_bytes=n_bytes)
        return _refused(path, "there is a directory" if obstacle == path else f"{obstacle} is a file")
    if current.text == text:
        return ImportedFile(str(path), ImportOutcome.UNCHANGED, kinds)
    if existing is Existing.REFUSE:
        return _refused(path, "a file with a different text exists")
    if existing is Existing.SKIP:
        return ImportedFile(str(path), ImportOutcome.SKIPPED)
    added_bytes = n_bytes - len(current.text.encode("utf-8"))
    return ImportedFile(str(path), ImportOutcome.REPLACED, kinds, added_bytes=added_bytes)


def _written(
    store: MemoryStore, path: MemoryPath, file: SourceFile, existing: Existing, *, is_new: bool
) -> ImportedFile:
    text = file.data.decode("utf-8")
    try:  # the file may have appeared, changed or disappeared since the check
        written = store.create(path, text) if is_new else store.edit(path, lambda _: text)
    except (AlreadyExistsError, NotFoundError):
        return _after_race(store, path, text, existing)
    except (RefusedError, ConflictError) as error:
        return _refused(path, _clause(error))
    outcome = ImportOutcome.CREATED if is_new else ImportOutcome.REPLACED
    return ImportedFile(str(path), outcome, tuple(sorted({finding.kind for finding in written.findings})))


def _after_race(store: MemoryStore, path: MemoryPath, text: str, existing: Existing) -> ImportedFile:
    """Return the outcome for a text if a file has appeared at its path, or disappeared, since the check."""
    try:
        compared = _compared(store, path, text, existing)
        # Another import of the same source may have written it.
        if compared.outcome in {ImportOutcome.UNCHANGED, ImportOutcome.SKIPPED}:
            return compared
    except (RefusedError, IntegrityError):
        pass
    return _refused(path, "an agent was faster")


def _refused(path: MemoryPath, reason: str) -> ImportedFile:
    return ImportedFile(str(path), ImportOutcome.REFUSED, reason=reason)


def _missed(missed: Missed) -> ImportedFile:
    return ImportedFile(missed.name, ImportOutcome.MISSED, reason=missed.why)


def _hidden(error: RedactionError) -> ImportedFile:
    return ImportedFile(f"{ROOT}/{_HIDDEN}", ImportOutcome.REFUSED, reason=_clause(error), is_hidden=True)


def _clause(error: S3MemoryError) -> str:
    # The error speaks of one command, but an import may write other files.
    return str(error).replace("Nothing was changed.", "This file was not written.").rstrip(".")
