"""Rename and delete files and whole directories, so that no crash and no other writer loses a text.

`s3memory.store.moving` moves a file, `s3memory.store.directories` a directory. The rules and their reasons are in
``docs/semantics.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from s3memory._parallel import Beside
from s3memory.audit.recording import audited
from s3memory.contract import messages
from s3memory.errors import (
    BackendError,
    ConflictError,
    IntegrityError,
    InvalidInputError,
    S3MemoryError,
    UnfinishedError,
)
from s3memory.paths import MemoryPath
from s3memory.s3.objects import Deletion
from s3memory.store import directories, documents, intents, moving, obstacles
from s3memory.store.files import WrittenFile
from s3memory.store.intents import DELETE, Intent, StoredIntent
from s3memory.store.memory_store import MemoryStore
from s3memory.store.moving import Copied, Move


def delete(store: MemoryStore, path: MemoryPath, *, is_likely_directory: bool = True) -> None:
    """Delete a file, or a directory with everything below it.

    Args:
        store: whose memory.
        path: the file or directory. If there are both, only the file is deleted.
        is_likely_directory: list what is below while the file is deleted, rather than only if there is no file.

    Raises:
        NotFoundError: there is neither.
        LimitError: a directory has more files than can be announced; nothing was deleted.
        ConflictError: other writers changed the file at every try; it is still there.
        UnfinishedError: a directory's deletion was begun, or a file is deleted and there is, or may be, a
            directory of its name; the same command ends it.
        OutcomeUnknownError, BackendError: as for `MemoryStore.create`.
    """
    store.ensure_writable()
    list_below: Callable[[], dict[str, str]] = partial(store.files.etags_below, path)
    if is_likely_directory:
        with Beside(list_below) as listing:
            deletion = store.delete(path)
        list_below = listing.results[0]
    else:
        deletion = store.delete(path)
        if deletion is Deletion.DONE:
            return
    if deletion is Deletion.CHANGED:
        raise ConflictError(f"Other writers changed {path} at every try. It was not deleted. Try again.")
    if deletion is Deletion.DONE:
        try:
            below = list_below()
        except S3MemoryError as error:
            raise UnfinishedError(
                f"The file {path} was deleted. It is not known whether there is a directory of that name as well, "
                f"because {moving.reason_of(error)}. View it before sending the same command again."
            ) from error
        if below:  # perhaps made since the file is gone, of texts that are nowhere else
            raise UnfinishedError(
                f"The file {path} was deleted. A directory of that name is there as well, perhaps another "
                "writer's, and was left alone. View it before sending the same command again to delete it."
            )
        return
    below = list_below()
    if below:
        directories.delete_directory(store, path, below)
    elif not directories.was_interrupted(store, Intent(DELETE, path, path)):
        raise messages.not_found(path)


def delete_everything(store: MemoryStore, *, is_kept: Callable[[MemoryPath], bool] | None = None) -> None:
    """Delete all memory files of the tenant, but those that are kept, if any are; its key ring stays."""
    store.ensure_writable()
    root = MemoryPath()
    below = store.files.etags_below(root)
    ring = None if is_kept is None else store.key_ring.existing()
    if is_kept is not None and ring is not None:
        paths = {object_key: store.objects.path_of(ring, object_key) for object_key in below}
        below = {key: etag for key, etag in below.items() if (path := paths[key]) is None or not is_kept(path)}
    if below:
        directories.delete_directory(store, root, below)
    else:
        directories.was_interrupted(store, Intent(DELETE, root, root))


def rename(store: MemoryStore, old: MemoryPath, new: MemoryPath) -> tuple[WrittenFile, ...]:
    """Move a file, or a directory with everything below it.

    Returns:
        The files in which something was found on the way, by their paths and without their texts.

    Raises:
        NotFoundError: there is nothing at `old`.
        AlreadyExistsError: something is at `new`, or a file is above it.
        InvalidInputError: `new` is inside `old`.
        ConflictError: other writers changed both sides, or the source at every try; nothing is lost, and both are still
            there.
        RedactionError, LimitError: a text or the new path was refused; nothing was moved.
        IntegrityError: a file does not open; nothing was moved.
        UnfinishedError: the move was begun; the same command ends it.
        OutcomeUnknownError, BackendError: as for `MemoryStore.create`.
    """
    store.ensure_writable()
    if new.is_below(old):
        raise InvalidInputError(f"Cannot move {old} into itself: {new} is below it")
    store.texts.refuse_sensitive_path(new)
    # A copy to itself would bring back what somebody deletes meanwhile. Above `old`, there can only be a directory.
    if new == old or old.is_below(new):
        obstacle = obstacles.find(store, new)
        if obstacle is None and store.files.info(new) is None:
            raise messages.not_found(old)
        raise messages.destination_exists(new, at=obstacle)
    find_obstacle = partial(obstacles.find, store, new)
    for trial in obstacles.trials(store, new, partial(_undone, store), occupied=messages.destination_exists):
        with trial:
            source = store.read(old)
            if source is not None:
                trial.placed = moving.copy_or_adopt(store, source, new, find_obstacle=find_obstacle)
    copied, obstacle = trial.placed, trial.obstacle
    if copied is None:
        if obstacle is not None and obstacle != new:
            raise messages.destination_exists(new, at=obstacle)
        return directories.rename_directory(store, old, new, is_occupied=obstacle is not None)
    with moving.begun(f"The rename of {old}"):
        move = moving.delete_source(store, copied)
    if move is Move.GONE:
        raise messages.not_found(old)
    if move is Move.TAKEN:  # by the same rename, which reports it
        raise messages.destination_exists(new)
    return directories.with_findings([copied])


def _undone(store: MemoryStore, copied: Copied) -> bool:
    with moving.begun(f"The rename of {copied.source.path}"):
        return copied.adopted or moving.undo(store, copied)  # the maker of the first copy may rely on it


def pending(
    store: MemoryStore, unreadable: Callable[[str, IntegrityError], object] | None = None
) -> Iterator[StoredIntent]:
    """Yield the directory operations that are under way, or that a crash left unfinished.

    Args:
        store: whose operations.
        unreadable: is called with the object key of each that does not open, and why; left out, the first is raised.

    Raises:
        IntegrityError: one does not open. BackendError: S3 or the key wrapper could not be reached.
        ConfigurationError: the tenant may not be used, also where nothing is unfinished.
    """
    _refuse_what_is_misconfigured(store)
    for object_key in documents.object_keys(store, intents.KIND):
        try:
            stored = intents.opened(store, object_key)
        except IntegrityError as error:
            if unreadable is None:
                raise
            unreadable(object_key, error)
            continue
        if stored is not None:
            yield stored


def _refuse_what_is_misconfigured(store: MemoryStore) -> None:
    with suppress(IntegrityError, BackendError):  # of the key ring: told of each operation that needs it
        store.key_ring.existing()


@dataclass(frozen=True, slots=True)
class Repaired:
    """What became of one directory operation that was found unfinished.

    Attributes:
        object_key: where its intent is, or was.
        intent: what was to be done; `None` if the intent could not be read.
        failure: why it is not finished; `None` if it is.
    """

    object_key: str
    intent: Intent | None
    failure: S3MemoryError | None = None


@audited("repair")
def repair(store: MemoryStore, told: Callable[[Repaired], object] | None = None) -> list[Intent]:
    """Finish every directory operation that a crash left. Return those that were finished.

    An operation that is still under way elsewhere is helped along: both end in the same tree. One that can't be
    finished does not hold up the others.

    Args:
        store: whose operations.
        told: is called with what became of each operation, in this thread, as soon as it is known.

    Raises:
        As `rename` and `delete`, of the first that can't be finished, once all others are.
        ConfigurationError: as for `pending`.
    """
    store.ensure_writable()
    _refuse_what_is_misconfigured(store)
    results: list[Repaired] = []
    for object_key in documents.object_keys(store, intents.KIND):
        result = _repaired(store, object_key)
        if result is not None:
            results.append(result)
            if told is not None:
                told(result)
    failure = next((one.failure for one in results if one.failure is not None), None)
    if failure is not None:
        raise failure
    return [one.intent for one in results if one.intent is not None]


def _repaired(store: MemoryStore, object_key: str) -> Repaired | None:
    """Finish one operation, if its intent is still there. Return what became of it."""
    intent = None
    try:
        stored = intents.opened(store, object_key)
        if stored is None:
            return None
        intent = stored.intent
        store.key_ring.ensure_not_archived()
        directories.carry_out(store, stored)
    except S3MemoryError as failure:
        return Repaired(object_key, intent, failure)
    return Repaired(object_key, intent)
