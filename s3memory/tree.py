"""Rename and delete, of files and of whole directories, so that no crash and no other writer loses a text.

A rename moves each file as `s3memory.moving` does. A directory operation is announced by an intent first; the same
command, or `repair`, finishes what a crash left. The rules and their reasons are in ``docs/semantics.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice

from s3memory import intents
from s3memory.auditing import audited
from s3memory.errors import (
    AccessDeniedError,
    AlreadyExistsError,
    BackendError,
    ConflictError,
    IntegrityError,
    InvalidInputError,
    NotFoundError,
    RedactionError,
    RefusedError,
    S3MemoryError,
    UnfinishedError,
)
from s3memory.intents import DELETE, RENAME, Intent, StoredIntent
from s3memory.layout import ListedFile
from s3memory.limits import LIST_PAGE_KEYS
from s3memory.moving import Copied, Move, copy_or_adopt, delete_source, undo
from s3memory.objects import Deletion
from s3memory.parallel import each, together
from s3memory.paths import MemoryPath
from s3memory.progress import NOBODY, Watcher
from s3memory.store import MemoryStore
from s3memory.writing import WrittenFile


def delete(store: MemoryStore, path: MemoryPath) -> None:
    """Delete a file, or a directory with all that is below it.

    Raises:
        NotFoundError: there is neither.
        ConflictError: other writers changed the file at every try; it is still there.
        UnfinishedError: a directory's deletion was begun; the same command ends it.
        OutcomeUnknownError, BackendError: as for `MemoryStore.create`.
    """
    store.ensure_writable()
    for _ in store.retry.tries():
        at_path, below = together(partial(store.etag_at, path), partial(store.etags_below, path))
        if below:  # a file of the directory's name goes with it
            _delete_directory(store, path, {**below, **at_path})
            return
        deletion = store.delete(path, etag=next(iter(at_path.values()))) if at_path else Deletion.MISSING
        if deletion is Deletion.DONE:
            return
        if deletion is Deletion.MISSING:
            if not at_path and _was_interrupted(store, Intent(DELETE, path, path)):
                return
            raise NotFoundError(f"Error: The path {path} does not exist")
    raise ConflictError(f"Error: Other writers changed {path} at every try. It was not deleted. Try again.")


def delete_everything(store: MemoryStore) -> None:
    """Delete all memory files of the tenant; its key ring stays."""
    store.ensure_writable()
    root = MemoryPath()
    below = store.etags_below(root)
    if below:
        _delete_directory(store, root, below)
    else:
        _was_interrupted(store, Intent(DELETE, root, root))


def rename(store: MemoryStore, old: MemoryPath, new: MemoryPath) -> tuple[WrittenFile, ...]:
    """Move a file, or a directory with all that is below it.

    Returns:
        The files in which something was found on the way, by their paths and without their texts.

    Raises:
        NotFoundError: there is nothing at `old`.
        AlreadyExistsError: something is at `new`, or a file is above it.
        InvalidInputError: `new` is inside `old`.
        ConflictError: other writers changed both sides; nothing is lost, and both are still there.
        RedactionError, LimitError: a text or the new path was refused; nothing was moved.
        IntegrityError: a file does not open; nothing was moved.
        UnfinishedError: the move was begun; the same command ends it.
        OutcomeUnknownError, BackendError: as for `MemoryStore.create`.
    """
    store.ensure_writable()
    if new.is_below(old):
        raise InvalidInputError(f"Error: Cannot move {old} into itself: {new} is below it")
    store.texts.refuse_sensitive_names(new)
    obstacle, source, existing = together(
        partial(store.obstacle, new), partial(store.read, old), partial(store.info, new)
    )
    if existing is not None and not (source is not None and existing.is_copy_of(source.info)):
        raise AlreadyExistsError(f"Error: The destination {new} already exists", at=str(new))
    if obstacle is not None and obstacle != new:
        raise AlreadyExistsError(f"Error: {obstacle} is a file", at=str(obstacle))
    if new == old:  # no copy: it would bring back what somebody deletes meanwhile
        if source is None and obstacle is None:
            raise NotFoundError(f"Error: The path {old} does not exist")
        raise AlreadyExistsError(f"Error: The destination {new} already exists", at=str(new))
    if source is None:
        return _rename_directory(store, old, new, is_occupied=obstacle is not None)
    if obstacle is not None:
        raise AlreadyExistsError(f"Error: The destination {new} already exists", at=str(new))
    copied = copy_or_adopt(store, source, new)
    with _begun(f"The rename of {old}"):
        move = delete_source(store, copied)
    if move is Move.GONE:
        raise NotFoundError(f"Error: The path {old} does not exist")
    if move is Move.TAKEN:  # by the same rename, which reports it
        raise AlreadyExistsError(f"Error: The destination {new} already exists", at=str(new))
    return _with_findings([copied])


def pending(
    store: MemoryStore, unreadable: Callable[[str, IntegrityError], object] | None = None
) -> Iterator[StoredIntent]:
    """Yield the directory operations that are under way, or that a crash left unfinished.

    Args:
        store: whose operations.
        unreadable: is told of the object key of each that does not open, and why; left out, the first is raised.

    Raises:
        IntegrityError: one does not open. BackendError: S3 or the key wrapper could not be reached.
    """
    for object_key in intents.object_keys(store):
        try:
            stored = intents.opened(store, object_key)
        except IntegrityError as error:
            if unreadable is None:
                raise
            unreadable(object_key, error)
            continue
        if stored is not None:
            yield stored


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
def repair(
    store: MemoryStore, watcher: Watcher = NOBODY, told: Callable[[Repaired], object] | None = None
) -> list[Intent]:
    """Finish every directory operation that a crash left. Return what was finished.

    An operation that is still under way elsewhere is helped along: both end in the same tree. One that can't be
    finished does not keep the others from it.

    Args:
        store: whose operations.
        watcher: is told of each operation, and of each file that is copied or deleted.
        told: is called with what became of each operation, in this thread, as soon as it is known.

    Raises:
        As `rename` and `delete`, of the first that can't be finished, once all others are.
    """
    store.ensure_writable()
    results: list[Repaired] = []
    for object_key in intents.object_keys(store):
        result = _repaired(store, object_key, watcher)
        if result is not None:
            results.append(result)
            if told is not None:
                told(result)
    failure = next((one.failure for one in results if one.failure is not None), None)
    if failure is not None:
        raise failure
    return [one.intent for one in results if one.intent is not None]


def _repaired(store: MemoryStore, object_key: str, watcher: Watcher) -> Repaired | None:
    """Finish one operation, if its intent is still there. Return what became of it."""
    intent = None
    try:
        stored = intents.opened(store, object_key)
        if stored is None:
            return None
        intent = stored.intent
        with _begun(f"The attempt to {intent}"):
            _carry_out(store, stored, watcher)
    except S3MemoryError as failure:
        return Repaired(object_key, intent, failure)
    return Repaired(object_key, intent)


@contextmanager
def _begun(what: str) -> Iterator[None]:
    """Say that something was begun: a request that fails from here on speaks of itself alone."""
    try:
        yield
    except BackendError as error:
        raise UnfinishedError(
            f"Error: {what} was begun and is not finished, because the memory store "
            f"{'refused access' if isinstance(error, AccessDeniedError) else 'did not answer as it should'}. "
            "Nothing is lost. Send the same command again later to finish it."
        ) from error


def _carry_out(store: MemoryStore, stored: StoredIntent, watcher: Watcher) -> None:
    """Finish an operation that was interrupted, with the files that it was about, as far as they are still there."""
    if stored.intent.operation == RENAME:
        new = stored.intent.new_path
        obstacle = new if store.info(new) is not None else store.obstacle(new)
        if obstacle is not None and (obstacle != new or not store.has_directory(new)):
            raise AlreadyExistsError(f"Error: The destination {new} already exists", at=str(obstacle))
        files = [file for file in store.files_below(stored.intent.path) if file.listed.etag in stored.etags]
        watcher.begins(str(stored.intent), 2 * len(files))
        _move_all(store, stored, files, watcher)
    else:
        path = stored.intent.path
        etags = {**store.etags_below(path), **store.etag_at(path)}
        etags = {object_key: etag for object_key, etag in etags.items() if etag in stored.etags}
        watcher.begins(str(stored.intent), len(etags))
        _delete_all(store, etags, watcher)
    intents.finish(store, stored)


def _was_interrupted(store: MemoryStore, intent: Intent) -> bool:
    """Whether an operation of which nothing is left to do was interrupted before it could say so; if so, finish it."""
    stored = intents.find(store, intent)
    if stored is not None:
        intents.finish(store, stored)
    return stored is not None


def _delete_directory(store: MemoryStore, path: MemoryPath, etags: dict[str, str]) -> None:
    stored = intents.record(store, Intent(DELETE, path, path), etags.values())
    with _begun(f"The deletion of {path}"):
        _delete_all(store, etags)
        intents.finish(store, stored)


def _delete_all(store: MemoryStore, etags: dict[str, str], watcher: Watcher = NOBODY) -> None:
    """Delete what was listed. What was changed since is deleted as changed: as if its writer had come first."""
    for _ in store.retry.tries():
        changed = []
        for batch in _batches(etags):
            left = store.bucket.delete_many(batch)
            watcher.advances(len(batch) - len(left))
            changed += left
        infos = zip(changed, each(store.bucket.head, changed), strict=True)
        etags = {object_key: info.etag for object_key, info in infos if info is not None}
        if not etags:
            return
    raise ConflictError("Error: Other writers changed some files at every try. The rest was deleted. Try again.")


def _batches(etags: dict[str, str]) -> Iterator[dict[str, str]]:
    items = iter(etags.items())
    while batch := dict(islice(items, LIST_PAGE_KEYS)):
        yield batch


def _rename_directory(
    store: MemoryStore, old: MemoryPath, new: MemoryPath, *, is_occupied: bool
) -> tuple[WrittenFile, ...]:
    files = store.files_below(old)
    intent = Intent(RENAME, old, new)
    occupied = AlreadyExistsError(f"Error: The destination {new} already exists", at=str(new))
    if not files:
        if is_occupied:
            stored = intents.find(store, intent)
            if stored is None or not _holds_only_copies(store, new, stored):
                raise occupied
            intents.finish(store, stored)
            return ()
        raise NotFoundError(f"Error: The path {old} does not exist")
    if is_occupied:
        # What is at the destination may be what an interrupted rename of the same directory left.
        stored = intents.find(store, intent)
        if stored is None or not _holds_only_copies(store, new, stored):
            raise occupied
    else:
        stored = intents.record(store, intent, [file.listed.etag for file in files])
    with _begun(f"The rename of {old}"):
        moves, written = _move_all(store, stored, files)
        intents.finish(store, stored)
    if all(move is Move.GONE for move in moves):
        raise NotFoundError(f"Error: The path {old} does not exist")
    return written


def _holds_only_copies(store: MemoryStore, path: MemoryPath, stored: StoredIntent) -> bool:
    """Whether a directory holds nothing but what the announced rename copied there."""
    infos = each(store.info, [file.path for file in store.files_below(path)])
    sources = {etag.strip('"') for etag in stored.etags}
    return all(info is None or info.copied_from in sources for info in infos)


def _move_all(
    store: MemoryStore, stored: StoredIntent, files: list[ListedFile], watcher: Watcher = NOBODY
) -> tuple[list[Move], tuple[WrittenFile, ...]]:
    """Copy all files, make sure that the copies are listed, then delete the originals."""
    copied: list[Copied] = []  # filled by each copy, so that those made beside one that failed are known
    try:
        each(partial(_copy_listed, store, stored, copied), files, done=watcher.advances)
    except (RefusedError, IntegrityError):
        # One file can't be moved, so none is. Copies that somebody else made, or took over, are not ours to delete.
        each(partial(undo, store), [one for one in copied if not one.adopted])
        if not any(one.adopted for one in copied):
            intents.finish(store, stored)
        raise
    _verify(store, stored.intent.new_path, copied)
    moves = each(partial(delete_source, store), copied, done=watcher.advances)
    return moves, _with_findings(copied)


def _with_findings(copied: list[Copied]) -> tuple[WrittenFile, ...]:
    return tuple(sorted((one.copy for one in copied if one.copy.findings), key=lambda copy: copy.path))


def _copy_listed(store: MemoryStore, stored: StoredIntent, copied: list[Copied], file: ListedFile) -> None:
    source = store.read(file.path)
    if source is None:  # it was deleted since it was listed
        return
    try:
        path = file.path.moved(stored.intent.path, stored.intent.new_path)
        copied.append(copy_or_adopt(store, source, path, stored.etags))
    except RedactionError as error:
        raise RedactionError(f"{error} It is about {file.path}.") from None


def _verify(store: MemoryStore, new: MemoryPath, copied: list[Copied]) -> None:
    listed = {file.path for file in store.files_below(new)}
    missing = next((one.copy.path for one in copied if one.copy.path not in listed), None)
    if missing is not None:
        raise ConflictError(
            f"Error: The move to {new} was begun and is not finished, because another writer took {missing} away. "
            "Nothing is lost. Send the same command again to finish it."
        )
