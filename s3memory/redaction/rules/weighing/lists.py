"""Lists of data: of so many candidates, one after the other, nothing is said of any."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from s3memory.redaction.model import without_placeholders

Place = tuple[int, int]

_MANY = 9
_DENSE, _LITTLE = 280, 160


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


def have_little_between(text: str, places: list[Place]) -> bool:
    """Whether there is little between what stands at `places`, on however many lines."""
    around = without_placeholders(text[places[0][0] : places[-1][1]])
    return len(around) - sum(end - start for start, end in places) < _LITTLE
