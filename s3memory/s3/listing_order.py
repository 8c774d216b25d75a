"""How far a listing has come. A page that does not follow the previous one is refused as an unreadable response.

S3 lists object keys and common prefixes in the order of their UTF-8 bytes, which is also the order of Python's strings.
All versions of a key, and all uploads to it, are adjacent. A page that begins where the previous one ended, or earlier,
would yield objects twice, or loop forever.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from s3memory.aws.errors import unreadable

MAX_EMPTY_PAGES = 1_000
"""How many pages in a row may be empty: many deleted objects in a row cause some."""


class Reached(NamedTuple):
    """How far a listing has come.

    Attributes:
        name: the last object key or common prefix so far.
        ids: the ids of the versions or uploads of that key that were listed so far.
        empty_pages: how many empty pages have just come in a row.
    """

    name: str = ""
    ids: frozenset[str] = frozenset()
    empty_pages: int = 0

    def after(
        self, page: Collection[tuple[str, str]], prefix: str, *, is_truncated: bool, then: tuple[str | None, ...]
    ) -> Reached:
        """Return how far the listing has come after another page.

        Args:
            page: the names on it, each with the id of its version or upload; "" for an object, which has none.
            prefix: what all names must begin with: others may be another tenant's.
            is_truncated: whether another page follows.
            then: the markers of the next page; `None` or empty if the server does not send them.

        Raises:
            RequestError: it is not the next page of this listing.
        """
        is_next = len(set(page)) == len(page) and all(
            name.startswith(prefix) and (name > self.name or (name == self.name and one not in self.ids))
            for name, one in page
        )
        empty_pages = 0 if page else self.empty_pages + 1
        leads_on = all(then) and empty_pages <= MAX_EMPTY_PAGES
        if not is_next or (is_truncated and not leads_on):
            raise unreadable()
        last = max((name for name, _ in page), default=self.name)
        ids = frozenset(one for name, one in page if name == last)
        return Reached(last, ids | self.ids if last == self.name else ids, empty_pages)
