"""What botocore raises, sorted by what it says of the request that met it, and into the error tree.

What such an answer proves about a write is in `s3memory.s3.answers`.

Codes are AWS's documented ones for S3 and KMS. Keying on the code, not on the status alone, matters for 409:
``ConditionalRequestConflict`` means "another request is under way", not "exists".
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from enum import Enum, auto

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    HTTPClientError,
    IncompleteReadError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    ProfileNotFound,
    ProxyConnectionError,
    SSLError,
    SSOTokenLoadError,
    TokenRetrievalError,
    UnauthorizedSSOTokenError,
)
from botocore.exceptions import CredentialRetrievalError as BotoCredentialRetrievalError
from botocore.parsers import ResponseParserError
from urllib3.exceptions import HTTPError as TransportError

from s3memory.errors import AccessDeniedError, BackendError, UnavailableError

_CREDENTIAL_ERRORS = (
    NoCredentialsError,
    PartialCredentialsError,
    BotoCredentialRetrievalError,
    TokenRetrievalError,
    NoRegionError,
    ProfileNotFound,
    SSOTokenLoadError,
    UnauthorizedSSOTokenError,
)
# The request never reached the server: no name, no route, no connection.
_NOT_SENT_ERRORS = (EndpointConnectionError, ConnectTimeoutError, ProxyConnectionError)

_CODE_PATTERN = re.compile(r"[A-Za-z0-9.]{1,64}", re.ASCII)

_MISSING_CODES = frozenset({"404", "NoSuchKey", "NoSuchVersion", "NotFound"})
_DENIED_CODES = frozenset(
    {
        "403",
        "AccessDenied",
        "AccessDeniedException",
        "AllAccessDisabled",
        "AuthorizationHeaderMalformed",
        "DisabledException",
        "ExpiredToken",
        "ExpiredTokenException",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "InvalidToken",
        "KMSInvalidStateException",
        "NoSuchBucket",
        "NotFoundException",
        "RequestTimeTooSkewed",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)
# Refused, to be sent again later. What a 5xx says of itself counts for nothing, whatever its code is.
_LATER_CODES = frozenset(
    {
        "LimitExceededException",
        "RequestLimitExceeded",
        "ServiceUnavailable",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)
# A server that has waited too long for a request answers 400, and says nothing of what it did with what it had.
_TIMEOUT_CODES = frozenset({"RequestTimeout", "RequestTimeoutException"})
# Of errors by key, inside a 200 of DeleteObjects: they prove as little as a 5xx does.
_UNKNOWN_CODES = frozenset({"InternalError", "ServiceUnavailable", "SlowDown", *_TIMEOUT_CODES})


class RequestOutcome(Enum):
    """What an error says about the request that met it."""

    MISSING = auto()
    """There is no such object."""
    PRECONDITION_FAILED = auto()
    """412: the object is not, or not any more, as the condition wants it."""
    CONFLICT = auto()
    """409 ``ConditionalRequestConflict``: another conditional request is under way; read again and retry."""
    NOT_SUPPORTED = auto()
    """501: the server does not know this kind of request."""
    DENIED = auto()
    """Credentials or permissions; the request was not carried out."""
    NOT_DONE = auto()
    """Never sent, or refused for now by a 4xx; the request was not carried out."""
    UNKNOWN = auto()
    """No answer, a 5xx, throttling included, or a ``RequestTimeout``: the request may have been carried out."""
    FAILED = auto()
    """Refused for another reason; the request was not carried out."""


class TenantCredentialsError(BotoCoreError):
    """STS gave no credentials for a tenant, so the request that needed them was not sent.

    Args:
        code: what to tell of the reason, as `error_code` gives it.
        outcome: what it says about the request that was to be sent.
    """

    fmt = "no credentials for the tenant ({code})"

    def __init__(self, *, code: str, outcome: RequestOutcome) -> None:
        super().__init__(code=code, outcome=outcome)
        self.code = code
        self.outcome = outcome

    @staticmethod
    def meaning_of(error: Exception) -> tuple[str, RequestOutcome]:
        """Return code and outcome for an error of the request to STS: what needed its answer was not sent."""
        outcome = outcome_of(error)
        if outcome in {RequestOutcome.UNKNOWN, RequestOutcome.CONFLICT}:
            outcome = RequestOutcome.NOT_DONE
        elif outcome not in {RequestOutcome.DENIED, RequestOutcome.NOT_DONE}:
            outcome = RequestOutcome.FAILED  # a 404 of STS's address is no missing object
        return f"AssumeRole: {error_code(error)}", outcome


AWS_ERRORS = (ClientError, BotoCoreError, ResponseParserError, TransportError)
"""What to catch around a botocore call, and around reading its body: of that, botocore wraps only some errors."""


def outcome_of(error: Exception) -> RequestOutcome:
    """Sort an error of botocore's."""
    if isinstance(error, ClientError):
        return _outcome_of_answer(error)
    if isinstance(error, TenantCredentialsError):
        return error.outcome
    if isinstance(error, _CREDENTIAL_ERRORS):
        return RequestOutcome.DENIED
    if isinstance(error, _NOT_SENT_ERRORS) or (isinstance(error, SSLError) and _is_of_handshake(error)):
        return RequestOutcome.NOT_DONE
    if isinstance(error, (HTTPClientError, SSLError, IncompleteReadError, ResponseParserError, TransportError)):
        return RequestOutcome.UNKNOWN
    return RequestOutcome.FAILED


