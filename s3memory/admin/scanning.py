"""What do stored memories hold that today's rules would redact? Findings are reported without values, or redacted.

A text is redacted when it is written, by the rules of that day. What those did not know stays stored until somebody
looks: in current files and, in a bucket with versioning, in older versions.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from s3memory import progress
from s3memory._parallel import each
from s3memory.admin.versions.point_in_time import older_versions
from s3memory.admin.walks import FilePasses, Missed, Patience, job
from s3memory.audit.recording import audited
from s3memory.errors import ConflictError, IntegrityError, LimitError, NotFoundError, ReadOnlyError, RedactionError
from s3memory.paths import ROOT, MemoryPath
from s3memory.redaction import PatternRedactor
from s3memory.redaction.fail_closed import kinds_in_path
from s3memory.s3.versions import ListedVersion
from s3memory.store.memory_store import MemoryStore


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """Something sensitive that is stored.

    Attributes:
        path: the memory path, with a placeholder for what is sensitive in itself.
        kind: what was found.
        line: its 1-based line in the text as it is stored; ``None`` where the path is what it was found in.
        is_kept: the policy is to report it and no more.
        is_fixed: it is redacted by now.
        version_id: which older version of the file it is in; ``None`` for the current one.
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
    """What was looked at, and what was found.

    Attributes:
        files: how many current files were looked at.
        versions: how many older versions were.
        unreadable: the paths of what does not open, or could not be checked.
        missed: what S3 or the key wrapper did not give, or what could not be redacted since it did not take it.
        stray: how many objects are not memory files.
        is_settled: every file was looked at, also those that agents moved meanwhile; not if they went on at every pass.
        findings: in the order of paths and lines, older versions behind.
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
    """One file or version: what was found in it, or why it can't be looked at.

    Attributes:
        path: the memory path, with a placeholder for what is sensitive in itself.
        findings: what is in its path, and behind that what is in its text.
        failure: what keeps its text from being looked at: it does not open, or could not be checked.
    """

    path: str
    findings: tuple[StoredFinding, ...]
    failure: IntegrityError | RedactionError | None = None


def scan_file(
    store: MemoryStore, redactor: PatternRedactor, path: MemoryPath, *, version_id: str | None = None
) -> ScannedFile:
    """Look for what `redactor` would redact in a file, or in one version of it, and in its path: a GET.

    Args:
        store: the tenant's files.
        redactor: the rules and the policy. It must not refuse: see `PatternRedactor.never_refusing`.
        path: the file.
        version_id: which version; the current one if left out.

    Raises:
        NotFoundError: the file, or that version, is not there.
        BackendError: S3 or the key wrapper could not be reached.
    """
    shown, findings = _look_at_path(redactor, path)
    try:
        file = store.read(path, version_id=version_id)
        if file is None:
            raise NotFoundError("The file no longer exists.")
        found = redactor.findings(file.text, path=str(path))
    except (IntegrityError, RedactionError) as failure:
        return ScannedFile(shown, findings, failure)
    in_text = (StoredFinding(shown, one.kind, one.line, is_kept=one.is_kept, version_id=version_id) for one in found)
    return ScannedFile(shown, (*findings, *in_text))


def _look_at_path(redactor: PatternRedactor, path: MemoryPath) -> tuple[str, tuple[StoredFinding, ...]]:
    """Return a path as it may be shown, and what is in it."""
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
    """Look for what `redactor` would redact in the files of a tenant.

    Args:
        store: the tenant's files.
        redactor: the rules and the policy; what it would block counts as well.
        with_versions: look at older versions, too: one request each.
        fix: redact what is found in current files, by compare and swap. Older versions, and paths, stay as they are.

    Raises:
        ReadOnlyError: `fix` is set, and the memory is read-only.
        BackendError: S3 or the key wrapper could not be reached.
        ConflictError: other writers were faster than `fix` at every try.
    """
    if fix:
        store.ensure_writable()
    scanner = _Scanner(store, redactor.never_refusing(), fix=fix)
    passes = FilePasses(store)
    current: list[ScannedFile] = []
    missed: dict[MemoryPath, Missed] = {}
    known: set[MemoryPath] = set()
    older: list[ScannedFile | Missed | None] = []
    with job(f"Redacting the files of {store.tenant}") if fix else nullcontext():
        for files in passes:
            paths = sorted(file.path for file in files)
            progress.begins("files", len(paths))
            looked = each(scanner.look_at, paths, done=progress.advances)
            for path, one in zip(paths, looked, strict=True):
                missed.pop(path, None)  # of the pass before
                if one is None:
                    passes.gone()
                elif isinstance(one, Missed):
                    missed[path] = one
                else:
                    current.append(one)
                    known.add(path)
        if with_versions:
            listed = list(older_versions(store, MemoryPath()))
            progress.begins("older versions", len(listed))
            older = each(lambda one: scanner.look_at(*one), listed, done=progress.advances)
    looked_at = [one for one in (*current, *older) if isinstance(one, ScannedFile)]
    return Scan(
        findings=tuple(dict.fromkeys(finding for one in looked_at for finding in one.findings)),
        files=len(known),
        versions=sum(isinstance(one, ScannedFile) for one in older),
        unreadable=tuple(one.path for one in looked_at if one.failure is not None),
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

    def look_at(self, path: MemoryPath, version: ListedVersion | None = None) -> ScannedFile | Missed | None:
        """Return what is in a file and its path, or in an older version of its text; `None` if it is gone by now."""
        version_id = None if version is None else version.version_id
        of = "" if version is None else f" version {version_id}"
        try:
            scanned = self._patience.work(f"{path}{of}", partial(self._look_at, path, version_id))
        except NotFoundError:
            return None
        if isinstance(scanned, Missed):  # named by its path as it may be shown
            return replace(scanned, name=_look_at_path(self._redactor, path)[0] + of)
        if version is None:
            return scanned
        in_text = (replace(one, modified=version.modified) for one in scanned.findings if one.line is not None)
        return replace(scanned, findings=tuple(in_text))

    def _look_at(self, path: MemoryPath, version_id: str | None) -> ScannedFile:
        scanned = scan_file(self._store, self._redactor, path, version_id=version_id)
        return self._fixed(path, scanned) if self._fix and version_id is None else scanned

    def _fixed(self, path: MemoryPath, scanned: ScannedFile) -> ScannedFile:
        """Redact what was found in a text, but for what the policy keeps."""

        def is_due(one: StoredFinding) -> bool:
            return one.line is not None and not one.is_kept

        if not any(map(is_due, scanned.findings)):
            return scanned
        try:
            self._store.edit(path, lambda text: text)
        # Placeholders may be longer than what they stand for, and agents faster: it stays as found.
        except (LimitError, ConflictError, ReadOnlyError):
            return scanned
        except (IntegrityError, RedactionError) as failure:
            in_path = tuple(one for one in scanned.findings if one.line is None)
            return ScannedFile(scanned.path, in_path, failure)
        return replace(scanned, findings=tuple(replace(one, is_fixed=is_due(one)) for one in scanned.findings))
