"""Finds the other keys in a list or enumeration in which a key was found: "serpapi [found], other v", "- radarr v".

In such a list, the label of a key is often just the name of its tool. Each key found here has a label before it, and
either has the form of a found key or belongs to a known tool. A label such as "id", "commit" or "order" rules it out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from s3memory.redaction.interface import Span
from s3memory.redaction.rules.reading import nouns
from s3memory.redaction.rules.reading.items import MAX_LABEL_LENGTH, form_of, has_tool, label_before, may_label_a_key
from s3memory.redaction.rules.reading.near import Places, line_around, line_start
from s3memory.redaction.rules.reading.random_values import RandomValue, is_uuid, random_value_at
from s3memory.redaction.searching.secrets_nearby import FoundSpans
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import runs_of
from s3memory.redaction.text.word_lists import word_set

_REACH = 240
_MAX_LINES = 40
_MIN_RUN = 16
_HEXADECIMAL = "0123456789abcdefABCDEF-"
_LABEL_ENDS = frozenset(" \t\"'`|:*>-\u2192\u2013\u2014\uff1a")
_BULLET = r"[ \t>]{0,8}(?:[-*+\u2022|]|[0-9]{1,3}[.)])?"
# The words after a value: "3f2a9c81 (commit hash)".
_WORDS_AFTER = r"[\"'`*)\]]{0,3}[ ,;(\u2013\u2014-]{0,4}(?P<words>[A-Za-z]{2,16}(?:[ ][A-Za-z]{2,16})?)"
# Kinds that say nothing about the values near them: what a person made up or was shown once, and what has its own form.
_OTHER_KINDS = word_set(
    "password one-time-seed seed-phrase url-password session-cookie webhook private-key password-hash card-number iban "
    "ssn email phone ip-address national-id jwt authorization discord-webhook slack-webhook"
)


class _Item(NamedTuple):
    """A value on a line.

    Attributes:
        value: The value.
        label: The words of its label.
        is_found: It is a finding.
    """

    value: RandomValue
    label: list[str]
    is_found: bool


def siblings(text: str, found: Iterable[Span]) -> Iterator[Span]:
    """Yield the keys in the lists and enumerations that have a key in `found`."""
    taken = FoundSpans(found)
    seen: set[int] = set()
    end = 0
    for kind, start, stop in taken.spans:
        if kind in _OTHER_KINDS or start < end or text[start - 1 : start] not in _LABEL_ENDS:
            continue
        begin = line_start(text, start, _REACH)
        if not label_before(text[max(begin, start - MAX_LABEL_LENGTH) : start]):
            continue
        begin, end = line_around(text, start, stop, _REACH)
        items = _items(text, begin, end, taken)
        forms = {form_of(item.value) for item in items if item.is_found and may_label_a_key(item.label, item.value)}
        if not forms:
            continue
        lines = [items]
        if _is_leading(text, begin, items):
            lines += _lines_around(text, begin, end, taken, seen)
        yield from (Span("secret", *key) for line in lines for key in _alike(text, line, forms))


def _items(text: str, begin: int, end: int, taken: FoundSpans) -> list[_Item]:
    """Return the values on a line: the findings, and those that look random."""
    values = [(start, stop) for kind, start, stop in taken.within(begin, end) if kind not in _OTHER_KINDS]
    for first, last in runs_of(text[begin:end], _MIN_RUN):
        is_free = taken.is_free(begin + first, begin + last)
        if random := random_value_at(text, begin + first, begin + last) if is_free else None:
            values.append((random.start, random.end))
    items: list[_Item] = []
    previous_end = begin
    for start, stop in sorted(values):
        word = text[start:stop]
        value = RandomValue(word, start, stop, is_uuid(word), not word.strip(_HEXADECIMAL))
        label = label_before(text[max(previous_end, start - MAX_LABEL_LENGTH) : start])
        items.append(_Item(value, label, not taken.is_free(start, stop)))
        previous_end = stop
    return items


def _alike(text: str, items: list[_Item], forms: set[tuple[str, int]]) -> Places:
    """Yield the values on a line that are keys as well: of the form of a found key, or with the label of a tool."""
    is_of_a_tool = has_tool(items[0].label)
    for value, label, is_found in items:
        is_alike = form_of(value) in forms or ((is_of_a_tool or has_tool(label)) and not value.is_uuid)
        if not is_found and is_alike and may_label_a_key(label, value) and not _is_called_harmless(text, value.end):
            yield value.start, value.end


def _is_called_harmless(text: str, end: int) -> bool:
    """Whether the words after a value say that it is something harmless: "3f2a9c81 (commit)"."""
    rest = compiled(_WORDS_AFTER).match(text, end)
    words = nouns.words_of(rest["words"]) if rest else []
    return any(nouns.meaning(words, index, is_beside=False) == nouns.HARMLESS for index in range(len(words)))


def _lines_around(text: str, begin: int, end: int, taken: FoundSpans, seen: set[int]) -> Iterator[list[_Item]]:
    """Yield the values on the lines above and below that start with the same bullet and a label, if not seen yet."""
    bullet = _bullet(text, begin)
    for is_above in (True, False):
        start, stop = begin, end
        for _ in range(_MAX_LINES):
            position = start - 1 if is_above else stop + 1
            if not 0 <= position <= len(text):
                break
            start, stop = line_around(text, position, position, _REACH)
            if start in seen or _bullet(text, start) != bullet:
                break
            items = _items(text, start, stop, taken)
            if not _is_leading(text, start, items):
                break
            seen.add(start)
            yield items


def _is_leading(text: str, begin: int, items: list[_Item]) -> bool:
    """Whether a line starts with a label and a value."""
    return items != [] and label_before(text[begin : items[0].value.start], is_all=True) != []


def _bullet(text: str, start: int) -> str:
    bullet = compiled(_BULLET).match(text, start)
    return bullet[0].strip().lstrip("0123456789") if bullet else ""
