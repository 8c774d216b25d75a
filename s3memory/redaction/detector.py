"""The `Detector` protocol: a detector returns the spans of sensitive text, and nothing else.

So a faulty detector can miss something but cannot leak anything: it never writes text, and no error that leaves this
module contains any.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Protocol, TypeGuard, runtime_checkable

from s3memory._arguments import has
from s3memory.errors import RedactionError
from s3memory.redaction.allowlist import Allowlist
from s3memory.redaction.checks import is_collection_of_strings
from s3memory.redaction.interface import KIND_PATTERN, Span
from s3memory.redaction.refusals import BlockedTextError, UncheckedTextError, sanitized_error

_log = logging.getLogger("s3memory")


@runtime_checkable
class Detector(Protocol):
    """Finds sensitive parts of a text. It must be safe to call from several threads at once.

    Spans may overlap and may cover placeholders that are already in the text: both are sorted out afterwards. If a
    detector raises, or returns anything but well-formed spans within the text, the write is refused.

    A detector may have an attribute ``known_kinds``, a collection of all kinds that it ever finds. Placeholders of
    these kinds are then recognized even in a text in which it finds nothing.
    """

    def find(self, text: str, /) -> Iterable[Span]:
        """Return the spans of sensitive parts of `text`, in characters and in any order."""
        ...


def is_detector(value: object) -> TypeGuard[Detector]:
    """Whether `value` is a detector: it has a method ``find`` that is not async, and is no string or bytes."""
    return has(value, "find") and not isinstance(value, str | bytes | bytearray)


def known_kinds_of(holder: object) -> frozenset[str]:
    """Return the kinds that a detector or redactor declares in ``known_kinds``; none if that is malformed."""
    kinds: object = getattr(holder, "known_kinds", ())
    return frozenset(kinds) if is_collection_of_strings(kinds) else frozenset()


def spans_of(detectors: Iterable[Detector], text: str, allow: Allowlist) -> list[Span]:
    """Return what `detectors` find in `text`, without what `allow` permits.

    Raises:
        RedactionError: One of them failed or refused the text.
    """
    spans: list[Span] = []
    for detector in detectors:
        found = _found(detector, text)
        if isinstance(found, RedactionError):
            raise found
        spans += dict.fromkeys(found)  # a decoded view repeats the findings of the text itself
    return [span for span in spans if not allow.permits(text[span.start : span.end])]


def _found(detector: Detector, text: str) -> list[Span] | RedactionError:
    """Return what a detector finds, or the error that replaces whatever it raised.

    The caller raises that error: here, it would carry the detector's error as its context.
    """
    name = type(detector).__name__
    try:
        found = list(detector.find(text))
    except (BlockedTextError, UncheckedTextError) as error:
        return sanitized_error(error)
    except Exception as error:  # noqa: BLE001 - third-party code: whatever it raises, the text is refused
        _log.warning("the detector %s failed, so a text was refused: %s", name, type(error).__name__)
        return UncheckedTextError()
    if not all(_is_well_formed(span, len(text)) for span in found):
        _log.warning("the detector %s returned a malformed span, so a text was refused", name)
        return UncheckedTextError()
    return found


def _is_well_formed(span: object, length: int) -> bool:
    return (
        type(span) is Span
        and [type(field) for field in (span.kind, span.start, span.end)] == [str, int, int]
        and 0 <= span.start < span.end <= length
        and KIND_PATTERN.fullmatch(span.kind) is not None
    )
