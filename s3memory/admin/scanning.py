"""What do stored memories hold that today's rules would redact? Findings without values, and a way to redact them.

Redaction happens when a text is written, by the rules of that day. What those did not know stays stored until somebody
looks: in the current files, and in older versions of a bucket with versioning.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from s3memory.auditing import audited
from s3memory.errors import IntegrityError, LimitError, NotFoundError, RedactionError
from s3memory.parallel import each
from s3memory.paths import ROOT, MemoryPath
from s3memory.progress import NOBODY, Watcher
from s3memory.redaction import PatternRedactor
from s3memory.redaction.funnel import kinds_in_path
from s3memory.store import MemoryStore
from s3memory.versions import ListedVersion


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
        findings: in the order of paths and lines, older versions behind.
        files: how many current files were looked at.
        versions: how many older versions were.
        unreadable: the paths of what does not open, or could not be checked.
        stray: how many objects are no memory files.
    """

    findings: tuple[StoredFinding, ...]
    files: int
    versions: int
    unreadable: tuple[str, ...]
    stray: int


@dataclass(frozen=True, slots=True)
class _Looked:
    """One file or version: what was found in it, or that it can't be read."""

    path: str
    findings: tuple[StoredFinding, ...] = ()
    is_unreadable: bool = False


@audited("scan")
def scan(
    store: MemoryStore,
    redactor: PatternRedactor,
    *,
    with_versions: bool = False,
    fix: bool = False,
    watcher: Watcher = NOBODY,
) -> Scan:
    """Look for what `redactor` would redact in the files of a tenant.

    Args:
        store: the tenant's files.
        redactor: the rules and the policy; what it would block counts as well.
        with_versions: look at older versions, too: one request each.
        fix: redact what is found in current files, by compare and swap. Older versions, and paths, stay as they are.
        watcher: is told how far this is.

    Raises:
        ReadOnlyError: `fix` is set, and the memory is read-only.
        BackendError: S3 or the key wrapper could not be reached.
        ConflictError: other writers were faster than `fix` at every try.
    """
    if fix:
        store.ensure_writable()
    scanner = _Scanner(store, redactor.never_refusing(), fix=fix)
    paths, stray = scanner.files()
    watcher.begins("files", len(paths))
    current = each(scanner.look_at, paths, done=watcher.advances)
    older: list[_Looked] = []
    if with_versions:
        listed = list(scanner.versions())
        watcher.begins("older versions", len(listed))
        older = each(scanner.look_at_version, listed, done=watcher.advances)
    return Scan(
        findings=tuple(finding for one in (*current, *older) for finding in one.findings),
        files=len(current),
        versions=len(older),
        unreadable=tuple(one.path for one in (*current, *older) if one.is_unreadable),
        stray=stray,
    )


class _Scanner:
    def __init__(self, store: MemoryStore, redactor: PatternRedactor, *, fix: bool) -> None:
        # The same store, but for what it redacts by.
        self._store = copy(store)
        self._store.texts = replace(store.texts, redactor=redactor)
        self._redactor = redactor
        self._fix = fix

    def files(self) -> tuple[list[MemoryPath], int]:
        """Return the paths of all files, and how many objects are none."""
        paths: list[MemoryPath] = []
        stray = 0
        for page in self._store.pages_below(MemoryPath()):
            paths += [file.path for file in page.files]
            stray += page.stray
        return sorted(paths), stray

    def versions(self) -> Iterator[tuple[MemoryPath, ListedVersion]]:
        """Yield the older versions of files, those of deleted ones included."""
        ring = self._store.keys.existing()
        if ring is None:
            return
        prefix = self._store.layout.memories_prefix
        for version in self._store.bucket.versions.below(prefix):
            if not version.is_latest and not version.is_delete_marker:
                try:
                    yield ring.names.decode(MemoryPath(), version.object_key.removeprefix(prefix)), version
                except IntegrityError:
                    continue  # no file of this tenant's

    def look_at(self, path: MemoryPath) -> _Looked:
        """Return what is in a current file and in its path."""
        shown, in_path = self._look_at_path(path)
        try:
            file = self._store.read(path)
            if file is None:  # deleted since it was listed
                return _Looked(shown)
            found = self._findings(shown, path, file.text)
            if self._fix and any(not one.is_kept for one in found):
                with suppress(LimitError):  # placeholders are longer than what they stand for: it stays as found
                    self._store.edit(path, lambda text: text)
                    found = [replace(one, is_fixed=not one.is_kept) for one in found]
        except NotFoundError:  # deleted since it was read
            return _Looked(shown)
        except (IntegrityError, RedactionError):
            return _Looked(shown, tuple(in_path), is_unreadable=True)
        return _Looked(shown, (*in_path, *found))

    def look_at_version(self, listed: tuple[MemoryPath, ListedVersion]) -> _Looked:
        """Return what is in an older version of a file."""
        path, version = listed
        shown, _ = self._look_at_path(path)
        try:
            ring = self._store.keys.existing()
            stored = self._store.bucket.get(version.object_key, version_id=version.version_id)
            if ring is None or stored is None:  # gone since it was listed
                return _Looked(shown)
            found = self._findings(shown, path, self._store.texts.open(ring, path, stored.body))
        except (IntegrityError, RedactionError):
            return _Looked(shown, is_unreadable=True)
        of_version = partial(replace, version_id=version.version_id, modified=version.modified)
        return _Looked(shown, tuple(map(of_version, found)))

    def _findings(self, shown: str, path: MemoryPath, text: str) -> list[StoredFinding]:
        found = self._redactor.findings(text, path=str(path))
        return [StoredFinding(shown, one.kind, one.line, is_kept=one.is_kept) for one in found]

    def _look_at_path(self, path: MemoryPath) -> tuple[str, list[StoredFinding]]:
        """Return a path as it may be shown, and what is in it."""
        try:
            kinds = kinds_in_path(self._redactor, str(path), path.segments)
            shown = self._redactor.redact(str(path)).text if kinds else str(path)
        except RedactionError:
            return f"{ROOT}/[unchecked]", []
        if kinds and shown == str(path):
            shown = f"{ROOT}/[REDACTED:{kinds[0]}]"
        return shown, [StoredFinding(shown, kind, None) for kind in kinds]
