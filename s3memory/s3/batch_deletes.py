"""Deletes of many objects in one request: what fits into one, and what the errors mean that come back by key.

``DeleteObjects`` answers 200 also where it did not delete everything. Some of its errors by key pass, and nobody below
this sends those keys again: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from s3memory.aws.errors import CONFLICT_CODES, LATER_CODES, TIMEOUT_CODES, known_code
from s3memory.aws.retry import RetryPolicy

TRANSIENT_CODES = LATER_CODES | TIMEOUT_CODES | CONFLICT_CODES | {"InternalError"}
"""Errors by key that another try may not meet. Any other is S3's last word."""

# What XML 1.0 can't carry; and white space but the blank, which an XML parser may put right.
_UNFIT = re.compile("[\x00-\x1f\ufffe\uffff]")

E = TypeVar("E", bound=Hashable)


class Settled(NamedTuple, Generic[E]):
    """What became of a batch. Whatever is in neither is deleted, or was gone already.

    Attributes:
        refused: S3's error codes, by the entries that it refuses for good.
        unsettled: the last error codes, by the entries that no try has settled.
    """

    refused: dict[E, str]
    unsettled: dict[E, str]


def fits_a_batch(object_key: str) -> bool:
    """Whether a key can be in the body of ``DeleteObjects``. One that can't is taken by ``DeleteObject`` alone."""
    return _UNFIT.search(object_key) is None


def code_of(failed: Mapping[str, Any]) -> str:
    """Return the code of an error by key, safe to log: ``unknown`` where it looks like none of AWS's."""
    return known_code(failed.get("Code", "unknown"))


def settle(
    entries: Sequence[E],
    send: Callable[[Sequence[E]], Mapping[E, str]],
    *,
    retry: RetryPolicy,
    slowed: Callable[[], object] = lambda: None,
) -> Settled[E]:
    """Send entries, and with pauses in between send those again whose error may pass.

    Args:
        entries: what to send.
        send: sends some, and returns the error codes of those that were not deleted. What it raises ends this.
        retry: how often, and how long the pauses are.
        slowed: is called each time that S3 wanted fewer requests.
    """
    refused: dict[E, str] = {}
    unsettled: dict[E, str] = {}
    left = entries
    for _ in retry.tries():
        codes = send(left)
        unsettled = {entry: code for entry, code in codes.items() if code in TRANSIENT_CODES}
        refused.update((entry, code) for entry, code in codes.items() if code not in TRANSIENT_CODES)
        if not LATER_CODES.isdisjoint(unsettled.values()):
            slowed()
        if not unsettled:
            break
        left = list(unsettled)
    return Settled(refused, unsettled)
