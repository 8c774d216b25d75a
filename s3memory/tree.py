"""Rename and delete, of files and of whole directories, so that no crash and no other writer loses a text.

A rename is copy, then delete: in between, both are there, never neither. What was copied is deleted only if it is
still what was copied. A directory operation is announced by an intent first; the same command, or `repair`, finishes
what a crash left. The rules and their reasons are in ``docs/semantics.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial

from s3memory import intents
from s3memory.bucket import Deletion, ListedObject
from s3memory.errors import (
    AccessDeniedError,
    AlreadyExistsError,
    BackendError,
    ConflictError,
    IntegrityError,
    InvalidInputError,
    NotFoundError,
    RefusedError,
    S3MemoryError,
    UnfinishedError,
)
from s3memory.intents import DELETE, RENAME, Intent, StoredIntent
from s3memory.layout import ListedFile
from s3memory.limits import LIST_PAGE_KEYS
from s3memory.parallel import each, together
from s3memory.paths import MemoryPath
from s3memory.redaction import Finding
from s3memory.store import MemoryFile, MemoryStore, WrittenFile


@dataclass(frozen=True, slots=True)
class _Copied:
    """A file that is being moved, and its copy.

    Attributes:
        source: the file as it was read.
        copy: the copy as it was written.
        adopted: somebody else began this move and made the first copy.
    """

    source: MemoryFile
    copy: WrittenFile
    adopted: bool = False


class _Move(Enum):
    """What became of one file's move."""

    DONE = auto()
    GONE = auto()
    """Another command deleted or moved the source first."""
    TAKEN = auto()
    """Another command took the move over, or works on the copy already."""


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
        info, below = together(partial(store.info, path), partial(store.objects_below, path))
        if below:
            _delete_directory(store, path, below)
        deletion = Deletion.MISSING if info is None else store.delete(path, etag=info.etag)
        if deletion is Deletion.DONE or (deletion is Deletion.MISSING and below):
            return
        if deletion is Deletion.MISSING:
            if info is None and _was_interrupted(store, Intent(DELETE, path, path)):
                return
            raise NotFoundError(f"Error: The path {path} does not exist")
    raise ConflictError(f"Error: Other writers changed {path} at every try. It was not deleted. Try again.")


def delete_everything(store: MemoryStore) -> None:
    """Delete all memory files of the tenant; its key ring stays."""
    store.ensure_writable()
    root = MemoryPath()
    below = store.objects_below(root)
    if below:
        _delete_directory(store, root, below)


