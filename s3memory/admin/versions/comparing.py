"""Two versions of a file, and how they differ."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from datetime import datetime

from s3memory.admin.versions.point_in_time import no_version, read_version, version_of, versions_of
from s3memory.audit.recording import audited
from s3memory.contract.views import split_lines
from s3memory.errors import InvalidInputError, NotFoundError
from s3memory.paths import MemoryPath
from s3memory.s3.versions import ListedVersion
from s3memory.store.memory_store import MemoryStore


@dataclass(frozen=True, slots=True)
class Compared:
    """Two versions of a file, and what they say."""

    older: ListedVersion
    newer: ListedVersion
    older_text: str
    newer_text: str

    def unified(self, *, names: tuple[str, str], times: tuple[str, str]) -> list[str]:
        """Return the lines of a unified diff, with these names and times of the two; none where both say the same."""
        lines = _lines(self.older_text), _lines(self.newer_text)
        return list(difflib.unified_diff(*lines, names[0], names[1], times[0], times[1], lineterm=""))


@audited("diff")
def compare(
    store: MemoryStore,
    path: MemoryPath,
    *,
    older: str | None = None,
    newer: str | None = None,
    moment: datetime | None = None,
) -> Compared:
    """Return two versions of a file.

    Args:
        store: the tenant's files.
        path: the file.
        older: the id of the one; if left out, that of the moment, or the one before the other.
        newer: the id of the other; the current one if left out.
        moment: a time with a time zone, in place of `older`.

    Raises:
        NotFoundError: one of them is not there, or not kept any more.
        InvalidInputError: it is a directory.
        IntegrityError: one does not open. BackendError: S3 or the key wrapper could not be reached.
    """
    there = [one for one in versions_of(store, path) if not one.is_delete_marker]
    if not there and store.has_directory(path):
        raise InvalidInputError(
            f"{path} is a directory: diff compares versions of one file. s3memory ls lists its files; "
            "s3memory restore --at TIME --dry-run tells which of them changed or are gone since."
        )
    if newer is not None:
        new = version_of(store, path, version_id=newer)
    elif there and there[0].is_latest:
        new = there[0]
    elif there:
        raise NotFoundError(
            f"The path {path} does not exist any more: name the newer version with --to. "
            "s3memory history lists the versions."
        )
    else:
        raise no_version(path)
    if older is not None or moment is not None:
        old = version_of(store, path, version_id=older, moment=moment)
    else:
        before = there[there.index(new) + 1 :]
        if not before:
            raise NotFoundError(f"No version of {path} before {new.version_id} is kept")
        old = before[0]
    return Compared(old, new, read_version(store, path, old.version_id), read_version(store, path, new.version_id))


def _lines(text: str) -> list[str]:
    """Return the lines of a text as `count_lines` counts them, and as ``diff`` shows a last one."""
    *lines, last = split_lines(text)
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines
