"""Faults on a botocore client: what networks, S3 and other writers do between our request and its answer.

The layer sits on the client's ``before-send`` events, around moto, so that everything of ours and botocore's own
retries run as they are. Each fault hits the requests of one operation, by their number.
"""

from __future__ import annotations

import io
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ConnectionClosedError, EndpointConnectionError

_ERROR = "<Error><Code>{code}</Code><Message>by the fault layer</Message></Error>"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that happens to one request.

    Attributes:
        action: done before the request reaches the server, as by another writer.
        is_sent: whether the server carries the request out.
        answer: status and error code that come back in place of the server's answer; ``None`` for none at all.
        is_answered: whether the server's own answer comes back.
    """

    action: Callable[[], object] | None = None
    is_sent: bool = True
    answer: tuple[int, str] | None = None
    is_answered: bool = False


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


class FaultLayer:
    """Faults for one client's requests, and a record of them all. What other writers do goes through another client."""

    def __init__(self, client: Any) -> None:
        self._events = client.meta.events
        self._service = client.meta.service_model.service_name
        self._faults: dict[tuple[str, int], Fault] = {}
        self._hit: dict[int, Fault] = {}
        self._lock = threading.Lock()
        self.requests: list[str] = []
        self.counts: Counter[str] = Counter()

    def __enter__(self) -> Self:
        self._events.register_first(f"before-send.{self._service}", self._before)
        # botocore calls the handlers of the most specific event first, and moto's is the general one.
        self._events.register_last("before-send", self._after)
        return self

    def __exit__(self, *_: object) -> None:
        self._events.unregister(f"before-send.{self._service}", self._before)
        self._events.unregister("before-send", self._after)

    def hit(self, operation: str, fault: Fault, *, nth: int = 1, times: int = 1) -> None:
        """Let a fault happen to the `nth` request of an operation from now on, and to so many after it."""
        seen = self.counts[operation]
        for number in range(seen + nth, seen + nth + times):
            self._faults[operation, number] = fault

    def clear(self) -> None:
        """Let no further fault happen, and forget the record."""
        self._faults.clear()
        self.requests.clear()

    def _before(self, request: AWSPreparedRequest, event_name: str, **_: object) -> AWSResponse | None:
        operation = event_name.rpartition(".")[2]
        with self._lock:
            self.requests.append(operation)
            self.counts[operation] += 1
            fault = self._faults.get((operation, self.counts[operation]))
        if fault is None:
            return None
        self._hit[id(request)] = fault
        if fault.action is not None:
            fault.action()
        if not fault.is_sent:
            if fault.answer is None:
                raise EndpointConnectionError(endpoint_url="fault")
            # Every handler of the event sees the request, so the server gets a harmless one in its place.
            request.method, request.body = "GET", None
            request.url = f"{request.url.partition('?')[0].rpartition('/')[0]}?location"
        return None if fault.answer is None else _answer(request, *fault.answer)

    def _after(self, request: AWSPreparedRequest, **_: object) -> None:
        fault = self._hit.pop(id(request), None)
        if fault is not None and fault.answer is None and not fault.is_answered:
            raise ConnectionClosedError(endpoint_url="fault")


class _Raw(io.BytesIO):
    def stream(self, **_: object) -> Iterator[bytes]:
        yield self.read()


def _answer(request: AWSPreparedRequest, status: int, code: str) -> AWSResponse:
    body = _ERROR.format(code=code).encode()
    headers = HTTPHeaders.from_dict({"content-type": "application/xml"})
    return AWSResponse(request.url, status, headers, _Raw(body))
