"""Spans to what is cut out: placeholders are left alone, overlaps become one, and the most specific kind names it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from operator import attrgetter

from s3memory.redaction.kinds import PERSONAL_KINDS, SPECIFIC, specificity
from s3memory.redaction.model import PLACEHOLDER_PATTERN, PLACEHOLDER_START, Span, kind_of_placeholder
from s3memory.redaction.policy import is_taggable
from s3memory.redaction.rules import KINDS

_NO_START = f"[{'~' * (len(PLACEHOLDER_START) - 2)}:"


def placeholders(text: str, kinds: Collection[str]) -> list[tuple[int, int]]:
    """Return where in `text` placeholders of known kinds stand, in order."""
    if PLACEHOLDER_START not in text:
        return []
    return [match.span() for match in PLACEHOLDER_PATTERN.finditer(text) if _is_one(match[0], kinds)]


def _is_one(mark: str, kinds: Collection[str]) -> bool:
    """Whether `mark` is of a known kind, and has a tag only where that kind can: a tag could be a password, too."""
    kind = kind_of_placeholder(mark)
    return kind in kinds and ("#" not in mark or kind not in KINDS | PERSONAL_KINDS or is_taggable(kind))


def without_fakes(text: str, kinds: Collection[str]) -> str:
    """Return `text`, as long as it is, without what only begins as a placeholder does.

    The word in a real one says that there is no secret. In one that somebody made up, around a secret, it must not.
    """
    if text.count(PLACEHOLDER_START) == len(known := placeholders(text, kinds)):
        return text
    real = {start for start, _ in known}
    starts = re.escape(PLACEHOLDER_START)
    return re.sub(starts, lambda found: PLACEHOLDER_START if found.start() in real else _NO_START, text)


def clip_and_merge(text: str, spans: Iterable[Span], kinds: Collection[str]) -> list[Span]:
    """Return the unions of `spans`, in order and without what is a placeholder of one of `kinds` already."""
    masks = placeholders(text, kinds)
    mask_starts = [start for start, _ in masks]

    def is_masked(span: Span) -> bool:
        nearest = bisect_right(mask_starts, span.start) - 1
        return nearest >= 0 and span.end <= masks[nearest][1]

    clipped: list[Span] = []
    for span in merge(span for span in spans if not is_masked(span)):
        start = span.start
        nearest = max(0, bisect_right(mask_starts, start) - 1)
        while nearest < len(masks) and masks[nearest][0] < span.end:
            mask_start, mask_end = masks[nearest]
            clipped += _remnant(text, span.kind, start, mask_start)
            start = max(start, mask_end)
            nearest += 1
        # An untouched span is taken as it is: only what clipping leaves over is looked at.
        clipped += [span] if start == span.start else _remnant(text, span.kind, start, span.end)
    return clipped


def _remnant(text: str, kind: str, start: int, end: int) -> Iterator[Span]:
    """Yield what is left of a span beside a placeholder, unless that is only quotes and commas."""
    if any(character.isalnum() for character in text[start:end]):
        yield Span(kind, start, end)


def merge(spans: Iterable[Span]) -> list[Span]:
    """Return the unions of overlapping spans, each under its most specific kind."""
    merged: list[Span] = []
    best = (0, 0)
    for span in sorted(spans, key=lambda span: (span.start, span.end, span.kind)):
        rank = (specificity(span.kind), span.end - span.start)
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            kind = span.kind if rank > best else last.kind
            merged[-1] = Span(kind, last.start, max(last.end, span.end))
            best = max(best, rank)
        else:
            merged.append(span)
            best = rank
    return merged


def out_of_shadow(text: str, spans: Iterable[Span], staying: Collection[Span]) -> list[Span]:
    """Return `spans` without those that a span which stays is over: what its kind lets stay, others leave alone.

    `token=` and a provider's token is an assignment, too, which must not take out what the provider's kind leaves. A
    span is over what has the same letters and digits and a kind that tells no more; and over all parts of it, if it is
    a credential in one word. What has spaces in it may hold anything else as well: a private key without its end is
    all of the text below.
    """
    most_specific: dict[tuple[int, int], int] = {}
    for span in staying:
        place = _core(text, span)
        most_specific[place] = max(most_specific.get(place, 0), specificity(span.kind))
    words = merge(span for span in staying if _is_credential_in_one_word(text, span))

    def is_shadowed(span: Span) -> bool:
        start, end = _core(text, span)
        nearest = bisect_right(words, start, key=attrgetter("start")) - 1
        is_part = nearest >= 0 and end <= words[nearest].end
        return is_part or most_specific.get((start, end), -1) >= specificity(span.kind)

    return [span for span in spans if not is_shadowed(span)]


def _is_credential_in_one_word(text: str, span: Span) -> bool:
    has_format = span.kind in KINDS and specificity(span.kind) == SPECIFIC
    return has_format and len(text[span.start : span.end].split(None, 1)) == 1


def _core(text: str, span: Span) -> tuple[int, int]:
    """Return where a span stands without the punctuation around it, which another rule may draw elsewhere."""
    start, end = span.start, span.end
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not text[end - 1].isalnum():
        end -= 1
    return start, end
