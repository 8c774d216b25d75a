"""Chains redactors and detectors: each sees only the text that those before it left.

What a later link redacts may uncover something for an earlier one, so all of them are called again until nothing
changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from s3memory._arguments import has
from s3memory.errors import ConfigurationError
from s3memory.redaction.detector import Detector, is_detector, known_kinds_of
from s3memory.redaction.interface import PLACEHOLDER_PATTERN, Finding, Redaction, Redactor, WriteRedactor
from s3memory.redaction.patterns import PatternRedactor
from s3memory.redaction.policy import KNOWN_KINDS, Treatment
from s3memory.redaction.refusals import UncheckedTextError
from s3memory.redaction.substitution import redact_with

_MAX_ROUNDS = 8


def chain(*links: Redactor | Detector) -> Chain:
    """Return a redactor that calls each of `links` in turn.

    Put a service last: it then gets a text from which the rules have already redacted the keys and passwords they find.

    Raises:
        ConfigurationError: There are no links, or one has no synchronous method ``redact(text)`` or ``find(text)``.
    """
    if not links or not all(has(link, "redact") or is_detector(link) for link in links):
        raise ConfigurationError(
            "each link of a chain has a method redact(text) or find(text) that is not async, and there is one at least"
        )
    return Chain(tuple(links))


class Chain:
    """The redactor that `chain` returns. Safe to share between threads if its links are."""

    def __init__(self, links: tuple[Redactor | Detector, ...]) -> None:
        known = KNOWN_KINDS.union(*map(known_kinds_of, links))
        self.known_kinds: frozenset[str] = known
        self._links = tuple(link.knowing(known) if isinstance(link, PatternRedactor) else link for link in links)

    def redact(self, text: str, /) -> Redaction:
        """Return `text` without anything that any of the links finds.

        Raises:
            RedactionError: A link refused the text or failed, or the links keep finding more.
        """
        result = Redaction(text)
        last_results: list[str | None] = [None] * len(self._links)
        for _ in range(_MAX_ROUNDS):
            for number, link in enumerate(self._links):
                # A link finds nothing more in its own result, and calling it again may cost a request to a service.
                if last_results[number] != result.text:
                    step = self._step(link, result.text)
                    result = Redaction(step.text, _joined_findings(result, step))
                    last_results[number] = result.text
            if last_results.count(result.text) == len(last_results):
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
        # By type name: a link's own repr may contain what it looks for.
        return f"chain({', '.join(type(link).__name__ for link in self._links)})"


def _joined_findings(before: Redaction, after: Redaction) -> tuple[Finding, ...]:
    """Return the findings of two consecutive steps, with line numbers of the text after the second one."""
    removed = _removed_lines(before.text, after.text) if before.findings else []
    moved = [
        one._replace(line=one.line - sum(count for line, count in removed if line <= one.line))
        for one in before.findings
    ]
    # Both steps report what is kept: it counts once.
    kept = Counter(one for one in moved if one.is_kept)
    newly_kept = Counter(one for one in after.findings if one.is_kept) - kept
    redacted = (one for one in after.findings if not one.is_kept)
    return tuple(sorted((*moved, *redacted, *newly_kept.elements()), key=lambda one: one.line))


def _removed_lines(before: str, after: str) -> list[tuple[int, int]]:
    """Return ``(line, count)`` for each place in `before` where `after` has `count` lines fewer from `line` on.

    What a step keeps occurs in both texts, in the same order, between placeholders. If a redactor changed its text in
    any other way, the result is empty, and line numbers stay as they are.
    """
    removed = []
    position, line = 0, 1
    pieces = PLACEHOLDER_PATTERN.split(after)
    for number, piece in enumerate(pieces):
        start = len(before) - len(piece) if number == len(pieces) - 1 else before.find(piece, position)
        if start < position or not before.startswith(piece, start):
            return []
        lost = before.count("\n", position, start)
        line += lost
        if lost:
            removed.append((line, lost))
        line += piece.count("\n")
        position = start + len(piece)
    return removed
