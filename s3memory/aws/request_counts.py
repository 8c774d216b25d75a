"""How many requests a piece of work made, which versions it wrote, and what it redacted.

Requests and versions are counted where botocore sends them.

Other work of the process, through the same clients, is not counted: the thread's context decides, and
`s3memory._parallel` hands it on.
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
    """What was counted. Several threads add to it.

    Attributes:
        requests: how often each request was sent, tries again included, by AWS's name for it.
        version_ids: the first of the versions and delete markers that were written, as far as the server told them.
        redactions: how many pieces of text were redacted in what was stored, by kind.
        lock: held by a thread that adds to it.
    """

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.version_ids: list[str] = []
        self.redactions: Counter[str] = Counter()
        self.lock = threading.Lock()


@contextmanager
def counted() -> Iterator[RequestCounts]:
    """Count what is sent in this context until the end."""
    counts = RequestCounts()
    token = _current.set(counts)
    try:
        yield counts
    finally:
        _current.reset(token)


def count_sent(operation: str) -> None:
    """Count a request that is about to be sent, where somebody counts."""
    counts = _current.get()
    if counts is not None:
        with counts.lock:
            counts.requests[operation] += 1


def count_written(version_id: str) -> None:
    """Note a version that was written, where somebody counts."""
    counts = _current.get()
    if counts is not None:
        with counts.lock:
            if len(counts.version_ids) < MAX_VERSION_IDS:
                counts.version_ids.append(version_id)


def count_redacted(kinds: Iterable[str]) -> None:
    """Count what was redacted in a text that is stored now, by kind, where somebody counts."""
    counts = _current.get()
    if counts is not None:
        with counts.lock:
            counts.redactions.update(kinds)


def count_created(*, operation_name: str, **_: object) -> None:
    """Count a request of botocore's (``request-created``)."""
    count_sent(operation_name)


def count_answered(*, parsed: Any, model: Any, **_: object) -> None:
    """Note the version that a request of botocore's to S3 wrote (``after-call``)."""
    if model.name in _WRITING and "VersionId" in parsed:
        count_written(parsed["VersionId"])
