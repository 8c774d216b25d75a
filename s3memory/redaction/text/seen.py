"""What rules found around the names of a text: the same surroundings are judged once, however often they come.

A text and its views, and a text before and after something was cut out of it, are the same nearly everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

Places = tuple[tuple[int, int], ...]

_BEHIND = 500
_MOST_REMEMBERED = 4_000


class Seen:
    """What one rule found near its matches, in one text and in what becomes of it.

    Args:
        before: How many characters before a match the rule looks at.
    """

    __slots__ = ("_before", "_places")

    def __init__(self, before: int) -> None:
        self._before = before
        # By the hash of what is around: to keep that itself would cost more than to judge it again. Starts and ends by
        # turns, in one tuple: of numbers alone, the garbage collector lets it be.
        self._places: dict[tuple[int, int, int, int | None], tuple[int, ...]] = {}

    def places(
        self, text: str, start: int, end: int, limit: int | None, find: Callable[[], Iterable[tuple[int, int]]]
    ) -> Places:
        """Return what `find` finds near a match from `start` to `end`, if it stops at `limit`, or else anywhere."""
        begin, stop = max(0, start - self._before), end + _BEHIND
        around = hash(text[begin:stop]), start - begin, stop - begin, limit and min(limit - end, _BEHIND)
        known = self._places.get(around)
        if known is not None:
            shifted = [begin + place for place in known]
            return tuple(zip(shifted[::2], shifted[1::2], strict=True)) if shifted else ()
        found = tuple(find())
        # What is further away may be another thing where the same surroundings come again.
        if all(first >= begin and last <= stop for first, last in found):
            if len(self._places) >= _MOST_REMEMBERED:
                self._places.clear()
            self._places[around] = tuple(place - begin for places in found for place in places)
        return found
