"""The suites on the second transport, with TEST_TRANSPORT=fast: what the package asks of boto3's clients, libcurl does.

Each request that libcurl is to send is first put to the hooks of the boto3 client, as botocore's own are: faults,
records, and moto, which answers. Then libcurl sends it for real, to a server on loopback that has the answer ready and
sees to it that what came is what was meant.
"""

from __future__ import annotations

import functools
import itertools
import os
import threading
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from botocore.awsrequest import AWSPreparedRequest
from botocore.client import BaseClient
from botocore.compat import HTTPHeaders
from botocore.response import StreamingBody

from s3memory.aws.errors import RequestError, RequestOutcome, aws_errors, outcome_of
from s3memory.aws.fast.http import Curl, HttpAnswer, HttpRequest, NoAnswerError, Route, SigningKeys
from s3memory.aws.fast.others import Kms
from s3memory.aws.fast.retries import Retries
from s3memory.aws.fast.s3 import S3
from s3memory.aws.fast.service import Service
from support.wire_server import Received, WireServer

IS_FAST = os.environ.get("TEST_TRANSPORT") == "fast"

KEYS = SigningKeys("testing", "testing")
_NUMBER = "x-test-number"
_numbers = itertools.count()


class _Wire:
    """Carries requests and their answers over loopback."""

    def __init__(self) -> None:
        self._expected: dict[str, tuple[HttpRequest, HttpAnswer]] = {}
        self._server = WireServer(self._reply).__enter__()
        self._curl = Curl(Route("/dev/null", lambda _: ""))

    def carry(self, request: HttpRequest, answer: HttpAnswer) -> HttpAnswer:
        number = str(next(_numbers))
        self._expected[number] = (request, answer)
        parts = urlsplit(request.url)
        url = f"{self._server.url}{parts.path}{'?' if parts.query else ''}{parts.query}"
        try:
            carried = self._curl(replace(request, url=url, headers={**request.headers, _NUMBER: number}))
            # A fault's answer has a body for HEAD as well, which no wire can carry.
            return carried._replace(body=answer.body) if request.method == "HEAD" else carried
        finally:
            del self._expected[number]

    def _reply(self, received: Received) -> bytes:
        request, answer = self._expected[received.header(_NUMBER) or ""]
        parts = urlsplit(request.url)
        came = {name.lower(): value for name, value in received.headers}
        assert (received.method, received.body) == (request.method, request.body)
        assert received.target == f"{parts.path}{'?' if parts.query else ''}{parts.query}"
        assert {name: came[name] for name in request.headers} == request.headers
        lines = [f"HTTP/1.1 {answer.status} X"]
        lines += [
            f"{name}: {value}"
            for name, value in answer.headers.items()
            if name in _KEPT_HEADERS or name[:6] == "x-amz-"
        ]
        length = answer.headers.get("content-length") if request.method == "HEAD" else str(len(answer.body or b""))
        lines.append(f"content-length: {length or 0}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + (
            b"" if request.method == "HEAD" else answer.body or b""
        )


_KEPT_HEADERS = frozenset({"etag", "last-modified", "content-range", "content-type"})
_wires: dict[int, _Wire] = {}


