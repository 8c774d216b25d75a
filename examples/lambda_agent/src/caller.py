"""Reads a request from API Gateway: the tenant that the authorizer vouches for, and the message in the body."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from s3memory import check_tenant
from s3memory.errors import ConfigurationError

TENANT_CLAIM = os.environ.get("AGENT_TENANT_CLAIM", "tenant")
"""The claim that names the tenant: one that no caller can set.

Cognito's attribute ``custom:tenant`` is such a claim only if you remove it from the app client's writable attributes.
By default all attributes are writable, and a user could set another tenant's name with their own access token. A pre
token generation trigger that looks up the tenant is better.
"""

ACTOR_CLAIM = os.environ.get("AGENT_ACTOR_CLAIM", "sub")
"""The claim that names the person or program within the tenant. It is sealed with each change of the memory."""

MAX_MESSAGE_CHARS = 32_000

_ID = re.compile(r"[\x21-\x7e]{1,200}")
_MAX_ACTOR_BYTES = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One message of one tenant.

    Attributes:
        tenant: the tenant whose memory is used.
        message: the caller's text.
        identity: the claim that says who calls, within the tenant, of any JSON type; ``None`` if there is none.
        conversation_id: the conversation that it belongs to; ``None`` if the conversation is not kept.
        message_id: the same if the message is sent again; ``None`` if the caller gave no id.
    """

    tenant: str
    message: str
    identity: Any = None
    conversation_id: str | None = None
    message_id: str | None = None

    @property
    def actor(self) -> str | None:
        """The label for changes of the memory, if `identity` can be one. Callers without it may still be different."""
        return actor_of(self.identity)


class Refusal(Exception):  # noqa: N818 - an answer to the caller, not a fault of this program
    """The caller gets an HTTP error instead of a reply.

    Attributes:
        status: the HTTP status.
        code: the error in one word, for the caller's program.
        retry_after_seconds: after how long to try again; ``None`` if that would not help.
    """

    def __init__(self, status: int, code: str, *, retry_after_seconds: int | None = None) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.retry_after_seconds = retry_after_seconds

    def response(self) -> dict[str, Any]:
        """Return the HTTP response, which holds no details beyond the code."""
        retry_after = {} if self.retry_after_seconds is None else {"retry-after": str(self.retry_after_seconds)}
        return json_response(self.status, {"error": self.code}, **retry_after)


def json_response(status: int, body: Mapping[str, Any], **headers: str) -> dict[str, Any]:
    """Return a response in the format that REST APIs and HTTP APIs both accept."""
    return {
        "statusCode": status,
        "headers": {"content-type": "application/json", "cache-control": "no-store", **headers},
        "body": json.dumps(body, ensure_ascii=False),
    }


def is_http(event: object) -> bool:
    """Whether an event comes from API Gateway. No other sender understands an answer with an HTTP status."""
    return isinstance(event, Mapping) and "requestContext" in event


def request_of(event: Mapping[str, Any], *, isolated_tenant: str | None = None) -> Request:
    """Return the request in an event from API Gateway.

    Args:
        event: the event.
        isolated_tenant: as for `tenant_of`.

    Raises:
        Refusal: 401, 403 as for `tenant_of`; 400 if the body is not ``{"message": "..."}`` or an id is malformed; 413
            if the message is too long.
    """
    tenant = tenant_of(event, isolated_tenant=isolated_tenant)
    body = _body(event)
    return Request(
        tenant=tenant,
        message=checked_message(body.get("message")),
        identity=(_claims(event) or {}).get(ACTOR_CLAIM),
        conversation_id=checked_id(body.get("conversation_id")),
        message_id=checked_id(_header(event, "idempotency-key")),
    )


