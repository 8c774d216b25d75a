"""A page of a listing that answers another question than was asked is not an answer."""

from __future__ import annotations

from collections.abc import Iterable

from s3memory.aws.errors import unreadable

Markers = tuple[str | None, ...]
"""Where a page begins: the markers of its kind of listing, in order."""


def ensure_listed(names: Iterable[str], prefix: str, *, is_truncated: bool, after: Markers, then: Markers) -> None:
    """Refuse a page with names of others, which may be another tenant's, or one that leads nowhere or back to itself.

    Args:
        names: the object keys, and what they are grouped by.
        prefix: what all of them should begin with.
        is_truncated: whether there is more.
        after: where the page begins; `None` in it for the first.
        then: where the next one does; what the server does not tell is `None`, or empty.

    Raises:
        RequestError: it is not a page of that listing.
    """
    leads_on = (all(then) and then != after) if is_truncated else True
    if not leads_on or not all(name.startswith(prefix) for name in names):
        raise unreadable()
