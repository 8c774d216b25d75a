"""Faults on a botocore client: what networks, S3 and other writers do between our request and its answer.

The layer sits on the client's ``before-send`` events, around moto, so that everything of ours and botocore's own
retries run as they are. A fault hits the requests of one operation, by their number, or what a `Chooser` chooses.
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
        action: done before the request reaches the server, as by another writer.
        is_sent: whether the server carries the request out.
        answer: status and error code that come back in place of the server's answer; ``None`` for none at all.
        is_answered: whether the server's own answer comes back.
        body: what becomes of the answer's body: of a stream of bytes for GetObject, else of its bytes.
        error: what botocore raises where no answer comes back, in place of what a broken connection is to it.
        document: what `answer` has as its body, in place of an error's.
    """

    action: Callable[[], object] | None = None
    is_sent: bool = True
    answer: tuple[int, str] | None = None
    is_answered: bool = False
    body: Callable[[Any], Any] | None = None
    error: Exception | None = None
    document: str | None = None


Chooser = Callable[[int, str], Fault | None]
"""From the number of a request, counted from 1 over all operations, and its operation, to what happens to it."""


NOT_SENT = Fault(is_sent=False)
ANSWER_LOST = Fault()


def refused(status: int, code: str) -> Fault:
    """The server answers with an error and does nothing."""
    return Fault(is_sent=False, answer=(status, code))


def done_but_reported(status: int, code: str) -> Fault:
    """The server does it, and answers with an error."""
    return Fault(answer=(status, code))


def first_comes(action: Callable[[], object]) -> Fault:
    """Another writer is faster."""
    return Fault(action=action, is_answered=True)


def cut(body: Any) -> Any:
    """A body that breaks off half-way."""
    data = body if isinstance(body, bytes) else body.read()
    half = data[: len(data) // 2]
    return half if isinstance(body, bytes) else StreamingBody(io.BytesIO(half), len(data))


def stalled(body: Any) -> Any:
    """A body that begins and then does not go on in time."""
    return cut(body) if isinstance(body, bytes) else StreamingBody(_Stalled(), 0)


def errors_by_key(errors: Iterable[tuple[str, str, str]]) -> Fault:
    """DeleteObjects is not carried out, and answers 200 with errors: of object keys and version ids, their codes."""
    told = "".join(
        f"<Error><Key>{escape(key)}</Key><VersionId>{version_id}</VersionId><Code>{code}</Code></Error>"
        for key, version_id, code in errors
    )
    return Fault(is_sent=False, answer=(200, ""), document=f"<DeleteResult>{told}</DeleteResult>")


BODY_CUT = Fault(is_answered=True, body=cut)
BODY_STALLED = Fault(is_answered=True, body=stalled)


class Killed(BaseException):
    """The process ends here: nothing of ours catches it."""


def _kill() -> None:
    raise Killed


KILL = first_comes(_kill)
"""The process ends before the request is sent."""


class FaultLayer:
    """Faults for one client's requests, and a record of them all. What other writers do goes through another client."""

    def __init__(self, client: Any) -> None:
        client = getattr(client, "of_boto3", client)  # what is on libcurl passes the hooks of boto3's client
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
        # botocore calls the handlers of the most specific event first, and moto's is the general one.
        self._events.register_last("before-send", self._after)
        self._events.register(f"before-parse.{self._service}", self._answered)
        return self

    def __exit__(self, *_: object) -> None:
        self._events.unregister(f"before-send.{self._service}", self._before)
        self._events.unregister("before-send", self._after)
        self._events.unregister(f"before-parse.{self._service}", self._answered)

    def hit_object(self, operation: str, object_key: str, fault: Fault, *, version_id: str | None = None) -> None:
        """Let a fault happen to every request of an operation for one object, or for one version of it."""
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
        """Let a fault happen to the `nth` request of an operation from now on, and to so many after it."""
        seen = self.counts[operation]
        for number in range(seen + nth, seen + nth + times):
            self._faults[operation, number] = fault

    def follow(self, choose: Chooser) -> None:
        """Let faults happen as they are chosen, request by request, from now on."""
        self.clear()
        self._choose = choose

    def clear(self) -> None:
        """Let no further fault happen, and forget the record."""
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
        self._hit[id(request)] = fault  # of one that goes on: who ends here leaves its id to others
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
    """A body as urllib3 hands it out."""

    def stream(self, **_: object) -> Iterator[bytes]:
        yield self.read()


def make_harmless(request: AWSPreparedRequest) -> None:
    """Put a harmless request in its place: every handler of the event sees it, the server too, whatever one answers."""
    request.method, request.body = "GET", None
    request.url = f"{request.url.partition('?')[0].rpartition('/')[0]}?location"


def error_answer(request: AWSPreparedRequest, status: int, code: str, document: str | None = None) -> AWSResponse:
    """Return an error as S3 answers it, or with another document."""
    body = (document or _ERROR.format(code=code)).encode()
    headers = HTTPHeaders.from_dict({"content-type": "application/xml"})
    return AWSResponse(request.url, status, headers, RawBody(body))
