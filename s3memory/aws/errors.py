"""Classifies the errors of transports by what they say about the request, and translates them for callers.

`s3memory.s3.attempts` decides what this means for a write with all its attempts. `s3memory.aws.botocore_errors` knows
botocore's errors, and is loaded only if botocore is.

The codes are those that AWS documents for S3 and KMS. For a 409, the code matters and not the status alone:
``ConditionalRequestConflict`` means "another request is under way", not "exists".
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping
from enum import Enum, auto

from s3memory.errors import AccessDeniedError, BackendError, UnavailableError

_CODE_PATTERN = re.compile(r"[A-Za-z0-9.]{1,64}", re.ASCII)
NO_CODE = "unknown"
"""Stands for a code that does not look like one of AWS's."""

NOT_ALLOWED_CODES = frozenset({"403", "AccessDenied", "AccessDeniedException"})
"""These credentials lack the permission. Other denials mean that the credentials, bucket, key or clock are wrong."""

THROTTLING_CODES = frozenset(
    {
        "BandwidthLimitExceeded",
        "EC2ThrottledException",
        "LimitExceededException",
        "PriorRequestNotComplete",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "SlowDown",
        "ThrottledException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        "TransactionInProgressException",
    }
)
"""The service wants fewer requests. From botocore's standard retry mode, and AWS's retry behavior for all SDKs."""

TIMEOUT_CODES = frozenset({"RequestTimeout", "RequestTimeoutException"})
"""A 400 from a server that waited too long for the rest of a request. It proves nothing about the part that came."""

REQUEST_TIMEOUT = 408
"""The HTTP status that a load balancer sends for the same reason, without an S3 error code."""

TOO_MANY_REQUESTS = 429
"""The HTTP status for throttling. The response to a HEAD has no other code."""

LATER_CODES = THROTTLING_CODES | {"ServiceUnavailable"}
"""Refused for now, to be resent later. In a 5xx, the code does not count."""

CONFLICT_CODES = frozenset({"ConditionalRequestConflict", "OperationAborted"})
"""Another request is under way."""

STATUSES_OF_SUCCESS: Mapping[str, frozenset[int]] = {
    "GetObject": frozenset({200, 206}),  # the whole object, or a range
    "PutObject": frozenset({200}),
    "DeleteObject": frozenset({200, 204}),
    "AbortMultipartUpload": frozenset({200, 204}),
}
"""S3's success statuses, for operations whose responses contain nothing else that identifies S3.

Any other 2xx comes from somebody else: a proxy that has only accepted the request returns 202, and so does AWS WAF if
it first wants a challenge solved.
"""

_REQUEST_ID_HEADERS = frozenset({"x-amz-request-id", "x-amzn-requestid"})
_MISSING_CODES = frozenset({"404", "NoSuchKey", "NoSuchVersion", "NotFound"})
_DENIED_CODES = NOT_ALLOWED_CODES | {
    "AllAccessDisabled",
    "AuthorizationHeaderMalformed",
    "DisabledException",
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidAccessKeyId",
    "InvalidClientTokenId",
    "InvalidSignatureException",
    "InvalidToken",
    "KMSInvalidStateException",
    "NoSuchAccessPoint",
    "NoSuchBucket",
    "NotFoundException",
    "RequestTimeTooSkewed",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
}
# As per-key errors, inside a 200 of DeleteObjects, these prove as little as a 5xx does.
_UNKNOWN_CODES = LATER_CODES | TIMEOUT_CODES | {"InternalError"}


class RequestOutcome(Enum):
    """What an error says about the request that failed with it."""

    MISSING = auto()
    """There is no such object."""
    PRECONDITION_FAILED = auto()
    """412: the object does not, or no longer, meet the condition."""
    CONFLICT = auto()
    """409 ``ConditionalRequestConflict``: another conditional request is under way; read again and retry."""
    NOT_SUPPORTED = auto()
    """501: the server does not support this kind of request."""
    DENIED = auto()
    """Wrong credentials or missing permissions; the request was not carried out."""
    NOT_DONE = auto()
    """Never sent, or refused for now by a 4xx; the request was not carried out."""
    UNKNOWN = auto()
    """No response, a 5xx (even for throttling), ``RequestTimeout`` or 408: the request may have been carried out."""
    FAILED = auto()
    """Refused for another reason; the request was not carried out."""


TRANSIENT_OUTCOMES = frozenset({RequestOutcome.UNKNOWN, RequestOutcome.NOT_DONE, RequestOutcome.CONFLICT})
"""Outcomes that a retry may not meet."""


class RequestError(Exception):
    """A request that failed or was never sent, in this package's own terms.

    Args:
        code: the service's error code, or a name for what went wrong on the way.
        outcome: what the error says about the request.
    """

    def __init__(self, *, code: str, outcome: RequestOutcome) -> None:
        super().__init__(code)
        self.code = code
        self.outcome = outcome


class AnswerError(RequestError):
    """An error response of the service, with the pause that it asked for, if it did.

    Args:
        status: HTTP's.
        code: the service's, or the status.
        retry_after_seconds: how long it wants to be left alone.
        headers: the answer's, by their names in lower case. AWS's have a request's id, a proxy's own page has none.
    """

    def __init__(
        self,
        *,
        status: int,
        code: str,
        retry_after_seconds: float | None = None,
        headers: Collection[str] = (),
    ) -> None:
        code = known_code(code)
        super().__init__(code=code, outcome=outcome_of_answer(status, code))
        self.status = status
        self.retry_after_seconds = retry_after_seconds
        self.has_request_id = not _REQUEST_ID_HEADERS.isdisjoint(headers)


