"""A server between Terraform's provider and moto: it handles repeated requests, and more of Step Functions and S3.

On a busy machine the provider sometimes loses the response to a request, repeats the request, and gets the error that
the key's alias or the role already exists. So a repeated request gets the response of the first one.

The provider makes two requests of Step Functions that moto answers with a 500, which the provider retries for a quarter
of an hour: whether a definition is valid, and which versions a state machine has.

moto checks a bucket's policy only for objects. This server checks whether the policy may be deleted.
"""

from __future__ import annotations

import http.client
import json
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser, ASLParserException

_VALIDATE, _VERSIONS = (
    f"AWSStepFunctions.{operation}" for operation in ("ValidateStateMachineDefinition", "ListStateMachineVersions")
)
_DENIED = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
_ANSWER_SECONDS = 300
# Headers of one connection, or set again here.
_NOT_PASSED_ON = frozenset({"connection", "content-length", "date", "server", "transfer-encoding"})


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def faults_of(definition: str) -> list[str]:
    """Return the errors that moto's grammar of the Amazon States Language finds in a definition."""
    # moto only accepts percentages with a fraction, and of the line-based inputs only CSV.
    definition = re.sub(r'("ToleratedFailurePercentage":\d+)(?=[,}])', r"\1.0", definition)
    definition = definition.replace('"InputType":"JSONL"', '"InputType":"JSON"')
    try:
        AmazonStateLanguageParser.parse(definition)
    except ASLParserException as error:
        return [str(error)]
    return []


@contextmanager
def front_of(moto_url: str) -> Iterator[str]:
    """Serve all of moto on this machine. Yield the server's URL."""
    with _Front(urlsplit(moto_url).netloc) as server:
        # It checks every 0.02 seconds whether it should end; the default is every half second.
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class _Front(ThreadingHTTPServer):
    request_queue_size = 128  # the providers of three examples connect at once

    def __init__(self, moto: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.moto = moto
        # By the id that the AWS SDKs give a request, and keep when they repeat it.
        self._answers: dict[str, Future[_Answer]] = {}
        self._lock = threading.Lock()

    def answered_once(self, invocation: str, answer: Callable[[], _Answer]) -> _Answer:
        """Return the response to a request, or wait for it; carry out the request if it is the first with its id."""
        with self._lock:
            is_first = invocation not in self._answers
            future = self._answers.setdefault(invocation, Future())
        if is_first:
            try:
                future.set_result(answer())
            except (OSError, http.client.HTTPException) as error:
                future.set_exception(error)
        return future.result(_ANSWER_SECONDS)


class _Handler(BaseHTTPRequestHandler):
    server: _Front
    protocol_version = "HTTP/1.1"
    wbufsize = 65_536  # head and body are sent together

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        invocation = self.headers.get("amz-sdk-invocation-id", "")
        find = partial(self._answer, body)
        answer = self.server.answered_once(invocation, find) if invocation else find()
        self.send_response_only(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        has_body = self.command != "HEAD" and answer.status != HTTPStatus.NO_CONTENT
        if has_body:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if has_body:
            self.wfile.write(answer.body)

    do_DELETE = do_HEAD = do_PATCH = do_POST = do_PUT = do_GET  # noqa: N815 - the names that http.server looks for

    def _answer(self, body: bytes) -> _Answer:
        target = self.headers.get("X-Amz-Target")
        if target == _VALIDATE:
            faults = faults_of(json.loads(body)["definition"])
            diagnostics = [{"severity": "ERROR", "code": "SCHEMA", "message": fault} for fault in faults]
            return _json({"result": "FAIL" if faults else "OK", "diagnostics": diagnostics, "truncated": False})
        if target == _VERSIONS:
            return _json({"stateMachineVersions": []})
        if self.command == "DELETE" and "policy" in parse_qs(urlsplit(self.path).query, keep_blank_values=True):
            policy = self._passed_on("GET", b"").body
            if b"s3:DeleteBucketPolicy" in policy:  # the module only names it in a Deny
                return _Answer(HTTPStatus.FORBIDDEN, (("Content-Type", "application/xml"),), _DENIED)
        return self._passed_on(self.command, body)

    def _passed_on(self, command: str, body: bytes) -> _Answer:
        with closing(http.client.HTTPConnection(self.server.moto, timeout=_ANSWER_SECONDS)) as connection:
            connection.request(command, self.path, body, dict(self.headers))
            answered = connection.getresponse()
            left_out = _NOT_PASSED_ON - ({"content-length"} if command == "HEAD" else set())
            headers = tuple(pair for pair in answered.getheaders() if pair[0].lower() not in left_out)
            return _Answer(answered.status, headers, answered.read())

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def _json(told: object) -> _Answer:
    return _Answer(200, (("Content-Type", "application/x-amz-json-1.0"),), json.dumps(told).encode())