def tenant_of(event: object, *, isolated_tenant: str | None = None) -> str:
    """Return the tenant that the authorizer vouches for. The body, the path and the caller's headers are ignored.

    Args:
        event: an event from API Gateway.
        isolated_tenant: the tenant of this execution environment, in Lambda's tenant isolation mode.

    Raises:
        Refusal: 401 without an authorizer; 403 if it names no tenant, or not the environment's.
    """
    claims = _claims(event)
    if claims is None:
        raise Refusal(401, "unauthenticated")
    tenant = checked_tenant(claims.get(TENANT_CLAIM))
    if isolated_tenant is not None and tenant != isolated_tenant:
        raise Refusal(403, "wrong_tenant")
    return tenant


def checked_tenant(tenant: object) -> str:
    """Return a tenant's name. Raises `Refusal`, 403, if it is not a valid one."""
    try:
        return check_tenant(tenant)
    except ConfigurationError:
        raise Refusal(403, "no_tenant") from None


def checked_message(message: object) -> str:
    """Return a message that can be sent to Claude. Raises `Refusal`: 400 if it is malformed, 413 if it is too long."""
    try:
        # JSON can carry a lone surrogate; nothing after it can.
        is_message = isinstance(message, str) and message.strip() and message.encode("utf-8")
    except UnicodeEncodeError:
        is_message = False
    if not isinstance(message, str) or not is_message:
        raise Refusal(400, "bad_request")
    if len(message) > MAX_MESSAGE_CHARS:
        raise Refusal(413, "too_long")
    return message


def checked_id(given: object) -> str | None:
    """Return an id of a conversation or message, or ``None``. Raises `Refusal`, 400, if it is malformed."""
    if given is None:
        return None
    if not isinstance(given, str) or not _ID.fullmatch(given):
        raise Refusal(400, "bad_request")
    return given


def actor_of(claim: object) -> str | None:
    """Return a claim as an actor label; ``None`` if it can't be one: no text, not printable, blank or too long."""
    if not isinstance(claim, str) or not claim.isprintable() or not claim.strip():
        return None
    return claim if len(claim.encode("utf-8")) <= _MAX_ACTOR_BYTES else None


def _body(event: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        text = event.get("body") or ""
        body = json.loads(base64.b64decode(text, validate=True) if event.get("isBase64Encoded") else text)
    except (ValueError, TypeError, RecursionError):
        raise Refusal(400, "bad_request") from None
    if not isinstance(body, Mapping):
        raise Refusal(400, "bad_request")
    return body


def _header(event: Mapping[str, Any], name: str) -> object:
    headers = event.get("headers")
    if not isinstance(headers, Mapping):
        return None
    return next((value for key, value in headers.items() if isinstance(key, str) and key.lower() == name), None)


def _claims(event: object) -> Mapping[str, Any] | None:
    """Return the authorizer's claims about the caller; ``None`` without an authorizer.

    The kind of event decides where the claims are, and only that place is read: a value that means nothing in one kind
    of event must not become a claim in another. API Gateway writes these fields; a caller can't.
    """
    authorizer = _inside(event, "requestContext", "authorizer")
    if not authorizer or not isinstance(event, Mapping):
        return None
    version = event.get("version")
    if version == "2.0":  # an HTTP API, or a function URL, which only supports IAM
        kinds = [kind for kind in ("jwt", "lambda", "iam") if kind in authorizer]
        places = {"jwt": ("jwt", "claims"), "lambda": ("lambda",)}
        # IAM says nothing about a caller's tenant.
        return _inside(authorizer, *places[kinds[0]]) if len(kinds) == 1 and kinds[0] in places else {}
    if version is not None and version != "1.0":
        return {}
    # A REST API, or an HTTP API with that format. A Lambda authorizer's values are next to `principalId`: strings,
    # numbers or booleans. Only a token's `claims` are an object, or null.
    claims = authorizer.get("claims", "")
    if claims is None or isinstance(claims, Mapping):
        return _inside(authorizer, "claims")
    return {} if any(isinstance(value, (Mapping, list)) for value in authorizer.values()) else authorizer


def _inside(value: object, *names: str) -> Mapping[str, Any]:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}
