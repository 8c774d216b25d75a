"""The errors for a path that is taken or missing, a lost race, or a read-only memory. Each text is defined only here.

The texts are those of the documentation of Claude's memory tool; where it is silent, similar ones.
"""

from __future__ import annotations

from s3memory.errors import AlreadyExistsError, ConflictError, InvalidInputError, NotFoundError, ReadOnlyError
from s3memory.paths import MemoryPath


def file_exists(path: MemoryPath, *, at: MemoryPath | None = None) -> AlreadyExistsError:
    """Return the error for a file that can't be created, because of a file above it (`at`) or what is at the path."""
    return _occupied(path, at or path, f"File {path} already exists")


def destination_exists(path: MemoryPath, *, at: MemoryPath | None = None) -> AlreadyExistsError:
    """Return the error for a move to a path that is taken: by something at or below it, or a file above it (`at`)."""
    return _occupied(path, at or path, f"The destination {path} already exists")


def changed_during_every_attempt(path: MemoryPath) -> ConflictError:
    """Return the error for an edit that lost the race against other writers at every attempt."""
    return ConflictError(
        f"Other writers changed {path} at every try. Nothing was changed. View the file and try again."
    )


def not_found(path: MemoryPath) -> NotFoundError:
    """Return the error for a command on a path that does not exist."""
    return NotFoundError(f"The path {path} does not exist")


def not_found_to_edit(path: MemoryPath) -> NotFoundError:
    """Return the error for a replacement in a file that does not exist."""
    return NotFoundError(f"The path {path} does not exist. Please provide a valid path.")


def not_found_to_view(path: MemoryPath) -> NotFoundError:
    """Return the error for a view or search of a path that does not exist."""
    return NotFoundError(f"The path {path} does not exist. Please provide a valid path.", is_bare=True)


def must_stay(command: str, path: MemoryPath) -> InvalidInputError:
    """Return the error for a command that would remove the root or a mount point."""
    return InvalidInputError(f"Cannot {command} the {path} directory itself", is_bare=True)


def read_only(what: str = "This memory") -> ReadOnlyError:
    """Return the error for a write to a read-only memory."""
    return ReadOnlyError(f"{what} is read-only. Nothing was changed.")


def _occupied(path: MemoryPath, at: MemoryPath, text: str) -> AlreadyExistsError:
    if path.is_below(at):
        text = f"There can be nothing at {path}, because {at} is a file, not a directory"
    return AlreadyExistsError(text, at=str(at))
