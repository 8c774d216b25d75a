"""Faults on a botocore client: what networks, S3 and other writers do between our request and its response.

The layer uses the client's ``before-send`` events, around moto, so that all of our code and botocore's own retries run
unchanged. A fault hits requests of one operation, by number, or the requests that a `Chooser` picks.
"""

from __future__ import annotations

import io
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ConnectionClosedError, EndpointConnectionError
from botocore.response import StreamingBody
from urllib3.exceptions import ReadTimeoutError

_ERROR = "<Error><Code>{code}</Code><Message>by the fault layer</Message></Error>"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that happens to one request.

    Attributes:
        action: called before the request reaches the server, for example to act as another writer.
        is_sent: whether the server carries the request out.
        answer: status and error code that replace the server's response; ``None`` for no response at all.
        is_answered: whether the server's own response comes back.
        body: changes the response's body: a byte stream for GetObject, bytes otherwise.
        error: what botocore raises when no response comes back, instead of its error for a broken connection.
        document: the body of `answer`, instead of an error document.
    """

    action: Callable[[], object] | None = None
    is_sent: bool = True
    answer: tuple[int, str] | None = None
    is_answered: bool = False
    body: Callable[[Any], Any] | None = None
    error: Exception | None = None
    document: str | None = None


Chooser = Callable[[int, str], Fault | None]
"""Maps a request's number (from 1, over all operations) and operation to what happens to it."""


NOT_SENT = Fault(is_sent=False)
ANSWER_LOST = Fault()


def refused(status: int, code: str) -> Fault:
    """The server answers with an error and does nothing."""
    return Fault(is_sent=False, answer=(status, code))


def done_but_reported(status: int, code: str) -> Fault:
    """The server carries out the request, and answers with an error."""
    return Fault(answer=(status, code))


def other_writer_first(action: Callable[[], object]) -> Fault:
    """Another writer comes first."""
    return Fault(action=action, is_answered=True)


