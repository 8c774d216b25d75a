"""A view of a text: parts of the text with some stretches decoded, and where each character came from.

A view consists of windows: what was decoded, with the text around it, so that a rule sees the context while the rest of
the text isn't searched again. A span found in a view is mapped back to its span in the text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from operator import itemgetter

# How far a window reaches before and after what was decoded. A label is before its value, at most this far. A window
# starts and ends at the edge of a word, unless the word is longer than _MAX_WORD.
_BEFORE = 160
_BEHIND = 120
_MAX_WORD = 8192
# Separates two windows: no rule finds anything across it.
_GAP = "\n\ufffd\n"

Replacement = tuple[int, int, str]
"""The start and end of an encoded stretch, and what it decodes to: an empty string if it is to be removed."""


class View:
    """A text with some stretches replaced by what they decode to.

    Args:
        parent: The text.
        replacements: What to replace: at least one stretch, in order, without overlaps.
        is_whole: The view has all of the parent, and not only windows.

    Attributes:
        text: What the rules search.
    """

    def __init__(self, parent: str, replacements: Iterable[Replacement], *, is_whole: bool = False) -> None:
        # Where each piece starts in the view; and for each, its length in the view and its span in the parent.
        self._starts: list[int] = []
        self._pieces: list[tuple[int, int, int]] = []
        # Where something was decoded or removed, in the view: the starts, and the ends.
        self._changes: tuple[list[int], list[int]] = ([], [])
        # Where each window ends in the view, and whether the parent goes on after it.
        self._windows: list[tuple[int, bool]] = []
        self.text = self._joined(parent, replacements, is_whole=is_whole)

    def _joined(self, parent: str, replacements: Iterable[Replacement], *, is_whole: bool) -> str:
        parts: list[str] = []
        starts, pieces = self._starts, self._pieces
        changed_from, changed_to = self._changes
        length = position = 0
        until = len(parent) if is_whole else -1

        def add(text: str, end: int) -> None:
            nonlocal length, position
            if text:
                starts.append(length)
                pieces.append((len(text), position, end))
                parts.append(text)
                length += len(text)
            position = end

        def close() -> None:
            nonlocal length
            add(parent[position : (end := _end_of_word(parent, until))], end)
            self._windows.append((length, end < len(parent)))

        for start, end, decoded in replacements:
            # The previous window may end in a long word that reaches up to here: then this stretch continues it.
            if start - _BEFORE > until and (until < 0 or start > _end_of_word(parent, until)):
                if until >= 0:
                    close()
                    parts.append(_GAP)
                    length += len(_GAP)
                position = max(position, _start_of_word(parent, start - _BEFORE))
            add(parent[position:start], start)
            changed_from.append(length)
            add(decoded, end)
            changed_to.append(length)
            until = max(until, min(len(parent), end + _BEHIND))
        close()
        return "".join(parts)

    def origin(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the span in the parent of what is ``text[start:end]`` in the view.

        If it has part of what was decoded, the span has all of the encoded stretch. `None` if it reaches the end of its
        window and may go on after it: only a view of the whole text can tell.
        """
        window_end, goes_on = self._windows[bisect_right(self._windows, start, key=itemgetter(0))]
        if end > window_end or (end == window_end and goes_on):
            return None
        first, last = bisect_right(self._starts, start) - 1, bisect_left(self._starts, end) - 1
        length, begins, stops = self._pieces[first]
        if length == stops - begins:  # copied, or replaced character by character
            begins += start - self._starts[first]
        length, origin, ends = self._pieces[last]
        if length == ends - origin:
            ends = origin + end - self._starts[last]
        return begins, ends

    def is_changed(self, start: int, end: int) -> bool:
        """Whether anything in ``text[start:end]``, or right next to it, was decoded or removed."""
        changed_from, changed_to = self._changes
        first = bisect_left(changed_to, start)
        return first < len(changed_from) and changed_from[first] <= end


def _start_of_word(text: str, position: int) -> int:
    if position <= 0:
        return 0
    earliest = max(0, position - _MAX_WORD)
    return max(text.rfind(" ", earliest, position), text.rfind("\n", earliest, position), earliest - 1) + 1


def _end_of_word(text: str, position: int) -> int:
    latest = min(len(text), position + _MAX_WORD)
    ends = [end for end in (text.find(" ", position, latest), text.find("\n", position, latest)) if end >= 0]
    return min(ends, default=latest)
