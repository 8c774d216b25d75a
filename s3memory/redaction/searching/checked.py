"""What of a text was checked before: a write that changes one line of a long file has that line checked, not the file.

A text is read as blocks, which end at blank lines or lines of plain words. A block in which nothing was found is known
again by a digest of it and of what is around it, as far as any rule looks: where both are the same, so is what is
found. What rules read line by line, such as a table below its head, has no such line in it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from s3memory.redaction.model import Span
from s3memory.redaction.text.compiling import compiled

_LEAST_CHARACTERS = 8_192  # a shorter text is one block
_AROUND = 4_500
# A blank line, or a bracket alone as in JSON: no table, list or statement goes on behind it.
_BLANK_LINE = r"[ \t]{0,80}+(?:[{}\[\]][ \t]{0,9}+)?\r?"
# Four words or more, and no bar, sign or gap that would make it a row or an item with a label.
_WORD = r"\w[\w./'()-]*+,?"
_PLAIN_LINE = rf"(?:[-*+][ ])?(?=[^\W\d_])(?:{_WORD}[ ]){{3}}(?:\(?{_WORD}[ ])*+\(?{_WORD}(?<![',])[ ]?\r?"
_ROW_TAG = r"<(?:/?[tT](?:[rRhHdD]|[aA][bB][lL][eE]))[ \t\r\n>]"
_BREAK = f"{_BLANK_LINE}|{_PLAIN_LINE}"
# One in sixteen of them, by what is around it: so blocks are the same again behind an edit, also of texts that say the
# same over and over.
_BEFORE, _BEHIND, _ONE_IN = 300, 24, 16
_LEAST_OF_A_BLOCK = 250  # or a text of blank lines would be blocks of one each, and take its length squared
_MOST_KNOWN = 8_192
_DIGEST_BYTES = 16


class Checked:
    """The blocks in which one set of rules found nothing, as digests: no text is kept."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()
        # What was known until there was too much: threads could not drop the oldest one by one.
        self._known_before: set[bytes] = set()

    def unknown(self, blocks: Iterable[Block]) -> list[tuple[int, int]]:
        """Return the stretches of a text to look at: what is found anywhere in it is found in one of them."""
        found: list[tuple[int, int]] = []
        for _, _, begin, stop, digest in blocks:
            if digest in self._known_before and digest not in self._known:
                self._add(digest)
            if digest not in self._known:
                found.append((found.pop()[0] if found and begin <= found[-1][1] else begin, stop))
        return found

    def note(self, blocks: Iterable[Block], spans: Iterable[Span]) -> None:
        """Remember the blocks of a text in which nothing is of all that was found in it, which is `spans`."""
        found = sorted(spans, key=attrgetter("end"))
        for start, end, _, _, digest in blocks:
            behind = bisect_left(found, start, key=attrgetter("end"))
            if all(span.start > end for span in found[behind:]):
                self._add(digest)

    def _add(self, digest: bytes) -> None:
        if len(self._known) >= _MOST_KNOWN:
            self._known_before, self._known = self._known, set()
        self._known.add(digest)


class Block(NamedTuple):
    """Where a block stands in a text, with the blocks around it from `begin` to `stop`, and the digest of all these."""

    start: int
    end: int
    begin: int
    stop: int
    digest: bytes


def blocks_of(text: str) -> Iterator[Block]:
    """Yield the blocks of `text`, which are all of it."""
    from hashlib import blake2b  # loads OpenSSL, which a process that only reads does not need

    edges = [0, *(_ends_of_blocks(text) if len(text) >= _LEAST_CHARACTERS else ()), len(text)]
    digests = [
        blake2b(text[start:end].encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()
        for start, end in pairwise(edges)
    ]
    for number, (start, end) in enumerate(pairwise(edges)):
        first = max(0, bisect_right(edges, start - _AROUND) - 1)
        last = min(len(digests), bisect_left(edges, end + _AROUND))
        around = b"%d " % (number - first) + b"".join(digests[first:last])
        yield Block(start, end, edges[first], edges[last], blake2b(around, digest_size=_DIGEST_BYTES).digest())


def _ends_of_blocks(text: str) -> Iterator[int]:
    first_tag, last_tag = _rows_in_tags(text)
    last, start, end = 0, 0, text.find("\n")
    while end >= 0:
        is_one = hash(text[max(0, end - _BEFORE) : end + _BEHIND]) % _ONE_IN == 0 and end - last >= _LEAST_OF_A_BLOCK
        is_one = is_one and not first_tag <= end < last_tag
        if is_one and compiled(_BREAK).fullmatch(text, start, end) and not _may_be_a_row(text, start, end):
            yield (last := end)
        start, end = end + 1, text.find("\n", end + 1)


def _rows_in_tags(text: str) -> tuple[int, int]:
    """Return from where to where there are rows of HTML: what heads them may be above any blank line among them."""
    tags = [tag.start() for tag in compiled(_ROW_TAG).finditer(text)] if "<" in text else []
    return (tags[0], tags[-1]) if tags else (0, 0)


def _may_be_a_row(text: str, start: int, end: int) -> bool:
    """Whether a line has commas, and the line above as many: rows of a table have."""
    count = text.count(",", start, end)
    return count > 0 and count == text.count(",", text.rfind("\n", 0, max(0, start - 1)) + 1, start)