def outcome_of_code(code: str) -> RequestOutcome:
    """Sort an error that ``DeleteObjects`` gives for one of its keys, inside an answer that is a 200."""
    if code in _UNKNOWN_CODES:
        return RequestOutcome.UNKNOWN
    return _BY_CODE.get(code, RequestOutcome.FAILED)


def error_code(error: Exception) -> str:
    """Return the service's error code, or the exception's type: safe to log, no names of resources."""
    if isinstance(error, ClientError):
        code = str(error.response.get("Error", {}).get("Code", "unknown"))
        # The server's word, which may be anybody's: nothing but what AWS's codes look like gets on.
        return code if _CODE_PATTERN.fullmatch(code) else "unknown"
    if isinstance(error, TenantCredentialsError):
        return error.code
    return type(error).__name__


def is_answer(error: Exception) -> bool:
    """Whether the service has answered, and botocore has tried again what its answer lets it try again."""
    return isinstance(error, ClientError)


def to_backend_error(error: Exception) -> BackendError:
    """Return the error for a request that was certainly not carried out, in words that name no resource."""
    outcome = outcome_of(error)
    code = error_code(error)
    if outcome is RequestOutcome.DENIED:
        return AccessDeniedError(
            f"Error: The memory store refused access ({code}). Nothing was changed. This needs an operator."
        )
    if outcome in {RequestOutcome.NOT_DONE, RequestOutcome.UNKNOWN, RequestOutcome.CONFLICT}:
        return UnavailableError(
            f"Error: The memory store is not available right now ({code}). Nothing was changed. Try again later."
        )
    return BackendError(f"Error: The memory store could not do this ({code}). Nothing was changed.")


_BY_CODE = {
    "PreconditionFailed": RequestOutcome.PRECONDITION_FAILED,
    "412": RequestOutcome.PRECONDITION_FAILED,
    "ConditionalRequestConflict": RequestOutcome.CONFLICT,
    "OperationAborted": RequestOutcome.CONFLICT,
    "NotImplemented": RequestOutcome.NOT_SUPPORTED,
    **dict.fromkeys(_MISSING_CODES, RequestOutcome.MISSING),
    **dict.fromkeys(_DENIED_CODES, RequestOutcome.DENIED),
    **dict.fromkeys(_LATER_CODES, RequestOutcome.NOT_DONE),
    **dict.fromkeys(_TIMEOUT_CODES, RequestOutcome.UNKNOWN),
}


def _outcome_of_answer(error: ClientError) -> RequestOutcome:
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    outcome = _BY_CODE.get(error_code(error))
    if status >= 500 and outcome is not RequestOutcome.NOT_SUPPORTED:  # noqa: PLR2004 - HTTP's class of server errors
        return RequestOutcome.UNKNOWN
    return outcome or RequestOutcome.FAILED


def _is_of_handshake(error: SSLError) -> bool:
    """Whether TLS failed before the request was sent. An error that does not show it may be one of its answer."""
    return any(
        isinstance(cause, ssl.SSLCertVerificationError) or _was_raised_in_handshake(cause) for cause in _causes(error)
    )


def _causes(error: SSLError) -> Iterator[BaseException]:
    """Yield what botocore's error is made of: urllib3's error, and the one of ``ssl`` that this wraps."""
    found: list[object] = [error.kwargs.get("error")]
    for _ in range(8):
        cause = found.pop(0) if found else None
        if not isinstance(cause, BaseException):
            continue
        yield cause
        found += [cause.__cause__, cause.__context__, *cause.args]


def _was_raised_in_handshake(error: BaseException) -> bool:
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code is ssl.SSLSocket.do_handshake.__code__:
            return True
        frame = frame.tb_next
    return False
