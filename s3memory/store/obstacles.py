"""Obstacles to a new file: a directory at its path, or a file above it. They are looked for while the file is written.

Obstacles are rare, so no write waits for the checks. If one is found, the write is undone. The rules are in
``docs/semantics.md``, the reasons in ``docs/decisions/0013-writes-go-out-beside-their-checks.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from s3memory._parallel import Beside, together
from s3memory.errors import (
    AccessDeniedError,
    AlreadyExistsError,
    ConflictError,
    OutcomeUnknownError,
    S3MemoryError,
    UnfinishedError,
)
from s3memory.paths import MemoryPath
from s3memory.s3.objects import Deletion, ObjectInfo

if TYPE_CHECKING:
    from s3memory.keys.open_key_ring import OpenKeyRing
    from s3memory.store.files import WrittenFile
    from s3memory.store.memory_store import MemoryStore

P = TypeVar("P")


def find(store: MemoryStore, path: MemoryPath) -> MemoryPath | None:
    """Return the obstacle to a file at `path`: a file above it, or `path` itself if it is a directory. `None` if clear.

    Raises as `StoredFiles.info`.
    """
    first, *others = _checks(store, path)
    found = together(first, *others)
    return next((obstacle for obstacle in found if obstacle is not None), None)


def find_and_check_quotas(store: MemoryStore, path: MemoryPath, *, size_bytes: int) -> MemoryPath | None:
    """Return the obstacle to a new file of this size, and refuse the file if the tenant's quotas have no room for it.

    Raises:
        LimitError: there is no room, and no other obstacle. As `find` otherwise.
    """
    if not store.quotas.are_set:
        return find(store, path)
    obstacle, usage = together(partial(find, store, path), store.quotas.usage)
    if obstacle is not None:
        return obstacle
    refusal = store.quotas.refusal(usage, files=1, size_bytes=size_bytes)
    if refusal is None:
        return None
    # If the file exists, say so instead: the caller may overwrite it with a shorter text.
    if store.files.info(path) is not None:
        return path
    raise refusal


def undo_write(store: MemoryStore, written: WrittenFile, *, read_with: OpenKeyRing) -> bool:
    """Delete a file that was just written. Return whether it is gone; it is kept if somebody has changed it.

    `read_with` is as for `MemoryStore.delete`. If that raises, the file may still be there.
    """
    delete = partial(store.delete, written.path, etag=written.etag, read_with=read_with)
    look = partial(store.objects.head, store.objects.key_of(read_with, written.path))
    return delete_or_gone(delete, look, etag=written.etag) is not Deletion.CHANGED


def delete_or_gone(delete: Callable[[], Deletion], look: Callable[[], ObjectInfo | None], *, etag: str) -> Deletion:
    """Delete an object with this ETag. If the outcome is unknown, look: it does not matter who deleted it."""
    try:
        return delete()
    except OutcomeUnknownError:
        info = look()
        if info is not None and info.etag == etag:
            raise
        return Deletion.MISSING if info is None else Deletion.CHANGED


@dataclass(slots=True)
class Placement(Generic[P]):
    """A new file, written while obstacles are looked for. If a check finds one, the write is undone.

    Attributes:
        store: the tenant's memory.
        path: where the file goes.
        undo: deletes what was written. Returns whether it is gone; it is kept if somebody has changed it.
        occupied: makes the error for a path and its obstacle (``at``).
        placed: what the attempt wrote; `None` if something else is at the path, or there was nothing to write.
        obstacle: the obstacle, if there is one; known once the attempts have ended.
    """

    store: MemoryStore
    path: MemoryPath
    undo: Callable[[P], bool]
    occupied: Callable[..., AlreadyExistsError]
    placed: P | None = None
    obstacle: MemoryPath | None = None

    def attempts(self) -> Iterator[Beside[MemoryPath | None]]:
        """Yield a context for each attempt, in which the caller sets `placed`, until one is conclusive.

        There is another attempt if the obstacle is gone by the time that the write is undone.

        Raises:
            AlreadyExistsError: there is an obstacle; the write was undone.
            UnfinishedError: there is an obstacle or a check failed, and what was written may still be there.
            ConflictError: other writers' files came and went as obstacles at every attempt.
            BackendError: a check failed; the write was undone.
        """
        for _ in self.store.retry.attempts():
            checks = Beside(*_checks(self.store, self.path))
            yield checks
            try:
                self.obstacle = next((found for look in checks.results if (found := look()) is not None), None)
            except S3MemoryError:
                if self.placed is not None:
                    self._ensure_undone(self.placed, "whether anything is in its way")
                raise
            if self.obstacle is None or self.placed is None:
                return
            what = "a directory of that name" if self.obstacle == self.path else f"{self.obstacle}"
            self._ensure_undone(self.placed, f"that {what} is in its way")
            # The obstacle may itself have been such an attempt, and have been undone because of this one.
            obstacle = find(self.store, self.path)
            if obstacle is not None:
                raise self.occupied(self.path, at=obstacle)
            self.placed = None
        raise ConflictError(
            f"Other writers were in the way of {self.path} at every try. Nothing was changed. Try again."
        )

    def _ensure_undone(self, placed: P, why: str) -> None:
        """Undo a write, or raise an `UnfinishedError` that says that the file may still be there."""
        failure = None
        try:
            if self.undo(placed):
                return
            stays = "another writer has changed it since"
        except UnfinishedError:
            raise
        except S3MemoryError as error:
            failure = error
            stays = f"the memory store {'refused access' if isinstance(error, AccessDeniedError) else 'did not answer'}"
        raise UnfinishedError(
            f"{self.path} was stored before it was known {why}, and may be there, because {stays}. "
            "Nothing is lost. View it before trying again."
        ) from failure


def _checks(store: MemoryStore, path: MemoryPath) -> list[Callable[[], MemoryPath | None]]:
    """Return the checks: each returns an obstacle to a file, or `None`. Those for files above it come first."""

    def look_for_file(ancestor: MemoryPath) -> MemoryPath | None:
        return None if store.files.info(ancestor) is None else ancestor

    def look_for_directory() -> MemoryPath | None:
        return path if store.files.has_directory(path) else None

    return [*(partial(look_for_file, ancestor) for ancestor in path.ancestors()), look_for_directory]
