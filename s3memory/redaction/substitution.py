"""Runs detectors over a text and replaces what they find with placeholders, in rounds until nothing more is found."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import repeat
from operator import attrgetter
from string import ascii_letters, digits
from typing import NamedTuple

from s3memory.redaction.detector import Detector, spans_of
from s3memory.redaction.interface import Finding, Redaction, Span
from s3memory.redaction.lookalikes import with_lookalikes
from s3memory.redaction.merging import clip_and_merge, without_shielded
from s3memory.redaction.policy import BLOCK, REDACT, REPORT, TAG, Treatment
from s3memory.redaction.refusals import BlockedTextError, UncheckedTextError

# Each round can only find what the round before uncovered, and rules are written so that this soon ends. Where it does
# not, as in a list in which each redacted item makes a rule match the next one, later rounds also redact what looks
# like the findings. If that is not enough, they redact the text around the findings, twice as far in each round: once
# all of the text is redacted, nothing is left to uncover. So such a text is neither refused nor stored half redacted.
_PLAIN_ROUNDS, _LOOKALIKE_ROUNDS, _LAST_ROUNDS = 4, 4, 8
_FIRST_MARGIN_CHARACTERS = 64
_MAX_WORD_CHARACTERS = 256
_WORD_CHARACTERS = ascii_letters + digits


def redact_with(
    detectors: Iterable[Detector],
    text: str,
    *,
    settle: Sequence[Detector] = (),
    then: Sequence[Detector] = (),
    treatment: Treatment | None = None,
    by_original_lines: bool = False,
) -> Redaction:
    """Return `text` with a placeholder for everything that `detectors` find.

    Args:
        detectors: Each is called once, with the original text.
        text: The whole text.
        settle: Called again with the redacted text until they find nothing more: once its neighbour is gone, part of
            a longer word can become a token. If these are all of your detectors, redacting the result again changes
            nothing.
        then: Each is called once, with the settled text, so that they never see what the others found.
        treatment: What happens to each finding; by default, all of them are redacted.
        by_original_lines: Whether findings have line numbers of `text` rather than of the redacted text.

    Raises:
        BlockedTextError: The text contains something that must not be stored.
        UncheckedTextError: A detector failed or returned a malformed span, or one of `settle` keeps finding something,
            even in placeholders.
    """
    substitution = _Substitution(text, settle, treatment or Treatment())
    substitution.redact_findings_of(detectors)
    substitution.redact_findings_of(then)
    return substitution.redaction(by_original_lines=by_original_lines)


class _KeptPiece(NamedTuple):
    """A piece of the original text that is kept, from `start` to `end`, and its start in the redacted text."""

    redacted_start: int
    start: int
    end: int

    @property
    def shift(self) -> int:
        return self.start - self.redacted_start


class _Substitution:
    """One text, and what has been redacted in it so far."""

    def __init__(self, text: str, settle: Sequence[Detector], treatment: Treatment) -> None:
        self._original = text
        self._settle = settle
        self._treatment = treatment
        self._known = treatment.known_kinds
        self._spans: list[Span] = []
        self._reported: list[Span] = []
        # Findings that stay in the text, as spans of the original. Not every detector that found one is called again.
        self._staying: set[Span] = set()
        self._text = text
        self._kept = [_KeptPiece(0, 0, len(text))]

    def redact_findings_of(self, detectors: Iterable[Detector]) -> None:
        """Redact what `detectors` find in the current text, and whatever that uncovers."""
        found = self._found(detectors)
        self._reported += self._in_original(self._clipped(found, REPORT))
        for widen in self._widenings():
            if not (more := self._clipped(found, REDACT, TAG)):
                return
            more = clip_and_merge(self._text, widen(more), self._known)
            self._spans = sorted([*self._spans, *self._in_original(more)], key=attrgetter("start"))
            self._substitute()
            found = self._found(self._settle)
        raise UncheckedTextError("unsettled")

    def _widenings(self) -> Iterator[Callable[[list[Span]], list[Span]]]:
        """Yield, for each round, a function that adds to its spans what else that round redacts."""
        yield from repeat(list, _PLAIN_ROUNDS)
        yield from repeat(self._with_lookalikes, _LOOKALIKE_ROUNDS)
        margin = _FIRST_MARGIN_CHARACTERS
        while margin < len(self._text):
            yield partial(self._widened, margin=margin)
            margin *= 2
        yield from repeat(partial(self._widened, margin=margin), _LAST_ROUNDS)

    def _with_lookalikes(self, spans: list[Span]) -> list[Span]:
        permits = self._treatment.allow.permits
        return [span for span in with_lookalikes(self._text, spans) if not permits(self._text[span.start : span.end])]

    def _widened(self, spans: list[Span], margin: int) -> list[Span]:
        """Return `spans` widened by `margin` characters on both sides, and then to the next end of a word."""
        text = self._text
        widened = []
        for span in spans:
            start, end = max(0, span.start - margin), min(len(text), span.end + margin)
            before, after = text[max(0, start - _MAX_WORD_CHARACTERS) : start], text[end : end + _MAX_WORD_CHARACTERS]
            start -= len(before) - len(before.rstrip(_WORD_CHARACTERS))
            end += len(after) - len(after.lstrip(_WORD_CHARACTERS))
            widened.append(Span(span.kind, start, end))
        return widened

    def redaction(self, *, by_original_lines: bool) -> Redaction:
        """Return the redacted text and its findings."""
        found = [(span, False) for span in self._spans]
        for span in clip_and_merge(self._original, self._reported, self._known) if self._reported else ():
            # What was redacted under another kind is no longer there to report.
            nearest = bisect_right(self._spans, span.start, key=attrgetter("end"))
            if nearest == len(self._spans) or self._spans[nearest].start >= span.end:
                found.append((span, True))
        findings: list[Finding] = []
        line, position = 1, 0
        for span, is_kept in sorted(found, key=lambda one: one[0].start):
            line += self._original.count("\n", position, span.start)
            findings.append(Finding(span.kind, line, is_kept))
            # Redacted lines are gone from the text and no longer count; those that are only reported do.
            position = span.start if is_kept or by_original_lines else span.end
        return Redaction(self._text, tuple(findings))

    def _found(self, detectors: Iterable[Detector]) -> list[Span]:
        """Return what `detectors` find in the current text. Raises `BlockedTextError` if any of it is to be blocked."""
        found = spans_of(detectors, self._text, self._treatment.allow)
        if not found:
            return found
        self._known |= {span.kind for span in found}
        staying = [span for span in found if self._treatment.shields(span.kind)]
        self._staying.update(self._in_original(filter(self._is_in_one_piece, staying)))
        if blocked := self._clipped(found, BLOCK):
            (first,) = self._in_original(blocked[:1])
            raise BlockedTextError(first.kind, self._original.count("\n", 0, first.start) + 1)
        return found

    def _clipped(self, found: Iterable[Span], *modes: str) -> list[Span]:
        """Return the spans in `found` whose mode is one of `modes`, merged, without placeholders and what must stay."""
        wanted = [span for span in found if self._treatment.mode(span.kind) in modes]
        staying = [span for span in self._staying if self._treatment.shields(span.kind, *modes)] if wanted else []
        if staying:
            wanted = without_shielded(self._text, wanted, self._in_current(staying))
        return clip_and_merge(self._text, wanted, self._known)

    def _in_original(self, spans: Iterable[Span]) -> list[Span]:
        """Return spans of the current text, none of which may touch a placeholder, as spans of the original."""
        return [_moved(span, self._piece_at(span.start).shift) for span in spans]

    def _in_current(self, spans: Iterable[Span]) -> list[Span]:
        """Return spans of the original as spans of the current text, without those that were redacted in part."""
        pieces = ((span, self._piece_at(span.start, by="start")) for span in spans)
        return [_moved(span, -piece.shift) for span, piece in pieces if span.end <= piece.end]

    def _piece_at(self, position: int, by: str = "redacted_start") -> _KeptPiece:
        """Return the kept piece at `position` of the current text, or with ``by="start"`` of the original."""
        return self._kept[bisect_right(self._kept, position, key=attrgetter(by)) - 1]

    def _is_in_one_piece(self, span: Span) -> bool:
        piece = self._piece_at(span.start)
        return span.end + piece.shift <= piece.end

    def _substitute(self) -> None:
        """Build the current text from the original, with a placeholder for each span."""
        self._kept = []
        parts: list[str] = []
        length = position = 0
        for span in self._spans:
            mark = self._treatment.mark(span.kind, self._original[span.start : span.end])
            self._kept.append(_KeptPiece(length, position, span.start))
            parts += (self._original[position : span.start], mark)
            length += span.start - position + len(mark)
            position = span.end
        self._kept.append(_KeptPiece(length, position, len(self._original)))
        self._text = "".join((*parts, self._original[position:]))


def _moved(span: Span, by: int) -> Span:
    return Span(span.kind, span.start + by, span.end + by)
