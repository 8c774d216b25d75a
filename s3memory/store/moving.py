"""Move a file: copy it, then delete the source if it has not changed since.

In between there are two copies, never none. The rules and their reasons are in ``docs/semantics.md``.
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
    UnavailableError,
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
        adopted: another command began this move and made the copy first.
    """

    source: MemoryFile
    copy: WrittenFile
    adopted: bool = False


# Why a command was begun but not finished, by its error; the most specific errors come first.
_REASONS: tuple[tuple[type[S3MemoryError], str], ...] = (
    (AccessDeniedError, "the memory store refused access"),
    (UnavailableError, "the memory store did not answer as it should"),
    (OutcomeUnknownError, "the memory store did not answer as it should"),
    (BackendError, "the memory store refused something"),
    (ReadOnlyError, "the memory was archived meanwhile"),
    (RedactionError, "the redactor refused what another writer stored meanwhile"),
    (LimitError, "what another writer stored meanwhile is larger than allowed"),
    (KeyRingError, "the tenant's key ring was changed or erased meanwhile"),
    (IntegrityError, "what another writer stored meanwhile does not open"),
    (S3MemoryError, "it was changed meanwhile"),
)


def reason_of(error: S3MemoryError) -> str:
    """Return why a command that ended with this error is unfinished, as a clause."""
    return next(reason for kind, reason in _REASONS if isinstance(error, kind))


@contextmanager
def begun(what: str) -> Iterator[None]:
    """Report a failure in this context as an unfinished command. The error alone would say that nothing was changed.

    Raises:
        UnfinishedError: instead of any error except a `ConflictError`, which describes the state itself.
    """
    try:
        yield
    except (ConflictError, UnfinishedError):
        raise
    except S3MemoryError as error:
        is_answered = not isinstance(error, BackendError) or error.is_refusal
        when = "once that is fixed" if is_answered else "later"
        raise UnfinishedError(
            f"{what} was begun and is not finished, because {reason_of(error)}. "
            f"Nothing is lost. Send the same command again {when} to finish it."
        ) from error


class Move(Enum):
    """The outcome of moving one file."""

    DONE = auto()
    GONE = auto()
    """Another command deleted or moved the source first."""
    TAKEN = auto()
    """Another command took over the move, or is already working with the copy."""


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

    An adopted copy is written again, so that its new ETag keeps the command that made it from undoing it. This rename
    does not undo it either. So a copy with an obstacle is not adopted: the command that made it undoes it.

    Args:
        store: the tenant's memory.
        source: the file, as it was read.
        path: where its copy goes.
        source_etags: the ETags that the rename of its directory announced. A copy may note any of them.
        destination: where the directory goes, if a directory is moved.
        find_obstacle: looks for an obstacle to a copy that could be adopted.

    Raises:
        AlreadyExistsError: something else is at `path`.
    """
    for _ in store.retry.attempts():
        copy = store.copy(source, path)
        if copy is not None:
            return _without_texts(source, copy)
        info = store.files.info(path)
        is_copy = info is not None and (info.is_copy_of(source.info.etags) or info.is_copy_of(source_etags))
        # The noted ETag alone proves nothing, since any writer can set it: the copy must also have the same text.
        found = store.read(path) if is_copy else None
        if found is None or found.text != store.texts.redact(source.text, path, read_with=source.ring).text:
            break
        obstacle = find_obstacle()
        if obstacle is not None:
            raise messages.destination_exists(path, at=obstacle)
        copy = store.copy(source, path, over=found.info.etag)
        if copy is not None:
            return _without_texts(source, copy, adopted=True)
    raise messages.destination_exists(destination or path, at=path)


def _without_texts(source: MemoryFile, copy: WrittenFile, *, adopted: bool = False) -> Copied:
    # A directory's files are kept in memory until the last of them is deleted. Their texts need not be.
    return Copied(source._replace(text=""), copy._replace(text=""), adopted)


def undo(store: MemoryStore, copied: Copied) -> bool:
    """Delete a copy that this move made. Return whether it is gone; it is kept if somebody changed or adopted it."""
    return obstacles.undo_write(store, copied.copy, read_with=copied.source.ring)


def delete_source(store: MemoryStore, copied: Copied) -> Move:
    """Delete the source of a copy; if it was changed meanwhile, copy the change first.

    If another command deleted or moved the source first, the copy is deleted as well, unless somebody else adopted or
    changed it.

    Raises:
        ConflictError: source and copy were both changed, or the source changed at every attempt; both stay.
        RefusedError: the change can't be copied; the copy is removed again.
        IntegrityError: the changed source does not open.
    """
    for _ in store.retry.attempts():
        deletion = store.delete(copied.source.path, etag=copied.source.info.etag, read_with=copied.source.ring)
        if deletion is Deletion.DONE:
            return Move.DONE
        changed = None if deletion is Deletion.MISSING else store.read(copied.source.path)
        if changed is None:
            return Move.TAKEN if copied.adopted or not undo(store, copied) else Move.GONE
        try:
            # An adopted copy may no longer belong to this source, which may have become a new file.
            copy = None if copied.adopted else store.copy(changed, copied.copy.path, over=copied.copy.etag)
        except RefusedError:
            undo(store, copied)  # it has an outdated text, and would be an obstacle when the command is sent again
            raise
        if copy is None:
            what = f"{copied.source.path} and {copied.copy.path} while one was being moved to the other"
            break
        copied = _without_texts(changed, copy)
    else:
        what = f"{copied.source.path} at every try while it was being moved to {copied.copy.path}"
    raise ConflictError(f"Other writers changed {what}. Nothing is lost. View both before trying again.")


def delete_sources(store: MemoryStore, copied: Sequence[Copied]) -> list[Move]:
    """Delete the sources of all copies: a thousand per request, if S3 reports the outcome for each object.

    A few files take one round trip with `delete_source`. It also handles those that were changed, moved or deleted.

    Raises:
        ReadOnlyError: the tenant was archived. OutcomeUnknownError: some files may or may not have been deleted.
        As `delete_source` otherwise, for the first that fails.
    """
    deletes, left = store.objects.deletes, list(copied)
    keyed = {store.objects.key_of(one.source.ring, one.source.path): one for one in copied}
    if len(keyed) > MAX_PARALLEL_REQUESTS and deletes.reports_missing_by_key(beside=next(iter(keyed))):
        left = []
        for batch in batches(keyed.items(), LIST_PAGE_KEYS):
            store.key_ring.for_deletion(batch[0][1].source.ring)  # raises if the tenant is archived
            deletions = deletes.many({object_key: one.source.info.etag for object_key, one in batch})
            if not {Deletion.GONE, Deletion.UNKNOWN}.isdisjoint(deletions.values()):
                raise OutcomeUnknownError("It is not known of all files whether they were deleted.")
            progress.advance(len(batch) - len(deletions))
            left += [keyed[object_key] for object_key in deletions]
    moves = each(partial(delete_source, store), left, done=progress.advance)
    return moves + [Move.DONE] * (len(copied) - len(left))
