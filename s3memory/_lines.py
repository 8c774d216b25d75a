"""Reads lines of untrusted input without holding a line that exceeds the limit in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

# How much of an overlong line to keep at either end, and how much to read at a time.
_SEEN_BYTES, _SKIPPED_BYTES = 1_024, 65_536


class LongLine(NamedTuple):
    """The beginning and the end of a line that is too long."""

    beginning: bytes
    end: bytes


def next_line(stream: BinaryIO, *, max_bytes: int) -> bytes | LongLine:
    """Return the next line with its newline, which does not count, or nothing at the end of the stream."""
    line = beginning = end = stream.readline(max_bytes + 1)
    if len(line) <= max_bytes or line.endswith(b"\n"):
        return line
    while line and not line.endswith(b"\n"):
        line = stream.readline(_SKIPPED_BYTES)
        end = (end[-_SEEN_BYTES:] + line)[-_SEEN_BYTES:]
    return LongLine(beginning[:_SEEN_BYTES], end)


def lines_of(stream: BinaryIO, *, max_bytes: int) -> Iterator[bytes | LongLine]:
    """Yield all lines of a stream, as `next_line` returns them."""
    while line := next_line(stream, max_bytes=max_bytes):
        yield line
