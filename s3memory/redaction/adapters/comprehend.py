"""`ComprehendDetector`: finds personal data with ``DetectPiiEntities`` of Amazon Comprehend.

Shapes and limits: https://docs.aws.amazon.com/comprehend/latest/APIReference/API_DetectPiiEntities.html. A request
takes up to 100 KB of UTF-8. As in Python, offsets count Unicode code points from zero, and the end is exclusive.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from s3memory.aws.retry import RetryPolicy
from s3memory.errors import ConfigurationError
from s3memory.redaction.adapters.calls import as_list, as_mapping, is_offset, is_score, refusal
from s3memory.redaction.adapters.kinds import COMMONPLACE_TYPES, is_type, kind_of
from s3memory.redaction.adapters.services import ServiceDetector
from s3memory.redaction.interface import Span

MAX_REQUEST_BYTES = 100_000

_SERVICE = "Amazon Comprehend"


@runtime_checkable
class ComprehendClient(Protocol):
    """The part of a boto3 client for ``comprehend`` that is used."""

    def detect_pii_entities(self, *, Text: str, LanguageCode: str) -> Any:  # noqa: N803 - the service's names
        """Call ``DetectPiiEntities`` and return the answer."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class ComprehendDetector(ServiceDetector):
    """Finds names, addresses, numbers and other personal data with Amazon Comprehend's model.

    IAM action: ``comprehend:DetectPiiEntities`` (on ``*``, since the action has no resources). The text is sent to the
    service in requests of at most `max_request_bytes`, one after another. Safe to share between threads.

    Attributes:
        client: A boto3 client for ``comprehend``. Its own timeouts should be below `timeout_seconds`.
        language_code: The language of the texts; the service detects personal data in ``en`` and ``es``.
        min_score: The confidence, 0 to 1, from which on an entity is redacted.
        entity_types: The service's names of the types to redact; `None` for all except ``DATE_TIME`` and ``URL``,
            including those that the service adds later.
        kinds: Your own kinds for the service's types.
        timeout_seconds: How long one text may take in all; after that, the write is refused.
        remaining_seconds: Returns how much time the caller, such as a Lambda function, has left; if that is less, it
            is the limit.
        max_tries: How often a request that is throttled or unanswered is tried, not counting the client's own retries.
        max_request_bytes: The maximum size of a request's text in UTF-8. Where a text is cut, entities of up to 500
            characters are still found.
        sleep: Waits between tries; it is passed the number of seconds.

    Raises:
        ConfigurationError: An argument is malformed, or the client's service model does not know a type.
    """

    client: ComprehendClient
    language_code: str = "en"
    min_score: float = 0.5
    entity_types: Collection[str] | None = None
    max_request_bytes: int = MAX_REQUEST_BYTES

    def __post_init__(self) -> None:
        self._prepare(_SERVICE, self.client, ComprehendClient, "comprehend")
        if not self.language_code or not isinstance(self.language_code, str):
            raise ConfigurationError("a language code is needed")
        if not is_score(self.min_score):
            raise ConfigurationError("min_score must be from 0 to 1")
        if self.max_request_bytes > MAX_REQUEST_BYTES:
            raise ConfigurationError(f"max_request_bytes must be at most {MAX_REQUEST_BYTES}")
        object.__setattr__(self, "entity_types", _checked_types(self.entity_types, self.client))

    def _find(self, text: str, retry: RetryPolicy) -> list[Span]:
        return [span for start, chunk in self._chunks(text) for span in self._find_in_chunk(chunk, start, retry)]

    def _find_in_chunk(self, chunk: str, offset: int, retry: RetryPolicy) -> Iterator[Span]:
        answer = self._calls.request(
            retry, lambda: self.client.detect_pii_entities(Text=chunk, LanguageCode=self.language_code)
        )
        for item in as_list(as_mapping(answer, _SERVICE).get("Entities"), _SERVICE):
            entity = as_mapping(item, _SERVICE)
            entity_type, score = entity.get("Type"), entity.get("Score")
            start, end = entity.get("BeginOffset"), entity.get("EndOffset")
            if not (is_type(entity_type) and is_score(score)):
                raise refusal(_SERVICE, "answered with an entity without a type or score")
            if not (is_offset(start) and is_offset(end) and 0 <= start < end <= len(chunk)):
                raise refusal(_SERVICE, "answered with an entity that is not in the text")
            wanted = self.entity_types
            is_wanted = entity_type not in COMMONPLACE_TYPES if wanted is None else entity_type in wanted
            if score >= self.min_score and is_wanted:
                yield Span(kind_of(entity_type, self.kinds), offset + start, offset + end)

    def __repr__(self) -> str:
        return f"ComprehendDetector(language_code={self.language_code!r}, min_score={self.min_score!r})"


def _checked_types(entity_types: Collection[str] | None, client: object) -> frozenset[str] | None:
    if entity_types is None:
        return None
    if isinstance(entity_types, str):
        raise ConfigurationError("entity_types is a collection of types, not a string")
    # The service model that botocore ships lists the names, so that a typo does not switch a type off.
    model = getattr(getattr(client, "meta", None), "service_model", None)
    known = None if model is None else frozenset(model.shape_for("PiiEntityType").enum) - {"ALL"}
    if known is not None and (unknown := sorted(map(repr, frozenset(entity_types) - known))):
        raise ConfigurationError(f"{_SERVICE} has no type {', '.join(unknown)}; it has {', '.join(sorted(known))}")
    return frozenset(entity_types)
