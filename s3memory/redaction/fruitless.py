"""Names that say nothing, over and over: what has the same around it as one of them says nothing, either."""

from __future__ import annotations

_BEFORE, _BEHIND = 410, 500


class Fruitless:
    """What stood around the places in a text where nothing was found, as far as anything looks."""

    __slots__ = ("_seen", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._seen: set[tuple[str, int, int, int]] = set()

    def around(self, start: int, end: int, limit: int | None = None) -> tuple[str, int, int, int]:
        """Return what is around the match from `start` to `end`, and where it stands in that.

        Nothing behind `limit` is looked at.
        """
        space = _BEHIND if limit is None else min(limit - end, _BEHIND)
        begin = max(0, start - _BEFORE)
        return self._text[begin : end + _BEHIND], start - begin, end - start, space

    def __contains__(self, around: tuple[str, int, int, int]) -> bool:
        return around in self._seen

    def add(self, around: tuple[str, int, int, int]) -> None:
        """Remember that nothing was found there."""
        self._seen.add(around)