def rename(store: MemoryStore, old: MemoryPath, new: MemoryPath) -> tuple[Finding, ...]:
    """Move a file, or a directory with all that is below it. Return what was redacted on the way.

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
    store.texts.refuse_sensitive_names(new.segments)
    obstacle, source, existing = together(
        partial(store.obstacle, new), partial(store.read, old), partial(store.info, new)
    )
    if existing is not None and not (source is not None and existing.is_copy_of(source.info)):
        raise AlreadyExistsError(f"Error: The destination {new} already exists", at=str(new))
    if obstacle is not None and obstacle != new:
        raise AlreadyExistsError(f"Error: {obstacle} is a file", at=str(obstacle))
    if source is None:
        return _rename_directory(store, old, new, is_occupied=obstacle is not None)
    if obstacle is not None:
        raise AlreadyExistsError(f"Error: The destination {new} already exists", at=str(new))
    copied = _copied(store, source, new)
    with _begun(f"The rename of {old}"):
        move = _delete_source(store, copied)
    if move is _Move.GONE:
        raise NotFoundError(f"Error: The path {old} does not exist")
    if move is _Move.TAKEN:  # by the same rename, which reports it
        raise AlreadyExistsError(f"Error: The destination {new} already exists", at=str(new))
    return copied.copy.findings


def pending(store: MemoryStore) -> Iterator[StoredIntent]:
    """Yield the directory operations that are under way, or that a crash left unfinished.

    Raises:
        IntegrityError: one does not open. BackendError: S3 or the key wrapper could not be reached.
    """
    for object_key in intents.object_keys(store):
        stored = intents.opened(store, object_key)
        if stored is not None:
            yield stored


def repair(store: MemoryStore) -> list[Intent]:
    """Finish every directory operation that a crash left. Return what was finished.

    An operation that is still under way elsewhere is helped along: both end in the same tree. One that can't be
    finished does not keep the others from it.

    Raises:
        As `rename` and `delete`, of the first that can't be finished, once all others are.
    """
    store.ensure_writable()
    finished: list[Intent] = []
    failures: list[S3MemoryError] = []
    for object_key in intents.object_keys(store):
        try:
            stored = intents.opened(store, object_key)
            if stored is not None:
                with _begun(f"The attempt to {stored.intent}"):
                    _carry_out(store, stored)
                finished.append(stored.intent)
        except S3MemoryError as failure:
            failures.append(failure)
    if failures:
        raise failures[0]
    return finished


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


def _carry_out(store: MemoryStore, stored: StoredIntent) -> None:
    """Finish an operation that was interrupted, with the files that it was about, as far as they are still there."""
    if stored.intent.operation == RENAME:
        new = stored.intent.new_path
        obstacle = new if store.info(new) is not None else store.obstacle(new)
        if obstacle is not None and (obstacle != new or not store.has_directory(new)):
            raise AlreadyExistsError(f"Error: The destination {new} already exists", at=str(obstacle))
        files = [file for file in store.files_below(stored.intent.path) if file.listed.etag in stored.etags]
        _move_all(store, stored, files)
    else:
        below = store.objects_below(stored.intent.path)
        _delete_all(store, [listed for listed in below if listed.etag in stored.etags])
    intents.finish(store, stored)


def _was_interrupted(store: MemoryStore, intent: Intent) -> bool:
    """Whether an operation of which nothing is left to do was interrupted before it could say so; if so, finish it."""
    stored = intents.find(store, intent)
    if stored is not None:
        intents.finish(store, stored)
    return stored is not None


def _delete_directory(store: MemoryStore, path: MemoryPath, below: list[ListedObject]) -> None:
    stored = intents.record(store, Intent(DELETE, path, path), below)
    with _begun(f"The deletion of {path}"):
        _delete_all(store, below)
        intents.finish(store, stored)


def _delete_all(store: MemoryStore, objects: list[ListedObject]) -> None:
    """Delete what was listed. What was changed since is deleted as changed: as if its writer had come first."""
    for _ in store.retry.tries():
        batches = [objects[start : start + LIST_PAGE_KEYS] for start in range(0, len(objects), LIST_PAGE_KEYS)]
        changed = [object_key for batch in batches for object_key in store.bucket.delete_many(batch)]
        infos = zip(changed, each(store.bucket.head, changed), strict=True)
        objects = [ListedObject(object_key, 0, info.etag) for object_key, info in infos if info is not None]
        if not objects:
            return
    raise ConflictError("Error: Other writers changed some files at every try. The rest was deleted. Try again.")


def _rename_directory(
    store: MemoryStore, old: MemoryPath, new: MemoryPath, *, is_occupied: bool
) -> tuple[Finding, ...]:
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
        stored = intents.record(store, intent, [file.listed for file in files])
    with _begun(f"The rename of {old}"):
        moves, findings = _move_all(store, stored, files)
        intents.finish(store, stored)
    if all(move is _Move.GONE for move in moves):
        raise NotFoundError(f"Error: The path {old} does not exist")
    return findings


def _holds_only_copies(store: MemoryStore, path: MemoryPath, stored: StoredIntent) -> bool:
    """Whether a directory holds nothing but what the announced rename copied there."""
    infos = each(store.info, [file.path for file in store.files_below(path)])
    sources = {etag.strip('"') for etag in stored.etags}
    return all(info is None or info.copied_from in sources for info in infos)


def _move_all(
    store: MemoryStore, stored: StoredIntent, files: list[ListedFile]
) -> tuple[list[_Move], tuple[Finding, ...]]:
    """Copy all files, make sure that the copies are listed, then delete the originals."""
    old, new = stored.intent.path, stored.intent.new_path
    copied: list[_Copied] = []  # filled by each copy, so that those made beside one that failed are known
    try:
        each(partial(_copy_listed, store, old, new, copied), files)
    except (RefusedError, IntegrityError):
        # One file can't be moved, so none is. Copies that somebody else made, or took over, are not ours to delete.
        each(partial(_undo, store), [one for one in copied if not one.adopted])
        if not any(one.adopted for one in copied):
            intents.finish(store, stored)
        raise
    _verify(store, new, copied)
    moves = each(partial(_delete_source, store), copied)
    return moves, tuple(finding for one in copied for finding in one.copy.findings)


def _copy_listed(store: MemoryStore, old: MemoryPath, new: MemoryPath, copied: list[_Copied], file: ListedFile) -> None:
    source = store.read(file.path)
    if source is not None:  # else it was deleted since it was listed
        copied.append(_copied(store, source, file.path.moved(old, new)))


def _copied(store: MemoryStore, source: MemoryFile, path: MemoryPath) -> _Copied:
    """Store a copy, or adopt the one that an interrupted or concurrent rename of the same file made.

    An adopted copy is written again: by its new ETag, whoever made it sees that it is no longer theirs to undo.

    Raises:
        AlreadyExistsError: something else is at `path`.
    """
    copy = store.copy(source, path)
    if copy is not None:
        return _without_texts(source, copy)
    found = store.read(path)
    # That it says so is not enough, since anybody who may write could: it has to hold the same text.
    if found is not None and found.info.is_copy_of(source.info) and found.text == store.texts.redact(source.text).text:
        copy = store.copy(source, path, over=found.info.etag)
        if copy is not None:
            return _without_texts(source, copy, adopted=True)
    raise AlreadyExistsError(f"Error: The destination {path} already exists", at=str(path))


def _without_texts(source: MemoryFile, copy: WrittenFile, *, adopted: bool = False) -> _Copied:
    # A directory's files are remembered until the last of them is deleted; their texts need not be.
    return _Copied(replace(source, text=""), replace(copy, text=""), adopted)


def _undo(store: MemoryStore, one: _Copied) -> bool:
    """Delete a copy that this move made. Return whether it is gone: not if somebody changed or adopted it."""
    return store.delete(one.copy.path, etag=one.copy.etag) is not Deletion.CHANGED


def _verify(store: MemoryStore, new: MemoryPath, copied: list[_Copied]) -> None:
    listed = {file.path for file in store.files_below(new)}
    missing = next((one.copy.path for one in copied if one.copy.path not in listed), None)
    if missing is not None:
        raise ConflictError(f"Error: Another writer deleted {missing} while it was being moved. Try again.")


def _delete_source(store: MemoryStore, one: _Copied) -> _Move:
    """Delete what was copied; if it was changed meanwhile, copy the change first.

    If another command deleted or moved the source first, the copy goes as well, unless somebody else adopted or changed
    it and relies on it.

    Raises:
        ConflictError: the copy was changed as well, so the two can't be one; both stay.
    """
    for _ in store.retry.tries():
        deletion = store.delete(one.source.path, etag=one.source.info.etag)
        if deletion is Deletion.DONE:
            return _Move.DONE
        changed = None if deletion is Deletion.MISSING else store.read(one.source.path)
        if changed is None:
            return _Move.TAKEN if one.adopted or not _undo(store, one) else _Move.GONE
        # Of an adopted copy nobody knows whether it still is of this source: the source may be a new file by now.
        copy = None if one.adopted else store.copy(changed, one.copy.path, over=one.copy.etag)
        if copy is None:
            break
        one = _without_texts(changed, copy)
    raise ConflictError(
        f"Error: Other writers changed {one.source.path} and {one.copy.path} while one was being moved to the other. "
        "Nothing is lost: both are there."
    )
