"""Turns spans into what is redacted: overlaps are merged under the most specific kind, placeholders left alone."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from operator import attrgetter

from s3memory.redaction.interface import PLACEHOLDER_PATTERN, PLACEHOLDER_START, Span, kind_of_placeholder
from s3memory.redaction.kinds import PERSONAL_KINDS, SPECIFIC, specificity
from s3memory.redaction.policy import is_taggable
from s3memory.redaction.rules import KINDS

# Replaces the start of a fake placeholder. It is just as long, so that offsets stay the same, but without the word.
_OVERWRITTEN_START = f"[{'~' * (len(PLACEHOLDER_START) - 2)}:"


def placeholders(text: str, kinds: Collection[str]) -> list[tuple[int, int]]:
    """Return the start and end of each placeholder in `text` whose kind is among `kinds`, in order."""
    if PLACEHOLDER_START not in text:
        return []
    return [match.span() for match in PLACEHOLDER_PATTERN.finditer(text) if _is_genuine(match[0], kinds)]


def _is_genuine(mark: str, kinds: Collection[str]) -> bool:
    """Whether `mark` has a known kind, and a tag only if that kind can be tagged: a made-up tag could be a password."""
    kind = kind_of_placeholder(mark)
    return kind in kinds and ("#" not in mark or kind not in KINDS | PERSONAL_KINDS or is_taggable(kind))


def without_fake_placeholders(text: str, kinds: Collection[str]) -> str:
    """Return `text` with ``[REDACTED:`` overwritten wherever it starts no genuine placeholder; its length stays.

    Rules take that word as a sign that nothing secret is left. A fake placeholder around a secret must not hide it.
    """
    if text.count(PLACEHOLDER_START) == len(known := placeholders(text, kinds)):
        return text
    genuine = {start for start, _ in known}
    return re.sub(
        re.escape(PLACEHOLDER_START), lambda match: match[0] if match.start() in genuine else _OVERWRITTEN_START, text
    )


def clip_and_merge(text: str, spans: Iterable[Span], kinds: Collection[str]) -> list[Span]:
    """Return the unions of `spans`, in order, with the placeholders of `kinds` that are already in `text` cut out."""
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
        # A span without a placeholder in it stays whole; only the remnants of a clipped one are checked.
        clipped += [span] if start == span.start else _remnant(text, span.kind, start, span.end)
    return clipped


def _remnant(text: str, kind: str, start: int, end: int) -> Iterator[Span]:
    """Yield the part of a span that is left next to a placeholder, unless it is only quotes and commas."""
    if any(character.isalnum() for character in text[start:end]):
        yield Span(kind, start, end)


def merge(spans: Iterable[Span]) -> list[Span]:
    """Return the unions of overlapping spans, in order, each with its most specific kind; of equals, the longest's."""
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


def without_shielded(text: str, spans: Iterable[Span], staying: Collection[Span]) -> list[Span]:
    """Return `spans` without those that a span in `staying` shields: what the policy leaves in the text stays there.

    In ``token=`` followed by a provider's token, the same value matches the rule for assignments as well, which must
    not redact what the policy leaves to the provider's kind. A span shields a span with the same letters and digits
    whose kind is no more specific. A credential without spaces also shields every part of itself; one with spaces may
    contain anything else, since a private key without its end marker spans all of the text after it.
    """
    most_specific: dict[tuple[int, int], int] = {}
    for span in staying:
        core = _core(text, span)
        most_specific[core] = max(most_specific.get(core, 0), specificity(span.kind))
    credentials = merge(span for span in staying if _is_one_word_credential(text, span))

    def is_shielded(span: Span) -> bool:
        start, end = _core(text, span)
        nearest = bisect_right(credentials, start, key=attrgetter("start")) - 1
        is_part = nearest >= 0 and end <= credentials[nearest].end
        return is_part or most_specific.get((start, end), -1) >= specificity(span.kind)

    return [span for span in spans if not is_shielded(span)]


def _is_one_word_credential(text: str, span: Span) -> bool:
    has_format = span.kind in KINDS and specificity(span.kind) == SPECIFIC
    return has_format and len(text[span.start : span.end].split(None, 1)) == 1


def _core(text: str, span: Span) -> tuple[int, int]:
    """Return a span's start and end without the punctuation at its edges, on which rules differ."""
    start, end = span.start, span.end
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not text[end - 1].isalnum():
        end -= 1
    return start, end
