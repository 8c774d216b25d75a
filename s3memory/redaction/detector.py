"""Detectors say where something sensitive stands; merging and substitution happen here, once, for all of them.

A detector returns spans and nothing else, so that a faulty one can miss something but cannot leak: it never gets
to write text, and no error that leaves this module carries any.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol, runtime_checkable

from s3memory.errors import RedactionError
from s3memory.redaction.model import (
    KIND_PATTERN,
    PLACEHOLDER_PATTERN,
    Finding,
    Redaction,
    Span,
    placeholder,
)

# What stands beside a secret in so many words tells less than the secret's own format: in `password = "..."` with
# a provider's token inside, the token names the finding. From the least to the most specific; all others are above.
_GENERAL_KINDS = ("secret", "password", "authorization", "url-password", "api-key")

# Each round can only find what the round before uncovered. Rules are made not to chain; a text that keeps
# uncovering more is refused rather than stored half redacted.
_SETTLE_ROUNDS = 8

_UNCHECKED = "Error: The text could not be checked for sensitive content"


@runtime_checkable
class Detector(Protocol):
    """Finds sensitive stretches of a text. It must be safe to call from several threads at once.

    Spans may overlap one another and may cover placeholders that are in the text already: both are sorted out
    afterwards. A detector that raises, or returns anything but well-formed spans within the text, makes the
    write be refused.
    """

    def find(self, text: str, /) -> Iterable[Span]:
        """Return where something sensitive stands in `text`, in characters and in any order."""
        ...


class _Piece(NamedTuple):
    """A stretch of the original text that was kept, and where it starts in the redacted text."""

    redacted_start: int
    start: int
    end: int


def redact_with(detectors: Iterable[Detector], text: str, *, settle: Sequence[Detector] = ()) -> Redaction:
    """Return `text` with a placeholder for everything that `detectors` find.

    Args:
        detectors: Each is asked once, about the original text.
        text: The whole text.
        settle: Asked again about the redacted text until they find nothing more there: a neighbour that is gone
            can make a token out of what was part of a longer word. With all of one's detectors here, redacting
            the result again changes nothing.

    Raises:
        RedactionError: A detector failed or returned a malformed span, or the text does not settle.
    """
    spans = _clip_and_merge(text, _ask(detectors, text))
    for _ in range(_SETTLE_ROUNDS):
        redaction, kept = _substitute(text, spans)
        if not spans:
            return redaction
        uncovered = _clip_and_merge(redaction.text, _ask(settle, redaction.text))
        if not uncovered:
            return redaction
        spans = sorted([*spans, *_on_original_offsets(uncovered, kept)], key=lambda span: span.start)
    raise RedactionError(f"{_UNCHECKED}: redacting it uncovered more each time. Nothing was changed.")


def _ask(detectors: Iterable[Detector], text: str) -> list[Span]:
    spans: list[Span] = []
    for detector in detectors:
        found: list[Span] | None = None
        # Whatever it raises may carry the text, so neither that nor a traceback of it leaves as a cause.
        with suppress(Exception):
            found = list(detector.find(text))
        if found is None:
            raise RedactionError(f"{_UNCHECKED}: {type(detector).__name__} failed. Nothing was changed.")
        if not all(_is_well_formed(span, len(text)) for span in found):
            raise RedactionError(
                f"{_UNCHECKED}: {type(detector).__name__} returned a malformed span. Nothing was changed."
            )
        spans += found
    return spans


def _is_well_formed(span: object, length: int) -> bool:
    return (
        type(span) is Span
        and [type(field) for field in (span.kind, span.start, span.end)] == [str, int, int]
        and 0 <= span.start < span.end <= length
        and KIND_PATTERN.fullmatch(span.kind) is not None
    )


def _clip_and_merge(text: str, spans: Iterable[Span]) -> list[Span]:
    """Return the union of `spans` in order, without what is a placeholder already."""
    masks = [match.span() for match in PLACEHOLDER_PATTERN.finditer(text)]
    mask_starts = [start for start, _ in masks]

    def is_masked(span: Span) -> bool:
        nearest = bisect_right(mask_starts, span.start) - 1
        return nearest >= 0 and span.end <= masks[nearest][1]

    clipped: list[Span] = []
    for span in _merge(span for span in spans if not is_masked(span)):
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


def _merge(spans: Iterable[Span]) -> list[Span]:
    """Return the unions of overlapping spans, each under its most specific kind."""
    merged: list[Span] = []
    best = (0, 0)
    for span in sorted(spans, key=lambda span: (span.start, span.end, span.kind)):
        rank = (_specificity(span.kind), span.end - span.start)
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            kind = span.kind if rank > best else last.kind
            merged[-1] = Span(kind, last.start, max(last.end, span.end))
            best = max(best, rank)
        else:
            merged.append(span)
            best = rank
    return merged


def _specificity(kind: str) -> int:
    return _GENERAL_KINDS.index(kind) if kind in _GENERAL_KINDS else len(_GENERAL_KINDS)


def _substitute(text: str, spans: Iterable[Span]) -> tuple[Redaction, list[_Piece]]:
    kept: list[_Piece] = []
    parts: list[str] = []
    findings: list[Finding] = []
    length, line, position = 0, 1, 0
    for span in spans:
        mark = placeholder(span.kind)
        kept.append(_Piece(length, position, span.start))
        line += text.count("\n", position, span.start)
        parts += (text[position : span.start], mark)
        findings.append(Finding(span.kind, line))
        length += span.start - position + len(mark)
        position = span.end
    kept.append(_Piece(length, position, len(text)))
    parts.append(text[position:])
    return Redaction("".join(parts), tuple(findings)), kept


def _on_original_offsets(spans: Iterable[Span], kept: list[_Piece]) -> Iterator[Span]:
    """Move spans of the redacted text, none of which touches a placeholder, to where they are in the original."""
    starts = [piece.redacted_start for piece in kept]
    for span in spans:
        piece = kept[bisect_right(starts, span.start) - 1]
        shift = piece.start - piece.redacted_start
        yield Span(span.kind, span.start + shift, span.end + shift)
