"""Finds sensitive values in stored memories that today's rules would redact, and redacts them on request.

A text is redacted by the rules in force when it is written. What those rules missed stays in current files, and in
older versions if the bucket keeps them, until someone scans. Findings never contain the values.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from s3memory import progress
from s3memory._parallel import each
from s3memory.admin.long_jobs import FilePasses, Missed, Patience, job
from s3memory.admin.versions.point_in_time import older_versions
from s3memory.audit.recording import audited
from s3memory.errors import ConflictError, IntegrityError, LimitError, NotFoundError, ReadOnlyError, RedactionError
from s3memory.paths import ROOT, MemoryPath
from s3memory.redaction import PatternRedactor
from s3memory.redaction.fail_closed import kinds_in_path
from s3memory.s3.versions import ListedVersion
from s3memory.store.memory_store import MemoryStore


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """A sensitive value that is stored.

    Attributes:
        path: the memory path, with placeholders for sensitive parts of the path itself.
        kind: the kind of value.
        line: the 1-based line in the stored text; ``None`` if the value is in the path.
        is_kept: the policy only reports this kind, and never redacts it.
        is_fixed: this scan has redacted it.
        version_id: the older version that holds it; ``None`` for the current one.
        modified: when that version was stored.
    """

    path: str
    kind: str
    line: int | None
    is_kept: bool = False
    is_fixed: bool = False
    version_id: str | None = None
    modified: datetime | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """The result of a scan.

    Attributes:
        files: how many current files were scanned.
        versions: how many older versions were scanned.
        unreadable: the paths of files and versions that do not open or could not be checked.
        missed: files and versions that were skipped because S3 or the key wrapper failed to read or write them.
        stray: how many objects are not memory files.
        is_settled: every file was scanned, even if agents moved it. False if they kept moving files in every pass.
        findings: sorted by path and line; those of older versions come last.
    """

    files: int
    versions: int
    unreadable: tuple[str, ...]
    missed: tuple[Missed, ...]
    stray: int
    is_settled: bool
    findings: tuple[StoredFinding, ...]


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """The findings of one file or version, or the reason why its text can't be scanned.

    Attributes:
        path: the memory path, with placeholders for sensitive parts of the path itself.
        findings: those in its path, then those in its text.
        failure: why its text was not scanned: it does not open, or could not be checked.
    """

    path: str
    findings: tuple[StoredFinding, ...]
    failure: IntegrityError | RedactionError | None = None


def scan_file(
    store: MemoryStore, redactor: PatternRedactor, path: MemoryPath, *, version_id: str | None = None
) -> ScannedFile:
    """Return what `redactor` would redact in a file, or in one version of it, and in its path. Costs one GET.

    Args:
        store: the tenant's files.
        redactor: the rules and the policy. It must not refuse: see `PatternRedactor.never_refusing`.
        path: the file.
        version_id: the version; the current one by default.

    Raises:
        NotFoundError: the file or the version does not exist.
        BackendError: S3 or the key wrapper could not be reached.
    """
    shown, findings = _scan_path(redactor, path)
    try:
        file = store.read(path, version_id=version_id)
        if file is None:
            raise NotFoundError("The file no longer exists.")
        found = redactor.findings(file.text, path=str(path))
    except (IntegrityError, RedactionError) as failure:
        return ScannedFile(shown, findings, failure)
    in_text = (StoredFinding(shown, one.kind, one.line, is_kept=one.is_kept, version_id=version_id) for one in found)
    return ScannedFile(shown, (*findings, *in_text))


def _scan_path(redactor: PatternRedactor, path: MemoryPath) -> tuple[str, tuple[StoredFinding, ...]]:
    """Return a path in a form that may be shown, and the findings in it."""
    try:
        kinds = kinds_in_path(redactor, str(path), path.segments)
        shown = redactor.redact(str(path)).text if kinds else str(path)
    except RedactionError:
        return f"{ROOT}/[unchecked]", ()
    if kinds and shown == str(path):
        shown = f"{ROOT}/[REDACTED:{kinds[0]}]"
    return shown, tuple(StoredFinding(shown, kind, None) for kind in kinds)


@audited("scan")
def scan(store: MemoryStore, redactor: PatternRedactor, *, with_versions: bool = False, fix: bool = False) -> Scan:
    """Return what `redactor` would redact in the files of a tenant.

    Args:
        store: the tenant's files.
        redactor: the rules and the policy. Findings that it would block on count as well.
        with_versions: scan older versions too: one request each.
        fix: redact the findings in current files, by compare-and-swap. Older versions and paths stay as they are.

    Raises:
        ReadOnlyError: `fix` is set, and the memory is read-only or archived.
        BackendError: S3 or the key wrapper could not be reached. With `fix`, an UnfinishedError instead.
    """
    if fix:
        store.ensure_writable()
        store.key_ring.ensure_not_archived()
    scanner = _Scanner(store, redactor.never_refusing(), fix=fix)
    passes = FilePasses(store)
    current: list[ScannedFile] = []
    missed: dict[MemoryPath, Missed] = {}
    known: set[MemoryPath] = set()
    older: list[ScannedFile | Missed | None] = []
    with job(f"Redacting the files of {store.tenant}") if fix else nullcontext():
        for files in passes:
            paths = sorted(file.path for file in files)
            progress.begin("files", len(paths))
            scanned = each(scanner.scan, paths, done=progress.advance)
            for path, one in zip(paths, scanned, strict=True):
                missed.pop(path, None)  # the pass before may have missed it
                if one is None:
                    passes.note_gone()
                elif isinstance(one, Missed):
                    missed[path] = one
                else:
                    current.append(one)
                    known.add(path)
        if with_versions:
            listed = list(older_versions(store, MemoryPath()))
            progress.begin("older versions", len(listed))
            older = each(lambda one: scanner.scan(*one), listed, done=progress.advance)
    all_scanned = [one for one in (*current, *older) if isinstance(one, ScannedFile)]
    return Scan(
        findings=tuple(dict.fromkeys(finding for one in all_scanned for finding in one.findings)),
        files=len(known),
        versions=sum(isinstance(one, ScannedFile) for one in older),
        unreadable=tuple(one.path for one in all_scanned if one.failure is not None),
        stray=passes.stray,
        missed=(*missed.values(), *(one for one in older if isinstance(one, Missed))),
        is_settled=passes.is_settled,
    )


class _Scanner:
    def __init__(self, store: MemoryStore, redactor: PatternRedactor, *, fix: bool) -> None:
        self._store = store.redacting_with(redactor)
        self._redactor = redactor
        self._fix = fix
        self._patience = Patience(store)

    def scan(self, path: MemoryPath, version: ListedVersion | None = None) -> ScannedFile | Missed | None:
        """Scan a file and its path, or the text of an older version. Return `None` if it no longer exists."""
        version_id = None if version is None else version.version_id
        of = "" if version is None else f" version {version_id}"
        try:
            scanned = self._patience.work(f"{path}{of}", partial(self._scan_and_fix, path, version_id))
        except NotFoundError:
            return None
        if isinstance(scanned, Missed):  # its name must not show sensitive parts of the path
            return replace(scanned, name=_scan_path(self._redactor, path)[0] + of)
        if version is None:
            return scanned
        in_text = (replace(one, modified=version.modified) for one in scanned.findings if one.line is not None)
        return replace(scanned, findings=tuple(in_text))

    def _scan_and_fix(self, path: MemoryPath, version_id: str | None) -> ScannedFile:
        scanned = scan_file(self._store, self._redactor, path, version_id=version_id)
        return self._fixed(path, scanned) if self._fix and version_id is None else scanned

    def _fixed(self, path: MemoryPath, scanned: ScannedFile) -> ScannedFile:
        """Redact the findings in a text, except those that the policy keeps."""

        def is_due(one: StoredFinding) -> bool:
            return one.line is not None and not one.is_kept

        if not any(map(is_due, scanned.findings)):
            return scanned
        try:
            self._store.edit(path, lambda text: text)
        # Placeholders can make the text too long, and agents can be faster: the findings then stay.
        except (LimitError, ConflictError, ReadOnlyError):
            return scanned
        except (IntegrityError, RedactionError) as failure:
            in_path = tuple(one for one in scanned.findings if one.line is None)
            return ScannedFile(scanned.path, in_path, failure)
        return replace(scanned, findings=tuple(replace(one, is_fixed=is_due(one)) for one in scanned.findings))