def unreadable() -> RequestError:
    """Return the error for a successful response that can't be read: it proves nothing."""
    return RequestError(code="ResponseParserError", outcome=RequestOutcome.UNKNOWN)


class TenantCredentialsError(RequestError):
    """STS returned no credentials for a tenant, so the request that needed them was not sent."""

    @staticmethod
    def meaning_of(error: Exception) -> tuple[str, RequestOutcome]:
        """Return the code and outcome of a request that was not sent because the request to STS failed."""
        return f"AssumeRole: {error_code(error)}", outcome_without_credentials(error)


def aws_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions to catch around a request and around reading its body, for every transport."""
    if "botocore" not in sys.modules:  # so botocore can't have raised anything
        return (RequestError,)
    from s3memory.aws import botocore_errors  # imports botocore

    return (RequestError, *botocore_errors.ERRORS)


def _understood(error: Exception) -> RequestError:
    """Return an error in this package's own terms."""
    if isinstance(error, RequestError):
        return error
    from s3memory.aws import botocore_errors  # botocore is loaded: it raised the error

    return botocore_errors.understood(error)


def outcome_of(error: Exception) -> RequestOutcome:
    """Return the outcome of a request that failed with one of `aws_errors`."""
    return _understood(error).outcome


def outcome_without_credentials(error: Exception) -> RequestOutcome:
    """Return the outcome of a request that was not sent because getting its credentials failed with this error."""
    outcome = outcome_of(error)
    if outcome in {RequestOutcome.UNKNOWN, RequestOutcome.CONFLICT}:
        return RequestOutcome.NOT_DONE
    if outcome in {RequestOutcome.DENIED, RequestOutcome.NOT_DONE}:
        return outcome
    return RequestOutcome.FAILED  # a 404 from STS's address is not a missing object


def outcome_of_code(code: str) -> RequestOutcome:
    """Return the outcome for one key of a ``DeleteObjects`` whose response, a 200, holds this error for it."""
    if code in _UNKNOWN_CODES:
        return RequestOutcome.UNKNOWN
    return _BY_CODE.get(code, RequestOutcome.FAILED)


def outcome_of_answer(status: int, code: str) -> RequestOutcome:
    """Return the outcome of a request with this error response, given the HTTP status and the service's code."""
    outcome = _BY_CODE.get(code)
    if status == TOO_MANY_REQUESTS:
        return RequestOutcome.NOT_DONE
    if status == REQUEST_TIMEOUT:
        return RequestOutcome.UNKNOWN
    if status >= 500 and outcome is not RequestOutcome.NOT_SUPPORTED:  # noqa: PLR2004 - HTTP's class of server errors
        return RequestOutcome.UNKNOWN
    return outcome or RequestOutcome.FAILED


def known_code(code: object) -> str:
    """Return a server's error code if it looks like one of AWS's, else ``unknown``: a server may send anything."""
    code = str(code)
    return code if _CODE_PATTERN.fullmatch(code) else NO_CODE


def error_code(error: Exception) -> str:
    """Return the service's error code, or a name for the error. It is safe to log: it names no resource."""
    return _understood(error).code


def has_code(error: Exception) -> bool:
    """Whether an error has a real code, not the HTTP status in its place or ``unknown``."""
    code = error_code(error)
    return not code.isdigit() and code != NO_CODE


def is_missing(error: Exception) -> bool:
    """Whether S3 has said that there is no such object. Not for a HEAD, whose response has no body to hold a code.

    A 404 without an S3 error code is the page of a proxy that can't find its server.
    """
    return outcome_of(error) is RequestOutcome.MISSING and has_code(error)


def has_request_id(error: Exception) -> bool:
    """Whether an answer has the id that AWS gives every request: so the answer to a HEAD is known to be S3's."""
    return getattr(_understood(error), "has_request_id", False)


def is_answer(error: Exception) -> bool:
    """Whether the service has responded. The transport has then made the retries that the response allows."""
    return isinstance(_understood(error), AnswerError)


def to_backend_error(error: Exception) -> BackendError:
    """Return the error for a request that was certainly not carried out. Its text names no resource."""
    outcome, code = outcome_of(error), error_code(error)
    kind: type[BackendError]
    if outcome is RequestOutcome.DENIED:
        kind, what, then = AccessDeniedError, "refused access", " This needs an operator."
    elif outcome in TRANSIENT_OUTCOMES:
        kind, what, then = UnavailableError, "is not available right now", " Try again later."
    else:
        kind, what, then = BackendError, "could not do this", ""
    return kind(f"The memory store {what} ({code}). Nothing was changed.{then}", code=code)


_BY_CODE = {
    "PreconditionFailed": RequestOutcome.PRECONDITION_FAILED,
    "412": RequestOutcome.PRECONDITION_FAILED,
    "NotImplemented": RequestOutcome.NOT_SUPPORTED,
    **dict.fromkeys(_MISSING_CODES, RequestOutcome.MISSING),
    **dict.fromkeys(_DENIED_CODES, RequestOutcome.DENIED),
    **dict.fromkeys(CONFLICT_CODES, RequestOutcome.CONFLICT),
    **dict.fromkeys(LATER_CODES, RequestOutcome.NOT_DONE),
    **dict.fromkeys(TIMEOUT_CODES, RequestOutcome.UNKNOWN),
}
