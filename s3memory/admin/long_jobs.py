"""Long jobs over many objects: how they deal with failed requests, outages, and files that agents move meanwhile.

An object that S3 refuses to read or write is reported, and the job continues with the others. Requests without a
response are retried, with pauses. An outage ends the job early, so that it does not wait for every single object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from threading import Lock
from typing import Generic, TypeVar

from s3memory import progress
from s3memory.errors import (
    BackendError,
    OutcomeUnknownError,
    S3MemoryError,
    UnavailableError,
    UnfinishedError,
    code_behind,
)
from s3memory.format.object_keys import ListedFile
from s3memory.limits import MAX_REFUSED
from s3memory.paths import MemoryPath
from s3memory.s3.objects import ListedObject
from s3memory.store.memory_store import MemoryStore
from s3memory.store.moving import reason_of

_MAX_UNANSWERED = 8
"""This many objects in a row without a response count as an outage."""

# AWS refuses requests if the clocks differ by more.
_MAX_CLOCK_SKEW = timedelta(minutes=15)
_MAX_PASSES = 4

_MAY_BE_DONE = (OutcomeUnknownError, UnfinishedError)

R = TypeVar("R")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Missed:
    """An object that was skipped, because requests for it failed.

    Attributes:
        name: its memory path, or its object key if it has no path.
        code: the reason: AWS's error code, or a name for the failure on the way.
        is_unknown: it may or may not have been changed: a write got no response, or was left unfinished.
    """

    name: str
    code: str
    is_unknown: bool = False

    @property
    def why(self) -> str:
        """The reason as a clause, for people."""
        what = "it is not known whether it was changed" if self.is_unknown else "S3 or KMS refused, or did not answer"
        return f"{what} ({self.code})"


class Patience:
    """Retries failed requests for the objects of one job, skips objects that keep failing, and detects outages.

    It can be used from any thread.

    Args:
        store: its retry policy sets the pauses and the deadline.
    """

    def __init__(self, store: MemoryStore) -> None:
        self._attempts = store.retry.attempts
        self._lock = Lock()
        self._missed: dict[str, Missed] = {}
        self._n_unanswered = 0
        self._n_refused = 0
        self._has_any_succeeded = False
        self._outage: BackendError | None = None

    @property
    def missed(self) -> list[Missed]:
        """The skipped objects, sorted by name."""
        return sorted(self._missed.values())

    def work(self, name: object, call: Callable[[], R]) -> R | Missed:
        """Return the result of a call for one object, or a `Missed` if its requests keep failing.

        Args:
            name: the object, for people.
            call: sends its requests. It must be safe to repeat: it is called again while S3 or KMS is unavailable.

        Raises:
            BackendError: too many objects have failed by now. Whatever else the call raises.
        """
        if self._outage is not None:
            raise self._outage
        try:
            result = self._retried(call)
        except BackendError as error:
            return self._miss(str(name), error)
        except S3MemoryError:  # the object is gone or does not open, for example: S3 has answered
            self._answered(str(name))
            raise
        self._answered(str(name))
        return result

    def _retried(self, call: Callable[[], R]) -> R:
        failure: UnavailableError | None = None
        for _ in self._attempts():
            if self._outage is not None:
                break
            try:
                return call()
            except UnavailableError as error:
                failure = error
        raise failure or self._outage or AssertionError("there is always a first attempt")

    def _answered(self, name: str) -> None:
        with self._lock:
            self._n_unanswered = 0
            self._has_any_succeeded = True
            self._missed.pop(name, None)  # an earlier pass may have missed it

    def _miss(self, name: str, error: BackendError) -> Missed:
        missed = Missed(name, code_of(error), is_unknown=isinstance(error, _MAY_BE_DONE))
        with self._lock:
            if error.is_refusal:
                self._n_refused += 1
            else:
                self._n_unanswered += 1
            is_all_refused = self._n_refused >= MAX_REFUSED and not self._has_any_succeeded
            if self._n_unanswered >= _MAX_UNANSWERED or is_all_refused:
                self._outage = error
                raise error
            self._missed[name] = missed
        return missed


def code_of(error: BaseException | None) -> str:
    """Return the code of a failed request, for people: see `code_behind`."""
    return code_behind(error) or "unknown"


class Passes(Generic[T]):
    """Passes over all files of a tenant: the first over all of them, later ones over new and changed files only.

    A single pass can miss a file that is renamed between the listing and its GET: it is gone from the old path, and the
    listing may already be past the new one.

    Finish each pass before you ask for the next.

    Args:
        listing: lists everything; it is called once per pass.
        listed_of: returns the listed object of an item.

    Attributes:
        is_settled: no file disappeared during the last pass, so every file was seen, even if it was moved. The
            exception is a file that was moved in each pass, in the last one between two pages of the listing.
    """

    def __init__(self, listing: Callable[[], Iterator[T]], listed_of: Callable[[T], ListedObject]) -> None:
        self.is_settled = True
        self._listing = listing
        self._listed_of = listed_of
        self._since = datetime.now(UTC) - _MAX_CLOCK_SKEW
        self._seen: set[tuple[str, str]] = set()

    def __iter__(self) -> Iterator[Iterator[T]]:
        for number in range(_MAX_PASSES):
            self.is_settled = True
            yield self._new(self._listing(), with_older=not number)
            if number and self.is_settled:
                return

    def note_gone(self) -> None:
        """Note that a listed file no longer exists: it was deleted or moved."""
        self.is_settled = False

    def _new(self, items: Iterator[T], *, with_older: bool) -> Iterator[T]:
        for item in items:
            listed = self._listed_of(item)
            if listed.modified < self._since:
                if with_older:
                    yield item
                continue
            # Few objects are stored during a job or shortly before it, so they fit in memory.
            identity = (listed.object_key, listed.etag)
            if identity not in self._seen:
                self._seen.add(identity)
                yield item


class FilePasses(Passes[ListedFile]):
    """Passes over a tenant's files, without the stray objects among them.

    Args:
        store: the tenant's memory.
        reports_pages: report the progress of each page, for callers that do not know the number of files in advance.

    Attributes:
        stray: how many objects of the last pass are not memory files.
    """

    def __init__(self, store: MemoryStore, *, reports_pages: bool = False) -> None:
        super().__init__(self._files, attrgetter("listed"))
        self.stray = 0
        self._store = store
        self._reports_pages = reports_pages

    def _files(self) -> Iterator[ListedFile]:
        self.stray = 0
        for page in self._store.files.pages_below(MemoryPath()):
            self.stray += page.stray
            if self._reports_pages:
                progress.begin("files", len(page.files))
            yield from page.files


@contextmanager
def job(what: str) -> Iterator[None]:
    """Report a failed request inside this context as an unfinished job.

    The request's own error would say that nothing was changed.

    Args:
        what: the job, as the subject of a sentence.

    Raises:
        UnfinishedError: replaces every `BackendError`.
    """
    try:
        yield
    except UnfinishedError:
        raise
    except BackendError as error:
        then = "This needs an operator. Then run it again." if error.is_refusal else "Run it again later."
        code = "" if error.code is None else f" ({error.code})"
        raise UnfinishedError(
            f"{what} was not finished, because {reason_of(error)}{code}. What was done stays. {then}"
        ) from error
