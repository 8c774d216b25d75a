"""What can happen to a request, as botocore's HTTP session shows it: `test_adversary` compares it with real sockets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import (
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
    SSLError,
)
from support.faults import RawBody
from urllib3.exceptions import ReadTimeoutError as BodyTimeoutError
from urllib3.exceptions import SSLError as BodyTLSError

from adversary.http_s3 import Answer, HttpS3, Request, delete_request, delete_result, error_answer, key_error

_SERVER_ERRORS = ("InternalError", "SlowDown", "ServiceUnavailable", "RequestTimeout")


class Acts(Enum):
    """When the server carries out a request that a fault hits."""

    NEVER = "never"
    NOW = "now"
    LATE = "late"


class Ending(Enum):
    """How the request ends for the client."""

    REFUSED = "the connection is refused"
    CONNECT_TIMEOUT = "no connection in time"
    HANDSHAKE = "the TLS handshake fails"
    CLOSED = "the connection is closed"
    TIMEOUT = "no answer in time"
    DAMAGED = "a TLS record is damaged"
    HALF = "half of the answer comes"
    STALLED = "half of the answer comes, and no more in time"
    ERROR = "an error is answered"
    BY_KEY = "errors by key are answered"
    DIES = "the client's process dies"


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to one request.

    Attributes:
        ending: what the client sees.
        acts: when the server carries out the request, if it does.
        code: the error code of the response.
    """

    ending: Ending
    acts: Acts = Acts.NEVER
    code: str = ""

    def __str__(self) -> str:
        code = f" ({self.code})" if self.code else ""
        return f"{self.ending.value}{code}, the server acts {self.acts.value}"


FAULTS: tuple[Fault, ...] = (
    Fault(Ending.REFUSED),
    Fault(Ending.CONNECT_TIMEOUT),
    Fault(Ending.HANDSHAKE),
    Fault(Ending.CLOSED),
    Fault(Ending.TIMEOUT),
    *(
        Fault(ending, acts)
        for ending in (Ending.CLOSED, Ending.TIMEOUT, Ending.DAMAGED)
        for acts in (Acts.NOW, Acts.LATE)
    ),
    Fault(Ending.HALF, Acts.NOW),
    Fault(Ending.STALLED, Acts.NOW),
    *(Fault(Ending.ERROR, acts, code) for code in _SERVER_ERRORS for acts in (Acts.NEVER, Acts.NOW)),
    *(Fault(Ending.BY_KEY, acts, code) for code in _SERVER_ERRORS[:3] for acts in (Acts.NEVER, Acts.NOW)),
    Fault(Ending.ERROR, Acts.NEVER, "ConditionalRequestConflict"),
    Fault(Ending.ERROR, Acts.NEVER, "AccessDenied"),
    *(Fault(Ending.DIES, acts) for acts in Acts),
)


class Died(BaseException):
    """The client's process ends here: none of our code catches it."""


def answered(fault: Fault | None, request: Request, act: Callable[[Request], Answer]) -> Answer | None:
    """Let the server act, if it does so now. Return the response on its way back, if any.

    Args:
        fault: what happens.
        request: the request.
        act: has the server carry out a request.
    """
    if fault is not None and fault.ending is Ending.BY_KEY and request.operation == "DeleteObjects":
        return _by_key(fault, request, act)
    answer = act(request) if fault is None or fault.acts is Acts.NOW else None
    if fault is None or fault.ending not in {Ending.BY_KEY, Ending.ERROR}:
        return answer
    code = fault.code
    if code == "ConditionalRequestConflict" and request.operation not in {"PutObject", "DeleteObject"}:
        code = "SlowDown"  # S3 answers 409 to conditional writes only
    return error_answer(code, has_body=request.method != "HEAD")


def _by_key(fault: Fault, request: Request, act: Callable[[Request], Answer]) -> Answer:
    """Answer with errors for every second key, deleted or not; the others are deleted or refused as usual."""
    entries = HttpS3.entries(request)
    failed, others = entries[::2], entries[1::2]
    if fault.acts is Acts.NOW:
        act(delete_request(request, failed))
    own = act(delete_request(request, others)).body.decode() if others else ""
    errors = own[own.find("<Error>") : own.rfind("</Error>") + len("</Error>")] if "<Error>" in own else ""
    return delete_result("".join(key_error(entry, fault.code) for entry in failed) + errors)


def seen(fault: Fault | None, request: Request, answer: Answer | None, *, streams: bool) -> AWSResponse:
    """Return or raise what botocore's session does when the client sees the response in this way.

    Args:
        fault: what happens.
        request: the request.
        answer: the response on its way back.
        streams: whether the response's body is read later.
    """
    if answer is not None and (fault is None or fault.ending in {Ending.BY_KEY, Ending.ERROR}):
        return _response(request, answer)
    if fault is None:
        raise AssertionError("the server answers where there is no fault")
    breaks = fault.ending in {Ending.HALF, Ending.STALLED} or (fault.ending is Ending.DAMAGED and streams)
    if breaks and answer is not None and answer.body:
        return _broken(fault.ending, request, answer, streams=streams)
    if fault.ending is Ending.DIES:
        raise Died
    raise _ERRORS[fault.ending](endpoint_url=request.url, error="by the adversary")


_ERRORS: dict[Ending, Callable[..., Exception]] = {
    Ending.REFUSED: EndpointConnectionError,
    Ending.CONNECT_TIMEOUT: ConnectTimeoutError,
    Ending.HANDSHAKE: SSLError,
    Ending.CLOSED: ConnectionClosedError,
    Ending.HALF: ConnectionClosedError,
    Ending.TIMEOUT: ReadTimeoutError,
    Ending.STALLED: ReadTimeoutError,
    Ending.DAMAGED: SSLError,
}


def _broken(ending: Ending, request: Request, answer: Answer, *, streams: bool) -> AWSResponse:
    half = answer.body[: len(answer.body) // 2]
    if ending is Ending.HALF:
        return _response(request, Answer(answer.status, half, answer.headers))
    if not streams:
        raise _ERRORS[ending](endpoint_url=request.url, error="by the adversary")
    failure = (
        BodyTimeoutError(None, None, "by the adversary")  # type: ignore[arg-type]  # as a socket's, of no pool
        if ending is Ending.STALLED
        else BodyTLSError("by the adversary")
    )
    return AWSResponse(request.url, answer.status, _headers(answer.headers), _BrokenRaw(half, failure))


def _response(request: Request, answer: Answer) -> AWSResponse:
    return response(request.url, answer.status, answer.headers, answer.body)


def response(url: str, status: int, headers: Mapping[str, str], body: bytes) -> AWSResponse:
    """Return a response in the form of botocore's session."""
    return AWSResponse(url, status, _headers(headers), RawBody(body))


def _headers(headers: Mapping[str, str]) -> Any:
    return HTTPHeaders.from_dict(dict(headers))


class _BrokenRaw(RawBody):
    def __init__(self, half: bytes, failure: Exception) -> None:
        super().__init__(half)
        self._failure = failure

    def stream(self, **_: object) -> Iterator[bytes]:
        raise self._failure

    def read(self, _amount: int | None = None, /) -> bytes:
        raise self._failure
