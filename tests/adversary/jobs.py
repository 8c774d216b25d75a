"""Operators' jobs, while agents are running."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from adversary.history import ROOT, Call, FileReport
from s3memory.admin.erasure.erasing import erase
from s3memory.admin.expiry import expire, unused_files
from s3memory.admin.keys.resealing import reseal
from s3memory.admin.keys.rotation import archive, rotate
from s3memory.admin.scanning import scan
from s3memory.admin.transfer.exporting import export
from s3memory.admin.transfer.import_sources import SourceFile
from s3memory.admin.transfer.importing import Existing, ImportOutcome, import_files
from s3memory.admin.verify import verify
from s3memory.admin.versions.restoring import RestoreOutcome, restore_tree
from s3memory.paths import MemoryPath
from s3memory.redaction import PatternRedactor
from s3memory.store import tree
from s3memory.store.memory_store import MemoryStore

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
"""The time when the initial files were stored. The clients come an hour later."""
_SINCE = BEGINNING + timedelta(seconds=1)

Job = Callable[[MemoryStore, Call], str]


def job(name: str) -> Job | None:
    """Return an operator's job, or ``None`` if the name is not a job."""
    return _JOBS.get(name)


@dataclass(frozen=True)
class _Given:
    """A source for an import."""

    texts: Mapping[str, str]

    def files(self) -> Iterator[SourceFile]:
        """Yield all files."""
        for path, text in self.texts.items():
            yield SourceFile(path.removeprefix(f"{ROOT}/"), text.encode())


def _reported(done: Iterable[object], missed: Iterable[tuple[object, str]]) -> str:
    """Return a job's report, with the reason for each file that it missed."""
    unknown = (path for path, why in missed if "not known whether" in why)
    return str(FileReport(frozenset(map(str, done)), frozenset(map(str, unknown))))


def _import(store: MemoryStore, call: Call) -> str:
    files = import_files(store, _Given(call["files"]), existing=Existing.SKIP, partial_=True).files
    return _reported(
        (file.path for file in files if file.outcome is ImportOutcome.CREATED),
        ((file.path, file.reason or "") for file in files if file.outcome is ImportOutcome.MISSED),
    )


def _expire(store: MemoryStore, _: Call) -> str:
    found = unused_files(store, before=_SINCE).files
    deleted, missed = expire(store, list(found), before=_SINCE)
    return _reported((file.path for file in deleted), ((one.name, one.why) for one in missed))


def _restore(store: MemoryStore, _: Call) -> str:
    files = list(restore_tree(store, MemoryPath(), _SINCE))
    return _reported(
        (file.path for file in files if file.outcome is RestoreOutcome.RESTORED),
        ((file.path, file.reason) for file in files if file.outcome is RestoreOutcome.MISSED),
    )


_JOBS: dict[str, Job] = {
    "repair": lambda store, _: ", ".join(map(str, tree.repair(store))),
    "rotate": lambda store, _: repr(rotate(store)),
    "reseal": lambda store, _: repr(reseal(store)),
    "export": lambda store, _: repr(export(store, lambda _: True)),
    "verify": lambda store, _: repr(verify(store, lambda _: None)),
    "scan": lambda store, _: repr(scan(store, PatternRedactor(), fix=True)),
    "archive": lambda store, _: repr(archive(store)),
    "unarchive": lambda store, _: repr(archive(store, archived=False)),
    "erase": lambda store, _: repr(erase(store)),
    "import": _import,
    "expire": _expire,
    "restore": _restore,
}
