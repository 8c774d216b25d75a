"""What an edit makes of a text, or why it can't be made: where lines and occurrences are, and errors that say so. Pure.

The texts are those of Claude's memory tool documentation; where it is silent, of the same kind.
"""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections.abc import Sequence

from s3memory.contract.views import count_lines, split_lines
from s3memory.errors import EditError, InvalidInputError
from s3memory.paths import MemoryPath

_HUGE = 10**18
_MOST_TOLD = 1_000


def line_range(view_range: Sequence[int], n_lines: int) -> tuple[int, int]:
    """Return the first and last line to show, of a file of so many lines.

    Args:
        view_range: as it was sent: 1-based and inclusive; -1 as the last means to the end.
        n_lines: how many lines there are.

    Raises:
        InvalidInputError: it is not a range, or not within the file.
    """
    is_sequence = isinstance(view_range, Sequence)  # a direct caller can pass anything
    if not is_sequence or len(view_range) != 2 or any(type(line) is not int for line in view_range):  # noqa: PLR2004
        raise InvalidInputError.of("view_range", "it must be a list of two integers")
    first, last = view_range
    if not 1 <= first <= n_lines:
        should = f"It should begin within the range of lines of the file: [1, {n_lines}]"
        raise InvalidInputError.of("view_range", f"[{_number(first)}, {_number(last)}]. {should}")
    if last == -1:
        return first, n_lines
    if last < first:
        should = "It should end at or after its begin, or be -1 for the end"
        raise InvalidInputError.of("view_range", f"[{first}, {_number(last)}]. {should}")
    return first, min(last, n_lines)


def inserted(text: str, insert_line: int, insert_text: str) -> str:
    """Return a text with another one inserted after a line; 0 is the beginning.

    Raises:
        InvalidInputError: there is no such line.
    """
    n_lines = count_lines(text)
    if not 0 <= insert_line <= n_lines:
        should = f"It should be within the range of lines of the file: [0, {n_lines}]"
        raise InvalidInputError.of("insert_line", f"{_number(insert_line)}. {should}")
    lines = split_lines(text)[:n_lines]
    lines.insert(insert_line, insert_text.removesuffix("\n"))
    return "\n".join(lines) + "\n"


def occurrences(text: str, old_str: str, path: MemoryPath, *, sent: str, called: str = "old_str") -> int:
    """Return how often `old_str` is in a file's text, which is at least once, without overlap.

    The error tells of what was `sent`, which can be redacted where it is stored, as a parameter that is so `called`.

    Raises:
        EditError: it is not there. Nothing is nowhere.
    """
    if not old_str or old_str not in text:
        raise EditError(f"No replacement was performed, {called} `{sent}` did not appear verbatim in {path}.")
    return text.count(old_str)


def only_occurrence(text: str, old_str: str, path: MemoryPath, *, sent: str, called: str = "old_str") -> int:
    """Return where `old_str` is in `text`, if it is there once without overlap. Takes and raises as `occurrences`."""
    n_occurrences = occurrences(text, old_str, path, sent=sent, called=called)
    position = text.find(old_str)
    if n_occurrences == 1:
        return position
    lines = []
    line, counted = 1, 0
    while position >= 0:
        line += text.count("\n", counted, position)
        counted = position
        lines.append(line)
        position = text.find(old_str, position + len(old_str))
    told = [str(line) for line in lines[:_MOST_TOLD]]
    if len(lines) > _MOST_TOLD:
        told.append(f"and {len(lines) - _MOST_TOLD} more")
    raise EditError(
        f"No replacement was performed. Multiple occurrences of {called} `{sent}` in lines: "
        f"{', '.join(told)}. Please ensure it is unique"
    )


def refuse_part_of_placeholder(
    text: str, old_str: str, placeholders: Sequence[tuple[int, int]], path: MemoryPath, *, called: str = "old_str"
) -> None:
    """Refuse to replace what holds part of a placeholder, and not all of it, wherever it is in `text`.

    Raises:
        EditError: an occurrence does.
    """
    starts = [found.start() for found in re.finditer(re.escape(old_str), text)]
    for mark_start, mark_end in placeholders:
        for start in starts[bisect(starts, mark_start - len(old_str)) : bisect_left(starts, mark_end)]:
            if not (start <= mark_start and mark_end <= start + len(old_str)):
                raise EditError(
                    f"No replacement was performed: in {path}, {called} is part of {text[mark_start:mark_end]}, which "
                    "stands for text that was redacted. Replace it as a whole, or leave it."
                )


def _number(number: int) -> str:
    # Python refuses to write out integers of more than 4,300 digits.
    return str(number) if abs(number) < _HUGE else "a number of more than 18 digits"
