"""`BedrockGuardrailDetector`: what an Amazon Bedrock guardrail masks, blocks or denies.

Shapes: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ApplyGuardrail.html. The answer has no
offsets but the matched text itself, so each match is looked for in the text that was sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

from s3memory.aws.retry import RetryPolicy
from s3memory.errors import ConfigurationError
from s3memory.redaction.adapters.calls import as_list, as_mapping, is_offset, refuse
from s3memory.redaction.adapters.kinds import is_type, kind_of
from s3memory.redaction.adapters.services import ServiceDetector
from s3memory.redaction.model import Span

# 25 text units of up to 1,000 characters each: what a request takes where the quota is lowest.
DEFAULT_REQUEST_BYTES = 25_000

# A match this short is as likely as not part of words that have nothing to do with it: "Al" in "also".
_SHORT_CHARACTERS = 3

_SERVICE = "the Bedrock guardrail"
_SOURCES = frozenset({"INPUT", "OUTPUT"})
_MASKED, _BLOCKED, _NOTHING_DONE = "ANONYMIZED", "BLOCKED", "NONE"


@runtime_checkable
class BedrockRuntimeClient(Protocol):
    """What is used of a boto3 client for ``bedrock-runtime``."""

    def apply_guardrail(self, **request: Any) -> Any:
        """Return the answer to ``ApplyGuardrail``."""
        ...


class _Match(NamedTuple):
    """A piece of text that the guardrail masks, and the kind it goes under."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class BedrockGuardrailDetector(ServiceDetector):
    """Finds what a guardrail masks, and refuses what it blocks.

    The guardrail decides: what its sensitive information filters (PII types and patterns) *mask* is redacted, what
    any of its policies *blocks* refuses the write, and what it only detects is stored. As many places as the text has
    of a masked value are redacted, whether or not the guardrail saw each; a value of up to 3 characters only where it
    is a word of its own, if that accounts for all that the guardrail saw.

    IAM action: ``bedrock:ApplyGuardrail`` on the guardrail's ARN. The text is sent to the service, in requests of at
    most `max_request_bytes`, one after another. Safe to share between threads.

    Attributes:
        client: a boto3 client for ``bedrock-runtime``. Its own timeouts should be below `timeout_seconds`.
        guardrail_id: the guardrail's id or ARN.
        guardrail_version: a number, or ``DRAFT``. A number keeps what is redacted from changing by itself.
        source: which of its settings count: those for what a model wrote (``OUTPUT``), as an agent's notes are, or
            those for what it is given (``INPUT``).
        kinds: your own kinds for the guardrail's PII types and names of patterns.
        timeout_seconds: how long a text may take in all; after that the write is refused.
        remaining_seconds: how much time the caller has left, such as a Lambda's; if less, that counts.
        max_tries: tries of a request that is throttled or gets no answer, beside those of the client itself.
        max_request_bytes: the size of a request's text at most, as UTF-8; the account's quota may allow more. What
            is up to 500 characters long is found also where a text was cut.
        sleep: waits for so many seconds between tries.

    Raises:
        ConfigurationError: an argument is malformed.
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
        as_words: set[_Match] = set()
        for _, chunk in self._chunks(text):
            matches = list(self._masked(chunk, retry))
            seen = Counter(match.text for match in matches)
            for match in matches:
                if match.text not in chunk:
                    raise refuse(_SERVICE, "masks something that is not in the text")
                is_short = len(match.text) <= _SHORT_CHARACTERS
                is_accounted_for = is_short and sum(1 for _ in whole_words(chunk, match.text)) >= seen[match.text]
                (as_words if is_accounted_for else everywhere).add(match)
        return [
            *(Span(kind, *place) for match, kind in everywhere for place in every_occurrence(text, match)),
            *(Span(kind, *place) for match, kind in as_words - everywhere for place in whole_words(text, match)),
        ]

    def _masked(self, chunk: str, retry: RetryPolicy) -> Iterator[_Match]:
        guardrail = {"guardrailIdentifier": self.guardrail_id, "guardrailVersion": self.guardrail_version}
        content = [{"text": {"text": chunk}}]
        ask = partial(self.client.apply_guardrail, **guardrail, source=self.source, content=content)
        answer = as_mapping(self._calls.request(retry, ask), _SERVICE)
        assessments = [as_mapping(item, _SERVICE) for item in as_list(answer.get("assessments"), _SERVICE)]
        _refuse_unchecked(answer, assessments)
        matches = [match for assessment in assessments for match in self._matches(assessment)]
        if answer.get("action") not in {_NOTHING_DONE, "GUARDRAIL_INTERVENED"}:
            raise refuse(_SERVICE, "answered with an action that is not documented")
        if answer["action"] != _NOTHING_DONE and not matches:
            raise refuse(_SERVICE, "intervened without saying where")
        yield from matches

    def _matches(self, assessment: Mapping[str, object]) -> Iterator[_Match]:
        policy = as_mapping(assessment.get("sensitiveInformationPolicy", {}), _SERVICE)
        for several, name in (("piiEntities", "type"), ("regexes", "name")):
            for one in as_list(policy.get(several, []), _SERVICE):
                item = as_mapping(one, _SERVICE)
                if name == "type" and not is_type(item.get(name)):
                    raise refuse(_SERVICE, "answered with something else than documented")
                yield from self._match(item, name)
        # Whatever policies there are, now or later: each thing that they report has what was done about it.
        rest = [value for name, value in assessment.items() if name != "sensitiveInformationPolicy"]
        for action in _actions(rest):
            if action == _BLOCKED:
                raise refuse(_SERVICE, "blocks it")
            if action != _NOTHING_DONE:
                raise refuse(_SERVICE, "answered with an action that is not documented")

    def _match(self, item: Mapping[str, object], name: str) -> Iterator[_Match]:
        action, match, label = item.get("action"), item.get("match"), item.get(name)
        if action == _BLOCKED:
            raise refuse(_SERVICE, "blocks it")
        if action == _MASKED and isinstance(match, str) and match and (label is None or isinstance(label, str)):
            yield _Match(match, kind_of(label or "", self.kinds))
        elif action != _NOTHING_DONE:
            raise refuse(_SERVICE, "answered with something else than documented")

    def __repr__(self) -> str:
        # Neither the guardrail's id, which may be an ARN, nor the client.
        return f"BedrockGuardrailDetector(guardrail_version={self.guardrail_version!r}, source={self.source!r})"


def _actions(value: object) -> Iterator[object]:
    """Yield each ``action`` in `value`, however deep."""
    if isinstance(value, Mapping):
        if "action" in value:
            yield value["action"]
        for inner in value.values():
            yield from _actions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _actions(inner)


def _refuse_unchecked(answer: Mapping[str, object], assessments: list[Mapping[str, object]]) -> None:
    """Refuse if the guardrail checked nothing, or not all: an answer without findings would look the same."""
    usage = as_mapping(answer.get("usage"), _SERVICE)
    if not any(is_offset(units) and units > 0 for units in usage.values()):
        raise refuse(_SERVICE, "checks nothing from this source")
    metrics = [assessment["invocationMetrics"] for assessment in assessments if "invocationMetrics" in assessment]
    for holder in (answer, *(as_mapping(item, _SERVICE) for item in metrics)):
        if "guardrailCoverage" in holder:
            coverage = as_mapping(holder["guardrailCoverage"], _SERVICE)
            characters = as_mapping(coverage.get("textCharacters", {}), _SERVICE)
            if characters.get("guarded") != characters.get("total"):
                raise refuse(_SERVICE, "did not check all of it")


def every_occurrence(text: str, match: str) -> Iterator[tuple[int, int]]:
    """Yield ``(start, end)`` so that every occurrence of `match` is covered, those too that overlap one another."""
    start = text.find(match)
    while start >= 0:
        end = start + len(match)
        # The last one that begins within this one: all those between lie in what the two cover.
        last = text.rfind(match, start + 1, end - 1 + len(match))
        yield start, end
        start = last if last > start else text.find(match, end)


def whole_words(text: str, match: str) -> Iterator[tuple[int, int]]:
    """Yield ``(start, end)`` of each occurrence of `match` that no letter or digit continues on either side."""
    start = text.find(match)
    while start >= 0:
        end = start + len(match)
        goes_on_before = start > 0 and match[0].isalnum() and text[start - 1].isalnum()
        goes_on_after = end < len(text) and match[-1].isalnum() and text[end].isalnum()
        if not goes_on_before and not goes_on_after:
            yield start, end
        start = text.find(match, start + 1)
