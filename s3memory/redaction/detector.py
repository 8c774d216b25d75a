"""Detectors say where something sensitive stands, and nothing else.

So a faulty one can miss something but cannot leak: it never gets to write text, and no error that leaves this module
carries any.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Protocol, TypeGuard, runtime_checkable

from s3memory._arguments import has
from s3memory.errors import RedactionError
from s3memory.redaction.allowlist import Allowlist
from s3memory.redaction.checks import are_words
from s3memory.redaction.model import KIND_PATTERN, Span
from s3memory.redaction.refusals import BlockedTextError, UncheckedTextError, made_anew

_log = logging.getLogger("s3memory")


@runtime_checkable
class Detector(Protocol):
    """Finds sensitive stretches of a text. It must be safe to call from several threads at once.

    Spans may overlap one another and may cover placeholders that are in the text already: both are sorted out
    afterwards. A detector that raises, or returns anything but well-formed spans within the text, makes the
    write be refused.

    A detector may have an attribute ``known_kinds``, a collection of all kinds that it ever finds, so that its
    placeholders are known where it finds nothing.
    """

    def find(self, text: str, /) -> Iterable[Span]:
        """Return where something sensitive stands in `text`, in characters and in any order."""
        ...


def is_detector(value: object) -> TypeGuard[Detector]:
    """Whether `value` is a detector; strings have a method ``find`` as well, and are none. An async one is none."""
    return has(value, "find") and not isinstance(value, str | bytes | bytearray)


def known_kinds_of(holder: object) -> frozenset[str]:
    """Return the kinds that a detector or redactor says it finds."""
    kinds: object = getattr(holder, "known_kinds", ())
    return frozenset(kinds) if are_words(kinds) else frozenset()


def ask(detectors: Iterable[Detector], text: str, allow: Allowlist) -> list[Span]:
    """Return what detectors find in `text`, without what is let through; one that fails refuses the text."""
    spans: list[Span] = []
    for detector in detectors:
        found = _found(detector, text)
        if isinstance(found, RedactionError):
            raise found
        spans += dict.fromkeys(found)  # a view finds what the text does
    return [span for span in spans if not allow.permits(text[span.start : span.end])]


def _found(detector: Detector, text: str) -> list[Span] | RedactionError:
    """Return what a detector finds, or the error that stands for what it raised, to be raised elsewhere."""
    name = type(detector).__name__
    try:
        found = list(detector.find(text))
    except (BlockedTextError, UncheckedTextError) as error:
        return made_anew(error)
    except Exception as error:  # noqa: BLE001 - somebody else's code: whatever it raises, the text is refused
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
