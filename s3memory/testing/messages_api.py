"""A Messages API on loopback that plays a script, so that an agent can run offline with the SDK's own tool runner.

It needs only the standard library. The agent under test can run in this process or another, in Python or not.
"""

from __future__ import annotations

import json
import threading
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, Self

from s3memory.contract.views import count_of
from s3memory.testing import messages_wire as wire
from s3memory.testing.loopback import LoopbackServer, Response
from s3memory.testing.messages_script import (
    Failure,
    JsonObject,
    RecordedRequest,
    ScriptError,
    Step,
    ToolResult,
    Turn,
    blocks,
)

_CREDENTIAL_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization", "x-api-key"})


@dataclass(slots=True)
class _Thread:
    """The state that the API stores under the id of one reply."""

    conversation: Sequence[Mapping[str, Any]]
    tools: Sequence[Any]
    refusal: str | None = None
    """The error code for requests to continue this reply, which can be continued once. `None` before that."""


class ScriptedMessagesAPI:
    """A context manager that serves a script as `POST /v1/messages` on a free port of 127.0.0.1.

    Each request that the real API would accept takes the next step of the script. A request that it would refuse gets
    the API's error and takes no step: unknown or already continued threads, tool results that do not match the tool
    uses before them, a missing memory tool. Streamed replies and message threads are supported.

    One instance plays one script, in the order in which requests arrive. Any number of clients and threads can use it,
    but agents that run in parallel need one instance each, so that each has its own script. If a step raises, the
    request gets status 400, and leaving the context raises `ScriptError` from that exception.

    The SDK's client uses proxies from the environment, even for 127.0.0.1. If `HTTP_PROXY` may be set, pass it
    `http_client=httpx2.Client(trust_env=False)`, or set `environment`.

    Example:
        ```python
        script = [
            Turn("I look first.", [{"command": "view", "path": "/memories"}]),
            Failure(529),
            lambda request: Turn(f"I found: {request.tool_results[0].text}"),
        ]
        with ScriptedMessagesAPI(script) as api, Anthropic(api_key="offline", base_url=api.base_url) as client:
            client.beta.messages.tool_runner(..., tools=[memory]).until_done()
        assert not api.tool_results[0].is_error
        ```

    Attributes:
        requests: All requests whose body is a JSON object, in the order of arrival, refused ones included.
    """

    def __init__(self, script: Iterable[Step], *, strict: bool = True, require_memory_tool: bool = True) -> None:
        """Prepare a script; nothing listens before the context is entered.

        Args:
            script: The steps, in order.
            strict: Whether leaving the context raises `ScriptError` if steps were not requested. It does not if
                another exception is leaving the context.
            require_memory_tool: Whether a request without a tool of type `memory_20250818` is refused.
        """
        self.requests: list[RecordedRequest] = []
        self._script = list(script)
        self._strict = strict
        self._require_memory_tool = require_memory_tool
        self._served_steps = 0
        self._threads: dict[str, _Thread] = {}
        self._issued_ids: set[str] = set()
        self._tool_results: dict[str, ToolResult] = {}
        self._step_fault: BaseException | None = None
        self._departure: str | None = None  # how the agent departed from the script, in case it swallows the refusal
        self._request_ids = (f"req_{number:04}" for number in count(1))
        self._message_ids = (f"msg_{number:04}" for number in count(1))
        self._tool_use_ids = (f"toolu_{number:04}" for number in count(1))
        # Held for bookkeeping only, never while a step of the script runs: the step may wait for another client.
        self._lock = threading.Lock()
        self._server: LoopbackServer | None = None

    def __enter__(self) -> Self:
        if self._server is not None:
            raise RuntimeError("a scripted Messages API plays its script once; make another one")
        self._server = LoopbackServer(self._answer)
        self._server.start()
        return self

    def __exit__(self, _kind: object, exc: BaseException | None, _trace: object) -> None:
        if self._server is not None:
            self._server.stop()
        if self._step_fault is not None:
            if exc is None:
                raise ScriptError("a step of the script failed") from self._step_fault
            # The exception is most likely the client's view of this fault, without its traceback.
            exc.add_note("A step of the script failed:\n" + "".join(traceback.format_exception(self._step_fault)))
        elif self._strict and exc is None and self._departure is not None:
            raise ScriptError(self._departure)
        elif self._strict and exc is None and self.unserved_steps:
            raise ScriptError(
                f"{len(self.unserved_steps)} of {len(self._script)} steps of the script were never asked for; "
                f"the next would have been {self.unserved_steps[0]!r}"
            )

    @property
    def base_url(self) -> str:
        """The `base_url` for clients."""
        if self._server is None:
            raise RuntimeError("a scripted Messages API has an address once its context is entered")
        return self._server.url

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that direct an `Anthropic()` client in another process to this API.

        They set the address, some API key, and 127.0.0.1 as a host that needs no proxy.
        """
        no_proxy = dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1")
        return {"ANTHROPIC_BASE_URL": self.base_url, "ANTHROPIC_API_KEY": "offline", **no_proxy}

    @property
    def tool_results(self) -> list[ToolResult]:
        """The results of the script's tool calls, one for each call, in the order of arrival."""
        with self._lock:
            return list(self._tool_results.values())

    @property
    def unserved_steps(self) -> list[Step]:
        """The steps of the script that no request has taken yet."""
        with self._lock:
            return self._script[self._served_steps :]

    def _answer(self, path: str, headers: Mapping[str, str], payload: bytes) -> Response:
        with self._lock:
            request_id = next(self._request_ids)
        response_headers = {"request-id": request_id}
        try:
            message, streamed = self._reply(path, headers, payload)
        except wire.RefusedRequest as refusal:
            if refusal.retry_after_ms is not None:
                response_headers["retry-after-ms"] = str(refusal.retry_after_ms)
            error = wire.error_body(refusal, request_id=request_id)
            return Response(refusal.status, "application/json", json.dumps(error).encode(), response_headers)
        if streamed:
            return Response(200, "text/event-stream; charset=utf-8", wire.event_stream(message), response_headers)
        return Response(200, "application/json", json.dumps(message).encode(), response_headers)

    def _reply(self, path: str, headers: Mapping[str, str], payload: bytes) -> tuple[JsonObject, bool]:
        """Return the next message of the script, and whether the client wants a stream."""
        if path.partition("?")[0] != "/v1/messages":
            raise wire.RefusedRequest(f"Not found: {path}; this API has /v1/messages alone", status=404)
        body = wire.parse(payload)
        request, previous = self._record(body, headers)
        wire.check_headers(headers)
        wire.check_fields(body, request.betas)
        if previous is None and _continued_id(body) is not None:
            raise wire.RefusedRequest(
                "thread: nothing is held for this previous_message_id", status=404, error_code="thread_not_found"
            )
        tools = body.get("tools", []) if previous is None else previous.tools
        if self._require_memory_tool:
            wire.check_memory_tool(tools)
        wire.check_conversation(request.conversation)
        with self._continuing(previous):
            turn = self._next_turn(request)
            wire.check_tool_calls(turn, tools)
            with self._lock:
                message = wire.reply(
                    turn, message_id=next(self._message_ids), tool_use_ids=self._tool_use_ids, request=body
                )
                self._issued_ids.update(block["id"] for block in blocks(message, "tool_use"))
                if body.get("thread") is not None:
                    answer = {"role": "assistant", "content": message["content"]}
                    self._threads[message["id"]] = _Thread([*request.conversation, answer], tools)
        return message, bool(body.get("stream"))

    def _record(self, body: JsonObject, headers: Mapping[str, str]) -> tuple[RecordedRequest, _Thread | None]:
        """Record a request before the checks, which may refuse it. Return it with the reply that it continues."""
        previous_id = _continued_id(body)
        sent = body.get("messages")
        with self._lock:
            previous = self._threads.get(previous_id) if previous_id is not None else None
            conversation = list(previous.conversation) if previous is not None else []
            if isinstance(sent, list):
                conversation += [message for message in sent if isinstance(message, dict)]
            request = RecordedRequest(
                body=body,
                headers={name: value for name, value in headers.items() if name not in _CREDENTIAL_HEADERS},
                conversation=conversation,
            )
            self.requests.append(request)
        return request, previous

    @contextmanager
    def _continuing(self, previous: _Thread | None) -> Iterator[None]:
        """Refuse a request to continue a reply if another one is in flight or has succeeded."""
        if previous is None:
            yield
            return
        with self._lock:
            if previous.refusal is not None:
                raise wire.RefusedRequest(
                    "thread.previous_message_id: a reply can be continued only once", error_code=previous.refusal
                )
            previous.refusal = "thread_continue_in_flight"
        refusal = None
        try:
            yield
            refusal = "thread_already_continued"
        finally:
            previous.refusal = refusal

    def _next_turn(self, request: RecordedRequest) -> Turn:
        """Take the next step of the script, and call it if it is a function."""
        with self._lock:
            for result in request.tool_results:
                # Without threads, each request repeats the history, and retries repeat requests: keep the first result.
                if result.tool_use_id in self._issued_ids:
                    self._tool_results.setdefault(result.tool_use_id, result)
            if self._served_steps == len(self._script):
                self._departure = (
                    f"the script has run out: it has {count_of(len(self._script), 'step')}, and this request asks for "
                    "one more"
                )
                raise wire.RefusedRequest(self._departure)
            step = self._script[self._served_steps]
            self._served_steps += 1
        try:
            outcome = _outcome(step, request)
        except BaseException as fault:
            # BaseException, since pytest.fail() raises no Exception. Clients do not retry the status of this response.
            self._step_fault = fault
            raise wire.RefusedRequest(f"a step of the script failed: {fault!r}") from fault
        if isinstance(outcome, Failure):
            raise wire.RefusedRequest(
                f"a scripted failure with status {outcome.status}",
                status=outcome.status,
                error_code=outcome.error_code,
                retry_after_ms=outcome.retry_after_ms,
            )
        return outcome


def _outcome(step: Step, request: RecordedRequest) -> Turn | Failure:
    outcome: object = step(request) if callable(step) else step
    if not isinstance(outcome, Turn | Failure):
        raise TypeError(f"a step of a script is or returns a Turn or a Failure, not {outcome!r}")
    return outcome


def _continued_id(body: Mapping[str, Any]) -> str | None:
    """Return the id of the reply that a request continues, if any."""
    thread = body.get("thread")
    if not isinstance(thread, dict) or thread.get("type") != "continue":
        return None
    previous_id = thread.get("previous_message_id")
    return previous_id if isinstance(previous_id, str) else None
