"""The built-in redactor: a table of formats, run over the text by `re`, without any dependency."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from s3memory.errors import ConfigurationError
from s3memory.redaction.detector import Detector, redact_with
from s3memory.redaction.model import Redaction, Span
from s3memory.redaction.rule import Rule, Subject
from s3memory.redaction.rules import KINDS, RULES


class _RuleDetector(NamedTuple):
    rules: tuple[Rule, ...]

    def find(self, text: str, /) -> Iterator[Span]:
        subject = Subject.of(text)
        for rule in self.rules:
            yield from rule.find(subject)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PatternRedactor:
    """Redacts what has the format of a credential, a private key, a password or a payment card number.

    It reads formats, not meaning: a password in a sentence that does not call it one is not found. It is immutable,
    safe to share between threads and cheap to make; a rule's pattern is compiled when a text first needs it. The
    time for a text is proportional to its length, whatever the text is.

    Attributes:
        kinds: The kinds to look for with the built-in rules; `None` for all of them.
        detectors: One's own, beside the built-in rules. Each is called once a text.

    Raises:
        ConfigurationError: `kinds` names a kind that no built-in rule finds, or `detectors` holds something that
            is not a detector.
    """

    kinds: Collection[str] | None = None
    detectors: Sequence[Detector] = ()
    _built_in: _RuleDetector = field(init=False)

    def __post_init__(self) -> None:
        if isinstance(self.kinds, str):
            raise ConfigurationError("kinds is a collection of kinds, not a string")
        kinds = KINDS if self.kinds is None else frozenset(self.kinds)
        if unknown := sorted(map(repr, kinds - KINDS)):
            raise ConfigurationError(f"no rule finds {', '.join(unknown)}; there are {', '.join(sorted(KINDS))}")
        if not all(isinstance(detector, Detector) for detector in self.detectors):
            raise ConfigurationError("every detector has a method find(text) that returns spans")
        rules = tuple(rule for rule in RULES if rule.kind in kinds)
        object.__setattr__(self, "kinds", None if self.kinds is None else kinds)
        object.__setattr__(self, "detectors", tuple(self.detectors))
        object.__setattr__(self, "_built_in", _RuleDetector(rules))

    def redact(self, text: str, /) -> Redaction:
        """Return `text` with a placeholder for everything found in it.

        Raises:
            RedactionError: One's own detector failed or returned something malformed. Nothing must be stored then.
        """
        return redact_with((self._built_in, *self.detectors), text, settle=(self._built_in,))

    def __repr__(self) -> str:
        arguments = []
        if self.kinds is not None:
            arguments.append(f"kinds={sorted(self.kinds)}")
        if self.detectors:
            # By type name: a detector's own repr may hold what it looks for.
            arguments.append(f"detectors=[{', '.join(type(detector).__name__ for detector in self.detectors)}]")
        return f"PatternRedactor({', '.join(arguments)})"