class _ThroughBotocore:
    """An `Exchange` whose requests pass through a boto3 client's hooks."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._service = client.meta.service_model.service_name

    def __call__(self, request: HttpRequest) -> HttpAnswer:
        events = self._client.meta.events
        scope = f"testing/20260101/{request.region}/{request.service}/aws4_request"
        headers = {
            **{name.title(): value for name, value in request.headers.items()},  # as botocore writes them
            "Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0",
        }
        prepared = AWSPreparedRequest(
            request.method,
            request.url,
            HTTPHeaders.from_dict(headers),
            request.body,
            stream_output=request.operation == "GetObject",
        )
        try:
            told = events.emit(f"before-send.{self._service}.{request.operation}", request=prepared)
            response = next((one for _, one in told if one is not None), None)
            if response is None:  # no moto answers it: somebody has put a session of their own into the client
                response = self._client._endpoint.http_session.send(prepared)
            events.emit(f"response-received.{self._service}.{request.operation}")
            answer = self._answer(request, response)
        except RequestError:
            raise
        except aws_errors() as error:
            raise NoAnswerError(
                type(error).__name__, is_sent=outcome_of(error) is not RequestOutcome.NOT_DONE
            ) from None
        wire = _wires.get(os.getpid()) or _wires.setdefault(os.getpid(), _Wire())
        return wire.carry(request, answer)

    def _answer(self, request: HttpRequest, response: Any) -> HttpAnswer:
        is_stream = request.operation == "GetObject" and response.status_code < 300
        length = response.headers.get("content-length")
        try:
            body: Any = StreamingBody(response.raw, length) if is_stream else response.content
        except aws_errors() as error:
            raise NoAnswerError(type(error).__name__, is_sent=True, is_begun=True) from None
        told: dict[str, Any] = {"headers": response.headers, "status_code": response.status_code, "body": body}
        model = self._client.meta.service_model.operation_model(request.operation)
        self._client.meta.events.emit(
            f"before-parse.{self._service}.{request.operation}",
            operation_model=model,
            response_dict=told,
            customized_response_dict={},
        )
        body = told["body"]
        if is_stream:
            try:
                body = body.read()
            except aws_errors() as error:
                raise NoAnswerError(type(error).__name__, is_sent=True, is_begun=True) from None
        return HttpAnswer(told["status_code"], {name.lower(): value for name, value in response.headers.items()}, body)


_of_thread = threading.local()


class _Client:
    """A client on libcurl behind the front of a boto3 client: the events around a call are botocore's own."""

    def __init__(self, client: Any, fast: Any) -> None:
        self.meta = fast.meta
        self.of_boto3 = self._client = client
        self._fast = fast
        self._requests = client._make_request  # no event of botocore's takes the place of its HTTP
        client._make_request = self._make_request
        # The client on libcurl counts itself.
        client.meta.events.unregister("after-call.s3", unique_id="s3memory-requests-answered")

    def __getattr__(self, name: str) -> Any:
        def call(**named: Any) -> Any:
            _of_thread.call = functools.partial(getattr(self._fast, name), **named)
            try:
                return getattr(self._client, name)(**named)
            finally:
                _of_thread.call = None

        getattr(self._fast, name)
        return call

    def _make_request(self, *given: Any) -> Any:
        call = getattr(_of_thread, "call", None)
        if call is None:  # somebody else's
            return self._requests(*given)
        _of_thread.call = None  # signing may need another request
        return SimpleNamespace(status_code=200, headers={}), dict(call())


def _sleep(seconds: float) -> None:
    time.sleep(seconds)  # which tests replace


_clients: dict[int, tuple[Any, Any]] = {}


def on_libcurl(client: Any) -> Any:
    """Return a client on libcurl whose requests pass through a boto3 client's hooks; any other client as it is."""
    if not isinstance(client, BaseClient):
        return client
    known = _clients.get(id(client))
    if known is not None:
        return known[1]
    name = client.meta.service_model.service_name
    if name not in {"s3", "kms"}:
        return client
    attempts: int = vars(client.meta.config)["_user_provided_options"].get("retries", {}).get("total_max_attempts", 3)
    service = Service(
        name=name,
        address=client.meta.endpoint_url.rstrip("/"),
        region=client.meta.region_name,
        keys=lambda: KEYS,
        exchange=_ThroughBotocore(client),
        retries=Retries(attempts, sleep=_sleep),
        timeout_seconds=30,
    )
    host = urlsplit(service.address).hostname or ""
    uses_paths = (vars(client.meta.config)["s3"] or {}).get("addressing_style") == "path"
    fast = _Client(
        client,
        Kms(service) if name == "kms" else S3(service, is_aws=host.endswith("amazonaws.com"), uses_paths=uses_paths),
    )
    _clients[id(client)] = (client, fast)
    return fast
