"""How far a listing has come. A page that is not the next one of this listing is refused: it is not an answer.

S3 lists object keys, and what they are grouped by, in the order of their UTF-8 bytes, which is also that of Python's
strings. The versions of one key, and the uploads to it, come one after another. So a page that begins where the one
before it ended, or earlier, would give objects twice, or go round for ever.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from s3memory.aws.errors import unreadable

MAX_EMPTY_PAGES = 1_000
"""How many pages without a name may come one after another: many deleted objects in a row make some."""


class Reached(NamedTuple):
    """How far a listing has come.

    Attributes:
        name: the last object key of the pages by now, or what keys are grouped by.
        ids: of versions or uploads: those that were listed of that key.
        empty_pages: how many pages without a name came last.
    """

    name: str = ""
    ids: frozenset[str] = frozenset()
    empty_pages: int = 0

    def after(
        self, page: Collection[tuple[str, str]], prefix: str, *, is_truncated: bool, then: tuple[str | None, ...]
    ) -> Reached:
        """Return how far the listing has come with another page.

        Args:
            page: the names on it, each with the id of its version or upload; of an object, which has none, with "".
            prefix: what all names should begin with: others may be another tenant's.
            is_truncated: whether there is more.
            then: the markers of where the next page begins; what the server does not tell is `None`, or empty.

        Raises:
            RequestError: it is not the next page of that listing.
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
