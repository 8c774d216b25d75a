"""Searches texts with the rules of a redactor, one long text at a time, and not twice what has not changed."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import NamedTuple

from s3memory._forks import OfOneProcess
from s3memory.redaction.interface import Span
from s3memory.redaction.refusals import UncheckedTextError
from s3memory.redaction.searching.checked_blocks import Checked, blocks_of
from s3memory.redaction.searching.text_search import Rules, TextSearch

# A shorter text is searched within the time that the interpreter gives a thread before it switches to another.
_LONG_CHARS = 8_192


class _Turns(OfOneProcess):
    """A lock for long texts: they are searched one after another, so that other threads don't have to wait.

    Python runs one thread at a time, so several searches at once would not be faster. But a thread with little to do,
    such as an event loop, has to wait for each of them before its next turn: 50 texts of 90 kB at once kept one waiting
    for seconds.
    """

    def reset_after_fork(self) -> None:
        self.lock = threading.RLock()  # a custom rule may itself redact


_turns = _Turns()


class RuleDetector(NamedTuple):
    """A detector that runs the built-in rules and your own over a text and its views.

    Attributes:
        rules: The rules.
        checked: The parts of earlier texts in which nothing was found: they are not searched again.
    """

    rules: Rules
    checked: Checked

    def find(self, text: str, /) -> Iterator[Span]:
        """Return the spans that the rules find in `text`."""
        with _turns.lock if len(text) > _LONG_CHARS else nullcontext():
            return iter(self._found(text))

    def _found(self, text: str) -> list[Span]:
        blocks = [*blocks_of(text)]
        unknown = self.checked.unknown(blocks)
        is_whole = unknown == [(0, len(text))]
        # The unknown parts alone can only show that nothing is in them. If anything is, the whole text is searched.
        is_needed = is_whole or self._holds_any(text, unknown)
        found = [*TextSearch(self.rules, text).everywhere()] if is_needed else []
        self.checked.note(blocks, found)
        return found

    def _holds_any(self, text: str, parts: Iterable[tuple[int, int]]) -> bool:
        searches = (TextSearch(self.rules, text[start:end]) for start, end in parts)
        try:
            return any(True for search in searches for _ in search.everywhere())
        except UncheckedTextError:  # a part may have more that is encoded than its length allows
            return True
