"""Renames and deletes of whole directories. Each is announced by an intent, so that it can be finished after a crash.

Sending the same command again finishes it, and so does `tree.repair`. ``docs/semantics.md`` has the rules and reasons.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from s3memory import progress
from s3memory._parallel import batches, each, holding, together
from s3memory.contract import messages
from s3memory.contract.views import count_of
from s3memory.errors import (
    AlreadyExistsError,
    BackendError,
    ConflictError,
    IntegrityError,
    InvalidInputError,
    KeyRingError,
    OutcomeUnknownError,
    RedactionError,
    RefusedError,
    S3MemoryError,
    UnfinishedError,
)
from s3memory.format.object_keys import ListedFile, path_too_long
from s3memory.limits import LIST_PAGE_KEYS, MAX_PATH_SEGMENTS
from s3memory.paths import MemoryPath
from s3memory.s3.objects import Deletion, share_any
from s3memory.store import intents, moving, obstacles
from s3memory.store.files import WrittenFile
from s3memory.store.intents import DELETE, RENAME, Intent, StoredIntent
from s3memory.store.memory_store import MemoryStore
from s3memory.store.moving import Copied, Move, begun


def rename_directory(
    store: MemoryStore, old: MemoryPath, new: MemoryPath, *, is_occupied: bool
) -> tuple[WrittenFile, ...]:
    """Move all files below a directory. Returns and raises as `tree.rename`.

    Anything below `new` (`is_occupied`) may be left over from an interrupted rename of the same directory.

    Raises:
        LimitError: there are more files than one intent can announce.
        NotFoundError: there is nothing below `old`.
    """
    files, file_at_new = together(partial(store.files.below, old), partial(store.files.info, new))
    intent = Intent(RENAME, old, new)
    occupied = messages.destination_exists(new)
    if file_at_new is not None:
        raise occupied
    stored = None
    if is_occupied:
        stored = intents.find(store, intent)
        if stored is None or not _is_left_over(store, stored, files):
            raise occupied
    if not files:
        if stored is None:
            raise messages.not_found(old)
        intents.finish(store, stored)
        return ()
    moved = [file.path.rebased(old, new) for file in files]
    for file, path in zip(files, moved, strict=True):
        if path.shown_depth > MAX_PATH_SEGMENTS:  # no command could name such a file any more
            error = path_too_long()
            error.about = f"{file.path}"
            raise error
    store.texts.refuse_sensitive_paths(moved)
    # Even if one was found: it may lack files written since then, and copies of those must be recognised as copies.
    stored = intents.record(store, intent, [file.listed.etag for file in files])
    moves, written = _move_all(store, stored, files, f"The rename of {old}", destination=new)
    if all(move is Move.GONE for move in moves):
        raise messages.not_found(old)
    return written


def delete_directory(store: MemoryStore, path: MemoryPath, etags: dict[str, str]) -> None:
    """Delete the listed objects of a directory, given their ETags by object key. Raises as `tree.delete`."""
    stored = intents.record(store, Intent(DELETE, path, path), etags.values())
    what = f"The deletion of {path}"
    with begun(what):
        _delete_all(store, stored, etags, what)


def carry_out(store: MemoryStore, stored: StoredIntent) -> None:
    """Finish an interrupted operation on those of its announced files that are still there.

    Raises as `tree.rename` and `tree.delete`.
    """
    what = f"The attempt to {stored.intent}"
    if stored.intent.operation == RENAME:
        files = store.files.below(stored.intent.path)
        etags = _announced(store, stored, {file.listed.object_key: file.listed.etag for file in files})
        files = [file for file in files if file.listed.object_key in etags]
        # Obstacles matter only if there is something left to move.
        if files:
            _refuse_obstacles(store, stored.intent.new_path)
        _move_all(store, stored, files, what)
    else:
        path = stored.intent.path
        listed = store.files.etags_below(path)
        ring, info = store.key_ring.existing(), store.files.info(path)
        if ring is not None and info is not None:
            listed[store.objects.key_of(ring, path)] = info.etag
        etags = _announced(store, stored, listed)
        with begun(what):
            _delete_all(store, stored, etags, what, is_repair=True)


def _refuse_obstacles(store: MemoryStore, new: MemoryPath) -> None:
    obstacle = new if store.files.info(new) is not None else obstacles.find(store, new)
    if obstacle is not None and (obstacle != new or not store.files.has_directory(new)):
        raise messages.destination_exists(new, at=obstacle)


def _announced(store: MemoryStore, stored: StoredIntent, etags: Mapping[str, str]) -> dict[str, str]:
    """Return the ETags of those listed objects that the operation's intent announces, by object key.

    An object with another ETag is examined: it may have been resealed or touched since.
    """
    others = [object_key for object_key, etag in etags.items() if etag not in stored.etags]
    found = {object_key: etag for object_key, etag in etags.items() if etag in stored.etags}
    for object_key, info in zip(others, each(store.objects.head, others), strict=True):
        if info is not None and share_any(info.etags, stored.etags):
            found[object_key] = info.etag
    return found


def finish_interrupted(store: MemoryStore, intent: Intent) -> bool:
    """Remove the intent of an operation that was interrupted just before that. Return whether there was one.

    Raises:
        IntegrityError: its intent does not open. BackendError: S3 or the key wrapper could not be reached.
    """
    stored = intents.find(store, intent)
    if stored is not None:
        intents.finish(store, stored)
    return stored is not None


def with_findings(copied: list[Copied]) -> tuple[WrittenFile, ...]:
    """Return the copies in which the redactor found something on the way, sorted by path."""
    return tuple(sorted((one.copy for one in copied if one.copy.findings), key=lambda copy: copy.path))


def _move_all(
    store: MemoryStore,
    stored: StoredIntent,
    files: list[ListedFile],
    what: str,
    *,
    destination: MemoryPath | None = None,
) -> tuple[list[Move], tuple[WrittenFile, ...]]:
    """Copy all files, check that the copies are listed, delete the originals, and remove the intent.

    Errors name an obstacle by the command's `destination` if there is one, else by its own path.
    """
    progress.begin(str(stored.intent), 2 * len(files))
    kept: list[MemoryPath] = []
    with begun(what):
        copied, refusal = _copied_or_undone(store, stored, files, kept, destination)
    if refusal is not None:
        raise refusal
    with begun(what):
        _verify(store, stored.intent.new_path, copied)
        moves = moving.delete_sources(store, copied)
        intents.finish(store, stored)
    if kept:
        first = min(kept)
        raise ConflictError(
            f"{what} is finished, but {count_of(len(kept), 'file')} stayed, because other writers changed what is at "
            f"the new path: {first} and {first.rebased(stored.intent.path, stored.intent.new_path)} are both there. "
            "Nothing is lost. View both."
        )
    return moves, with_findings(copied)


def _copied_or_undone(
    store: MemoryStore,
    stored: StoredIntent,
    files: list[ListedFile],
    kept: list[MemoryPath],
    destination: MemoryPath | None,
) -> tuple[list[Copied], S3MemoryError | None]:
    """Copy all files; if one can't be copied, remove the copies again. Return the copies, or why there are none.

    In an operation that was interrupted, somebody may have changed a copy since. Such files are `kept` at both places.
    """
    copied: list[Copied] = []  # every copy is added as it is made, so that all are known if one fails
    unknown: list[MemoryPath] = []

    def copy(file: ListedFile) -> None:
        path = file.path.rebased(stored.intent.path, stored.intent.new_path)
        try:
            with holding(file.listed.size_bytes):
                source = store.read(file.path)
                if source is not None:  # otherwise it was deleted after it was listed
                    copied.append(moving.copy_or_adopt(store, source, path, stored.etags, destination=destination))
        except AlreadyExistsError:
            if stored.is_new:
                raise
            kept.append(file.path)
        except (InvalidInputError, RedactionError, BackendError) as error:
            error.about = f"{file.path}"
            if isinstance(error, OutcomeUnknownError):  # there may be a copy that can't be undone
                unknown.append(file.path)
            raise

    try:
        each(copy, files, done=progress.advance, at_once=store.objects.requests_at_once)
    except (RefusedError, IntegrityError, BackendError) as error:
        if isinstance(error, BackendError) and not error.is_refusal:
            raise
        # One file can't be moved, so none is. Copies that another command made or adopted are left to it.
        undone = each(partial(moving.undo, store), [one for one in copied if not one.adopted])
        if not stored.is_new or unknown or len(undone) < len(copied) or not all(undone):
            raise
        intents.finish(store, stored)
        return [], error
    return copied, None


def _verify(store: MemoryStore, new: MemoryPath, copied: list[Copied]) -> None:
    try:
        listed = {file.path for file in store.files.below(new)}
        unlisted = [one for one in copied if one.copy.path not in listed]
        missing = next((one.copy.path for one in unlisted if store.key_ring.for_write(one.source.ring)), None)
    except KeyRingError:
        missing = None
    # If the tenant was erased meanwhile, each copy is undone when its source is found to be gone.
    if missing is not None:
        raise ConflictError(
            f"The move to {new} was begun and is not finished, because another writer took {missing} away. "
            "Nothing is lost. Send the same command again to finish it."
        )


def _is_left_over(store: MemoryStore, stored: StoredIntent, files: list[ListedFile]) -> bool:
    """Whether an interrupted rename has left copies in its destination, which may have been edited since.

    An edited copy does not tell what it was made from. But its original is where it was, as the rename announced it.
    """
    old, new = stored.intent.path, stored.intent.new_path
    originals = {file.path.rebased(old, new) for file in files if file.listed.etag in stored.etags}
    found = [file.path for file in store.files.below(new)]
    if not originals.isdisjoint(found):
        return True
    return any(info is not None and info.is_copy_of(stored.etags) for info in each(store.files.info, found))


def _delete_all(
    store: MemoryStore, stored: StoredIntent, etags: dict[str, str], what: str, *, is_repair: bool = False
) -> None:
    """Delete the listed objects, then the intent. Objects changed since are deleted too: their writers came first.

    Two kinds are left alone. If a deletion got no response, a changed object may be a new file. In a repair, a changed
    object that is not announced was written after the crash.
    """
    progress.begin(str(stored.intent), len(etags))
    n_kept = 0
    for _ in store.retry.attempts():
        changed = []
        for batch in batches(etags.items(), LIST_PAGE_KEYS):
            deletions = store.objects.deletes.many(dict(batch))
            changed_now = [object_key for object_key, deletion in deletions.items() if deletion is Deletion.CHANGED]
            n_unknown = sum(deletion is Deletion.UNKNOWN for deletion in deletions.values())
            progress.advance(len(batch) - len(changed_now) - n_unknown)
            changed += changed_now
            n_kept += n_unknown
        infos = zip(changed, each(store.objects.head, changed), strict=True)
        etags = {
            object_key: info.etag
            for object_key, info in infos
            if info is not None and (not is_repair or share_any(info.etags, stored.etags))
        }
        if not etags:
            break
    if n_kept:
        raise UnfinishedError(
            f"{what} was begun, and the memory store did not answer in between. What other writers changed or "
            f"made there meanwhile was left alone ({n_kept + len(etags)}). "
            "View the directory before sending the same command again."
        )
    if etags:
        raise ConflictError("Other writers changed some files at every try. The rest was deleted. Try again.")
    intents.finish(store, stored)
