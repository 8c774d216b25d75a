"""Errors that the model reads if a path is taken, nothing is there, or others were faster. Each is worded once.

The texts are those of Claude's memory tool documentation; where it is silent, of the same kind.
"""

from __future__ import annotations

from s3memory.errors import AlreadyExistsError, ConflictError, InvalidInputError, NotFoundError, ReadOnlyError
from s3memory.paths import MemoryPath


def file_exists(path: MemoryPath, *, at: MemoryPath | None = None) -> AlreadyExistsError:
    """Return the error of a file that can't be made: for a file above it (`at`), or for what is at the path itself."""
    return _occupied(path, at or path, f"File {path} already exists")


def destination_exists(path: MemoryPath, *, at: MemoryPath | None = None) -> AlreadyExistsError:
    """Return the error of something that can't be moved to a path, for what is `at` or below it, or a file above it."""
    return _occupied(path, at or path, f"The destination {path} already exists")


def changed_at_every_try(path: MemoryPath) -> ConflictError:
    """Return the error of an edit that other writers were faster than."""
    return ConflictError(
        f"Other writers changed {path} at every try. Nothing was changed. View the file and try again."
    )


def not_found(path: MemoryPath) -> NotFoundError:
    """Return the error of a command on something that is not there."""
    return NotFoundError(f"The path {path} does not exist")


def not_found_to_edit(path: MemoryPath) -> NotFoundError:
    """Return the error of a replacement in a file that is not there."""
    return NotFoundError(f"The path {path} does not exist. Please provide a valid path.")


def not_found_to_view(path: MemoryPath) -> NotFoundError:
    """Return the error of a view, or a search, of something that is not there."""
    return NotFoundError(f"The path {path} does not exist. Please provide a valid path.", is_bare=True)


def has_to_stay(command: str, path: MemoryPath) -> InvalidInputError:
    """Return the error of a command that would take away the root, or what a memory is mounted at."""
    return InvalidInputError(f"Cannot {command} the {path} directory itself", is_bare=True)


def read_only(what: str = "This memory") -> ReadOnlyError:
    """Return the error of a write to a memory that takes none."""
    return ReadOnlyError(f"{what} is read-only. Nothing was changed.")


def _occupied(path: MemoryPath, at: MemoryPath, text: str) -> AlreadyExistsError:
    if path.is_below(at):
        text = f"There can be nothing at {path}, because {at} is a file, not a directory"
    return AlreadyExistsError(text, at=str(at))
