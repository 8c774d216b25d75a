"""`Line`: a botocore client whose HTTP session we control. All of botocore runs unchanged, including its retries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from moto.core.models import botocore_stubber

from adversary.http_s3 import Request
from s3memory.aws.clients import SharedClients

ENDPOINT_URL = "https://s3.eu-central-1.amazonaws.com"
Carry = Callable[[Request, AWSPreparedRequest], AWSResponse]
"""Maps a request, in our form and in botocore's, to the response, or raises what botocore's session raises."""


class Line:
    """A client as this package creates it, and the replacement of its HTTP session."""

    def __init__(self) -> None:
        session = boto3.Session(
            aws_access_key_id="testing", aws_secret_access_key="testing", region_name="eu-central-1"
        )
        client: Any = SharedClients(session.client).s3_client(endpoint_url=ENDPOINT_URL)
        self.client = client
        client._endpoint.http_session = self
        # If moto is active, it would answer before anything is sent.
        client.meta.events.unregister("before-send", botocore_stubber)
        self.carry: Carry | None = None

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        """Called by botocore for each attempt."""
        if self.carry is None:
            raise AssertionError("the line leads nowhere")
        body: Any = request.body or b""
        if not isinstance(body, (bytes, bytearray)):
            body = body.encode() if isinstance(body, str) else body.read()
        headers = {name: _text(value) for name, value in request.headers.items()}
        return self.carry(Request(request.method, request.url, headers, bytes(body)), request)

    def close(self) -> None:
        """Called by botocore."""


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value
