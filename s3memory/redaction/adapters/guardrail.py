"""`BedrockGuardrailDetector`: redacts what an Amazon Bedrock guardrail masks, and refuses what it blocks.

Shapes: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ApplyGuardrail.html. The answer contains no
offsets but the matched text itself, so each match is searched for in the text that was sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

from s3memory.aws.retry import RetryPolicy
from s3memory.errors import ConfigurationError
from s3memory.redaction.adapters.calls import as_list, as_mapping, is_offset, refusal
from s3memory.redaction.adapters.kinds import is_type, kind_of
from s3memory.redaction.adapters.services import ServiceDetector
from s3memory.redaction.interface import Span

# 25 text units of up to 1,000 characters each: the size of a request under the lowest quota.
DEFAULT_REQUEST_BYTES = 25_000

# A match this short is often part of unrelated words: "Al" in "also".
_MAX_SHORT_CHARACTERS = 3

_SERVICE = "the Bedrock guardrail"
_SOURCES = frozenset({"INPUT", "OUTPUT"})
_MASKED, _BLOCKED, _NOTHING_DONE = "ANONYMIZED", "BLOCKED", "NONE"


@runtime_checkable
class BedrockRuntimeClient(Protocol):
    """The part of a boto3 client for ``bedrock-runtime`` that is used."""

    def apply_guardrail(self, **request: Any) -> Any:
        """Call ``ApplyGuardrail`` and return the answer."""
        ...


class _Match(NamedTuple):
    """A piece of text that the guardrail masks, and the kind under which it is redacted."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class BedrockGuardrailDetector(ServiceDetector):
    """Finds what a guardrail masks, and refuses what it blocks.

    The guardrail decides: what its sensitive information filters (PII types and patterns) *mask* is redacted, what any
    of its policies *blocks* refuses the write, and what it only detects is stored. A masked value is redacted wherever
    it occurs in the text, whether or not the guardrail reported each occurrence. A value of up to 3 characters is
    redacted only where it is a word of its own, provided that there are as many such words as the guardrail reported.

    IAM action: ``bedrock:ApplyGuardrail`` on the guardrail's ARN. The text is sent to the service in requests of at
    most `max_request_bytes`, one after another. Safe to share between threads.

    Attributes:
        client: A boto3 client for ``bedrock-runtime``. Its own timeouts should be below `timeout_seconds`.
        guardrail_id: The guardrail's id or ARN.
        guardrail_version: A number, or ``DRAFT``. With a number, what is redacted does not change when the guardrail is
            edited.
        source: Which of its settings apply: those for text that a model wrote (``OUTPUT``), such as an agent's notes,
            or those for text that a model is given (``INPUT``).
        kinds: Your own kinds for the guardrail's PII types and names of patterns.
        timeout_seconds: How long one text may take in all; after that, the write is refused.
        remaining_seconds: Returns how much time the caller, such as a Lambda function, has left; if that is less, it
            is the limit.
        max_tries: How often a request that is throttled or unanswered is tried, not counting the client's own retries.
        max_request_bytes: The maximum size of a request's text in UTF-8; the account's quota may allow more. Where a
            text is cut, matches of up to 500 characters are still found.
        sleep: Waits between tries; it is passed the number of seconds.

    Raises:
        ConfigurationError: An argument is malformed.
    """

    client: BedrockRuntimeClient
    guardrail_id: str
    guardrail_version: str
    source: str = "OUTPUT"
    max_request_bytes: int = DEFAULT_REQUEST_BYTES

    def __post_init__(self) -> None:
        self._prepare(_SERVICE, self.client, BedrockRuntimeClient, "bedrock-runtime")
        for name in ("guardrail_id", "guardrail_version"):
            if not getattr(self, name) or not isinstance(getattr(self, name), str):
                raise ConfigurationError(f"{name} is needed, as a string")
        if self.source not in _SOURCES:
            raise ConfigurationError(f"source must be one of {', '.join(sorted(_SOURCES))}")

    def _find(self, text: str, retry: RetryPolicy) -> list[Span]:
        everywhere: set[_Match] = set()
        only_as_words: set[_Match] = set()
        for _, chunk in self._chunks(text):
            matches = self._masked(chunk, retry)
            n_reported = Counter(match.text for match in matches)
            for match in matches:
                if match.text not in chunk:
                    raise refusal(_SERVICE, "masks something that is not in the text")
                is_short = len(match.text) <= _MAX_SHORT_CHARACTERS
                are_words = is_short and sum(1 for _ in whole_words(chunk, match.text)) >= n_reported[match.text]
                (only_as_words if are_words else everywhere).add(match)
        return [
            *(Span(kind, *span) for match, kind in everywhere for span in every_occurrence(text, match)),
            *(Span(kind, *span) for match, kind in only_as_words - everywhere for span in whole_words(text, match)),
        ]

    def _masked(self, chunk: str, retry: RetryPolicy) -> list[_Match]:
        """Send a chunk to the guardrail and return what it masks. Refuse the text if the guardrail blocks anything."""
        guardrail = {"guardrailIdentifier": self.guardrail_id, "guardrailVersion": self.guardrail_version}
        content = [{"text": {"text": chunk}}]
        ask = partial(self.client.apply_guardrail, **guardrail, source=self.source, content=content)
        answer = as_mapping(self._calls.request(retry, ask), _SERVICE)
        assessments = [as_mapping(item, _SERVICE) for item in as_list(answer.get("assessments"), _SERVICE)]
        _refuse_unchecked(answer, assessments)
        matches = [match for assessment in assessments for match in self._matches(assessment)]
        if answer.get("action") not in {_NOTHING_DONE, "GUARDRAIL_INTERVENED"}:
            raise refusal(_SERVICE, "answered with an action that is not documented")
        if answer["action"] != _NOTHING_DONE and not matches:
            raise refusal(_SERVICE, "intervened without saying where")
        return matches

    def _matches(self, assessment: Mapping[str, object]) -> Iterator[_Match]:
        policy = as_mapping(assessment.get("sensitiveInformationPolicy", {}), _SERVICE)
        for filters, label in (("piiEntities", "type"), ("regexes", "name")):
            for value in as_list(policy.get(filters, []), _SERVICE):
                item = as_mapping(value, _SERVICE)
                if label == "type" and not is_type(item.get(label)):
                    raise refusal(_SERVICE, "answered with something else than documented")
                yield from self._match(item, label)
        # All other policies, including future ones, report an action for each thing that they detect.
        rest = [value for name, value in assessment.items() if name != "sensitiveInformationPolicy"]
        for action in _actions(rest):
            if action == _BLOCKED:
                raise refusal(_SERVICE, "blocks it")
            if action != _NOTHING_DONE:
                raise refusal(_SERVICE, "answered with an action that is not documented")

    def _match(self, item: Mapping[str, object], label: str) -> Iterator[_Match]:
        action, match, entity_type = item.get("action"), item.get("match"), item.get(label)
        if action == _BLOCKED:
            raise refusal(_SERVICE, "blocks it")
        if action == _MASKED and isinstance(match, str) and match and isinstance(entity_type, str | None):
            yield _Match(match, kind_of(entity_type or "", self.kinds))
        elif action != _NOTHING_DONE:
            raise refusal(_SERVICE, "answered with something else than documented")

    def __repr__(self) -> str:
        # Without the client, and without the guardrail's id, which may be an ARN.
        return f"BedrockGuardrailDetector(guardrail_version={self.guardrail_version!r}, source={self.source!r})"


