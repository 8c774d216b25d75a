"""What the clients of all services share: an address, credentials, tries, and what is known of a client."""

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
    """What a client says of itself, by boto3's names, and who wants to know of its tries: a `s3.transport.Meta`."""

    endpoint_url: str
    region_name: str
    watch_tries: Callable[[Callable[[RequestError], None]], None]
    requests_at_once: int = KEPT_CONNECTIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One service at one address: what its requests are signed for, what sends them, and what sends them again.

    Attributes:
        address: without a slash at its end.
        keys: gives the credentials for one try.
        timeout_seconds: how long a try may take once there is a connection.
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
        """What the service's client says of itself."""
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
        """Send a request, as often as it takes, and return the answer: what `checked` makes of it, or raises.

        What is sent is as in `HttpRequest`, and `streams` as for `Retries.tried`.

        Raises:
            RequestError: no try succeeded. What getting credentials raises is raised as it is.
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
            if self.name != "sts":  # the process's own, and no command's
                count_sent(operation)
            return checked(self.exchange(request))

        with waiting_for(self.address):
            return self.retries.tried(attempt, reads=method in _READING, streams=streams)


def is_ok(answer: HttpAnswer) -> bool:
    """Whether an answer's status is one of success."""
    return answer.status in _OK


def xml_of(answer: HttpAnswer) -> ET.Element | None:
    """Return an answer's XML, or ``None`` if it has none that can be read."""
    try:
        return ET.fromstring(answer.body) if answer.body else None  # noqa: S314 - expat bounds what entities become
    except (ET.ParseError, LookupError, ValueError):  # the latter two of an encoding that is unknown, or has long codes
        return None


def answer_error(answer: HttpAnswer, code: str) -> AnswerError:
    """Return the error that an answer is."""
    milliseconds = answer.headers.get("x-amz-retry-after", "")
    pause = float(milliseconds) / 1_000 if milliseconds.isascii() and milliseconds.isdigit() else None
    return AnswerError(status=answer.status, code=code, retry_after_seconds=pause, headers=answer.headers)
