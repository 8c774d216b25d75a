"""Finds the other passwords in a list of logins, if the password on one of its lines was found.

With "hunter2" found in "wiki: jo / hunter2", the last word of "crm: kim / swordfish" on the next line is a password,
too, because the two lines have the same form. A plain word is one only if the found password is a plain word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from s3memory.redaction.interface import Span
from s3memory.redaction.rules.reading.harmless_forms import is_harmless_form
from s3memory.redaction.rules.reading.nouns import HARMLESS, meaning, words_of
from s3memory.redaction.rules.reading.stated_words import is_description
from s3memory.redaction.searching.secrets_nearby import FoundSpans
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.lines import Lines

# As in "- wiki: jo / hunter2".
_ITEM = (
    r"(?P<bullet>[ \t>]{0,8}(?:[-*+\u2022][ ]|[0-9]{1,2}[.)][ ])?)(?P<label>[^\s:/|][^\n:/|]{0,38}?)"
    r"(?P<sign>[ ]?(?::|->|\u2192|=|[\u2013\u2014-])[ ])[\"'`]?(?P<user>[\w.@+-]{2,40})[\"'`]?(?P<joint>[ ]?[/|,:][ ]?)"
    r"[\"'`]?(?P<value>[^\s\"'`/|]{4,40})[\"'`]?[ \t\r]*"
)
_MAX_LINES, _MAX_LINE = 40, 140


def similar_items(text: str, found: Iterable[Span]) -> Iterator[Span]:
    """Yield the passwords on the lines around those in `found` that have the same form."""
    taken = FoundSpans(found)
    passwords = [span for span in taken.spans if span.kind == "password"]
    lines = Lines(text if passwords else "")
    seen: set[int] = set()
    for span in passwords:
        number = lines.number_of(span.start)
        item = _item(lines, number) if number not in seen else None
        if item is not None and item.span("value") == (span.start, span.end):
            may_be_word = item["value"].isalpha()
            above = range(number - 1, max(-1, number - 1 - _MAX_LINES), -1)
            for numbers in (above, range(number + 1, min(len(lines), number + 1 + _MAX_LINES))):
                for other in _similar(lines, (one for one in numbers if one not in seen), item):
                    seen.add(lines.number_of(other.start()))
                    if taken.is_free(*other.span("value")) and _may_be_password(other, may_be_word=may_be_word):
                        yield Span("password", *other.span("value"))


def _similar(lines: Lines, numbers: Iterable[int], item: re.Match[str]) -> Iterator[re.Match[str]]:
    """Yield the items on the lines with those numbers, up to the first line that has another form."""
    for number in numbers:
        other = _item(lines, number)
        if other is None or any(other[part] != item[part] for part in ("bullet", "sign", "joint")):
            return
        yield other


def _item(lines: Lines, number: int) -> re.Match[str] | None:
    line = lines[number]
    if len(line.text) > _MAX_LINE:
        return None
    return compiled(_ITEM).fullmatch(lines.text, line.start, line.end)


def _may_be_password(item: re.Match[str], *, may_be_word: bool) -> bool:
    """Whether the value of an item may be a password, and its label isn't that of something else."""
    value, label = item["value"], words_of(item["label"])
    if is_description(value) or is_harmless_form(value) or (value.isalpha() and not may_be_word):
        return False
    return not any(meaning(label, index, is_beside=index == len(label) - 1) == HARMLESS for index in range(len(label)))
