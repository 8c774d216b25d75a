"""Jobs of many writes: what an error says that ends one in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from s3memory.errors import AccessDeniedError, BackendError, OutcomeUnknownError, UnfinishedError
from s3memory.store.moving import reason_of


@contextmanager
def job(what: str) -> Iterator[None]:
    """Say that a job was begun: the error of a request speaks of that request alone, as if nothing was changed.

    Args:
        what: what was begun.

    Raises:
        UnfinishedError: in place of every `BackendError` that says what was not done, and not what was.
    """
    try:
        yield
    except (OutcomeUnknownError, UnfinishedError):
        raise
    except BackendError as error:
        then = "This needs an operator, and then" if isinstance(error, AccessDeniedError) else "Later,"
        raise UnfinishedError(
            f"{what} was begun and is not finished, because {reason_of(error)}. "
            f"What was done stays. {then} run it again."
        ) from error
