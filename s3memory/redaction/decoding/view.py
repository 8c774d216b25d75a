"""A view of a text: parts of it as a reader would decode them, and where each character of that came from.

A view is made of windows, stretches of the text around what was decoded, so that a rule sees the words beside it and
the rest of the text is not gone through again. What is found in a view is moved back to where it stands in the text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from operator import itemgetter

# A name stands before its value, at most this far. A window begins and ends with a word, but goes no further for one.
_BEFORE = 160
_BEHIND = 120
_LONGEST_WORD = 8192
# Between two windows: no rule finds anything across it.
_GAP = "\n\ufffd\n"

Replacement = tuple[int, int, str]
"""Where a text is encoded, and what it decodes to: nothing, if it is to be taken out."""


class View:
    """A text with some stretches replaced by what they decode to: at least one, in order, none over another.

    Its `text` is what rules look at. If it `is_whole`, all of the parent is in it, and not windows only.
    """

    def __init__(self, parent: str, replacements: Iterable[Replacement], *, is_whole: bool = False) -> None:
        # Where each piece starts in the view, and with that how long it is and where it stands in the parent.
        self._starts: list[int] = []
        self._pieces: list[tuple[int, int, int]] = []
        # Where in the view something was decoded or taken out: the starts, and the ends.
        self._changes: tuple[list[int], list[int]] = ([], [])
        # Where each window ends in the view, and whether the parent goes on behind it.
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
            # In a long word, the window before can go on to this place: the text between is in the view once.
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
        """Return where ``text[start:end]`` stands in the parent: whole, where part of it was decoded.

        `None` if it reaches the end of its window and may go on behind it: a view of the whole text would tell.
        """
        window_end, goes_on = self._windows[bisect_right(self._windows, start, key=itemgetter(0))]
        if end > window_end or (end == window_end and goes_on):
            return None
        first, last = bisect_right(self._starts, start) - 1, bisect_left(self._starts, end) - 1
        length, begins, stops = self._pieces[first]
        if length == stops - begins:  # copied, or folded one by one
            begins += start - self._starts[first]
        length, origin, ends = self._pieces[last]
        if length == ends - origin:
            ends = origin + end - self._starts[last]
        return begins, ends

    def is_changed(self, start: int, end: int) -> bool:
        """Whether something in ``text[start:end]``, or right beside it, was decoded or taken out."""
        changed_from, changed_to = self._changes
        first = bisect_left(changed_to, start)
        return first < len(changed_from) and changed_from[first] <= end


def _start_of_word(text: str, position: int) -> int:
    if position <= 0:
        return 0
    least = max(0, position - _LONGEST_WORD)
    return max(text.rfind(" ", least, position), text.rfind("\n", least, position), least - 1) + 1


def _end_of_word(text: str, position: int) -> int:
    most = min(len(text), position + _LONGEST_WORD)
    ends = [end for end in (text.find(" ", position, most), text.find("\n", position, most)) if end >= 0]
    return min(ends, default=most)