def cut(body: Any) -> Any:
    """A body that breaks off halfway."""
    data = body if isinstance(body, bytes) else body.read()
    half = data[: len(data) // 2]
    return half if isinstance(body, bytes) else StreamingBody(io.BytesIO(half), len(data))


def stalled(body: Any) -> Any:
    """A body that starts and then stalls until the read times out."""
    return cut(body) if isinstance(body, bytes) else StreamingBody(_Stalled(), 0)


def errors_by_key(errors: Iterable[tuple[str, str, str]]) -> Fault:
    """DeleteObjects is not carried out, and answers 200 with error codes by object key and version id."""
    told = "".join(
        f"<Error><Key>{escape(key)}</Key><VersionId>{version_id}</VersionId><Code>{code}</Code></Error>"
        for key, version_id, code in errors
    )
    return Fault(is_sent=False, answer=(200, ""), document=f"<DeleteResult>{told}</DeleteResult>")


BODY_CUT = Fault(is_answered=True, body=cut)
BODY_STALLED = Fault(is_answered=True, body=stalled)


class Killed(BaseException):
    """The process ends here: none of our code catches it."""


def _kill() -> None:
    raise Killed


KILL = other_writer_first(_kill)
"""The process ends before the request is sent."""


class FaultLayer:
    """Faults for one client's requests, and a record of all of them. Other writers use another client."""

    def __init__(self, client: Any) -> None:
        client = getattr(client, "of_boto3", client)  # a libcurl client passes the hooks of its boto3 client
        self._events = client.meta.events
        self._service = client.meta.service_model.service_name
        self._faults: dict[tuple[str, int], Fault] = {}
        self._of_objects: dict[tuple[str, str, str | None], Fault] = {}
        self._hit: dict[int, Fault] = {}
        self._of_thread = threading.local()
        self._choose: Chooser | None = None
        self._lock = threading.Lock()
        self.requests: list[str] = []
        self.counts: Counter[str] = Counter()

    def __enter__(self) -> Self:
        self._events.register_first(f"before-send.{self._service}", self._before)
        # botocore calls the handlers of the most specific event first; moto uses the general one.
        self._events.register_last("before-send", self._after)
        self._events.register(f"before-parse.{self._service}", self._answered)
        return self

    def __exit__(self, *_: object) -> None:
        self._events.unregister(f"before-send.{self._service}", self._before)
        self._events.unregister("before-send", self._after)
        self._events.unregister(f"before-parse.{self._service}", self._answered)

    def hit_object(self, operation: str, object_key: str, fault: Fault, *, version_id: str | None = None) -> None:
        """Apply a fault to every request of an operation for one object, or for one version of it."""
        self._of_objects[operation, object_key, version_id] = fault

    def _of_object(self, operation: str, url: str) -> Fault | None:
        parts = urlsplit(url)
        path, version_ids = unquote(parts.path), parse_qs(parts.query).get("versionId", [])
        return next(
            (
                fault
                for (about, object_key, version_id), fault in self._of_objects.items()
                if about == operation
                and path.endswith(f"/{object_key}")
                and (version_id is None or version_id in version_ids)
            ),
            None,
        )

    def hit(self, operation: str, fault: Fault, *, nth: int = 1, times: int = 1) -> None:
        """Apply a fault to the `nth` request of an operation from now on, and to `times` in a row."""
        seen = self.counts[operation]
        for number in range(seen + nth, seen + nth + times):
            self._faults[operation, number] = fault

    def follow(self, choose: Chooser) -> None:
        """From now on, apply the faults that `choose` picks, request by request."""
        self.clear()
        self._choose = choose

    def clear(self) -> None:
        """Stop all faults, and clear the record."""
        self._faults.clear()
        self._of_objects.clear()
        self._choose = None
        self.requests.clear()

    def _before(self, request: AWSPreparedRequest, event_name: str, **_: object) -> AWSResponse | None:
        operation = event_name.rpartition(".")[2]
        with self._lock:
            self.requests.append(operation)
            self.counts[operation] += 1
            fault = self._faults.get((operation, self.counts[operation]))
            fault = fault or self._of_object(operation, request.url)
            if self._choose is not None:
                fault = self._choose(len(self.requests), operation)
        self._of_thread.fault = fault
        if fault is None:
            return None
        if fault.action is not None:
            fault.action()
        if not fault.is_sent:
            if fault.answer is None:
                raise fault.error or EndpointConnectionError(endpoint_url="fault")
            make_harmless(request)
        self._hit[id(request)] = fault  # only for requests that continue: a killed one would leave its id to others
        return None if fault.answer is None else error_answer(request, *fault.answer, fault.document)

    def _after(self, request: AWSPreparedRequest, **_: object) -> None:
        fault = self._hit.pop(id(request), None)
        if fault is not None and fault.answer is None and not fault.is_answered:
            raise fault.error or ConnectionClosedError(endpoint_url="fault")

    def _answered(self, response_dict: dict[str, Any], **_: object) -> None:
        fault: Fault | None = self._of_thread.fault
        if fault is not None and fault.body is not None:
            response_dict["body"] = fault.body(response_dict["body"])


class _Stalled(io.BytesIO):
    def read(self, _amount: int | None = None, /) -> bytes:
        raise ReadTimeoutError(None, None, "by the fault layer")  # type: ignore[arg-type]  # as a socket's, of no pool


class RawBody(io.BytesIO):
    """A body in the form that urllib3 returns."""

    def stream(self, **_: object) -> Iterator[bytes]:
        yield self.read()


def make_harmless(request: AWSPreparedRequest) -> None:
    """Replace a request by a harmless one: all handlers of the event and the server see it, even if one answers."""
    request.method, request.body = "GET", None
    request.url = f"{request.url.partition('?')[0].rpartition('/')[0]}?location"


def error_answer(request: AWSPreparedRequest, status: int, code: str, document: str | None = None) -> AWSResponse:
    """Return an S3 error response, or one with another document."""
    body = (document or _ERROR.format(code=code)).encode()
    headers = HTTPHeaders.from_dict({"content-type": "application/xml"})
    return AWSResponse(request.url, status, headers, RawBody(body))
