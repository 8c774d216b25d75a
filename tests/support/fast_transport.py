"""The suites on the second transport, with TEST_TRANSPORT=fast: libcurl sends what the package asks of boto3 clients.

Each request for libcurl first passes the hooks of the boto3 client, like botocore's own requests: faults, recorders,
and moto, which answers. Then libcurl really sends it to a loopback server that has the response ready and checks that
the request arrived as intended. If no hook has a response, libcurl sends the request to the client's own server.
"""

from __future__ import annotations

import functools
import itertools
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qsl, unquote, urlsplit
from xml.etree import ElementTree as ET

from botocore.awsrequest import AWSPreparedRequest
from botocore.client import BaseClient
from botocore.compat import HTTPHeaders
from botocore.exceptions import ClientError
from botocore.httpsession import URLLib3Session
from botocore.response import StreamingBody

from s3memory.aws.clients import BOTO3, FAST
from s3memory.aws.errors import RequestError, RequestOutcome, aws_errors, outcome_of
from s3memory.aws.fast.http import Curl, Exchange, HttpAnswer, HttpRequest, NoAnswerError, Route, SigningKeys
from s3memory.aws.fast.others import Kms
from s3memory.aws.fast.retries import Retries
from s3memory.aws.fast.s3 import S3
from s3memory.aws.fast.service import Service
from s3memory.keys.wrappers.kms import KmsKeyWrapper
from s3memory.s3.bucket import Bucket
from support.memory_s3 import InMemoryS3Client
from support.wire_server import Received, WireServer

TRANSPORT = os.environ.get("TEST_TRANSPORT", BOTO3)
IS_FAST = TRANSPORT == FAST

KEYS = SigningKeys("testing", "testing")
_NUMBER = "x-test-number"
_numbers = itertools.count()


class _Wire:
    """Carries requests and their responses over loopback."""

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
            # A fault's response has a body even for HEAD, which HTTP cannot carry.
            return carried._replace(body=answer.body) if request.method == "HEAD" else carried
        finally:
            del self._expected[number]
            self._server.received.clear()

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


_KEPT_HEADERS = frozenset({"etag", "last-modified", "content-range", "content-type", "x-amzn-requestid"})
_wires: dict[int, _Wire] = {}


def _wire() -> _Wire:
    """Return this process's wire: a fork leaves the server's thread behind."""
    return _wires.get(os.getpid()) or _wires.setdefault(os.getpid(), _Wire())


@functools.cache
def _to_servers() -> Curl:
    return Curl(Route("/dev/null", lambda _: ""))


def sent_as(prepared: AWSPreparedRequest, url: str, *, timeout_seconds: float) -> HttpRequest:
    """Return a botocore request as libcurl sends it."""
    body: Any = prepared.body or b""
    headers = {name.lower(): str(value) for name, value in prepared.headers.items() if name != "Authorization"}
    return HttpRequest("", str(prepared.method), url, headers, body, "s3", "eu-central-1", KEYS, timeout_seconds)


