"""What can go wrong between one client and S3, request by request, decided in advance."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from types import SimpleNamespace
from typing import Any, NoReturn

from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    EndpointConnectionError,
    IncompleteReadError,
    ReadTimeoutError,
)
from hypothesis import strategies as st

_WRITES = frozenset({"put_object", "delete_object", "delete_objects"})


class Crash(BaseException):
    """The process that sent the request ends here."""


class Fault(Enum):
    """What happens to one request."""

    NOT_SENT = auto()
    """The connection fails."""
    NOT_DONE = auto()
    """The server does nothing, and no response comes."""
    ANSWER_LOST = auto()
    """The server carries it out, and no response comes."""
    CUT = auto()
    """As `ANSWER_LOST`; a body breaks off while it is read."""
    INTERNAL_ERROR = auto()
    """The server answers 500 without carrying it out."""
    INTERNAL_ERROR_DONE = auto()
    """The server answers 500 after carrying it out."""
    SLOW_DOWN = auto()
    """The server answers 503 without carrying it out."""
    CONFLICT = auto()
    """The server answers 409 to a write without carrying it out; a read gets a 503."""
    DENIED = auto()
    """The server answers 403."""
    SENT_TWICE = auto()
    """The server carries it out, no response comes, and botocore sends it again."""
    SENT_AGAIN = auto()
    """The server does nothing, no response comes, and botocore sends it again."""
    PARTLY = auto()
    """The server deletes several objects except for one; any other request gets an internal error."""
    CRASH = auto()
    """The client's process dies before it can send the request."""


_ANSWERS = {
    Fault.INTERNAL_ERROR: ("InternalError", 500),
    Fault.INTERNAL_ERROR_DONE: ("InternalError", 500),
    Fault.SLOW_DOWN: ("SlowDown", 503),
    Fault.CONFLICT: ("ConditionalRequestConflict", 409),
    Fault.DENIED: ("AccessDenied", 403),
    Fault.PARTLY: ("InternalError", 500),
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fault, and the requests of a command that it hits.

    Attributes:
        fault: what happens.
        at: the number of the request, from 1.
        lasts: whether it also hits all later requests.
    """

    fault: Fault
    at: int
    lasts: bool = False

    def hits(self, number: int) -> bool:
        """Whether it hits a request."""
        return number == self.at or (self.lasts and number > self.at)


TROUBLES = st.lists(
    st.builds(Trouble, st.sampled_from(Fault), at=st.integers(1, 14), lasts=st.booleans()), min_size=1, max_size=2
)

Send = Callable[[], dict[str, Any]]


class Wire:
    """Sits between one client and the server, counts requests, and applies the faults that it is given."""

    def __init__(self, client: Any) -> None:
        self.meta = SimpleNamespace(endpoint_url=client.meta.endpoint_url, events=_Events(client))
        self._client = client
        self.sent = 0
        self.is_hit = False
        self._troubles: list[Trouble] = []
        self._interlude: tuple[int, Callable[[], object]] | None = None

    def calm(self) -> None:
        """Let all requests through, and restart the count."""
        self.sent = 0
        self.is_hit = False
        self._troubles = []
        self._interlude = None

    def trouble(self, troubles: list[Trouble]) -> None:
        """Apply faults to the next requests."""
        self.calm()
        self._troubles = troubles

    def interrupt(self, at: int, action: Callable[[], object]) -> None:
        """Do something else before one of the next requests."""
        self.calm()
        self._interlude = (at, action)

    def __getattr__(self, operation: str) -> Callable[..., dict[str, Any]]:
        return partial(self._send, operation)

    def _send(self, operation: str, **arguments: Any) -> dict[str, Any]:
        self.sent += 1
        send: Send = partial(getattr(self._client, operation), **arguments)
        if self._interlude is not None and self.sent == self._interlude[0]:
            self.is_hit = True
            self._interlude[1]()
        trouble = next((trouble for trouble in self._troubles if trouble.hits(self.sent)), None)
        if trouble is None:
            return send()
        self.is_hit = True
        if trouble.fault in {Fault.SENT_TWICE, Fault.SENT_AGAIN}:
            if trouble.fault is Fault.SENT_TWICE:
                _carry_out(send)
            self.meta.events.say_unanswered()
            return send()
        return _hit(trouble.fault, operation, arguments, send)


class _Events:
    """A botocore client's events, including those of simulated attempts."""

    def __init__(self, client: Any) -> None:
        self._events = getattr(client.meta, "events", None)
        self._handlers: dict[str, Callable[..., object]] = {}

    def register(self, event: str, handler: Callable[..., object], unique_id: str) -> None:
        """Call a handler for the attempts that botocore makes, or seems to make."""
        if event == "needs-retry":
            self._handlers[unique_id] = handler
        if self._events is not None:
            self._events.register(event, handler, unique_id=unique_id)

    def register_last(self, event: str, handler: Callable[..., object], unique_id: str) -> None:
        """Call a handler for botocore's events, after all other handlers."""
        if self._events is not None:
            self._events.register_last(event, handler, unique_id=unique_id)

    def say_unanswered(self) -> None:
        """Report an attempt without a response, as botocore does before it retries."""
        for handler in self._handlers.values():
            handler(response=None, caught_exception=ConnectionClosedError(endpoint_url="machine"))


def _hit(fault: Fault, operation: str, arguments: dict[str, Any], send: Send) -> dict[str, Any]:
    """Apply a fault to a request. Return the response, if there is one."""
    if fault is Fault.CRASH:
        raise Crash
    if fault is Fault.NOT_SENT:
        raise EndpointConnectionError(endpoint_url="machine")
    if fault is Fault.NOT_DONE:
        raise ReadTimeoutError(endpoint_url="machine")
    if fault is Fault.PARTLY and operation == "delete_objects":
        return _partly_deleted(arguments, send)
    if fault is Fault.CUT and operation == "get_object":
        answer = send()
        answer["Body"].close()
        return {**answer, "Body": _CutBody()}
    if fault in {Fault.ANSWER_LOST, Fault.CUT, Fault.INTERNAL_ERROR_DONE}:
        _carry_out(send)
    if fault in {Fault.ANSWER_LOST, Fault.CUT}:
        raise ConnectionClosedError(endpoint_url="machine")
    if fault is Fault.CONFLICT and operation not in _WRITES:
        fault = Fault.SLOW_DOWN
    raise _client_error(*_ANSWERS[fault], operation)


def _carry_out(send: Send) -> None:
    """Send a request and drop its response."""
    with suppress(ClientError):
        answer = send()
        if "Body" in answer:
            answer["Body"].close()


def _partly_deleted(arguments: dict[str, Any], send: Send) -> dict[str, Any]:
    first, *others = arguments["Delete"]["Objects"]
    answer: dict[str, Any] = {}
    if others:
        answer = send.func(**{**arguments, "Delete": {**arguments["Delete"], "Objects": others}})  # type: ignore[attr-defined]
    error = {"Key": first["Key"], "Code": "InternalError"}
    return {**answer, "Errors": [*answer.get("Errors", []), error]}


def _client_error(code: str, status: int, operation: str) -> ClientError:
    metadata: Any = {"HTTPStatusCode": status, "RetryAttempts": 0}
    return ClientError({"Error": {"Code": code, "Message": code}, "ResponseMetadata": metadata}, operation)


class _CutBody:
    """A body that breaks off."""

    def read(self) -> NoReturn:
        raise IncompleteReadError(actual_bytes=0, expected_bytes=1)

    def close(self) -> None:
        pass
