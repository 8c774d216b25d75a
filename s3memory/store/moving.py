"""Moving one file: copy, then delete the source if it is still what was copied.

In between, both are there, never neither. The rules and their reasons are in ``docs/semantics.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum, auto
from functools import partial
from typing import NamedTuple

from s3memory import progress
from s3memory._parallel import MAX_PARALLEL_REQUESTS, batches, each
from s3memory.contract import messages
from s3memory.errors import (
    AccessDeniedError,
    BackendError,
    ConflictError,
    IntegrityError,
    KeyRingError,
    LimitError,
    OutcomeUnknownError,
    ReadOnlyError,
    RedactionError,
    RefusedError,
    S3MemoryError,
    UnfinishedError,
)
from s3memory.limits import LIST_PAGE_KEYS
from s3memory.paths import MemoryPath
from s3memory.s3.objects import Deletion
from s3memory.store import obstacles
from s3memory.store.files import MemoryFile, WrittenFile
from s3memory.store.memory_store import MemoryStore


class Copied(NamedTuple):
    """A file that is being moved, as it was read, and its copy, as it was written.

    Attributes:
        adopted: somebody else began this move and made the first copy.
    """

    source: MemoryFile
    copy: WrittenFile
    adopted: bool = False


# Why something that was begun is not finished, the most special first.
_REASONS: tuple[tuple[type[S3MemoryError], str], ...] = (
    (AccessDeniedError, "the memory store refused access"),
    (BackendError, "the memory store did not answer as it should"),
    (ReadOnlyError, "the memory was archived meanwhile"),
    (RedactionError, "the redactor refused what another writer stored meanwhile"),
    (LimitError, "what another writer stored meanwhile is larger than allowed"),
    (KeyRingError, "the tenant's key ring was changed or erased meanwhile"),
    (IntegrityError, "what another writer stored meanwhile does not open"),
    (S3MemoryError, "it was changed meanwhile"),
)


def reason_of(error: S3MemoryError) -> str:
    """Return why something is unfinished, by the error that ended it."""
    return next(reason for kind, reason in _REASONS if isinstance(error, kind))


@contextmanager
def begun(what: str) -> Iterator[None]:
    """Report what fails in here as something begun and unfinished. The error alone would say that nothing was changed.

    Raises:
        UnfinishedError: in place of every error but a `ConflictError`, which says what is there.
    """
    try:
        yield
    except (ConflictError, UnfinishedError):
        raise
    except S3MemoryError as error:
        when = "later" if isinstance(error, BackendError) else "once that is mended"
        raise UnfinishedError(
            f"{what} was begun and is not finished, because {reason_of(error)}. "
            f"Nothing is lost. Send the same command again {when} to finish it."
        ) from error


class Move(Enum):
    """What became of one file's move."""

    DONE = auto()
    GONE = auto()
    """Another command deleted or moved the source first."""
    TAKEN = auto()
    """Another command took the move over, or works on the copy already."""


def copy_or_adopt(
    store: MemoryStore,
    source: MemoryFile,
    path: MemoryPath,
    source_etags: Collection[str] = (),
    *,
    destination: MemoryPath | None = None,
    find_obstacle: Callable[[], MemoryPath | None] = lambda: None,
) -> Copied:
    """Store a copy, or adopt the one that an interrupted or concurrent rename of the same file made.

    An adopted copy is written again: its new ETag tells its maker not to undo it any more. This rename does not undo it
    either. So a copy that something is in the way of is not adopted: its maker undoes it.

    Args:
        store: whose file.
        source: the file.
        path: where its copy goes.
        source_etags: the ETags of the files that the rename of its directory is about. A copy may note any of these.
        destination: where the directory goes, if one is moved.
        find_obstacle: looks for what is in the way of a copy that could be adopted.

    Raises:
        AlreadyExistsError: something else is at `path`.
    """
    copy = store.copy(source, path)
    if copy is not None:
        return _without_texts(source, copy)
    info = store.files.info(path)
    is_copy = info is not None and (info.is_copy_of(source.info.etags) or info.is_copy_of(source_etags))
    # The note alone is not enough, since anyone who may write can make one: it has to hold the same text.
    found = store.read(path) if is_copy else None
    if found is not None and found.text == store.texts.redact(source.text, path, read_with=source.ring).text:
        obstacle = find_obstacle()
        if obstacle is not None:
            raise messages.destination_exists(path, at=obstacle)
        copy = store.copy(source, path, over=found.info.etag)
        if copy is not None:
            return _without_texts(source, copy, adopted=True)
    raise messages.destination_exists(destination or path, at=path)


