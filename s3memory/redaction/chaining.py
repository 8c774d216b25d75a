"""Several redactors and detectors, one after the other: each sees only what those before it left.

What a later one cuts out may uncover something for those before it: so they are asked again, until nothing changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from s3memory._arguments import has
from s3memory.errors import ConfigurationError
from s3memory.redaction.detector import Detector, is_detector, known_kinds_of
from s3memory.redaction.model import PLACEHOLDER_PATTERN, Finding, Redaction, Redactor, WriteRedactor
from s3memory.redaction.patterns import PatternRedactor
from s3memory.redaction.policy import KNOWN_KINDS, Treatment
from s3memory.redaction.refusals import UncheckedTextError
from s3memory.redaction.substitution import redact_with

_ROUNDS = 8


def chain(*links: Redactor | Detector) -> Chain:
    """Return a redactor that redacts with each of `links` in turn.

    A service that is asked last gets a text without what the rules know: it is sent no key or password.

    Raises:
        ConfigurationError: There is none, or one has no method ``redact(text)`` or ``find(text)``, or an async one.
    """
    if not links or not all(has(link, "redact") or is_detector(link) for link in links):
        raise ConfigurationError(
            "each link of a chain has a method redact(text) or find(text) that is not async, and there is one at least"
        )
    return Chain(tuple(links))


class Chain:
    """What `chain` makes. Safe to share between threads if its links are."""

    def __init__(self, links: tuple[Redactor | Detector, ...]) -> None:
        known = KNOWN_KINDS.union(*map(known_kinds_of, links))
        self.known_kinds: frozenset[str] = known
        self._links = tuple(link.knowing(known) if isinstance(link, PatternRedactor) else link for link in links)

    def redact(self, text: str, /) -> Redaction:
        """Return `text` without what any of the links finds.

        Raises:
            RedactionError: One of them refused the text, or failed, or they come to no end.
        """
        result = Redaction(text)
        left: list[str | None] = [None] * len(self._links)
        for _ in range(_ROUNDS):
            for number, link in enumerate(self._links):
                # Who left it like this finds nothing more in it, and may be a service.
                if left[number] != result.text:
                    step = self._step(link, result.text)
                    result = Redaction(step.text, _joined(result, step))
                    left[number] = result.text
            if left.count(result.text) == len(left):
                return result
        raise UncheckedTextError("unsettled")

    def for_write(self, path: str | None, tag_key: Callable[[], bytes] | None, /) -> Redactor:
        """Return the redactor for one write: see `WriteRedactor`."""
        bound = [link.for_write(path, tag_key) if isinstance(link, WriteRedactor) else link for link in self._links]
        made = Chain(tuple(bound))
        made.known_kinds = self.known_kinds
        return made

    def _step(self, link: Redactor | Detector, text: str) -> Redaction:
        if not isinstance(link, Redactor):
            return redact_with((link,), text, treatment=Treatment(known_kinds=self.known_kinds))
        step: object = link.redact(text)
        if not isinstance(step, Redaction):
            raise UncheckedTextError
        return step

    def __repr__(self) -> str:
        # By type name: what they look for may be in their own.
        return f"chain({', '.join(type(link).__name__ for link in self._links)})"


def _joined(before: Redaction, after: Redaction) -> tuple[Finding, ...]:
    """Return the findings of two steps, by the lines of the text that the second one made."""
    cuts = _cuts(before.text, after.text) if before.findings else []
    moved = [
        one._replace(line=one.line - sum(lost for line, lost in cuts if line <= one.line)) for one in before.findings
    ]
    # What stays is reported at each look.
    told = Counter(one for one in moved if one.is_kept)
    more = Counter(one for one in after.findings if one.is_kept) - told
    found = (one for one in after.findings if not one.is_kept)
    return tuple(sorted((*moved, *found, *more.elements()), key=lambda one: one.line))


def _cuts(before: str, after: str) -> list[tuple[int, int]]:
    """Return from which lines of `before` on how many lines less there are in `after`.

    What a step leaves stands in both texts, in the same order, between placeholders. Where a redactor did something
    else to its text, the lines are as they were.
    """
    cuts = []
    position, line = 0, 1
    pieces = PLACEHOLDER_PATTERN.split(after)
    for number, piece in enumerate(pieces):
        start = len(before) - len(piece) if number == len(pieces) - 1 else before.find(piece, position)
        if start < position or not before.startswith(piece, start):
            return []
        lost = before.count("\n", position, start)
        line += lost
        if lost:
            cuts.append((line, lost))
        line += piece.count("\n")
        position = start + len(piece)
    return cuts
