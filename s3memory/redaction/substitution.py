"""Detectors are asked, and what they find is cut out of the original text: the same way for all of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import repeat
from operator import attrgetter
from string import ascii_letters, digits
from typing import NamedTuple

from s3memory.redaction.alike import with_alike
from s3memory.redaction.detector import Detector, ask
from s3memory.redaction.merging import clip_and_merge, out_of_shadow
from s3memory.redaction.model import Finding, Redaction, Span
from s3memory.redaction.policy import BLOCK, REDACT, REPORT, TAG, Treatment
from s3memory.redaction.refusals import BlockedTextError, UncheckedTextError

# Each round can only find what the round before uncovered. Rules are made not to chain. Where one does nevertheless,
# as in a list of which each item is told by the one before, what looks alike goes at once. If that is not the end, what
# is around the places goes as well, in each further round twice as far: at the latest when all of the text is gone,
# nothing is left to uncover. So a text is never refused for that, nor stored half redacted.
_SETTLE_ROUNDS, _ROUNDS_OF_ALIKE, _LAST_ROUNDS = 4, 4, 8
_FIRST_REACH_CHARACTERS = 64
_LONGEST_WORD = 256
_WORD = ascii_letters + digits


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
        detectors: Each is asked once, about the original text.
        text: The whole text.
        settle: Asked again about the redacted text until they find nothing more there: a neighbour that is gone
            can make a token out of what was part of a longer word. With all of one's detectors here, redacting
            the result again changes nothing.
        then: Each is asked once, about the settled text: what the others found never gets to see these.
        treatment: What becomes of what is found; all of it is taken out if left out.
        by_original_lines: Findings have the lines of `text`, not of what is left of it.

    Raises:
        BlockedTextError: Something is there that must not be written.
        UncheckedTextError: A detector failed or returned a malformed span, or one of `settle` finds something in
            placeholders, too, so that there is no end.
    """
    cutting = _Cutting(text, settle, treatment or Treatment())
    cutting.cut_what_is_found_by(detectors)
    cutting.cut_what_is_found_by(then)
    return cutting.redaction(by_original_lines=by_original_lines)


class _Piece(NamedTuple):
    """A stretch of the original text that was kept, and where it starts in the redacted text."""

    redacted_start: int
    start: int
    end: int

    @property
    def shift(self) -> int:
        return self.start - self.redacted_start


class _Cutting:
    """One text, and what is cut out of it so far."""

    def __init__(self, text: str, settle: Sequence[Detector], treatment: Treatment) -> None:
        self._original = text
        self._settle = settle
        self._treatment = treatment
        self._known = treatment.known_kinds
        self._spans: list[Span] = []
        self._reported: list[Span] = []
        # What stays in the text, by where it is in the original: who found it may not be asked again.
        self._staying: set[Span] = set()
        self._text = text
        self._kept = [_Piece(0, 0, len(text))]

    def cut_what_is_found_by(self, detectors: Iterable[Detector]) -> None:
        """Cut out what `detectors` find in the text as it is by now, and what that uncovers."""
        found = self._found(detectors)
        self._reported += self._in_original(self._clipped(found, REPORT))
        for widened in self._widenings():
            if not (more := self._clipped(found, REDACT, TAG)):
                return
            more = clip_and_merge(self._text, widened(more), self._known)
            self._spans = sorted([*self._spans, *self._in_original(more)], key=attrgetter("start"))
            self._substitute()
            found = self._found(self._settle)
        raise UncheckedTextError("unsettled")

    def _widenings(self) -> Iterator[Callable[[list[Span]], list[Span]]]:
        """Yield, for each round, what goes of the text besides what it finds."""
        yield from repeat(list, _SETTLE_ROUNDS)
        yield from repeat(self._with_alike, _ROUNDS_OF_ALIKE)
        reach = _FIRST_REACH_CHARACTERS
        while reach < len(self._text):
            yield partial(self._widened, reach=reach)
            reach *= 2
        yield from repeat(partial(self._widened, reach=reach), _LAST_ROUNDS)

    def _with_alike(self, spans: list[Span]) -> list[Span]:
        permits = self._treatment.allow.permits
        return [span for span in with_alike(self._text, spans) if not permits(self._text[span.start : span.end])]

    def _widened(self, spans: list[Span], reach: int) -> list[Span]:
        """Return `spans` with what is around them, up to where a word ends."""
        text = self._text
        widened = []
        for span in spans:
            start, end = max(0, span.start - reach), min(len(text), span.end + reach)
            before, behind = text[max(0, start - _LONGEST_WORD) : start], text[end : end + _LONGEST_WORD]
            start -= len(before) - len(before.rstrip(_WORD))
            end += len(behind) - len(behind.lstrip(_WORD))
            widened.append(Span(span.kind, start, end))
        return widened

    def redaction(self, *, by_original_lines: bool) -> Redaction:
        """Return the text without all this, and what was found."""
        places = [(span, False) for span in self._spans]
        for span in clip_and_merge(self._original, self._reported, self._known) if self._reported else ():
            # What is taken out under another kind is not there any more.
            nearest = bisect_right(self._spans, span.start, key=attrgetter("end"))
            if nearest == len(self._spans) or self._spans[nearest].start >= span.end:
                places.append((span, True))
        places.sort(key=lambda place: place[0].start)
        findings: list[Finding] = []
        line, position = 1, 0
        for span, is_kept in places:
            line += self._original.count("\n", position, span.start)
            findings.append(Finding(span.kind, line, is_kept))
            # The lines that were cut out count no more, those of what is only reported do.
            position = span.start if is_kept or by_original_lines else span.end
        return Redaction(self._text, tuple(findings))

    def _found(self, detectors: Iterable[Detector]) -> list[Span]:
        """Return what `detectors` find in the text as it is by now, none of which has to be refused."""
        found = ask(detectors, self._text, self._treatment.allow)
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
        wanted = [span for span in found if self._treatment.mode(span.kind) in modes]
        staying = [span for span in self._staying if self._treatment.shields(span.kind, *modes)] if wanted else []
        if staying:
            wanted = out_of_shadow(self._text, wanted, self._in_current(staying))
        return clip_and_merge(self._text, wanted, self._known)

    def _in_original(self, spans: Iterable[Span]) -> list[Span]:
        """Return spans of the text by now, none of which touches a placeholder, where they are in the original."""
        return [_moved(span, self._piece_at(span.start).shift) for span in spans]

    def _in_current(self, spans: Iterable[Span]) -> list[Span]:
        """Return where spans of the original are in the text by now, without those of which a part was cut out."""
        pieces = ((span, self._piece_at(span.start, by="start")) for span in spans)
        return [_moved(span, -piece.shift) for span, piece in pieces if span.end <= piece.end]

    def _piece_at(self, position: int, by: str = "redacted_start") -> _Piece:
        return self._kept[bisect_right(self._kept, position, key=attrgetter(by)) - 1]

    def _is_in_one_piece(self, span: Span) -> bool:
        piece = self._piece_at(span.start)
        return span.end + piece.shift <= piece.end

    def _substitute(self) -> None:
        self._kept = []
        parts: list[str] = []
        length = position = 0
        for span in self._spans:
            mark = self._treatment.mark(span.kind, self._original[span.start : span.end])
            self._kept.append(_Piece(length, position, span.start))
            parts += (self._original[position : span.start], mark)
            length += span.start - position + len(mark)
            position = span.end
        self._kept.append(_Piece(length, position, len(self._original)))
        self._text = "".join((*parts, self._original[position:]))


def _moved(span: Span, by: int) -> Span:
    return Span(span.kind, span.start + by, span.end + by)
