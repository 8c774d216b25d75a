"""What the clients of all services share: address, credentials, retries and metadata."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from s3memory.aws.errors import AnswerError, RequestError
from s3memory.aws.fast.connections import KEPT_CONNECTIONS
from s3memory.aws.fast.http import Exchange, HttpAnswer, HttpRequest, SigningKeys
from s3memory.aws.fast.retries import Retries
from s3memory.aws.request_counts import count_sent
from s3memory.aws.retry import request_seconds
from s3memory.aws.waiting import waiting_for

_READING = frozenset({"GET", "HEAD"})
_OK = range(200, 300)


@dataclass(frozen=True, slots=True)
class Meta:
    """A client's metadata, with boto3's names, and the means to watch its attempts: an `s3.transport.Meta`."""

    endpoint_url: str
    region_name: str
    watch_attempts: Callable[[Callable[[RequestError], None]], None]
    requests_at_once: int = KEPT_CONNECTIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One service at one address, with everything needed to sign, send and retry its requests.

    Attributes:
        name, region: the service and the region that requests are signed for.
        address: its URL, without a slash at the end.
        keys: returns the credentials for one attempt.
        exchange, retries: send a request, and resend it.
        timeout_seconds: how long an attempt may take once connected.
    """

    name: str
    address: str
    region: str
    keys: Callable[[], SigningKeys]
    exchange: Exchange
    retries: Retries
    timeout_seconds: float

    @property
    def meta(self) -> Meta:
        """The metadata of the service's client."""
        return Meta(self.address, self.region, self.retries.watchers.add)

    def answer_to(
        self,
        operation: str,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes = b"",
        *,
        region: str | None = None,
        max_bytes: int = 0,
        streams: bool = False,
        checked: Callable[[HttpAnswer], HttpAnswer],
    ) -> HttpAnswer:
        """Send a request, with retries, and return what `checked` returns for the response. It may also raise.

        See `HttpRequest` for the parts of the request, and `Retries.run` for `streams`.

        Raises:
            RequestError: no attempt succeeded. Errors of getting credentials are raised unchanged.
        """

        def attempt() -> HttpAnswer:
            request = HttpRequest(
                operation,
                method,
                url,
                headers,
                body,
                self.name,
                region or self.region,
                self.keys(),
                self.timeout_seconds,
                max_bytes,
                request_seconds(),
            )
            if self.name != "sts":  # requests to STS are the process's, not a command's
                count_sent(operation)
            return checked(self.exchange(request))

        with waiting_for(self.address):
            return self.retries.run(attempt, reads=method in _READING, streams=streams)


def is_ok(answer: HttpAnswer) -> bool:
    """Whether a response's status is a success."""
    return answer.status in _OK


def xml_of(answer: HttpAnswer) -> ET.Element | None:
    """Return a response's XML, or ``None`` if it has none that can be parsed."""
    try:
        return ET.fromstring(answer.body) if answer.body else None  # noqa: S314 - expat limits entity expansion
    except (ET.ParseError, LookupError, ValueError):  # the last two for an unknown or multi-byte encoding
        return None


def answer_error(answer: HttpAnswer, code: str) -> AnswerError:
    """Return the error for an error response."""
    milliseconds = answer.headers.get("x-amz-retry-after", "")
    pause = float(milliseconds) / 1_000 if milliseconds.isascii() and milliseconds.isdigit() else None
    return AnswerError(status=answer.status, code=code, retry_after_seconds=pause, headers=answer.headers)
