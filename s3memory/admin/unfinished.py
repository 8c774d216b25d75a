"""Jobs of many writes: what an error says that ends one in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from s3memory.errors import AccessDeniedError, BackendError, OutcomeUnknownError, UnavailableError, UnfinishedError
from s3memory.store.moving import reason_of


@contextmanager
def job(what: str) -> Iterator[None]:
    """Say that a job was begun: the error of a request speaks of that request alone, as if nothing was changed.

    Args:
        what: what was begun.

    Raises:
        UnfinishedError: in place of every `BackendError`, which speaks of one request.
    """
    try:
        yield
    except UnfinishedError:
        raise
    except BackendError as error:
        is_unanswered = isinstance(error, UnavailableError | OutcomeUnknownError)
        then = "Later," if is_unanswered else "This needs an operator, and then"
        is_another_refusal = not is_unanswered and not isinstance(error, AccessDeniedError)
        reason = "the memory store refused something" if is_another_refusal else reason_of(error)
        code = "" if error.code is None else f" ({error.code})"
        raise UnfinishedError(
            f"{what} was begun and is not finished, because {reason}{code}. What was done stays. {then} run it again."
        ) from error
