"""Counts the requests that an operation sent, the versions that it wrote, and its redactions.

botocore's hooks count requests and versions. Other work of the process with the same clients is not counted: only what
runs in the operation's context is, and `s3memory._parallel` passes the context on to its threads.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

MAX_VERSION_IDS = 100
"""How many version ids are kept: a directory's rename can write very many."""

_WRITING = frozenset({"DeleteObject", "PutObject"})

_current: ContextVar[RequestCounts | None] = ContextVar("s3memory-request-counts", default=None)


class RequestCounts:
    """The counts of an operation. Several threads may add to them.

    Attributes:
        requests: how often each request was sent, retries included, by AWS's name for it.
        version_ids: the first versions and delete markers that were written, as far as the server reported them.
        redactions: how many pieces of stored texts were redacted, by kind.
        lock: held by the thread that adds to the counts.
    """

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.version_ids: list[str] = []
        self.redactions: Counter[str] = Counter()
        self.lock = threading.Lock()


@contextmanager
def counted() -> Iterator[RequestCounts]:
    """Count what is sent inside this context manager."""
    counts = RequestCounts()
    token = _current.set(counts)
    try:
        yield counts
    finally:
        _current.reset(token)


def count_sent(operation: str) -> None:
    """Count a request that is about to be sent, if counting is on."""
    counts = _current.get()
    if counts is not None:
        with counts.lock:
            counts.requests[operation] += 1


def count_written(version_id: str) -> None:
    """Record a version that was written, if counting is on."""
    counts = _current.get()
    if counts is not None:
        with counts.lock:
            if len(counts.version_ids) < MAX_VERSION_IDS:
                counts.version_ids.append(version_id)


def count_redacted(kinds: Iterable[str]) -> None:
    """Count the redactions in a text that is being stored, given their kinds, if counting is on."""
    counts = _current.get()
    if counts is not None:
        with counts.lock:
            counts.redactions.update(kinds)


def count_created(*, operation_name: str, **_: object) -> None:
    """Count a request by botocore (``request-created``)."""
    count_sent(operation_name)


def count_answered(*, parsed: Any, model: Any, **_: object) -> None:
    """Record the version that botocore's request to S3 wrote (``after-call``)."""
    if model.name in _WRITING and "VersionId" in parsed:
        count_written(parsed["VersionId"])
