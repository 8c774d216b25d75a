"""Who calls, and what for: the tenant that API Gateway's authorizer vouches for, and the message in the body."""

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

An attribute of Cognito's, ``custom:tenant``, is such a claim only if it is not among the app client's writable
attributes: by default they all are, and a user could take another tenant's name with a token of their own. A pre token
generation trigger that looks the tenant up is better.
"""

ACTOR_CLAIM = os.environ.get("AGENT_ACTOR_CLAIM", "sub")
"""The claim that names the person or program within the tenant. It is sealed beside each change of the memory."""

MAX_MESSAGE_CHARS = 32_000

_ID = re.compile(r"[\x21-\x7e]{1,200}")
_MAX_ACTOR_BYTES = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One message of one tenant.

    Attributes:
        tenant: whose memory it is about.
        message: what the caller says.
        identity: who says it, within the tenant: the claim as it came, whatever it is; ``None`` if there is none.
        conversation_id: which conversation it belongs to; ``None`` for one that nobody keeps.
        message_id: what makes it the same message if it is sent again; ``None`` where the caller gave nothing.
    """

    tenant: str
    message: str
    identity: Any = None
    conversation_id: str | None = None
    message_id: str | None = None

    @property
    def actor(self) -> str | None:
        """The label that changes of the memory get. Callers without one are not the same: see `identity`."""
        return actor_of(self.identity)


class Refusal(Exception):  # noqa: N818 - an answer to the caller, not a fault of this program
    """The caller gets an HTTP error.

    Attributes:
        status: the HTTP status.
        code: what went wrong, in a word that the caller's program can tell apart.
        retry_after_seconds: when to try again, where that is of use.
    """

    def __init__(self, status: int, code: str, *, retry_after_seconds: int | None = None) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.retry_after_seconds = retry_after_seconds

    def response(self) -> dict[str, Any]:
        """Return the response. It says no more than the code."""
        later = {} if self.retry_after_seconds is None else {"retry-after": str(self.retry_after_seconds)}
        return json_response(self.status, {"error": self.code}, **later)


def json_response(status: int, body: Mapping[str, Any], **headers: str) -> dict[str, Any]:
    """Return a response as both kinds of API Gateway take it."""
    return {
        "statusCode": status,
        "headers": {"content-type": "application/json", "cache-control": "no-store", **headers},
        "body": json.dumps(body, ensure_ascii=False),
    }


def is_http(event: object) -> bool:
    """Whether API Gateway sent this. An answer with a status means something to nobody else."""
    return isinstance(event, Mapping) and "requestContext" in event


def request_of(event: Mapping[str, Any], *, isolated_tenant: str | None = None) -> Request:
    """Return what API Gateway's caller asks for.

    Args:
        event: as API Gateway sends it.
        isolated_tenant: as for `tenant_of`.

    Raises:
        Refusal: 401, 403 as for `tenant_of`; 400 if the body is no ``{"message": "..."}`` or an id is malformed; 413 if
            the message is too long.
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
    """Return the tenant that the authorizer vouches for. The body, the path and the caller's headers have no say.

    Args:
        event: as API Gateway sends it.
        isolated_tenant: whose execution environment this is, where the function runs in Lambda's tenant isolation mode.

    Raises:
        Refusal: 401 without an authorizer; 403 if it names no tenant, or another than the environment's.
    """
    claims = _claims(event)
    if claims is None:
        raise Refusal(401, "unauthenticated")
    tenant = checked_tenant(claims.get(TENANT_CLAIM))
    if isolated_tenant is not None and tenant != isolated_tenant:
        raise Refusal(403, "wrong_tenant")
    return tenant


def checked_tenant(tenant: object) -> str:
    """Return a tenant's name. Raises `Refusal`, 403, if it is none."""
    try:
        return check_tenant(tenant)
    except ConfigurationError:
        raise Refusal(403, "no_tenant") from None


def checked_message(message: object) -> str:
    """Return a message that can be sent to Claude. Raises `Refusal`, 400 or 413, if it can't."""
    try:
        # A lone surrogate gets through JSON, and through nothing after it.
        is_message = isinstance(message, str) and message.strip() and message.encode("utf-8")
    except UnicodeEncodeError:
        is_message = False
    if not isinstance(message, str) or not is_message:
        raise Refusal(400, "bad_request")
    if len(message) > MAX_MESSAGE_CHARS:
        raise Refusal(413, "too_long")
    return message


def checked_id(given: object) -> str | None:
    """Return an id of a conversation or a message: 1 to 200 visible ASCII characters. Raises `Refusal`, 400."""
    if given is None:
        return None
    if not isinstance(given, str) or not _ID.fullmatch(given):
        raise Refusal(400, "bad_request")
    return given


def actor_of(claim: object) -> str | None:
    """Return who a claim says that the caller is; ``None`` where it can't be a label."""
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
    """Return what the authorizer says of the caller; ``None`` without an authorizer.

    Where it is goes by what sent the event, and nothing is looked for anywhere else: what means nothing in one place
    must not get a meaning in another. API Gateway writes all of these, and the caller none.
    """
    authorizer = _inside(event, "requestContext", "authorizer")
    if not authorizer or not isinstance(event, Mapping):
        return None
    version = event.get("version")
    if version == "2.0":  # an HTTP API, or a function URL, which knows IAM alone
        kinds = [kind for kind in ("jwt", "lambda", "iam") if kind in authorizer]
        places = {"jwt": ("jwt", "claims"), "lambda": ("lambda",)}
        # What IAM tells of a caller is no tenant.
        return _inside(authorizer, *places[kinds[0]]) if len(kinds) == 1 and kinds[0] in places else {}
    if version is not None and version != "1.0":
        return {}
    # A REST API, or an HTTP API with its format. What a Lambda authorizer returns lies beside `principalId`, strings,
    # numbers and booleans; an object, or null, is there only as the claims of a token.
    claims = authorizer.get("claims", "")
    if claims is None or isinstance(claims, Mapping):
        return _inside(authorizer, "claims")
    return {} if any(isinstance(value, (Mapping, list)) for value in authorizer.values()) else authorizer


def _inside(value: object, *names: str) -> Mapping[str, Any]:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}
