"""Edits of a text: finds lines and occurrences, and raises the contract's errors if an edit can't be made. Pure.

The texts are those of the documentation of Claude's memory tool; where it is silent, similar ones.
"""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections.abc import Sequence

from s3memory.contract.views import count_lines, split_lines
from s3memory.errors import EditError, InvalidInputError
from s3memory.paths import MemoryPath

_HUGE = 10**18
_MAX_LISTED_LINES = 1_000


def line_range(view_range: Sequence[int], n_lines: int) -> tuple[int, int]:
    """Return the first and last line to show.

    Args:
        view_range: the range as it was sent: 1-based and inclusive; -1 as the last line means the end.
        n_lines: the number of lines in the file.

    Raises:
        InvalidInputError: it is not a range, or is outside the file.
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
    """Return `text` with `insert_text` inserted after a line; line 0 is the beginning.

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


def occurrences(text: str, old_str: str, path: MemoryPath, *, sent: str, called: str) -> int:
    """Return how often `old_str` occurs in a file's text without overlap: at least once.

    The error quotes the text that was `sent`, of which `old_str` may be the redacted form, and the parameter's name,
    `called`.

    Raises:
        EditError: it does not occur. An empty text never occurs.
    """
    if not old_str or old_str not in text:
        raise EditError(f"No replacement was performed, {called} `{sent}` did not appear verbatim in {path}.")
    return text.count(old_str)


def only_occurrence(text: str, old_str: str, path: MemoryPath, *, sent: str, called: str = "old_str") -> int:
    """Return where the only occurrence of `old_str` is. Several raise an `EditError`. Otherwise as `occurrences`."""
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
    listed = [str(line) for line in lines[:_MAX_LISTED_LINES]]
    if len(lines) > _MAX_LISTED_LINES:
        listed.append(f"and {len(lines) - _MAX_LISTED_LINES} more")
    raise EditError(
        f"No replacement was performed. Multiple occurrences of {called} `{sent}` in lines: "
        f"{', '.join(listed)}. Please ensure it is unique"
    )


def refuse_part_of_placeholder(
    text: str, old_str: str, placeholders: Sequence[tuple[int, int]], path: MemoryPath, *, called: str = "old_str"
) -> None:
    """Refuse to replace only part of a placeholder.

    Raises:
        EditError: an occurrence of `old_str` contains part of a placeholder, but not all of it.
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
    # Python refuses to convert integers of more than 4,300 digits to text.
    return str(number) if abs(number) < _HUGE else "a number of more than 18 digits"
