"""What redacting came to: whether a secret is gone, how often innocent text was flagged, and how long it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Protocol

from s3memory.redaction.interface import PLACEHOLDER_PATTERN, Redactor

_GONE = 0.8
_PIECE = 40_000
_MILLION = 1_000_000

Ranges = list[tuple[int, int]]


def removed_by_us(redactor: Redactor, text: str) -> Ranges:
    """Return what is gone from `text` after redaction, told from the text that is left alone."""
    ranges: Ranges = []
    position = 0
    # Every piece that was kept stands in the original in the same order.
    pieces = PLACEHOLDER_PATTERN.split(redactor.redact(text).text)
    for number, piece in enumerate(pieces):
        is_last = number == len(pieces) - 1
        start = len(text) - len(piece) if is_last else text.index(piece, position) if number else 0
        if start > position and not PLACEHOLDER_PATTERN.fullmatch(text, position, start):  # it was there before
            ranges.append((position, start))
        position = start + len(piece)
    return ranges


def occurrences(text: str, secrets: Iterable[str]) -> Ranges:
    """Return every place of `secrets`, as another library returns them, in `text`."""
    ranges: Ranges = []
    for secret in filter(None, set(secrets)):
        start = text.find(secret)
        while start >= 0:
            ranges.append((start, start + len(secret)))
            start = text.find(secret, start + len(secret))
    return ranges


class Stretch(Protocol):
    """Where a secret stands."""

    @property
    def start(self) -> int:
        """Its first character."""
        ...

    @property
    def end(self) -> int:
        """The first character behind it."""
        ...


def is_gone(secret: Stretch, removed: Ranges) -> bool:
    """Whether at least 80% of the secret's characters are gone."""
    gone = {place for start, end in removed for place in range(max(start, secret.start), min(end, secret.end))}
    return len(gone) >= _GONE * (secret.end - secret.start)


def pieces(text: str) -> list[str]:
    """Return a long text in pieces as large as memory files are, cut at line ends."""
    parts = [""]
    for line in text.splitlines(keepends=True):
        if len(parts[-1]) + len(line) > _PIECE:
            parts.append("")
        parts[-1] += line
    return parts


def flags_a_megabyte(text: str, count: int) -> float:
    """Return how many findings there are a million characters."""
    return count * _MILLION / len(text)


def megabytes_a_second(work: Callable[[str], object], texts: list[str]) -> float:
    """Return the best of three runs over `texts`, in millions of characters a second, once everything is warm."""
    work(texts[0])
    return sum(map(len, texts)) / _MILLION / min(seconds(lambda: [work(text) for text in texts]) for _ in range(3))


def seconds(work: Callable[[], object]) -> float:
    """Return how long `work` takes one core: a machine that is busy with other things counts nothing."""
    start = time.process_time()
    work()
    return time.process_time() - start
