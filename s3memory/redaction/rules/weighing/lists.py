"""Lists of data: of so many candidates, one after the other, nothing is said of any."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from s3memory.redaction.model import without_placeholders

Place = tuple[int, int]

_MANY = 9
_DENSE, _LITTLE = 280, 160
_LINES_OF_A_BLOCK = 3


def without_data(candidates: list[Place], are_data: Callable[[list[Place]], bool]) -> Iterator[Place]:
    """Yield `candidates` but those that are data together with so many around them, as `are_data` says.

    At the ends of a list these are on one side: what is next there would be an end once one is redacted.
    """
    for number, place in enumerate(candidates):
        first = max(0, min(number - _MANY // 2, len(candidates) - _MANY))
        those = candidates[first : first + _MANY]
        if len(those) < _MANY or not are_data(those):
            yield place


def are_dense(text: str, places: list[Place]) -> bool:
    """Whether what stands at `places` is on one line, and that is short."""
    around = text[places[0][0] : places[-1][1]]
    return "\n" not in around and len(without_placeholders(around)) < _DENSE


def is_of_a_block(text: str, start: int, end: int) -> bool:
    """Whether what stands there is one of the lines of an encoded file: three or more that are full, and as long."""
    line, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    if (line, stop if stop >= 0 else len(text)) != (start, end):
        return False
    reach = 2 * (end - start + 1) + 1  # two such lines, and a character more: a longer line shows that it is one
    around = text[max(0, start - reach) : end + reach].split("\n")
    lengths = [len(part) if " " not in part else 0 for part in around]
    full = [end - start] * _LINES_OF_A_BLOCK
    return any(lengths[first : first + len(full)] == full for first in range(len(lengths)))


def have_little_between(text: str, places: list[Place]) -> bool:
    """Whether there is little between what stands at `places`, on however many lines."""
    around = without_placeholders(text[places[0][0] : places[-1][1]])
    return len(around) - sum(end - start for start, end in places) < _LITTLE
