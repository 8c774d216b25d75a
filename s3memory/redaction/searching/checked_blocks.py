"""Remembers which parts of texts were checked, so that a write that changes one line of a long file checks only a part.

A text is split into blocks, which end at blank lines or lines of prose. A block in which nothing was found is
remembered by a digest of the block and of its context, as far as any rule looks: if both are the same, there is still
nothing to find. What rules read line by line, such as a table below its headers, doesn't have such a line in it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from s3memory.redaction.interface import Span
from s3memory.redaction.text.compiling import compiled

_MIN_CHARACTERS = 8_192  # a shorter text is one block
_CONTEXT = 4_500
# A blank line, or a line with only a bracket, as in JSON: no table, list or statement goes on after it.
_BLANK_LINE = r"[ \t]{0,80}+(?:[{}\[\]][ \t]{0,9}+)?\r?"
# A line of four or more words, without a bar, sign or gap that would make it a row or an item with a label.
_WORD = r"\w[\w./'()-]*+,?"
_PLAIN_LINE = rf"(?:[-*+][ ])?(?=[^\W\d_])(?:{_WORD}[ ]){{3}}(?:\(?{_WORD}[ ])*+\(?{_WORD}(?<![',])[ ]?\r?"
_ROW_TAG = r"<(?:/?[tT](?:[rRhHdD]|[aA][bB][lL][eE]))[ \t\r\n>]"
_BLOCK_END = f"{_BLANK_LINE}|{_PLAIN_LINE}"
# One in sixteen of these lines ends a block. Its context decides which, so that the blocks after an edit are the same
# as before, even in texts that repeat themselves.
_BEFORE, _BEHIND, _ONE_IN = 300, 24, 16
_MIN_BLOCK = 250  # otherwise each of many blank lines would be a block, and the time quadratic
_MAX_KNOWN = 8_192
_DIGEST_BYTES = 16


class Checked:
    """The digests of the blocks in which one set of rules found nothing. No text is kept."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()
        # The previous generation, kept when `_known` is full. Threads could not safely drop the oldest one by one.
        self._known_before: set[bytes] = set()

    def unknown(self, blocks: Iterable[Block]) -> list[tuple[int, int]]:
        """Return the stretches of a text that have to be searched. Whatever is found in it is found in one of them."""
        found: list[tuple[int, int]] = []
        for _, _, begin, stop, digest in blocks:
            if digest in self._known_before and digest not in self._known:
                self._add(digest)
            if digest not in self._known:
                found.append((found.pop()[0] if found and begin <= found[-1][1] else begin, stop))
        return found

    def note(self, blocks: Iterable[Block], spans: Iterable[Span]) -> None:
        """Remember those blocks of a text in which there is none of `spans`, all that was found in the text."""
        found = sorted(spans, key=attrgetter("end"))
        for start, end, _, _, digest in blocks:
            behind = bisect_left(found, start, key=attrgetter("end"))
            if all(span.start > end for span in found[behind:]):
                self._add(digest)

    def _add(self, digest: bytes) -> None:
        if len(self._known) >= _MAX_KNOWN:
            self._known_before, self._known = self._known, set()
        self._known.add(digest)


class Block(NamedTuple):
    """A block of a text.

    Attributes:
        start: Where it starts.
        end: Where it ends.
        begin: Where its context starts, which consists of whole blocks.
        stop: Where its context ends.
        digest: The digest of the block and its context.
    """

    start: int
    end: int
    begin: int
    stop: int
    digest: bytes


def blocks_of(text: str) -> Iterator[Block]:
    """Yield the blocks of `text`, which together are all of it."""
    from hashlib import blake2b  # imported late: it loads OpenSSL, which a process that only reads doesn't need

    edges = [0, *(_block_ends(text) if len(text) >= _MIN_CHARACTERS else ()), len(text)]
    digests = [
        blake2b(text[start:end].encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()
        for start, end in pairwise(edges)
    ]
    for number, (start, end) in enumerate(pairwise(edges)):
        first = max(0, bisect_right(edges, start - _CONTEXT) - 1)
        last = min(len(digests), bisect_left(edges, end + _CONTEXT))
        around = b"%d " % (number - first) + b"".join(digests[first:last])
        yield Block(start, end, edges[first], edges[last], blake2b(around, digest_size=_DIGEST_BYTES).digest())


def _block_ends(text: str) -> Iterator[int]:
    first_tag, last_tag = _span_of_html_rows(text)
    last, start, end = 0, 0, text.find("\n")
    while end >= 0:
        is_one = end - last >= _MIN_BLOCK and hash(text[max(0, end - _BEFORE) : end + _BEHIND]) % _ONE_IN == 0
        is_one = is_one and not first_tag <= end < last_tag
        if is_one and compiled(_BLOCK_END).fullmatch(text, start, end) and not _may_be_a_row(text, start, end):
            yield (last := end)
        start, end = end + 1, text.find("\n", end + 1)


def _span_of_html_rows(text: str) -> tuple[int, int]:
    """Return where the rows of HTML tables start and end: their headers may be above any blank line among them."""
    tags = [tag.start() for tag in compiled(_ROW_TAG).finditer(text)] if "<" in text else []
    return (tags[0], tags[-1]) if tags else (0, 0)


def _may_be_a_row(text: str, start: int, end: int) -> bool:
    """Whether a line may be a row of CSV: it has commas, and the line above has as many."""
    count = text.count(",", start, end)
    return count > 0 and count == text.count(",", text.rfind("\n", 0, max(0, start - 1)) + 1, start)
