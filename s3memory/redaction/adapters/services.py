"""`ServiceDetector`: the base class of detectors that send a text to a service, in chunks and with a time limit."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from s3memory.aws.fork_safety import connect_anew_in_child
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import ConfigurationError
from s3memory.redaction.adapters.calls import DEFAULT_MAX_TRIES, DEFAULT_TIMEOUT_SECONDS, BoundedCalls, refusal
from s3memory.redaction.adapters.chunks import check_chunk_size, chunk_bounds
from s3memory.redaction.adapters.kinds import checked_kinds
from s3memory.redaction.interface import Span
from s3memory.redaction.text.compiling import compiled

OVERLAP_CHARACTERS = 500


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class ServiceDetector:
    """Sends a text to a service in requests of at most `max_request_bytes`, one after another.

    The subclasses describe the attributes.
    """

    max_request_bytes: int
    kinds: Mapping[str, str] = field(default_factory=dict)
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    remaining_seconds: Callable[[], float] | None = None
    max_tries: int = DEFAULT_MAX_TRIES
    sleep: Callable[[float], None] = time.sleep
    _calls: BoundedCalls = field(init=False)

    def _prepare(self, service: str, client: object, protocol: type, boto3_name: str) -> None:
        """Check the common attributes and prepare calls to `service`, which `boto3.client` knows as `boto3_name`."""
        if not isinstance(client, protocol):
            raise ConfigurationError(f"client must be a boto3 client for {boto3_name}")
        connect_anew_in_child(client)
        check_chunk_size(max_bytes=self.max_request_bytes, overlap=OVERLAP_CHARACTERS)
        object.__setattr__(self, "kinds", checked_kinds(self.kinds))
        calls = BoundedCalls(
            service=service,
            timeout_seconds=self.timeout_seconds,
            remaining_seconds=self.remaining_seconds,
            max_tries=self.max_tries,
            sleep=self.sleep,
        )
        object.__setattr__(self, "_calls", calls)

    @property
    def known_kinds(self) -> frozenset[str]:
        """Your own kinds; those of the services are known anyway."""
        return frozenset(self.kinds.values())

    def find(self, text: str, /) -> list[Span]:
        """Return the spans that the service finds in `text`. A text of only white space is not sent.

        Raises:
            RedactionError: The service blocks the text, did not answer in time, did not check all of it, or answered
                with something undocumented.
        """
        if not text or text.isspace():
            return []
        if compiled("[\ud800-\udfff]").search(text):
            raise refusal(self._calls.service, "takes no lone surrogates")
        return self._calls.within_time(lambda retry: self._find(text, retry))

    def _chunks(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the start and the text of each chunk to send."""
        for start, end in chunk_bounds(text, max_bytes=self.max_request_bytes, overlap=OVERLAP_CHARACTERS):
            yield start, text[start:end]

    @abstractmethod
    def _find(self, text: str, retry: RetryPolicy) -> list[Span]:
        """Send a text to the service and return the spans that it finds."""
