"""The passwords of a list of logins: where one line has a label, a user and one that was found, so have its neighbours.

"wiki: jo / [found]" above "crm: kim / v": what stands in the same place of a line written alike is of the same sort. A
plain word is one only beside another that was found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from s3memory.redaction.model import Span
from s3memory.redaction.rules.reading.nouns import HARMLESS, meaning, words_of
from s3memory.redaction.rules.reading.other_forms import is_other
from s3memory.redaction.rules.reading.told_words import says_something
from s3memory.redaction.searching.proximity import Taken
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.lines import Lines

_ITEM = (
    r"(?P<bullet>[ \t>]{0,8}(?:[-*+\u2022][ ]|[0-9]{1,2}[.)][ ])?)(?P<label>[^\s:/|][^\n:/|]{0,38}?)"
    r"(?P<sign>[ ]?(?::|->|\u2192|=|[\u2013\u2014-])[ ])[\"'`]?(?P<user>[\w.@+-]{2,40})[\"'`]?(?P<joint>[ ]?[/|,:][ ]?)"
    r"[\"'`]?(?P<value>[^\s\"'`/|]{4,40})[\"'`]?[ \t\r]*"
)
_MOST_LINES, _LONGEST = 40, 140


def alike_items(text: str, found: Iterable[Span]) -> Iterator[Span]:
    """Yield the passwords in the lines around those of `found` that are written as theirs are."""
    taken = Taken(found)
    passwords = [span for span in taken.spans if span.kind == "password"]
    lines = Lines(text if passwords else "")
    seen: set[int] = set()
    for span in passwords:
        number = lines.number_of(span.start)
        item = _item(lines, number) if number not in seen else None
        if item is not None and item.span("value") == (span.start, span.end):
            above = range(number - 1, max(-1, number - 1 - _MOST_LINES), -1)
            for numbers in (above, range(number + 1, min(len(lines), number + 1 + _MOST_LINES))):
                for other in _alike(lines, (one for one in numbers if one not in seen), item):
                    seen.add(lines.number_of(other.start()))
                    if taken.is_free(*other.span("value")) and _is_one(other, is_of_words=item["value"].isalpha()):
                        yield Span("password", *other.span("value"))


def _alike(lines: Lines, numbers: Iterable[int], item: re.Match[str]) -> Iterator[re.Match[str]]:
    """Yield the items on lines of those numbers, up to the first that is written otherwise."""
    for number in numbers:
        other = _item(lines, number)
        if other is None or any(other[part] != item[part] for part in ("bullet", "sign", "joint")):
            return
        yield other


def _item(lines: Lines, number: int) -> re.Match[str] | None:
    line = lines[number]
    if len(line.text) > _LONGEST:
        return None
    return compiled(_ITEM).fullmatch(lines.text, line.start, line.end)


def _is_one(item: re.Match[str], *, is_of_words: bool) -> bool:
    """Whether a value may be a password, and its label is not of something else."""
    value, label = item["value"], words_of(item["label"])
    if says_something(value) or is_other(value) or (value.isalpha() and not is_of_words):
        return False
    return not any(meaning(label, place, is_beside=place == len(label) - 1) == HARMLESS for place in range(len(label)))
