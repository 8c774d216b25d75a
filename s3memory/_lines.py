"""Lines that somebody writes, of which none is held in memory whole that is longer than it may be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

# What is kept of a line that is too long, at either end, and how much of it is read at a time.
_SEEN_BYTES, _SKIPPED_BYTES = 1_024, 65_536


class LongLine(NamedTuple):
    """A line that is too long: how it begins, and how it ends."""

    beginning: bytes
    end: bytes


def next_line(stream: BinaryIO, *, max_bytes: int) -> bytes | LongLine:
    """Return the next line with its end, which does not count, or nothing at the end of the stream."""
    line = beginning = end = stream.readline(max_bytes + 1)
    if len(line) <= max_bytes or line.endswith(b"\n"):
        return line
    while line and not line.endswith(b"\n"):
        line = stream.readline(_SKIPPED_BYTES)
        end = (end[-_SEEN_BYTES:] + line)[-_SEEN_BYTES:]
    return LongLine(beginning[:_SEEN_BYTES], end)


def lines_of(stream: BinaryIO, *, max_bytes: int) -> Iterator[bytes | LongLine]:
    """Yield all lines of a stream, as `next_line`."""
    while line := next_line(stream, max_bytes=max_bytes):
        yield line