def _without_texts(source: MemoryFile, copy: WrittenFile, *, adopted: bool = False) -> Copied:
    # The files of a directory are remembered until the last of them is deleted. Their texts need not be.
    return Copied(source._replace(text=""), copy._replace(text=""), adopted)


def undo(store: MemoryStore, one: Copied) -> bool:
    """Delete a copy that this move made. Return whether it is gone: not if somebody changed or adopted it."""
    return obstacles.take_back(store, one.copy, read_with=one.source.ring)


def delete_source(store: MemoryStore, one: Copied) -> Move:
    """Delete what was copied; if it was changed meanwhile, copy the change first.

    If another command deleted or moved the source first, the copy is deleted as well, unless somebody else adopted or
    changed it.

    Raises:
        ConflictError: the copy was changed as well, so the two can't be one, or the source at every try; both stay.
        RefusedError: the change can't be copied; the copy is removed again.
        IntegrityError: what it was changed to does not open.
    """
    for _ in store.retry.tries():
        deletion = store.delete(one.source.path, etag=one.source.info.etag, read_with=one.source.ring)
        if deletion is Deletion.DONE:
            return Move.DONE
        changed = None if deletion is Deletion.MISSING else store.read(one.source.path)
        if changed is None:
            return Move.TAKEN if one.adopted or not undo(store, one) else Move.GONE
        try:
            # Of an adopted copy nobody knows whether it still is of this source: that may be a new file by now.
            copy = None if one.adopted else store.copy(changed, one.copy.path, over=one.copy.etag)
        except RefusedError:
            undo(store, one)  # it has an older text, and would be in the way when the command is sent again
            raise
        if copy is None:
            what = f"{one.source.path} and {one.copy.path} while one was being moved to the other"
            break
        one = _without_texts(changed, copy)
    else:
        what = f"{one.source.path} at every try while it was being moved to {one.copy.path}"
    raise ConflictError(f"Other writers changed {what}. Nothing is lost. View both before trying again.")


def delete_sources(store: MemoryStore, copied: Sequence[Copied]) -> list[Move]:
    """Delete what was copied, as `delete_source` does for each: a thousand in a request, if S3 reports on each.

    `delete_source` handles what was changed, moved or deleted meanwhile, and a few files: they take one round trip.

    Raises:
        ReadOnlyError: the tenant was archived. OutcomeUnknownError: it is not known of all whether they were deleted.
        As `delete_source` otherwise, of the first.
    """
    deletes, left = store.objects.deletes, list(copied)
    keyed = {store.objects.key_of(one.source.ring, one.source.path): one for one in copied}
    if len(keyed) > MAX_PARALLEL_REQUESTS and deletes.are_told_by_key(beside=next(iter(keyed))):
        left = []
        for batch in batches(keyed.items(), LIST_PAGE_KEYS):
            store.key_ring.for_deletion(batch[0][1].source.ring)  # refuses where the tenant is archived
            deletions = deletes.many({object_key: one.source.info.etag for object_key, one in batch})
            if not {Deletion.GONE, Deletion.UNKNOWN}.isdisjoint(deletions.values()):
                raise OutcomeUnknownError("It is not known of all files whether they were deleted.")
            progress.advances(len(batch) - len(deletions))
            left += [keyed[object_key] for object_key in deletions]
    moves = each(partial(delete_source, store), left, done=progress.advances)
    return moves + [Move.DONE] * (len(copied) - len(left))
