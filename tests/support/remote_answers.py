"""Responses of AWS services, byte for byte: they enter below botocore, so its real parsers and errors are used."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import Any, Self

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.config import Config
from moto.core.models import botocore_stubber

ONE_ATTEMPT = Config(retries={"total_max_attempts": 1})


def client_for(service: str) -> Any:
    """Return a client that does not retry and that moto does not answer."""
    client: Any = boto3.client(service, config=ONE_ATTEMPT)  # type: ignore[call-overload]
    client.meta.events.unregister("before-send", botocore_stubber)
    return client


class Answers:
    """The responses that a client gets instead of a server's, one after another, while this context is open.

    A response is a value to send as JSON with status 200, raw ``bytes`` for the same, a ``(status, error code)`` pair,
    or an exception to raise.

    Attributes:
        client: the client.
        bodies: the requests' JSON bodies, in order.
    """

    def __init__(self, client: Any, *answers: Any, compute: Callable[[Any], Any] | None = None) -> None:
        """Return each of `answers` once, then the results of `compute` for a request's body."""
        self.client = client
        self.bodies: list[Any] = []
        self._answers = list(answers)
        self._compute = compute

    def __enter__(self) -> Self:
        self.client.meta.events.register_first("before-send", self._answer)
        return self

    def __exit__(self, *_: object) -> None:
        self.client.meta.events.unregister("before-send", self._answer)

    def _answer(self, *, request: AWSPreparedRequest, **_: object) -> AWSResponse:
        body: Any = request.body
        self.bodies.append(json.loads(body))
        if self._answers:
            answer = self._answers.pop(0)
        else:
            assert self._compute is not None, "a request that no answer is left for"
            answer = self._compute(self.bodies[-1])
        if isinstance(answer, Exception):
            raise answer
        status, headers = 200, {"content-type": "application/json"}
        if isinstance(answer, tuple):
            status, code = answer
            headers["x-amzn-errortype"] = code
            answer = {"__type": code, "message": "as the test wants it"}
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        return AWSResponse(request.url, status, HTTPHeaders.from_dict(headers), _Body(content))


class _Body(io.BytesIO):
    """The raw stream that botocore reads a body from."""

    def stream(self, **_: object) -> Iterator[bytes]:
        while content := self.read(65_536):
            yield content
