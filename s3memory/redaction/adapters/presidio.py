"""`PresidioDetector`: finds what an `AnalyzerEngine` of Microsoft Presidio recognizes, in this process.

You create the engine and pass it in, so Presidio is not imported here. The interface used is that of
``presidio-analyzer`` 2.2.366; offsets are Python's, and the end is exclusive.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from s3memory.errors import ConfigurationError
from s3memory.redaction.adapters.calls import (
    DEFAULT_TIMEOUT_SECONDS,
    BoundedCalls,
    as_list,
    is_offset,
    is_score,
    refusal,
)
from s3memory.redaction.adapters.kinds import COMMONPLACE_TYPES, checked_kinds, kind_of
from s3memory.redaction.interface import Span

_SERVICE = "Presidio"


@runtime_checkable
class Analyzer(Protocol):
    """The part of Presidio's ``AnalyzerEngine`` that is used."""

    def analyze(
        self, text: str, language: str, entities: list[str] | None = None, *, score_threshold: float | None = None
    ) -> Any:
        """Return a list of results with ``entity_type``, ``start``, ``end`` and ``score``."""
        ...

    def get_supported_entities(self, language: str | None = None) -> list[str]:
        """Return the names of the types that are recognized in a language."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class PresidioDetector:
    """Finds personal data with Presidio's recognizers.

    No text leaves the process. Presidio itself sets no time limit for a text: it skips a pattern that takes over 60 s
    (``REGEX_TIMEOUT_SECONDS``) and answers as if nothing were wrong, so `timeout_seconds` must be below that. After a
    text was refused because time was up, its analysis goes on in its thread until Presidio ends.

    Attributes:
        analyzer: An ``AnalyzerEngine`` without ``log_decision_process``, which would log the texts.
        language: The language of the texts, one that the engine supports.
        min_score: The confidence, 0 to 1, from which on something is redacted; `None` leaves it to the engine, which by
            default reports everything that it suspects.
        entities: Presidio's names of the types to redact; `None` for all that the engine knows except ``DATE_TIME``
            and ``URL``.
        kinds: Your own kinds for Presidio's types.
        timeout_seconds: How long one text may take; after that, the write is refused.
        remaining_seconds: Returns how much time the caller, such as a Lambda function, has left; if that is less, it
            is the limit.

    Raises:
        ConfigurationError: An argument is malformed, or the engine does not know the language or a type.
    """

    analyzer: Analyzer
    language: str = "en"
    min_score: float | None = 0.5
    entities: Collection[str] | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    remaining_seconds: Callable[[], float] | None = None
    _calls: BoundedCalls = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.analyzer, Analyzer):
            raise ConfigurationError("analyzer must be an AnalyzerEngine of Presidio")
        if getattr(self.analyzer, "log_decision_process", False):
            raise ConfigurationError("an analyzer with log_decision_process would log the texts that it looks at")
        if self.min_score is not None and not is_score(self.min_score):
            raise ConfigurationError("min_score must be from 0 to 1, or None")
        # Presidio, if it is loaded and has this limit, skips a pattern after that number of seconds.
        recognizer = sys.modules.get("presidio_analyzer.pattern_recognizer")
        skips_after_seconds = getattr(recognizer, "REGEX_TIMEOUT_SECONDS", None)
        if skips_after_seconds is not None and self.timeout_seconds >= skips_after_seconds:
            raise ConfigurationError(
                f"timeout_seconds must be below Presidio's REGEX_TIMEOUT_SECONDS ({skips_after_seconds}): "
                "a pattern that takes longer is skipped without a word"
            )
        object.__setattr__(self, "entities", _checked_entities(self.entities, self.analyzer, self.language))
        object.__setattr__(self, "kinds", checked_kinds(self.kinds))
        calls = BoundedCalls(
            service=_SERVICE, timeout_seconds=self.timeout_seconds, remaining_seconds=self.remaining_seconds
        )
        object.__setattr__(self, "_calls", calls)

    @property
    def known_kinds(self) -> frozenset[str]:
        """Your own kinds, and those of all requested types, since the engine may have recognizers of your own."""
        requested = (kind_of(entity_type, self.kinds) for entity_type in self.entities or ())
        return frozenset(self.kinds.values()).union(requested)

    def find(self, text: str, /) -> list[Span]:
        """Return the spans that Presidio finds in `text`.

        Raises:
            RedactionError: Presidio raised, did not end in time, or returned something undocumented.
        """
        if not text or text.isspace():
            return []
        return self._calls.within_time(lambda _: self._find(text))

    def _find(self, text: str) -> list[Span]:
        results = self.analyzer.analyze(
            text=text, language=self.language, entities=sorted(self.entities or ()), score_threshold=self.min_score
        )
        return [self._span(result, len(text)) for result in as_list(results, _SERVICE)]

    def _span(self, result: object, length: int) -> Span:
        entity_type, start, end = (getattr(result, name, None) for name in ("entity_type", "start", "end"))
        if not (isinstance(entity_type, str) and entity_type in (self.entities or ())):
            raise refusal(_SERVICE, "returned a type that it was not asked for")
        if not (is_offset(start) and is_offset(end) and 0 <= start < end <= length):
            raise refusal(_SERVICE, "returned something that is not in the text")
        return Span(kind_of(entity_type, self.kinds), int(start), int(end))

    def __repr__(self) -> str:
        return f"PresidioDetector(language={self.language!r}, min_score={self.min_score!r})"


def _checked_entities(entities: Collection[str] | None, analyzer: Analyzer, language: str) -> frozenset[str]:
    if isinstance(entities, str):
        raise ConfigurationError("entities is a collection of types, not a string")
    try:
        supported = frozenset(analyzer.get_supported_entities(language))
    except ValueError as error:
        raise ConfigurationError(f"the analyzer recognises nothing in the language {language!r}") from error
    wanted = supported - COMMONPLACE_TYPES if entities is None else frozenset(entities)
    # Presidio itself would only log a type that it does not know, and leave it out.
    if unknown := sorted(map(repr, wanted - supported)):
        raise ConfigurationError(f"the analyzer has no type {', '.join(unknown)} in this language")
    if not wanted:
        raise ConfigurationError("the analyzer recognises nothing in this language, or nothing is asked of it")
    return wanted
