"""Rename and delete files and whole directories, so that no crash and no concurrent writer loses a text.

`s3memory.store.moving` moves files, `s3memory.store.directories` directories. ``docs/semantics.md`` has the rules and
their reasons.
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
        store: the tenant's memory.
        path: the file or directory. If there are both, only the file is deleted.
        is_likely_directory: list what is below the path while the file is deleted, instead of only if there is no file.

    Raises:
        NotFoundError: there is neither.
        LimitError: the directory has more files than one intent can announce; nothing was deleted.
        ConflictError: other writers changed the file at every attempt; it is still there.
        UnfinishedError: a directory's deletion was begun but not finished, or a file was deleted and there is, or may
            be, a directory with its name. The same command finishes it.
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
        if below:  # perhaps made after the file was deleted, with texts that exist nowhere else
            raise UnfinishedError(
                f"The file {path} was deleted. A directory of that name is there as well, perhaps another "
                "writer's, and was left alone. View it before sending the same command again to delete it."
            )
        return
    below = list_below()
    if below:
        directories.delete_directory(store, path, below)
    elif not directories.finish_interrupted(store, Intent(DELETE, path, path)):
        raise messages.not_found(path)


def delete_everything(store: MemoryStore, *, is_kept: Callable[[MemoryPath], bool] | None = None) -> None:
    """Delete all memory files of the tenant except those for which `is_kept` is true. The key ring stays."""
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
        directories.finish_interrupted(store, Intent(DELETE, root, root))


def rename(store: MemoryStore, old: MemoryPath, new: MemoryPath) -> tuple[WrittenFile, ...]:
    """Move a file, or a directory with everything below it.

    Returns:
        The files in which the redactor found something on the way, sorted by path and without their texts.

    Raises:
        NotFoundError: there is nothing at `old`.
        AlreadyExistsError: something is at `new`, or a file is above it.
        InvalidInputError: `new` is inside `old`.
        ConflictError: other writers changed both sides, or the source at every attempt. Nothing is lost, and both are
            still there.
        RedactionError, LimitError: a text or the new path was refused; nothing was moved.
        IntegrityError: a file does not open; nothing was moved.
        UnfinishedError: the move was begun but not finished; the same command finishes it.
        OutcomeUnknownError, BackendError: as for `MemoryStore.create`.
    """
    store.ensure_writable()
    if new.is_below(old):
        raise InvalidInputError(f"Cannot move {old} into itself: {new} is below it")
    store.texts.refuse_sensitive_path(new)
    # Copying a file to itself could restore what somebody just deleted. Above `old`, there can only be a directory.
    if new == old or old.is_below(new):
        obstacle = obstacles.find(store, new)
        if obstacle is None and store.files.info(new) is None:
            raise messages.not_found(old)
        raise messages.destination_exists(new, at=obstacle)
    find_obstacle = partial(obstacles.find, store, new)
    placement = obstacles.Placement(store, new, partial(_undo_copy, store), messages.destination_exists)
    for attempt in placement.attempts():
        with attempt:
            source = store.read(old)
            if source is not None:
                placement.placed = moving.copy_or_adopt(store, source, new, find_obstacle=find_obstacle)
    copied, obstacle = placement.placed, placement.obstacle
    if copied is None:
        if obstacle is not None and obstacle != new:
            raise messages.destination_exists(new, at=obstacle)
        return directories.rename_directory(store, old, new, is_occupied=obstacle is not None)
    with moving.begun(f"The rename of {old}"):
        move = moving.delete_source(store, copied)
    if move is Move.GONE:
        raise messages.not_found(old)
    if move is Move.TAKEN:  # by another run of the same rename, which reports it
        raise messages.destination_exists(new)
    return directories.with_findings([copied])


def _undo_copy(store: MemoryStore, copied: Copied) -> bool:
    with moving.begun(f"The rename of {copied.source.path}"):
        return copied.adopted or moving.undo(store, copied)  # an adopted copy stays: whoever made it may rely on it


def pending(
    store: MemoryStore, unreadable: Callable[[str, IntegrityError], object] | None = None
) -> Iterator[StoredIntent]:
    """Yield the directory operations that are in progress, or that a crash left unfinished.

    Args:
        store: the tenant's memory.
        unreadable: called with the object key of each intent that does not open, and the error. If left out, the first
            such error is raised.

    Raises:
        IntegrityError: an intent does not open. BackendError: S3 or the key wrapper could not be reached.
        ConfigurationError: the settings forbid using this tenant. This is raised even if nothing is unfinished.
    """
    _refuse_misconfiguration(store)
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


def _refuse_misconfiguration(store: MemoryStore) -> None:
    with suppress(IntegrityError, BackendError):  # about the key ring: each operation that needs it reports that
        store.key_ring.existing()


@dataclass(frozen=True, slots=True)
class Repaired:
    """The outcome of repairing one unfinished directory operation.

    Attributes:
        object_key: the object key of its intent, which may be gone by now.
        intent: the operation; `None` if the intent could not be read.
        failure: why the operation is still unfinished; `None` if it was finished.
    """

    object_key: str
    intent: Intent | None
    failure: S3MemoryError | None = None


@audited("repair")
def repair(store: MemoryStore, report: Callable[[Repaired], object] | None = None) -> list[Intent]:
    """Finish every directory operation that a crash interrupted. Return those that were finished.

    It may also help an operation that is still running elsewhere: both end in the same tree. An operation that can't be
    finished does not hold up the others.

    Args:
        store: the tenant's memory.
        report: called in this thread with each operation's outcome, as soon as it is known.

    Raises:
        As `rename` and `delete`, for the first operation that can't be finished, after all others have been.
        ConfigurationError: as for `pending`.
    """
    store.ensure_writable()
    _refuse_misconfiguration(store)
    results: list[Repaired] = []
    for object_key in documents.object_keys(store, intents.KIND):
        result = _repaired(store, object_key)
        if result is not None:
            results.append(result)
            if report is not None:
                report(result)
    failure = next((one.failure for one in results if one.failure is not None), None)
    if failure is not None:
        raise failure
    return [one.intent for one in results if one.intent is not None]


def _repaired(store: MemoryStore, object_key: str) -> Repaired | None:
    """Finish one operation and return the outcome, or `None` if its intent is gone."""
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
