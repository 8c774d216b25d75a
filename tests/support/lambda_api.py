"""Lambda's Runtime API on loopback: it hands events to a function's process and receives the results.

The paths and headers are those of AWS's runtime API, version 2018-06-01.
"""

from __future__ import annotations

import json
import queue
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from s3memory.testing.loopback import Response
from support.getting import GettingServer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_API: Final = "/2018-06-01/runtime"
_TAKEN: Final = Response(202, "application/json", b'{"status":"OK"}')
_UNKNOWN: Final = Response(404, "application/json", b"{}")
_GONE: Final = Response(410, "application/json", b"{}")


@dataclass(frozen=True, slots=True)
class FunctionError:
    """What the runtime reported about a failure, or what Lambda itself says about a process that has ended.

    Attributes:
        error_type: the exception's name, ``Sandbox.Timedout`` or ``Runtime.ExitError``.
        message: the exception's text.
        stack_trace: its frames, one text each.
    """

    error_type: str
    message: str
    stack_trace: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """One event as the process receives it.

    Attributes:
        request_id: Lambda's id of the invocation.
        payload: the event as JSON.
        deadline_ms: when the invocation must end, in milliseconds since 1970.
        function_arn: which function was invoked.
        tenant_id: whose execution environment this is, in Lambda's tenant isolation mode.
    """

    request_id: str
    payload: bytes
    deadline_ms: int
    function_arn: str
    tenant_id: str | None = None


class RuntimeAPI:
    """The Runtime API for one process after another: `expect` prepares for a new one.

    Attributes:
        asked: the calls so far, in order: ``next``, ``response``, ``error``, ``init/error``, ``restore/next``.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._server = GettingServer(self._posted, self._got)
        self.expect()

    def expect(self) -> None:
        """Prepare for a new process."""
        self.initialised = threading.Event()
        self.init_error: FunctionError | None = None
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._outcomes: queue.SimpleQueue[tuple[Any, FunctionError | None]] = queue.SimpleQueue()

    @property
    def address(self) -> str:
        """Host and port in the form of ``AWS_LAMBDA_RUNTIME_API``."""
        return self._server.url.removeprefix("http://")

    def start(self) -> None:
        """Start answering."""
        self._server.start()

    def stop(self) -> None:
        """Stop, and leave no thread or socket behind."""
        self.release()
        self._server.stop()

    def release(self) -> None:
        """Release a process that ended while it waited for an event."""
        self._events.put(None)

    def send(self, event: Event) -> None:
        """Hand an event to the process when it next asks for one."""
        self._events.put(event)

    def outcome(self, timeout_seconds: float) -> tuple[Any, FunctionError | None] | None:
        """Return the next reported response and error, one of them ``None``; ``None`` if the time runs out first."""
        try:
            return self._outcomes.get(timeout=max(0.0, timeout_seconds))
        except queue.Empty:
            return None

    def _got(self, path: str) -> Response:
        what = path.removeprefix(f"{_API}/").removeprefix("invocation/")
        self.asked.append(what)
        if what == "restore/next":
            return Response(200, "application/json", b"")
        if what != "next":
            return _UNKNOWN
        events = self._events
        self.initialised.set()
        event = events.get()
        if event is None:
            return _GONE
        headers = {
            "Lambda-Runtime-Aws-Request-Id": event.request_id,
            "Lambda-Runtime-Deadline-Ms": str(event.deadline_ms),
            "Lambda-Runtime-Invoked-Function-Arn": event.function_arn,
            "Lambda-Runtime-Trace-Id": "Root=1-00000000-000000000000000000000000;Sampled=0",
        }
        if event.tenant_id is not None:
            headers["Lambda-Runtime-Aws-Tenant-Id"] = event.tenant_id
        return Response(200, "application/json", event.payload, headers)

    def _posted(self, path: str, _: Mapping[str, str], payload: bytes) -> Response:
        what = path.rpartition("/")[2] if path.startswith(f"{_API}/invocation/") else path.removeprefix(f"{_API}/")
        self.asked.append(what)
        if what == "response":
            self._outcomes.put((json.loads(payload), None))
            return _TAKEN
        fields = json.loads(payload)
        error = FunctionError(fields["errorType"], fields["errorMessage"], tuple(fields.get("stackTrace", ())))
        if what == "error":
            self._outcomes.put((None, error))
        else:
            self.init_error = error
        return _TAKEN