class _ThroughBotocore:
    """An `Exchange` whose requests pass through a boto3 client's hooks."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._service = client.meta.service_model.service_name

    def __call__(self, request: HttpRequest) -> HttpAnswer:
        events = self._client.meta.events
        scope = f"testing/20260101/{request.region}/{request.service}/aws4_request"
        headers = {
            **{name.title(): value for name, value in request.headers.items()},  # in botocore's spelling
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
            session = self._client._endpoint.http_session
            if response is None and isinstance(session, URLLib3Session):
                asked = _to_servers()(request)
                events.emit(f"response-received.{self._service}.{request.operation}")
                return asked
            if response is None:  # somebody has put their own session into the client
                response = session.send(prepared)
            events.emit(f"response-received.{self._service}.{request.operation}")
            answer = self._answer(request, response)
        except RequestError:
            raise
        except aws_errors() as error:
            raise NoAnswerError(
                type(error).__name__, is_sent=outcome_of(error) is not RequestOutcome.NOT_DONE
            ) from None
        return _wire().carry(request, answer)

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


class _OfMemory:
    """An `Exchange` that is answered by a client of `InMemoryS3`."""

    def __init__(self, client: InMemoryS3Client) -> None:
        self._client = client

    def __call__(self, request: HttpRequest) -> HttpAnswer:
        try:
            answer = self._answer(request)
        except ClientError as error:
            code = error.response["Error"]["Code"]
            body = f"<Error><Code>{code}</Code></Error>".encode()
            metadata: Any = error.response["ResponseMetadata"]
            answer = HttpAnswer(metadata["HTTPStatusCode"], metadata["HTTPHeaders"], body)
        return _wire().carry(request, answer)

    def _answer(self, request: HttpRequest) -> HttpAnswer:
        parts = urlsplit(request.url)
        bucket, _, key = unquote(parts.path).lstrip("/").partition("/")
        query, headers = dict(parse_qsl(parts.query)), request.headers
        condition = {
            argument: headers[name]
            for name, argument in {"if-match": "IfMatch", "if-none-match": "IfNoneMatch"}.items()
            if name in headers
        }
        match request.operation:
            case "GetObject":
                told = self._client.get_object(Bucket=bucket, Key=key)
                return HttpAnswer(200, _described(told), told["Body"].read())
            case "HeadObject":
                return HttpAnswer(200, _described(self._client.head_object(Bucket=bucket, Key=key)), b"")
            case "PutObject":
                meta = {name[11:]: value for name, value in headers.items() if name.startswith("x-amz-meta-")}
                told = self._client.put_object(Bucket=bucket, Key=key, Body=request.body, Metadata=meta, **condition)
                return HttpAnswer(200, {"etag": told["ETag"]}, b"")
            case "DeleteObject":
                self._client.delete_object(Bucket=bucket, Key=key, **condition)
                return HttpAnswer(204, {}, b"")
            case "DeleteObjects":
                objects = [{child.tag.rpartition("}")[2]: child.text or "" for child in one} for one in _xml(request)]
                told = self._client.delete_objects(Bucket=bucket, Delete={"Objects": objects})
                return _document("DeleteResult", [("Error", error) for error in told.get("Errors", [])])
            case "ListObjectsV2":
                told = self._client.list_objects_v2(
                    Bucket=bucket,
                    Prefix=query.get("prefix", ""),
                    Delimiter=query.get("delimiter"),
                    MaxKeys=int(query["max-keys"]),
                    ContinuationToken=query.get("continuation-token"),
                )
                lists = [(tag, entry) for tag in ("Contents", "CommonPrefixes") for entry in told.get(tag, [])]
                token = told.get("NextContinuationToken", "")
                return _document(
                    "ListBucketResult",
                    lists,
                    IsTruncated=str(told["IsTruncated"]).lower(),
                    **({"NextContinuationToken": token} if token else {}),
                )
        raise AssertionError(f"nothing in memory answers {request.operation}")


def _xml(request: HttpRequest) -> list[ET.Element]:
    return [one for one in ET.fromstring(request.body) if one.tag.endswith("Object")]  # noqa: S314 - our own client's


def _document(tag: str, entries: list[tuple[str, dict[str, Any]]], **texts: str) -> HttpAnswer:
    root = ET.Element(tag)
    for name, text in texts.items():
        ET.SubElement(root, name).text = text
    for name, entry in entries:
        element = ET.SubElement(root, name)
        for field, value in entry.items():
            ET.SubElement(element, field).text = value.isoformat() if isinstance(value, datetime) else str(value)
    return HttpAnswer(200, {}, ET.tostring(root))


def _described(told: dict[str, Any]) -> dict[str, str]:
    return {
        "etag": told["ETag"],
        "content-length": str(told["ContentLength"]),
        "last-modified": format_datetime(told["LastModified"], usegmt=True),
        **{f"x-amz-meta-{name}": value for name, value in told["Metadata"].items()},
    }


_of_thread = threading.local()


class _Client:
    """A libcurl client behind the interface of a boto3 client: the events around a call are botocore's own."""

    def __init__(self, client: Any, fast: Any) -> None:
        self.meta = fast.meta
        self.of_boto3 = self._client = client
        self._fast = fast
        self._requests = client._make_request  # no botocore event can replace its HTTP
        client._make_request = self._make_request

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
        # The libcurl client counts attempts itself. A store on the boto3 client may have added its counter since.
        self._client.meta.events.unregister("after-call.s3", unique_id="s3memory-requests-answered")
        call = getattr(_of_thread, "call", None)
        if call is None:  # a call by other code
            return self._requests(*given)
        _of_thread.call = None  # signing may need another request
        return SimpleNamespace(status_code=200, headers={}), dict(call())


def _sleep(seconds: float) -> None:
    time.sleep(seconds)  # which tests replace


def _service(name: str, address: str, region: str, exchange: Exchange, retries: Retries) -> Service:
    return Service(
        name=name,
        address=address,
        region=region,
        keys=lambda: KEYS,
        exchange=exchange,
        retries=retries,
        timeout_seconds=30,
    )


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
    address, region = client.meta.endpoint_url.rstrip("/"), client.meta.region_name
    service = _service(name, address, region, _ThroughBotocore(client), Retries(attempts, sleep=_sleep))
    host = urlsplit(service.address).hostname or ""
    uses_paths = (vars(client.meta.config)["s3"] or {}).get("addressing_style") == "path"
    fast = _Client(
        client,
        Kms(service) if name == "kms" else S3(service, is_aws=host.endswith("amazonaws.com"), uses_paths=uses_paths),
    )
    _clients[id(client)] = (client, fast)
    return fast


def client_by_transport(client: InMemoryS3Client) -> Any:
    """Return a client of `InMemoryS3`; with TEST_TRANSPORT=fast, one on libcurl that asks it."""
    if not IS_FAST:
        return client
    service = _service("s3", client.meta.endpoint_url, "eu-central-1", _OfMemory(client), Retries(3, sleep=_sleep))
    return S3(service, is_aws=False)


@contextmanager
def transport_of_tests() -> Iterator[None]:
    """With TEST_TRANSPORT=fast, send through libcurl what the package sends through the boto3 clients it is given."""
    if not IS_FAST:
        yield
        return
    make_bucket, make_wrapper = Bucket.__init__, KmsKeyWrapper.__init__

    def bucket_on_libcurl(bucket: Bucket, client: Any, *given: Any, **named: Any) -> None:
        make_bucket(bucket, on_libcurl(client), *given, **named)

    def wrapper_on_libcurl(wrapper: KmsKeyWrapper, *given: Any, kms_client: Any = None, **named: Any) -> None:
        make_wrapper(wrapper, *given, kms_client=on_libcurl(kms_client), **named)

    with (
        patch.object(Bucket, "__init__", bucket_on_libcurl),
        patch.object(KmsKeyWrapper, "__init__", wrapper_on_libcurl),
    ):
        yield
