"""What is in the way of a new file. The file is written while that is looked for.

Obstacles are rare, so no write waits for the search. If one is found, the write is undone. The rules are in
``docs/semantics.md``, the reasons in ``docs/decisions/0013-writes-go-out-beside-their-checks.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    """Return what keeps a file from being made at `path`: a file above it, or itself where it is a directory.

    Raises as `StoredFiles.info`.
    """
    first, *others = _checks(store, path)
    found = together(first, *others)
    return next((obstacle for obstacle in found if obstacle is not None), None)


def find_beside_quotas(store: MemoryStore, path: MemoryPath, *, size_bytes: int) -> MemoryPath | None:
    """Return the same for a new file of this size, and refuse the file if the tenant's quotas have no room for it.

    Raises:
        LimitError: there is no room, and nothing else is in the way. As `find` otherwise.
    """
    if not store.quotas.are_set:
        return find(store, path)
    obstacle, usage = together(partial(find, store, path), store.quotas.usage)
    if obstacle is not None:
        return obstacle
    refusal = store.quotas.refusal(usage, files=1, size_bytes=size_bytes)
    if refusal is None:
        return None
    # A file that exists is not a new one: its caller learns that, and may overwrite it with less.
    if store.files.info(path) is not None:
        return path
    raise refusal


def take_back(store: MemoryStore, written: WrittenFile, *, read_with: OpenKeyRing) -> bool:
    """Delete what was written just now. Return whether it is gone: not if somebody has changed it.

    `read_with` is as for `MemoryStore.delete`, and what that raises says that the file is still there.
    """
    delete = partial(store.delete, written.path, etag=written.etag, read_with=read_with)
    look = partial(store.objects.head, store.objects.key_of(read_with, written.path))
    return delete_or_gone(delete, look, etag=written.etag) is not Deletion.CHANGED


def delete_or_gone(delete: Callable[[], Deletion], look: Callable[[], ObjectInfo | None], *, etag: str) -> Deletion:
    """Delete what has this ETag. If it is unknown whether that was done, look: it does not matter who deleted it."""
    try:
        return delete()
    except OutcomeUnknownError:
        info = look()
        if info is not None and info.etag == etag:
            raise
        return Deletion.MISSING if info is None else Deletion.CHANGED


class Trial(Beside[MemoryPath | None], Generic[P]):
    """One try to write a file: a context beside which obstacles are looked for.

    Attributes:
        placed: what was written; `None` if something else is at the path, or there was nothing to be written.
        obstacle: what is in the way, known after the context.
    """

    placed: P | None = None
    obstacle: MemoryPath | None = None


def trials(
    store: MemoryStore, path: MemoryPath, take_back: Callable[[P], bool], *, occupied: Callable[..., AlreadyExistsError]
) -> Iterator[Trial[P]]:
    """Yield tries to write a file, each beside the checks for obstacles, until one is done.

    If a check finds an obstacle, what the try has written is taken back. If the obstacle is gone by then, there is
    another try.

    Args:
        store: whose file.
        path: where the file goes.
        take_back: deletes what was written. Returns whether it is gone: not if somebody has changed it.
        occupied: makes the error of a path, and of what is in the way there (``at``).

    Raises:
        AlreadyExistsError: something is in the way; what was written is gone again.
        UnfinishedError: the same, and what was written may still be there.
        ConflictError: files of others came and went in the way at every try.
        BackendError: a check failed; what was written is gone again.
    """
    for _ in store.retry.tries():
        trial: Trial[P] = Trial(*_checks(store, path))
        yield trial
        try:
            trial.obstacle = next((found for look in trial.results if (found := look()) is not None), None)
        except S3MemoryError:
            if trial.placed is not None:
                _ensure_gone(take_back, trial.placed, path, "whether anything is in its way")
            raise
        if trial.obstacle is None or trial.placed is None:
            return
        _ensure_gone(take_back, trial.placed, path, f"that {trial.obstacle} is in its way")
        # What was in the way may have been such a try too, and be gone because of this one.
        obstacle = find(store, path)
        if obstacle is not None:
            raise occupied(path, at=obstacle)
    raise ConflictError(f"Other writers were in the way of {path} at every try. Nothing was changed. Try again.")


def _checks(store: MemoryStore, path: MemoryPath) -> list[Callable[[], MemoryPath | None]]:
    """Return requests that each return an obstacle of a file, or `None`. Those for what is above it come first."""

    def look_for_file(ancestor: MemoryPath) -> MemoryPath | None:
        return None if store.files.info(ancestor) is None else ancestor

    def look_for_directory() -> MemoryPath | None:
        return path if store.files.has_directory(path) else None

    return [*(partial(look_for_file, ancestor) for ancestor in path.ancestors()), look_for_directory]


def _ensure_gone(take_back: Callable[[P], bool], placed: P, path: MemoryPath, why: str) -> None:
    """Take back what was written, or say that it may have stayed."""
    failure = None
    try:
        if take_back(placed):
            return
        stays = "another writer has changed it since"
    except UnfinishedError:
        raise
    except S3MemoryError as error:
        failure = error
        stays = f"the memory store {'refused access' if isinstance(error, AccessDeniedError) else 'did not answer'}"
    raise UnfinishedError(
        f"{path} was stored before it was known {why}, and may be there, because {stays}. "
        "Nothing is lost. View it before trying again."
    ) from failure