def _actions(value: object) -> Iterator[object]:
    """Yield each ``action`` in `value`, at any depth."""
    if isinstance(value, Mapping):
        if "action" in value:
            yield value["action"]
        for inner in value.values():
            yield from _actions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _actions(inner)


def _refuse_unchecked(answer: Mapping[str, object], assessments: list[Mapping[str, object]]) -> None:
    """Refuse the text if the guardrail checked none or only part of it: the answer would look as if it were clean."""
    usage = as_mapping(answer.get("usage"), _SERVICE)
    if not any(is_offset(units) and units > 0 for units in usage.values()):
        raise refusal(_SERVICE, "checks nothing from this source")
    metrics = [assessment["invocationMetrics"] for assessment in assessments if "invocationMetrics" in assessment]
    for holder in (answer, *(as_mapping(item, _SERVICE) for item in metrics)):
        if "guardrailCoverage" in holder:
            coverage = as_mapping(holder["guardrailCoverage"], _SERVICE)
            characters = as_mapping(coverage.get("textCharacters", {}), _SERVICE)
            if characters.get("guarded") != characters.get("total"):
                raise refusal(_SERVICE, "did not check all of it")


def every_occurrence(text: str, match: str) -> Iterator[tuple[int, int]]:
    """Yield ``(start, end)`` so that every occurrence of `match` is covered, including overlapping ones."""
    start = text.find(match)
    while start >= 0:
        end = start + len(match)
        # The last occurrence that begins within this one: together, the two cover all occurrences between them.
        last = text.rfind(match, start + 1, end - 1 + len(match))
        yield start, end
        start = last if last > start else text.find(match, end)


def whole_words(text: str, match: str) -> Iterator[tuple[int, int]]:
    """Yield ``(start, end)`` of each occurrence of `match` that is not part of a longer word or number."""
    start = text.find(match)
    while start >= 0:
        end = start + len(match)
        continues_before = start > 0 and match[0].isalnum() and text[start - 1].isalnum()
        continues_after = end < len(text) and match[-1].isalnum() and text[end].isalnum()
        if not continues_before and not continues_after:
            yield start, end
        start = text.find(match, start + 1)
