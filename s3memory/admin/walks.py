"""Long work over many objects: what S3 does not give, what agents move meanwhile, and what ends it in the middle.

An object that S3 does not give or take is named, and the others are worked on all the same. What gets no answer is
tried again, with pauses. An outage ends the walk soon, so that not every object is waited for.
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
    AccessDeniedError,
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
"""So many objects in a row without an answer are an outage."""

# What clocks may differ by: AWS refuses requests beyond.
_CLOCKS_DIFFER = timedelta(minutes=15)
_MAX_PASSES = 4

_MAY_BE_DONE = (OutcomeUnknownError, UnfinishedError)

R = TypeVar("R")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Missed:
    """One object that was left out.

    Attributes:
        name: its memory path; its object key where it has none.
        code: why: AWS's error code, or a name for what went wrong on the way.
        is_unknown: a write of it had no answer, or was not followed through: it may or may not have been changed.
    """

    name: str
    code: str
    is_unknown: bool = False

    @property
    def why(self) -> str:
        """The same as a clause, for people."""
        what = "it is not known whether it was changed" if self.is_unknown else "S3 or KMS refused, or did not answer"
        return f"{what} ({self.code})"


class Patience:
    """Works on the objects of one walk, each by its name, from any thread.

    Args:
        store: whose pauses and deadline it keeps to.
    """

    def __init__(self, store: MemoryStore) -> None:
        self._tries = store.retry.tries
        self._lock = Lock()
        self._missed: dict[str, Missed] = {}
        self._n_unanswered = 0
        self._n_refused = 0
        self._is_any_given = False
        self._outage: BackendError | None = None

    @property
    def missed(self) -> list[Missed]:
        """What was left out, by its name."""
        return sorted(self._missed.values())

    def work(self, name: object, call: Callable[[], R]) -> R | Missed:
        """Return the result of a call for one object, or that the object was left out.

        Args:
            name: the object, for people.
            call: makes its requests. It must be safe to do twice: it is called again while S3 or KMS is not available.

        Raises:
            BackendError: too many objects have failed by now. Whatever else the call raises.
        """
        if self._outage is not None:
            raise self._outage
        try:
            given = self._patiently(call)
        except BackendError as error:
            return self._miss(str(name), error)
        except S3MemoryError:  # it is gone, say, or does not open: S3 has answered
            self._answered(str(name))
            raise
        self._answered(str(name))
        return given

    def _patiently(self, call: Callable[[], R]) -> R:
        failure: UnavailableError | None = None
        for _ in self._tries():
            if self._outage is not None:
                break
            try:
                return call()
            except UnavailableError as error:
                failure = error
        raise failure or self._outage or AssertionError("there is always a first try")

    def _answered(self, name: str) -> None:
        with self._lock:
            self._n_unanswered = 0
            self._is_any_given = True
            self._missed.pop(name, None)  # in a later pass

    def _miss(self, name: str, error: BackendError) -> Missed:
        missed = Missed(name, code_of(error), is_unknown=isinstance(error, _MAY_BE_DONE))
        with self._lock:
            if isinstance(error, UnavailableError | OutcomeUnknownError):
                self._n_unanswered += 1
            else:
                self._n_refused += 1
            if self._n_unanswered >= _MAX_UNANSWERED or (self._n_refused >= MAX_REFUSED and not self._is_any_given):
                self._outage = error
                raise error
            self._missed[name] = missed
        return missed


def code_of(error: BaseException | None) -> str:
    """Return what is known of why a request failed, for people: see `code_behind`."""
    return code_behind(error) or "unknown"


class Passes(Generic[T]):
    """Passes over all files of a tenant: first over all of them, then only over new ones and those with another text.

    One pass can miss a file that is renamed between a listing and its GET: it is gone from the old place, and the new
    place may lie before what was listed by then.

    Finish each pass before you ask for the next.

    Args:
        listing: lists everything, again at each call.
        listed_of: what S3 told of one item.

    Attributes:
        is_settled: nothing was gone in the last pass, so each file was looked at, wherever it was moved.
    """

    def __init__(self, listing: Callable[[], Iterator[T]], listed_of: Callable[[T], ListedObject]) -> None:
        self.is_settled = True
        self._listing = listing
        self._listed_of = listed_of
        self._since = datetime.now(UTC) - _CLOCKS_DIFFER
        self._seen: set[tuple[str, str]] = set()

    def __iter__(self) -> Iterator[Iterator[T]]:
        for number in range(_MAX_PASSES):
            self.is_settled = True
            yield self._new(self._listing(), with_older=not number)
            if number and self.is_settled:
                return

    def gone(self) -> None:
        """Tell that a file that was listed is not there any more: deleted, or moved."""
        self.is_settled = False

    def _new(self, items: Iterator[T], *, with_older: bool) -> Iterator[T]:
        for item in items:
            listed = self._listed_of(item)
            if listed.modified < self._since:
                if with_older:
                    yield item
                continue
            # What was stored since this began, and shortly before, is little enough to be remembered.
            identity = (listed.object_key, listed.etag)
            if identity not in self._seen:
                self._seen.add(identity)
                yield item


class FilePasses(Passes[ListedFile]):
    """Passes over a tenant's files alone.

    Args:
        store: whose files.
        tells_pages: report each page as it begins, if the number of files is not known before.

    Attributes:
        stray: how many objects are not memory files, as the last pass has counted them.
    """

    def __init__(self, store: MemoryStore, *, tells_pages: bool = False) -> None:
        super().__init__(self._files, attrgetter("listed"))
        self.stray = 0
        self._store = store
        self._tells_pages = tells_pages

    def _files(self) -> Iterator[ListedFile]:
        self.stray = 0
        for page in self._store.files.pages_below(MemoryPath()):
            self.stray += page.stray
            if self._tells_pages:
                progress.begins("files", len(page.files))
            yield from page.files


@contextmanager
def job(what: str) -> Iterator[None]:
    """Report a failed request in here as an unfinished job. The request's own error would say that nothing was changed.

    Args:
        what: what was begun, as the subject of a sentence.

    Raises:
        UnfinishedError: in place of every `BackendError`.
    """
    try:
        yield
    except UnfinishedError:
        raise
    except BackendError as error:
        is_unanswered = isinstance(error, UnavailableError | OutcomeUnknownError)
        then = "Run it again later." if is_unanswered else "This needs an operator. Then run it again."
        is_another_refusal = not is_unanswered and not isinstance(error, AccessDeniedError)
        reason = "the memory store refused something" if is_another_refusal else reason_of(error)
        code = "" if error.code is None else f" ({error.code})"
        raise UnfinishedError(
            f"{what} was not finished, because {reason}{code}. What was done stays. {then}"
        ) from error
