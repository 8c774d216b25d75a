"""Requests and responses, and the small services KMS and STS, with only the operations that memory clients need."""

from __future__ import annotations

import base64
import json
import os
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Protocol
from urllib.parse import parse_qs, unquote, urlsplit

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE_BYTES = 12


@dataclass(slots=True)
class Request:
    """A request: header names in lower case, a decoded path, and the last value of each query parameter."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes = b""

    @classmethod
    def from_head(cls, head: bytes) -> Request:
        """Parse the request line and the headers."""
        first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        method, target, _ = first.split(" ")
        pairs = (line.split(":", 1) for line in lines)
        url = urlsplit(target)
        query = {name: values[-1] for name, values in parse_qs(url.query, keep_blank_values=True).items()}
        headers = {name.lower(): value.strip() for name, value in pairs}
        return cls(method, unquote(url.path), query, headers)

    @property
    def service(self) -> str:
        """The service in the signature's scope: ``Credential=id/date/region/service/aws4_request``."""
        return self.headers["authorization"].partition("Credential=")[2].split("/")[3]


@dataclass(slots=True)
class Answer:
    """The response to an operation."""

    operation: str
    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    def encoded(self, *, has_body: bool) -> bytes:
        """Return the response as bytes on the wire."""
        headers = {"Content-Length": str(len(self.body)), "x-amz-request-id": "benchmark", **self.headers}
        head = f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return head.encode() + b"\r\n" + (self.body if has_body else b"")


class Service(Protocol):
    """A service that answers requests."""

    def operation(self, request: Request) -> str:
        """Return AWS's name for the request's operation."""
        ...

    def answer(self, request: Request) -> Answer:
        """Answer the request."""
        ...


class Kms:
    """A KMS with one key, which has any name. The encryption context is the associated data of wrapped keys."""

    def __init__(self) -> None:
        self._key = AESGCM(AESGCM.generate_key(256))

    def operation(self, request: Request) -> str:
        """Return ``GenerateDataKey``, ``Encrypt`` or ``Decrypt``."""
        return request.headers["x-amz-target"].rpartition(".")[2]

    def answer(self, request: Request) -> Answer:
        """Answer one of these operations."""
        operation = self.operation(request)
        parameters = json.loads(request.body)
        context = json.dumps(parameters.get("EncryptionContext", {}), sort_keys=True).encode()
        fields = {"KeyId": "arn:aws:kms:eu-central-1:111122223333:key/benchmark"}
        if operation == "Decrypt":
            wrapped = base64.b64decode(parameters["CiphertextBlob"])
            try:
                plaintext = self._key.decrypt(wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:], context)
            except InvalidTag:
                return _json(operation, 400, {"__type": "InvalidCiphertextException"})
            return _json(operation, 200, {**fields, "Plaintext": base64.b64encode(plaintext).decode()})
        plaintext = os.urandom(32) if operation == "GenerateDataKey" else base64.b64decode(parameters["Plaintext"])
        nonce = os.urandom(_NONCE_BYTES)
        fields["CiphertextBlob"] = base64.b64encode(nonce + self._key.encrypt(nonce, plaintext, context)).decode()
        if operation == "GenerateDataKey":
            fields["Plaintext"] = base64.b64encode(plaintext).decode()
        return _json(operation, 200, fields)


class Sts:
    """An STS that gives credentials to every caller."""

    def operation(self, request: Request) -> str:
        """Return ``AssumeRole``."""
        return parse_qs(request.body.decode())["Action"][-1]

    def answer(self, request: Request) -> Answer:
        """Answer with credentials that do not expire during a run."""
        operation = self.operation(request)
        credentials = (
            "<AccessKeyId>testing</AccessKeyId><SecretAccessKey>testing</SecretAccessKey>"
            "<SessionToken>testing</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>"
        )
        body = (
            f"<{operation}Response><{operation}Result><Credentials>{credentials}</Credentials>"
            f"</{operation}Result></{operation}Response>"
        )
        return Answer(operation, 200, body.encode(), {"Content-Type": "text/xml"})


def _json(operation: str, status: int, fields: dict[str, str]) -> Answer:
    return Answer(operation, status, json.dumps(fields).encode(), {"Content-Type": "application/x-amz-json-1.1"})
